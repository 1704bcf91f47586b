//! JPEG and MPO headers: the marker segments up to the first scan (ITU-T T.81, annex B).
//!
//! Walks the markers as Pillow 13 does (`JpegImagePlugin.py`, `JpegImageFile._open`). Scans are not read.

use std::borrow::Cow;

use super::cursor::{be16, find, part_or_rest, u8_at};
use super::exif::Metadata;
use super::header::{bad, cut, plain, sized};
use super::mpf;
use crate::model::{Fault, FaultKind, Format, Mode, Probe};

/// A frame header (SOF), the last one before the scan.
#[derive(Clone, Copy)]
struct Frame {
    at: usize,
    marker: u8,
    bits: u8,
    height: u16,
    width: u16,
    components: u8,
}

/// What the segments before the scan say.
#[derive(Default)]
struct Segments<'a> {
    frame: Option<Frame>,
    /// Where the scan begins.
    scan: Option<usize>,
    /// The `transform` byte of the Adobe segment.
    adobe: Option<u8>,
    icc: bool,
    mpf: Option<&'a [u8]>,
    ultra_hdr: bool,
    metadata: Metadata<'a>,
}

/// Reads the header of a JPEG or MPO.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    let segments = walk(bytes)?;
    let Some(frame) = segments.frame else {
        return Err(match segments.scan {
            Some(at) => bad(at, "the JPEG's scan comes before its frame header, so that it has no size"),
            None => Fault::at(FaultKind::Truncated, bytes.len(), "the JPEG ends before its frame header, so that it has no size"),
        });
    };
    let size = sized(frame.at + 5, frame.width, frame.height)?;
    let mode = match frame.components {
        _ if frame.bits != 8 => None,
        1 => Some(Mode::L),
        3 => Some(Mode::Rgb),
        4 => Some(Mode::Cmyk),
        _ => None,
    };
    let mut probe = plain(Format::Jpeg, mode, frame.bits, size);
    probe.variant = variant(frame, segments.adobe);
    probe.icc = segments.icc;
    segments.metadata.describe(&mut probe);
    // Pillow 13 takes Ultra HDR files, which have a gain map as second picture, for plain JPEGs (`jpeg_factory`).
    if !segments.ultra_hdr
        && let Some(pictures) = segments.mpf.and_then(mpf::pictures)
        && pictures > 1
    {
        probe.format = Format::Mpo;
        probe.frames = pictures;
    }
    Ok(probe)
}

fn walk(bytes: &[u8]) -> Result<Segments<'_>, Fault> {
    let mut segments = Segments::default();
    let mut at = 2;
    while let Some(marker) = marker_at(bytes, &mut at) {
        // TEM, RSTn, SOI and EOI stand alone; Pillow takes the reserved JPG and JPGn for such too.
        if matches!(marker, 0x01 | 0xC8 | 0xD0..=0xD9 | 0xF0..=0xFD) {
            at += 2;
            continue;
        }
        if marker == 0xDA {
            segments.scan = Some(at);
            break;
        }
        let Some(length) = be16(bytes, at + 2) else { break };
        // A length below 2 is wrong; Pillow goes on behind it.
        let body = part_or_rest(bytes, at + 4, usize::from(length).saturating_sub(2));
        match marker {
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xCC) => {
                segments.frame = Some(frame(at, marker, body).ok_or_else(|| {
                    if at + 2 + usize::from(length) > bytes.len() {
                        cut(bytes, Format::Jpeg)
                    } else {
                        bad(at, format!("the JPEG's frame header has {length} bytes, too few for a size"))
                    }
                })?);
            }
            0xE1 => segments.app1(body),
            0xE2 if body.starts_with(b"ICC_PROFILE\0") => segments.icc = true,
            0xE2 => segments.mpf = body.strip_prefix(b"MPF\0").or(segments.mpf),
            0xEE if body.starts_with(b"Adobe") => segments.adobe = u8_at(body, 11).or(segments.adobe),
            _ => {}
        }
        at += 4 + usize::from(length).saturating_sub(2);
    }
    Ok(segments)
}

/// The next marker at or behind `at`, which is moved to its 0xFF; junk, fill bytes and stuffed zeros are passed over.
fn marker_at(bytes: &[u8], at: &mut usize) -> Option<u8> {
    loop {
        match (u8_at(bytes, *at)?, u8_at(bytes, *at + 1)?) {
            (0xFF, 0xFF) => *at += 1,
            (0xFF, 0x00) => *at += 2,
            (0xFF, marker) => return Some(marker),
            _ => *at += 1,
        }
    }
}

fn frame(at: usize, marker: u8, body: &[u8]) -> Option<Frame> {
    Some(Frame { at, marker, bits: u8_at(body, 0)?, height: be16(body, 1)?, width: be16(body, 3)?, components: u8_at(body, 5)? })
}

impl<'a> Segments<'a> {
    fn app1(&mut self, body: &'a [u8]) {
        self.ultra_hdr |= find(body, b" hdrgm:Version=\"").is_some();
        if let Some(more) = body.strip_prefix(b"Exif\0\0") {
            // A block larger than one segment goes on in the next.
            match &mut self.metadata.exif {
                Some(block) => block.to_mut().extend_from_slice(more),
                None => self.metadata.exif = Some(Cow::Borrowed(body)),
            }
        } else if let Some(packet) = body.strip_prefix(b"http://ns.adobe.com/xap/1.0/\0") {
            self.metadata.xmp = Some(Cow::Borrowed(packet));
        }
    }
}

