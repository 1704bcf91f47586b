//! A bisection by hand, in the manner of `git bisect`: a folder to train on is named, and a person says what happened.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use walkaround::bisect::journal::{self, Lock};
use walkaround::bisect::run::Session;
use walkaround::bisect::status::Status;
use walkaround::bisect::{Next, Verdict};

use super::answer;
use crate::cli::exit::Exit;
use crate::cli::output;

/// What a bisection writes to its folder.
const OWN: [&str; 5] = [journal::NAME, "quarantine.txt", "clean.txt", "trials", "logs"];

/// Builds the next folder and names it, or says how it ended.
pub(super) fn offer(session: &mut Session) -> anyhow::Result<Exit> {
    let trial = match session.next_step() {
        Next::Done(conclusion) => return answer::conclude(session, &conclusion),
        Next::Trial(trial) => trial,
    };
    let prepared = session.prepare(&trial)?;
    let left = Status::of(session.header(), session.history(), true)?.remaining.expected_trials;
    let (number, purpose, count) = (trial.number, trial.purpose.name(), trial.suspects.len());
    let mut out = output::stdout();
    writeln!(out, "trial {number} ({purpose}): {count} of {} samples; about {left:.0} trials to go", session.header().samples.len())?;
    writeln!(out, "train on  {}", prepared.dataset.display())?;
    if let Some(config) = prepared.config {
        writeln!(out, "with      {}", config.display())?;
    }
    writeln!(out, "then say  walkaround bisect good | bad | skip")?;
    out.flush()?;
    Ok(Exit::Clean)
}

/// Takes a verdict.
pub(super) fn verdict(folder: &Path, verdict: Verdict) -> anyhow::Result<Exit> {
    let mut session = Session::resume(folder)?;
    if session.header().command.is_some() {
        bail!("this bisection runs a command by itself; `walkaround bisect resume` goes on with it");
    }
    if let Next::Done(conclusion) = session.next_step() {
        return answer::conclude(&session, &conclusion);
    }
    session.settle(verdict, "said by hand", 0.0, &mut |_| ())?;
    offer(&mut session)
}

/// Takes the last verdict back.
pub(super) fn undo(folder: &Path) -> anyhow::Result<Exit> {
    let mut session = Session::resume(folder)?;
    let trial = session.undo()?;
    answer::say(&format!("the verdict of trial {trial} is taken back"));
    if session.header().command.is_none() { offer(&mut session) } else { Ok(Exit::Clean) }
}

/// Removes what a bisection has written.
#[expect(clippy::disallowed_methods, reason = "these are this program's own files, in a folder with its journal")]
pub(super) fn reset(folder: &Path) -> anyhow::Result<Exit> {
    if !folder.join(journal::NAME).is_file() {
        bail!("there is no bisection in `{}`", folder.display());
    }
    let lock = Lock::take(folder)?;
    for name in OWN {
        let path = folder.join(name);
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        if let Err(error) = removed
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(error).with_context(|| format!("failed to remove `{}`", path.display()));
        }
    }
    drop(lock);
    Ok(Exit::Clean)
}
