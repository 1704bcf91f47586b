//! TIFF: the first page. Pillow's way of opening is followed step by step; pixels come from the `image` crate.
//!
//! - `ifd` and `layouts` are the directory and the pixel layouts as Pillow sees them, `pillow` what it makes of them. Pillow reads
//!   uncompressed data itself.
//! - Compressed data goes through libtiff in Pillow: `directory` is the directory as libtiff sees it, `load` the way through strips
//!   and tiles, `walked` what was found in one of them.
//! - `lzw`, `packbits`, `deflate`, `fax`, `jpeg` and `old_jpeg` walk what is compressed, without rebuilding pixels.
//!
//! Where libtiff's rules are not known here (LZMA, Zstandard, WebP and other codecs that hardly occur) the verdict is unknown.

mod deflate;
mod directory;
mod fax;
mod ifd;
mod jpeg;
mod layouts;
mod load;
mod lzw;
mod old_jpeg;
mod packbits;
mod pillow;
#[cfg(test)]
mod tests;
mod walked;

use super::reduce::share_of;
use super::{Limits, MAX_PIXELS, Reading, contain_panics, generic};
use crate::model::{Blame, Fault, FaultKind, Format, Stage, Strict, Verdict};
use ifd::{Directory, Header};
use load::Loaded;
use pillow::RawLoad;

/// How a TIFF begins for Pillow (`TiffImagePlugin.py`, `PREFIXES`); a byte order may contradict the magic number.
pub(super) const PREFIXES: [&[u8; 4]; 6] = [b"MM\0*", b"II*\0", b"MM*\0", b"II\0*", b"MM\0+", b"II+\0"];

/// Reads a TIFF.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Reading {
    let header = ifd::read(bytes);
    let opened = pillow::open(&header);
    if let Err(refusal) = &opened
        && let Some("DecompressionBombError") = refusal.refusal().map(|refusal| refusal.class.as_ref())
    {
        let fault = Fault::new(FaultKind::TooManyPixels, format!("more than {MAX_PIXELS} pixels"));
        let unknown = Reading::unknown(Fault::new(FaultKind::TooManyPixels, ""));
        return Reading { strict: Strict::Error(fault), ..unknown }.refused_by_pillow(refusal.clone());
    }
    // Some tiled planar files make `image` 0.25 panic; what Pillow does with them is known all the same.
    let decoded = contain_panics(|| generic::decode(bytes, Format::Tiff, limits)).unwrap_or_else(Err);
    let beyond = match &header {
        Header::Present(directory) => share_beyond_the_end(directory, bytes.len()),
        Header::Absent | Header::Unreachable => 0.0,
    };
    let (pillow, pillow_lenient, strict) = match &opened {
        Err(refusal) => (refusal.clone(), refusal.clone(), strict(bytes, decoded.as_ref().err(), beyond, None)),
        Ok(opened) if opened.is_raw() => {
            let RawLoad { verdict, lenient, lost } = opened.load_raw(bytes);
            let strict = strict(bytes, decoded.as_ref().err(), lost, verdict.refusal().map(|refusal| refusal.stage));
            (verdict, lenient, strict)
        }
        Ok(opened) => {
            let loaded = load::load(bytes, opened, limits);
            let strict = walked_strict(&loaded)
                .unwrap_or_else(|| strict(bytes, decoded.as_ref().err(), beyond, loaded.verdict.refusal().map(|refusal| refusal.stage)));
            // libtiff is called past the code that the switch is in (`TiffImagePlugin.py`, `_load_libtiff`).
            (loaded.verdict.clone(), loaded.verdict, strict)
        }
    };
    let picture = decoded.ok().and_then(|image| generic::reduce(&image));
    Reading { pillow, pillow_lenient, opencv: Verdict::Unknown, strict, picture, trailing: None }
}

/// What the walk through compressed data says of it; `None` where it was not walked.
fn walked_strict(loaded: &Loaded) -> Option<Strict> {
    match (&loaded.fault, loaded.walked) {
        (Some(fault), _) if fault.kind.blame() != Blame::File => Some(Strict::Unknown(fault.clone())),
        (Some(fault), true) if loaded.lost.is_some_and(|lost| lost >= 1.0) => Some(Strict::Error(fault.clone())),
        (Some(fault), true) => Some(Strict::Damaged { fault: fault.clone(), lost: loaded.lost }),
        (None, true) => Some(Strict::Whole),
        (_, false) => None,
    }
}

/// What `image`, the share of the data that is missing, and Pillow's refusal say together.
fn strict(bytes: &[u8], fault: Option<&Fault>, lost: f32, refused: Option<Stage>) -> Strict {
    let cut = || Fault::at(FaultKind::Truncated, bytes.len(), "the data ends before the last strip or tile does");
    match fault {
        None if lost > 0.0 => Strict::Damaged { fault: cut(), lost: Some(lost) },
        None if refused.is_some() => {
            Strict::Damaged { fault: Fault::new(FaultKind::Corrupt, "the directory contradicts itself or the data"), lost: None }
        }
        None => Strict::Whole,
        Some(fault) if fault.kind.blame() != Blame::File => Strict::Unknown(fault.clone()),
        Some(_) if lost > 0.0 && lost < 1.0 => Strict::Damaged { fault: cut(), lost: Some(lost) },
        Some(fault) => Strict::Error(fault.clone()),
    }
}

/// Share of the bytes of strips and tiles that lie behind the end of the file.
fn share_beyond_the_end(directory: &Directory<'_>, size: usize) -> f32 {
    let list = |strips, tiles| directory.integers(if directory.has(strips) { strips } else { tiles }).and_then(Result::ok);
    let (Some(offsets), Some(counts)) = (list(273, 324), list(279, 325)) else { return 0.0 };
    let (missing, all) = offsets.iter().zip(&counts).fold((0_u64, 0_u64), |(missing, all), (offset, count)| {
        let (offset, count) = (u64::try_from(*offset).unwrap_or(u64::MAX), u64::try_from(*count).unwrap_or(0));
        let here = (size as u64).saturating_sub(offset).min(count);
        (missing.saturating_add(count - here), all.saturating_add(count))
    });
    share_of(missing, all)
}
