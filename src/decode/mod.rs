//! Stage 3a: bytes -> [`Decoded`]: a verdict for each loader, and the facts that need pixels.
//!
//! The only room that names codec crates. One file or folder per format holds its reader, all of one shape: bytes in,
//! [`Reading`] out. What is common lives here: the choice of the reader, limits, the one `catch_unwind` around
//! third-party code, and the facts computed from a reduced picture. May use `model` only.
//!
//! # OpenCV 4
//!
//! Verdicts are for OpenCV 5.0.0. Measured with the wheels of pip on 948 odd public files and 6,240 damaged copies of 240 of them,
//! OpenCV 4 answers otherwise as follows.
//!
//! - 4.12: the same for every file but 17 damaged animated PNGs, which 5.0.0 refuses and 4.12 dies of (`png::animation`).
//! - 4.11: neither GIF nor AVIF (25 and 9 of the files); it takes two animated PNGs that 5.0.0 refuses.
//! - 4.10: no animations either: an animated WebP is refused, of an animated PNG the picture before the frames is taken. Of
//!   damaged files it returns 285 of 1,248 JPEGs that 5.0.0 refuses, since it does not look whether all rows came, and refuses 84 of
//!   3,094 PNGs that 5.0.0 takes.

mod alpha;
mod bmp;
mod generic;
mod gif;
mod guard;
#[cfg(test)]
mod hostile;
mod inflate;
mod jpeg;
mod lenient;
mod limits;
mod pixels;
mod png;
mod reading;
mod reduce;
mod tiff;
mod webp;

use std::fmt::Display;

pub(crate) use guard::contain_panics;
pub use limits::Limits;
pub(crate) use reading::{Picture, Reading};

pub(crate) use crate::model::MAX_PIXELS;
use crate::model::{Decoded, Fault, FaultKind, Format, Probe, Size, Strict, Verdict};

/// What decoding an image finds: verdicts, and the facts that need pixels.
///
/// Never panics, whatever the bytes: a panic in a codec comes back as [`FaultKind::Panic`].
#[must_use]
pub fn decode(bytes: &[u8], probe: &Probe, limits: &Limits) -> Decoded {
    let limits = &limits.begun();
    let reading = contain_panics(|| read(bytes, probe, limits)).unwrap_or_else(Reading::unknown);
    Decoded {
        pillow: reading.pillow,
        pillow_lenient: reading.pillow_lenient,
        opencv: reading.opencv,
        strict: reading.strict,
        pixels: reading.picture.as_ref().map(|picture| pixels::facts(picture, probe.orientation)),
        trailing: reading.trailing,
        disagreement: None,
    }
}

/// What loaders do with bytes in whose header the probe found `fault`. They look at other things, and not in its order, so that
/// the format's own reader is asked, if the bytes begin like a format that has one.
#[must_use]
pub fn decode_without_header(bytes: &[u8], fault: &Fault, limits: &Limits) -> Decoded {
    let undecided = Decoded::undecided(fault.clone());
    let limits = &limits.begun();
    let is_judged = matches!(fault.kind, FaultKind::Empty | FaultKind::NotAnImage | FaultKind::BadHeader | FaultKind::Truncated);
    let reading = match contain_panics(|| is_judged.then(|| read_by_signature(bytes, limits))) {
        Ok(Some(reading)) => reading,
        Ok(None) => return undecided,
        Err(panic) => return Decoded::undecided(panic),
    };
    // What stopped the reader is not the file's fault, and must not be taken for its verdict.
    let strict = match reading.strict.fault() {
        Some(stopped) if matches!(stopped.kind, FaultKind::OverBudget | FaultKind::TimedOut | FaultKind::Panic) => {
            Strict::Unknown(stopped.clone())
        }
        _ => Strict::Error(fault.clone()),
    };
    Decoded { pillow: reading.pillow, pillow_lenient: reading.pillow_lenient, opencv: reading.opencv, strict, ..undecided }
}

