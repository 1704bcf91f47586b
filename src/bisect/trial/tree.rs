//! All processes of a trial: those in its session or job, and those that have left it but carry its mark.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::ChildWrapper;
use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, Signal, System, UpdateKind};

use super::MARKER;

/// How often a wait looks again.
const GLANCE: Duration = Duration::from_millis(50);

/// `SIGTERM`, which has this number on every Unix.
#[cfg(unix)]
const TERM: i32 = 15;

/// Tells the processes of a trial to end, waits, and kills those that are left. What the child has started is found even when the child
/// itself is gone.
pub(super) fn end(child: &mut dyn ChildWrapper, marker: &str, grace: Duration) {
    let session = Pid::from_u32(child.id());
    #[cfg(unix)]
    {
        // Nobody may be left to be told.
        let _ = child.signal(TERM);
    }
    let since = Instant::now();
    let mut system = System::new();
    each(&mut system, marker, Some(session), |process| {
        process.kill_with(Signal::Term);
    });
    // Windows has no way to ask a program without a window to end.
    if cfg!(unix) {
        while since.elapsed() < grace {
            let _ = child.try_wait();
            if each(&mut system, marker, Some(session), |_| ()) == 0 {
                break;
            }
            thread::sleep(GLANCE);
        }
    }
    let _ = child.start_kill();
    kill(&mut system, marker, Some(session));
    let _ = child.wait();
}

/// Kills the processes of a trial whose walkaround has ended before them, by the value of [`MARKER`] that they carry. How many there were.
#[must_use]
pub fn end_strays(marker: &str) -> usize {
    kill(&mut System::new(), marker, None)
}

/// Bytes of memory that the processes of a trial hold together.
pub(super) fn memory(system: &mut System, child: u32, marker: &str) -> u64 {
    let mut sum = 0_u64;
    each(system, marker, Some(Pid::from_u32(child)), |process| sum = sum.saturating_add(process.memory()));
    sum
}

/// Kills until none is left, for one that is killed may have started another in between.
fn kill(system: &mut System, marker: &str, session: Option<Pid>) -> usize {
    let mut most = 0;
    for _ in 0..20 {
        let count = each(system, marker, session, |process| {
            process.kill();
        });
        most = most.max(count);
        if count == 0 {
            break;
        }
        thread::sleep(GLANCE);
    }
    most
}

/// Does something with each process of a trial that is alive; how many there are.
fn each(system: &mut System, marker: &str, session: Option<Pid>, mut act: impl FnMut(&Process)) -> usize {
    let what = ProcessRefreshKind::nothing().with_memory().with_environ(UpdateKind::OnlyIfNotSet);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    let mark = format!("{MARKER}={marker}");
    let own = Pid::from_u32(std::process::id());
    let lives =
        |process: &Process| process.thread_kind().is_none() && !matches!(process.status(), ProcessStatus::Zombie | ProcessStatus::Dead);
    let mut ours: BTreeSet<Pid> = system
        .processes()
        .iter()
        .filter(|&(&pid, process)| {
            pid != own
                && lives(process)
                && (session == Some(pid)
                    || (cfg!(unix) && session.is_some() && process.session_id() == session)
                    || process.environ().iter().any(|variable| variable.as_os_str() == OsStr::new(&mark)))
        })
        .map(|(&pid, _)| pid)
        .collect();
    // Children of those, in whatever session and with whatever environment.
    loop {
        let more: Vec<Pid> = system
            .processes()
            .iter()
            .filter(|(pid, process)| !ours.contains(pid) && lives(process) && process.parent().is_some_and(|parent| ours.contains(&parent)))
            .map(|(&pid, _)| pid)
            .collect();
        if more.is_empty() {
            break;
        }
        ours.extend(more);
    }
    ours.iter().filter_map(|&pid| system.process(pid)).for_each(&mut act);
    ours.len()
}
