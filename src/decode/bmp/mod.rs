//! BMP: headers of 12 to 124 bytes, palettes, bit fields, run lengths, and what Pillow 13 says of them.
//!
//! Pillow's verdict follows `BmpImagePlugin.py` and `RawDecode.c` step by step, since it is stricter than the format in
//! places (bit fields) and looser in others (run lengths). The strict reading goes by Microsoft's "Bitmap Storage" and
//! rebuilds the pixels that are there. The run lengths and their two readers are in `rle`.

mod header;
mod rle;

use header::{BITFIELDS, Header, RLE4, RLE8};

use super::reduce::{Layout, Reducer, share_of};
use super::{Limits, MAX_PIXELS, Picture, Reading, lenient, too_many_pixels, unidentified};
use crate::model::{Fault, FaultKind, Size, Strict, Trailing, Verdict};

/// Reads a BMP.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Reading {
    let header = match Header::read(bytes) {
        Ok(header) => header,
        Err((pillow, fault)) => return failed(fault).refused_by_pillow(pillow),
    };
    let Some(size) = header.size() else {
        let detail = format!("the header says {} by {} pixels", header.width, header.height);
        let refusal = header.pillow_open.unwrap_or_else(unidentified);
        return failed(Fault::at(FaultKind::BadHeader, 18, detail)).refused_by_pillow(refusal);
    };
    if header.pixels() > u128::from(MAX_PIXELS) {
        let reading = too_many_pixels(size);
        return match header.pillow_open {
            Some(refusal) => reading.refused_by_pillow(refusal),
            None => reading,
        };
    }
    let pillow = header.pillow_open.clone().unwrap_or_else(|| pillow_load(bytes, &header));
    let (strict, picture) = match strict(bytes, &header, size, limits) {
        Ok((strict, picture)) => (strict, picture),
        Err(fault) if fault.kind.blame() == crate::model::Blame::File => (Strict::Error(fault), None),
        Err(fault) => (Strict::Unknown(fault), None),
    };
    let trailing = if strict == Strict::Whole { trailing(bytes, &header) } else { None };
    Reading { pillow_lenient: lenient::forgiven(&pillow), pillow, opencv: Verdict::Unknown, strict, picture, trailing }
}

/// Bytes behind the pixels of an uncompressed picture, behind its colour profile, and behind the end that the header
/// names: writers pad, and say so there.
fn trailing(bytes: &[u8], header: &Header) -> Option<Trailing> {
    if header.compression != 0 && header.compression != BITFIELDS {
        return None;
    }
    let pixels = (header.data_offset as u64).saturating_add(header.stride().saturating_mul(header.height));
    let end = usize::try_from(pixels.max(header.named_end(bytes))).ok()?;
    let rest = bytes.get(end..).filter(|rest| !rest.is_empty())?;
    Some(Trailing { offset: end as u64, size_bytes: rest.len() as u64, zeros: rest.iter().all(|byte| *byte == 0) })
}

fn failed(fault: Fault) -> Reading {
    Reading { strict: Strict::Error(fault), ..Reading::unknown(Fault::new(FaultKind::BadHeader, "")) }
}

/// What Pillow does with the pixels of a file that it has opened.
fn pillow_load(bytes: &[u8], header: &Header) -> Verdict {
    if header.palette_read > 256 && !header.gray {
        return Verdict::refuses_load("ValueError", "invalid palette size");
    }
    let data = bytes.get(header.data_offset..).unwrap_or_default();
    if matches!(header.compression, RLE8 | RLE4) {
        if header.bits > 8 {
            return Verdict::refuses_load("ValueError", "unknown raw mode for given image mode");
        }
        return if rle::pillow_fills(data, header.data_offset, header) {
            Verdict::Ok
        } else {
            Verdict::refuses_load("ValueError", "not enough image data")
        };
    }
    // `RawDecode.c` takes a row, then the bytes that pad it, in turns.
    let (width, height) = (header.width, header.height);
    let line = (width * u64::from(header.pillow_bits())).div_ceil(8);
    let stride = header.stride();
    let Some(padding) = stride.checked_sub(line) else {
        return Verdict::refuses_load("OSError", "codec configuration error when reading image file");
    };
    let available = data.len() as u64;
    if available >= (stride * height).saturating_sub(padding) {
        return Verdict::Ok;
    }
    let rest = available % stride.max(1);
    let unprocessed = if rest >= line { rest - line } else { rest };
    Verdict::refuses_load("OSError", format!("image file is truncated ({unprocessed} bytes not processed)"))
}

