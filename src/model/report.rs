//! What is known of one sample in the end, and of the run as a whole.

use super::{ContentHash, Finding, Level, Outlook, RelPath, SampleFacts, TrainerFate};

/// All that is known of one sample: one manifest line.
#[derive(Clone, Debug)]
pub struct SampleReport {
    /// The facts.
    pub facts: SampleFacts,
    /// What checks found in them, worst first.
    pub findings: Vec<Finding>,
    /// What trainers do with it, in the order of the datasets that were asked for.
    pub fates: Vec<TrainerFate>,
}

impl SampleReport {
    /// The sample's files that were read, with the hashes of their contents.
    pub fn contents(&self) -> impl Iterator<Item = (&RelPath, ContentHash)> {
        let image = self.facts.content.map(|hash| (&self.facts.sample.path, hash));
        let caption = self.facts.caption.read().map(|caption| (&caption.path, caption.content));
        image.into_iter().chain(caption)
    }
}

/// Findings by level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelCounts {
    /// Errors.
    pub error: u64,
    /// Warnings.
    pub warning: u64,
    /// Notes.
    pub info: u64,
}

impl LevelCounts {
    /// Counts one more.
    pub fn add(&mut self, level: Level) {
        match level {
            Level::Error => self.error += 1,
            Level::Warning => self.warning += 1,
            Level::Info => self.info += 1,
        }
    }

    /// The highest level that was counted.
    #[must_use]
    pub fn worst(self) -> Option<Level> {
        if self.error > 0 {
            Some(Level::Error)
        } else if self.warning > 0 {
            Some(Level::Warning)
        } else if self.info > 0 {
            Some(Level::Info)
        } else {
            None
        }
    }
}

/// What a witness confirmed, in numbers of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confirmed {
    /// It was asked about.
    pub asked: u64,
    /// It contradicts what was worked out here, in a verdict or in a fact of the header.
    pub contradicted: u64,
    /// Its verdict stands for one that was not known here.
    pub decided: u64,
    /// They ended a worker.
    pub ended: u64,
}

impl Confirmed {
    /// Counts a sample, if the witness was asked about it.
    pub fn count(&mut self, facts: &SampleFacts) {
        if let Some(testimony) = &facts.testimony {
            self.asked += 1;
            self.contradicted += u64::from(!facts.contradictions().is_empty());
            self.decided += u64::from(testimony.decides_pillow);
            self.ended += u64::from(testimony.ended.is_some());
        }
    }
}

/// The run in numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Samples: images by name or by content.
    pub samples: u64,
    /// Samples that a trainer that loads with Pillow can train on.
    pub usable: u64,
    /// Samples that have a caption file.
    pub captioned: u64,
    /// Bytes of all samples.
    pub bytes: u64,
    /// Pixels of the usable samples.
    pub pixels: u64,
    /// Findings by level.
    pub findings: LevelCounts,
    /// Findings that were silenced by the settings.
    pub ignored: u64,
    /// Fingerprint of the dataset: a hash over the sorted paths and content hashes.
    pub fingerprint: String,
    /// Samples that a witness was asked about; `None` if there was none.
    pub confirmed: Option<Confirmed>,
    /// What each trainer does with all of it.
    pub outlooks: Vec<Outlook>,
    /// Whether the run was interrupted, so that part of the dataset was not looked at.
    pub interrupted: bool,
}
