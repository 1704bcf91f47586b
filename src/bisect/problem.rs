//! What a bisection is asked: how suspicious each sample is, and how to go about it.

/// Number of a suspect among the samples of a bisection, in plan order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SuspectIndex(pub u32);

/// A set of samples that fails, and what is thought of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Suspicion of each sample, on any scale; what is not a number above 0 counts as the least of the others.
    pub suspicion: Vec<f64>,
    /// How to search.
    pub options: SearchOptions,
}

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOptions {
    /// Whether to go on until the rest passes, and not to end at the first culprit.
    pub all: bool,
    /// Trials of each subset, of which one failure is enough; 0 counts as 1. Above 1 this is all that is done about failures
    /// that come and go.
    pub repeat: u32,
    /// Whether the failure may come and go.
    pub flaky: Flaky,
    /// Probability that a statement must have which rests on trials that passed, 0 to 1.
    pub confidence: f64,
    /// Whether there are samples that are taken for good, which then fill the subsets up.
    pub has_known_good: bool,
    /// Length of a trial in minutes.
    pub minutes_per_trial: f64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { all: false, repeat: 1, flaky: Flaky::Detect, confidence: 0.95, has_known_good: false, minutes_per_trial: 10.0 }
    }
}

/// Whether the failure may come and go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flaky {
    /// The whole set is run again to see, and contradictions later on are taken for a sign of it.
    Detect,
    /// It shows in this share of the trials that could show it, above 0 up to 1.
    Assume(f64),
    /// A subset does the same each time.
    Never,
}
