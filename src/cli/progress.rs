//! The progress bar on stderr: rate, time left, and the file that has been under way for the longest.

use std::fmt::Write;
use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use walkaround::model::RelPath;
use walkaround::pipeline::Watch;

/// Files that take less than this are not worth naming.
const SLOW: Duration = Duration::from_secs(1);

/// Shows how far a run has come.
pub(super) struct Progress {
    bar: ProgressBar,
    under_way: Arc<Mutex<UnderWay>>,
}

/// The files that workers are at.
#[derive(Default)]
struct UnderWay(Vec<(Instant, RelPath)>);

impl Progress {
    /// A bar, if stderr is a terminal and the user did not ask for quiet.
    pub(super) fn new(quiet: bool) -> Option<Self> {
        (!quiet && std::io::stderr().is_terminal()).then(|| {
            let under_way = Arc::<Mutex<UnderWay>>::default();
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
            bar.set_style(style(Arc::clone(&under_way)));
            // Drawn even when nothing is finished, which is when a slow file wants to be named.
            bar.enable_steady_tick(Duration::from_millis(250));
            Self { bar, under_way }
        })
    }
}

fn style(under_way: Arc<Mutex<UnderWay>>) -> ProgressStyle {
    let template = "{bar:24} {percent:>3} % {decimal_bytes_per_sec}, {eta} left {msg} {slowest}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("slowest", move |_: &ProgressState, out: &mut dyn Write| {
        let under_way = under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, path)) = under_way.slowest() {
            let _ = write!(out, "{path} ({} s)", since.elapsed().as_secs());
        }
    })
}

impl UnderWay {
    fn slowest(&self) -> Option<&(Instant, RelPath)> {
        self.0.iter().min_by_key(|(since, _)| *since).filter(|(since, _)| since.elapsed() > SLOW)
    }
}

impl Drop for Progress {
    /// A run that could not be carried to its end leaves no bar behind either.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn walked(&self, _: u64, bytes: u64) {
        self.bar.set_length(bytes);
    }

    fn started(&self, path: &RelPath) {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).0.push((Instant::now(), path.clone()));
    }

    fn finished(&self, path: &RelPath, bytes: u64) {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).0.retain(|(_, other)| other != path);
        self.bar.inc(bytes);
    }

    fn judging(&self) {
        self.bar.set_message("comparing");
    }

    fn closing(&self) {
        self.bar.finish_and_clear();
    }
}
