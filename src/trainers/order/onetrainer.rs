//! `OneTrainer` with cached latents: mgds 3a6994a, `AspectBatchSorting.py` 27-60, and `PipelineModule.py` 188-190 for its seeds.

use super::super::random::{PythonRandom, tuple_hash};
use super::{Batch, Located, MAX_PASSES};
use crate::model::SampleIndex;

/// The seed of mgds, which `OneTrainer` never changes (`MGDS.py` 25).
const SEED: i64 = 42;

/// The order of one run.
#[derive(Clone, Debug)]
pub struct OneTrainerOrder {
    /// The samples of each bucket in order, buckets as they are first met.
    pub buckets: Vec<Vec<SampleIndex>>,
    /// Samples in a batch: batch size times GPUs.
    pub batch_size: u32,
    /// Place of the module that sorts batches in the flattened list of modules. It shifts with the model, masks, conditioning images and
    /// trained text encoders, so it has to be told.
    pub module: Option<u32>,
}

impl OneTrainerOrder {
    /// The batches of a pass, counted from 0, in order; `None` if the module's place is not known.
    #[must_use]
    pub fn pass(&self, pass: u32) -> Option<Vec<Batch>> {
        // No index is written -1.
        let seed = tuple_hash(&[SEED, self.module?.into(), pass.into(), -1]);
        let mut random = PythonRandom::new(seed);
        let size = usize::try_from(self.batch_size.max(1)).unwrap_or(usize::MAX);
        let whole = |(bucket, samples): (usize, &Vec<SampleIndex>)| (0..samples.len() / size).map(move |batch| (bucket, batch));
        let mut index: Vec<(usize, usize)> = self.buckets.iter().enumerate().flat_map(whole).collect();
        random.shuffle(&mut index);
        let mut buckets = self.buckets.clone();
        for bucket in &mut buckets {
            random.shuffle(bucket);
        }
        // What does not fill a batch is at the end of its bucket, and so in none of the batches of the index.
        let batch = |(bucket, batch): (usize, usize)| buckets.get(bucket)?.chunks(size).nth(batch).map(<[_]>::to_vec);
        index.into_iter().map(batch).collect()
    }

    /// The samples of a step, counted from 1, which adds up the gradients of `accumulation` batches, across the ends of passes.
    #[must_use]
    pub fn locate(&self, step: u64, accumulation: u32) -> Located {
        let accumulation = u64::from(accumulation.max(1));
        let size = usize::try_from(self.batch_size.max(1)).unwrap_or(usize::MAX);
        let count: usize = self.buckets.iter().map(|bucket| bucket.len() / size).sum();
        let Some(count) = u64::try_from(count).ok().filter(|&count| count > 0) else {
            return Located::Unknown("no bucket fills a batch, so there are no steps");
        };
        let Some(first) = step.checked_sub(1).and_then(|before| before.checked_mul(accumulation)) else {
            return Located::Unknown("steps are counted from 1");
        };
        if (first / count).saturating_add(accumulation / count) > MAX_PASSES.into() {
            return Located::Unknown("it lies beyond the passes that are computed");
        }
        let (mut batches, mut of) = (Vec::new(), None);
        for place in first..first + accumulation {
            let Ok(pass) = u32::try_from(place / count) else { continue };
            if of.as_ref().is_none_or(|&(known, _)| known != pass) {
                let Some(order) = self.pass(pass) else {
                    return Located::Unknown("the place of the batch sorter among the modules of the data loader is not known");
                };
                of = Some((pass, order));
            }
            let batch = of.as_ref().and_then(|(_, order)| order.get(usize::try_from(place % count).ok()?));
            batches.extend(batch.cloned());
        }
        Located::Exact(batches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(module: Option<u32>) -> OneTrainerOrder {
        let bucket = |from, to| (from..to).map(SampleIndex).collect();
        OneTrainerOrder { buckets: vec![bucket(0, 7), bucket(7, 11), bucket(11, 12)], batch_size: 2, module }
    }

    fn numbers(batches: &[Batch]) -> Vec<Vec<u32>> {
        batches.iter().map(|batch| batch.iter().map(|sample| sample.0).collect()).collect()
    }

    #[test]
    fn passes_are_shuffled_as_in_python() {
        // `rand = Random(hash((42, 30, 3, -1)))`, then batches, then buckets in turn.
        assert_eq!(numbers(&order(Some(30)).pass(3).expect("the module is known")), [[5, 3], [6, 4], [9, 7], [0, 1], [8, 10]]);
    }

    #[test]
    fn steps_run_across_passes() {
        let order = order(Some(30));
        let (first, second) = (order.pass(0).expect("it is known"), order.pass(1).expect("it is known"));
        assert_eq!(order.locate(2, 3), Located::Exact([&first[3..], &second[..1]].concat()));
        assert!(matches!(order.locate(0, 1), Located::Unknown(_)));
        assert!(matches!(order.locate(u64::MAX, u32::MAX), Located::Unknown(_)));
    }

    #[test]
    fn without_the_modules_place_nothing_is_said() {
        assert!(matches!(order(None).locate(1, 1), Located::Unknown(_)));
        let empty = OneTrainerOrder { buckets: vec![vec![SampleIndex(0)]], batch_size: 2, module: Some(30) };
        assert!(matches!(empty.locate(1, 1), Located::Unknown(_)));
    }
}
