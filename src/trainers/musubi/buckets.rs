//! Buckets of musubi-tuner (30c658c4): `BucketSelector` in `src/musubi_tuner/dataset/bucket.py` 42-166, `resize_image_to_bucket`
//! in `src/musubi_tuner/dataset/media_utils.py` 101-137.

use std::sync::OnceLock;

use super::super::aspect::{MOST_BUCKETS, TOO_MANY_BUCKETS, centred, floor_to, nearest, ratio};
use super::super::python::{ZERO_DIVISION, float, half_up, truncated, zero_division};
use crate::model::{Placement, Size, Unplaced};

/// The buckets for a resolution, in the order that decides between two that are equally near.
///
/// ```
/// use walkaround::{model::Size, trainers::musubi};
/// let buckets = musubi::bucket_list(Size::new(960, 544), 16).unwrap();
/// assert_eq!(buckets[0], Size::new(352, 1472));
/// ```
pub fn bucket_list(resolution: Size, step: u32) -> Result<Vec<Size>, &'static str> {
    let area = resolution.pixels();
    let root = truncated(float(area).sqrt());
    let mut width = floor_to(root / 2, step);
    if width == 0 || step == 0 {
        return Err(ZERO_DIVISION);
    }
    let end = root.saturating_add(step.into());
    if (end - width) / u64::from(step) > MOST_BUCKETS as u64 {
        return Err(TOO_MANY_BUCKETS);
    }
    let mut buckets = Vec::new();
    while width < end {
        let side = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let (short, long) = (side(width), side(floor_to(area / width, step)));
        // The list of aspect ratios divides by each height.
        if long == 0 {
            return Err(ZERO_DIVISION);
        }
        buckets.extend([Size::new(short, long), Size::new(long, short)]);
        width += u64::from(step);
    }
    buckets.sort_unstable();
    buckets.dedup();
    Ok(buckets)
}

/// The size that a control image is scaled to where `control_resolution` is set (`BucketSelector.calculate_bucket_resolution`): of
/// five widths the one whose aspect ratio comes nearest.
pub fn control_size(size: Size, resolution: Size, step: u32) -> Result<Size, Unplaced> {
    if size.width == 0 || size.height == 0 || step == 0 {
        return Err(zero_division());
    }
    let (area, aspect) = (resolution.pixels(), ratio(size));
    let middle = floor_to(truncated((float(area) * aspect).sqrt()), step);
    let mut best: Option<(f64, [u64; 2])> = None;
    for steps in 0..5 {
        // From two steps below on; one of them is 0 where the middle is not above that.
        let width = (middle + steps * u64::from(step)).checked_sub(2 * u64::from(step)).filter(|&width| width > 0);
        let width = width.ok_or_else(zero_division)?;
        let height = floor_to(area / width, step);
        if height == 0 {
            return Err(zero_division());
        }
        let distance = (float(width) / float(height) - aspect).abs();
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, [width, height]));
        }
    }
    let best = best.map_or([0, 0], |(_, best)| best);
    centred(best, best).map(|placement| placement.bucket)
}

/// How a dataset is sorted into buckets.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    /// Width and height of training.
    pub(super) resolution: Size,
    /// Whether there are buckets at all (`enable_bucket`).
    pub(super) enabled: bool,
    /// Whether pictures are never enlarged (`bucket_no_upscale`).
    pub(super) no_upscale: bool,
    /// Step of the sides in pixels, which the architecture decides.
    pub(super) step: u32,
    /// The list, once it has been asked for.
    list: OnceLock<Result<Vec<Size>, &'static str>>,
}

impl Default for Buckets {
    /// The defaults of `src/musubi_tuner/dataset/config_utils.py` 33-130.
    fn default() -> Self {
        Self { resolution: Size::new(960, 544), enabled: false, no_upscale: false, step: 16, list: OnceLock::new() }
    }
}

impl Buckets {
    /// Forgets what was derived from settings that have changed.
    pub(super) fn changed(&mut self) {
        self.list = OnceLock::new();
    }

