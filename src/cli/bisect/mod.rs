//! `walkaround bisect`: which sample makes a run fail.

mod answer;
mod args;
mod begin;
mod hand;

pub(super) use args::BisectOptions;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail};
use walkaround::bisect::Verdict;
use walkaround::bisect::run::{OnPending, Session};

use super::exit::Exit;
use args::{BisectAction, OnPendingChoice};

/// Does what is asked.
pub(super) fn run(options: &BisectOptions) -> anyhow::Result<Exit> {
    match &options.action {
        BisectAction::Run(wanted) => {
            let header = begin::header(&wanted.dataset, Some(wanted))?;
            go_on(&mut Session::begin(&wanted.dataset.work, header)?, wanted.quiet)
        }
        BisectAction::Resume { dir, pending, quiet } => {
            let mut session = Session::resume(dir)?;
            if session.header().command.is_none() {
                return hand::offer(&mut session);
            }
            session.settle_pending(policy(*pending, &session)?, &mut answer::tell)?;
            go_on(&mut session, *quiet)
        }
        BisectAction::Status { dir, format } => answer::status(dir, *format),
        BisectAction::Log { dir } => answer::log(&folder(dir.as_deref())),
        BisectAction::Undo { dir } => hand::undo(&folder(dir.as_deref())),
        BisectAction::Reset { dir } => hand::reset(&folder(dir.as_deref())),
        BisectAction::Start(wanted) => {
            let header = begin::header(wanted, None)?;
            hand::offer(&mut Session::begin(&wanted.work, header)?)
        }
        BisectAction::Good(place) => hand::verdict(&folder(place.work.as_deref()), Verdict::Good),
        BisectAction::Bad(place) => hand::verdict(&folder(place.work.as_deref()), Verdict::Bad),
        BisectAction::Skip(place) => hand::verdict(&folder(place.work.as_deref()), Verdict::Untestable),
    }
}

fn folder(named: Option<&Path>) -> PathBuf {
    named.unwrap_or(Path::new(".")).to_owned()
}

/// Runs trials to the end. An interrupt ends the trial that is under way.
fn go_on(session: &mut Session, quiet: bool) -> anyhow::Result<Exit> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("failed to listen for interrupts")?;
    let ended = session.run(!quiet, &cancel, &mut answer::tell).context("the search has stopped, and no verdict is lost")?;
    let Some(conclusion) = ended else {
        answer::say("stopped; `walkaround bisect resume DIR` goes on");
        return Ok(Exit::Interrupted);
    };
    answer::conclude(session, &conclusion)
}

/// What to do about a trial that was under way; a person is asked where that is wanted.
fn policy(choice: OnPendingChoice, session: &Session) -> anyhow::Result<OnPending> {
    Ok(match choice {
        OnPendingChoice::Auto => OnPending::ByReboot,
        OnPendingChoice::Bad => OnPending::Bad,
        OnPendingChoice::Skip => OnPending::Skip,
        OnPendingChoice::Ask => {
            let Some(pending) = &session.history().pending else { return Ok(OnPending::ByReboot) };
            answer::say(&format!("trial {} was under way. Did it take the machine down? [bad/skip/again]", pending.trial));
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).context("failed to read the answer")?;
            match line.trim() {
                "bad" => OnPending::Bad,
                "skip" => OnPending::Skip,
                "again" => OnPending::Again,
                other => bail!("`{other}` is no answer; say bad, skip or again"),
            }
        }
    })
}