/// Rebuilds every pixel of the first frame through the `image` crate ([`Limits::pixels`]) and says where that
/// contradicts what [`decode`] found; `None` where the two agree, or where one of them does not know.
#[must_use]
pub fn cross_check(bytes: &[u8], probe: &Probe, decoded: &Decoded, limits: &Limits) -> Option<String> {
    if probe.size.pixels() > MAX_PIXELS {
        return None;
    }
    let rebuilt = contain_panics(|| generic::decode(bytes, probe.format, limits).map(|_| ()));
    match (&decoded.strict, rebuilt) {
        (Strict::Whole, Ok(Err(fault))) if fault.kind.blame() == crate::model::Blame::File => {
            Some(format!("every bit was read and found valid, yet full decoding fails: {fault}"))
        }
        (Strict::Whole, Err(fault)) => Some(format!("every bit was read and found valid, yet full decoding fails: {fault}")),
        (Strict::Error(fault), Ok(Ok(()))) => Some(format!("no picture was found, yet full decoding returns one: {fault}")),
        _ => None,
    }
}

/// The reading by the reader whose format Pillow would try first (the `_accept` of its plugins).
fn read_by_signature(bytes: &[u8], limits: &Limits) -> Reading {
    if bytes.starts_with(b"BM") {
        bmp::read(bytes, limits)
    } else if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        png::read(bytes, limits)
    } else if bytes.starts_with(b"\xFF\xD8\xFF") {
        jpeg::read(bytes, limits)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        gif::read(bytes, limits)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        webp::read(bytes, limits)
    } else if tiff::PREFIXES.iter().any(|prefix| bytes.starts_with(*prefix)) {
        tiff::read(bytes, limits)
    } else if OTHER_PLUGINS.iter().any(|prefix| bytes.starts_with(prefix)) {
        Reading::unknown(Fault::new(FaultKind::NotAnImage, ""))
    } else {
        Reading::unknown(Fault::new(FaultKind::NotAnImage, "")).refused_by_pillow(unidentified())
    }
}

/// How files begin that Pillow has a plugin for and that nothing here knows (Pillow 13.0.0, `_accept` of `*ImagePlugin.py`):
/// BLP, BUFR, DCX, DDS, EPS, FITS, FTEX, GIMP brushes, GRIB, HDF5, ICNS, IM, MCIDAS, MPEG, MSP, PCX, PIXAR, SGI, Sun, WMF,
/// XBM, XPM, XV thumbnails. What becomes of them is not known.
const OTHER_PLUGINS: [&[u8]; 32] = [
    b"BLP1",
    b"BLP2",
    b"BUFR",
    b"ZCZC",
    b"\xB1\x68\xDE\x3A",
    b"DDS ",
    b"%!PS",
    b"\xC5\xD0\xD3\xC6",
    b"SIMPLE",
    b"FTEX",
    b"\0\0\0\x1C\0\0\0\x01",
    b"\0\0\0\x1C\0\0\0\x02",
    b"GRIB",
    b"\x89HDF\r\n\x1A\n",
    b"icns",
    b"Image type:",
    b"\0\0\0\0\0\0\0\x04",
    b"\0\0\x01\xB3",
    b"DanM",
    b"LinS",
    b"\x0A\0",
    b"\x0A\x02",
    b"\x0A\x03",
    b"\x0A\x05",
    b"\x80\xE8\0\0",
    b"\x01\xDA",
    b"\x59\xA6\x6A\x95",
    b"\xD7\xCD\xC6\x9A\0\0",
    b"\x01\0\0\0",
    b"#define",
    b"/* XPM */",
    b"P7 332",
];

