//! One run of the user's command on a subset: started, watched, ended with all that it started, and judged.
//!
//! The only part of the room that starts processes. A thread reads the command's output, for a pipe cannot be read with a time
//! limit. What a verdict means for the search is not known here. May use the room's [`Verdict`].

mod command;
mod judge;
mod launch;
mod output;
mod tree;

use std::path::PathBuf;
use std::time::Duration;

pub use command::CommandLine;
pub use judge::{Judge, PatternError};
pub use launch::{LaunchError, launch};
pub use tree::end_strays;

use super::Verdict;

/// Name of the variable that every process of a trial inherits; its value says which trial.
pub const MARKER: &str = "WALKAROUND_TRIAL";

/// What a trial may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// How long it may run, and what it means when that is over.
    pub time: Option<(Duration, Verdict)>,
    /// Bytes of memory that all its processes together may hold; a trial that takes more is ended, and bad.
    pub memory_bytes: Option<u64>,
    /// How long processes have to end by themselves when they are told to.
    pub grace: Duration,
}

/// Where a trial finds its things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The folder to train on: `{dataset}` and `WALKAROUND_DATASET`.
    pub dataset: PathBuf,
    /// The trainer's configuration, rewritten: `{config}` and `WALKAROUND_CONFIG`.
    pub config: Option<PathBuf>,
    /// Where its output is kept.
    pub log: PathBuf,
    /// What tells its processes from others: the value of [`MARKER`].
    pub marker: String,
    /// Whether its output is also shown as it comes, on standard error.
    pub live: bool,
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// What that says of the subset; `None` for a trial that was interrupted, which says nothing and is run again.
    pub verdict: Option<Verdict>,
    /// Why, in words.
    pub reason: String,
    /// How long it took.
    pub elapsed: Duration,
}
