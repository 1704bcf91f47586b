//! Short ways to say what a trainer does.

use crate::model::{Consequence, Outcome, Phase};

/// It does this, then, in these words.
pub(super) fn does(outcome: Outcome, phase: Phase, text: impl Into<String>) -> Consequence {
    Consequence { outcome, phase, text: text.into() }
}

/// It trains on the sample as the user means.
pub(super) fn trains(text: impl Into<String>) -> Consequence {
    does(Outcome::Train, Phase::Training, text)
}

/// It trains on something else than the user means.
pub(super) fn distorts(text: impl Into<String>) -> Consequence {
    does(Outcome::Distort, Phase::Training, text)
}

/// It leaves the sample out while files are listed and sizes are read.
pub(super) fn skips(text: impl Into<String>) -> Consequence {
    does(Outcome::Skip, Phase::DatasetScan, text)
}
