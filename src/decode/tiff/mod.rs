//! TIFF: the first page. Pillow's way of opening is followed step by step; pixels come from the `image` crate.
//!
//! Uncompressed data is judged as Pillow's own loader reads it. Compressed data goes through libtiff in Pillow, which
//! forgives some things that `image` does not and the other way round; where the two may differ the verdict is unknown.

mod ifd;
mod layouts;
mod pillow;

use super::{Limits, MAX_PIXELS, Reading, generic, guard};
use crate::model::{Blame, Fault, FaultKind, Format, Strict, Verdict};
use ifd::{Directory, Header};
use pillow::Opened;

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
    let decoded =
        guard::catch(|| generic::decode(bytes, Format::Tiff, limits)).unwrap_or_else(|message| Err(Fault::new(FaultKind::Panic, message)));
    let (missing, present) = match &header {
        Header::Present(directory) => parts_beyond_the_end(directory, bytes.len()),
        Header::Absent | Header::Unreachable => (0, 0),
    };
    let (pillow, lost) = match &opened {
        Err(refusal) => (refusal.clone(), share(missing, missing + present)),
        Ok(opened) if opened.is_raw() => opened.load_raw(bytes),
        Ok(opened) => (load_compressed(opened, decoded.as_ref().err(), missing), share(missing, missing + present)),
    };
    let strict = match &decoded {
        Ok(_) if lost > 0.0 => Strict::Damaged { fault: cut(bytes.len()), lost: Some(lost) },
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

/// Pillow's verdict on compressed data, where what `image` finds allows one.
fn load_compressed(opened: &Opened, fault: Option<&Fault>, missing: u64) -> Verdict {
    let refused = || Verdict::refuses_load("OSError", "decoder error -2");
    match (fault, opened.compression) {
        // JPEG inside TIFF is read leniently by `image`, and old-style JPEG and fax codes not at all.
        (None, 5 | 8 | 32773 | 32946) if missing == 0 => Verdict::Ok,
        (_, 5 | 8 | 32773 | 32946) if missing > 0 => refused(),
        _ => Verdict::Unknown,
    }
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

fn share(part: u64, whole: u64) -> f32 {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a share is told to a few digits")]
    let share = (part as f64 / whole.max(1) as f64) as f32;
    share
}
