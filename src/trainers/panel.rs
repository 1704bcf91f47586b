//! The trainers that are asked about a dataset: each finding gets their consequences, each sample its fate.

use std::collections::{BTreeMap, BTreeSet};

use super::trainer::{Pickup, Resolutions, Trainer};
use crate::model::{
    Condition, Consequence, Fate, FaultKind, Finding, Folder, HEAVY_CROP, Inventory, Level, Obstruction, Oddity, Outcome, Phase, Placement,
    RelPath, Root, Sample, SampleFacts, SideFile, Silent, Size, TrainerFate, Unplaced,
};

/// Which trainers are asked, and about which of the roots.
#[derive(Debug, Default)]
pub struct Plan {
    /// The datasets, each with a trainer that has its settings.
    pub datasets: Vec<Dataset>,
    /// Whether the user chose the trainer, so that levels and buckets are its own. If not, every trainer is asked at its defaults.
    pub is_chosen: bool,
}

/// A dataset as one trainer is told of it.
#[derive(Debug)]
pub struct Dataset {
    /// Number of the root that is its folder; `None` if all roots are.
    pub root: Option<usize>,
    /// The same number for datasets whose pictures share buckets.
    pub group: usize,
    /// The trainer with the dataset's settings.
    pub trainer: Box<dyn Trainer>,
}

impl Plan {
    /// Every known trainer at its own defaults.
    #[must_use]
    pub fn every() -> Self {
        let datasets = super::make_all().enumerate().map(|(group, trainer)| Dataset { root: None, group, trainer }).collect();
        Self { datasets, is_chosen: false }
    }

    /// One trainer for all roots. `generic` is nobody's trainer, so every known one is asked instead.
    #[must_use]
    pub fn of(trainer: Box<dyn Trainer>) -> Self {
        if trainer.about().name == "generic" {
            return Self::every();
        }
        Self { datasets: vec![Dataset { root: None, group: 0, trainer }], is_chosen: true }
    }
}

/// The trainers of a plan once they know what lies in the folders.
#[derive(Debug)]
pub struct Panel<'a> {
    seats: Vec<Seat<'a>>,
    inventory: &'a Inventory,
    is_chosen: bool,
}

#[derive(Debug)]
struct Seat<'a> {
    dataset: &'a Dataset,
    /// The dataset's trainer, if what lies in the folder made another of it.
    prepared: Option<Box<dyn Trainer>>,
    /// The first dataset that shares buckets with this one.
    leader: usize,
    /// What its captions end in.
    caption_extension: String,
}

impl Seat<'_> {
    fn trainer(&self) -> &dyn Trainer {
        self.prepared.as_deref().unwrap_or(&*self.dataset.trainer)
    }
}

impl<'a> Panel<'a> {
    /// Shows the trainers what the walk found.
    #[must_use]
    pub fn new(plan: &'a Plan, inventory: &'a Inventory) -> Self {
        let mut leaders = BTreeMap::new();
        let seats = plan
            .datasets
            .iter()
            .enumerate()
            .map(|(number, dataset)| {
                let view = dataset.root.and_then(|root| below(inventory, root));
                Seat {
                    dataset,
                    prepared: dataset.trainer.prepared(view.as_ref().unwrap_or(inventory)),
                    leader: *leaders.entry(dataset.group).or_insert(number),
                    caption_extension: dataset.trainer.profile().caption_extension,
                }
            })
            .collect();
        Self { seats, inventory, is_chosen: plan.is_chosen }
    }

    /// The trainers, by the number of their dataset.
    pub fn trainers(&self) -> impl Iterator<Item = &dyn Trainer> {
        self.seats.iter().map(Seat::trainer)
    }

    /// What reported paths of a dataset's files begin with.
    #[must_use]
    pub fn folder(&self, dataset: usize) -> &str {
        let root = self.seats.get(dataset).and_then(|seat| self.inventory.roots.get(seat.dataset.root?));
        root.map_or("", |root| root.prefix.as_str())
    }

