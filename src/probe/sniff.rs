//! What the first bytes of a file say it is.
//!
//! Signatures only, and plausibility where a format has none. Whether the file can be read is asked elsewhere.

use super::cursor::{array, be32, le16, le32, u8_at};
use super::{bmp, ico, markup, pnm, tga};
use crate::model::{Content, Format, OtherContent};

/// How many bytes from the start of a file [`sniff`] makes use of. Fewer will do: 12 bytes tell most formats, and text
/// is told from markup by what is there.
pub const SNIFF_BYTES: usize = 4096;

/// Brands of pictures and sequences coded with HEVC.
const HEVC: [&[u8; 4]; 8] = [b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"hevm", b"hevs"];

/// What a file is, judged by its first bytes, at best [`SNIFF_BYTES`] of them or the whole file.
///
/// # Examples
///
/// ```
/// use walkaround::model::{Content, Format, OtherContent};
/// use walkaround::probe::sniff;
///
/// assert_eq!(sniff(b"GIF89a\x01\0\x01\0"), Content::Image(Format::Gif));
/// assert_eq!(sniff(b"version https://git-lfs.github.com/spec/v1\n"), Content::Other(OtherContent::GitLfsPointer));
/// ```
#[must_use]
pub fn sniff(head: &[u8]) -> Content {
    let head = head.get(..SNIFF_BYTES).unwrap_or(head);
    if head.is_empty() {
        return Content::Other(OtherContent::Empty);
    }
    if head.iter().all(|byte| *byte == 0) {
        return Content::Other(OtherContent::Zeros);
    }
    signature(head).or_else(|| weak_signature(head)).unwrap_or_else(|| Content::Other(markup::text_kind(head)))
}

/// Content with a signature that nothing else has.
fn signature(head: &[u8]) -> Option<Content> {
    use OtherContent as Other;
    let starts = |magic: &[u8]| head.starts_with(magic);
    let image = |format| Some(Content::Image(format));
    let other = |content| Some(Content::Other(content));
    match head {
        _ if is_camera_raw(head) => other(Other::CameraRaw),
        [0xFF, 0xD8, 0xFF, ..] => image(Format::Jpeg),
        [0x89, b'P', b'N', b'G', ..] => image(Format::Png),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => image(Format::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, kind @ ..] => match kind {
            [b'W', b'E', b'B', b'P', ..] => image(Format::WebP),
            [b'A', b'V', b'I', b' ', ..] => other(Other::Video),
            // WAVE and others, which nobody takes for images.
            _ => other(Other::Unknown),
        },
        [b'I', b'I', 0x2A | 0x2B, 0, ..] | [b'I', b'I', 0, 0x2A, ..] | [b'M', b'M', 0, 0x2A | 0x2B, ..] | [b'M', b'M', 0x2A, 0, ..] => {
            image(Format::Tiff)
        }
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some(brand(head)),
        [0, 0, 0, 12, b'J', b'X', b'L', b' ', ..] | [0xFF, 0x0A, ..] => image(Format::JpegXl),
        [0, 0, 0, 12, b'j', b'P', b' ', b' ', ..] | [0xFF, 0x4F, 0xFF, 0x51, ..] => image(Format::Jpeg2000),
        [b'8', b'B', b'P', b'S', 0, 1 | 2, ..] => image(Format::Psd),
        [b'q', b'o', b'i', b'f', ..] => image(Format::Qoi),
        [0, 5, 0x16, 7, ..] => other(Other::AppleDouble),
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..] => other(Other::Zip),
        _ if is_video(head) => other(Other::Video),
        _ if is_archive(head) => other(Other::Archive),
        _ if starts(&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) => other(Other::Ole2),
        _ if starts(b"\x93NUMPY") => other(Other::Npy),
        _ if starts(b"%PDF-") => other(Other::Pdf),
        _ if starts(b"version https://git-lfs.github.com/spec/") => other(Other::GitLfsPointer),
        _ => None,
    }
}

fn is_camera_raw(head: &[u8]) -> bool {
    // Panasonic RW2; Olympus ORF, with the offset that all of them have; Fujifilm RAF.
    const MAGICS: [&[u8]; 5] = [b"IIU\0", b"IIRO\x08\0\0\0", b"IIRS\x08\0\0\0", b"MMOR\0\0\0\x08", b"FUJIFILMCCD-RAW"];
    let canon = head.starts_with(b"II\x2a\0") && head.get(8..10) == Some(b"CR");
    canon || MAGICS.iter().any(|magic| head.starts_with(magic))
}

