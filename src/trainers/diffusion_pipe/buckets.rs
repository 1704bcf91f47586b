//! Where diffusion-pipe puts a picture or clip: aspect buckets, frame buckets, size buckets. Pure.
//!
//! All from diffusion-pipe 8f83dbf2, `utils/dataset.py`: `DirectoryDataset` and `ARBucketDataset`.

use super::super::python::saturated;
use crate::model::{Placement, Size};

/// A bucket of one's own: `size_buckets = [[width, height, frames], ...]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SizeBucket {
    /// Width and height.
    pub(super) size: Size,
    /// Frames.
    pub(super) frames: u32,
}

/// Rounded to three decimals, each once and sorted (`dedup_and_sort`).
pub(super) fn distinct(values: &[f64], round: fn(f64) -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = values.iter().map(|&value| round(value)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup_by(|one, other| one.total_cmp(other).is_eq());
    values
}

/// Python's `round(value, 3)`, for what the user wrote: it rounds the exact decimal expansion, as formatting does.
pub(super) fn by_python(value: f64) -> f64 {
    format!("{value:.3}").parse().unwrap_or(value)
}

/// NumPy's `round(value, 3)`, for what the trainer computed.
pub(super) fn by_numpy(value: f64) -> f64 {
    (value * 1000.0).round_ties_even() / 1000.0
}

/// Aspects that are spread evenly by their logarithms between two (`numpy.geomspace`).
pub(super) fn spread(least: f64, most: f64, count: u32) -> Vec<f64> {
    let (bottom, top) = (least.log10(), most.log10());
    let step = (top - bottom) / f64::from(count.saturating_sub(1).max(1));
    let inner = |index: u32| 10f64.powf(f64::from(index) * step + bottom);
    // The ends are set and not computed.
    (0..count)
        .map(|index| match index {
            0 => least,
            index if index + 1 == count => most,
            index => inner(index),
        })
        .collect()
}

/// The aspect bucket that comes nearest by the logarithm, of several the first (`_find_closest_ar_bucket`).
pub(super) fn nearest_aspect(size: Size, aspects: &[f64]) -> Option<f64> {
    let own = (f64::from(size.width) / f64::from(size.height)).ln();
    let mut best: Option<(f64, f64)> = None;
    for &aspect in aspects {
        let distance = (own - aspect.ln()).abs();
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, aspect));
        }
    }
    best.map(|(_, aspect)| aspect)
}

/// The frame bucket of a picture or clip: the longest that it fills. `None` for a clip that is too short for any but the bucket of
/// pictures, which clips never use (`_find_closest_ar_bucket`).
///
/// `buckets` holds 1 in any case, for the trainer adds it.
pub(super) fn frame_bucket(frames: u32, buckets: &[u32]) -> Option<u32> {
    let bucket = buckets.iter().copied().filter(|&bucket| bucket <= frames).max()?;
    (frames == 1 || bucket != 1).then_some(bucket)
}

/// Scales the picture until it covers the bucket, and cuts the centre: `ImageOps.fit` (`models/base.py` 41-55), which cuts first, so
/// that the scaled picture is whole numbers here only.
pub(super) fn cover(size: Size, bucket: Size) -> Placement {
    let (width, height) = (f64::from(size.width), f64::from(size.height));
    let scale = (f64::from(bucket.width) / width).max(f64::from(bucket.height) / height);
    let resized = Size::new(saturated((width * scale).round_ties_even()), saturated((height * scale).round_ties_even()));
    Placement::centred(bucket, resized)
}

/// The size of an aspect bucket at one resolution, which is the side of a square (`ARBucketDataset.cache_latents`): it has about
/// the square's area, and sides that are multiples of `step`.
pub(super) fn size_at(aspect: f64, resolution: f64, step: u32) -> Size {
    let area = resolution * resolution;
    let width = (area * aspect).sqrt();
    Size::new(to_step(width, step), to_step(area / width, step))
}

/// `round_to_nearest_multiple` of `utils/common.py`: ties to the even multiple.
fn to_step(side: f64, step: u32) -> u32 {
    saturated((side / f64::from(step)).round_ties_even() * f64::from(step))
}

