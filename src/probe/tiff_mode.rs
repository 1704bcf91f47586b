//! The mode of a TIFF, by the table of Pillow 13 (`TiffImagePlugin.py`, `OPEN_INFO`).

use super::cursor::Order;
use crate::model::Mode;

/// What the tags of a picture say of its pixels, in the words of TIFF 6.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Byte order of the file.
    pub(super) order: Order,
    /// `PhotometricInterpretation`.
    pub(super) photometric: u64,
    /// `SampleFormat`, one value where all are equal.
    pub(super) sample_format: Vec<u64>,
    /// `FillOrder`.
    pub(super) fill_order: u64,
    /// `BitsPerSample`, one for each sample.
    pub(super) bits: Vec<u64>,
    /// `ExtraSamples`.
    pub(super) extra: Vec<u64>,
}

/// The mode; `None` where Pillow knows none, or one that is not in [`Mode`].
pub(super) fn mode(layout: &Layout) -> Option<Mode> {
    let Layout { order, photometric, fill_order, .. } = *layout;
    let little = order == Order::Little;
    let [format] = layout.sample_format[..] else { return None };
    let (bits, extra) = (&layout.bits[..], &layout.extra[..]);
    if fill_order == 2 {
        return reversed(little, photometric, format, bits, extra);
    }
    if fill_order != 1 {
        return None;
    }
    if format != 1 {
        return match (photometric, format, bits, extra) {
            (1, 2, [8], []) => Some(Mode::L),
            (1, 2, [16 | 32], []) => Some(Mode::I),
            (0 | 1, 3, [32], []) => Some(Mode::F),
            _ => None,
        };
    }
    match (photometric, bits, extra) {
        (0 | 1, [1], []) => Some(Mode::Bilevel),
        (0 | 1, [2 | 4 | 8], []) | (6, [8], []) | (1, [8, 8], [0]) => Some(Mode::L),
        (1, [12], []) | (0, [16], []) if little => Some(Mode::I16),
        (1, [16], []) => Some(if little { Mode::I16 } else { Mode::I16B }),
        (1, [32], []) if little => Some(Mode::I),
        (1, [8, 8], [2]) => Some(Mode::La),
        (2, bits, extra) => rgb(bits, extra),
        (3, [1 | 2 | 4 | 8], []) | (3, [8, 8], [0]) => Some(Mode::P),
        (3, [8, 8], [2]) => Some(Mode::Pa),
        (5, [8, 8, 8, 8] | [16, 16, 16, 16], []) | (5, [8, 8, 8, 8, 8], [0]) | (5, [8, 8, 8, 8, 8, 8], [0, 0]) => Some(Mode::Cmyk),
        (6, [8, 8, 8], []) => Some(Mode::YCbCr),
        (8, [8, 8, 8], []) => Some(Mode::Lab),
        _ => None,
    }
}

fn rgb(bits: &[u64], extra: &[u64]) -> Option<Mode> {
    let eight = bits.iter().all(|bits| *bits == 8);
    if !eight && (bits.iter().any(|bits| *bits != 16) || bits.len() > 4) {
        return None;
    }
    match (bits.len(), extra) {
        (3, []) | (4, [0]) | (5, [0, 0]) | (6, [0, 0, 0]) => Some(Mode::Rgb),
        // Four samples without ExtraSamples, and premultiplied or plain alpha.
        (4, [] | [1 | 2]) | (5, [1 | 2, 0]) | (6, [1 | 2, 0, 0]) => Some(Mode::Rgba),
        // Corel Draw 10 writes 999.
        (4, [999]) if eight => Some(Mode::Rgba),
        _ => None,
    }
}

/// The table for `FillOrder` 2.
fn reversed(little: bool, photometric: u64, format: u64, bits: &[u64], extra: &[u64]) -> Option<Mode> {
    match (photometric, format, bits, extra) {
        (0 | 1, 1, [1], []) => Some(Mode::Bilevel),
        (0 | 1, 1, [2 | 4 | 8], []) => Some(Mode::L),
        (1, 1, [16], []) if little => Some(Mode::I16),
        (2, 1, [8, 8, 8], []) => Some(Mode::Rgb),
        (3, 1, [1 | 2 | 4 | 8], []) => Some(Mode::P),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(photometric: u64, format: u64, bits: &[u64], extra: &[u64], order: Order) -> Option<Mode> {
        mode(&Layout { order, photometric, sample_format: vec![format], fill_order: 1, bits: bits.to_vec(), extra: extra.to_vec() })
    }

    #[test]
    fn modes_follow_pillows_table() {
        for (photometric, format, bits, extra, little, big) in [
            (0, 1, &[1][..], &[][..], Some(Mode::Bilevel), Some(Mode::Bilevel)),
            (1, 1, &[16], &[], Some(Mode::I16), Some(Mode::I16B)),
            (0, 1, &[16], &[], Some(Mode::I16), None),
            (1, 1, &[32], &[], Some(Mode::I), None),
            (1, 2, &[32], &[], Some(Mode::I), Some(Mode::I)),
            (1, 3, &[32], &[], Some(Mode::F), Some(Mode::F)),
            (1, 3, &[64], &[], None, None),
            (2, 1, &[8, 8, 8], &[], Some(Mode::Rgb), Some(Mode::Rgb)),
            (2, 1, &[8, 8, 8, 8], &[], Some(Mode::Rgba), Some(Mode::Rgba)),
            (2, 1, &[16, 16, 16, 16], &[0], Some(Mode::Rgb), Some(Mode::Rgb)),
            (2, 1, &[8, 8, 8, 8], &[999], Some(Mode::Rgba), Some(Mode::Rgba)),
            (2, 1, &[8, 8, 8], &[2], None, None),
            (3, 1, &[4], &[], Some(Mode::P), Some(Mode::P)),
            (5, 1, &[8, 8, 8, 8], &[], Some(Mode::Cmyk), Some(Mode::Cmyk)),
            (6, 1, &[8, 8, 8], &[], Some(Mode::YCbCr), Some(Mode::YCbCr)),
            (8, 1, &[8, 8, 8], &[], Some(Mode::Lab), Some(Mode::Lab)),
        ] {
            assert_eq!(of(photometric, format, bits, extra, Order::Little), little, "{photometric} {format} {bits:?} {extra:?} II");
            assert_eq!(of(photometric, format, bits, extra, Order::Big), big, "{photometric} {format} {bits:?} {extra:?} MM");
        }
    }
}
