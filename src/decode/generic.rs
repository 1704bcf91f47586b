//! Full decoding through the `image` crate: for formats without a reader of their own, and as a cross-check for the others.
//!
//! `image` says whether the pixels can be had; it does not say what Pillow would do, so that stays unknown here.

use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};
use std::time::Instant;

use image::error::{ImageError, LimitErrorKind};
use image::{DynamicImage, GenericImageView, ImageFormat, ImageReader};

use super::reduce::{Layout, Reducer};
use super::{Limits, Picture, Reading};
use crate::model::{Fault, FaultKind, Format, Size, Strict};

/// What the reader says when the deadline has passed; looked for in the error that comes out of `image`.
const TOO_LATE: &str = "the time limit has passed";

/// Reads a format that has no reader of its own.
pub(super) fn read(bytes: &[u8], format: Format, limits: &Limits) -> Reading {
    match decode(bytes, format, limits) {
        Ok(image) => {
            let unknown = Reading::unknown(Fault::new(FaultKind::NoDecoder, ""));
            Reading { strict: Strict::Whole, picture: reduce(&image), ..unknown }
        }
        Err(fault) => {
            // `image` does not know every variant of these formats, so that it refuses one says little about the file.
            let strict = match fault.kind {
                FaultKind::Truncated => Strict::Error(fault),
                FaultKind::OverBudget | FaultKind::TimedOut | FaultKind::NoDecoder => Strict::Unknown(fault),
                _ => Strict::Unknown(Fault {
                    kind: FaultKind::NoDecoder,
                    detail: format!("the decoder here does not take it: {}", fault.detail),
                    ..fault
                }),
            };
            Reading { strict, ..Reading::unknown(Fault::new(FaultKind::NoDecoder, "")) }
        }
    }
}

/// Every pixel of the first frame through `image`, within limits.
pub(super) fn decode(bytes: &[u8], format: Format, limits: &Limits) -> Result<DynamicImage, Fault> {
    let Some(name) = image_format(format) else {
        return Err(Fault::new(FaultKind::NoDecoder, format!("there is no decoder for {format} here")));
    };
    let source = Timed { inner: Cursor::new(bytes), deadline: limits.deadline() };
    let mut reader = ImageReader::with_format(source, name);
    let mut allowed = image::Limits::default();
    allowed.max_alloc = Some(limits.memory_bytes);
    reader.limits(allowed);
    reader.decode().map_err(|error| fault(&error))
}

/// The picture that `image` decoded, reduced.
pub(super) fn reduce(image: &DynamicImage) -> Option<Picture> {
    let size = Size::new(image.width(), image.height());
    let layout = match image {
        DynamicImage::ImageLuma8(_) => Layout::Gray,
        DynamicImage::ImageLumaA8(_) => Layout::GrayAlpha,
        DynamicImage::ImageRgb8(_) => Layout::Rgb,
        DynamicImage::ImageRgba8(_) => Layout::Rgba,
        _ => return reduce_deep(image),
    };
    let mut reducer = Reducer::new(size, layout)?;
    let row = usize::try_from(size.width).ok()?.checked_mul(layout.channels())?;
    image.as_bytes().chunks_exact(row.max(1)).for_each(|row| reducer.push_row(row));
    reducer.finish()
}

/// The same for more than eight bits a sample, a row at a time.
fn reduce_deep(image: &DynamicImage) -> Option<Picture> {
    let color = image.color();
    let layout = match (color.has_color(), color.has_alpha()) {
        (false, false) => Layout::Gray,
        (false, true) => Layout::GrayAlpha,
        (true, false) => Layout::Rgb,
        (true, true) => Layout::Rgba,
    };
    let mut reducer = Reducer::new(Size::new(image.width(), image.height()), layout)?;
    let mut row = Vec::new();
    for y in 0..image.height() {
        row.clear();
        for x in 0..image.width() {
            let image::Rgba([red, green, blue, alpha]) = image.get_pixel(x, y);
            match layout {
                Layout::Gray => row.push(red),
                Layout::GrayAlpha => row.extend([red, alpha]),
                Layout::Rgb => row.extend([red, green, blue]),
                Layout::Rgba => row.extend([red, green, blue, alpha]),
            }
        }
        reducer.push_row(&row);
    }
    reducer.finish()
}

