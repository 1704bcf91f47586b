//! Where a bisection stands, read from its folder while it runs or when it does not: `walkaround.bisect/1`.

use std::path::Path;

use serde::Serialize;

use super::journal::{self, Header, History, SCHEMA, is_locked};
use super::run::{BisectError, replay};
use super::{Next, State, SuspectIndex};

/// The answer of `bisect status`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// `running`, `proven`, `narrowed`, `premise-failed` or `stopped`.
    pub state: &'static str,
    /// Culprits as paths relative to the dataset; several in one list fail only together.
    pub culprits: Vec<Vec<String>>,
    /// Verdicts that count.
    pub trials: usize,
    /// What is still to do.
    pub remaining: RemainingWork,
    /// Who may still be a culprit, the most probable first.
    pub suspects: Vec<String>,
}

/// What is still to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RemainingWork {
    /// Trials to expect.
    pub expected_trials: f64,
    /// Minutes to expect, by the trials so far where there were any.
    pub expected_minutes: f64,
}

impl Status {
    /// Reads the status of a folder.
    pub fn read(folder: &Path) -> Result<Self, BisectError> {
        let (header, history) = journal::read(folder)?;
        Self::of(&header, &history, is_locked(folder))
    }

    /// The status of a bisection; one by hand is running until it ends.
    pub fn of(header: &Header, history: &History, is_worked_on: bool) -> Result<Self, BisectError> {
        let search = replay(header, history)?;
        let remaining = search.remaining();
        let path = |suspect: &SuspectIndex| {
            let sample = usize::try_from(suspect.0).ok().and_then(|number| header.samples.get(number));
            sample.and_then(|sample| sample.files.first()).map(|file| file.path.clone()).unwrap_or_default()
        };
        let mut suspects: Vec<String> = search.suspects().iter().map(|(suspect, _)| path(suspect)).collect();
        let (state, culprits) = match search.next() {
            Next::Done(conclusion) => {
                suspects = conclusion.suspects.iter().map(|(suspect, _)| path(suspect)).collect();
                (name(conclusion.state), conclusion.culprits)
            }
            Next::Trial(_) if is_worked_on || header.command.is_none() => ("running", Vec::new()),
            Next::Trial(_) => ("stopped", Vec::new()),
        };
        let is_over = matches!(state, "proven" | "premise-failed");
        let timed: Vec<f64> = history.settled.iter().map(|settled| settled.seconds).filter(|&seconds| seconds > 0.0).collect();
        let count = u32::try_from(timed.len()).unwrap_or(u32::MAX);
        let expected_trials = if is_over { 0.0 } else { remaining.expected_trials };
        let expected_minutes = match count {
            _ if is_over => 0.0,
            0 => remaining.expected_minutes,
            count => expected_trials * timed.iter().sum::<f64>() / f64::from(count) / 60.0,
        };
        Ok(Self {
            schema: SCHEMA,
            state,
            culprits: culprits.iter().map(|culprit| culprit.iter().map(path).collect()).collect(),
            trials: history.settled.len(),
            remaining: RemainingWork { expected_trials, expected_minutes },
            suspects,
        })
    }
}

fn name(state: State) -> &'static str {
    match state {
        State::Proven => "proven",
        State::Narrowed => "narrowed",
        State::PremiseFailed { .. } => "premise-failed",
    }
}
