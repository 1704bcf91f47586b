//! Where a trainer puts a picture, and what becomes of a sample in the end.

use std::borrow::Cow;

use super::{Consequence, Outcome, Phase, Size};

/// Share of a picture that a crop may cut away before it is worth a word.
pub const HEAVY_CROP: f64 = 0.25;

/// How a trainer cuts a picture to the size that it trains on: scaled first, then cropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Size in pixels that is trained on. A side may be 0 where a trainer does not catch that.
    pub bucket: Size,
    /// Size in pixels after scaling, before the crop.
    pub resized: Size,
    /// Left and top edge of the bucket inside of the scaled picture, in pixels, for a crop in the centre.
    pub crop: [u32; 2],
}

impl Placement {
    /// The bucket cut out of the centre of the scaled picture; of an odd rest the larger half is behind it.
    #[must_use]
    pub fn centred(bucket: Size, resized: Size) -> Self {
        let offset = |outer: u32, inner: u32| outer.saturating_sub(inner) / 2;
        let crop = [offset(resized.width, bucket.width), offset(resized.height, bucket.height)];
        Self { bucket, resized, crop }
    }

    /// How many times larger than the picture its scaled copy is, along the axis that grows most; below 1 it shrinks.
    #[must_use]
    pub fn scale(&self, picture: Size) -> f64 {
        let ratio = |after: u32, before: u32| f64::from(after) / f64::from(before.max(1));
        ratio(self.resized.width, picture.width).max(ratio(self.resized.height, picture.height))
    }

    /// Share of the scaled picture that is cut away, 0 to 1.
    #[must_use]
    pub fn cropped_share(&self) -> f64 {
        let share = |kept: u32, all: u32| f64::from(kept.min(all)) / f64::from(all.max(1));
        1.0 - share(self.bucket.width, self.resized.width) * share(self.bucket.height, self.resized.height)
    }
}

/// Why a picture of some size has no bucket, and what the trainer does then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unplaced {
    /// What the trainer raises, as Python prints it.
    pub error: Cow<'static, str>,
    /// [`Outcome::Stop`] or [`Outcome::Skip`].
    pub outcome: Outcome,
    /// When.
    pub phase: Phase,
}

impl Unplaced {
    /// The run stops while sizes are read.
    #[must_use]
    pub fn stops(error: impl Into<Cow<'static, str>>) -> Self {
        Self { error: error.into(), outcome: Outcome::Stop, phase: Phase::DatasetScan }
    }

    /// The file is left out while sizes are read.
    #[must_use]
    pub fn skips(error: impl Into<Cow<'static, str>>) -> Self {
        Self { error: error.into(), outcome: Outcome::Skip, phase: Phase::DatasetScan }
    }
}

/// What one trainer does with one sample, all in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fate {
    /// The worst that happens to it, when, and why. For a sample that is trained on as it is, [`Outcome::Train`].
    pub consequence: Consequence,
    /// Its size as the trainer sees it, if it gets so far.
    pub size: Option<Size>,
    /// Where it is put: once for each resolution of the dataset; empty if it is not trained on.
    pub placements: Vec<Placement>,
    /// Why it has no place, if nothing else keeps it from being trained on.
    pub unplaced: Option<Unplaced>,
}

impl Fate {
    /// Whether anything of it is trained on.
    #[must_use]
    pub fn is_trained(&self) -> bool {
        self.consequence.outcome.is_trained()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_and_crop_are_told_from_the_three_sizes() {
        // sd-scripts: 4032x3024 at 512x512 in steps of 64.
        let placement = Placement { bucket: Size::new(576, 448), resized: Size::new(597, 448), crop: [10, 0] };
        assert!((placement.scale(Size::new(4032, 3024)) - 0.148).abs() < 0.001);
        assert!((placement.cropped_share() - 21.0 / 597.0).abs() < 1e-9);
    }

    #[test]
    fn a_bucket_without_pixels_loses_all() {
        let placement = Placement { bucket: Size::new(0, 576), resized: Size::new(40, 600), crop: [20, 12] };
        assert!((placement.cropped_share() - 1.0).abs() < f64::EPSILON);
    }
}