/// Video with other signatures than `ftyp` and `RIFF`.
fn is_video(head: &[u8]) -> bool {
    // EBML (Matroska, WebM); MPEG program stream; Flash; ASF.
    const MAGICS: [&[u8]; 4] = [b"\x1A\x45\xDF\xA3", b"\0\0\x01\xBA", b"FLV\x01", b"\x30\x26\xB2\x75\x8E\x66\xCF\x11"];
    let quicktime = matches!(head.get(4..8), Some(b"moov" | b"mdat"));
    quicktime || MAGICS.iter().any(|magic| head.starts_with(magic))
}

fn is_archive(head: &[u8]) -> bool {
    // gzip; Zstandard; xz; 7z; RAR.
    const MAGICS: [&[u8]; 5] = [b"\x1F\x8B", b"\x28\xB5\x2F\xFD", b"\xFD7zXZ\0", b"7z\xBC\xAF\x27\x1C", b"Rar!\x1A\x07"];
    // bzip2: the level, and the mark of a block or of the end.
    let bzip2 = matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..]);
    bzip2 || head.get(257..262) == Some(b"ustar") || MAGICS.iter().any(|magic| head.starts_with(magic))
}

/// Content whose signature is short or none, so that the fields behind it must make sense too.
fn weak_signature(head: &[u8]) -> Option<Content> {
    let bitmap =
        head.starts_with(b"BM") && (le32(head, 6) == Some(0) || le32(head, 14).is_some_and(|size| bmp::HEADER_SIZES.contains(&size)));
    let format = if markup::is_svg(head) {
        Format::Svg
    } else if bitmap || bmp::looks_like_dib(head) {
        Format::Bmp
    } else if pnm::has_magic(head) {
        Format::Pnm
    } else if ico::looks_like_ico(head) {
        Format::Ico
    } else if tga::looks_like_tga(head) {
        Format::Tga
    } else {
        return None;
    };
    Some(Content::Image(format))
}

/// The content of an ISO base media file by its brands (ISO/IEC 14496-12, section 4.3; 23008-12, annex B).
fn brand(head: &[u8]) -> Content {
    let size = be32(head, 0).and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
    let major = array::<4>(head, 8);
    let compatible = head.get(16..size.min(head.len())).unwrap_or_default().chunks_exact(4);
    let brands: Vec<&[u8]> = major.iter().map(|brand| &brand[..]).chain(compatible).collect();
    let has = |wanted: &[&[u8; 4]]| brands.iter().any(|brand| wanted.iter().any(|name| *brand == &name[..]));
    let is = |wanted: &[&[u8; 4]]| major.is_some_and(|major| wanted.contains(&&major));
    if is(&[b"jxl "]) {
        Content::Image(Format::JpegXl)
    } else if is(&[b"jp2 ", b"jpx ", b"jpm ", b"jph "]) {
        Content::Image(Format::Jpeg2000)
    } else if is(&[b"crx "]) {
        Content::Other(OtherContent::CameraRaw)
    } else if is(&HEVC) {
        Content::Image(Format::Heic)
    } else if has(&[b"avif", b"avis"]) {
        Content::Image(Format::Avif)
    } else if has(&HEVC) || is(&[b"mif1", b"msf1"]) {
        Content::Image(Format::Heic)
    } else {
        Content::Other(OtherContent::Video)
    }
}

/// Whether bytes that are no markup look like text, in UTF-8 or UTF-16.
pub(super) fn looks_like_text(head: &[u8]) -> bool {
    let printable = |character: char| !character.is_control() || matches!(character, '\t' | '\n' | '\r' | '\x0C' | '\x1B');
    if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
        let little = u8_at(head, 0) == Some(0xFF);
        let units = head.get(2..).unwrap_or_default().chunks_exact(2);
        let units =
            units.filter_map(|pair| array(pair, 0).map(|pair| if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }));
        // A pair of surrogates may be cut at the end of the head.
        return char::decode_utf16(units).filter(|unit| !unit.as_ref().is_ok_and(|character| printable(*character))).count() <= 1;
    }
    let text = match std::str::from_utf8(head) {
        Ok(text) => Some(text),
        // Only the last character may be incomplete.
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
            head.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok())
        }
        Err(_) => None,
    };
    text.is_some_and(|text| text.chars().all(printable)) || is_latin_in_utf16(head)
}

/// UTF-16 without byte order mark, of Latin letters: every other byte is zero and the rest is printable ASCII.
fn is_latin_in_utf16(head: &[u8]) -> bool {
    let all = |zero: usize| {
        head.len() >= 8
            && head.chunks_exact(2).all(|pair| {
                let letter = pair.get(1 - zero).copied().unwrap_or(0);
                pair.get(zero) == Some(&0) && (letter.is_ascii_graphic() || letter.is_ascii_whitespace())
            })
    };
    all(0) || all(1)
}

