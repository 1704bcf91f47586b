//! One hit of a check: what was seen, where, and what it means for training.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::{Condition, Place, RelPath};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing to do.
    Info,
    /// It trains, but not on what the user thinks.
    Warning,
    /// The run stops, or the sample is lost or replaced.
    Error,
}

impl Level {
    /// The level as reports spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A check's code: a letter for the family and a number; for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What a trainer does with a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Trains on it as the user means.
    Train,
    /// Trains on something else than the user means.
    Distort,
    /// Leaves it out, with or without a word.
    Skip,
    /// Puts another sample in its place.
    Replace,
    /// Stops the run.
    Stop,
}

impl Outcome {
    /// Whether the sample is trained on, as it is or otherwise.
    #[must_use]
    pub fn is_trained(self) -> bool {
        matches!(self, Self::Train | Self::Distort)
    }

    /// The outcome as reports spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Distort => "distort",
            Self::Skip => "skip",
            Self::Replace => "replace",
            Self::Stop => "stop",
        }
    }
}

/// When it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// While files are listed and sizes are read.
    DatasetScan,
    /// While latents or text embeddings are cached.
    Caching,
    /// At some step of training.
    Training,
}

impl Phase {
    /// The phase as reports spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DatasetScan => "dataset-scan",
            Self::Caching => "caching",
            Self::Training => "training",
        }
    }
}

/// What a finding means for one trainer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consequence {
    /// What it does.
    pub outcome: Outcome,
    /// When.
    pub phase: Phase,
    /// In words.
    pub text: String,
}

/// One hit of a check.
///
/// Checks build it from the check's own code, name and level; see `checks::Findings`.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The check's code.
    pub code: Code,
    /// The check's name.
    pub name: &'static str,
    /// How bad it is.
    pub level: Level,
    /// Files concerned, sorted; for a finding about the whole dataset it may be empty.
    pub paths: Vec<RelPath>,
    /// What was seen and the limit it broke: one sentence, lower case, no final period.
    pub message: String,
    /// The same as values.
    pub evidence: BTreeMap<&'static str, Value>,
    /// Where in the file, if it is about the trainer's own configuration. Its path then begins where the program was started, not at
    /// the dataset's root.
    pub place: Option<Place>,
    /// What it is about, as far as trainers react differently to it.
    pub condition: Option<Condition>,
    /// What it means, by trainer; `generic` stands for a trainer that loads with Pillow.
    pub consequences: BTreeMap<&'static str, Consequence>,
    /// What to do, as one imperative sentence.
    pub help: String,
}
