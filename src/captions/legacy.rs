//! Which older encoding a text that is not UTF-8 is in: a guess, and a good one only where the text is long enough.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, WINDOWS_1252};

/// Bytes that the guess is made from. More make it no better, and the detector runs every candidate over them.
const MAX_JUDGED_BYTES: usize = 64 << 10;

/// ASCII in front of the first other byte that still helps to judge it.
const ASCII_BEFORE: usize = 1024;

/// The likeliest encoding of bytes that are not UTF-8.
pub(super) fn guess(bytes: &[u8]) -> &'static Encoding {
    if has_only_typographic_marks(bytes) {
        return WINDOWS_1252;
    }
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let rest = bytes.get(first.saturating_sub(ASCII_BEFORE)..).unwrap_or_default();
    let part = rest.get(..MAX_JUDGED_BYTES).unwrap_or(rest);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(part, part.len() == rest.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// Whether all that is not ASCII are the quotes, dashes and dots that word processors put into English text, each between
/// ASCII: what Windows-1252 has at 0x85 and 0x91 to 0x97. One such byte is too little for a statistical guess.
fn has_only_typographic_marks(bytes: &[u8]) -> bool {
    let is_alone = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        before.is_none_or(u8::is_ascii) && bytes.get(at + 1).is_none_or(u8::is_ascii)
    };
    bytes.iter().enumerate().filter(|(_, byte)| !byte.is_ascii()).all(|(at, byte)| matches!(byte, 0x85 | 0x91..=0x97) && is_alone(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_judged_by_its_first_part_that_is_not_ascii() {
        let text = [b"a photo of a dog, ".repeat(100_000), b"sch\xf6ne gr\xfcne Wiese, ".repeat(100_000)].concat();
        assert_eq!(guess(&text).name(), "windows-1252");
    }

    #[test]
    fn short_captions_are_guessed_right() {
        let cases: [(&[u8], &str); 8] = [
            (b"the woman\x92s dress", "windows-1252"),
            (b"\x93a cat\x94 \x96 a photo", "windows-1252"),
            (b"caf\xe9 au lait", "windows-1252"),
            (b"sch\xf6ne gr\xfcne Wiese", "windows-1252"),
            (b"\xd2\xbb\xd6\xbb\xc3\xa8, \xb0\xd7\xc9\xab\xb1\xb3\xbe\xb0", "GBK"),
            (b"\xea\xee\xf8\xea\xe0 \xed\xe0 \xf1\xf2\xee\xeb\xe5", "windows-1251"),
            (b"\x94\x92\x82\xa2\x94\x77\x8c\x69\x82\xc9\x94\x4c", "Shift_JIS"),
            (b"\xa4@\xb0\xa6\xbf\xdf, \xa5\xd5\xa6\xe2\xad\xb7\xb4\xba", "Big5"),
        ];
        let wrong: Vec<String> = cases
            .iter()
            .filter(|(bytes, wanted)| guess(bytes).name() != *wanted)
            .map(|(bytes, wanted)| format!("{wanted}, not {}: {:?}", guess(bytes).name(), guess(bytes).decode(bytes).0))
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
