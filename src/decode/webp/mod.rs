//! WebP (RFC 9649): what loaders do with a file, and what the file is.
//!
//! Pillow and OpenCV both leave all decisions to libwebp, and so does this: its demuxer and its decoder are asked, through
//! [`libwebp`], in the order in which the loaders ask them. [`container`] adds where the file is short or contradicts
//! itself, and [`picture`] the facts that need pixels; [`lossless`] reads what is whole in less time and memory. Frames behind
//! the first are not decoded, as loaders do not either.

mod container;
mod libwebp;
mod lossless;
mod picture;
#[cfg(test)]
mod tests;

use super::{Limits, MAX_PIXELS, Picture, Reading, bomb_message};
use crate::model::{Fault, FaultKind, Size, Strict, Verdict};
use libwebp::{Decoded, Features, Form, Refused};

/// Bytes of the header by which OpenCV recognises a WebP.
const OPENCV_HEADER: usize = 32;

/// Pixels above which OpenCV refuses (`OPENCV_IO_MAX_IMAGE_PIXELS`).
const OPENCV_MAX_PIXELS: u64 = 1 << 30;

/// Reads a WebP.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Reading {
    let deadline = limits.deadline();
    let trailing = container::trailing(bytes);
    let frame = libwebp::first_frame(bytes);
    // Of a file whose container is broken, libwebp still decodes what it finds behind the header.
    let data = frame.map_or(bytes, |frame| frame.data);
    let seen = decode(data, limits);
    let late = std::time::Instant::now() >= deadline;
    let pillow = pillow(bytes, frame.is_some(), &seen);
    let opencv = opencv(bytes, frame.is_some(), &seen, limits);
    let strict = if late {
        Strict::Unknown(Fault::new(FaultKind::TimedOut, "the time limit was reached"))
    } else {
        strict(bytes, frame.map_or(0, |frame| frame.at), frame.is_some(), &seen)
    };
    let picture = match seen {
        Seen::Decoded { picture, .. } => picture,
        Seen::Stopped(_) | Seen::NoHeader(_) => None,
    };
    // The switch for truncated files works where `ImageFile.load` decodes, and here libwebp has decoded before.
    Reading { pillow_lenient: pillow.clone(), pillow, opencv, strict, picture, trailing }
}

/// What came of decoding the first frame.
enum Seen {
    /// It was tried.
    Decoded { result: Result<(), Refused>, lost: f32, picture: Option<Picture> },
    /// Its header is not valid.
    NoHeader(Refused),
    /// A limit stands against it.
    Stopped(Fault),
}

fn decode(data: &[u8], limits: &Limits) -> Seen {
    let features = match libwebp::features(data) {
        Ok(features) => features,
        Err(refused) => return Seen::NoHeader(refused),
    };
    if features.is_animated {
        // An animation that the demuxer takes gives its first frame; this is one that it refuses.
        return Seen::NoHeader(Refused::Invalid);
    }
    let size = Size::new(features.width, features.height);
    if size.pixels() > MAX_PIXELS {
        let detail = format!("{size} are {} pixels, above the limit of {MAX_PIXELS}", size.pixels());
        return Seen::Stopped(Fault::new(FaultKind::TooManyPixels, detail));
    }
    let mut whole = if features.is_lossless { lossless::read(data, limits.memory_bytes, limits.deadline()) } else { None };
    if let Some(picture) = &mut whole {
        picture.has_detail |= has_detail(data.len(), features.width, features.height);
        return Seen::Decoded { result: Ok(()), lost: 0.0, picture: whole };
    }
    if let Some(fault) = over_budget(&features, limits) {
        return Seen::Stopped(fault);
    }
    let size = (features.width, features.height);
    let (decoded, result) = libwebp::decode(data, size, form_for(&features));
    let mut picture = if decoded.rows > 0 { picture::picture(&decoded, features.has_alpha) } else { None };
    if let Some(picture) = &mut picture {
        picture.has_detail |= has_detail(data.len(), features.width, features.height);
    }
    Seen::Decoded { result, lost: lost_share(&decoded), picture }
}

fn form_for(features: &Features) -> Form {
    match (features.is_lossless, features.has_alpha) {
        (true, _) => Form::Rgba,
        (false, true) => Form::Yuva,
        (false, false) => picture::scaled_form(features.width, features.height),
    }
}

fn lost_share(decoded: &Decoded) -> f32 {
    let missing = decoded.height.saturating_sub(decoded.rows);
    if decoded.height == 0 { 1.0 } else { super::reduce::share_of(missing as u64, decoded.height as u64) }
}

/// Whether libwebp would take more memory than there is.
fn over_budget(features: &Features, limits: &Limits) -> Option<Fault> {
    let pixels = u64::from(features.width) * u64::from(features.height);
    // Lossless takes the output and as much inside libwebp; alpha a plane inside and one outside, beside luma and chroma.
    let bytes_a_pixel = match form_for(features) {
        Form::Rgba => 9,
        Form::Yuva => 5,
        Form::Scaled { .. } => 0,
    };
    let needed = (pixels * bytes_a_pixel).saturating_add(1 << 20);
    (needed > limits.memory_bytes).then(|| {
        let detail = format!("decoding takes {needed} bytes, above the budget of {}", limits.memory_bytes);
        Fault::new(FaultKind::OverBudget, detail)
    })
}

