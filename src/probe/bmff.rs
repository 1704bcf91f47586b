//! AVIF and HEIC headers: the primary item's properties (ISO/IEC 23008-12; AVIF 1.1).
//!
//! Pictures are not decoded; sizes are those that the properties state. An image sequence has its size and number of
//! frames in its track, which Pillow 13 (libavif) prefers where the file's first brand is `avis`.

use std::borrow::Cow;

use super::boxes::{boxes, first};
use super::cursor::{array, be_sized, be32, part_or_rest, u8_at};
use super::exif::Metadata;
use super::header::{bad, cut, plain, sized};
use super::items::{Items, Property};
use crate::model::{Fault, Format, Mode, Orientation, Probe};

/// Reads the header of an AVIF or HEIC.
pub(super) fn probe(bytes: &[u8], format: Format) -> Result<Probe, Fault> {
    let meta = boxes(bytes).find(|found| &found.kind == b"meta");
    let items = meta.and_then(|meta| Items::read(meta.data.get(4..)?));
    let sequence = if array(bytes, 8) == Some(*b"avis") || items.is_none() { track(bytes) } else { None };
    let properties = items.as_ref().map(Items::primary_properties).unwrap_or_default();
    let alpha = items.as_ref().is_some_and(|items| items.has_alpha) || sequence.is_some_and(|track| track.alpha);
    let stated = sequence.map(|track| (0, track.width, track.height)).or_else(|| {
        let ispe = properties.iter().find(|property| &property.kind == b"ispe")?;
        let at = meta.map_or(0, |meta| meta.at) + 4 + ispe.at;
        Some((at + 4, be32(ispe.data, 4)?, be32(ispe.data, 8)?))
    });
    let Some((at, width, height)) = stated else {
        let whole = meta.is_some_and(|meta| meta.data.len() >= 4) && items.is_some();
        return Err(if whole {
            bad(meta.map_or(0, |meta| meta.at), format!("the {format}'s primary picture has no size (no `ispe` property)"))
        } else {
            cut(bytes, format)
        });
    };
    let mode = match (alpha, is_gray(&properties)) {
        (true, _) => Mode::Rgba,
        (false, true) => Mode::L,
        (false, false) => Mode::Rgb,
    };
    let mut probe = plain(format, Some(mode), bit_depth(&properties), sized(at, width, height)?);
    if let Some(track) = sequence {
        (probe.variant, probe.frames) = ("sequence", track.frames.max(1));
    }
    probe.icc = properties.iter().any(|property| &property.kind == b"colr" && matches!(property.data.get(..4), Some(b"prof" | b"rICC")));
    let exif = items.as_ref().and_then(|items| items.exif(bytes));
    // The block begins behind a 32-bit offset.
    Metadata { exif: exif.and_then(|data| data.get(4..)).map(Cow::Borrowed), xmp: None }.describe(&mut probe);
    probe.orientation = orientation(&properties, probe.orientation);
    Ok(probe)
}

/// The orientation: that of the properties, whatever EXIF says (Pillow 13, `AvifImagePlugin.py`, `_open`).
fn orientation(properties: &[Property<'_>], in_exif: Option<Orientation>) -> Option<Orientation> {
    let field = |kind| property(properties, kind).and_then(|data| u8_at(data, 0));
    let (turns, mirror) = (field(*b"irot").map_or(0, |angle| angle & 3), field(*b"imir").map(|axis| axis & 1));
    // Pillow 13, `_avif.c`, `irot_imir_to_exif_orientation`; turns are by 90 degrees anticlockwise, before the mirror.
    let value = match (turns, mirror) {
        (0, None) => 1,
        (0, Some(1)) | (2, Some(0)) => 2,
        (2, None) => 3,
        (0 | 2, Some(_)) => 4,
        (1, Some(0)) | (3, Some(1)) => 5,
        (3, None) => 6,
        (_, Some(_)) => 7,
        (_, None) => 8,
    };
    if value == 1 && in_exif.is_none() { None } else { Orientation::new(value) }
}

/// The data of the first property of this kind.
fn property<'a>(properties: &[Property<'a>], kind: [u8; 4]) -> Option<&'a [u8]> {
    properties.iter().find(|property| property.kind == kind).map(|property| property.data)
}