fn image_format(format: Format) -> Option<ImageFormat> {
    match format {
        Format::Jpeg | Format::Mpo => Some(ImageFormat::Jpeg),
        Format::Png => Some(ImageFormat::Png),
        Format::WebP => Some(ImageFormat::WebP),
        Format::Gif => Some(ImageFormat::Gif),
        Format::Bmp => Some(ImageFormat::Bmp),
        Format::Tiff => Some(ImageFormat::Tiff),
        Format::Ico => Some(ImageFormat::Ico),
        Format::Tga => Some(ImageFormat::Tga),
        Format::Pnm => Some(ImageFormat::Pnm),
        Format::Qoi => Some(ImageFormat::Qoi),
        Format::Avif | Format::Heic | Format::JpegXl | Format::Jpeg2000 | Format::Psd | Format::Svg => None,
    }
}

fn fault(error: &ImageError) -> Fault {
    let text = error.to_string();
    // Codec crates wrap the reader's error in their own, in different depths; the text survives.
    if text.contains(TOO_LATE) {
        return Fault::new(FaultKind::TimedOut, TOO_LATE);
    }
    let kind = match error {
        ImageError::Limits(limit) => match limit.kind() {
            LimitErrorKind::DimensionError => FaultKind::TooManyPixels,
            _ => FaultKind::OverBudget,
        },
        ImageError::Unsupported(_) => FaultKind::NoDecoder,
        ImageError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => FaultKind::Truncated,
        _ if text.contains("unexpected end") || text.contains("UnexpectedEof") || text.contains("failed to fill") => FaultKind::Truncated,
        _ => FaultKind::Corrupt,
    };
    Fault::new(kind, text)
}

/// Bytes that can no longer be read once the deadline has passed: codec crates know no clock.
struct Timed<'a> {
    inner: Cursor<&'a [u8]>,
    deadline: Instant,
}

impl Timed<'_> {
    fn check(&self) -> io::Result<()> {
        if Instant::now() < self.deadline { Ok(()) } else { Err(io::Error::other(TOO_LATE)) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        self.inner.read(buffer)
    }
}

impl BufRead for Timed<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.check()?;
        // A window, so that a codec that works through its buffer comes back for the next look at the clock.
        let rest = self.inner.fill_buf()?;
        Ok(rest.get(..64 * 1024).unwrap_or(rest))
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
    }
}

impl Seek for Timed<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.check()?;
        self.inner.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::Verdict;

    #[test]
    fn a_pixmap_decodes_and_a_short_one_does_not() {
        let whole = b"P6 2 1 255\n\x01\x02\x03\x04\x05\x06";
        let reading = read(whole, Format::Pnm, &Limits::default());
        assert_eq!(reading.strict, Strict::Whole);
        assert_eq!(reading.pillow, Verdict::Unknown);
        assert!(reading.picture.is_some_and(|picture| picture.raster.width == 2));
        let reading = read(&whole[..14], Format::Pnm, &Limits::default());
        assert_eq!(reading.strict.fault().map(|fault| fault.kind), Some(FaultKind::Truncated), "{reading:?}");
    }

    #[test]
    fn a_lying_header_meets_the_budget_before_memory_is_taken() {
        let reading = read(b"P6 20000 20000 255\n\x01\x02\x03", Format::Pnm, &Limits::default());
        assert_eq!(reading.strict.fault().map(|fault| fault.kind), Some(FaultKind::OverBudget), "{reading:?}");
    }

    #[test]
    fn no_time_is_a_fault_of_its_own() {
        let limits = Limits { time: Duration::ZERO, ..Limits::default() };
        let reading = read(b"P6 2 1 255\n\x01\x02\x03\x04\x05\x06", Format::Pnm, &limits);
        assert_eq!(reading.strict.fault().map(|fault| fault.kind), Some(FaultKind::TimedOut), "{reading:?}");
    }
}
