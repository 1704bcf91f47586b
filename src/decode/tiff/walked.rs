//! What a walk through the compressed data of one strip or tile found.

use crate::decode::reduce::share_of;
use crate::model::{Fault, FaultKind};

/// What is said of data that is not there.
const ABSENT: &str = "the data of a strip or tile is not there";

/// What libtiff makes of a strip or tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is taken, whole or not.
    Taken,
    /// Reading it fails.
    Refused,
    /// Not known here.
    Unknown,
}

/// What was found in a strip or tile.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Walked {
    pub(super) outcome: Outcome,
    /// The first thing that is wrong by the rules of the compression.
    pub(super) fault: Option<Fault>,
    /// Share of the strip or tile that is lost, 0 to 1, where it can be told.
    pub(super) lost: Option<f32>,
}

impl Walked {
    /// Nothing is wrong.
    pub(super) fn whole() -> Self {
        Self { outcome: Outcome::Taken, fault: None, lost: Some(0.0) }
    }

    /// The data ends at `at` with `got` of the bytes or rows that are wanted, and libtiff does not forgive it.
    pub(super) fn short(got: u64, wanted: u64, at: usize, what: impl Into<String>) -> Self {
        Self::refused(got, wanted, Fault::at(FaultKind::Truncated, at, what))
    }

    /// The data is broken at `at` behind `got` of the bytes that are wanted, and libtiff does not forgive it.
    pub(super) fn broken(got: u64, wanted: u64, at: usize, what: impl Into<String>) -> Self {
        Self::refused(got, wanted, Fault::at(FaultKind::Corrupt, at, what))
    }

    /// The data is not there; `end` is where the file ends.
    pub(super) fn absent(end: usize) -> Self {
        Self::short(0, 1, end, ABSENT)
    }

    /// Whether the data is not there at all.
    pub(super) fn is_absent(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| fault.detail == ABSENT)
    }

    /// Whether the data is whole is not known, for the reason given.
    pub(super) fn unknown(fault: Fault) -> Self {
        Self { outcome: Outcome::Unknown, fault: Some(fault), lost: None }
    }

    /// The time limit has passed.
    pub(super) fn timed_out() -> Self {
        Self::unknown(Fault::new(FaultKind::TimedOut, "decoding took longer than the limit"))
    }

    fn refused(got: u64, wanted: u64, fault: Fault) -> Self {
        Self { outcome: Outcome::Refused, fault: Some(fault), lost: Some(share_of(wanted.saturating_sub(got), wanted)) }
    }
}
