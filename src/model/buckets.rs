//! The bucket table of a dataset: which pictures are trained on together, in how many batches, and which are left out.

use super::{Placement, SampleIndex, Size, Unplaced};

/// A picture in a bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The sample.
    pub sample: SampleIndex,
    /// Its size as the trainer sees it.
    pub size: Size,
    /// How it is scaled and cropped.
    pub placement: Placement,
    /// How often it counts in a pass.
    pub repeats: f64,
}

/// A bucket and its batches in one pass over the dataset, on one GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Bucket {
    /// Width and height in pixels.
    pub size: Size,
    /// The number of the resolution that it belongs to, where a dataset has several.
    pub resolution: usize,
    /// Its pictures, in the order of the samples.
    pub members: Vec<Member>,
    /// Pictures in a pass, repeats counted.
    pub taken: u64,
    /// Batches in a pass.
    pub batches: u64,
    /// Pictures that fill no batch and are left out of a pass.
    pub dropped: u64,
    /// Pictures that are taken again to fill the last batch.
    pub filled: u64,
    /// Whether it is too small for the trainer to start.
    pub stops: bool,
}

impl Bucket {
    /// Largest share that the crop cuts away from one of its pictures, 0 to 1.
    #[must_use]
    pub fn largest_crop(&self) -> f64 {
        self.members.iter().map(|member| member.placement.cropped_share()).fold(0.0, f64::max)
    }

    /// Largest factor that one of its pictures is scaled by.
    #[must_use]
    pub fn largest_scale(&self) -> f64 {
        self.members.iter().map(|member| member.placement.scale(member.size)).fold(0.0, f64::max)
    }

    /// Whether none of its pictures is ever trained on.
    #[must_use]
    pub fn has_vanished(&self) -> bool {
        self.batches == 0 && self.taken > 0
    }
}

/// Where all pictures of one dataset go.
#[derive(Clone, Debug, PartialEq)]
pub struct BucketTable {
    /// The trainer.
    pub trainer: &'static str,
    /// The dataset's folder, as reported paths begin; empty for a single one.
    pub folder: String,
    /// The buckets, largest area first, then by width and resolution.
    pub buckets: Vec<Bucket>,
    /// Pictures that have no bucket, and what the trainer does then; in the order of the samples.
    pub unplaced: Vec<(SampleIndex, Unplaced)>,
    /// Pictures in a batch on one GPU.
    pub batch_size: u32,
    /// Pictures that make a whole step where a smaller bucket vanishes or stops the run.
    pub whole: u32,
    /// Whether other pictures are left out in each pass.
    pub rotates: bool,
    /// Optimizer steps in a pass.
    pub steps: u64,
}

impl BucketTable {
    /// Batches in a pass.
    #[must_use]
    pub fn batches(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.batches).sum()
    }

    /// Pictures that are left out of a pass.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.dropped).sum()
    }
}