/// The bucket of one's own that a picture or clip goes to (`_find_closest_size_bucket`).
///
/// The trainer sorts the buckets by frames, longest first, but computes their aspects once each and sorted, and then takes the
/// place in the one list for the place in the other: `None` also stands for a place that the list of buckets does not have.
pub(super) fn nearest_size_bucket(size: Size, frames: u32, buckets: &[SizeBucket]) -> Option<SizeBucket> {
    let mut buckets = buckets.to_vec();
    buckets.sort_by_key(|bucket| std::cmp::Reverse(bucket.frames));
    let aspects: Vec<f64> = buckets.iter().map(|bucket| f64::from(bucket.size.width) / f64::from(bucket.size.height)).collect();
    let own = (f64::from(size.width) / f64::from(size.height)).ln();
    let distances: Vec<f64> = distinct(&aspects, by_numpy).into_iter().map(|aspect| (own - aspect.ln()).abs()).collect();
    let mut order: Vec<usize> = (0..distances.len()).collect();
    order.sort_by(|&one, &other| match (distances.get(one), distances.get(other)) {
        (Some(one), Some(other)) => one.total_cmp(other),
        _ => std::cmp::Ordering::Equal,
    });
    let is_video = frames > 1;
    let candidates = order.into_iter().filter_map(|index| buckets.get(index).copied());
    candidates.filter(|bucket| !(is_video && bucket.frames == 1)).find(|bucket| frames >= bucket.frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aspects_are_spread_and_rounded_as_numpy_does() {
        assert_eq!(distinct(&spread(0.5, 2.0, 7), by_numpy), [0.5, 0.63, 0.794, 1.0, 1.26, 1.587, 2.0]);
        assert_eq!(distinct(&spread(0.25, 4.0, 9), by_numpy), [0.25, 0.354, 0.5, 0.707, 1.0, 1.414, 2.0, 2.828, 4.0]);
        assert_eq!(distinct(&[1.0, 0.5, 1.0004, 0.5], by_python), [0.5, 1.0]);
        assert_eq!(spread(0.5, 2.0, 1), [0.5]);
        assert!(spread(0.5, 2.0, 0).is_empty());
    }

    #[test]
    fn a_clip_fills_the_longest_bucket_it_can_and_never_that_of_pictures() {
        let cases = [(1, Some(1)), (2, None), (32, None), (33, Some(33)), (64, Some(33)), (65, Some(65)), (1000, Some(65))];
        for (frames, bucket) in cases {
            assert_eq!(frame_bucket(frames, &[1, 33, 65]), bucket, "{frames} frames");
        }
        assert_eq!(frame_bucket(0, &[1]), None);
    }

    #[test]
    fn sizes_have_the_area_of_the_resolution() {
        for (aspect, resolution, step, size) in [(1.26, 512.0, 16, "576x464"), (1.587, 512.0, 16, "640x400"), (2.0, 512.0, 16, "720x368")] {
            assert_eq!(size_at(aspect, resolution, step).to_string(), size);
        }
        assert_eq!(size_at(0.25, 768.0, 32), Size::new(384, 1536));
    }

    #[test]
    fn the_nearest_aspect_is_so_by_its_logarithm() {
        let aspects = [0.5, 0.63, 0.794, 1.0, 1.26, 1.587, 2.0];
        for (size, aspect) in [((640, 480), 1.26), ((1920, 1080), 1.587), ((4000, 1000), 2.0), ((1, u32::MAX), 0.5)] {
            assert_eq!(nearest_aspect(Size::new(size.0, size.1), &aspects), Some(aspect));
        }
        assert_eq!(nearest_aspect(Size::new(1, 1), &[]), None);
    }

    #[test]
    fn buckets_of_ones_own_are_taken_by_aspect_then_by_frames() {
        let bucket = |width, height, frames| SizeBucket { size: Size::new(width, height), frames };
        let buckets = [bucket(640, 480, 1), bucket(480, 640, 1)];
        // Both have one frame, so that they keep their order, while their aspects are sorted: the places do not match.
        assert_eq!(nearest_size_bucket(Size::new(1000, 750), 1, &buckets), Some(bucket(480, 640, 1)));
        let sorted = [bucket(480, 640, 1), bucket(640, 480, 1)];
        assert_eq!(nearest_size_bucket(Size::new(1000, 750), 1, &sorted), Some(bucket(640, 480, 1)));
        assert_eq!(nearest_size_bucket(Size::new(1000, 750), 5, &sorted), None);
    }
}
