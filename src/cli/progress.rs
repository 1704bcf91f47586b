//! The progress bar on stderr: rate, time left, and the file that has been under way for the longest.

use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use walkaround::model::RelPath;
use walkaround::pipeline::Watch;

/// Files that take less than this are not worth naming.
const SLOW: Duration = Duration::from_secs(1);

/// Shows how far a run has come.
pub(super) struct Progress {
    bar: ProgressBar,
    under_way: Mutex<Vec<(Instant, RelPath)>>,
}

impl Progress {
    /// A bar, if stderr is a terminal and the user did not ask for quiet.
    pub(super) fn new(quiet: bool) -> Option<Self> {
        (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
            let style = ProgressStyle::with_template("{bar:24} {percent:>3} % {decimal_bytes_per_sec}, {eta} left {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            Self { bar, under_way: Mutex::new(Vec::new()) }
        })
    }

    /// Takes the bar away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn walked(&self, _: u64, bytes: u64) {
        self.bar.set_length(bytes);
    }

    fn started(&self, path: &RelPath) {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).push((Instant::now(), path.clone()));
    }

    fn finished(&self, path: &RelPath, bytes: u64) {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        under_way.retain(|(_, other)| other != path);
        let slowest = under_way.iter().min_by_key(|(since, _)| *since).filter(|(since, _)| since.elapsed() > SLOW);
        self.bar.set_message(slowest.map(|(_, path)| path.to_string()).unwrap_or_default());
        self.bar.inc(bytes);
    }

    fn judging(&self) {
        self.bar.set_message("comparing");
    }
}
