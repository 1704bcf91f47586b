//! Runs the stages over a dataset. The only room with threads.
//!
//! Samples are handed out in order, looked at on worker threads, put back into order and given to the sinks one by one, so
//! that every output has the same bytes for any number of threads. Pixels are dropped inside the workers; what stays of a
//! sample until the end is one [`SampleBrief`](crate::model::SampleBrief). May use every room but `cli`.

mod budget;
mod inspect;
mod ledger;
mod order;
mod read;
mod recall;
mod sieve;
mod tally;
mod verify;
mod workers;

use std::io;
use std::sync::atomic::AtomicBool;

use thiserror::Error;

pub use inspect::{Inspector, inspect};
pub use verify::{Revisit, Verification, VerifyError, verify};

use crate::model::{RelPath, Summary};
use crate::settings::Settings;
use crate::sinks::{Header, Sink};
use crate::trainers::Panel;
use crate::walk::{self, WalkError};
use crate::witness::{Bench, WitnessError};

/// Why a run could not happen, or could not be carried to its end. Bad data is a finding and never ends up here.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// What was to be looked at is not there.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A report could not be written.
    #[error("failed to write the report: {0}")]
    Output(#[from] io::Error),
    /// The trainer's own libraries cannot be asked.
    #[error(transparent)]
    Witness(#[from] WitnessError),
    /// The worker threads could not be started.
    #[error("failed to start the worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Somebody who watches a run. Called from several threads.
pub trait Watch: Sync {
    /// The walk has found so many samples of so many bytes.
    fn walked(&self, samples: u64, bytes: u64) {
        let _ = (samples, bytes);
    }
    /// A worker begins with this sample.
    fn started(&self, path: &RelPath) {
        let _ = path;
    }
    /// A worker is done with this sample of so many bytes.
    fn finished(&self, path: &RelPath, bytes: u64) {
        let _ = (path, bytes);
    }
    /// Every sample was looked at; what is left concerns the dataset as a whole.
    fn judging(&self) {}
    /// All is known, and the reports are about to be finished.
    fn closing(&self) {}
}

/// Nobody watches.
impl Watch for () {}

/// Looks at everything the settings name and writes to the sinks.
///
/// When `cancel` becomes true, samples under way are finished, sinks are closed with what is known, and the summary says
/// that it was interrupted.
///
/// ```
/// # fn main() -> Result<(), walkaround::pipeline::RunError> {
/// # let folder = tempfile::tempdir()?;
/// use std::sync::atomic::AtomicBool;
/// use walkaround::{pipeline, settings::Settings, walk::Input};
///
/// let settings = Settings::new(vec![Input::Path(folder.path().to_owned())]);
/// let summary = pipeline::run(&settings, &mut [], &(), &AtomicBool::new(false))?;
/// assert_eq!((summary.samples, summary.findings.error), (0, 1)); // an empty dataset is an error
/// # Ok(())
/// # }
/// ```
pub fn run(settings: &Settings, sinks: &mut [Box<dyn Sink + '_>], watch: &dyn Watch, cancel: &AtomicBool) -> Result<Summary, RunError> {
    let bench = settings.witness.as_ref().map(|options| Bench::call(options, cancel)).transpose()?;
    let inventory = walk::walk(&settings.inputs, &settings.walk)?;
    watch.walked(inventory.samples.len() as u64, inventory.samples.iter().map(|sample| sample.size_bytes).sum());

    let header = Header::new(settings, &inventory, bench.as_ref().map(Bench::witness));
    sinks.iter_mut().try_for_each(|sink| sink.begin(&header))?;

    let panel = Panel::new(&settings.plan, &inventory);
    let mut ledger = ledger::Ledger::new(&settings.rules, &panel, bench.is_some());
    let interrupted = workers::inspect_all(&inventory, settings, &panel, bench.as_ref(), watch, cancel, |report| {
        let report = ledger.enter(report);
        sinks.iter_mut().try_for_each(|sink| sink.sample(&report))
    })?;

    if !interrupted {
        watch.judging();
        let metadata = read::metadata(&inventory);
        let findings = ledger.judge(&inventory, &metadata, &settings.profile, &settings.faults);
        sinks.iter_mut().try_for_each(|sink| sink.dataset(&findings))?;
    }
    let summary = ledger.close(interrupted);
    watch.closing();
    sinks.iter_mut().try_for_each(|sink| sink.finish(&summary))?;
    Ok(summary)
}