/// The strict reading and the picture.
fn strict(bytes: &[u8], header: &Header, size: Size, limits: &Limits) -> Result<(Strict, Option<Picture>), Fault> {
    let rows = Rows::new(bytes, header)?;
    let data = bytes.get(header.data_offset..).unwrap_or_default();
    if matches!(header.compression, RLE8 | RLE4) {
        return rle::strict(data, header, size, limits, |index| rows.palette_color(index));
    }
    let deadline = limits.deadline();
    let stride = usize::try_from(header.stride()).map_err(|_| Fault::new(FaultKind::OverBudget, "a row is larger than memory"))?;
    let line = usize::try_from((header.width * u64::from(header.bits)).div_ceil(8)).unwrap_or(stride).min(stride);
    let present = data.len().saturating_add(stride - line) / stride.max(1);
    let height = usize::try_from(size.height).unwrap_or(usize::MAX);
    let present = present.min(height);
    let mut reducer = Reducer::new(size, rows.layout());
    let mut pixels = Vec::new();
    for row in 0..present {
        // Rows are stored from the bottom unless the height is negative; what is missing is then at the top.
        let stored = if header.top_down { row } else { present - 1 - row };
        let Some(source) = data.get(stored * stride..).and_then(|rest| rest.get(..line)) else { break };
        rows.unpack(source, size.width, &mut pixels);
        if let Some(reducer) = &mut reducer {
            reducer.push_row(&pixels);
        }
        if row % 256 == 0 && std::time::Instant::now() > deadline {
            return Err(Fault::new(FaultKind::TimedOut, "the time limit has passed"));
        }
    }
    let picture = reducer.and_then(Reducer::finish);
    if present == height {
        return Ok((Strict::Whole, picture));
    }
    let fault = Fault::at(FaultKind::Truncated, bytes.len(), format!("the data ends after {present} of {height} rows"));
    if present == 0 {
        return Ok((Strict::Error(fault), None));
    }
    let lost = share_of((height - present) as u64, height as u64);
    Ok((Strict::Damaged { fault, lost: Some(lost) }, picture))
}

/// How stored pixels become samples.
struct Rows {
    bits: u16,
    palette: Vec<[u8; 3]>,
    masks: [u32; 4],
}

impl Rows {
    fn new(bytes: &[u8], header: &Header) -> Result<Self, Fault> {
        let unsupported = |detail: String| Err(Fault::at(FaultKind::NoDecoder, 30, detail));
        match (header.compression, header.bits) {
            (0, 1 | 2 | 4 | 8 | 16 | 24 | 32) | (BITFIELDS, 16 | 32) | (RLE8, 8) | (RLE4, 4) => {}
            (RLE8 | RLE4 | BITFIELDS, bits) => return unsupported(format!("compression {} with {bits} bits a pixel", header.compression)),
            (4 | 5, _) => return unsupported("the picture is a JPEG or PNG inside a BMP, for printers".to_owned()),
            (compression, _) if compression != 0 => return unsupported(format!("compression {compression} is not known")),
            (_, bits) => return Err(Fault::at(FaultKind::BadHeader, 28, format!("{bits} bits a pixel are not possible"))),
        }
        let entry = if header.version_size == 12 { 3 } else { 4 };
        let palette = if header.bits <= 8 {
            let entries = usize::try_from(header.palette_entries).unwrap_or(usize::MAX).min(256);
            let stored = bytes.get(header.palette_offset..).unwrap_or_default();
            stored.chunks_exact(entry).take(entries).filter_map(|entry| Some([*entry.get(2)?, *entry.get(1)?, *entry.first()?])).collect()
        } else {
            Vec::new()
        };
        let masks = match (header.compression, header.bits) {
            (BITFIELDS, _) if header.masks.iter().take(3).any(|mask| *mask != 0) => header.masks,
            (_, 16) => [0x7C00, 0x3E0, 0x1F, 0],
            _ => [0xFF_0000, 0xFF00, 0xFF, 0],
        };
        Ok(Self { bits: header.bits, palette, masks })
    }

    fn layout(&self) -> Layout {
        if self.bits > 8 && self.masks[3] != 0 { Layout::Rgba } else { Layout::Rgb }
    }

    fn palette_color(&self, index: u8) -> [u8; 3] {
        // An index beyond the palette is black, as Windows and Pillow draw it.
        self.palette.get(usize::from(index)).copied().unwrap_or_default()
    }

