//! The search: which subset to try next, what its verdict means, and when to stop.
//!
//! A [`Search`] is a function of the verdicts so far: whoever feeds the same verdicts again, in order, has the same search.
//! Nothing here knows of files, processes or time.

mod belief;
mod bits;
mod likely;
mod minimal;
mod order;
mod premise;
mod run;

use std::fmt;

use self::bits::Bits;
use self::order::Order;
use self::run::{Answer, Halt, Outlook, Question, Run};
use super::problem::{Problem, SuspectIndex};

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It passed.
    Good,
    /// It failed in the way that is searched for.
    Bad,
    /// It says nothing: the subset cannot be run.
    Untestable,
}

/// What a trial is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The premise: all suspects together fail.
    WholeFails,
    /// The premise: what is taken for good passes without any suspect. The trial has no suspects.
    KnownGoodPasses,
    /// How often the whole set fails.
    MeasureRate,
    /// To tell those in the subset from those outside.
    Narrow,
    /// Those found fail without the others.
    VerifyAlone,
    /// Of several that fail together none can be spared: all but one of them pass.
    VerifyPart,
    /// All but those found pass.
    VerifyRest,
    /// One that nobody suspects passes alone: that all else fails says nothing if that fails too.
    VerifyOther,
    /// A subset that passed is run again, for what was seen since contradicts it unless the failure comes and goes.
    VerifyGood,
    /// A subset that failed is run again, for the same reason.
    VerifyBad,
}

impl Purpose {
    /// The purpose as journals spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::WholeFails => "whole-fails",
            Self::KnownGoodPasses => "known-good-passes",
            Self::MeasureRate => "measure-rate",
            Self::Narrow => "narrow",
            Self::VerifyAlone => "verify-alone",
            Self::VerifyPart => "verify-part",
            Self::VerifyRest => "verify-rest",
            Self::VerifyOther => "verify-other",
            Self::VerifyGood => "verify-good",
            Self::VerifyBad => "verify-bad",
        }
    }
}

/// One run of the trainer on a subset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Its number, from 1 on.
    pub number: u32,
    /// What it is for.
    pub purpose: Purpose,
    /// Suspects in the subset, sorted. What else is in it, to fill it up, is the caller's business.
    pub suspects: Vec<SuspectIndex>,
    /// The verdict that would not surprise, if there is one.
    pub expects: Option<Verdict>,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Run this, and [`Search::record`] how it ended.
    Trial(Trial),
    /// Nothing: this is the result.
    Done(Conclusion),
}

/// Why there is nothing to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PremiseFailure {
    /// There are no samples.
    NoSamples,
    /// The whole set passes.
    WholePasses {
        /// How often it was run.
        runs: u32,
    },
    /// The whole set cannot be run.
    WholeUntestable,
    /// What is taken for good fails by itself: it is not the suspects, or not they alone.
    KnownGoodFails,
    /// Whatever was tried fails, the least suspicious samples alone included.
    EverythingFails,
}

impl fmt::Display for PremiseFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSamples => f.write_str("there are no samples to search"),
            Self::WholePasses { runs: 1 } => f.write_str("the whole set passes: what failed before is not in the data, or comes and goes"),
            Self::WholePasses { runs } => write!(f, "the whole set passed {runs} times: what failed before is not in the data, or is rare"),
            Self::WholeUntestable => f.write_str("the whole set cannot be tested"),
            Self::EverythingFails => f.write_str(
                "every subset fails, the least suspicious samples alone included: look at the environment, the model and the hardware, not at the data",
            ),
            Self::KnownGoodFails => {
                f.write_str("what is taken for good fails by itself: look at the environment, the model and the hardware, not at the data")
            }
        }
    }
}

/// How far the search came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Each culprit was seen to fail without the other suspects.
    Proven,
    /// Fewer are suspect than before, and no trial is left that could tell them apart within the bound on trials.
    Narrowed,
    /// There is nothing to search.
    PremiseFailed {
        /// Why.
        why: PremiseFailure,
    },
}

/// The result.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// How far it came.
    pub state: State,
    /// Culprits in the order of discovery, each a sorted list: several suspects where they fail only together.
    pub culprits: Vec<Vec<SuspectIndex>>,
    /// Who may be a (further) culprit, with its probability, highest first; empty where the rest was seen to pass.
    pub suspects: Vec<(SuspectIndex, f64)>,
    /// Share of trials that show the failure, where it was seen to come and go.
    pub failure_rate: Option<f64>,
}

