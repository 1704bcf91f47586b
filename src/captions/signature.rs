//! Files that are no text, recognised by how they begin. Enough to say what lies in a caption's place; the real recognition of
//! images is in `probe`.

use crate::model::{Content, Format, OtherContent};

/// What begins like this, where no caption does.
pub(super) fn of(bytes: &[u8]) -> Option<Content> {
    if !bytes.is_empty() && bytes.iter().all(|&byte| byte == 0) {
        return Some(Content::Other(OtherContent::Zeros));
    }
    let image = match bytes {
        [0xff, 0xd8, 0xff, ..] => Some(Format::Jpeg),
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Format::Png),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] if has_nul(bytes) => Some(Format::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Format::WebP),
        // "BMW on a street" is a caption; a bitmap has its reserved bytes at 6 to 9.
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Some(Format::Bmp),
        [b'I', b'I', b'*' | b'+', 0, ..] | [b'M', b'M', 0, b'*' | b'+', ..] => Some(Format::Tiff),
        [0, 0, 0, 12, b'J', b'X', b'L', b' ', ..] => Some(Format::JpegXl),
        [0, 0, 0, 12, b'j', b'P', b' ', b' ', ..] => Some(Format::Jpeg2000),
        [b'8', b'B', b'P', b'S', 0, ..] => Some(Format::Psd),
        [0, 0, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f' | b's', ..] => Some(Format::Avif),
        [0, 0, _, _, b'f', b't', b'y', b'p', b'h', b'e', b'i' | b'v', ..]
        | [0, 0, _, _, b'f', b't', b'y', b'p', b'm', b'i' | b's', b'f', b'1', ..] => Some(Format::Heic),
        _ => None,
    };
    image.map(Content::Image).or_else(|| other(bytes).map(Content::Other))
}

fn other(bytes: &[u8]) -> Option<OtherContent> {
    match bytes {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(OtherContent::Zip),
        [0x1f, 0x8b, ..] | [b'7', b'z', 0xbc, 0xaf, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            Some(OtherContent::Archive)
        }
        [b'R', b'a', b'r', b'!', 0x1a, ..] | [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Some(OtherContent::Archive),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(OtherContent::Pdf),
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(OtherContent::Npy),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => Some(OtherContent::Ole2),
        [0, 5, 0x16, 0 | 7, ..] => Some(OtherContent::AppleDouble),
        [0, 0, _, _, b'f', b't', b'y', b'p', ..] | [0x1a, 0x45, 0xdf, 0xa3, ..] => Some(OtherContent::Video),
        _ => None,
    }
}

fn has_nul(bytes: &[u8]) -> bool {
    bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_that_begin_like_a_signature_are_captions() {
        for text in ["BMW on a street", "GIF89a is an old format", "MM", "II", "PK", "RIFF", "7z", "", "Rar"] {
            assert_eq!(of(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn pictures_are_named() {
        assert_eq!(of(b"\0\0\0\x20ftypavif\0\0\0\0"), Some(Content::Image(Format::Avif)));
        assert_eq!(of(b"RIFF\x10\0\0\0WEBPVP8 "), Some(Content::Image(Format::WebP)));
        assert_eq!(of(b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0"), Some(Content::Image(Format::Bmp)));
    }
}