    /// What reported paths begin with in a dataset and those that share buckets with it.
    #[must_use]
    pub fn folders(&self, dataset: usize) -> String {
        let leader = self.leader(dataset);
        let sharing = self.seats.iter().enumerate().filter(|(_, seat)| seat.leader == leader);
        let mut folders: Vec<&str> = sharing.map(|(other, _)| self.folder(other)).collect();
        folders.dedup();
        folders.join(" + ")
    }

    /// The first dataset of those that share buckets with this one.
    #[must_use]
    pub fn leader(&self, dataset: usize) -> usize {
        self.seats.get(dataset).map_or(dataset, |seat| seat.leader)
    }

    /// Whether the user chose the trainer.
    #[must_use]
    pub fn is_chosen(&self) -> bool {
        self.is_chosen
    }

    /// Adds to the findings of a sample what they mean to each trainer, and returns what each does with the sample.
    #[must_use]
    pub fn judge(&self, facts: &SampleFacts, findings: &mut [Finding]) -> Vec<TrainerFate> {
        let Some((root, _, inside)) = self.inventory.root_of(&facts.sample.path) else { return Vec::new() };
        let inside = RelPath::from_escaped(inside);
        let of_root = |(_, seat): &(usize, &Seat<'_>)| seat.dataset.root.is_none_or(|wanted| wanted == root);
        let (mut fates, mut listing) = (Vec::with_capacity(self.seats.len()), Vec::new());
        let mut passed_over = None;
        for (dataset, seat) in self.seats.iter().enumerate().filter(of_root) {
            let trainer = seat.trainer();
            let (fate, silent) = match trainer.picks_up(&inside) {
                Pickup::Taken => {
                    listing.push(trainer);
                    fate(trainer, facts, &conditions(facts, findings, &seat.caption_extension), findings)
                }
                Pickup::PassedOver(why) => {
                    let consequence = Consequence { outcome: Outcome::Skip, phase: Phase::DatasetScan, text: why.to_owned() };
                    passed_over = Some((trainer.about().name, consequence.clone()));
                    (Fate { consequence, size: None, placements: Vec::new(), unplaced: None }, vec![Silent::PassedOver])
                }
            };
            fates.push(TrainerFate { dataset, trainer: trainer.about().name, repeats: repeats(trainer, &inside), fate, silent });
        }
        for finding in findings {
            match &passed_over {
                // Whatever is the matter with a file that is never opened, the run does not suffer from it.
                Some((name, consequence)) if self.is_chosen && listing.is_empty() => {
                    finding.level = finding.level.min(Level::Info);
                    finding.consequences = BTreeMap::from([(*name, consequence.clone())]);
                }
                _ => weigh(&listing, Some(facts), finding, self.is_chosen),
            }
        }
        fates
    }

    /// Adds to findings about the dataset what they mean to each trainer.
    pub fn consider(&self, findings: &mut [Finding]) {
        let trainers: Vec<_> = self.trainers().collect();
        for finding in findings {
            weigh(&trainers, None, finding, self.is_chosen);
        }
    }

    /// What lies in the folders that stops a trainer the user chose before it opens a picture.
    #[must_use]
    pub fn obstructions(&self) -> Vec<(&'static str, Obstruction)> {
        if !self.is_chosen {
            return Vec::new();
        }
        let (inventory, mut all) = (self.inventory, Vec::new());
        for seat in &self.seats {
            let view = seat.dataset.root.and_then(|root| below(inventory, root));
            let folder = seat.dataset.root.and_then(|root| inventory.roots.get(root)).map_or("", |root| root.prefix.as_str());
            for mut obstruction in seat.trainer().obstructions(view.as_ref().unwrap_or(inventory)) {
                if view.is_some() {
                    obstruction.paths = obstruction.paths.iter().map(|path| path.below(folder)).collect();
                }
                all.push((seat.trainer().about().name, obstruction));
            }
        }
        all
    }
}

/// What lies below one of several roots, with paths from there on; `None` where that is everything.
fn below(inventory: &Inventory, root: usize) -> Option<Inventory> {
    let root = inventory.roots.get(root).filter(|_| inventory.roots.len() > 1)?;
    let inside = |path: &RelPath| path.below_prefix(root.prefix.as_str()).map(RelPath::from_escaped);
    let moved = |file: &SideFile| Some(SideFile { path: inside(&file.path)?, ..file.clone() });
    Some(Inventory {
        roots: vec![Root { prefix: RelPath::from(""), ..root.clone() }],
        samples: inventory.samples.iter().filter_map(|sample| Some(Sample { path: inside(&sample.path)?, ..sample.clone() })).collect(),
        orphan_captions: inventory.orphan_captions.iter().filter_map(moved).collect(),
        metadata: inventory.metadata.iter().filter_map(moved).collect(),
        oddities: inventory.oddities.iter().filter_map(|oddity| Some(Oddity { path: inside(&oddity.path)?, ..oddity.clone() })).collect(),
        folders: inventory.folders.iter().filter_map(|folder| Some(Folder { path: inside(&folder.path)?, ..folder.clone() })).collect(),
        files: inventory.files,
    })
}

/// How often a sample counts in a pass over the dataset, at each of its resolutions.
fn repeats(trainer: &dyn Trainer, inside: &RelPath) -> f64 {
    match trainer.resolutions() {
        Resolutions::Each(_) => trainer.repeats(inside),
        // It is in each bucket with the chance that its resolution is drawn.
        #[expect(clippy::cast_precision_loss, reason = "there are few resolutions")]
        Resolutions::OneOf(count) => trainer.repeats(inside) / count.max(1) as f64,
    }
}

/// Adds what a finding means to trainers: of several datasets of one trainer the worst. The level follows the consequence where the user
/// chose the trainer.
fn weigh(trainers: &[&dyn Trainer], facts: Option<&SampleFacts>, finding: &mut Finding, is_chosen: bool) {
    let Some(condition) = finding.condition else { return };
    let mut worst = None;
    for trainer in trainers {
        let Some(consequence) = trainer.react(condition, facts) else { continue };
        worst = worst.max(Some(consequence.outcome));
        let known = finding.consequences.entry(trainer.about().name).or_insert_with(|| consequence.clone());
        if consequence.outcome > known.outcome {
            *known = consequence;
        }
    }
    if let Some(outcome) = worst.filter(|_| is_chosen) {
        finding.level = level(condition, finding.level, outcome);
        finding.consequences.remove("generic");
    }
}

/// The level of a finding by what the user's own trainer does about it: what stops the run or loses the sample is an error, and what
/// is only trained on otherwise is a warning at most. That a file is not listed is often meant, so that is a warning at most as well.
fn level(condition: Condition, before: Level, outcome: Outcome) -> Level {
    let is_listing = matches!(
        condition,
        Condition::ExtensionNotPickedUp
            | Condition::ExtensionInOtherCase
            | Condition::ExtensionMismatch
            | Condition::Hidden
            | Condition::SystemFile
            | Condition::JunkFolder
            | Condition::SharedStem
    );
    match outcome {
        Outcome::Train => Level::Info,
        Outcome::Distort => before.min(Level::Warning),
        Outcome::Skip | Outcome::Replace if is_listing => before.min(Level::Warning),
        Outcome::Skip | Outcome::Replace | Outcome::Stop => Level::Error,
    }
}

/// What a trainer does with a sample that it lists, and what of it without a word.
fn fate(trainer: &dyn Trainer, facts: &SampleFacts, conditions: &BTreeSet<Condition>, findings: &[Finding]) -> (Fate, Vec<Silent>) {
    let mut worst = Consequence { outcome: Outcome::Train, phase: Phase::Training, text: String::new() };
    let mut silent = BTreeSet::new();
    for &condition in conditions {
        let generic = || findings.iter().find(|finding| finding.condition == Some(condition))?.consequences.get("generic").cloned();
        let Some(consequence) = trainer.react(condition, Some(facts)).or_else(generic) else { continue };
        silent.extend(act(condition, consequence.outcome));
        // The first of equals counts: conditions are in the order in which a trainer meets them.
        if consequence.outcome > worst.outcome {
            worst = consequence;
        }
    }
    let size = trainer.size_of(facts);
    let (mut placements, mut unplaced) = (Vec::new(), None);
    if let Some(size) = size.filter(|_| worst.outcome.is_trained()) {
        match place(trainer, size) {
            Ok(placed) => {
                silent.extend(placed.iter().any(|placement| placement.scale(size) > UPSCALED).then_some(Silent::Upscaled));
                silent.extend(placed.iter().any(|placement| placement.cropped_share() > HEAVY_CROP).then_some(Silent::Cropped));
                placements = placed;
            }
            Err(error) => {
                worst = Consequence { outcome: error.outcome, phase: error.phase, text: error.error.clone().into_owned() };
                unplaced = Some(error);
            }
        }
    }
    if !worst.outcome.is_trained() {
        silent.clear();
        if worst.outcome != Outcome::Stop {
            silent.insert(Silent::LeftOut);
        }
    }
    (Fate { consequence: worst, size, placements, unplaced }, silent.into_iter().collect())
}

/// Scale above which a picture is scaled up in earnest: filling up to the next multiple of a step is not.
const UPSCALED: f64 = 1.1;

fn place(trainer: &dyn Trainer, size: Size) -> Result<Vec<Placement>, Unplaced> {
    (0..trainer.resolutions().count()).map(|resolution| trainer.place(size, resolution)).collect()
}

/// What is the matter with a sample: what its findings are about, and what only checks of the whole dataset report.
///
/// A run reads captions of one extension. Of a trainer that looks for another one it is known only whether there is such a file.
fn conditions(facts: &SampleFacts, findings: &[Finding], caption_extension: &str) -> BTreeSet<Condition> {
    let mut conditions: BTreeSet<Condition> = findings.iter().filter_map(|finding| finding.condition).collect();
    if facts.probe.as_ref().is_err_and(|fault| fault.kind == FaultKind::Unreadable) {
        conditions.insert(Condition::Unreadable);
    }
    let read = facts.sample.caption.as_ref().filter(|caption| caption.path.name().ends_with(caption_extension));
    if read.is_none() {
        conditions.retain(|condition| !condition.is_of_caption());
        let wanted = caption_extension.trim_start_matches('.');
        if !facts.sample.other_captions.iter().any(|other| **other == *wanted) {
            conditions.insert(Condition::CaptionMissing);
        }
    }
    conditions
}

/// What happens without a word to a sample that is trained on although a condition does not hold for it as the user means.
fn act(condition: Condition, outcome: Outcome) -> Option<Silent> {
    if outcome != Outcome::Distort {
        return None;
    }
    Some(match condition {
        Condition::CaptionMissing | Condition::CaptionEmpty | Condition::CaptionBlank | Condition::CaptionNotUtf8 => Silent::WithoutCaption,
        Condition::CaptionMultiLine => Silent::LinesLost,
        Condition::CaptionTooLong => Silent::TokensCut,
        Condition::CaptionMarked => Silent::MarkKept,
        Condition::Rotated => Silent::Turned,
        Condition::Transparent => Silent::AlphaDropped,
        Condition::DeepGray | Condition::DeepColor | Condition::Cmyk => Silent::ColorsChanged,
        Condition::DamagedButLoads => Silent::Damaged,
        Condition::Animated => Silent::FramesLost,
        _ => return None,
    })
}
