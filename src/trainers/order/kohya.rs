//! sd-scripts 48d368fa: which batches there are in an epoch, and, where the sampler's seed is known, in which order.
//!
//! Facts from `library/config_util.py` 586-599, `library/train_util.py` 781-792, 987-1091 and 6648-6665, and `train_network.py` 503-505
//! and 778-805.

use super::super::random::{PythonRandom, TorchRandom};
use super::{Batch, Located, MAX_PASSES, batches_of};
use crate::model::SampleIndex;

/// The samples of one dataset of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KohyaDataset {
    /// The samples of each bucket, buckets sorted by width and height; each as often as it is repeated, one after the other.
    pub buckets: Vec<Vec<SampleIndex>>,
    /// Samples in a batch.
    pub batch_size: u32,
}

/// How batches are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loader {
    /// Worker processes (`max_data_loader_n_workers`, at most one for each processor); 0 loads in the main process.
    pub workers: u32,
    /// Whether workers live on from epoch to epoch (`persistent_data_loader_workers`).
    pub persistent: bool,
}

/// The order of one run on one GPU.
#[derive(Clone, Debug)]
pub struct KohyaOrder {
    datasets: Vec<KohyaDataset>,
    seed: i64,
    loader: Loader,
}

/// The samples of a dataset as they lie at some time, and the order of its batches.
struct State {
    /// Number of the bucket, and of the batch in it.
    index: Vec<(usize, usize)>,
    buckets: Vec<Vec<SampleIndex>>,
}

impl KohyaOrder {
    /// For the seed that datasets get, which is [`dataset_seed`](Self::dataset_seed) of the run's.
    #[must_use]
    pub fn new(datasets: Vec<KohyaDataset>, dataset_seed: i64, loader: Loader) -> Self {
        Self { datasets, seed: dataset_seed, loader }
    }

    /// The seed that datasets get in a run with `--seed`: the first number drawn after it is set. Without `--seed` it is different
    /// in each run, and `validation_split` without `validation_seed` draws before it.
    #[must_use]
    pub fn dataset_seed(seed: i64) -> i64 {
        i64::try_from(PythonRandom::new(seed).below((1 << 31) + 1)).unwrap_or(i64::MAX)
    }

    /// Batches in an epoch.
    #[must_use]
    pub fn count(&self) -> usize {
        let of_dataset = |dataset: &KohyaDataset| -> usize {
            let size = usize::try_from(dataset.batch_size.max(1)).unwrap_or(usize::MAX);
            dataset.buckets.iter().map(|bucket| bucket.len().div_ceil(size)).sum()
        };
        self.datasets.iter().map(of_dataset).sum()
    }

    /// The batches of an epoch, counted from 1, as datasets number them; epoch 0 is what they hold before the first epoch begins.
    /// `None` beyond [`MAX_PASSES`].
    #[must_use]
    pub fn batches(&self, epoch: u32) -> Option<Vec<Batch>> {
        if epoch > MAX_PASSES {
            return None;
        }
        Some(self.datasets.iter().flat_map(|dataset| self.state(dataset, epoch)).collect())
    }

    /// Batches at the beginning of an epoch that are still those of another, because datasets learn of a new epoch only after each
    /// worker has loaded its first; and the epoch that they are of.
    #[must_use]
    pub fn stale(&self, epoch: u32) -> (usize, u32) {
        let Loader { workers, persistent } = self.loader;
        let before = epoch.saturating_sub(1);
        // Workers that are started anew get the datasets as the main process holds them, where no epoch ever begins.
        let of = if workers == 0 || persistent { before } else { 0 };
        (usize::try_from(workers.max(1)).unwrap_or(usize::MAX), of)
    }

    /// The batches of an epoch, counted from 1, in the order in which they are trained on, where the seed of its sampler is known.
    #[must_use]
    pub fn visits(&self, epoch: u32, sampler_seed: u64) -> Option<Vec<Batch>> {
        let (stale, of) = self.stale(epoch);
        let (now, before) = (self.batches(epoch)?, self.batches(of)?);
        let order = TorchRandom::new(sampler_seed).permutation(now.len());
        let at = |(place, number): (usize, usize)| if place < stale { &before } else { &now }.get(number).cloned();
        order.into_iter().enumerate().map(at).collect()
    }

    /// The seeds of the samplers of the first epochs, where torch's generator on the CPU was seeded just before the first and nothing
    /// else draws from it. In a real run nearly everything does: making the model's weights, timesteps, sampling pictures.
    #[must_use]
    pub fn sampler_seeds(&self, torch_seed: u64, epochs: u32) -> Vec<u64> {
        let mut random = TorchRandom::new(torch_seed);
        let keeps_workers = self.loader.persistent && self.loader.workers > 0;
        let mut seeds = Vec::new();
        for epoch in 0..epochs.min(MAX_PASSES) {
            // A new iterator draws a seed for its workers first.
            if epoch == 0 || !keeps_workers {
                random.next_seed();
            }
            seeds.push(random.next_seed());
        }
        seeds
    }

