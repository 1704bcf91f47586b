//! The transforms of a lossless picture (RFC 9649, section 4), undone row by row.

use bytemuck::cast;
use wide::{i16x8, u8x16, u16x8, u32x4};

use super::predictor::Predictor;

/// One transform, with the width of the rows that it makes.
#[derive(Debug)]
pub(super) enum Transform {
    Predictor(Predictor),
    CrossColor(CrossColor),
    SubtractGreen,
    Palette(Palette),
}

impl Transform {
    /// Undoes the transform on row `y`; the row may become longer.
    pub(super) fn undo(&mut self, y: usize, row: &mut Vec<u32>, spare: &mut Vec<u32>) -> Option<()> {
        match self {
            Self::Predictor(predictor) => predictor.row(y, row),
            Self::CrossColor(cross) => cross.row(y, row),
            Self::SubtractGreen => {
                add_green(row);
                Some(())
            }
            Self::Palette(palette) => {
                palette.row(row, spare);
                std::mem::swap(row, spare);
                Some(())
            }
        }
    }
}

/// Colour that is foretold from other channels (section 4.2).
#[derive(Debug)]
pub(super) struct CrossColor {
    /// Multipliers of each tile, row by row: green to red, green to blue, red to blue, from the lowest byte on.
    multipliers: Vec<u32>,
    across: usize,
    bits: u32,
}

impl CrossColor {
    pub(super) fn new(width: usize, multipliers: Vec<u32>, bits: u32) -> Self {
        Self { multipliers, across: width.div_ceil(1 << bits), bits }
    }

    fn row(&self, y: usize, row: &mut [u32]) -> Option<()> {
        let tiles = self.multipliers.get((y >> self.bits) * self.across..)?;
        for (run, multipliers) in row.chunks_mut(1 << self.bits).zip(tiles) {
            let multipliers = Multipliers::new(*multipliers);
            let mut fours = run.chunks_exact_mut(4);
            for four in &mut fours {
                if let Some(pixels) = four.first_chunk_mut::<4>() {
                    *pixels = multipliers.undo(*pixels);
                }
            }
            let rest = fours.into_remainder();
            let mut four = [0; 4];
            four.iter_mut().zip(rest.iter()).for_each(|(lane, pixel)| *lane = *pixel);
            let four = multipliers.undo(four);
            rest.iter_mut().zip(four).for_each(|(pixel, lane)| *pixel = lane);
        }
        Some(())
    }
}

/// Multipliers in lanes of 16 bits, times eight, so that the upper half of a product with a channel times 256 is the product
/// divided by 32.
#[derive(Clone, Copy)]
struct Multipliers {
    /// Green to blue and green to red in turn.
    green: i16x8,
    /// Nothing and red to blue in turn.
    red: i16x8,
}

impl Multipliers {
    fn new(code: u32) -> Self {
        let [to_red, to_blue, red_to_blue, _] = code.to_le_bytes().map(|byte| i16::from(byte.cast_signed()) << 3);
        let pairs = |low: i16, high: i16| i16x8::from([low, high, low, high, low, high, low, high]);
        Self { green: pairs(to_blue, to_red), red: pairs(0, red_to_blue) }
    }

    #[inline]
    fn undo(self, pixels: [u32; 4]) -> [u32; 4] {
        let all: u32x4 = cast(pixels);
        let green = all & u32x4::splat(0xFF00);
        let twice: i16x8 = cast(green | (green << 16));
        let moved: u8x16 = cast::<u32x4, u8x16>(all) + cast::<i16x8, u8x16>(twice.mul_keep_high(self.green));
        // Red and blue in the upper halves of their lanes.
        let red_blue: i16x8 = cast(cast::<u8x16, u16x8>(moved) << 8);
        let more: u32x4 = cast::<i16x8, u32x4>(red_blue.mul_keep_high(self.red)) >> 8;
        let red_blue = cast::<i16x8, u8x16>(red_blue) + cast::<u32x4, u8x16>(more);
        let red_blue: u32x4 = cast(cast::<u8x16, u16x8>(red_blue) >> 8);
        cast(red_blue | (all & u32x4::splat(0xFF00_FF00)))
    }
}

/// Adds green to red and blue (section 4.3).
fn add_green(row: &mut [u32]) {
    for pixel in row {
        let green = *pixel >> 8 & 0xFF;
        let red_blue = (*pixel & 0x00FF_00FF).wrapping_add(green << 16 | green);
        *pixel = *pixel & 0xFF00_FF00 | red_blue & 0x00FF_00FF;
    }
}

/// Colours by their number, several of which may share a pixel's green (section 4.4).
#[derive(Debug)]
pub(super) struct Palette {
    width: usize,
    colors: Vec<u32>,
    /// Numbers that share a pixel are 2 to the power of this.
    bits: u32,
}

impl Palette {
    /// From the differences between colours that are stored.
    pub(super) fn new(width: usize, mut colors: Vec<u32>, bits: u32) -> Self {
        let mut last = [0_u8; 4];
        for color in &mut colors {
            let mut channels = color.to_le_bytes();
            channels.iter_mut().zip(last).for_each(|(channel, last)| *channel = channel.wrapping_add(last));
            last = channels;
            *color = u32::from_le_bytes(channels);
        }
        colors.resize(256, 0);
        Self { width, colors, bits }
    }

    fn row(&self, packed: &[u32], row: &mut Vec<u32>) {
        row.clear();
        let (together, each) = (1 << self.bits, 8 >> self.bits);
        let mask = (1_u32 << each) - 1;
        for (pixel, left) in packed.iter().zip((0..self.width).step_by(together).map(|x| self.width - x)) {
            let mut numbers = *pixel >> 8 & 0xFF;
            for _ in 0..together.min(left) {
                row.push(self.colors.get((numbers & mask) as usize).copied().unwrap_or(0));
                numbers = numbers.checked_shr(each).unwrap_or(0);
            }
        }
    }
}