/// What is still to do, as far as can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Remaining {
    /// Trials to expect.
    pub expected_trials: f64,
    /// Trials if all goes badly, for one more culprit that fails alone.
    pub worst_trials: u32,
    /// Minutes to expect.
    pub expected_minutes: f64,
}

/// A verdict that belongs to no trial that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a verdict for trial {found} where {}", match .waiting { Some(number) => format!("trial {number} is waited for"), None => "none is waited for".to_owned() })]
pub struct OutOfOrder {
    /// The trial that is waited for; `None` once the search has ended.
    pub waiting: Option<u32>,
    /// The trial that the verdict was for.
    pub found: u32,
}

/// A search under way.
///
/// ```
/// use walkaround::bisect::{Next, Problem, Search, SearchOptions, SuspectIndex, Verdict};
///
/// let culprit = SuspectIndex(42);
/// let mut search = Search::new(Problem { suspicion: vec![1.0; 100], options: SearchOptions::default() });
/// let conclusion = loop {
///     match search.next() {
///         Next::Trial(trial) => {
///             let verdict = if trial.suspects.contains(&culprit) { Verdict::Bad } else { Verdict::Good };
///             search.record(trial.number, verdict)?;
///         }
///         Next::Done(conclusion) => break conclusion,
///     }
/// };
/// assert_eq!(conclusion.culprits, [[culprit]]);
/// # Ok::<(), walkaround::bisect::OutOfOrder>(())
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    problem: Problem,
    weights: Vec<u64>,
    order: Order,
    record: Vec<Answer>,
    next: Next,
    /// Probability that the trial that is waited for fails, where the search reckons with it.
    chance: f64,
    outlook: Outlook,
}

impl Search {
    /// A search that has not begun.
    #[must_use]
    pub fn new(problem: Problem) -> Self {
        let weights = order::weights(&problem.suspicion);
        let everybody = (0..problem.suspicion.len()).map_while(|number| u32::try_from(number).ok().map(SuspectIndex));
        let order = Order::new(everybody.collect(), &weights);
        let nothing = Conclusion { state: State::Narrowed, culprits: Vec::new(), suspects: Vec::new(), failure_rate: None };
        let outlook = Outlook::default();
        let mut search = Self { problem, weights, order, record: Vec::new(), next: Next::Done(nothing), chance: 0.0, outlook };
        search.advance();
        search
    }

    /// What to do next; the same until the trial's verdict is recorded.
    #[must_use]
    pub fn next(&self) -> Next {
        self.next.clone()
    }

    /// Takes the verdict of the trial that is waited for. A journal is resumed by recording its verdicts in order.
    pub fn record(&mut self, trial: u32, verdict: Verdict) -> Result<(), OutOfOrder> {
        match &self.next {
            Next::Trial(waiting) if waiting.number == trial => {
                let suspects = Bits::of(&waiting.suspects);
                self.record.push(Answer { purpose: waiting.purpose, suspects, chance: self.chance, verdict });
                self.advance();
                Ok(())
            }
            Next::Trial(waiting) => Err(OutOfOrder { waiting: Some(waiting.number), found: trial }),
            Next::Done(_) => Err(OutOfOrder { waiting: None, found: trial }),
        }
    }

    /// What is still to do, the trial that is waited for included. After the end: what it would take to go on.
    #[must_use]
    pub fn remaining(&self) -> Remaining {
        self.outlook.remaining(self.problem.options.minutes_per_trial)
    }

    /// Who may be the culprit that is searched for, with its probability, highest first.
    #[must_use]
    pub fn suspects(&self) -> &[(SuspectIndex, f64)] {
        &self.outlook.possible
    }

    fn advance(&mut self) {
        let mut run = Run::new(&self.problem, &self.weights, &self.record);
        match run.tell(&self.order) {
            Ok(conclusion) => {
                self.outlook = Outlook::default();
                self.outlook.possible.clone_from(&conclusion.suspects);
                self.next = Next::Done(conclusion);
            }
            Err(Halt::Spent(outlook)) => {
                self.next = Next::Done(run.conclusion(State::Narrowed, outlook.clone()));
                self.outlook = outlook;
            }
            Err(Halt::Ask(question)) => {
                let Question { purpose, mut suspects, expects, chance, outlook } = *question;
                suspects.sort();
                let number = u32::try_from(self.record.len()).unwrap_or(u32::MAX).saturating_add(1);
                (self.chance, self.outlook) = (chance, outlook);
                self.next = Next::Trial(Trial { number, purpose, suspects, expects });
            }
        }
    }
}
