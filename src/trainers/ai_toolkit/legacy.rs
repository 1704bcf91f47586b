//! The buckets of ai-toolkit before 2026-05-28 (before c9264bdd, `toolkit/buckets.py`): a list for 1024 pixels, scaled.

use super::super::python::pixels;
use crate::model::Size;

/// The sizes for 1024x1024 that SDXL's report lists (arXiv 2307.01952, appendix I), wide before high and without 704x1344, then two
/// strips: the order decides ties.
const SIZES: [(u32, u32); 42] = [
    (1024, 1024),
    (2048, 512),
    (1984, 512),
    (1920, 512),
    (1856, 512),
    (1792, 576),
    (1728, 576),
    (1664, 576),
    (1600, 640),
    (1536, 640),
    (1472, 704),
    (1408, 704),
    (1344, 704),
    (1344, 768),
    (1280, 768),
    (1216, 832),
    (1152, 832),
    (1152, 896),
    (1088, 896),
    (1088, 960),
    (1024, 960),
    (960, 1024),
    (960, 1088),
    (896, 1088),
    (896, 1152),
    (832, 1152),
    (832, 1216),
    (768, 1280),
    (768, 1344),
    (704, 1408),
    (704, 1472),
    (640, 1536),
    (640, 1600),
    (576, 1664),
    (576, 1728),
    (576, 1792),
    (512, 1856),
    (512, 1920),
    (512, 1984),
    (512, 2048),
    (8192, 128),
    (128, 8192),
];

/// The bucket of the list, scaled to the resolution or to the picture's own if that is smaller, that cuts off the fewest pixels. A
/// side is 0 where the divisor is larger than it, which the trainer does not catch.
///
/// `picture` has two sides of at least 1.
pub(super) fn fewest_cut(picture: Size, resolution: u32, divisor: u32) -> Size {
    // Beyond 2^53 the root may be one too large, as Python's `int(pixels ** 0.5)` is.
    #[expect(clippy::cast_precision_loss, reason = "Python rounds too")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a root of 64 bits fits into 32, and `as` saturates")]
    let own = (picture.pixels() as f64).sqrt() as u32;
    let scale = f64::from(resolution.min(own)) / 1024.0;
    let buckets = || {
        SIZES.into_iter().map(|(width, height)| {
            let side = |base: u32| {
                let scaled = pixels(f64::from(base) * scale).unwrap_or(u32::MAX);
                scaled - scaled % divisor.max(1)
            };
            Size::new(side(width), side(height))
        })
    };
    if let Some(same) = buckets().find(|bucket| *bucket == picture) {
        return same;
    }
    buckets().min_by_key(|bucket| cut_pixels(picture, *bucket)).unwrap_or(Size::new(0, 0))
}

/// Pixels of the scaled picture outside of the bucket, the corner counted twice.
fn cut_pixels(picture: Size, bucket: Size) -> i128 {
    let scale = (f64::from(bucket.width) / f64::from(picture.width)).max(f64::from(bucket.height) / f64::from(picture.height));
    #[expect(clippy::cast_possible_truncation, reason = "Python's `int()` cuts too, and two sides below 2^32 scale to below 2^64")]
    let scaled = |side: u32| (f64::from(side) * scale) as i128;
    let (width, height) = (scaled(picture.width), scaled(picture.height));
    let (right, below) = (width - i128::from(bucket.width), height - i128::from(bucket.height));
    right.saturating_mul(height).saturating_add(below.saturating_mul(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_the_trainer() {
        let cases = [
            ((1920, 1080, 1024, 16), "1344x768"),
            ((4032, 3024, 1024, 16), "1152x832"),
            ((640, 480, 1024, 16), "608x448"),
            ((500, 500, 1024, 16), "496x496"),
            ((832, 1216, 1024, 16), "816x1184"),
            ((1000, 1500, 1024, 32), "832x1216"),
            ((100, 3000, 512, 16), "64x4096"),
            ((1, 1, 512, 16), "0x0"),
            // 704x1344 is in the list as 1344x704 only.
            ((943, 1747, 1024, 64), "768x1344"),
        ];
        for ((width, height, resolution, divisor), expected) in cases {
            assert_eq!(fewest_cut(Size::new(width, height), resolution, divisor).to_string(), expected, "{width}x{height}");
        }
    }

    #[test]
    fn hostile_sizes_are_answered() {
        for picture in [Size::new(1, 1), Size::new(u32::MAX, 1), Size::new(1, u32::MAX), Size::new(u32::MAX, u32::MAX)] {
            for (resolution, divisor) in [(1, 1), (u32::MAX, 1), (u32::MAX, u32::MAX), (1024, 0)] {
                let _ = fewest_cut(picture, resolution, divisor);
            }
        }
    }
}
