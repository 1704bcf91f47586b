//! From unfiltered rows to 8-bit colours for the [`Reducer`]: bit depths, palettes, transparent colours.

use super::header::{Color, Header, Tables};
use super::rows::Place;
use crate::decode::Picture;
use crate::decode::reduce::{Layout, Reducer};
use crate::model::Size;

/// Pixels converted at a time, so that the converted row costs little whatever its length.
const BATCH: usize = 4096;

/// Paints the rows of one picture.
pub(super) struct Painter {
    reducer: Reducer,
    source: Source,
    /// Converted samples.
    converted: Vec<u8>,
}

/// How the bytes of a row become 8-bit samples.
enum Source {
    /// They are 8-bit samples already.
    Plain,
    /// Indices of 1, 2, 4 or 8 bits.
    Palette { depth: u8, colors: Box<[[u8; 4]; 256]>, alpha: bool },
    /// Gray of 1, 2 or 4 bits, or any gray with a transparent one.
    Gray { depth: u8, clear: Option<u16> },
    /// 8-bit colours with a transparent one.
    Keyed8 { clear: [u16; 3] },
    /// 16-bit samples, so many a pixel, the last of them alpha or not; with a transparent colour if there is one.
    Wide { samples: usize, alpha: bool, clear: Option<[u16; 3]> },
}

impl Painter {
    /// A painter for the picture; `None` where it has no pixels.
    pub(super) fn new(header: &Header, tables: &Tables<'_>) -> Option<Self> {
        let depth = header.depth;
        let (source, layout) = match (header.color, depth) {
            (Color::Palette, _) => {
                let alpha = tables.transparency.is_some();
                let source = Source::Palette { depth, colors: Box::new(tables.colors()), alpha };
                (source, if alpha { Layout::Rgba } else { Layout::Rgb })
            }
            (Color::Gray, 8) if tables.clear_gray().is_none() => (Source::Plain, Layout::Gray),
            (Color::Gray, _) => {
                let clear = tables.clear_gray();
                (Source::Gray { depth, clear }, if clear.is_some() { Layout::GrayAlpha } else { Layout::Gray })
            }
            (Color::Rgb, 16) => {
                let clear = tables.clear_color();
                (Source::Wide { samples: 3, alpha: false, clear }, if clear.is_some() { Layout::Rgba } else { Layout::Rgb })
            }
            (Color::Rgb, _) => match tables.clear_color() {
                Some(clear) => (Source::Keyed8 { clear }, Layout::Rgba),
                None => (Source::Plain, Layout::Rgb),
            },
            (Color::GrayAlpha, 16) => (Source::Wide { samples: 2, alpha: true, clear: None }, Layout::GrayAlpha),
            (Color::GrayAlpha, _) => (Source::Plain, Layout::GrayAlpha),
            (Color::Rgba, 16) => (Source::Wide { samples: 4, alpha: true, clear: None }, Layout::Rgba),
            (Color::Rgba, _) => (Source::Plain, Layout::Rgba),
        };
        let reducer = Reducer::new(Size::new(header.width, header.height), layout)?;
        Some(Self { reducer, source, converted: Vec::new() })
    }

    /// Takes one row.
    pub(super) fn paint(&mut self, place: Place, row: &[u8]) {
        if matches!(self.source, Source::Plain) && place.stride == 1 {
            return self.reducer.row(place.y, row);
        }
        let pixels = usize::try_from(place.pixels).unwrap_or(usize::MAX);
        let mut start = 0;
        while start < pixels {
            let end = start.saturating_add(BATCH).min(pixels);
            self.converted.clear();
            self.converted.reserve(BATCH * 4);
            self.source.convert(row, start, end, self.reducer.layout(), &mut self.converted);
            let offset = u32::try_from(start).unwrap_or(u32::MAX).saturating_mul(place.stride);
            self.reducer.sparse_row(place.y, place.first.saturating_add(offset), place.stride, &self.converted);
            start = end;
        }
    }

    /// The picture of the rows taken, if there were any.
    pub(super) fn finish(self) -> Option<Picture> {
        self.reducer.finish()
    }
}