/// Whether a 16-bit little-endian field at `at` is zero.
pub(super) fn zero16(head: &[u8], at: usize) -> bool {
    le16(head, at) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signature_is_known() {
        use OtherContent as Other;
        let image = Content::Image;
        let other = Content::Other;
        let tar = [&[b'x'; 257][..], b"ustar\0"].concat();
        for (head, content) in [
            (&b""[..], other(Other::Empty)),
            (&[0; 20], other(Other::Zeros)),
            (b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01", image(Format::Jpeg)),
            (b"\xFF\xD8\0\0\0\0\0\0\x01\0\0\0", other(Other::Unknown)),
            (b"\x89PNG\r\n\x1a\n\0\0\0\r", image(Format::Png)),
            (b"RIFF\0\0\0\0WEBP", image(Format::WebP)),
            (b"RIFF\0\0\0\0AVI ", other(Other::Video)),
            (b"RIFF\0\0\0\0WAVE", other(Other::Unknown)),
            (b"GIF87a\x01\0\x01\0\0\0", image(Format::Gif)),
            (b"GIF88a\x01\0\x01\0\0\0", other(Other::Unknown)),
            (b"BM\x46\0\0\0\0\0\0\0\x36\0", image(Format::Bmp)),
            (b"BMW is a maker of cars", other(Other::Text)),
            (b"II\x2a\0\x08\0\0\0\0\0\0\0", image(Format::Tiff)),
            (b"MM\0\x2b\0\x08\0\0\0\0\0\0", image(Format::Tiff)),
            (b"II\x2a\0\x10\0\0\0CR\x02\0", other(Other::CameraRaw)),
            (b"IIRO\x08\0\0\0\0\0\0\0", other(Other::CameraRaw)),
            (b"IIU\0\x18\0\0\0\0\0\0\0", other(Other::CameraRaw)),
            (b"FUJIFILMCCD-RAW 0201", other(Other::CameraRaw)),
            (b"\0\0\0\x18ftypcrx \0\0\0\x01crx isom", other(Other::CameraRaw)),
            (b"\0\0\0\x1cftypavif\0\0\0\0mif1miafavif", image(Format::Avif)),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", image(Format::Avif)),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", image(Format::Heic)),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", image(Format::Heic)),
            (b"\0\0\0\x18ftypisom\0\0\x02\0isomavc1", other(Other::Video)),
            (b"\0\0\0\x0CJXL \r\n\x87\n", image(Format::JpegXl)),
            (b"\xFF\x0A\xFA\x7F\0\0\0\0\0\0\0\0", image(Format::JpegXl)),
            (b"\0\0\0\x0CjP  \r\n\x87\n", image(Format::Jpeg2000)),
            (b"\xFF\x4F\xFF\x51\0\x29\0\0\0\0\0\0", image(Format::Jpeg2000)),
            (b"8BPS\0\x01\0\0\0\0\0\0", image(Format::Psd)),
            (b"qoif\0\0\0\x01\0\0\0\x01", image(Format::Qoi)),
            (b"P6\n1 1\n255\nabc", image(Format::Pnm)),
            (b"P7\nWIDTH 1\n", image(Format::Pnm)),
            (b"P6 is a chord", other(Other::Text)),
            (b"MMORPG screenshot", other(Other::Text)),
            (b"BZh91AY&SY....", other(Other::Archive)),
            (b"\x28\xB5\x2F\xFD\0\0\0\0\0\0\0\0", other(Other::Archive)),
            (b"7z\xBC\xAF\x27\x1C\0\x04\0\0\0\0", other(Other::Archive)),
            (b"Rar!\x1A\x07\x01\0\0\0\0\0", other(Other::Archive)),
            (b"\0\0\0\x14moov\0\0\0\0", other(Other::Video)),
            (b"\0\x05\x16\x07\0\x02\0\0Mac ", other(Other::AppleDouble)),
            (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0\0\0", other(Other::Ole2)),
            (b"PK\x03\x04\x14\0\0\0\0\0\0\0", other(Other::Zip)),
            (b"\x1F\x8B\x08\0\0\0\0\0\0\0\0\0", other(Other::Archive)),
            (b"\xFD7zXZ\0\0\0\0\0\0\0", other(Other::Archive)),
            (&tar, other(Other::Archive)),
            (b"%PDF-1.7\n%\xE2\xE3\xCF", other(Other::Pdf)),
            (b"\x1A\x45\xDF\xA3\x01\0\0\0\0\0\0\0", other(Other::Video)),
            (b"\x93NUMPY\x01\0\x76\0{'", other(Other::Npy)),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:", other(Other::GitLfsPointer)),
            (b"\xEF\xBB\xBFa photo of a caf\xC3", other(Other::Text)),
            (b"\xFF\xFEa\0 \0c\0a\0t\0", other(Other::Text)),
            (b"a\0 \0c\0a\0t\0", other(Other::Text)),
            (b"\x01\x02\x03\x04abcdefgh", other(Other::Unknown)),
        ] {
            assert_eq!(sniff(head), content, "{}", head.escape_ascii());
        }
    }
}