/// Whether the codec's configuration says that there is no colour (AV1 in ISOBMFF, section 2.3; ISO/IEC 14496-15,
/// section 8.3.3). A picture made of tiles has none of its own and counts as coloured.
fn is_gray(properties: &[Property<'_>]) -> bool {
    let av1 = property(properties, *b"av1C").and_then(|config| u8_at(config, 2)).is_some_and(|flags| flags & 0x10 != 0);
    av1 || property(properties, *b"hvcC").and_then(|config| u8_at(config, 16)).is_some_and(|chroma| chroma.trailing_zeros() >= 2)
}

/// Bits per channel: of `pixi`, else of the codec's configuration.
fn bit_depth(properties: &[Property<'_>]) -> u8 {
    if let Some(depth) = property(properties, *b"pixi").and_then(|pixi| u8_at(pixi, 5)) {
        return depth;
    }
    if let Some(flags) = property(properties, *b"av1C").and_then(|config| u8_at(config, 2)) {
        return match (flags >> 6 & 1, flags >> 5 & 1) {
            (0, _) => 8,
            (_, 0) => 10,
            _ => 12,
        };
    }
    property(properties, *b"hvcC").and_then(|config| u8_at(config, 17)).map_or(0, |luma| (luma & 7) + 8)
}

/// The picture track of a sequence.
#[derive(Clone, Copy)]
struct Track {
    width: u32,
    height: u32,
    frames: u32,
    alpha: bool,
}

/// The first track whose handler is `pict` or `vide`.
fn track(bytes: &[u8]) -> Option<Track> {
    let movie = first(bytes, *b"moov")?;
    let handler = |track: &[u8]| first(first(track, *b"mdia")?, *b"hdlr").and_then(|handler| array::<4>(handler, 8));
    let mut tracks = boxes(movie).filter(|found| &found.kind == b"trak").map(|found| found.data);
    let alpha = tracks.clone().any(|track| handler(track) == Some(*b"auxv"));
    let track = tracks.find(|track| matches!(handler(track), Some([b'p', b'i', b'c', b't'] | [b'v', b'i', b'd', b'e'])))?;
    let header = first(track, *b"tkhd")?;
    // Sides are the last fields, 16.16 fixed point.
    let sides = header.len().checked_sub(8)?;
    let (width, height) = (be32(header, sides)? >> 16, be32(header, sides + 4)? >> 16);
    let table = first(first(first(track, *b"mdia")?, *b"minf")?, *b"stbl")?;
    let frames = be32(first(table, *b"stsz")?, 8)?;
    Some(Track { width, height, frames, alpha })
}

/// The bytes of an extent in the file, as `iloc` gives them.
pub(super) fn extent(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let (offset, length) = (usize::try_from(offset).ok()?, usize::try_from(length).ok()?);
    Some(part_or_rest(bytes, offset, if length == 0 { usize::MAX } else { length })).filter(|data| !data.is_empty())
}

/// A number at `at`, which is moved behind it.
pub(super) fn step(bytes: &[u8], at: &mut usize, width: usize) -> Option<u64> {
    let number = be_sized(bytes, *at, width)?;
    *at += width;
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FaultKind, Size};

    fn boxed(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
        [&u32::try_from(data.len() + 8).unwrap().to_be_bytes()[..], &kind, data].concat()
    }

    fn full(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
        boxed(kind, &[&[0; 4], data].concat())
    }

    /// A file whose item 1 is primary and has all these properties.
    fn avif(properties: &[Vec<u8>]) -> Vec<u8> {
        let count = u8::try_from(properties.len()).unwrap();
        associated(properties, &[&[0, 0, 0, 1, 0, 1, count][..], &(1..=count).collect::<Vec<_>>()].concat())
    }

    /// A file whose item 1 is primary, with this table of associations.
    fn associated(properties: &[Vec<u8>], table: &[u8]) -> Vec<u8> {
        let iprp = boxed(*b"iprp", &[boxed(*b"ipco", &properties.concat()), full(*b"ipma", table)].concat());
        let infe = boxed(*b"infe", b"\x02\0\0\0\0\x01\0\0av01\0");
        let iinf = full(*b"iinf", &[&[0, 1][..], &infe].concat());
        let meta = full(*b"meta", &[full(*b"pitm", &[0, 1]), iinf, iprp].concat());
        [boxed(*b"ftyp", b"avif\0\0\0\0avif"), meta].concat()
    }

    fn ispe() -> Vec<u8> {
        full(*b"ispe", &[0, 0, 0, 40, 0, 0, 0, 30])
    }

    #[test]
    fn the_primary_items_properties_are_read() {
        let bytes = avif(&[ispe(), full(*b"pixi", &[3, 10, 10, 10]), boxed(*b"colr", b"prof..."), boxed(*b"irot", &[3])]);
        let probe = probe(&bytes, Format::Avif).expect("a header");
        assert_eq!((probe.size, probe.bit_depth, probe.icc, probe.mode), (Size::new(40, 30), 10, true, Some(Mode::Rgb)));
        assert_eq!(probe.oriented_size(), Size::new(30, 40));
    }

    #[test]
    fn a_picture_without_colour_is_gray() {
        for (config, mode, depth) in [([0x81, 0, 0x1C, 0], Mode::L, 8), ([0x81, 0, 0x4C, 0], Mode::Rgb, 10)] {
            let probe = probe(&avif(&[ispe(), boxed(*b"av1C", &config)]), Format::Avif).expect("a header");
            assert_eq!((probe.mode, probe.bit_depth), (Some(mode), depth));
        }
    }

    #[test]
    fn an_item_that_is_auxiliary_alpha_makes_the_picture_transparent() {
        let aux = full(*b"auxC", b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0");
        let bytes = associated(&[ispe(), aux], &[0, 0, 0, 2, 0, 1, 1, 1, 0, 2, 1, 2]);
        assert_eq!(probe(&bytes, Format::Avif).map(|probe| (probe.mode, probe.size)), Ok((Some(Mode::Rgba), Size::new(40, 30))));
    }

    #[test]
    fn turns_and_mirrors_become_orientations() {
        for (turns, mirror, value) in
            [(1, None, 8), (2, None, 3), (3, None, 6), (0, Some(0), 4), (0, Some(1), 2), (1, Some(0), 5), (3, Some(0), 7)]
        {
            let mirror = mirror.map(|axis| boxed(*b"imir", &[axis])).unwrap_or_default();
            let probe = probe(&avif(&[ispe(), boxed(*b"irot", &[turns]), mirror]), Format::Avif).expect("a header");
            assert_eq!(probe.orientation.map(Orientation::value), Some(value));
        }
        assert_eq!(probe(&avif(&[ispe()]), Format::Avif).map(|probe| probe.orientation), Ok(None));
    }

    #[test]
    fn a_file_without_a_size_is_a_fault() {
        assert_eq!(probe(&avif(&[]), Format::Avif).map_err(|fault| fault.kind), Err(FaultKind::BadHeader));
        assert_eq!(probe(&avif(&[ispe()])[..40], Format::Avif).map_err(|fault| fault.kind), Err(FaultKind::Truncated));
    }
}
