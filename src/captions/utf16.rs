//! UTF-16 without a byte order mark, told from UTF-8 and from binary files; and UTF-32 with one.

use crate::model::Encoding;

/// Text that was UTF-32.
pub(super) struct Utf32 {
    /// `UTF-32LE` or `UTF-32BE`.
    pub(super) encoding: &'static str,
    /// The text without its mark.
    pub(super) text: String,
}

/// The text, if the bytes begin with a byte order mark of UTF-32 and are a whole number of characters.
pub(super) fn utf32_with_bom(bytes: &[u8]) -> Option<Utf32> {
    let (units, rest) = bytes.as_chunks::<4>();
    let (encoding, from_bytes): (_, fn([u8; 4]) -> u32) = match units.first()? {
        [0xff, 0xfe, 0, 0] => ("UTF-32LE", u32::from_le_bytes),
        [0, 0, 0xfe, 0xff] => ("UTF-32BE", u32::from_be_bytes),
        _ => return None,
    };
    let text: Option<String> = units.iter().skip(1).map(|&unit| char::from_u32(from_bytes(unit))).collect();
    Some(Utf32 { encoding, text: text.filter(|_| rest.is_empty())? })
}

/// UTF-16 of either byte order, if the bytes without a mark make sense in it and in nothing simpler.
///
/// Every unit must belong to a script or to common punctuation, and there must be bytes that no text in a one-byte encoding
/// or UTF-8 has: NULs and other control bytes. Without that second rule "Bush hid the facts" is Chinese.
pub(super) fn guess(bytes: &[u8]) -> Option<Encoding> {
    if bytes.len() < 4 || !bytes.len().is_multiple_of(2) || !bytes.iter().copied().any(is_control) {
        return None;
    }
    if std::str::from_utf8(bytes).is_ok() && !has_control_in_most_units(bytes) {
        return None;
    }
    let little = strangeness(bytes, u16::from_le_bytes);
    let big = strangeness(bytes, u16::from_be_bytes);
    match (little, big) {
        (Some(little), Some(big)) => Some(if big < little { Encoding::Utf16Be } else { Encoding::Utf16Le }),
        (Some(_), None) => Some(Encoding::Utf16Le),
        (None, Some(_)) => Some(Encoding::Utf16Be),
        (None, None) => None,
    }
}

/// A byte that no text in a one-byte encoding or UTF-8 has.
fn is_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t'..=b'\r')
}

/// Whether most units have a control byte: what tells UTF-16 that happens to be valid UTF-8 (ASCII letters have a NUL each,
/// Cyrillic ones a 0x04) from text with a stray NUL.
fn has_control_in_most_units(bytes: &[u8]) -> bool {
    let (units, _) = bytes.as_chunks::<2>();
    units.iter().filter(|unit| unit.iter().copied().any(is_control)).count() > units.len() * 2 / 3
}

/// How many changes of script the text has when read so: text in the right byte order stays within few blocks, text in the
/// wrong one jumps at every letter. Then, how many characters are not Latin: ASCII in the wrong byte order is all Chinese.
/// `None` if it holds anything that captions do not.
fn strangeness(bytes: &[u8], from_bytes: fn([u8; 2]) -> u16) -> Option<(usize, usize)> {
    let (units, _) = bytes.as_chunks::<2>();
    let (mut changes, mut foreign) = (0, 0);
    let mut last = None;
    for unit in char::decode_utf16(units.iter().map(|&unit| from_bytes(unit))) {
        let script = script(unit.ok()?)?;
        changes += usize::from(last.is_some_and(|last| last != script));
        foreign += usize::from(script != LATIN);
        last = Some(script);
    }
    Some((changes, foreign))
}

/// Latin letters and common punctuation.
const LATIN: u8 = 0;

/// A number for the group of scripts a character belongs to; `None` for what captions do not hold.
fn script(character: char) -> Option<u8> {
    Some(match u32::from(character) {
        0x09..=0x0d | 0x20..=0x7e | 0xa0..=0x024f | 0x1e00..=0x1eff | 0x2010..=0x2044 => LATIN,
        0x0300..=0x03ff => 1,
        0x0400..=0x052f => 2,
        0x0590..=0x077f => 3,
        0x0900..=0x0dff => 4,
        0x0e00..=0x0eff => 5,
        0x3000..=0x30ff | 0x4e00..=0x9fff | 0xff01..=0xffee | 0x20000..=0x3ffff => 6,
        0x1100..=0x11ff | 0xac00..=0xd7a3 => 7,
        0x200b..=0x200d | 0x20a0..=0x27bf | 0xfe0f | 0x1f000..=0x1faff => 8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_classic_of_wrong_guesses_is_not_made() {
        assert_eq!(guess(b"Bush hid the facts"), None);
        assert_eq!(guess(b"the woman\x92s dress!"), None);
    }

    #[test]
    fn utf32_needs_its_mark() {
        let bytes = b"\xff\xfe\0\0a\0\0\0\x34\xf6\x01\0";
        assert!(utf32_with_bom(bytes).is_some_and(|text| text.text == "a\u{1f634}" && text.encoding == "UTF-32LE"));
        assert!(utf32_with_bom(b"a\0\0\0").is_none());
    }
}
