//! Buckets of sd-scripts (48d368fa): `BucketManager` in `library/train_util.py` 216-366, the list in `library/model_util.py`
//! 1316-1344, the limits in `library/train_util.py` 747-773.

use std::sync::OnceLock;

use super::super::aspect::{MOST_BUCKETS, TOO_MANY_BUCKETS, centred, floor_to, nearest, ratio};
use super::super::python::{ZERO_DIVISION, float, half_up, truncated, zero_division};
use crate::model::{Placement, Size, Unplaced};

/// The limits of `--min_bucket_reso` and `--max_bucket_reso` in steps: rounded down and up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The smallest side in pixels.
    pub min: u32,
    /// The largest side in pixels.
    pub max: u32,
    /// Step of both in pixels.
    pub step: u32,
}

impl Sides {
    /// The limits as they are used (`adjust_min_max_bucket_reso_by_steps`).
    #[must_use]
    pub fn adjusted(self) -> Self {
        let rounded = u64::from(self.max).checked_next_multiple_of(self.step.into()).and_then(|max| u32::try_from(max).ok());
        let min = self.min - self.min.checked_rem(self.step).unwrap_or(0);
        Self { min, max: rounded.unwrap_or(u32::MAX), ..self }
    }
}

/// The buckets for a resolution, in the order that decides between two that are equally near (`make_bucket_resolutions`). The
/// limits are taken as they are.
///
/// ```
/// use walkaround::{model::Size, trainers::kohya::{self, Sides}};
/// let buckets = kohya::bucket_list(Size::new(512, 512), Sides { min: 256, max: 1024, step: 64 }).unwrap();
/// assert_eq!((buckets[0], buckets.len()), (Size::new(256, 832), 17));
/// ```
pub fn bucket_list(resolution: Size, sides: Sides) -> Result<Vec<Size>, &'static str> {
    let Sides { min, max, step } = sides;
    if min == 0 || step == 0 {
        return Err(ZERO_DIVISION);
    }
    let area = resolution.pixels();
    let side = |value: u64| u32::try_from(value.min(max.into())).unwrap_or(max);
    let square = side_of_square(area, step);
    let mut buckets = vec![Size::new(square, square)];
    let mut width = min;
    while width <= max {
        let height = side(floor_to(area / u64::from(width), step));
        // The wider, the lower: what comes now would be too low as well.
        if height < min {
            break;
        }
        if buckets.len() > 2 * MOST_BUCKETS {
            return Err(TOO_MANY_BUCKETS);
        }
        buckets.extend([Size::new(width, height), Size::new(height, width)]);
        let Some(next) = width.checked_add(step) else { break };
        width = next;
    }
    buckets.sort_unstable();
    buckets.dedup();
    // The list of aspect ratios divides by each height.
    if buckets.iter().any(|bucket| bucket.height == 0) { Err(ZERO_DIVISION) } else { Ok(buckets) }
}

/// The side of the largest square that is not above the area.
fn side_of_square(area: u64, step: u32) -> u32 {
    u32::try_from(floor_to(truncated(float(area).sqrt()), step)).unwrap_or(u32::MAX)
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
    /// Limits and step.
    pub(super) sides: Sides,
    /// The list, once it has been asked for.
    list: OnceLock<Result<Vec<Size>, &'static str>>,
}

impl Default for Buckets {
    /// The defaults of `library/config_util.py` 55-150. The resolution has none there; that of SDXL stands in for it.
    fn default() -> Self {
        Self {
            resolution: Size::new(1024, 1024),
            enabled: false,
            no_upscale: false,
            sides: Sides { min: 256, max: 1024, step: 64 },
            list: OnceLock::new(),
        }
    }
}

impl Buckets {
    /// Forgets what was derived from settings that have changed.
    pub(super) fn changed(&mut self) {
        self.list = OnceLock::new();
    }

