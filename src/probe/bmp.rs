//! Windows bitmap headers, with the file header (BMP) and without (DIB).
//!
//! Modes follow Pillow 13 (`BmpImagePlugin.py`, `_bitmap`), which takes palettes of grays away.

use super::cursor::{le16, le32, part_or_rest, u8_at};
use super::header::{bad, cut, plain, sized};
use crate::model::{Fault, Format, Mode, Probe, Size};

/// Sizes of the information header that are known: OS/2 1, Windows 3, V2, V3, OS/2 2, V4, V5.
pub(super) const HEADER_SIZES: [u32; 7] = [12, 40, 52, 56, 64, 108, 124];

/// Masks of red, green, blue and alpha with which Pillow finds an alpha channel.
const WITH_ALPHA: [[u32; 4]; 5] = [
    [0xFF00_0000, 0xFF_0000, 0xFF00, 0xFF],
    [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000],
    [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000],
    [0xFF00_0000, 0xFF00, 0xFF, 0xFF_0000],
    [0; 4],
];

const BITFIELDS: u32 = 3;

/// The fields of an information header.
pub(super) struct Bitmap {
    header_size: u32,
    pub(super) width: u32,
    pub(super) height: u64,
    planes: u16,
    bits: u16,
    compression: u32,
    colours: u32,
}

/// Reads the header of a BMP or DIB.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    let (start, variant) = if bytes.starts_with(b"BM") { (14, "") } else { (0, "DIB") };
    let header_size = le32(bytes, start).ok_or_else(|| cut(bytes, Format::Bmp))?;
    if !HEADER_SIZES.contains(&header_size) {
        return Err(bad(start, format!("the BMP's information header says that it has {header_size} bytes, which is no known kind")));
    }
    let bitmap = read(bytes, start).ok_or_else(|| cut(bytes, Format::Bmp))?;
    let size = sized(start + 4, bitmap.width, bitmap.height)?;
    Ok(describe(bytes, start, &bitmap, size, variant))
}

/// Reads the information header at `start`.
pub(super) fn read(bytes: &[u8], start: usize) -> Option<Bitmap> {
    let header_size = le32(bytes, start)?;
    let at = |offset: usize| start.saturating_add(offset);
    if header_size == 12 {
        let (width, height) = (u32::from(le16(bytes, at(4))?), u64::from(le16(bytes, at(6))?));
        let (planes, bits) = (le16(bytes, at(8))?, le16(bytes, at(10))?);
        return Some(Bitmap { header_size, width, height, planes, bits, compression: 0, colours: 0 });
    }
    // The rest of the header must be there too, as Pillow reads it at once.
    u8_at(bytes, at(usize::try_from(header_size).ok()?.checked_sub(1)?))?;
    let height = u64::from(le32(bytes, at(8))?);
    // Rows from the top: Pillow looks at the highest byte only.
    let top_down = u8_at(bytes, at(11))? == 0xFF;
    Some(Bitmap {
        header_size,
        width: le32(bytes, at(4))?,
        height: if top_down { (1 << 32) - height } else { height },
        planes: le16(bytes, at(12))?,
        bits: le16(bytes, at(14))?,
        compression: le32(bytes, at(16))?,
        colours: le32(bytes, at(32))?,
    })
}

/// Whether the bytes are a DIB, which has no signature: every field must make sense.
pub(super) fn looks_like_dib(head: &[u8]) -> bool {
    let known = le32(head, 0).is_some_and(|size| HEADER_SIZES.contains(&size));
    known
        && read(head, 0).is_some_and(|dib| {
            dib.planes == 1
                && matches!(dib.bits, 1 | 4 | 8 | 16 | 24 | 32)
                && dib.compression <= 5
                && (1..=65_535).contains(&dib.width)
                && (1..=65_535).contains(&dib.height)
        })
}

fn describe(bytes: &[u8], start: usize, bitmap: &Bitmap, size: Size, variant: &'static str) -> Probe {
    let alpha =
        bitmap.compression == BITFIELDS && bitmap.bits == 32 && masks(bytes, start, bitmap).is_some_and(|m| WITH_ALPHA.contains(&m));
    let mode = match bitmap.bits {
        1 | 4 | 8 => palette_mode(bytes, start, bitmap),
        32 if alpha => Some(Mode::Rgba),
        16 | 24 | 32 => Some(Mode::Rgb),
        _ => None,
    };
    let depth = match bitmap.bits {
        bits @ 1..=8 => u8::try_from(bits).unwrap_or(0),
        16 => 5,
        24 | 32 => 8,
        _ => 0,
    };
    let mut probe = plain(Format::Bmp, mode, depth, size);
    probe.variant = match bitmap.compression {
        1 | 2 => "RLE",
        4 => "JPEG inside",
        5 => "PNG inside",
        _ if bitmap.header_size == 12 => "OS/2",
        _ => variant,
    };
    probe
}

