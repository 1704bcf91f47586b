//! Starting the command, waiting for it within its bounds, and what its end says.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap};
use sysinfo::System;
use thiserror::Error;

use super::output::Reader;
use super::{Bounds, CommandLine, Ended, Judge, Places, tree};
use crate::bisect::Verdict;

/// How often a wait looks whether something has happened.
const GLANCE: Duration = Duration::from_millis(20);

/// How often the memory of all processes is added up.
const WEIGH: Duration = Duration::from_millis(250);

/// How long to wait for the rest of the output once all writers should be gone.
const AFTERMATH: Duration = Duration::from_secs(2);

/// The exit code that says that a subset cannot be tested, as `git bisect run` has it.
const UNTESTABLE: i32 = 125;

/// Why there was no trial. No subset's fault, so that the search stops.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The command does not start.
    #[error("failed to start `{command}`: {reason}")]
    Start {
        /// The program.
        command: String,
        /// Why.
        reason: String,
    },
    /// The output cannot be kept.
    #[error("failed to write `{path}`: {source}")]
    Log {
        /// The log.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// Runs the command to its end, to its verdict, or to the end of its time, and ends all that it has started.
pub fn launch(line: &CommandLine, places: &Places, judge: &Judge, bounds: &Bounds, cancel: &AtomicBool) -> Result<Ended, LaunchError> {
    let log_failed = |source| LaunchError::Log { path: places.log.display().to_string(), source };
    let mut log = OpenOptions::new().create(true).append(true).open(&places.log).map_err(log_failed)?;
    writeln!(log, "walkaround: {} on {}", line.words.join(" "), places.dataset.display()).map_err(log_failed)?;

    let start_failed =
        |error: &io::Error| LaunchError::Start { command: line.words.first().cloned().unwrap_or_default(), reason: error.to_string() };
    let (pipe, writer) = io::pipe().map_err(|error| start_failed(&error))?;
    let mut command = line.prepare(places);
    command.stdin(Stdio::null()).stdout(writer.try_clone().map_err(|error| start_failed(&error))?).stderr(writer);
    let mut wrap = CommandWrap::from(command);
    #[cfg(unix)]
    wrap.wrap(process_wrap::std::ProcessSession);
    #[cfg(windows)]
    wrap.wrap(process_wrap::std::JobObject);
    let since = Instant::now();
    let mut child = wrap.spawn().map_err(|error| start_failed(&error))?;
    // The command holds the pipe's writing end, without which reading would not end.
    drop(wrap);
    let reader = match Reader::start(pipe, log, places.live, judge.clone()) {
        Ok(reader) => reader,
        Err(error) => {
            tree::end(&mut *child, &places.marker, Duration::ZERO);
            return Err(start_failed(&error));
        }
    };
    let stop = wait(&mut *child, places, &reader, bounds, cancel);
    let elapsed = since.elapsed();
    tree::end(&mut *child, &places.marker, bounds.grace);
    if let Ok(Err(source)) = reader.closed.recv_timeout(AFTERMATH) {
        return Err(log_failed(source));
    }
    // What was written last is read after the end is seen.
    let sight = || reader.sights.try_recv().ok().map(|(verdict, line)| (Some(verdict), said(verdict, &line)));
    let (verdict, reason) = match stop {
        Stop::Exited(status) if line.shell && matches!(status.code(), Some(126 | 127)) => {
            return Err(LaunchError::Start { command: line.words.join(" "), reason: format!("the shell says so with {status}") });
        }
        Stop::Exited(status) => sight().unwrap_or_else(|| (Some(by_exit(status)), describe(status))),
        Stop::Saw(verdict, line) => (Some(verdict), said(verdict, &line)),
        Stop::OutOfTime(limit, verdict) => (Some(verdict), format!("it still ran after {} s", limit.as_secs_f64())),
        Stop::OutOfMemory(bytes, limit) => (Some(Verdict::Bad), format!("it held {bytes} bytes of memory, of at most {limit}")),
        Stop::Cancelled => (None, "interrupted".to_owned()),
        Stop::Lost(error) => (Some(Verdict::Untestable), format!("it could not be waited for: {error}")),
    };
    Ok(Ended { verdict, reason, elapsed })
}

/// Why waiting ended.
enum Stop {
    Exited(ExitStatus),
    Saw(Verdict, String),
    OutOfTime(Duration, Verdict),
    OutOfMemory(u64, u64),
    Cancelled,
    Lost(io::Error),
}

fn wait(child: &mut dyn ChildWrapper, places: &Places, reader: &Reader, bounds: &Bounds, cancel: &AtomicBool) -> Stop {
    let since = Instant::now();
    let mut system = System::new();
    let mut weighed = since;
    loop {
        if let Ok((verdict, line)) = reader.sights.try_recv() {
            return Stop::Saw(verdict, line);
        }
        match child.try_wait() {
            Ok(Some(status)) => return Stop::Exited(status),
            Ok(None) => {}
            Err(error) => return Stop::Lost(error),
        }
        if cancel.load(Ordering::Relaxed) {
            return Stop::Cancelled;
        }
        if let Some((limit, verdict)) = bounds.time
            && since.elapsed() >= limit
        {
            return Stop::OutOfTime(limit, verdict);
        }
        if let Some(limit) = bounds.memory_bytes
            && weighed.elapsed() >= WEIGH
        {
            let held = tree::memory(&mut system, child.id(), &places.marker);
            if held > limit {
                return Stop::OutOfMemory(held, limit);
            }
            weighed = Instant::now();
        }
        thread::sleep(GLANCE);
    }
}

fn by_exit(status: ExitStatus) -> Verdict {
    match status.code() {
        Some(0) => Verdict::Good,
        Some(UNTESTABLE) => Verdict::Untestable,
        _ => Verdict::Bad,
    }
}

fn describe(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("it ended with exit code {code}"),
        // `signal: 11 (SIGSEGV) (core dumped)`.
        None => format!("it was ended by {status}"),
    }
}