    /// What the trainer says of the limits before it looks at a picture.
    fn limits(&self) -> Result<Sides, &'static str> {
        let adjusted = self.sides.adjusted();
        if self.resolution.short_side() < adjusted.min {
            return Err("AssertionError: min_bucket_reso must be equal or less than resolution");
        }
        if self.resolution.long_side() > adjusted.max {
            return Err("AssertionError: max_bucket_reso must be equal or greater than resolution");
        }
        Ok(adjusted)
    }

    fn list(&self) -> Result<&[Size], &'static str> {
        let made = self.list.get_or_init(|| {
            if self.enabled { self.limits().and_then(|sides| bucket_list(self.resolution, sides)) } else { Ok(vec![self.resolution]) }
        });
        made.as_deref().map_err(|error| *error)
    }

    /// Where a picture of this size goes (`BucketManager.select_bucket`, `trim_and_resize_if_required`).
    pub(super) fn place(&self, size: Size) -> Result<Placement, Unplaced> {
        if self.enabled && self.no_upscale {
            self.limits().map_err(Unplaced::stops)?;
            return self.place_smaller(size);
        }
        let list = self.list().map_err(Unplaced::stops)?;
        if size.width == 0 || size.height == 0 {
            return Err(zero_division());
        }
        let bucket = if list.binary_search(&size).is_ok() { Some(size) } else { nearest(list, size) };
        let bucket = bucket.ok_or(Unplaced::stops("ValueError: attempt to get argmin of an empty sequence"))?;
        let (width, height) = (f64::from(size.width), f64::from(size.height));
        let scale = if ratio(size) > ratio(bucket) { f64::from(bucket.height) / height } else { f64::from(bucket.width) / width };
        centred([bucket.width.into(), bucket.height.into()], [half_up(width * scale), half_up(height * scale)])
    }

    /// The rule of `bucket_no_upscale`: the picture is reduced if it has too many pixels, and what does not fill a step is cut off.
    /// A bucket of no width is not caught there.
    fn place_smaller(&self, size: Size) -> Result<Placement, Unplaced> {
        if size.height == 0 {
            return Err(zero_division());
        }
        let resized = if size.pixels() > self.resolution.pixels() {
            self.reduced(ratio(size)).ok_or_else(zero_division)?
        } else {
            [size.width.into(), size.height.into()]
        };
        let bucket = resized.map(|side| floor_to(side, self.sides.step));
        if bucket[1] == 0 { Err(zero_division()) } else { centred(bucket, resized) }
    }

    /// The size that a picture of this aspect ratio is reduced to; `None` where the trainer divides by zero.
    fn reduced(&self, aspect: f64) -> Option<[u64; 2]> {
        let area = float(self.resolution.pixels());
        let to_step = |value: f64| floor_to(half_up(value), self.sides.step);
        let quotient = |width: u64, height: u64| (height > 0).then(|| float(width) / float(height));
        let width = (area * aspect).sqrt();
        let height = area / width;
        let by_width = to_step(width);
        let width_first = quotient(by_width, to_step(float(by_width) / aspect))?;
        let by_height = to_step(height);
        let height_first = quotient(to_step(float(by_height) * aspect), by_height)?;
        Some(if (width_first - aspect).abs() < (height_first - aspect).abs() {
            [by_width, half_up(float(by_width) / aspect)]
        } else {
            [half_up(float(by_height) * aspect), by_height]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buckets(side: u32, max: u32, no_upscale: bool) -> Buckets {
        let sides = Sides { min: 256, max, step: 64 };
        Buckets { resolution: Size::new(side, side), enabled: true, no_upscale, sides, ..Buckets::default() }
    }

    fn placed(buckets: &Buckets, width: u32, height: u32) -> String {
        match buckets.place(Size::new(width, height)) {
            Ok(Placement { bucket, resized, crop: [left, top] }) => format!("{bucket} {resized} {left},{top}"),
            Err(unplaced) => unplaced.error.into_owned(),
        }
    }

    // What `BucketManager` of sd-scripts 48d368fa answered when it was run.
    #[test]
    fn the_nearest_aspect_ratio_is_taken_and_the_rest_cut_off() {
        for (side, max, width, height, expected) in [
            (512, 1024, 4032, 3024, "576x448 597x448 10,0"),
            (1024, 1024, 4032, 3024, "1024x768 1024x768 0,0"),
            (1024, 2048, 4032, 3024, "1152x896 1195x896 21,0"),
            (1024, 2048, 1080, 1920, "768x1344 768x1365 0,10"),
            (1024, 2048, 1920, 1024, "1344x768 1440x768 48,0"),
            (1024, 2048, 1024, 1920, "704x1408 751x1408 23,0"),
            (1024, 2048, 50, 20_000, "256x2048 256x102400 0,50176"),
        ] {
            assert_eq!(placed(&buckets(side, max, false), width, height), expected, "{width}x{height} at {side}");
        }
    }

    #[test]
    fn without_enlarging_what_does_not_fill_a_step_is_cut_off() {
        for (side, width, height, expected) in [
            (1024, 1023, 1023, "960x960 1023x1023 31,31"),
            (1024, 1025, 1025, "1024x1024 1024x1024 0,0"),
            (512, 768, 1024, "384x512 384x512 0,0"),
            (1024, 4032, 3024, "1088x832 1109x832 10,0"),
            (1024, 300, 1200, "256x1152 300x1200 22,24"),
            (1024, 10_000, 100, "9984x64 10000x100 8,18"),
            (1024, 50, 20_000, "0x19968 50x20000 25,16"),
            (512, 2000, 63, ZERO_DIVISION),
            (512, 1, 1, ZERO_DIVISION),
        ] {
            assert_eq!(placed(&buckets(side, 1024, true), width, height), expected, "{width}x{height} at {side}");
        }
    }

    #[test]
    fn without_buckets_every_picture_fills_the_resolution() {
        let fixed = Buckets { resolution: Size::new(640, 960), ..Buckets::default() };
        assert_eq!(placed(&fixed, 1024, 768), "640x960 1280x960 320,0");
    }

    #[test]
    fn limits_are_rounded_outwards_and_must_hold_the_resolution() {
        let sides = Sides { min: 200, max: 1000, step: 64 };
        assert_eq!(sides.adjusted(), Sides { min: 192, max: 1024, step: 64 });
        assert!(placed(&buckets(2048, 1024, true), 100, 100).contains("max_bucket_reso must be equal or greater than resolution"));
        assert!(placed(&buckets(128, 1024, false), 100, 100).contains("min_bucket_reso must be equal or less than resolution"));
    }

    #[test]
    fn absurd_settings_come_to_an_end() {
        let all = Size::new(u32::MAX, u32::MAX);
        assert_eq!(bucket_list(all, Sides { min: 1, max: u32::MAX, step: 1 }), Err(TOO_MANY_BUCKETS));
        assert_eq!(bucket_list(all, Sides { min: 0, max: 64, step: 64 }), Err(ZERO_DIVISION));
        assert_eq!(bucket_list(Size::new(8, 8), Sides { min: 64, max: 64, step: 64 }), Err(ZERO_DIVISION));
        for no_upscale in [false, true] {
            let mut wide = buckets(1024, u32::MAX, no_upscale);
            for step in [1, 64, u32::MAX] {
                wide.sides.step = step;
                wide.changed();
                for (width, height) in [(1, 1), (u32::MAX, 1), (1, u32::MAX), (0, 5), (5, 0)] {
                    let _ = wide.place(Size::new(width, height));
                }
            }
        }
    }
}