impl Source {
    /// Appends the pixels `start..end` of `row` to `out`.
    fn convert(&self, row: &[u8], start: usize, end: usize, layout: Layout, out: &mut Vec<u8>) {
        match self {
            Self::Plain => {
                let channels = layout.channels();
                out.extend_from_slice(row.get(start * channels..end * channels).unwrap_or(&[]));
            }
            Self::Palette { depth, colors, alpha: true } => {
                each_sample(row, *depth, start, end, |index| out.extend_from_slice(&colors[usize::from(index)]));
            }
            Self::Palette { depth, colors, alpha: false } => {
                each_sample(row, *depth, start, end, |index| {
                    let [red, green, blue, _] = colors[usize::from(index)];
                    out.extend_from_slice(&[red, green, blue]);
                });
            }
            Self::Gray { depth: 16, clear } => {
                for &[high, low] in row.get(start * 2..end * 2).unwrap_or(&[]).as_chunks::<2>().0 {
                    out.push(high);
                    if let Some(clear) = clear {
                        out.push(alpha_of(u16::from_be_bytes([high, low]) == *clear));
                    }
                }
            }
            Self::Gray { depth, clear } => {
                // The largest sample is white: 255 is a multiple of 1, 3 and 15.
                let scale = match depth {
                    1 => 255,
                    2 => 85,
                    4 => 17,
                    _ => 1,
                };
                each_sample(row, *depth, start, end, |sample| {
                    out.push(sample.wrapping_mul(scale));
                    if let Some(clear) = clear {
                        out.push(alpha_of(u16::from(sample) == *clear));
                    }
                });
            }
            Self::Keyed8 { clear } => {
                for pixel in row.get(start * 3..end * 3).unwrap_or(&[]).as_chunks::<3>().0 {
                    out.extend_from_slice(pixel);
                    out.push(alpha_of(pixel.map(u16::from) == *clear));
                }
            }
            Self::Wide { samples, alpha, clear } => {
                let bytes = samples * 2;
                for pixel in row.get(start * bytes..end * bytes).unwrap_or(&[]).chunks_exact(bytes) {
                    convert_wide(pixel.as_chunks::<2>().0, *alpha, *clear, out);
                }
            }
        }
    }
}

/// Appends one pixel of 16-bit samples.
fn convert_wide(samples: &[[u8; 2]], alpha: bool, clear: Option<[u16; 3]>, out: &mut Vec<u8>) {
    let colors = samples.len() - usize::from(alpha);
    out.extend(samples.iter().take(colors).map(|[high, _]| *high));
    if let (true, Some(last)) = (alpha, samples.last()) {
        // Only 0 is fully transparent and only 65535 is opaque; the high byte alone would say otherwise near both.
        out.push(match u16::from_be_bytes(*last) {
            0 => 0,
            u16::MAX => 255,
            _ => last[0].clamp(1, 254),
        });
    }
    if let Some(clear) = clear {
        out.push(alpha_of(samples.iter().map(|sample| u16::from_be_bytes(*sample)).eq(clear)));
    }
}

fn alpha_of(is_clear: bool) -> u8 {
    if is_clear { 0 } else { 255 }
}

/// Gives the samples `start..end` of a row whose samples have 1, 2, 4 or 8 bits; the leftmost is in the highest bits
/// (section 7.2).
fn each_sample(row: &[u8], depth: u8, start: usize, end: usize, mut take: impl FnMut(u8)) {
    let depth = depth.clamp(1, 8);
    let per_byte = usize::from(8 / depth);
    let mask = u8::MAX >> (8 - depth);
    let (first, last) = (start / per_byte, end.div_ceil(per_byte));
    let mut left = end - start;
    // Batches begin at whole bytes: their size is a multiple of eight.
    for &byte in row.get(first..last).unwrap_or(&[]) {
        let mut rest = byte;
        for _ in 0..per_byte.min(left) {
            rest = rest.rotate_left(u32::from(depth));
            take(rest & mask);
        }
        left = left.saturating_sub(per_byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_from_the_high_bits_first() {
        let samples = |depth, start, end| {
            let mut got = Vec::new();
            each_sample(&[0b1011_0001, 0x5A], depth, start, end, |sample| got.push(sample));
            got
        };
        assert_eq!(samples(1, 0, 8), [1, 0, 1, 1, 0, 0, 0, 1]);
        assert_eq!(samples(2, 0, 5), [2, 3, 0, 1, 1]);
        assert_eq!(samples(4, 2, 4), [5, 10]);
        assert_eq!(samples(8, 0, 2), [0xB1, 0x5A]);
    }

    #[test]
    fn sixteen_bit_alpha_is_opaque_at_its_end_only() {
        let mut out = Vec::new();
        for alpha in [0, 1, 255, 0xFF00, 0xFFFF_u16] {
            convert_wide(&[[9, 0], alpha.to_be_bytes()], true, None, &mut out);
        }
        assert_eq!(out, [9, 0, 9, 1, 9, 1, 9, 254, 9, 255]);
    }
}
