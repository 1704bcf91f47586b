//! Which samples a training step holds, for trainers whose order follows from seeds and files. Pure.
//!
//! Each trainer's module takes plain data: the samples of each bucket, in the trainer's own order, and what the order depends on. Where
//! an order cannot be known, the answer is the smallest set that can be proved, or why there is none; never a guess.

mod diffusion_pipe;
mod kohya;
mod onetrainer;

pub use diffusion_pipe::{DiffusionPipeOrder, Share, SizeBucketShares};
pub use kohya::{KohyaDataset, KohyaOrder, Loader};
pub use onetrainer::OneTrainerOrder;

use crate::model::SampleIndex;

/// Passes over a dataset beyond which nothing is computed, for shuffles build on each other.
pub const MAX_PASSES: u32 = 10_000;

/// One batch: its samples in order. A sample with repeats may be there twice.
pub type Batch = Vec<SampleIndex>;

/// The samples of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// These batches, in order.
    Exact(Vec<Batch>),
    /// So many of these batches, each of which is composed exactly so.
    Among {
        /// Batches in the step.
        count: usize,
        /// Those that it may hold.
        batches: Vec<Batch>,
        /// Why it is not known which, in words.
        why: &'static str,
    },
    /// Nothing can be proved; why, in words.
    Unknown(&'static str),
}

/// Cuts samples into batches, the last of which may be short.
fn batches_of(samples: &[SampleIndex], batch_size: u32) -> impl Iterator<Item = Batch> + '_ {
    samples.chunks(usize::try_from(batch_size.max(1)).unwrap_or(usize::MAX)).map(<[_]>::to_vec)
}
