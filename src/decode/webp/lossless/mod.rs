//! Lossless pictures (RFC 9649, section 3 and 4), read row by row.
//!
//! A reader of our own, which keeps the pixels that a copy can reach and no picture, and so takes a few megabytes where libwebp
//! takes nine bytes a pixel. It is only trusted with good news: where it reads a whole picture in which no rule is broken,
//! libwebp does too, and the rows are the same. Whatever else it finds is left to libwebp.
//!
//! Measured with `check --threads 1` on 28 photographs of 105 megapixels, a Xeon of the Sapphire Rapids kind: 40 megapixels a
//! second, where libwebp gave 27 to 34; two pictures of 100 megapixels at a time take 12 megabytes beside their files.
//!
//! [`bits`] gives bits, [`codes`] prefix codes, [`groups`] the codes of a tile, [`entropy`] coded pixels, [`transforms`] and
//! [`predictor`] make pixels of those.

mod bits;
mod codes;
mod entropy;
mod groups;
mod predictor;
#[cfg(test)]
mod tests;
mod transforms;

use std::time::Instant;

use crate::decode::Picture;
use crate::decode::reduce::{Layout, Reducer};
use crate::model::Size;
use bits::Bits;
use entropy::{Canvas, Coding};
use groups::{Cache, Groups, Tiles};
use predictor::Predictor;
use transforms::{CrossColor, Palette, Transform};

/// The picture of a frame, `data` being its chunk; `None` for what is not whole, or not for certain.
pub(super) fn read(data: &[u8], budget: u64, deadline: Instant) -> Option<Picture> {
    let mut header = Header::read(data)?;
    let size = Size::new(u32::try_from(header.width).ok()?, u32::try_from(header.height).ok()?);
    let layout = if header.has_alpha { Layout::Rgba } else { Layout::Rgb };
    let mut reducer = Reducer::new(size, layout)?;
    let mut bytes = Vec::new();
    header.rows(budget, deadline, |row| {
        bytes.clear();
        if layout == Layout::Rgba {
            bytes.extend(row.iter().flat_map(|pixel| {
                let [blue, green, red, alpha] = pixel.to_le_bytes();
                [red, green, blue, alpha]
            }));
        } else {
            bytes.extend(row.iter().flat_map(|pixel| {
                let [blue, green, red, _] = pixel.to_le_bytes();
                [red, green, blue]
            }));
        }
        reducer.push_row(&bytes);
    })?;
    reducer.finish()
}

/// The header, and what is behind it.
struct Header<'a> {
    width: usize,
    height: usize,
    has_alpha: bool,
    bits: Bits<'a>,
}

impl<'a> Header<'a> {
    fn read(data: &'a [u8]) -> Option<Self> {
        let (head, body) = data.split_first_chunk::<8>()?;
        let [name @ .., l0, l1, l2, l3] = *head;
        let length = usize::try_from(u32::from_le_bytes([l0, l1, l2, l3])).ok()?;
        let (signature, body) = body.get(..length)?.split_first()?;
        if name != *b"VP8L" || *signature != 0x2F {
            return None;
        }
        let mut bits = Bits::new(body);
        let (width, height) = (bits.take(14) as usize + 1, bits.take(14) as usize + 1);
        let has_alpha = bits.flag();
        let version = bits.take(3);
        (version == 0 && !bits.is_overrun()).then_some(Self { width, height, has_alpha, bits })
    }

