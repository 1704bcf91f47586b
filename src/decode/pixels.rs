//! Facts computed from a reduced picture: brightness, blankness, perceptual hash. No bytes and no codec here.

use super::Picture;
use crate::model::{Orientation, PixelFacts, Raster};

/// Levels between the darkest and the brightest sample of a raster up to which a picture counts as blank.
///
/// One flat colour comes out of JPEG with errors of one or two levels in either direction; faint text or a horizon in fog
/// differs from its ground by ten and more, even after reduction.
const BLANK_LEVELS: u8 = 4;

/// Levels between the darkest and the brightest of the 32x32 cells below which a picture has too little structure for a
/// perceptual hash: the signs of its frequencies are then rounding noise.
const FLAT_LEVELS: i64 = 6;

/// Strength up to which all kept frequencies together are rounding noise: half a level of one wave. Gradients and stripes along
/// one side have none of the frequencies that are kept, and would all look alike.
const FAINT: i64 = 1 << 35;

/// Cells a side of the picture that is transformed.
const SIDE: usize = 32;

/// Frequencies a side that are kept.
const KEPT: usize = 8;

/// Cells in fixed point: 1/256 of a level.
type Cells = [[i64; SIDE]; SIDE];

/// The facts of a picture that is to be shown with the given orientation.
pub(super) fn facts(picture: &Picture, orientation: Option<Orientation>) -> PixelFacts {
    let luma = &picture.raster.luma;
    let (low, high) = luma.iter().fold((u8::MAX, 0), |(low, high), sample| (low.min(*sample), high.max(*sample)));
    PixelFacts {
        mean: mean(luma),
        blank: high.saturating_sub(low) <= BLANK_LEVELS && !picture.has_detail,
        phash: perceptual_hash(&picture.raster, orientation),
        alpha: picture.alpha,
        colorless: picture.colorless,
    }
}

fn mean(luma: &[u8]) -> f32 {
    let sum: u64 = luma.iter().map(|sample| u64::from(*sample)).sum();
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a mean is told to a few digits")]
    let mean = (sum as f64 / luma.len().max(1) as f64) as f32;
    mean
}

/// A 64-bit perceptual hash: which of the lowest frequencies of the picture are above their median.
///
/// The picture is averaged to 32x32 cells and transformed by a DCT (type II); the frequencies 1 to 8 in both directions
/// are kept, so neither brightness nor a plain gradient along one side counts. Integers only: the hash is the same on
/// every platform. Compare two hashes by the number of differing bits
/// ([`NEAR_DUPLICATE_BITS`](crate::model::NEAR_DUPLICATE_BITS) has the measurements).
///
/// A picture without structure (see [`FLAT_LEVELS`] and [`FAINT`]) gets a hash of its exact samples instead, so that two flat pictures
/// are near each other only when they are the same: different ones differ in about 32 bits, like any two pictures.
fn perceptual_hash(raster: &Raster, orientation: Option<Orientation>) -> u64 {
    let cells = oriented(&cells(raster), orientation);
    let (low, high) = cells.iter().flatten().fold((i64::MAX, i64::MIN), |(low, high), cell| (low.min(*cell), high.max(*cell)));
    if high - low < FLAT_LEVELS * 256 {
        return sample_hash(raster);
    }
    let frequencies = low_frequencies(&cells);
    if frequencies.iter().all(|frequency| frequency.abs() < FAINT) {
        return sample_hash(raster);
    }
    let mut sorted = frequencies;
    sorted.sort_unstable();
    let median = i64::midpoint(sorted[31], sorted[32]);
    frequencies.iter().fold(0, |hash, frequency| (hash << 1) | u64::from(*frequency > median))
}

/// The raster averaged to 32x32 cells, each the exact mean of the area it covers.
fn cells(raster: &Raster) -> Cells {
    let mut cells = [[0; SIDE]; SIDE];
    let (width, height) = (raster.width.max(1), raster.height.max(1));
    for (y, row) in raster.luma.chunks(width).take(height).enumerate() {
        for (cell_y, weight_y) in covered(y, height) {
            for (x, sample) in row.iter().enumerate() {
                for (cell_x, weight_x) in covered(x, width) {
                    cells[cell_y][cell_x] += weight_y * weight_x * i64::from(*sample);
                }
            }
        }
    }
    // A cell covers width * height of the units that `covered` measures in.
    let area = i64::try_from(width * height).unwrap_or(i64::MAX);
    cells.map(|row| row.map(|sum| sum * 256 / area))
}

