//! Counts what each trainer does with the samples of a dataset.

use std::collections::BTreeMap;

use crate::model::{Bucket, Inventory, Member, Outlook, SampleIndex, Silent, SilentAct, TrainerFate, Unplaced};
use crate::trainers::{self, Panel};

/// The counts of all datasets of a plan.
#[derive(Debug, Default)]
pub(super) struct Tally {
    datasets: Vec<DatasetTally>,
}

/// The counts of one dataset with one trainer.
#[derive(Debug)]
struct DatasetTally {
    outlook: Outlook,
    acts: BTreeMap<Silent, (u64, SampleIndex)>,
    /// Where samples go, with the number of the resolution; kept only where the user chose the trainer.
    placed: Vec<(usize, Member)>,
    unplaced: Vec<(SampleIndex, Unplaced)>,
}

impl Tally {
    /// Empty counts.
    pub(super) fn new(panel: &Panel<'_>) -> Self {
        let empty = |(dataset, trainer): (usize, &dyn trainers::Trainer)| DatasetTally {
            outlook: Outlook {
                trainer: trainer.about().name,
                version: trainer.version().name,
                folder: panel.folder(dataset).to_owned(),
                train: 0,
                distort: 0,
                skip: 0,
                replace: 0,
                stop: 0,
                silent: Vec::new(),
                buckets: None,
            },
            acts: BTreeMap::new(),
            placed: Vec::new(),
            unplaced: Vec::new(),
        };
        Self { datasets: panel.trainers().enumerate().map(empty).collect() }
    }

    /// Counts what trainers do with one sample.
    pub(super) fn enter(&mut self, panel: &Panel<'_>, sample: SampleIndex, fates: &[TrainerFate]) {
        for &TrainerFate { dataset, repeats, ref fate, ref silent, .. } in fates {
            let Some(tally) = self.datasets.get_mut(dataset) else { continue };
            tally.outlook.count(fate.consequence.outcome);
            for &act in silent {
                tally.acts.entry(act).or_insert((0, sample)).0 += 1;
            }
            let Some(size) = fate.size.filter(|_| panel.is_chosen()) else { continue };
            let member = |&placement| Member { sample, size, placement, repeats };
            let Some(leader) = self.datasets.get_mut(panel.leader(dataset)) else { continue };
            leader.placed.extend(fate.placements.iter().map(member).enumerate());
            leader.unplaced.extend(fate.unplaced.clone().map(|unplaced| (sample, unplaced)));
        }
    }

    /// What each trainer does with all of them.
    pub(super) fn close(self, panel: &Panel<'_>, inventory: &Inventory) -> Vec<Outlook> {
        let path = |sample: SampleIndex| inventory.samples.get(sample.0 as usize).map(|sample| sample.path.clone());
        self.datasets
            .into_iter()
            .zip(panel.trainers())
            .enumerate()
            .map(|(dataset, (DatasetTally { mut outlook, mut acts, placed, unplaced }, trainer))| {
                if panel.is_chosen() && panel.leader(dataset) == dataset {
                    let table = trainers::table(trainer, &panel.folders(dataset), placed, unplaced);
                    let mut count = |act, affected: fn(&Bucket) -> u64| {
                        let buckets = table.buckets.iter().filter(|bucket| affected(bucket) > 0);
                        let first = buckets.clone().flat_map(|bucket| &bucket.members).map(|member| member.sample).min();
                        acts.extend(first.map(|first| (act, (buckets.map(affected).sum(), first))));
                    };
                    count(Silent::Dropped, |bucket| bucket.dropped);
                    count(Silent::Repeated, |bucket| bucket.filled);
                    outlook.buckets = Some(table);
                }
                outlook.silent = acts
                    .into_iter()
                    .filter_map(|(what, (samples, first))| Some(SilentAct { what, samples, example: path(first)? }))
                    .collect();
                outlook
            })
            .collect()
    }
}