    /// Gives every row of the picture, as blue, green, red and alpha from the lowest byte on.
    fn rows(&mut self, budget: u64, deadline: Instant, mut give: impl FnMut(&[u32])) -> Option<()> {
        let bits = &mut self.bits;
        let mut budget = usize::try_from(budget).unwrap_or(usize::MAX);
        let mut transforms = Vec::new();
        let (mut width, mut seen) = (self.width, [false; 4]);
        while bits.flag() {
            let kind = bits.take(2) as usize;
            if std::mem::replace(seen.get_mut(kind)?, true) {
                return None;
            }
            transforms.push(match kind {
                0 => {
                    let (tiles, tile_bits) = tiles(bits, width, self.height, &mut budget)?;
                    let modes = tiles.iter().map(|tile| tile.to_le_bytes()[1]).collect();
                    Transform::Predictor(Predictor::new(width, modes, tile_bits))
                }
                1 => {
                    let (tiles, tile_bits) = tiles(bits, width, self.height, &mut budget)?;
                    Transform::CrossColor(CrossColor::new(width, tiles, tile_bits))
                }
                2 => Transform::SubtractGreen,
                _ => {
                    let count = bits.take(8) as usize + 1;
                    let packing = match count {
                        17.. => 0,
                        5..17 => 1,
                        3..5 => 2,
                        _ => 3,
                    };
                    let colors = small_picture(bits, count, 1, &mut budget)?;
                    let palette = Palette::new(width, colors, packing);
                    width = width.div_ceil(1 << packing);
                    Transform::Palette(palette)
                }
            });
        }
        let mut coding = coding(bits, width, self.height, true, &mut budget)?;
        take(&mut budget, Canvas::pixels(width, self.height))?;
        let (mut row, mut spare) = (Vec::new(), Vec::new());
        Canvas::new(width, self.height).read(bits, &mut coding, |first, band| {
            if Instant::now() >= deadline {
                return None;
            }
            for (y, coded) in (first..).zip(band.chunks_exact(width)) {
                row.clear();
                row.extend_from_slice(coded);
                for transform in transforms.iter_mut().rev() {
                    transform.undo(y, &mut row, &mut spare)?;
                }
                give(&row);
            }
            Some(())
        })
    }
}

/// What the pixels of a picture are coded with; only the picture itself may have several groups of codes.
fn coding(bits: &mut Bits<'_>, width: usize, height: usize, may_have_groups: bool, budget: &mut usize) -> Option<Coding> {
    let cache_bits = if bits.flag() { Some(bits.take(4)) } else { None };
    if bits.is_overrun() || cache_bits.is_some_and(|bits| !(1..=11).contains(&bits)) {
        return None;
    }
    let (mut tiles_of_groups, mut written, mut is_used) = (Tiles::one(), 1, vec![true]);
    if may_have_groups && bits.flag() {
        let (tiles, tile_bits) = tiles(bits, width, height, budget)?;
        let numbers: Vec<usize> = tiles.iter().map(|tile| (tile >> 8 & 0xFFFF) as usize).collect();
        written = numbers.iter().max()? + 1;
        is_used = vec![false; written];
        for number in &numbers {
            *is_used.get_mut(*number)? = true;
        }
        // Groups are numbered anew, without those that are not used.
        let mut used = 0_u16;
        let new: Vec<u16> = is_used
            .iter()
            .map(|is_used| {
                let number = used;
                used = used.wrapping_add(u16::from(*is_used));
                number
            })
            .collect();
        let numbers = numbers.iter().filter_map(|number| new.get(*number).copied()).collect();
        tiles_of_groups = Tiles::new(numbers, width.div_ceil(1 << tile_bits), tile_bits);
    }
    let (colors, cache) = cache_bits.map_or((0, None), |bits| (1 << bits, Some(Cache::new(bits))));
    let groups = Groups::read(bits, written, colors, |number| is_used.get(number).copied().unwrap_or(false), budget)?;
    Some(Coding { tiles: tiles_of_groups, groups, cache })
}

/// A picture of which each pixel steers a square tile of the picture; with it, 2 to the power of what is a tile's side.
fn tiles(bits: &mut Bits<'_>, width: usize, height: usize, budget: &mut usize) -> Option<(Vec<u32>, u32)> {
    let tile_bits = 2 + bits.take(3);
    let tile = 1 << tile_bits;
    Some((small_picture(bits, width.div_ceil(tile), height.div_ceil(tile), budget)?, tile_bits))
}

fn small_picture(bits: &mut Bits<'_>, width: usize, height: usize, budget: &mut usize) -> Option<Vec<u32>> {
    let mut coding = coding(bits, width, height, false, budget)?;
    take(budget, width.checked_mul(height)?)?;
    let mut canvas = Canvas::whole(width, height);
    canvas.read(bits, &mut coding, |_, _| Some(()))?;
    Some(canvas.into_pixels())
}

/// Takes room for pixels from a budget of bytes.
fn take(budget: &mut usize, pixels: usize) -> Option<()> {
    *budget = budget.checked_sub(pixels.checked_mul(size_of::<u32>())?)?;
    Some(())
}
