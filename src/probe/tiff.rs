//! TIFF and `BigTIFF` headers: the first directory, and how many follow.
//!
//! Tags are judged as Pillow 13 judges them (`TiffImagePlugin.py`, `_setup`). Strips and tiles are not read.

use std::borrow::Cow;
use std::collections::HashSet;

use super::exif::{EXIF_POINTER, GPS_POINTER, ORIENTATION, orientation_of_xmp};
use super::header::{bad, cut, plain, sized};
use super::ifd::{Ifd, Preamble, next_of};
use super::tiff_mode::{Layout, mode};
use crate::model::{Exif, Fault, FaultKind, Format, Mode, Orientation, Probe};

const WIDTH: u16 = 256;
const HEIGHT: u16 = 257;
const BITS: u16 = 258;
const COMPRESSION: u16 = 259;
const PHOTOMETRIC: u16 = 262;
const FILL_ORDER: u16 = 266;
const SAMPLES: u16 = 277;
const PLANAR: u16 = 284;
const EXTRA: u16 = 338;
const SAMPLE_FORMAT: u16 = 339;
const XMP: u16 = 700;
const ICC: u16 = 34_675;

const WANTED: [u16; 15] = [
    WIDTH,
    HEIGHT,
    BITS,
    COMPRESSION,
    PHOTOMETRIC,
    FILL_ORDER,
    ORIENTATION,
    SAMPLES,
    PLANAR,
    EXTRA,
    SAMPLE_FORMAT,
    XMP,
    ICC,
    EXIF_POINTER,
    GPS_POINTER,
];

/// Most samples per pixel that Pillow reads (`MAX_SAMPLESPERPIXEL`).
const MAX_SAMPLES: usize = 6;

/// Most directories that are counted; a file with more is counted as having this many.
const MAX_FRAMES: usize = 65_536;

/// Old-style JPEG compression, whose pictures "most certainly are YCbCr" (Pillow).
const OLD_JPEG: u64 = 6;
/// `PhotometricInterpretation`: YCbCr.
const YCBCR: u64 = 6;

/// Reads the header of a TIFF.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    let preamble = Preamble::read(bytes).ok_or_else(|| cut(bytes, Format::Tiff))?;
    let first = usize::try_from(preamble.first).unwrap_or(usize::MAX);
    let ifd = Ifd::read(bytes, preamble, preamble.first, &WANTED);
    let (Some(width), Some(height)) = (ifd.number(WIDTH), ifd.number(HEIGHT)) else {
        return Err(if ifd.broken {
            cut_directory(bytes, first)
        } else {
            bad(first, "the TIFF's first directory has no width and height")
        });
    };
    let size = sized(first, width, height)?;
    let pixels = layout(&ifd, preamble);
    let mode = pixels.as_ref().and_then(|layout| picture_mode(layout, &ifd));
    let depth = ifd.wanted.get(&BITS).map_or(1, |bits| bits.number().unwrap_or(0));
    let mut probe = plain(Format::Tiff, mode, u8::try_from(depth).unwrap_or(0), size);
    probe.variant = if preamble.big { "BigTIFF" } else { "" };
    probe.frames = frames(bytes, preamble, ifd.next);
    probe.icc = ifd.wanted.contains_key(&ICC);
    probe.orientation = orientation(&ifd);
    probe.exif = exif_state(bytes, preamble, &ifd);
    Ok(probe)
}

/// A first directory that lies past the end, or reaches past it, or whose values do.
fn cut_directory(bytes: &[u8], first: usize) -> Fault {
    let length = bytes.len();
    Fault::at(FaultKind::Truncated, length, format!("the TIFF's directory at byte {first} does not fit in the file's {length} bytes"))
}

/// What the tags say of the pixels; `None` where Pillow finds that they contradict each other.
fn layout(ifd: &Ifd<'_>, preamble: Preamble) -> Option<Layout> {
    let compression = ifd.number(COMPRESSION).unwrap_or(1);
    let photometric = if compression == OLD_JPEG { YCBCR } else { ifd.number(PHOTOMETRIC).unwrap_or(0) };
    // One more than the most, so that too many are noticed without reading them all.
    let list = |tag: u16| ifd.wanted.get(&tag).map(|entry| entry.numbers(MAX_SAMPLES + 1));
    let mut sample_format = list(SAMPLE_FORMAT).unwrap_or_else(|| vec![1]);
    if let Some(&format) = sample_format.first()
        && sample_format.iter().all(|other| *other == format)
    {
        sample_format.truncate(1);
    }
    let mut bits = list(BITS).unwrap_or_else(|| vec![1]);
    let mut extra = list(EXTRA).unwrap_or_default();
    let usual = if compression == OLD_JPEG { 3 } else { 1 };
    let mut samples = usize::try_from(ifd.number(SAMPLES).unwrap_or(usual)).ok()?;
    if ifd.number(PLANAR) == Some(2) && !extra.is_empty() && extra.iter().all(|kind| *kind == 0) {
        // Planes of unspecified extra samples at the end are not looked at.
        bits.truncate(bits.len().saturating_sub(extra.len()));
        samples = samples.checked_sub(extra.len())?;
        extra.clear();
    }
    if samples > MAX_SAMPLES {
        return None;
    }
    match (bits.as_slice(), samples) {
        ([one], _) if samples > 1 => bits = vec![*one; samples],
        _ => bits.truncate(samples),
    }
    let fill_order = ifd.number(FILL_ORDER).unwrap_or(1);
    (bits.len() == samples).then_some(Layout { order: preamble.order, photometric, sample_format, fill_order, bits, extra })
}