    fn list(&self) -> Result<&[Size], &'static str> {
        let made = self.list.get_or_init(|| if self.enabled { bucket_list(self.resolution, self.step) } else { Ok(vec![self.resolution]) });
        made.as_deref().map_err(|error| *error)
    }

    /// Where a picture of this size goes: scaled to cover its bucket, and cut to it. A side of 0 is not caught there.
    pub(super) fn place(&self, size: Size) -> Result<Placement, Unplaced> {
        let list = self.list().map_err(Unplaced::stops)?;
        if size.width == 0 || size.height == 0 {
            return Err(zero_division());
        }
        let bucket = if self.enabled && self.no_upscale && size.pixels() <= self.resolution.pixels() {
            [size.width, size.height].map(|side| floor_to(side.into(), self.step))
        } else {
            let bucket = nearest(list, size).ok_or(zero_division())?;
            [bucket.width.into(), bucket.height.into()]
        };
        let (width, height) = (f64::from(size.width), f64::from(size.height));
        let scale = (float(bucket[0]) / width).max(float(bucket[1]) / height);
        centred(bucket, [half_up(width * scale), half_up(height * scale)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(resolution: [u32; 2], [enabled, no_upscale]: [bool; 2], step: u32, [width, height]: [u32; 2]) -> String {
        let resolution = Size::new(resolution[0], resolution[1]);
        let buckets = Buckets { resolution, enabled, no_upscale, step, ..Buckets::default() };
        match buckets.place(Size::new(width, height)) {
            Ok(Placement { bucket, resized, crop: [left, top] }) => format!("{bucket} {resized} {left},{top}"),
            Err(unplaced) => unplaced.error.into_owned(),
        }
    }

    // What `BucketSelector` of musubi-tuner 30c658c4 answered when it was run.
    #[test]
    fn a_picture_is_scaled_to_cover_its_bucket_and_cut_to_it() {
        const FIXED: [bool; 2] = [false, false];
        const BUCKETS: [bool; 2] = [true, false];
        const SMALLER: [bool; 2] = [true, true];
        for (resolution, kind, step, picture, expected) in [
            ([960, 544], BUCKETS, 16, [1920, 1080], "960x544 967x544 3,0"),
            ([960, 544], BUCKETS, 16, [4032, 3024], "832x624 832x624 0,0"),
            ([960, 544], FIXED, 16, [1080, 1920], "960x544 960x1707 0,581"),
            ([1024, 1024], BUCKETS, 16, [1023, 1023], "1024x1024 1024x1024 0,0"),
            ([1024, 1024], SMALLER, 16, [1023, 1023], "1008x1008 1008x1008 0,0"),
            ([1024, 1024], SMALLER, 16, [640, 480], "640x480 640x480 0,0"),
            ([1024, 1024], SMALLER, 16, [1920, 1080], "1360x768 1365x768 2,0"),
            ([1024, 1024], SMALLER, 16, [10, 300], "0x288 10x288 5,0"),
            ([1024, 1024], BUCKETS, 32, [1920, 1080], "1344x768 1365x768 10,0"),
            ([1328, 1328], BUCKETS, 16, [832, 1216], "1088x1616 1106x1616 9,0"),
            ([1000, 1000], BUCKETS, 16, [1000, 1000], "992x1008 1008x1008 8,0"),
            ([1000, 1000], FIXED, 16, [1024, 768], "1000x1000 1333x1000 166,0"),
        ] {
            assert_eq!(placed(resolution, kind, step, picture), expected, "{picture:?} at {resolution:?}, {kind:?}");
        }
    }

    #[test]
    fn control_images_have_a_size_of_their_own() {
        let size = |width, height| control_size(Size::new(width, height), Size::new(1024, 1024), 16);
        assert_eq!(size(15, 15), Ok(Size::new(1024, 1024)));
        assert_eq!(size(1000, 1), Ok(Size::new(32_336, 32)));
        assert_eq!(size(1, 1000), Err(zero_division()));
    }

    #[test]
    fn absurd_settings_come_to_an_end() {
        let all = Size::new(u32::MAX, u32::MAX);
        assert_eq!(bucket_list(all, 1), Err(TOO_MANY_BUCKETS));
        assert_eq!(bucket_list(Size::new(16, 16), 16), Err(ZERO_DIVISION));
        assert_eq!(bucket_list(all, 0), Err(ZERO_DIVISION));
        for (resolution, picture) in [(all, all), (Size::new(1, 1), all), (all, Size::new(1, u32::MAX)), (all, Size::new(0, 0))] {
            let _ = control_size(picture, resolution, 1);
            let _ = placed([resolution.width, resolution.height], [true, true], 16, [picture.width, picture.height]);
        }
    }
}
