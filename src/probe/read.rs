//! The choice of the reader for a file's content.

use super::{bmff, bmp, gif, ico, jpeg, jpeg2000, jxl, markup, other, png, pnm, sniff, tga, tiff, webp};
use crate::model::{Content, Fault, FaultKind, Format, OtherContent, Probe};

/// Reads the header and metadata of an image whose whole bytes are given.
///
/// The facts are what Pillow 13 shows after `Image.open`: a file that Pillow opens has the same format, mode, size and
/// number of frames here, and the orientation of `getexif()`. A file that Pillow refuses still has a probe if its header
/// can be read.
///
/// # Errors
///
/// [`FaultKind::Empty`] for no bytes, [`FaultKind::NotAnImage`] for other content, [`FaultKind::Truncated`] for a file that
/// ends inside its header, [`FaultKind::BadHeader`] for a header with impossible values. Offsets are bytes from the start.
pub fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    match content(bytes) {
        Content::Image(format) => read(format, bytes),
        Content::Other(OtherContent::Empty) => Err(Fault::new(FaultKind::Empty, "the file is empty (0 bytes)")),
        Content::Other(OtherContent::Unknown) => Err(Fault::new(FaultKind::NotAnImage, unknown(bytes))),
        Content::Other(other) => {
            Err(Fault::new(FaultKind::NotAnImage, format!("the file is no image: its content is {}", other.description())))
        }
    }
}

/// [`sniff()`](sniff::sniff) for a whole file, which knows the end of the file too.
fn content(bytes: &[u8]) -> Content {
    let head = bytes.get(..sniff::SNIFF_BYTES).unwrap_or(bytes);
    match sniff::sniff(head) {
        Content::Other(OtherContent::Zeros) if bytes.iter().any(|byte| *byte != 0) => Content::Other(OtherContent::Unknown),
        Content::Other(OtherContent::Unknown) if tga::has_footer(bytes) => Content::Image(Format::Tga),
        content => content,
    }
}

fn read(format: Format, bytes: &[u8]) -> Result<Probe, Fault> {
    match format {
        Format::Jpeg | Format::Mpo => jpeg::probe(bytes),
        Format::Png => png::probe(bytes),
        Format::WebP => webp::probe(bytes),
        Format::Gif => gif::probe(bytes),
        Format::Bmp => bmp::probe(bytes),
        Format::Tiff => tiff::probe(bytes),
        Format::Avif => bmff::probe(bytes, format),
        Format::Heic => bmff::probe(bytes, format).map_err(|fault| no_decoder(format, &fault)),
        Format::JpegXl => jxl::probe(bytes).map_err(|fault| no_decoder(format, &fault)),
        Format::Jpeg2000 => jpeg2000::probe(bytes),
        Format::Svg => markup::probe_svg(bytes).map_err(|fault| no_decoder(format, &fault)),
        Format::Ico => ico::probe(bytes),
        Format::Tga => tga::probe(bytes),
        Format::Pnm => pnm::probe(bytes),
        Format::Psd => other::probe_psd(bytes),
        Format::Qoi => other::probe_qoi(bytes),
    }
}

/// That a file of a kind which loaders do not decode anyway has no readable header matters less than its kind.
fn no_decoder(format: Format, fault: &Fault) -> Fault {
    Fault { kind: FaultKind::NoDecoder, offset: fault.offset, detail: format!("the content is {format}, and {}", fault.detail) }
}

/// Words for bytes that begin like nothing known; a signature that is damaged in one place is worth naming.
fn unknown(bytes: &[u8]) -> String {
    match bytes {
        [0xFF, 0xD8, third, ..] => format!("the file begins almost like a JPEG, but its third byte is {third:02x} instead of ff"),
        [_, b'P', b'N', b'G', ..] | [_, _, _, _, b'\r', b'\n', 0x1A, b'\n', ..] => {
            "the file begins almost like a PNG, but its signature is damaged".to_owned()
        }
        [b'B', b'A', _, _, _, _, _, _, _, _, _, _, _, _, b'B', b'M', ..] => {
            "the file is an array of OS/2 bitmaps, which no loader reads".to_owned()
        }
        _ => "the file begins like no image format that is known here".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(bytes: &[u8]) -> (FaultKind, String) {
        let fault = probe(bytes).unwrap_err();
        (fault.kind, fault.detail)
    }

    #[test]
    fn other_content_is_named() {
        assert_eq!(fault(b""), (FaultKind::Empty, "the file is empty (0 bytes)".to_owned()));
        assert_eq!(fault(&[0; 5000]), (FaultKind::NotAnImage, "the file is no image: its content is only zero bytes".to_owned()));
        assert_eq!(fault(b"<html>"), (FaultKind::NotAnImage, "the file is no image: its content is an HTML page".to_owned()));
    }

    #[test]
    fn zeros_at_the_start_are_not_all_zeros() {
        let mut bytes = vec![0; 5000];
        bytes.push(1);
        assert_eq!(fault(&bytes).1, "the file begins like no image format that is known here");
    }

    #[test]
    fn a_damaged_signature_is_named() {
        assert_eq!(fault(b"\xFF\xD8\0\xE0\0\x10JFIF").1, "the file begins almost like a JPEG, but its third byte is 00 instead of ff");
        assert_eq!(fault(b"\x89\0NG\r\n\x1a\n\0\0\0\rIHDR").1, "the file begins almost like a PNG, but its signature is damaged");
    }
}