fn read(bytes: &[u8], probe: &Probe, limits: &Limits) -> Reading {
    let format = probe.format;
    match format {
        Format::Gif | Format::Bmp | Format::Tiff | Format::Png | Format::Jpeg | Format::Mpo | Format::WebP => {}
        // Pillow cannot open these at all, so their size does not matter to it.
        Format::Heic | Format::JpegXl | Format::Svg => {
            return without_decoder(format).refused_by_pillow(unidentified());
        }
        // The readers of those above find the size themselves, since what Pillow checks before it is up to them.
        _ if probe.size.pixels() > MAX_PIXELS => return too_many_pixels(probe.size),
        _ => {}
    }
    match format {
        Format::Bmp => bmp::read(bytes, limits),
        Format::Tiff => tiff::read(bytes, limits),
        Format::Gif => gif::read(bytes, limits),
        Format::Avif | Format::Jpeg2000 | Format::Psd => without_decoder(format),
        Format::Jpeg | Format::Mpo => jpeg::read(bytes, limits),
        Format::Png => png::read(bytes, limits),
        Format::WebP => webp::read(bytes, limits),
        _ => generic::read(bytes, format, limits),
    }
}

/// Bytes that decoding this image may hold, the file itself not counted: what a budget for many of them must set aside.
///
/// Where there are two numbers, the first does as a rule: it is to be tried with as [`Limits::memory_bytes`], and the second
/// only if the answer to the first is [`FaultKind::OverBudget`].
#[must_use]
pub fn memory_needs(probe: &Probe, file_bytes: usize, limits: &Limits) -> Vec<u64> {
    /// Windows, tables and the reduced picture of a reader that streams.
    const STREAMING: u64 = 8 << 20;
    let pixels = probe.size.pixels().min(MAX_PIXELS);
    // Whole pictures, in the worst case 16 bits a sample and twice over for the conversion.
    let whole = STREAMING + pixels.saturating_mul(8).max(file_bytes as u64);
    let need = match probe.format {
        _ if limits.pixels => whole,
        Format::Avif | Format::Jpeg2000 | Format::Psd | Format::Heic | Format::JpegXl | Format::Svg => 0,
        Format::Png | Format::Bmp => STREAMING,
        // The indices of the first frame.
        Format::Gif => STREAMING + pixels,
        // A progressive JPEG keeps 64 bits for each block of 64 samples of up to four components.
        Format::Jpeg | Format::Mpo => STREAMING + pixels / 2,
        Format::WebP => {
            // Damaged lossless pictures go to libwebp, and take what it takes; others what copies reach, and steering pictures.
            let whole = STREAMING + pixels.saturating_mul(9);
            let streamed = 3 * STREAMING + pixels / 8;
            return if streamed < whole { vec![streamed, whole] } else { vec![whole] };
        }
        _ => whole,
    };
    vec![need]
}

fn without_decoder(format: Format) -> Reading {
    Reading::unknown(Fault::new(FaultKind::NoDecoder, format!("there is no decoder for {format} here")))
}

/// What Pillow says of bytes in which it finds no format (Pillow 13, `Image.py`, `open`).
pub(crate) fn unidentified() -> Verdict {
    Verdict::refuses_open("UnidentifiedImageError", "cannot identify image file")
}

/// The reading of a picture with more pixels than Pillow opens; nothing of it is decoded.
pub(crate) fn too_many_pixels(size: Size) -> Reading {
    let pixels = u64::from(size.width.max(1)) * u64::from(size.height.max(1));
    let detail = format!("{size} is {pixels} pixels, the limit is {MAX_PIXELS}");
    let refusal = Verdict::refuses_open("DecompressionBombError", bomb_message(pixels));
    let strict = Strict::Error(Fault::new(FaultKind::TooManyPixels, detail));
    Reading { strict, ..Reading::unknown(Fault::new(FaultKind::TooManyPixels, "")) }.refused_by_pillow(refusal)
}

/// Pillow's wording (Pillow 13, `Image.py`, `_decompression_bomb_check`).
pub(crate) fn bomb_message(pixels: impl Display) -> String {
    format!("Image size ({pixels} pixels) exceeds limit of {MAX_PIXELS} pixels, could be decompression bomb DOS attack.")
}
