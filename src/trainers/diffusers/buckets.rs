//! Where the diffusers examples put a picture: a ladder of aspects, a list of one's own, or one square. Pure.

use super::super::python::saturated;
use crate::model::{Placement, Size};

/// Width by height of the steps of the automatic ladder, in its order, which decides ties (diffusers 58eb52c0,
/// `src/diffusers/training_utils.py` 499-550).
const ASPECTS: [(u32, u32); 11] = [(1, 1), (4, 5), (5, 4), (2, 3), (3, 2), (3, 4), (4, 3), (9, 16), (16, 9), (1, 2), (2, 1)];

/// Sides of the ladder are multiples of this, and never less.
const STEP: f64 = 16.0;

/// The buckets of the automatic ladder for a picture of this size, each once: none has a larger area than the picture or the square
/// of the resolution, but for rounding (`examples/dreambooth/train_dreambooth_lora_flux2.py` 950-965).
pub(super) fn ladder(size: Size, resolution: u32) -> Vec<Size> {
    let limit = (f64::from(size.width) * f64::from(size.height)).sqrt().round_ties_even();
    let edge = f64::from(resolution).min(limit);
    let mut buckets = Vec::with_capacity(ASPECTS.len());
    for (width, height) in ASPECTS {
        let aspect = f64::from(width) / f64::from(height);
        let exact_height = (edge * edge / aspect).sqrt();
        let bucket = Size::new(to_step(exact_height * aspect), to_step(exact_height));
        if !buckets.contains(&bucket) {
            buckets.push(bucket);
        }
    }
    buckets
}

fn to_step(side: f64) -> u32 {
    saturated(((side / STEP).round_ties_even() * STEP).max(STEP))
}

/// The bucket whose aspect comes nearest, of several the last (`training_utils.py` 486-495). `None` without buckets.
pub(super) fn nearest(size: Size, buckets: &[Size]) -> Option<Size> {
    let product = |one: u32, other: u32| u64::from(one) * u64::from(other);
    // The last of equals: `min_by_key` keeps the first, so the list is read from its end.
    buckets.iter().rev().copied().min_by_key(|bucket| product(size.height, bucket.width).abs_diff(product(size.width, bucket.height)))
}

/// Scales the picture until it covers the bucket, and cuts the centre (`train_dreambooth_lora_flux2.py` 967-977).
pub(super) fn cover(size: Size, bucket: Size) -> Placement {
    let (width, height) = (f64::from(size.width), f64::from(size.height));
    let scale = (f64::from(bucket.height) / height).max(f64::from(bucket.width) / width);
    cut(Size::new(saturated((width * scale).round_ties_even()), saturated((height * scale).round_ties_even())), bucket)
}

/// Scales the shorter side to the resolution, the longer one cut to a whole number, and cuts a square: torchvision's
/// `Resize(int)` and `CenterCrop`.
pub(super) fn square(size: Size, resolution: u32) -> Placement {
    let long = u64::from(resolution) * u64::from(size.long_side()) / u64::from(size.short_side().max(1));
    let long = u32::try_from(long).unwrap_or(u32::MAX);
    let resized = if size.width <= size.height { Size::new(resolution, long) } else { Size::new(long, resolution) };
    cut(resized, Size::new(resolution, resolution))
}

fn cut(resized: Size, bucket: Size) -> Placement {
    let offset = |after: u32, kept: u32| saturated((f64::from(after.saturating_sub(kept)) / 2.0).round_ties_even());
    let crop = [offset(resized.width, bucket.width), offset(resized.height, bucket.height)];
    Placement { bucket, resized, crop }
}

/// Reads `height,width;height,width;...` (`training_utils.py`, `parse_buckets_string`).
pub(super) fn parse(text: &str) -> Option<Vec<Size>> {
    let side = |text: &str| text.trim().parse::<u32>().ok().filter(|&side| side > 0);
    text.split(';')
        .map(|pair| {
            let (height, width) = pair.split_once(',')?;
            Some(Size::new(side(width)?, side(height)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(sizes: &[Size]) -> String {
        sizes.iter().map(Size::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_ladder_has_eleven_steps_at_most() {
        let ladder = ladder(Size::new(4000, 4000), 1024);
        assert_eq!(shown(&ladder), "1024x1024 912x1152 1152x912 832x1248 1248x832 880x1184 1184x880 768x1360 1360x768 720x1456 1456x720");
        assert_eq!(shown(&super::ladder(Size::new(1, 1), 512)), "16x16");
    }

    #[test]
    fn pictures_go_where_the_scripts_put_them() {
        for (size, resolution, bucket, resized) in [
            ((1920, 1080), 1024, "1360x768", "1365x768"),
            ((1080, 1920), 1024, "768x1360", "768x1365"),
            ((4032, 3024), 1024, "1184x880", "1184x888"),
            ((640, 480), 1024, "640x480", "640x480"),
            ((256, 256), 512, "256x256", "256x256"),
            ((832, 1216), 1024, "816x1232", "843x1232"),
            ((100, 3000), 512, "368x720", "368x11040"),
            ((3000, 100), 1024, "768x384", "11520x384"),
            ((1, 1), 512, "16x16", "16x16"),
        ] {
            let size = Size::new(size.0, size.1);
            let placement = cover(size, nearest(size, &ladder(size, resolution)).expect("the ladder is not empty"));
            assert_eq!((placement.bucket.to_string().as_str(), placement.resized.to_string().as_str()), (bucket, resized), "{size}");
        }
    }

    #[test]
    fn a_list_names_heights_first_and_the_last_of_equals_wins() {
        let buckets = parse("1024,768;768,1024").expect("the list is valid");
        assert_eq!(shown(&buckets), "768x1024 1024x768");
        assert_eq!(nearest(Size::new(500, 500), &buckets), Some(Size::new(1024, 768)));
        assert_eq!(nearest(Size::new(500, 500), &[]), None);
        assert!([" ", "1024", "1024,0", "1024,768;"].iter().all(|text| parse(text).is_none()));
    }

    #[test]
    fn torchvision_cuts_the_longer_side_and_the_bucket_scripts_round_it() {
        assert_eq!(square(Size::new(640, 480), 512).resized, Size::new(682, 512));
        assert_eq!(cover(Size::new(640, 480), Size::new(512, 512)).resized, Size::new(683, 512));
        assert_eq!(square(Size::new(640, 480), 512).crop, [85, 0]);
    }

    #[test]
    fn strips_beyond_reason_do_not_overflow() {
        let strip = Size::new(u32::MAX, 1);
        for placement in [square(strip, u32::MAX), cover(strip, Size::new(16, 16))] {
            assert_eq!(placement.resized.width, u32::MAX);
        }
        assert!(!ladder(Size::new(u32::MAX, u32::MAX), u32::MAX).is_empty());
    }
}