/// Four components are CMYK, or YCCK where the Adobe segment says so (Adobe Technical Note 5116, section 18).
fn variant(frame: Frame, adobe: Option<u8>) -> &'static str {
    let inks = usize::from(frame.components == 4) + usize::from(frame.components == 4 && adobe == Some(2));
    let names = match frame.marker {
        0xC0 => ["", "CMYK", "YCCK"],
        0xC1 => ["extended", "extended CMYK", "extended YCCK"],
        0xC2 => ["progressive", "progressive CMYK", "progressive YCCK"],
        0xC3 => ["lossless", "lossless CMYK", "lossless YCCK"],
        0xC9 => ["arithmetic", "arithmetic CMYK", "arithmetic YCCK"],
        0xCA => ["arithmetic progressive", "arithmetic progressive CMYK", "arithmetic progressive YCCK"],
        0xCB => ["arithmetic lossless", "arithmetic lossless CMYK", "arithmetic lossless YCCK"],
        0xCD..=0xCF => ["arithmetic hierarchical"; 3],
        _ => ["hierarchical"; 3],
    };
    names.get(inks).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Exif, Orientation, Size};
    use crate::probe::mpf::tests::index;

    fn segment(marker: u8, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(body.len() + 2).unwrap().to_be_bytes();
        [&[0xFF, marker], &length[..], body].concat()
    }

    fn sof(marker: u8, bits: u8, components: u8) -> Vec<u8> {
        let mut body = vec![bits, 0, 48, 0, 64, components];
        body.extend((0..components).flat_map(|id| [id, 0x11, 0]));
        segment(marker, &body)
    }

    fn jpeg(segments: &[Vec<u8>]) -> Vec<u8> {
        [&[0xFF, 0xD8][..], &segments.concat(), &segment(0xDA, &[0; 10])].concat()
    }

    #[test]
    fn kinds_and_colours_are_told_apart() {
        for (marker, bits, components, adobe, variant, mode) in [
            (0xC0, 8, 3, None, "", Some(Mode::Rgb)),
            (0xC0, 8, 1, None, "", Some(Mode::L)),
            (0xC1, 12, 3, None, "extended", None),
            (0xC2, 8, 3, Some(1), "progressive", Some(Mode::Rgb)),
            (0xC3, 8, 1, None, "lossless", Some(Mode::L)),
            (0xC0, 8, 4, Some(0), "CMYK", Some(Mode::Cmyk)),
            (0xC2, 8, 4, Some(2), "progressive YCCK", Some(Mode::Cmyk)),
            (0xC9, 8, 3, None, "arithmetic", Some(Mode::Rgb)),
            (0xCE, 8, 3, None, "arithmetic hierarchical", Some(Mode::Rgb)),
            (0xC0, 8, 2, None, "", None),
        ] {
            let app14 = adobe.map(|transform| segment(0xEE, &[&b"Adobe\0\x64\0\0\0\0"[..], &[transform]].concat()));
            let probe = probe(&jpeg(&[app14.unwrap_or_default(), sof(marker, bits, components)])).expect("a header");
            assert_eq!((probe.variant, probe.mode, probe.bit_depth), (variant, mode, bits), "SOF {marker:x}");
            assert_eq!(probe.size, Size::new(64, 48));
        }
    }

    #[test]
    fn exif_in_two_segments_is_one_block() {
        let block = b"Exif\0\0II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let (first, second) = block.split_at(20);
        let second = [&b"Exif\0\0"[..], second].concat();
        let probe = probe(&jpeg(&[segment(0xE1, first), segment(0xE1, &second), sof(0xC0, 8, 3)])).expect("a header");
        assert_eq!((probe.orientation.map(Orientation::value), probe.exif), (Some(6), Exif::Read));
    }

    #[test]
    fn two_pictures_make_an_mpo_unless_the_second_is_a_gain_map() {
        let app2 = segment(0xE2, &[&b"MPF\0"[..], &index(2)].concat());
        let mpo = probe(&jpeg(&[app2.clone(), sof(0xC0, 8, 3)])).expect("a header");
        assert_eq!((mpo.format, mpo.frames), (Format::Mpo, 2));
        let hdr = segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x hdrgm:Version=\"1.0\"/>");
        let jpeg = probe(&jpeg(&[hdr, app2, sof(0xC0, 8, 3)])).expect("a header");
        assert_eq!((jpeg.format, jpeg.frames), (Format::Jpeg, 1));
    }

    #[test]
    fn junk_and_fill_bytes_between_segments_are_passed_over() {
        let probe = probe(&jpeg(&[vec![0, 1, 0xFF, 0, 0xFF, 0xF3, 0xFF, 0xFF], segment(0xE2, b"ICC_PROFILE\0\x01\x01"), sof(0xC0, 8, 3)]));
        assert!(probe.is_ok_and(|probe| probe.icc));
    }

    #[test]
    fn headers_without_a_size_are_faults() {
        let kind = |bytes: &[u8]| probe(bytes).map_err(|fault| (fault.kind, fault.offset));
        assert_eq!(kind(&[0xFF, 0xD8, 0xFF]), Err((FaultKind::Truncated, Some(3))));
        assert_eq!(kind(&jpeg(&[])), Err((FaultKind::BadHeader, Some(2))));
        assert_eq!(kind(&[0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0, 1]), Err((FaultKind::Truncated, Some(9))));
        assert_eq!(kind(&jpeg(&[segment(0xC0, &[8, 0])])), Err((FaultKind::BadHeader, Some(2))));
        assert_eq!(kind(&jpeg(&[segment(0xC0, &[8, 0, 0, 0, 1, 3])])), Err((FaultKind::BadHeader, Some(7))));
    }
}