/// The mode; libtiff, which Pillow reads compressed files with, gives RGB for YCbCr.
fn picture_mode(layout: &Layout, ifd: &Ifd<'_>) -> Option<Mode> {
    let compressed = ifd.number(COMPRESSION).unwrap_or(1) != 1;
    mode(layout).map(|mode| if compressed && layout.photometric == YCBCR { Mode::Rgb } else { mode })
}

/// The orientation of the first directory, else that of its XMP packet.
fn orientation(ifd: &Ifd<'_>) -> Option<Orientation> {
    let value = match ifd.wanted.get(&ORIENTATION) {
        Some(entry) => entry.number().filter(|_| entry.is_numeric()).and_then(|value| u32::try_from(value).ok()),
        None => orientation_of_xmp(ifd.wanted.get(&XMP)?.data()),
    };
    value.and_then(Orientation::new)
}

/// A TIFF is an EXIF block itself; what can be malformed are the directories that hang from the first.
fn exif_state(bytes: &[u8], preamble: Preamble, ifd: &Ifd<'_>) -> Exif {
    let pointers = [EXIF_POINTER, GPS_POINTER].map(|tag| ifd.wanted.get(&tag));
    let mut state = Exif::Absent;
    for pointer in pointers.into_iter().flatten() {
        state = Exif::Read;
        let words: Cow<'static, str> = match pointer.number().map(|at| Ifd::read(bytes, preamble, at, &[])) {
            None => "the pointer to a directory is no offset".into(),
            Some(child) if child.broken => "a directory or a value in it lies past the end of the file".into(),
            Some(_) => continue,
        };
        return Exif::Malformed(words.into_owned());
    }
    state
}

/// Number of directories in the chain, which ends where one leads back to another or lies past the end.
fn frames(bytes: &[u8], preamble: Preamble, second: u64) -> u32 {
    let mut seen = HashSet::from([preamble.first]);
    let mut next = second;
    while next != 0 && seen.len() < MAX_FRAMES && seen.insert(next) {
        next = next_of(bytes, preamble, next).unwrap_or(0);
    }
    u32::try_from(seen.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Size;

    /// A little-endian TIFF of one directory; `next` is its link.
    fn tiff(entries: &[(u16, u16, u32, u32)], next: u32) -> Vec<u8> {
        let mut bytes = b"II\x2a\0\x08\0\0\0".to_vec();
        bytes.extend(u16::try_from(entries.len()).unwrap().to_le_bytes());
        for (tag, kind, count, value) in entries {
            bytes.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
            bytes.extend([count.to_le_bytes(), value.to_le_bytes()].concat());
        }
        bytes.extend(next.to_le_bytes());
        bytes
    }

    const SIDES: [(u16, u16, u32, u32); 2] = [(WIDTH, 3, 1, 6), (HEIGHT, 4, 1, 9)];

    fn with(more: &[(u16, u16, u32, u32)]) -> Vec<u8> {
        tiff(&[&SIDES[..], more].concat(), 0)
    }

    #[test]
    fn defaults_are_those_of_the_standard() {
        let probe = probe(&with(&[])).expect("a header");
        assert_eq!((probe.mode, probe.bit_depth, probe.size, probe.frames), (Some(Mode::Bilevel), 1, Size::new(6, 9), 1));
    }

    #[test]
    fn the_size_is_as_stored_and_the_orientation_turns_it() {
        let probe = probe(&with(&[(ORIENTATION, 3, 1, 6)])).expect("a header");
        assert_eq!((probe.size, probe.oriented_size()), (Size::new(6, 9), Size::new(9, 6)));
    }

    #[test]
    fn one_bit_depth_stands_for_all_samples() {
        let rgb = [(BITS, 3, 1, 8), (PHOTOMETRIC, 3, 1, 2), (SAMPLES, 3, 1, 3)];
        assert_eq!(probe(&with(&rgb)).map(|probe| probe.mode), Ok(Some(Mode::Rgb)));
    }

    #[test]
    fn compressed_ycbcr_is_rgb() {
        let ycbcr = [(BITS, 3, 1, 8), (COMPRESSION, 3, 1, 7), (PHOTOMETRIC, 3, 1, 6), (SAMPLES, 3, 1, 3)];
        assert_eq!(probe(&with(&ycbcr)).map(|probe| probe.mode), Ok(Some(Mode::Rgb)));
        assert_eq!(probe(&with(&[ycbcr[0], ycbcr[2], ycbcr[3]])).map(|probe| probe.mode), Ok(Some(Mode::YCbCr)));
    }

    #[test]
    fn directories_that_lead_back_end_the_chain() {
        assert_eq!(probe(&tiff(&SIDES, 8)).map(|probe| probe.frames), Ok(1));
        let mut two = tiff(&SIDES, 38);
        two.extend([0, 0, 8, 0, 0, 0]);
        assert_eq!(probe(&two).map(|probe| probe.frames), Ok(2));
    }

    #[test]
    fn a_wild_exif_pointer_is_malformed_exif() {
        let probe = probe(&with(&[(EXIF_POINTER, 4, 1, 0xffff_0000), (ORIENTATION, 3, 1, 3)])).expect("a header");
        assert!(matches!(probe.exif, Exif::Malformed(_)));
    }

    #[test]
    fn a_directory_without_size_is_a_bad_header_and_one_past_the_end_is_cut() {
        assert_eq!(probe(&tiff(&[], 0)).map_err(|fault| (fault.kind, fault.offset)), Err((FaultKind::BadHeader, Some(8))));
        assert_eq!(probe(b"II\x2a\0\xff\0\0\0").map_err(|fault| fault.kind), Err(FaultKind::Truncated));
        assert_eq!(probe(b"II\x2a\0\x08\0\0\0\x02").map_err(|fault| fault.kind), Err(FaultKind::Truncated));
    }
}
