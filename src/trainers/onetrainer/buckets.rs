//! Where `OneTrainer` puts a picture (mgds 3a6994a, `pipelineModules/AspectBucketing.py` and `SingleAspectCalculation.py`).

use super::super::python::{beyond_memory, float, pixels, truncated, zero_division};
use super::set_order::in_set_order;
use crate::model::{Placement, Size, Unplaced};

/// Long side by short side of the buckets (`AspectBucketing.py` 18-28).
const ASPECTS: [f64; 9] = [1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0];

/// A side in pixels, rounded to the nearest multiple of the quantization, halves to the even one.
fn quantized(side: f64, quantization: u32) -> u64 {
    let step = f64::from(quantization);
    // Sides are below 2^34, where floats are exact.
    truncated((side / step).round_ties_even() * step)
}

/// The buckets for a resolution in the trainer's own order, which decides ties: each as height and width in pixels
/// (`AspectBucketing.py` 77-102).
pub(super) fn list(resolution: u32, quantization: u32) -> Vec<(u64, u64)> {
    let edge = f64::from(resolution);
    let wide = ASPECTS.map(|aspect| (1.0 / aspect.sqrt() * edge, aspect / aspect.sqrt() * edge));
    let sides = wide.into_iter().chain(wide.into_iter().map(|(height, width)| (width, height)));
    let quantized: Vec<_> = sides.map(|(height, width)| (quantized(height, quantization), quantized(width, quantization))).collect();
    in_set_order(&quantized)
}

/// The bucket whose height by width is nearest to the picture's, in plain difference; the first of those that are equally near
/// (`AspectBucketing.py` 114-117).
pub(super) fn nearest(picture: Size, resolution: u32, quantization: u32) -> Result<Size, Unplaced> {
    let buckets = list(resolution, quantization);
    if buckets.iter().any(|&(_, width)| width == 0) {
        // Raised when the list is made: the resolution is less than half the quantization, or so small that a strip has no width.
        return Err(zero_division());
    }
    let aspect = f64::from(picture.height) / f64::from(picture.width);
    let distance = |&(height, width): &(u64, u64)| (float(height) / float(width) - aspect).abs();
    let nearest = buckets.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)));
    let (height, width) = nearest.copied().unwrap_or_default();
    size(width, height)
}

/// A fixed size, both sides quantized (`AspectBucketing.py` 132-140, 182-191).
pub(super) fn fixed(wanted: Size, quantization: u32) -> Result<Size, Unplaced> {
    let side = |side: u32| quantized(f64::from(side), quantization);
    size(side(wanted.width), side(wanted.height))
}

/// Scales a picture so that it covers the bucket along the axis that must be cut less, and cuts the bucket out of its centre, as it is
/// without crop jitter (`AspectBucketing.py` 193-209, `ScaleCropImage.py` 42-63).
pub(super) fn cover(picture: Size, bucket: Size) -> Result<Placement, Unplaced> {
    if bucket.width == 0 || picture.width == 0 || picture.height == 0 {
        return Err(zero_division());
    }
    let ratio = |height: u32, width: u32| f64::from(height) / f64::from(width);
    let side = |side: f64| pixels(side.round_ties_even()).ok_or_else(beyond_memory);
    let resized = if ratio(picture.height, picture.width) > ratio(bucket.height, bucket.width) {
        Size::new(bucket.width, side(f64::from(picture.height) * ratio(bucket.width, picture.width))?)
    } else {
        Size::new(side(f64::from(picture.width) * ratio(bucket.height, picture.height))?, bucket.height)
    };
    Ok(Placement::centred(bucket, resized))
}

fn size(width: u64, height: u64) -> Result<Size, Unplaced> {
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width), Ok(height)) => Ok(Size::new(width, height)),
        _ => Err(beyond_memory()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(width: u32, height: u32, resolution: u32, quantization: u32) -> String {
        let picture = Size::new(width, height);
        let bucket = nearest(picture, resolution, quantization).expect("there is a bucket");
        let placement = cover(picture, bucket).expect("it has a place");
        format!("{} {} {:?}", placement.bucket, placement.resized, placement.crop)
    }

    #[test]
    fn pictures_go_where_the_trainer_puts_them() {
        let cases = [
            ((1920, 1080, 1024, 64), "1344x768 1365x768 [10, 0]"),
            ((640, 480, 1024, 64), "1152x896 1195x896 [21, 0]"),
            ((256, 320, 512, 64), "448x576 461x576 [6, 0]"),
            ((639, 641, 512, 64), "512x512 512x514 [0, 1]"),
            ((832, 1216, 1024, 64), "832x1280 876x1280 [22, 0]"),
            ((100, 3000, 512, 64), "256x1024 256x7680 [0, 3328]"),
            ((1, 1, 512, 64), "512x512 512x512 [0, 0]"),
            ((1536, 1024, 512, 8), "624x416 624x416 [0, 0]"),
        ];
        for ((width, height, resolution, quantization), expected) in cases {
            assert_eq!(placed(width, height, resolution, quantization), expected, "{width}x{height}");
        }
    }

    #[test]
    fn the_list_begins_as_the_trainers() {
        let first: Vec<_> = list(256, 8).into_iter().take(4).map(|(height, width)| format!("{width}x{height}")).collect();
        assert_eq!(first, ["512x128", "360x184", "312x208", "184x360"]);
        assert_eq!((list(512, 64).len(), list(1024, 64).len()), (15, 17));
    }

    #[test]
    fn a_quantization_that_swallows_the_resolution_stops_the_trainer() {
        let error = nearest(Size::new(512, 512), 64, 256).expect_err("the square has no width");
        assert_eq!(error.error, "ZeroDivisionError: division by zero");
        assert_eq!(fixed(Size::new(1000, 1000), 64), Ok(Size::new(1024, 1024)));
        assert!(cover(Size::new(512, 512), fixed(Size::new(16, 512), 64).expect("it is small")).is_err());
    }

    #[test]
    fn hostile_sizes_and_settings_are_answered() {
        for picture in [Size::new(1, 1), Size::new(u32::MAX, 1), Size::new(1, u32::MAX), Size::new(0, 7), Size::new(7, 0)] {
            for resolution in [1, 512, u32::MAX] {
                for quantization in [1, 64, u32::MAX] {
                    let _ = nearest(picture, resolution, quantization).and_then(|bucket| cover(picture, bucket));
                }
            }
        }
    }
}
