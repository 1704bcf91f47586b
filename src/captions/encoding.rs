//! How a caption's bytes are to be read: UTF-8, UTF-16, an older encoding, or not as text at all.
//!
//! The order of the questions matters: a byte order mark, then a signature, then NULs (UTF-16 text in ASCII letters is valid
//! UTF-8), then UTF-8, then the guesses.

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::{legacy, signature, utf16};
use crate::model::{Content, Encoding, InvalidText, OtherContent};

/// What the bytes are read as.
#[derive(Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) encoding: Encoding,
    pub(super) has_bom: bool,
    pub(super) invalid: Option<InvalidText>,
    pub(super) text: Option<String>,
}

impl Reading {
    fn new(encoding: Encoding, bytes: &[u8], text: impl Into<String>) -> Self {
        Self { encoding, has_bom: false, invalid: first_invalid(bytes), text: Some(text.into()) }
    }

    fn with_bom(mut self) -> Self {
        self.has_bom = true;
        self
    }

    fn binary(content: Content, bytes: &[u8]) -> Self {
        Self { encoding: Encoding::Binary(content), has_bom: false, invalid: first_invalid(bytes), text: None }
    }
}

/// Decides how the bytes are to be read, and reads them.
pub(super) fn read(bytes: &[u8]) -> Reading {
    if let Some(text) = utf16::utf32_with_bom(bytes) {
        return Reading::new(Encoding::Legacy(text.encoding), bytes, text.text).with_bom();
    }
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => {
            if let Ok(text) = std::str::from_utf8(rest) {
                return Reading::new(Encoding::Utf8, bytes, text).with_bom();
            }
        }
        [0xff, 0xfe, rest @ ..] => {
            return Reading::new(Encoding::Utf16Le, bytes, UTF_16LE.decode_without_bom_handling(rest).0).with_bom();
        }
        [0xfe, 0xff, rest @ ..] => {
            return Reading::new(Encoding::Utf16Be, bytes, UTF_16BE.decode_without_bom_handling(rest).0).with_bom();
        }
        _ => {}
    }
    if let Some(content) = signature::of(bytes) {
        return Reading::binary(content, bytes);
    }
    if let Some(encoding) = utf16::guess(bytes) {
        let decoder = if encoding == Encoding::Utf16Be { UTF_16BE } else { UTF_16LE };
        return Reading::new(encoding, bytes, decoder.decode_without_bom_handling(bytes).0);
    }
    if is_no_text(bytes) {
        return Reading::binary(Content::Other(OtherContent::Unknown), bytes);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Reading::new(Encoding::Utf8, bytes, text);
    }
    let guess = legacy::guess(bytes);
    Reading::new(Encoding::Legacy(guess.name()), bytes, guess.decode_without_bom_handling(bytes).0)
}

/// Whether so many control bytes stand between the others that nobody wrote this as text.
///
/// NULs at the end do not count: a caption that was preallocated, or cut by a crash, is text with NULs behind it.
fn is_no_text(bytes: &[u8]) -> bool {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let written = bytes.get(..end).unwrap_or_default();
    let controls = written.iter().filter(|&&byte| byte < 0x20 && !matches!(byte, b'\t'..=b'\r')).count();
    // Text in any encoding that is left here has next to none; random bytes are one eighth control bytes. What is valid UTF-8
    // gets the benefit of the doubt, since random bytes are not.
    let limit = if std::str::from_utf8(bytes).is_ok() { 3 } else { 20 };
    controls > 1 && controls > written.len() / limit
}

/// The first place that is not UTF-8, and how many such places there are.
fn first_invalid(bytes: &[u8]) -> Option<InvalidText> {
    let mut offset = 0;
    let mut first: Option<InvalidText> = None;
    for chunk in bytes.utf8_chunks() {
        offset += chunk.valid().len() as u64;
        if !chunk.invalid().is_empty() {
            first.get_or_insert_with(|| InvalidText { offset, bytes: chunk.invalid().to_vec(), count: 0 }).count += 1;
        }
        offset += chunk.invalid().len() as u64;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Format;

    fn encoded_as(bytes: &[u8]) -> Encoding {
        read(bytes).encoding
    }

    fn utf16(text: &str, is_big: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn the_first_broken_place_has_its_offset_and_bytes() {
        let invalid = read(b"the woman\x92s dress").invalid.expect("it is not UTF-8");
        assert_eq!((invalid.offset, invalid.bytes.as_slice(), invalid.count), (9, &b"\x92"[..], 1));
        let cut = read("a cat 猫".as_bytes().split_last().expect("there is text").1).invalid.expect("it is cut");
        assert_eq!((cut.offset, cut.bytes.as_slice(), cut.count), (6, &b"\xe7\x8c"[..], 1));
    }

    #[test]
    fn utf16_is_recognised_with_and_without_mark() {
        for text in ["a cat", "ab", "eine Katze, weißer Hintergrund", "一只猫, 白色背景", "кошка на столе", "白い背景に、猫がいる", "x 😀"]
        {
            for is_big in [false, true] {
                let wanted = if is_big { Encoding::Utf16Be } else { Encoding::Utf16Le };
                let bare = read(&utf16(text, is_big));
                assert_eq!((bare.encoding, bare.text.as_deref(), bare.has_bom), (wanted, Some(text), false));
                let marked = read(&utf16(&format!("\u{feff}{text}"), is_big));
                assert_eq!((marked.encoding, marked.text.as_deref(), marked.has_bom), (wanted, Some(text), true));
            }
        }
    }

    #[test]
    fn utf8_stays_utf8_whatever_the_script() {
        for text in ["", "a", "ab", "Bush hid the facts", "一只猫, 白色背景", "été à la plage", "😀", "a cat\0", "a\x0cb\x1bc", "кошка"]
        {
            assert_eq!(encoded_as(text.as_bytes()), Encoding::Utf8, "{text:?}");
        }
        let preallocated = read(&[&b"a cat"[..], &[0; 4096]].concat());
        assert_eq!(preallocated.encoding, Encoding::Utf8);
    }

    #[test]
    fn a_utf8_mark_in_front_of_another_encoding_is_seen() {
        let marked = read(b"\xef\xbb\xbfa cat");
        assert_eq!((marked.has_bom, marked.text.as_deref(), marked.invalid), (true, Some("a cat"), None));
        assert!(matches!(encoded_as(b"\xef\xbb\xbfthe woman\x92s"), Encoding::Legacy(_)));
    }

    #[test]
    fn files_that_are_no_text_are_told_by_signature_or_by_their_bytes() {
        assert_eq!(encoded_as(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Encoding::Binary(Content::Image(Format::Png)));
        assert_eq!(encoded_as(b"PK\x03\x04\x14\0\0\0\x08\0"), Encoding::Binary(Content::Other(OtherContent::Zip)));
        let mut state = 1_u32;
        let random: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        })
        .take(500)
        .collect();
        assert_eq!(encoded_as(&random), Encoding::Binary(Content::Other(OtherContent::Unknown)));
    }
}
