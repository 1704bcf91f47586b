//! What every trainer answers, so that the rest of the program needs to know none of them.

use std::fmt::Debug;

use super::set::{SetError, Setting};
use crate::model::{Condition, Consequence, Inventory, Obstruction, Placement, Profile, RelPath, SampleFacts, Size, Unplaced};

/// A training program, and the state of its source that the rules here were read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name in arguments, reports and manifests.
    pub name: &'static str,
    /// Its name for readers.
    pub title: &'static str,
    /// Its states, newest first; the first is taken where none is named.
    pub versions: &'static [Version],
    /// The keys that [`Trainer::set`] takes.
    pub keys: &'static [&'static str],
}

/// A state of a trainer's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// What stands behind the `@` of `trainer@version`.
    pub name: &'static str,
    /// The commit, and where the rules need more than one repository, that of each.
    pub commit: &'static str,
    /// Its date, as `2026-02-16`.
    pub date: &'static str,
}

/// Whether a file is one of the dataset's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pickup {
    /// It is.
    Taken,
    /// It is passed over; why, in words.
    PassedOver(&'static str),
}

/// How often each picture is taken in a pass over the dataset, where several resolutions are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolutions {
    /// Once for each of so many (ai-toolkit, diffusion-pipe); 1 where there is only one.
    Each(usize),
    /// Once, at one of so many that is drawn for it (`OneTrainer`).
    OneOf(usize),
}

impl Resolutions {
    /// How many there are.
    #[must_use]
    pub fn count(self) -> usize {
        match self {
            Self::Each(count) | Self::OneOf(count) => count,
        }
    }
}

/// What becomes of the samples of a bucket that do not fill a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remainder {
    /// The last batch is a short one.
    Kept,
    /// The last batch is filled with samples of the same bucket.
    Filled,
    /// They are left out. Whether others are left out in each pass, so that in the end all are trained on.
    Dropped {
        /// Others in each pass.
        rotates: bool,
    },
    /// The last batch is filled, but the run stops where a bucket has fewer samples than one batch.
    FilledOrStops,
}

/// How samples become batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batching {
    /// Samples in a batch on one GPU.
    pub batch_size: u32,
    /// Samples that a bucket must hold for a whole step where the trainer counts so: batch size times GPUs, and for some times
    /// gradient accumulation.
    pub whole: u32,
    /// Batches whose gradients are added up for a step.
    pub accumulation: u32,
    /// What becomes of the rest.
    pub remainder: Remainder,
}

/// One training program with the settings of one dataset.
///
/// Made by [`find`](super::find) with the trainer's own defaults, changed by [`set`](Self::set), and from then on only asked.
pub trait Trainer: Debug + Send + Sync {
    /// What it is.
    fn about(&self) -> &'static About;

    /// The state of its source whose rules are in force: the newest, where only one is known.
    fn version(&self) -> &'static Version {
        &self.about().versions[0]
    }

    /// Takes one setting under the trainer's own key.
    fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError>;

    /// What checks may ask without knowing the trainer.
    fn profile(&self) -> Profile;

    /// Whether it lists this file, by its path inside of the dataset's folder.
    fn picks_up(&self, path: &RelPath) -> Pickup;

    /// The size in pixels that it sorts the picture by: as stored or turned, or what its own reader of headers makes of it.
    /// `None` where nothing can tell it a size; what happens then is [`react`](Self::react)'s to say.
    fn size_of(&self, facts: &SampleFacts) -> Option<Size>;

    /// The resolutions that a picture is taken at.
    fn resolutions(&self) -> Resolutions {
        Resolutions::Each(1)
    }

    /// Where a picture of this size goes at the resolution of this number.
    fn place(&self, size: Size, resolution: usize) -> Result<Placement, Unplaced>;

    /// What it does about a condition of a sample; `None` where it does what every trainer does that loads with Pillow.
    /// Without facts it is about the condition as such.
    fn react(&self, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence>;

    /// How often a sample counts in a pass, by its path inside of the dataset's folder.
    fn repeats(&self, path: &RelPath) -> f64 {
        let _ = path;
        1.0
    }

    /// The same trainer once it has seen what lies in the dataset's folder, where its settings depend on that.
    fn prepared(&self, inventory: &Inventory) -> Option<Box<dyn Trainer>> {
        let _ = inventory;
        None
    }

    /// What lies in the dataset's folder that stops it, or makes it take something for what it is not, before it opens a picture.
    fn obstructions(&self, inventory: &Inventory) -> Vec<Obstruction> {
        let _ = inventory;
        Vec::new()
    }

    /// Of the dataset's sizes, those that can decide where a picture of another size goes, in a trainer whose answer depends on which of
    /// them came first: usually none, and few among a hundred thousand.
    ///
    /// Costs one pass over the sizes. Found once, it serves [`alternatives`](Self::alternatives) for every picture.
    fn deciding_sizes(&self, sizes: &[Size]) -> Vec<Size> {
        let _ = sizes;
        Vec::new()
    }

    /// The other places where a picture of this size may go, in a trainer whose answer depends on which of the dataset's sizes came
    /// first, or is drawn. Costs one pass over `sizes`, for which [`deciding_sizes`](Self::deciding_sizes) are enough.
    fn alternatives(&self, size: Size, sizes: &[Size]) -> Vec<Placement> {
        let _ = (size, sizes);
        Vec::new()
    }

    /// How samples become batches.
    fn batching(&self) -> Batching;
}