fn said(verdict: Verdict, line: &str) -> String {
    let kind = if verdict == Verdict::Bad { "bad" } else { "good" };
    format!("its output is {kind}: {line}")
}

#[cfg(all(test, unix))]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the tests read the logs that they made")]

    use std::fs;

    use super::*;

    fn run(script: &str, judge: &Judge, bounds: Bounds) -> (Ended, String) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let places = Places {
            dataset: folder.path().to_owned(),
            config: None,
            log: folder.path().join("log"),
            marker: folder.path().display().to_string(),
            live: false,
        };
        let line = CommandLine { words: ["sh", "-c", script].map(str::to_owned).into(), shell: false };
        let ended = launch(&line, &places, judge, &bounds, &AtomicBool::new(false)).expect("sh is there");
        (ended, fs::read_to_string(&places.log).expect("there is a log"))
    }

    const BOUNDS: Bounds = Bounds { time: None, memory_bytes: None, grace: Duration::from_millis(300) };

    #[test]
    fn exit_codes_and_signals_are_verdicts() {
        for (script, verdict) in [
            ("exit 0", Verdict::Good),
            ("exit 125", Verdict::Untestable),
            ("exit 1", Verdict::Bad),
            ("exit 255", Verdict::Bad),
            ("kill -SEGV $$", Verdict::Bad),
        ] {
            assert_eq!(run(script, &Judge::default(), BOUNDS).0.verdict, Some(verdict), "{script}");
        }
    }

    #[test]
    fn output_decides_and_ends_the_trial() {
        let judge = Judge::new(&[], &["steps: .* 250/".to_owned()], &["loss=nan".to_owned()]).expect("the patterns can be used");
        let (ended, log) = run("printf '\\rsteps: 1%% 250/900'; exec sleep 60", &judge, BOUNDS);
        assert_eq!(ended.verdict, Some(Verdict::Good), "{}", ended.reason);
        assert!(ended.elapsed < Duration::from_secs(30) && log.contains("250/900"), "{log}");
        let (ended, _) = run("echo avr_loss=nan; exit 0", &judge, BOUNDS);
        assert_eq!(ended.verdict, Some(Verdict::Bad), "{}", ended.reason);
    }

    #[test]
    fn a_trial_that_hangs_is_ended_even_when_it_does_not_listen() {
        let bounds = Bounds { time: Some((Duration::from_millis(200), Verdict::Bad)), ..BOUNDS };
        let (ended, _) = run("trap '' TERM; while :; do sleep 0.1; done", &Judge::default(), bounds);
        assert_eq!(ended.verdict, Some(Verdict::Bad), "{}", ended.reason);
    }

    #[test]
    fn grandchildren_are_gone_after_a_trial_also_those_in_a_session_of_their_own() {
        let (ended, log) = run(
            "sleep 300 & echo pid $!; setsid sleep 301 & sleep 0.2; setsid sh -c 'echo pid $$; exec sleep 302' & sleep 0.3; exit 0",
            &Judge::default(),
            BOUNDS,
        );
        assert_eq!(ended.verdict, Some(Verdict::Good));
        let pids: Vec<&str> = log.lines().filter_map(|line| line.strip_prefix("pid ")).collect();
        assert_eq!(pids.len(), 2, "{log}");
        for pid in pids {
            // It may still be a zombie that nobody has waited for.
            let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            assert!(state.is_empty() || state.contains(") Z"), "{state}");
        }
    }

    #[test]
    fn a_trial_that_takes_too_much_memory_is_bad() {
        let bounds = Bounds { memory_bytes: Some(1), ..BOUNDS };
        let (ended, _) = run("sleep 60", &Judge::default(), bounds);
        assert_eq!(ended.verdict, Some(Verdict::Bad));
        assert!(ended.reason.contains("memory"), "{}", ended.reason);
    }

    #[test]
    fn a_command_that_is_not_there_is_no_verdict() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let places = Places { dataset: "d".into(), config: None, log: folder.path().join("log"), marker: "m".to_owned(), live: false };
        for (words, shell) in [(vec!["no-such-program-at-all".to_owned()], false), (vec!["no-such-program-at-all".to_owned()], true)] {
            let line = CommandLine { words, shell };
            let error = launch(&line, &places, &Judge::default(), &BOUNDS, &AtomicBool::new(false)).expect_err("there is no such program");
            assert!(error.to_string().contains("no-such-program-at-all"), "{error}");
        }
    }
}
