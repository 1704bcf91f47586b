//! The lines of a journal, and the history that they add up to.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::bisect::subset::{Stamp, Strategy};
use crate::bisect::trial::CommandLine;
use crate::bisect::{Flaky, SearchOptions, Verdict};

/// The schema's name, as headers and `status` spell it.
pub const SCHEMA: &str = "walkaround.bisect/1";

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "lowercase")]
pub enum Record {
    /// The first line.
    Header(Box<Header>),
    /// A trial is about to start.
    Started {
        /// Its number.
        trial: u32,
        /// What it is for.
        purpose: String,
        /// How many suspects are in it, and which: a hash of their numbers.
        suspects: u32,
        /// BLAKE3 of their numbers.
        subset: String,
        /// Which start of the machine this was in, where that can be told.
        boot: Option<String>,
    },
    /// A trial has ended.
    Ended {
        /// Its number.
        trial: u32,
        /// Its verdict.
        verdict: VerdictName,
        /// Why.
        reason: String,
        /// How long it took.
        seconds: f64,
    },
    /// A trial was broken off before it said anything, and will be run again.
    Interrupted {
        /// Its number.
        trial: u32,
    },
    /// The last verdict is taken back.
    Undone {
        /// The number of its trial.
        trial: u32,
    },
}

/// A verdict as journals spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictName {
    /// It passed.
    Good,
    /// It failed.
    Bad,
    /// It could not be tested.
    Untestable,
}

impl VerdictName {
    /// The verdict as journals spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Untestable => "untestable",
        }
    }
}

impl From<Verdict> for VerdictName {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Good => Self::Good,
            Verdict::Bad => Self::Bad,
            Verdict::Untestable => Self::Untestable,
        }
    }
}

impl From<VerdictName> for Verdict {
    fn from(verdict: VerdictName) -> Self {
        match verdict {
            VerdictName::Good => Self::Good,
            VerdictName::Bad => Self::Bad,
            VerdictName::Untestable => Self::Untestable,
        }
    }
}

/// What a bisection was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`].
    pub schema: String,
    /// Program and version.
    pub tool: String,
    /// What tells its processes from those of other bisections.
    pub id: String,
    /// The dataset.
    pub root: PathBuf,
    /// Its samples.
    pub samples: Vec<HeaderSample>,
    /// Files that go into every subset.
    pub shared: Vec<Stamp>,
    /// Samples that are known to be good.
    pub known_good: Option<KnownGood>,
    /// What becomes of the places of samples that are left out.
    pub strategy: Strategy,
    /// How to search.
    pub search: SearchSettings,
    /// What each trial runs; `None` where a person does.
    pub command: Option<CommandLine>,
    /// What in its output decides.
    pub patterns: Patterns,
    /// How long it may take.
    pub time_limit: Option<TimeLimit>,
    /// What it means that it takes longer.
    pub time_limit_is: VerdictName,
    /// Bytes of memory that it may take.
    pub memory_bytes: Option<u64>,
    /// Seconds that its processes have to end by themselves.
    pub grace_seconds: f64,
    /// The trainer's configuration.
    pub config: Option<ConfigFile>,
    /// The trainer.
    pub trainer: Option<String>,
}

/// A trainer's configuration as it was when the search began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// A sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeaderSample {
    /// How suspicious it is.
    pub suspicion: f64,
    /// Width and height of its picture, where they are known.
    pub size: Option<[u32; 2]>,
    /// What was found about it, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// Its files, the image first.
    pub files: Vec<Stamp>,
}

/// Samples that are known to be good.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownGood {
    /// Their folder.
    pub root: PathBuf,
    /// They.
    pub samples: Vec<HeaderSample>,
}

/// [`SearchOptions`] as journals hold them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchSettings {
    /// Whether all culprits are wanted.
    pub all: bool,
    /// Trials of each subset.
    pub repeat: u32,
    /// Share of trials that show the failure; 1 for one that never comes and goes, `None` to find out.
    pub failure_rate: Option<f64>,
    /// Probability that a statement must have.
    pub confidence: f64,
    /// Minutes that a trial takes.
    pub minutes_per_trial: f64,
}

impl SearchSettings {
    /// As the search wants them.
    #[must_use]
    pub fn options(self, has_known_good: bool) -> SearchOptions {
        let flaky = match self.failure_rate {
            None => Flaky::Detect,
            Some(rate) if rate >= 1.0 => Flaky::Never,
            Some(rate) => Flaky::Assume(rate),
        };
        let Self { all, repeat, confidence, minutes_per_trial, .. } = self;
        SearchOptions { all, repeat, flaky, confidence, has_known_good, minutes_per_trial }
    }
}

/// What in the output decides, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patterns {
    /// Regular expressions.
    pub bad_when: Vec<String>,
    /// Regular expressions.
    pub good_when: Vec<String>,
    /// Conditions such as `loss=nan`.
    pub also_bad: Vec<String>,
}

/// How long a trial may take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeLimit {
    /// So many seconds.
    Seconds(f64),
    /// So many times the first trial that failed.
    OfFirstFailure(f64),
}

/// A verdict that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The trial.
    pub trial: u32,
    /// Its subset, as [`Record::Started`] has it.
    pub subset: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// How long it took.
    pub seconds: f64,
}

/// A trial that has started and not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Its number.
    pub trial: u32,
    /// Its subset, as [`Record::Started`] has it.
    pub subset: String,
    /// The start of the machine that it was in.
    pub boot: Option<String>,
}

/// All that has happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Verdicts that count, in order.
    pub settled: Vec<Settled>,
    /// The trial that is under way.
    pub pending: Option<Pending>,
}

/// What a line would have had to be.
pub type Expected = &'static str;

impl History {
    /// Takes in a line behind the header.
    pub(in crate::bisect) fn add(&mut self, record: Record) -> Result<(), Expected> {
        let next = self.settled.last().map_or(1, |last| last.trial.saturating_add(1));
        match record {
            Record::Header(_) => return Err("no second header"),
            Record::Started { trial, subset, boot, .. } if trial == next => self.pending = Some(Pending { trial, subset, boot }),
            Record::Ended { trial, verdict, reason, seconds } if self.pending.as_ref().is_some_and(|pending| pending.trial == trial) => {
                let subset = self.pending.take().map(|pending| pending.subset).unwrap_or_default();
                self.settled.push(Settled { trial, subset, verdict: verdict.into(), reason, seconds });
            }
            Record::Interrupted { trial } if self.pending.as_ref().is_some_and(|pending| pending.trial == trial) => self.pending = None,
            Record::Undone { trial } if self.settled.last().is_some_and(|last| last.trial == trial) => {
                self.settled.pop();
                self.pending = None;
            }
            Record::Started { .. } => return Err("the next trial to start"),
            Record::Ended { .. } | Record::Interrupted { .. } => return Err("the end of the trial that was started"),
            Record::Undone { .. } => return Err("the last verdict to be undone"),
        }
        Ok(())
    }
}
