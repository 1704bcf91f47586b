//! diffusion-pipe 8f83dbf2: the same order in each pass and under each user's seed, for all shuffles are seeded by names and numbers.
//!
//! Facts from `utils/dataset.py`: `_get_ungrouped_metadata`, `SizeBucketDataset`, `ConcatenatedBatchedDataset` and `Dataset`.

use super::super::random::{NumpyRandom, PythonRandom, seed_of_name};
use super::{Batch, Located};
use crate::model::SampleIndex;

/// What one folder has in one size bucket.
#[derive(Clone, Debug)]
pub struct Share {
    /// The folder's samples of this bucket, in the order of [`DiffusionPipeOrder::of_folder`].
    pub samples: Vec<SampleIndex>,
    /// How often each is taken in a pass; a fraction of a sample is none.
    pub repeats: f64,
}

/// A size bucket: what each folder has in it.
#[derive(Clone, Debug)]
pub struct SizeBucketShares {
    /// The bucket as Python prints it, such as `(1.26, 576, 464, 1)`: aspect, width, height, frames.
    pub name: String,
    /// In the order of the folders in the configuration.
    pub shares: Vec<Share>,
}

/// The order of one run whose samples have one caption each.
#[derive(Clone, Debug)]
pub struct DiffusionPipeOrder {
    /// The buckets in the trainer's order, if that is known.
    pub buckets: Vec<SizeBucketShares>,
    /// Whether it is. Aspect buckets come as a Python set yields them, which the trainer writes into
    /// `cache/<model>/metadata/grouping_keys.json`.
    pub is_ordered: bool,
    /// Samples in a step: batch size times accumulation steps times GPUs that work side by side.
    pub whole: u32,
}

impl DiffusionPipeOrder {
    /// The order that a folder's listed files have, from their places in the sorted list: files that are left out later are listed, too.
    /// The folder is written as Python's `Path` prints it.
    ///
    /// ```
    /// use walkaround::trainers::order::DiffusionPipeOrder;
    /// assert_eq!(DiffusionPipeOrder::of_folder("/data/cats", 6), [0, 5, 1, 3, 4, 2]);
    /// ```
    #[must_use]
    pub fn of_folder(folder: &str, files: usize) -> Vec<usize> {
        NumpyRandom::new(seed_of_name(folder)).permutation(files)
    }

    /// The steps of a pass: in order, if the order of the buckets is known.
    #[must_use]
    pub fn pass(&self) -> Vec<Batch> {
        let buckets: Vec<Vec<Batch>> = self.buckets.iter().map(|bucket| self.steps(bucket)).collect();
        let mut index: Vec<usize> = buckets.iter().enumerate().flat_map(|(number, steps)| steps.iter().map(move |_| number)).collect();
        PythonRandom::new(0).shuffle(&mut index);
        let mut steps: Vec<_> = buckets.into_iter().map(Vec::into_iter).collect();
        index.into_iter().filter_map(|number| steps.get_mut(number)?.next()).collect()
    }

    /// The samples of a step, counted from 1.
    #[must_use]
    pub fn locate(&self, step: u64) -> Located {
        let pass = self.pass();
        let count = u64::try_from(pass.len()).unwrap_or(u64::MAX);
        let Some(place) = step.checked_sub(1).and_then(|before| usize::try_from(before.checked_rem(count)?).ok()) else {
            return Located::Unknown(if step == 0 { "steps are counted from 1" } else { "no bucket fills a step" });
        };
        if self.is_ordered || self.buckets.len() < 2 {
            return pass.get(place).map_or(Located::Unknown("no bucket fills a step"), |step| Located::Exact(vec![step.clone()]));
        }
        Located::Among {
            count: 1,
            batches: pass,
            why: "the order of the buckets is that of a Python set, which the trainer keeps in grouping_keys.json",
        }
    }

    /// The steps of one bucket: what does not fill one is cut off.
    fn steps(&self, bucket: &SizeBucketShares) -> Vec<Batch> {
        let seed = seed_of_name(&bucket.name);
        let (mut owners, mut queues) = (Vec::new(), Vec::new());
        for (number, share) in bucket.shares.iter().enumerate() {
            let order = NumpyRandom::new(seed).permutation(share.samples.len());
            let samples: Vec<SampleIndex> = order.into_iter().filter_map(|place| share.samples.get(place).copied()).collect();
            let taken = taken(samples.len(), share.repeats);
            owners.extend(std::iter::repeat_n(number, if samples.is_empty() { 0 } else { taken }));
            queues.push(samples.into_iter().cycle());
        }
        PythonRandom::new(0).shuffle(&mut owners);
        let samples: Vec<SampleIndex> = owners.into_iter().filter_map(|owner| queues.get_mut(owner)?.next()).collect();
        let whole = usize::try_from(self.whole.max(1)).unwrap_or(usize::MAX);
        samples.chunks_exact(whole).map(<[_]>::to_vec).collect()
    }
}

/// `int(count * repeats)`, and not more than ten million, which nobody means.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of samples are small, and the rest is clamped"
)]
fn taken(count: usize, repeats: f64) -> usize {
    (count as f64 * repeats).clamp(0.0, 1e7) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(is_ordered: bool) -> DiffusionPipeOrder {
        let share = |from, to, repeats| Share { samples: (from..to).map(SampleIndex).collect(), repeats };
        DiffusionPipeOrder {
            buckets: vec![
                SizeBucketShares { name: "(1.0, 512, 512, 1)".to_owned(), shares: vec![share(0, 5, 1.0), share(5, 8, 1.5)] },
                SizeBucketShares { name: "(1.26, 576, 464, 1)".to_owned(), shares: vec![share(8, 13, 1.0)] },
            ],
            is_ordered,
            whole: 2,
        }
    }

    #[test]
    fn a_pass_is_that_of_the_trainers_own_shuffles() {
        let pass: Vec<Vec<u32>> = order(true).pass().iter().map(|batch| batch.iter().map(|sample| sample.0).collect()).collect();
        assert_eq!(pass, [[11, 10], [7, 6], [0, 2], [3, 1], [8, 9], [4, 5]]);
    }

    #[test]
    fn passes_repeat_and_unknown_orders_are_said() {
        let known = order(true);
        assert_eq!(known.locate(1), known.locate(1 + 6));
        assert_eq!(known.locate(2), Located::Exact(vec![known.pass()[1].clone()]));
        assert!(matches!(order(false).locate(2), Located::Among { count: 1, batches, .. } if batches.len() == 6));
        assert!(matches!(known.locate(0), Located::Unknown(_)));
        let large = DiffusionPipeOrder { whole: 100, ..order(true) };
        assert!(matches!(large.locate(1), Located::Unknown(_)));
    }
}
