//! What the bucket rules of sd-scripts and musubi-tuner share: lists of buckets, and the one of the nearest aspect ratio.
//!
//! The rules themselves stay with their trainers, and `CPython`'s arithmetic is in `python`.

use std::borrow::Cow;

use crate::model::{Outcome, Phase, Placement, Size, Unplaced};

/// Buckets that a list may have. Real lists have dozens; settings that ask for more mean something else, and the trainer would not
/// come to an end with them either.
pub(super) const MOST_BUCKETS: usize = 1 << 16;

/// What is said of a list with more than [`MOST_BUCKETS`].
pub(super) const TOO_MANY_BUCKETS: &str = "the settings ask for more than 65536 buckets";

/// Width by height.
pub(super) fn ratio(size: Size) -> f64 {
    f64::from(size.width) / f64::from(size.height)
}

/// The largest multiple of the step that is not above the value; the value itself where there is no step.
pub(super) fn floor_to(value: u64, step: u32) -> u64 {
    value - value.checked_rem(step.into()).unwrap_or(0)
}

/// The bucket whose aspect ratio differs least, the first of those that differ equally (numpy's `argmin`).
pub(super) fn nearest(buckets: &[Size], size: Size) -> Option<Size> {
    let wanted = ratio(size);
    let mut best: Option<(f64, Size)> = None;
    for &bucket in buckets {
        let distance = (ratio(bucket) - wanted).abs();
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, bucket));
        }
    }
    best.map(|(_, bucket)| bucket)
}

/// A picture scaled to these sides, from whose centre the bucket is cut.
pub(super) fn centred(bucket: [u64; 2], resized: [u64; 2]) -> Result<Placement, Unplaced> {
    let size = |[width, height]: [u64; 2]| Some(Size::new(u32::try_from(width).ok()?, u32::try_from(height).ok()?));
    let (Some(bucket), Some(resized)) = (size(bucket), size(resized)) else {
        let [width, height] = resized;
        let error = Cow::Owned(format!("the picture is to be scaled to {width}x{height} pixels, which no library can"));
        return Err(Unplaced { error, outcome: Outcome::Stop, phase: Phase::Training });
    };
    Ok(Placement::centred(bucket, resized))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_two_equally_near_buckets_is_taken() {
        // sd-scripts, 1024x1024 in steps of 64: 1.875 lies halfway between 1344x768 (1.75) and 1408x704 (2.0).
        let buckets = [Size::new(1344, 768), Size::new(1408, 704)];
        assert_eq!(nearest(&buckets, Size::new(1920, 1024)), Some(buckets[0]));
        assert_eq!(nearest(&[], Size::new(1, 1)), None);
    }

    #[test]
    fn sides_that_no_library_can_scale_to_are_an_error() {
        let unplaced = centred([256, 1024], [256, 24_211_157_662]).expect_err("the height is above 2^32");
        assert_eq!(unplaced.outcome, Outcome::Stop);
        assert!(unplaced.error.contains("256x24211157662"), "{}", unplaced.error);
    }

    #[test]
    fn multiples_are_those_of_python() {
        assert_eq!((floor_to(1023, 64), floor_to(63, 64), floor_to(7, 0)), (960, 0, 7));
    }
}