    /// The samples of a step, counted from 1, which adds up the gradients of `accumulation` batches; with the seed of the sampler of
    /// its epoch, if that is known.
    #[must_use]
    pub fn locate(&self, step: u64, accumulation: u32, sampler_seed: Option<u64>) -> Located {
        let (count, accumulation) = (self.count(), usize::try_from(accumulation.max(1)).unwrap_or(usize::MAX));
        let Some(before) = step.checked_sub(1) else { return Located::Unknown("steps are counted from 1") };
        let Some(steps) = u64::try_from(count.div_ceil(accumulation)).ok().filter(|&steps| steps > 0) else {
            return Located::Unknown("there are no samples");
        };
        let beyond = Located::Unknown("it lies beyond the epochs that are computed");
        let (Ok(passed), Ok(place)) = (u32::try_from(before / steps), usize::try_from(before % steps)) else { return beyond };
        let epoch = passed.saturating_add(1);
        let first = place * accumulation;
        let held = accumulation.min(count - first);
        if let Some(seed) = sampler_seed {
            let visits = self.visits(epoch, seed);
            return visits.map_or(beyond, |visits| Located::Exact(visits.into_iter().skip(first).take(held).collect()));
        }
        let (stale, of) = self.stale(epoch);
        let is_mixed = first < stale && first + held > stale;
        let mut epochs = if first < stale { vec![of] } else { vec![epoch] };
        if is_mixed {
            epochs.push(epoch);
        }
        let batches: Option<Vec<_>> = epochs.into_iter().map(|epoch| self.batches(epoch)).collect();
        batches.map_or(beyond, |batches| Located::Among {
            count: held,
            batches: batches.concat(),
            why: "the order of batches is drawn from torch's generator, whose state depends on every draw since the run began",
        })
    }

    fn state(&self, dataset: &KohyaDataset, epoch: u32) -> Vec<Batch> {
        let size = usize::try_from(dataset.batch_size.max(1)).unwrap_or(usize::MAX);
        let batches_in =
            |(bucket, samples): (usize, &Vec<SampleIndex>)| (0..samples.len().div_ceil(size)).map(move |batch| (bucket, batch));
        let index = dataset.buckets.iter().enumerate().flat_map(batches_in).collect();
        let mut state = State { index, buckets: dataset.buckets.clone() };
        // The first shuffle comes before the datasets get their seed, and so with 0.
        state.shuffle(0);
        for epoch in 1..=i64::from(epoch) {
            state.shuffle(self.seed.saturating_add(epoch));
        }
        let batches: Vec<Vec<Batch>> = state.buckets.iter().map(|bucket| batches_of(bucket, dataset.batch_size).collect()).collect();
        state.index.iter().filter_map(|&(bucket, batch)| batches.get(bucket)?.get(batch).cloned()).collect()
    }
}

impl State {
    fn shuffle(&mut self, seed: i64) {
        let mut random = PythonRandom::new(seed);
        random.shuffle(&mut self.index);
        for bucket in &mut self.buckets {
            random.shuffle(bucket);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(workers: u32, persistent: bool) -> KohyaOrder {
        let bucket = |from, to| (from..to).map(SampleIndex).collect();
        let dataset = KohyaDataset { buckets: vec![bucket(0, 5), bucket(5, 7)], batch_size: 2 };
        KohyaOrder::new(vec![dataset], KohyaOrder::dataset_seed(42), Loader { workers, persistent })
    }

    #[test]
    fn an_epoch_holds_each_sample_once_and_no_batch_mixes_buckets() {
        let order = order(0, false);
        assert_eq!(order.count(), 4);
        for epoch in 0..4 {
            let batches = order.batches(epoch).expect("it is near");
            assert!(batches.iter().all(|batch| batch.iter().all(|sample| sample.0 < 5) || batch.iter().all(|sample| sample.0 >= 5)));
            let mut samples: Vec<u32> = batches.concat().iter().map(|sample| sample.0).collect();
            samples.sort_unstable();
            assert_eq!(samples, [0, 1, 2, 3, 4, 5, 6]);
        }
        assert_eq!(order.batches(MAX_PASSES + 1), None);
    }

    /// What the real loader gave for 49 samples in three buckets of two datasets.
    #[test]
    fn visits_are_those_of_the_real_loader() {
        let repeated = |numbers: std::ops::Range<u32>, repeats| numbers.flat_map(move |number| vec![SampleIndex(number); repeats]);
        let mixed = repeated(4..16, 2).chain(repeated(16..19, 1)).collect();
        let dataset = |buckets| KohyaDataset { buckets, batch_size: 2 };
        let datasets = vec![dataset(vec![repeated(0..4, 1).collect(), mixed]), dataset(vec![repeated(19..25, 3).collect()])];
        let order = KohyaOrder::new(datasets, KohyaOrder::dataset_seed(42), Loader { workers: 0, persistent: false });
        let visits = order.visits(1, order.sampler_seeds(99, 1)[0]).expect("it is near");
        let numbers: Vec<Vec<u32>> = visits.iter().take(5).map(|batch| batch.iter().map(|sample| sample.0).collect()).collect();
        assert_eq!(numbers, [[16, 11], [22, 21], [19, 19], [2, 0], [10, 12]]);
    }

    #[test]
    fn the_first_batches_of_an_epoch_are_stale() {
        assert_eq!(order(0, false).stale(3), (1, 2));
        assert_eq!(order(2, true).stale(3), (2, 2));
        assert_eq!(order(2, false).stale(3), (2, 0));
    }

    #[test]
    fn without_the_samplers_seed_the_batches_of_the_epoch_are_all_that_is_known() {
        let order = order(0, false);
        let batches = order.batches(2).expect("it is near");
        let Located::Among { count: 1, batches: among, .. } = order.locate(6, 1, None) else { panic!("it is not exact") };
        assert_eq!(among, batches);
        // Two epochs of four batches, three to a step: the second step of each has the one that is left.
        let Located::Exact(exact) = order.locate(4, 3, Some(7)) else { panic!("it is exact") };
        assert_eq!(exact, order.visits(2, 7).expect("it is near")[3..]);
        assert!(matches!(order.locate(0, 1, None), Located::Unknown(_)));
        assert!(matches!(order.locate(u64::MAX, u32::MAX, Some(7)), Located::Unknown(_)));
        assert!(matches!(KohyaOrder::new(Vec::new(), 0, order.loader).locate(1, 1, None), Located::Unknown(_)));
    }
}