/// The cells that sample `index` of `count` lies in, and how much of each it covers, in units of 1/32 sample.
fn covered(index: usize, count: usize) -> impl Iterator<Item = (usize, i64)> {
    // On a line of 32 * count units a sample is 32 long and a cell is `count` long.
    let (start, end) = (index * SIDE, (index + 1) * SIDE);
    (start / count..end.div_ceil(count).min(SIDE)).map(move |cell| {
        let overlap = end.min((cell + 1) * count) - start.max(cell * count);
        (cell, i64::try_from(overlap).unwrap_or(0))
    })
}

/// The cells as a person sees them (Exif 3.0, 4.6.5.1.6).
fn oriented(cells: &Cells, orientation: Option<Orientation>) -> Cells {
    const LAST: usize = SIDE - 1;
    let value = orientation.map_or(1, Orientation::value);
    let mut out = [[0; SIDE]; SIDE];
    for (y, row) in out.iter_mut().enumerate() {
        for (x, cell) in row.iter_mut().enumerate() {
            *cell = match value {
                2 => cells[y][LAST - x],
                3 => cells[LAST - y][LAST - x],
                4 => cells[LAST - y][x],
                5 => cells[x][y],
                6 => cells[LAST - x][y],
                7 => cells[LAST - x][LAST - y],
                8 => cells[x][LAST - y],
                _ => cells[y][x],
            };
        }
    }
    out
}

/// The frequencies 1 to 8 of both directions, scaled by whatever the fixed point makes of them.
fn low_frequencies(cells: &Cells) -> [i64; KEPT * KEPT] {
    let basis = basis();
    let rows = cells.map(|row| basis.map(|wave| wave.iter().zip(row).map(|(wave, cell)| wave * cell).sum::<i64>() >> 8));
    let mut frequencies = [0; KEPT * KEPT];
    for (v, wave) in basis.iter().enumerate() {
        for u in 0..KEPT {
            frequencies[v * KEPT + u] = wave.iter().zip(&rows).map(|(wave, row)| wave * row[u]).sum();
        }
    }
    frequencies
}

/// Cosines of the frequencies 1 to 8 in steps of 1/16384; rounding hides what platforms disagree on in the last bit.
fn basis() -> [[i64; SIDE]; KEPT] {
    let mut basis = [[0; SIDE]; KEPT];
    for (frequency, wave) in (1_u8..).zip(&mut basis) {
        for (position, value) in (0_u8..).zip(wave) {
            let angle = std::f64::consts::PI * f64::from(frequency) * (2.0 * f64::from(position) + 1.0) / 64.0;
            #[expect(clippy::cast_possible_truncation, reason = "a cosine times 16384 is small")]
            let rounded = (angle.cos() * 16384.0).round() as i64;
            *value = rounded;
        }
    }
    basis
}

