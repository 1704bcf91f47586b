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
        Content::Other(OtherContent::Unknown) => {
            Err(Fault::new(FaultKind::NotAnImage, "the file begins like no image format that is known here"))
        }
        Content::Other(other) => {
            Err(Fault::new(FaultKind::NotAnImage, format!("the file is no image: its content is {}", other.description())))
        }
    }
}

/// [`sniff`](super::sniff) for a whole file, which knows the end of the file too.
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
        Format::Avif | Format::Heic => bmff::probe(bytes, format),
        Format::JpegXl => jxl::probe(bytes),
        Format::Jpeg2000 => jpeg2000::probe(bytes),
        Format::Svg => markup::probe_svg(bytes),
        Format::Ico => ico::probe(bytes),
        Format::Tga => tga::probe(bytes),
        Format::Pnm => pnm::probe(bytes),
        Format::Psd => other::probe_psd(bytes),
        Format::Qoi => other::probe_qoi(bytes),
    }
}
