//! Where ai-toolkit puts a picture since 2026-05-28 (27a03a91; commits c9264bdd to 87bac275), with and without buckets.
//!
//! What it did before is in `legacy`.

use super::super::python::{beyond_memory, pixels};
use crate::model::{Placement, Size, Unplaced};

/// The bucket of nearest area: the area of the picture, at most that of the resolution's square, with sides that the model's divisor
/// divides (`toolkit/buckets.py` 20-46). A picture is never enlarged but to the next multiple of the divisor.
///
/// `picture` has two sides of at least 1.
pub(super) fn nearest_area(picture: Size, resolution: u32, divisor: u32) -> Size {
    let most = u128::from(resolution) * u128::from(resolution);
    let wanted = u128::from(picture.pixels()).min(most);
    let shrink = (exact(wanted) / exact(picture.pixels().into())).sqrt();
    let step = f64::from(divisor);
    let (width, height) = (f64::from(picture.width) * shrink / step, f64::from(picture.height) * shrink / step);
    let candidates =
        [(width.floor(), height.floor()), (width.floor(), height.ceil()), (width.ceil(), height.floor()), (width.ceil(), height.ceil())];
    // No side is above 2^32: it is that of the picture, which shrinks or stays, or one step more.
    let side = |steps: f64| pixels(steps).unwrap_or(u32::MAX).saturating_mul(divisor);
    let nearest = candidates
        .into_iter()
        .map(|(width, height)| Size::new(side(width), side(height)))
        .filter(|bucket| bucket.pixels() > 0 && u128::from(bucket.pixels()) <= most)
        .min_by_key(|bucket| u128::from(bucket.pixels()).abs_diff(wanted));
    nearest.unwrap_or_else(|| Size::new(side(width.floor()).max(divisor), side(height.floor()).max(divisor)))
}

/// A whole number as a float: exact below 2^53, above it the nearest.
fn exact(number: u128) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "Python's division of whole numbers rounds too, and no picture has 2^53 pixels")]
    let float = number as f64;
    float
}

/// Scales a picture so that it covers the bucket, each side rounded up, and cuts the bucket out of its centre
/// (`toolkit/dataloader_mixins.py` 268-293). Under `random_crop` the place of the cut is drawn, and the rest is the same.
pub(super) fn cover(picture: Size, bucket: Size) -> Result<Placement, Unplaced> {
    let scale = (f64::from(bucket.width) / f64::from(picture.width)).max(f64::from(bucket.height) / f64::from(picture.height));
    let side = |before: u32| pixels((f64::from(before) * scale).ceil()).ok_or_else(beyond_memory);
    let resized = Size::new(side(picture.width)?, side(picture.height)?);
    Ok(Placement::centred(bucket, resized))
}

/// `square_crop`: the square of the resolution, whether or not the divisor divides it (`toolkit/dataloader_mixins.py` 245-259).
pub(super) fn square(picture: Size, resolution: u32) -> Result<Placement, Unplaced> {
    let mut placement = cover(picture, Size::new(resolution, resolution))?;
    // Only the longer side is cut in its middle; what rounding added to the other one is cut off at its end.
    placement.crop[usize::from(picture.width > picture.height)] = 0;
    Ok(placement)
}

/// `buckets: false`: the largest square in the middle, scaled to the resolution (`toolkit/dataloader_mixins.py`,
/// `load_and_process_image`). The trainer cuts first; what it keeps is told here as a scaled picture that is cut afterwards.
pub(super) fn unbucketed(picture: Size, resolution: u32) -> Result<Placement, Unplaced> {
    let scale = f64::from(resolution) / f64::from(picture.short_side());
    let side = |before: u32| pixels((f64::from(before) * scale).round()).ok_or_else(beyond_memory);
    let resized = Size::new(side(picture.width)?, side(picture.height)?);
    Ok(Placement::centred(Size::new(resolution, resolution), resized))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(width: u32, height: u32, resolution: u32, divisor: u32) -> String {
        let picture = Size::new(width, height);
        let placement = cover(picture, nearest_area(picture, resolution, divisor)).expect("it has a place");
        format!("{} {} {:?}", placement.bucket, placement.resized, placement.crop)
    }

    #[test]
    fn buckets_are_those_of_the_trainer() {
        let cases = [
            ((1920, 1080, 1024, 16), "1360x768 1366x768 [3, 0]"),
            ((4032, 3024, 1024, 16), "1168x896 1195x896 [13, 0]"),
            ((640, 480, 1024, 16), "640x480 640x480 [0, 0]"),
            ((500, 500, 1024, 16), "496x512 512x512 [8, 0]"),
            ((1000, 1500, 1024, 32), "832x1248 832x1248 [0, 0]"),
            ((100, 3000, 512, 16), "80x2816 94x2816 [7, 0]"),
            ((1, 1, 512, 16), "16x16 16x16 [0, 0]"),
            ((1023, 1024, 1024, 16), "1024x1024 1024x1026 [0, 1]"),
            ((1536, 1024, 1024, 8), "1248x840 1260x840 [6, 0]"),
        ];
        for ((width, height, resolution, divisor), expected) in cases {
            assert_eq!(placed(width, height, resolution, divisor), expected, "{width}x{height}");
        }
    }

    #[test]
    fn a_square_is_cut_in_the_middle_of_the_longer_side() {
        let placement = square(Size::new(1920, 1080), 1000).expect("it has a place");
        assert_eq!((placement.resized, placement.crop), (Size::new(1778, 1000), [389, 0]));
        let placement = square(Size::new(333, 1000), 512).expect("it has a place");
        assert_eq!((placement.bucket, placement.crop[0]), (Size::new(512, 512), 0));
    }

    #[test]
    fn hostile_sizes_and_settings_are_answered() {
        for picture in [Size::new(1, 1), Size::new(u32::MAX, 1), Size::new(1, u32::MAX), Size::new(u32::MAX, u32::MAX)] {
            for resolution in [1, 7, u32::MAX] {
                for divisor in [1, 64, u32::MAX] {
                    let bucket = nearest_area(picture, resolution, divisor);
                    assert!(bucket.pixels() > 0, "{picture} at {resolution} by {divisor}");
                    let _ = (cover(picture, bucket), square(picture, resolution), unbucketed(picture, resolution));
                }
            }
        }
        assert_eq!(square(Size::new(u32::MAX, 1), 1024), Err(beyond_memory()));
    }
}
