//! What a trainer will do with a whole dataset, in numbers.

use super::{BucketTable, Consequence, Fate, Outcome, RelPath};

/// What one trainer does with one sample.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainerFate {
    /// Number of the dataset among those that were asked for.
    pub dataset: usize,
    /// Name of the trainer.
    pub trainer: &'static str,
    /// How often it counts in a pass over the dataset, at each of its resolutions.
    pub repeats: f64,
    /// What it does.
    pub fate: Fate,
    /// What of it happens without a word.
    pub silent: Vec<Silent>,
}

/// Files that are in a trainer's way, whatever is in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstruction {
    /// The files or folders.
    pub paths: Vec<RelPath>,
    /// What they are to the trainer, as the end of "N files ...": `are no images, and every entry of the folder is opened`.
    pub what: String,
    /// What it does about them.
    pub consequence: Consequence,
    /// What to do, as one imperative sentence.
    pub help: String,
}

/// What trainers do without a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Silent {
    /// The file is not picked up.
    PassedOver,
    /// The sample is left out for another reason.
    LeftOut,
    /// It is trained without the text of a caption.
    WithoutCaption,
    /// Lines of the caption are not trained on.
    LinesLost,
    /// Tokens are cut off the caption's end.
    TokensCut,
    /// A byte order mark becomes part of the caption.
    MarkKept,
    /// It is trained on turned or mirrored against what a viewer shows.
    Turned,
    /// Transparency is dropped.
    AlphaDropped,
    /// Its colours are clipped or shifted.
    ColorsChanged,
    /// Part of the picture is missing.
    Damaged,
    /// Only the first of its frames is trained on.
    FramesLost,
    /// It is scaled up.
    Upscaled,
    /// More than a quarter of it is cut away.
    Cropped,
    /// It fills no batch and is left out.
    Dropped,
    /// It is taken again to fill a batch.
    Repeated,
}

impl Silent {
    /// The end of a sentence about one image, and about several.
    #[must_use]
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::PassedOver => ("is not picked up", "are not picked up"),
            Self::LeftOut => ("is left out", "are left out"),
            Self::WithoutCaption => ("is trained without a caption of its own", "are trained without captions of their own"),
            Self::LinesLost => ("has caption lines that are not trained on", "have caption lines that are not trained on"),
            Self::TokensCut => ("has a caption whose end is cut off", "have captions whose end is cut off"),
            Self::MarkKept => ("has a byte order mark trained on as text", "have a byte order mark trained on as text"),
            Self::Turned => ("is trained on turned against what a viewer shows", "are trained on turned against what a viewer shows"),
            Self::AlphaDropped => ("has its transparency replaced", "have their transparency replaced"),
            Self::ColorsChanged => ("is trained on in other colours", "are trained on in other colours"),
            Self::Damaged => ("is trained on with part of the picture missing", "are trained on with part of the picture missing"),
            Self::FramesLost => ("has frames that are not trained on", "have frames that are not trained on"),
            Self::Upscaled => ("is scaled up", "are scaled up"),
            Self::Cropped => ("loses more than a quarter to the crop", "lose more than a quarter to the crop"),
            Self::Dropped => ("fills no batch and is left out of a pass", "fill no batch and are left out of a pass"),
            Self::Repeated => ("is taken once more to fill a batch", "are taken once more to fill a batch"),
        }
    }
}

/// Something that a trainer does without a word, and to how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilentAct {
    /// What it does.
    pub what: Silent,
    /// Samples that it concerns.
    pub samples: u64,
    /// The first of them.
    pub example: RelPath,
}

/// What one trainer does with all samples of one dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// The trainer.
    pub trainer: &'static str,
    /// The state of its source whose rules were applied.
    pub version: &'static str,
    /// The dataset's folder, as reported paths begin; empty for a single one.
    pub folder: String,
    /// Samples that are trained on as they are.
    pub train: u64,
    /// Samples that are trained on otherwise than they look.
    pub distort: u64,
    /// Samples that are left out.
    pub skip: u64,
    /// Samples in whose place another one is trained on.
    pub replace: u64,
    /// Samples that stop the run.
    pub stop: u64,
    /// What happens without a word, in the order of [`Silent`].
    pub silent: Vec<SilentAct>,
    /// The buckets; `None` where the trainer's own settings are not known, and where an earlier dataset shares its buckets.
    pub buckets: Option<BucketTable>,
}

impl Outlook {
    /// Counts one more sample.
    pub fn count(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Train => &mut self.train,
            Outcome::Distort => &mut self.distort,
            Outcome::Skip => &mut self.skip,
            Outcome::Replace => &mut self.replace,
            Outcome::Stop => &mut self.stop,
        } += 1;
    }
}
