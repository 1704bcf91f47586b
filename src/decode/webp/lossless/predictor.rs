//! The predictor transform (RFC 9649, section 4.1): each pixel is the difference to what its neighbours foretell.

use bytemuck::cast;
use wide::{u8x16, u32x4};

/// Alpha of an opaque pixel.
const BLACK: u32 = 0xFF00_0000;

/// The transform, on its way down the picture.
#[derive(Debug)]
pub(super) struct Predictor {
    width: usize,
    /// The mode of each tile, row by row.
    modes: Vec<u8>,
    across: usize,
    bits: u32,
    /// The row above, and behind it the first pixel of this row.
    above: Vec<u32>,
}

impl Predictor {
    pub(super) fn new(width: usize, modes: Vec<u8>, bits: u32) -> Self {
        Self { width, modes, across: width.div_ceil(1 << bits), bits, above: vec![0; width + 1] }
    }

    /// Makes pixels of row `y` from differences. Rows come from the top.
    pub(super) fn row(&mut self, y: usize, row: &mut [u32]) -> Option<()> {
        let tile = 1 << self.bits;
        let modes = self.modes.get((y >> self.bits) * self.across..)?;
        let (first, rest) = row.split_first_mut()?;
        *first = add(*first, if y == 0 { BLACK } else { *self.above.first()? });
        if y == 0 {
            let mut left = *first;
            for pixel in rest {
                left = add(*pixel, left);
                *pixel = left;
            }
        } else {
            *self.above.last_mut()? = *first;
            let mut x = 1;
            for mode in modes.iter().take(self.across) {
                let end = (x / tile * tile + tile).min(self.width);
                let above = self.above.get(x - 1..=end)?;
                let (before, run) = row.get_mut(x - 1..end)?.split_first_mut()?;
                predict(*mode, *before, above, run);
                x = end;
            }
        }
        self.above.get_mut(..self.width)?.copy_from_slice(row);
        Some(())
    }
}

/// Makes pixels of a run from differences. `above` begins a pixel before the run and ends a pixel behind it.
fn predict(mode: u8, left: u32, above: &[u32], run: &mut [u32]) {
    match mode & 0xF {
        1 => chain(left, above, run, |left, _, _, _| left),
        2 => apart(above, run, |_, up, _| up),
        3 => apart(above, run, |_, _, next| next),
        4 => apart(above, run, |corner, _, _| corner),
        5 => chain(left, above, run, |left, _, up, next| average(average(left, next), up)),
        6 => chain(left, above, run, |left, corner, _, _| average(left, corner)),
        7 => chain(left, above, run, |left, _, up, _| average(left, up)),
        8 => apart(above, run, |corner, up, _| average(corner, up)),
        9 => apart(above, run, |_, up, next| average(up, next)),
        10 => chain(left, above, run, |left, corner, up, next| average(average(left, corner), average(up, next))),
        11 => chain(left, above, run, |left, corner, up, _| select(left, up, corner)),
        12 => chain(left, above, run, |left, corner, up, _| {
            (left.saturating_add(up.saturating_sub(corner))).saturating_sub(corner.saturating_sub(up))
        }),
        13 => chain(left, above, run, |left, corner, up, _| half(average(left, up), corner)),
        // 14 and 15 are not used, and are black as 0 is to libwebp.
        _ => apart(above, run, |_, _, _| u8x16::from(cast::<[u32; 4], [u8; 16]>([BLACK; 4]))),
    }
}

/// Pixels that do not depend on the one to the left: four at a time.
#[inline]
fn apart(above: &[u32], run: &mut [u32], predict: impl Fn(u8x16, u8x16, u8x16) -> u8x16) {
    let mut above = above;
    let mut fours = run.chunks_exact_mut(4);
    for four in &mut fours {
        let (Some(corner), Some(up), Some(next)) = (quad(above, 0), quad(above, 1), quad(above, 2)) else { return };
        let Some(pixels) = quad(four, 0) else { return };
        four.copy_from_slice(&cast::<u8x16, [u32; 4]>(pixels + predict(corner, up, next)));
        above = above.get(4..).unwrap_or_default();
    }
    for (pixel, near) in fours.into_remainder().iter_mut().zip(above.windows(3)) {
        let &[corner, up, next] = near else { return };
        *pixel = first(lanes(*pixel) + predict(lanes(corner), lanes(up), lanes(next)));
    }
}

/// Pixels that need the one to the left: one after the other.
#[inline]
fn chain(left: u32, above: &[u32], run: &mut [u32], predict: impl Fn(u8x16, u8x16, u8x16, u8x16) -> u8x16) {
    let mut left = lanes(left);
    for (pixel, near) in run.iter_mut().zip(above.windows(3)) {
        let &[corner, up, next] = near else { return };
        left = lanes(*pixel) + predict(left, lanes(corner), lanes(up), lanes(next));
        *pixel = first(left);
    }
}

