//! TIFF: the first page. Pillow's way of opening is followed step by step; pixels come from the `image` crate.
//!
//! Uncompressed data is judged as Pillow's own loader reads it. Compressed data goes through libtiff in Pillow, which
//! forgives some things that `image` does not and the other way round; where the two may differ the verdict is unknown.

mod deflate;
mod ifd;
mod layouts;
mod pillow;

use super::reduce::share_of;
use super::{Limits, MAX_PIXELS, Reading, contain_panics, generic};
use crate::model::{Blame, Fault, FaultKind, Format, Stage, Strict, Verdict};
use ifd::{Directory, Header};
use pillow::Opened;

/// Values of the tag `Compression` (TIFF 6.0, section 8 and later; Adobe's supplement for deflate).
const LZW: i64 = 5;
const JPEG: i64 = 7;
const DEFLATE: i64 = 8;
const PACKBITS: i64 = 32773;
const OLD_DEFLATE: i64 = 32946;

/// The tag `TileOffsets`, which only tiled pictures have.
const TILE_OFFSETS: u16 = 324;

/// Reads a TIFF.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Reading {
    let header = ifd::read(bytes);
    let opened = pillow::open(&header);
    if let Err(refusal) = &opened
        && let Some("DecompressionBombError") = refusal.refusal().map(|refusal| refusal.class)
    {
        let fault = Fault::new(FaultKind::TooManyPixels, format!("more than {MAX_PIXELS} pixels"));
        return Reading {
            pillow: refusal.clone(),
            strict: Strict::Error(fault),
            ..Reading::unknown(Fault::new(FaultKind::TooManyPixels, ""))
        };
    }
    // Some tiled planar files make `image` 0.25 panic; what Pillow does with them is known all the same.
    let decoded = contain_panics(|| generic::decode(bytes, Format::Tiff, limits)).unwrap_or_else(Err);
    let (missing, present) = match &header {
        Header::Present(directory) => parts_beyond_the_end(directory, bytes.len()),
        Header::Absent | Header::Unreachable => (0, 0),
    };
    let (pillow, lost) = match &opened {
        Err(refusal) => (refusal.clone(), share_of(missing, missing + present)),
        Ok(opened) if opened.is_raw() => opened.load_raw(bytes),
        Ok(opened) => {
            let verdict = load_compressed(bytes, &header, opened, decoded.as_ref().err(), missing, limits);
            (verdict, share_of(missing, missing + present))
        }
    };
    let strict = match &decoded {
        Ok(_) if lost > 0.0 => Strict::Damaged { fault: cut(bytes.len()), lost: Some(lost) },
        // `image` forgives a broken end in JPEG data, and leaves parts of deflated tiles unread.
        Ok(_) if matches!(&opened, Ok(opened) if opened.compression == JPEG) => {
            Strict::Unknown(Fault::new(FaultKind::NoDecoder, "there is no strict decoder for JPEG inside TIFF here"))
        }
        Ok(_) if pillow.refusal().is_some_and(|refusal| refusal.stage == Stage::Load) => {
            Strict::Damaged { fault: Fault::new(FaultKind::Corrupt, "a strip or tile does not hold all its bytes"), lost: None }
        }
        Ok(_) => Strict::Whole,
        Err(fault) if fault.kind.blame() != Blame::File => Strict::Unknown(fault.clone()),
        Err(_) if lost > 0.0 && lost < 1.0 => Strict::Damaged { fault: cut(bytes.len()), lost: Some(lost) },
        Err(fault) => Strict::Error(fault.clone()),
    };
    let picture = decoded.ok().and_then(|image| generic::reduce(&image));
    Reading { pillow, opencv: Verdict::Unknown, strict, picture, trailing: None }
}

fn cut(at: usize) -> Fault {
    Fault::at(FaultKind::Truncated, at, "the data ends before the last strip or tile does")
}

/// Pillow's verdict on compressed data, where one can be known.
fn load_compressed(bytes: &[u8], header: &Header<'_>, opened: &Opened, fault: Option<&Fault>, missing: u64, limits: &Limits) -> Verdict {
    let Header::Present(directory) = header else { return Verdict::Unknown };
    let refused = || Verdict::refuses_load("OSError", "decoder error -2");
    match (fault, opened.compression) {
        (_, LZW | DEFLATE | PACKBITS | OLD_DEFLATE) if missing > 0 => refused(),
        (_, DEFLATE | OLD_DEFLATE) => match inflates(bytes, directory, opened, limits) {
            Some(true) if fault.is_none() => Verdict::Ok,
            Some(false) => refused(),
            _ => Verdict::Unknown,
        },
        // `image` leaves the rest of a tile unread where it reaches beyond the picture.
        (None, LZW | PACKBITS) if !directory.has(TILE_OFFSETS) => Verdict::Ok,
        // JPEG inside TIFF is read leniently by `image`, and old-style JPEG and most fax codes not at all.
        _ => Verdict::Unknown,
    }
}

/// Whether every deflated strip or tile holds all its bytes; `None` where it cannot be told.
fn inflates(bytes: &[u8], directory: &Directory<'_>, opened: &Opened, limits: &Limits) -> Option<bool> {
    let deadline = limits.deadline();
    let tiled = directory.has(TILE_OFFSETS);
    let list = |strips, tiles| directory.integers(if tiled { tiles } else { strips })?.ok();
    let (offsets, counts) = (list(273, TILE_OFFSETS)?, list(279, 325)?);
    if offsets.len() != counts.len() {
        return None;
    }
    let side = |tag, whole: u32| u64::try_from(directory.integer(tag, i64::from(whole)).ok()?).ok().filter(|side| *side > 0);
    let height = u64::from(opened.size.height);
    let (width, rows) = if tiled {
        (side(322, opened.size.width)?, side(323, opened.size.height)?)
    } else {
        (u64::from(opened.size.width), side(278, opened.size.height)?.min(height))
    };
    let row = width.checked_mul(opened.stored_bits()?)?.div_ceil(8);
    let strips = height.div_ceil(rows);
    for (index, (offset, count)) in (0_u64..).zip(offsets.iter().zip(&counts)) {
        // The last strip of a plane has the rows that are left.
        let here = if tiled { rows } else { rows.min(height - (index % strips) * rows) };
        let (offset, count) = (usize::try_from(*offset).ok()?, usize::try_from(*count).ok()?);
        let data = bytes.get(offset..offset.checked_add(count)?)?;
        if !deflate::holds(data, row.checked_mul(here)?, deadline)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Bytes of strips and tiles that lie behind the end of the file, and that are there.
fn parts_beyond_the_end(directory: &Directory<'_>, size: usize) -> (u64, u64) {
    let list = |strips, tiles| directory.integers(if directory.has(strips) { strips } else { tiles }).and_then(Result::ok);
    let (Some(offsets), Some(counts)) = (list(273, 324), list(279, 325)) else { return (0, 0) };
    offsets.iter().zip(&counts).fold((0, 0), |(missing, present), (offset, count)| {
        let (offset, count) = (u64::try_from(*offset).unwrap_or(u64::MAX), u64::try_from(*count).unwrap_or(0));
        let here = (size as u64).saturating_sub(offset).min(count);
        (missing + (count - here), present + here)
    })
}