fn masks(bytes: &[u8], start: usize, bitmap: &Bitmap) -> Option<[u32; 4]> {
    let mask = |index: usize| le32(bytes, start.saturating_add(40 + 4 * index));
    let alpha = if bitmap.header_size >= 56 { mask(3)? } else { 0 };
    Some([mask(0)?, mask(1)?, mask(2)?, alpha])
}

/// P, or where all colours are the gray of their index, 1 or L.
fn palette_mode(bytes: &[u8], start: usize, bitmap: &Bitmap) -> Option<Mode> {
    let colours = if bitmap.colours == 0 { 1 << bitmap.bits } else { bitmap.colours };
    if colours > 65_536 {
        return None;
    }
    let colours = usize::try_from(colours).ok()?;
    let entry = if bitmap.header_size == 12 { 3 } else { 4 };
    let masks = if bitmap.compression == BITFIELDS && bitmap.header_size < 52 { 12 } else { 0 };
    let palette = start.saturating_add(usize::try_from(bitmap.header_size).ok()?) + masks;
    let gray = (0..colours).all(|index| {
        let value = if colours == 2 { index * 255 } else { index };
        let bgr = part_or_rest(bytes, palette + index * entry, 3);
        bgr.len() == 3 && bgr.iter().all(|channel| usize::from(*channel) == value)
    });
    Some(match (gray, colours) {
        (false, _) => Mode::P,
        (true, 0..=2) => Mode::Bilevel,
        (true, _) => Mode::L,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FaultKind;

    /// A DIB of 3 columns, with what follows the first 40 bytes.
    fn dib(height: i32, bits: u8, compression: u8, colours: u8, rest: &[u8]) -> Vec<u8> {
        let mut bytes = vec![40, 0, 0, 0, 3, 0, 0, 0];
        bytes.extend(height.to_le_bytes());
        bytes.extend([1, 0, bits, 0, compression, 0, 0, 0]);
        bytes.extend([0; 12]);
        bytes.extend([colours, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(rest);
        bytes
    }

    fn mode(dib: &[u8]) -> Option<Mode> {
        let bytes = [&b"BM\0\0\0\0\0\0\0\0\0\0\0\0"[..], dib].concat();
        probe(&bytes).expect("a header").mode
    }

    #[test]
    fn palettes_of_grays_are_taken_away() {
        assert_eq!(mode(&dib(2, 1, 0, 0, &[0, 0, 0, 0, 255, 255, 255, 0])), Some(Mode::Bilevel));
        assert_eq!(mode(&dib(2, 1, 0, 0, &[0, 0, 0, 0, 1, 2, 3, 0])), Some(Mode::P));
        let ramp: Vec<u8> = (0..=255).flat_map(|gray| [gray, gray, gray, 0]).collect();
        assert_eq!(mode(&dib(2, 8, 0, 0, &ramp)), Some(Mode::L));
        assert_eq!(mode(&dib(2, 8, 0, 0, ramp.get(..600).unwrap_or_default())), Some(Mode::P));
    }

    #[test]
    fn bitfields_with_alpha_are_rgba_and_plain_32_bits_are_not() {
        assert_eq!(mode(&dib(2, 32, 0, 0, &[])), Some(Mode::Rgb));
        let mut v3 = dib(2, 32, 3, 0, &[0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0, 0, 0, 255]);
        v3[0] = 56;
        assert_eq!(mode(&v3), Some(Mode::Rgba));
    }

    #[test]
    fn rows_from_the_top_have_a_negative_height() {
        assert_eq!(probe(&dib(-2, 24, 0, 0, &[])).map(|probe| (probe.size, probe.variant)), Ok((Size::new(3, 2), "DIB")));
    }

    #[test]
    fn a_dib_needs_a_plausible_header() {
        assert!(looks_like_dib(&dib(2, 24, 0, 0, &[])));
        assert!(!looks_like_dib(&dib(2, 23, 0, 0, &[])));
        assert!(!looks_like_dib(&dib(0, 24, 0, 0, &[])));
    }

    #[test]
    fn an_unknown_header_size_is_a_bad_header() {
        assert_eq!(probe(&[41; 60]).map_err(|fault| fault.kind), Err(FaultKind::BadHeader));
        assert_eq!(probe(b"BM\0\0").map_err(|fault| fault.kind), Err(FaultKind::Truncated));
    }
}
