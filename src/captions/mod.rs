//! Stage 3b: bytes -> [`Caption`], and bytes -> [`MetadataFacts`](crate::model::MetadataFacts).
//!
//! What a caption file holds, how it is encoded, what stands in it that does not belong there, and how many tokens it makes;
//! [`metadata`] reads the files that hold the captions of many images. Nothing here judges: whether a caption of 90 tokens is
//! too long is for `checks` to say. Gets bytes, opens no caption itself. May use `model` only.

mod characters;
mod encoding;
mod legacy;
pub mod metadata;
mod mojibake;
mod signature;
mod tokens;
mod utf16;

use crate::model::{Caption, ContentHash, RelPath};

pub use tokens::{MAX_COUNTED_BYTES, TokenizerError, Tokenizers};

/// Reads one caption file.
///
/// Every sequence of bytes is some caption: one that is no text at all comes back with
/// [`Encoding::Binary`](crate::model::Encoding::Binary) and without text.
///
/// ```
/// use walkaround::captions::{Tokenizers, read};
/// let caption = read(&"a.txt".into(), b"the woman\x92s dress", &Tokenizers::new());
/// assert_eq!(caption.encoding.name(), "windows-1252");
/// assert_eq!(caption.text.as_deref(), Some("the woman\u{2019}s dress"));
/// assert_eq!(caption.invalid.map(|invalid| invalid.offset), Some(9));
/// ```
#[must_use]
pub fn read(path: &RelPath, bytes: &[u8], tokenizers: &Tokenizers) -> Caption {
    let reading = encoding::read(bytes);
    let text = reading.text.as_deref().unwrap_or_default();
    let is_text = reading.text.is_some();
    let lines = characters::lines(text);
    Caption {
        path: path.clone(),
        size_bytes: bytes.len() as u64,
        content: ContentHash(*blake3::hash(bytes).as_bytes()),
        encoding: reading.encoding,
        has_bom: reading.has_bom,
        invalid: reading.invalid,
        chars: text.trim().chars().count() as u64,
        lines: lines.filled,
        line_ending: lines.ending,
        clip_tokens: is_text.then(|| tokenizers.clip_tokens(text)).flatten(),
        t5_tokens: is_text.then(|| tokenizers.t5_tokens(text)).flatten(),
        controls: characters::controls(text),
        invisibles: characters::invisibles(text),
        mojibake: mojibake::find(text),
        text: reading.text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Content, Encoding, Format, LineEnding, OtherContent};

    fn caption(bytes: &[u8]) -> Caption {
        read(&RelPath::from("a.txt"), bytes, &Tokenizers::new())
    }

    #[test]
    fn a_utf16_file_and_a_picture_that_both_begin_with_ff_are_told_apart() {
        let text = caption(b"\xff\xfea\0 \0c\0a\0t\0");
        assert_eq!((text.encoding, text.text.as_deref(), text.has_bom), (Encoding::Utf16Le, Some("a cat"), true));
        let picture = caption(b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
        assert_eq!((picture.encoding, picture.text.as_deref()), (Encoding::Binary(Content::Image(Format::Jpeg)), None));
        for caption in [text, picture] {
            assert_eq!(caption.invalid.map(|invalid| invalid.offset), Some(0));
        }
    }

    #[test]
    fn no_bytes_and_only_a_line_end_are_not_the_same() {
        let (empty, blank) = (caption(b""), caption(b"\n"));
        assert_eq!((empty.is_empty(), empty.is_blank(), empty.encoding), (true, false, Encoding::Utf8));
        assert_eq!((blank.is_empty(), blank.is_blank(), blank.line_ending), (false, true, LineEnding::Lf));
        assert!(caption(b"\xef\xbb\xbf \r\n").is_blank());
        assert_eq!(empty.clip_tokens, Some(0));
    }

    #[test]
    fn facts_of_a_common_caption() {
        let read = caption("1girl, solo,\r\n\r\nred \u{200b}hair\u{a0}\r\n".as_bytes());
        assert_eq!((read.lines, read.line_ending), (2, LineEnding::CrLf));
        let found: Vec<_> = read.invisibles.iter().map(|suspect| (suspect.character, suspect.first, suspect.count)).collect();
        assert_eq!(found, [('\u{a0}', 25, 1), ('\u{200b}', 20, 1)]);
        assert!(read.controls.is_empty() && read.mojibake.is_none() && read.invalid.is_none());
    }

    #[test]
    fn any_beginning_of_any_file_can_be_read() {
        let tokenizers = Tokenizers::new();
        let whole: Vec<u8> = [&b"\xff\xfea\0"[..], "Ã©ð\u{9f}â€™ 猫".as_bytes(), b"\0\xd8\xc3(", b"\xf0\x9f\x98"].concat();
        for from in 0..whole.len() {
            for to in from..=whole.len() {
                let read = read(&RelPath::from("a.txt"), &whole[from..to], &tokenizers);
                assert_eq!(read.text.is_none(), matches!(read.encoding, Encoding::Binary(_)));
            }
        }
        assert_eq!(read(&RelPath::from("a.txt"), &[0; 64], &tokenizers).encoding, Encoding::Binary(Content::Other(OtherContent::Zeros)));
    }
}