    fn unpack(&self, source: &[u8], width: u32, out: &mut Vec<u8>) {
        out.clear();
        let width = usize::try_from(width).unwrap_or(usize::MAX);
        match self.bits {
            8 => source.iter().take(width).for_each(|index| out.extend(self.palette_color(*index))),
            1 | 2 | 4 => {
                let bits = u32::from(self.bits);
                let indices = source.iter().flat_map(|byte| (1..=8 / bits).map(move |n| (byte >> (8 - bits * n)) & ((1 << bits) - 1)));
                indices.take(width).for_each(|index| out.extend(self.palette_color(index)));
            }
            16 => source.as_chunks::<2>().0.iter().take(width).for_each(|pixel| self.by_masks(u32::from(u16::from_le_bytes(*pixel)), out)),
            24 => source.as_chunks::<3>().0.iter().take(width).for_each(|[blue, green, red]| out.extend([*red, *green, *blue])),
            _ => source.as_chunks::<4>().0.iter().take(width).for_each(|pixel| self.by_masks(u32::from_le_bytes(*pixel), out)),
        }
    }

    fn by_masks(&self, pixel: u32, out: &mut Vec<u8>) {
        let channels = self.layout().channels();
        out.extend(self.masks.iter().take(channels).map(|mask| by_mask(pixel, *mask)));
    }
}

/// The bits of `pixel` under `mask`, scaled to eight bits; 0 for an empty mask.
fn by_mask(pixel: u32, mask: u32) -> u8 {
    if mask == 0 {
        return 0;
    }
    let shift = mask.trailing_zeros();
    let (value, full) = (u64::from((pixel & mask) >> shift), u64::from(mask >> shift));
    u8::try_from((value * 255 + full / 2) / full).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 24-bit picture, bottom row first.
    pub(super) fn bmp24(width: i32, height: i32, data: &[u8]) -> Vec<u8> {
        let mut file = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
        file.extend(width.to_le_bytes());
        file.extend(height.to_le_bytes());
        file.extend([1, 0, 24, 0]);
        file.extend([0; 24]);
        file.extend(data);
        file
    }

    #[test]
    fn a_whole_file_is_whole_and_its_first_row_is_the_top() {
        let reading = read(&bmp24(1, 2, &[0, 0, 0, 0, 255, 255, 255, 0]), &Limits::default());
        assert_eq!((reading.pillow, reading.strict), (Verdict::Ok, Strict::Whole));
        assert_eq!(reading.picture.map(|picture| picture.raster.luma), Some(vec![255, 0]));
        let reading = read(&bmp24(1, -2, &[0, 0, 0, 0, 255, 255, 255, 0]), &Limits::default());
        assert_eq!(reading.picture.map(|picture| picture.raster.luma), Some(vec![0, 255]));
    }

    #[test]
    fn the_padding_of_the_last_row_may_be_missing() {
        let reading = read(&bmp24(1, 2, &[0, 0, 0, 0, 255, 255, 255]), &Limits::default());
        assert_eq!((reading.pillow, reading.strict), (Verdict::Ok, Strict::Whole));
    }

    #[test]
    fn bytes_behind_the_pixels_are_told() {
        let whole = bmp24(1, 1, &[1, 2, 3, 0]);
        assert_eq!(read(&whole, &Limits::default()).trailing, None);
        let trailing = Trailing { offset: 58, size_bytes: 2, zeros: false };
        assert_eq!(read(&[&whole[..], b"<a"].concat(), &Limits::default()).trailing, Some(trailing));
    }

    #[test]
    fn short_data_says_how_much_is_lost() {
        let reading = read(&bmp24(1, 2, &[0, 0, 0, 0, 255, 255]), &Limits::default());
        assert_eq!(reading.pillow, Verdict::refuses_load("OSError", "image file is truncated (2 bytes not processed)"));
        let Strict::Damaged { fault, lost } = reading.strict else { panic!("{:?}", reading.strict) };
        assert_eq!((fault.kind, fault.offset, lost), (FaultKind::Truncated, Some(60), Some(0.5)));
    }

    #[test]
    fn a_lying_size_takes_no_memory_and_a_zero_size_is_no_picture() {
        let reading = read(&bmp24(10_000, 10_000, &[]), &Limits::default());
        assert_eq!(reading.strict.fault().map(|fault| fault.kind), Some(FaultKind::Truncated));
        let reading = read(&bmp24(100_000, 100_000, &[]), &Limits::default());
        assert_eq!(reading.strict.fault().map(|fault| fault.kind), Some(FaultKind::TooManyPixels));
        let reading = read(&bmp24(0, 7, &[]), &Limits::default());
        assert_eq!(reading.pillow, unidentified());
        assert_eq!(reading.strict.fault().map(|fault| fault.kind), Some(FaultKind::BadHeader));
    }

    #[test]
    fn channels_are_scaled_by_their_masks() {
        assert_eq!(by_mask(0x7FFF, 0x7C00), 255);
        assert_eq!(by_mask(0x4000, 0x7C00), 132);
        assert_eq!(by_mask(0xFFFF_FFFF, 0), 0);
    }
}