/// Pillow 13.0.0 (`WebPImagePlugin.py`, `_webp.c`).
fn pillow(bytes: &[u8], has_frame: bool, seen: &Seen) -> Verdict {
    let known = matches!(bytes.get(12..16), Some(b"VP8 " | b"VP8X" | b"VP8L"));
    if !container::has_signature(bytes) || !known {
        return Verdict::refuses_open("UnidentifiedImageError", "cannot identify image file");
    }
    if let Some((width, height)) = container::claimed_size(bytes) {
        let pixels = u64::from(width.max(1)) * u64::from(height.max(1));
        if pixels > MAX_PIXELS {
            return Verdict::refuses_open("DecompressionBombError", bomb_message(pixels));
        }
    }
    if !has_frame {
        return Verdict::refuses_open("OSError", "could not create decoder object");
    }
    match seen {
        Seen::Stopped(_) | Seen::Decoded { result: Err(Refused::Memory), .. } => Verdict::Unknown,
        Seen::Decoded { result: Ok(()), .. } => Verdict::Ok,
        Seen::Decoded { .. } | Seen::NoHeader(_) => Verdict::refuses_load("OSError", "failed to read next frame"),
    }
}

/// OpenCV 5.0.0 (`modules/imgcodecs/src/grfmt_webp.cpp`): an animation goes through the demuxer, a picture does not.
fn opencv(bytes: &[u8], has_frame: bool, seen: &Seen, limits: &Limits) -> Verdict {
    let Some(Ok(features)) = bytes.get(..OPENCV_HEADER).map(libwebp::features) else {
        return Verdict::refuses_load("error", "the first 32 bytes are no WebP header");
    };
    if u64::from(features.width) * u64::from(features.height) > OPENCV_MAX_PIXELS {
        return Verdict::refuses_load("error", "the picture has more than 2^30 pixels");
    }
    if features.is_animated && !has_frame {
        return Verdict::refuses_load("error", "the animation's container is not valid");
    }
    match seen {
        Seen::Stopped(_) | Seen::Decoded { result: Err(Refused::Memory), .. } => Verdict::Unknown,
        Seen::Decoded { result: Ok(()), .. } => Verdict::Ok,
        // Given the whole file, libwebp may read on behind the picture's chunk where the chunk alone is too short.
        Seen::Decoded { .. } if has_frame && !features.is_animated && decodes_whole(bytes, limits) => Verdict::Ok,
        Seen::Decoded { .. } | Seen::NoHeader(_) => Verdict::refuses_load("error", "libwebp cannot decode the picture"),
    }
}

fn decodes_whole(bytes: &[u8], limits: &Limits) -> bool {
    matches!(decode(bytes, limits), Seen::Decoded { result: Ok(()), .. })
}

fn strict(bytes: &[u8], at: usize, has_frame: bool, seen: &Seen) -> Strict {
    let container = container::fault(bytes);
    let (result, lost) = match seen {
        Seen::Stopped(fault) => return Strict::Unknown(fault.clone()),
        Seen::NoHeader(refused) => return Strict::Error(container.unwrap_or_else(|| header_fault(*refused, at))),
        Seen::Decoded { result, lost, .. } => (*result, *lost),
    };
    let picture = result.err().map(|refused| match refused {
        Refused::Memory => Fault::at(FaultKind::OverBudget, at, "libwebp got no memory"),
        Refused::NotEnoughData => Fault::at(FaultKind::Truncated, at, "the data of the picture ends before its last row"),
        Refused::Invalid => Fault::at(FaultKind::Corrupt, at, "libwebp finds the data of the picture broken"),
    });
    let demuxer = (!has_frame).then(|| Fault::at(FaultKind::Corrupt, 12, "libwebp's demuxer refuses the order or sizes of the chunks"));
    match container.or(picture).or(demuxer) {
        None => Strict::Whole,
        Some(fault) if lost >= 1.0 => Strict::Error(fault),
        Some(fault) => Strict::Damaged { fault, lost: Some(lost) },
    }
}

fn header_fault(refused: Refused, at: usize) -> Fault {
    match refused {
        Refused::NotEnoughData => Fault::at(FaultKind::Truncated, at, "the file ends inside the header of the picture"),
        Refused::Invalid | Refused::Memory => Fault::at(FaultKind::BadHeader, at, "libwebp finds no valid header of a picture"),
    }
}

/// Whether there is more in the file than a flat picture needs: a macroblock of 16x16 pixels in which nothing differs takes a
/// few bits, and headers and profiles about a kilobyte.
fn has_detail(file_bytes: usize, width: u32, height: u32) -> bool {
    let macroblocks = u64::from(width.div_ceil(16)) * u64::from(height.div_ceil(16));
    file_bytes as u64 > 1024 + macroblocks * 2
}