/// A hash of the exact samples: FNV-1a, and a final mix (as in `SplitMix64`) so that every bit of it counts.
fn sample_hash(raster: &Raster) -> u64 {
    let sides = raster.width.to_le_bytes().into_iter().chain(raster.height.to_le_bytes());
    let hash = sides
        .chain(raster.luma.iter().copied())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NEAR_DUPLICATE_BITS;

    fn raster(width: usize, height: usize, luma: impl Fn(usize, usize) -> u8) -> Raster {
        let luma = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| luma(x, y)).collect();
        Raster { width, height, luma }
    }

    fn facts_of(raster: Raster) -> PixelFacts {
        facts(&Picture { raster, alpha: None, colorless: None, has_detail: false }, None)
    }

    /// A lopsided scene in coordinates from 0 to 1.
    fn scene(x: f64, y: f64) -> u8 {
        let hill = if y > 0.6 - 0.3 * (3.0 * x).sin() { 60.0 } else { 190.0 };
        let sun = if (x - 0.2).hypot(y - 0.25) < 0.12 { 65.0 } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
        let luma = (hill + sun - 40.0 * x).clamp(0.0, 255.0) as u8;
        luma
    }

    #[expect(clippy::cast_precision_loss, reason = "small sides")]
    fn scene_of(width: usize, height: usize) -> Raster {
        raster(width, height, |x, y| scene((x as f64 + 0.5) / width as f64, (y as f64 + 0.5) / height as f64))
    }

    fn distance(a: u64, b: u64) -> u32 {
        (a ^ b).count_ones()
    }

    #[test]
    fn mean_and_blankness_are_told() {
        let facts = facts_of(raster(10, 10, |x, _| if x < 5 { 100 } else { 104 }));
        assert!((facts.mean - 102.0).abs() < 1e-4);
        assert!(facts.blank);
        assert!(!facts_of(raster(10, 10, |x, _| if x < 5 { 100 } else { 105 })).blank);
    }

    #[test]
    fn a_picture_at_another_size_has_nearly_the_same_hash() {
        let hash = |width, height| facts_of(scene_of(width, height)).phash;
        for (width, height) in [(128, 96), (100, 75), (64, 48), (250, 180)] {
            let bits = distance(hash(256, 192), hash(width, height));
            assert!(bits <= NEAR_DUPLICATE_BITS / 2, "{width}x{height}: {bits} bits");
        }
    }

    #[test]
    fn gradients_and_stripes_along_one_side_are_not_alike() {
        let level = |value: usize| u8::try_from(value % 256).unwrap();
        let [down, across, stripes] = [
            facts_of(raster(64, 64, |_, y| level(y * 4))).phash,
            facts_of(raster(64, 64, |x, _| level(x * 4))).phash,
            facts_of(raster(64, 64, |x, _| if x / 8 % 2 == 0 { 20 } else { 220 })).phash,
        ];
        for (a, b) in [(down, across), (down, stripes), (across, stripes)] {
            assert!(distance(a, b) > NEAR_DUPLICATE_BITS);
        }
    }

    #[test]
    fn brightness_and_contrast_do_not_change_the_hash_much() {
        let bright = scene_of(200, 150);
        let dim = raster(200, 150, |x, y| bright.luma[y * 200 + x] / 2 + 20);
        assert!(distance(facts_of(dim).phash, facts_of(bright).phash) <= NEAR_DUPLICATE_BITS / 2);
    }

    #[test]
    fn orientation_is_applied_before_hashing() {
        let upright = scene_of(96, 64);
        let seen = |raster: &Raster, value| perceptual_hash(raster, Orientation::new(value));
        // Orientation 8: the file's first row is the left side, its first column the bottom.
        let stored = raster(64, 96, |x, y| upright.luma[(63 - x) * 96 + y]);
        assert_eq!(seen(&stored, 8), seen(&upright, 1), "eight");
        // Orientation 6: the file's first row is the right side, its first column the top.
        let stored = raster(64, 96, |x, y| upright.luma[x * 96 + (95 - y)]);
        assert_eq!(seen(&stored, 6), seen(&upright, 1), "six");
        assert!(distance(seen(&stored, 1), seen(&upright, 1)) > NEAR_DUPLICATE_BITS);
    }

    #[test]
    fn different_flat_pictures_are_far_from_each_other() {
        let flats: Vec<_> =
            (0_u8..40).map(|level| facts_of(raster(64, 64, move |x, y| level * 6 + u8::from((x * y) % 7 == 3))).phash).collect();
        for (index, first) in flats.iter().enumerate() {
            for second in &flats[index + 1..] {
                assert!(distance(*first, *second) > NEAR_DUPLICATE_BITS, "{first:x} {second:x}");
            }
        }
    }

    #[test]
    fn tiny_rasters_are_no_problem() {
        for (width, height) in [(1, 1), (1, 200), (2, 3), (31, 33)] {
            facts_of(scene_of(width, height));
        }
    }
}
