//! What a bisection says: trials as they come, where it stands, and the end.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use walkaround::bisect::journal::{self, HeaderSample, VerdictName};
use walkaround::bisect::run::{Event, Session};
use walkaround::bisect::status::Status;
use walkaround::bisect::{Conclusion, State, SuspectIndex};
use walkaround::model::printable;

use crate::cli::args::PageFormat;
use crate::cli::exit::Exit;
use crate::cli::output;

/// Lines of the failing trial's log that are shown.
const LAST_LINES: usize = 12;

/// Suspects that are named.
const MOST_NAMED: usize = 20;

/// Says something that is no data.
pub(super) fn say(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Says what happens.
pub(super) fn tell(event: Event<'_>) {
    match event {
        Event::Starting(trial, folder) => {
            let (number, purpose, count) = (trial.number, trial.purpose.name(), trial.suspects.len());
            say(&format!("walkaround: trial {number} ({purpose}), {count} suspects, in {}", folder.display()));
        }
        Event::Settled(settled) => {
            let (verdict, reason) = (VerdictName::from(settled.verdict).name(), printable(&settled.reason));
            say(&format!("walkaround: trial {} is {verdict}: {reason} ({:.1} s)", settled.trial, settled.seconds));
        }
        Event::Strays(count) => say(&format!("walkaround: {count} processes that the trial before had left running are ended")),
    }
}

/// Says where a bisection stands.
pub(super) fn status(folder: &Path, format: PageFormat) -> anyhow::Result<Exit> {
    let status = Status::read(folder)?;
    let mut out = output::stdout();
    match format {
        PageFormat::Json => {
            serde_json::to_writer(&mut out, &status).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        PageFormat::Text => {
            writeln!(out, "state      {}", status.state)?;
            writeln!(out, "trials     {}", status.trials)?;
            let left = status.remaining;
            writeln!(out, "remaining  about {:.0} trials, {:.0} minutes", left.expected_trials, left.expected_minutes)?;
            for culprit in &status.culprits {
                writeln!(out, "culprit    {}", printable(&culprit.join(" + ")))?;
            }
            writeln!(out, "suspects   {}", status.suspects.len())?;
            for suspect in status.suspects.iter().take(MOST_NAMED) {
                writeln!(out, "  {}", printable(suspect))?;
            }
        }
    }
    out.flush()?;
    Ok(Exit::Clean)
}

/// Lists the trials.
pub(super) fn log(folder: &Path) -> anyhow::Result<Exit> {
    let (_, history) = journal::read(folder)?;
    let mut out = output::stdout();
    for settled in &history.settled {
        let verdict = VerdictName::from(settled.verdict).name();
        writeln!(out, "{:>4}  {verdict:<10}  {:>8.1} s  {}", settled.trial, settled.seconds, printable(&settled.reason))?;
    }
    if let Some(pending) = &history.pending {
        writeln!(out, "{:>4}  under way", pending.trial)?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}

/// The end: who it was, what is known of it, what its trial said last, and what to do.
pub(super) fn conclude(session: &Session, conclusion: &Conclusion) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    let samples = &session.header().samples;
    let sample = |suspect: &SuspectIndex| usize::try_from(suspect.0).ok().and_then(|number| samples.get(number));
    let name = |sample: Option<&HeaderSample>| {
        printable(sample.and_then(|sample| sample.files.first()).map_or("", |file| &file.path)).into_owned()
    };
    for culprit in &conclusion.culprits {
        let names: Vec<String> = culprit.iter().map(|suspect| name(sample(suspect))).collect();
        writeln!(out, "culprit: {}", names.join(" together with "))?;
        for finding in culprit.iter().filter_map(sample).flat_map(|sample| &sample.findings) {
            writeln!(out, "  {}", printable(finding))?;
        }
        if let Some(trial) = session.failing_trial(culprit) {
            let lines = last_lines(&session.log(trial));
            if !lines.is_empty() {
                writeln!(out, "  trial {trial} failed with it; the end of {}:", session.log(trial).display())?;
            }
            for line in lines {
                writeln!(out, "    {}", printable(&line))?;
            }
        }
    }
    let trials = session.history().settled.len();
    let exit = match conclusion.state {
        State::Proven => {
            writeln!(out, "proven in {trials} trials: each culprit fails without the other suspects")?;
            Exit::Clean
        }
        State::Narrowed => {
            writeln!(out, "narrowed to {} suspects in {trials} trials, not proven:", conclusion.suspects.len())?;
            for (suspect, probability) in conclusion.suspects.iter().take(MOST_NAMED) {
                writeln!(out, "  {:>5.1} %  {}", probability * 100.0, name(sample(suspect)))?;
            }
            Exit::Narrowed
        }
        State::PremiseFailed { why } => {
            writeln!(out, "the premise fails: {why}")?;
            Exit::PremiseFailed
        }
    };
    if let Some(rate) = conclusion.failure_rate {
        writeln!(out, "the failure shows in about {:.0} % of the runs that could show it", rate * 100.0)?;
    }
    if !conclusion.culprits.is_empty() {
        let (quarantine, clean) = session.write_lists(&conclusion.culprits)?;
        writeln!(out, "what to do: repair the files in {}, or move them out of the dataset", quarantine.display())?;
        writeln!(out, "all other images are in {}", clean.display())?;
    }
    out.flush()?;
    Ok(exit)
}

/// The last lines of a file, of which only the end is read.
fn last_lines(path: &Path) -> Vec<String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(16 << 10)))?;
        file.read_to_end(&mut bytes)
    });
    if read.is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&bytes).replace('\r', "\n");
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let mut lines: Vec<String> = lines.map(|line| line.chars().take(300).collect()).collect();
    lines.split_off(lines.len().saturating_sub(LAST_LINES))
}