#[inline]
fn quad(pixels: &[u32], at: usize) -> Option<u8x16> {
    pixels.get(at..)?.first_chunk::<4>().map(|four| cast(*four))
}

#[inline]
fn lanes(pixel: u32) -> u8x16 {
    cast([pixel, 0, 0, 0])
}

#[inline]
fn first(pixels: u8x16) -> u32 {
    cast::<u8x16, [u32; 4]>(pixels)[0]
}

/// Adds pixels channel by channel.
#[inline]
fn add(one: u32, other: u32) -> u32 {
    const ODD: u32 = 0xFF00_FF00;
    ((one & ODD).wrapping_add(other & ODD) & ODD) | ((one & !ODD).wrapping_add(other & !ODD) & !ODD)
}

/// Half the sum, rounded down: what both have in common, and half of what only one has.
#[inline]
fn average(one: u8x16, other: u8x16) -> u8x16 {
    let halves: u8x16 = cast(cast::<u8x16, u32x4>(one ^ other) >> 1);
    (one & other) + (halves & u8x16::splat(0x7F))
}

/// `left` or `up`, whichever is nearer to `left + up - corner`, all channels together.
#[inline]
fn select(left: u8x16, up: u8x16, corner: u8x16) -> u8x16 {
    let to_left = sum(up.max(corner) - up.min(corner));
    let to_up = sum(left.max(corner) - left.min(corner));
    // libwebp, with `a` above and `b` left: |b - c| - |a - c| <= 0 takes `a`, else `b`.
    let is_left: u8x16 = cast(cast::<u32x4, wide::i32x4>(to_up).simd_gt(cast::<u32x4, wide::i32x4>(to_left)));
    is_left.select(left, up)
}

/// The sums of the four channels of each pixel.
#[inline]
fn sum(pixels: u8x16) -> u32x4 {
    let (all, low) = (cast::<u8x16, u32x4>(pixels), u32x4::splat(0x00FF_00FF));
    let two = (all & low) + ((all >> 8) & low);
    (two + (two >> 16)) & u32x4::splat(0xFFFF)
}

/// `mean` and half of what it is above `corner`, within 0 and 255.
#[inline]
fn half(mean: u8x16, corner: u8x16) -> u8x16 {
    let halved = |difference: u8x16| cast::<u32x4, u8x16>(cast::<u8x16, u32x4>(difference) >> 1) & u8x16::splat(0x7F);
    mean.saturating_add(halved(mean.saturating_sub(corner))).saturating_sub(halved(corner.saturating_sub(mean)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 4.1, channel by channel.
    fn foretold(mode: u8, left: u32, corner: u32, up: u32, next: u32) -> u32 {
        let each = |make: &dyn Fn(usize) -> u8| u32::from_le_bytes([make(0), make(1), make(2), make(3)]);
        let channel = |pixel: u32, n: usize| i32::from(pixel.to_le_bytes()[n]);
        let byte = |value: i32| u8::try_from(value.clamp(0, 255)).unwrap();
        let mean = |a: u32, b: u32| each(&|n| byte(i32::midpoint(channel(a, n), channel(b, n))));
        match mode {
            1 => left,
            2 => up,
            3 => next,
            4 => corner,
            5 => mean(mean(left, next), up),
            6 => mean(left, corner),
            7 => mean(left, up),
            8 => mean(corner, up),
            9 => mean(up, next),
            10 => mean(mean(left, corner), mean(up, next)),
            11 => {
                let distance =
                    |to: u32| (0..4).map(|n| (channel(left, n) + channel(up, n) - channel(corner, n) - channel(to, n)).abs()).sum::<i32>();
                if distance(left) < distance(up) { left } else { up }
            }
            12 => each(&|n| byte(channel(left, n) + channel(up, n) - channel(corner, n))),
            13 => {
                let mean = mean(left, up);
                each(&|n| byte(channel(mean, n) + (channel(mean, n) - channel(corner, n)) / 2))
            }
            _ => BLACK,
        }
    }

    #[test]
    fn all_modes_foretell_what_the_standard_says() {
        let mut state = 1_u32;
        for mode in 0..16 {
            // Noise, and values so close to each other that distances tie.
            for mask in [u32::MAX, 0x0303_0303] {
                let mut next = || {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state ^ state >> 15).wrapping_mul(0x9E37_79B1) & mask
                };
                let (above, differences): (Vec<_>, Vec<_>) = ((0..203).map(|_| next()).collect(), (0..201).map(|_| next()).collect());
                let left = next();
                let mut run = differences.clone();
                predict(mode, left, &above, &mut run);
                let mut before = left;
                for (x, pixel) in run.iter().enumerate() {
                    let wanted = add(differences[x], foretold(mode, before, above[x], above[x + 1], above[x + 2]));
                    assert_eq!(*pixel, wanted, "mode {mode}, pixel {x}");
                    before = *pixel;
                }
            }
        }
    }
}
