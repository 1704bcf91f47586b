//! The worker threads: samples out, reports back in order.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use crossbeam_channel::{Sender, bounded};
use rayon::ThreadPoolBuilder;

use super::budget::Budget;
use super::inspect::Inspector;
use super::order::Reorder;
use super::recall::{Memory, Recall};
use super::{RunError, Watch, read};
use crate::cache::{Cache, Stamp};
use crate::model::{
    Caption, CaptionFacts, ContentHash, ImageFacts, Inventory, NamedAs, Sample, SampleFacts, SampleReport, SideFile, Strict, Verdict,
};
use crate::settings::Settings;
use crate::trainers::Panel;
use crate::walk;
use crate::witness::{Bench, Confirm};

/// Samples under way for each thread, done ones that wait for a slow one before them included.
const WINDOW: usize = 64;

/// Inspects every sample and hands the reports to `emit` in order, on the calling thread. Says whether it was interrupted.
///
/// Samples are handed out strictly in order, and never more than a window of them beyond the last one emitted, so what
/// waits to be put into order is bounded however slow a single file is.
pub(super) fn inspect_all(
    inventory: &Inventory,
    settings: &Settings,
    panel: &Panel<'_>,
    bench: Option<&Bench<'_>>,
    watch: &dyn Watch,
    cancel: &AtomicBool,
    mut emit: impl FnMut(SampleReport) -> io::Result<()>,
) -> Result<bool, RunError> {
    let threads = settings.threads.get();
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(|number| format!("walkaround-{number}")).build()?;
    let inspector = Inspector::new(settings).with_panel(panel);
    let recall = Recall::new(settings, inspector.limits());
    let mut writer = settings.cache.as_ref().and_then(Cache::writer);
    let worker = Worker {
        inventory,
        inspector,
        files: Budget::new(settings.memory_bytes - settings.decoding_bytes()),
        decoding: Budget::new(settings.decoding_bytes()),
        bench,
        cancel,
        unheard: AtomicBool::new(false),
        watch,
        keeps_text: settings.caption_text,
    };
    let window = WINDOW * threads;
    let (permit, permits) = bounded(window);
    let (done, reports) = bounded(window);
    for _ in 0..window {
        // The channel has room for exactly as many.
        let _ = permit.try_send(());
    }
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let is_stopped = || cancel.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed) || bench.is_some_and(Bench::has_failed);

    let mut emitted = 0;
    let result = pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let (permits, done) = (permits.clone(), done.clone());
            let (worker, recall, next, is_stopped) = (&worker, &recall, &next, &is_stopped);
            let alarm = Alarm { stop: &stop, permit: permit.clone(), threads };
            scope.spawn(move |_| {
                let _alarm = alarm;
                let mut memory = recall.memory();
                while permits.recv().is_ok() && !is_stopped() {
                    let position = next.fetch_add(1, Ordering::Relaxed);
                    let Some(sample) = inventory.samples.get(position) else { break };
                    let report = worker.inspect(sample, &mut memory);
                    if done.send((position, report, memory.take_fresh())).is_err() {
                        break;
                    }
                }
            });
        }
        drop((permits, done));

        // Held by this thread too: it is a sink that may panic here.
        let _alarm = Alarm { stop: &stop, permit: permit.clone(), threads };
        let mut reorder = Reorder::new();
        let mut result = Ok(());
        for (position, report, fresh) in reports {
            if let Some(writer) = &mut writer {
                writer.add(fresh.entries, fresh.used);
            }
            reorder.put(position, report);
            while let Some(report) = reorder.take() {
                emitted += 1;
                if let (Ok(()), Some(report)) = (&result, report) {
                    result = emit(report);
                    stop.fetch_or(result.is_err(), Ordering::Relaxed);
                }
                // Nobody may be left to take it.
                let _ = permit.try_send(());
            }
        }
        result
    });
    if let Some(writer) = writer {
        writer.finish();
    }
    result?;
    if let Some(error) = bench.and_then(Bench::take_failure) {
        return Err(error.into());
    }
    Ok(emitted < inventory.samples.len() || worker.unheard.into_inner())
}

/// Ends the run when the thread that holds it panics, which only a fault in this program makes it do: what it owes never comes,
/// and the others would wait for it.
struct Alarm<'a> {
    stop: &'a AtomicBool,
    permit: Sender<()>,
    threads: usize,
}

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stop.store(true, Ordering::Relaxed);
            // Whoever waits for a permit is to see that it is over.
            for _ in 0..self.threads {
                let _ = self.permit.try_send(());
            }
        }
    }
}

/// What every thread works with.
struct Worker<'a> {
    inventory: &'a Inventory,
    inspector: Inspector<'a>,
    /// Memory for files' bytes.
    files: Budget,
    /// Memory for decoding. Apart from the other, so that who holds a file and waits for this is waited for by nobody.
    decoding: Budget,
    /// The trainer's own libraries.
    bench: Option<&'a Bench<'a>>,
    cancel: &'a AtomicBool,
    /// Whether a testimony is missing because the run was interrupted.
    unheard: AtomicBool,
    watch: &'a dyn Watch,
    /// Whether the captions' text is wanted in the end.
    keeps_text: bool,
}

impl Worker<'_> {
    /// The report of one sample; `None` for a file of unknown name that turns out to be no image.
    fn inspect(&self, sample: &Sample, memory: &mut Memory<'_>) -> Option<SampleReport> {
        let path = walk::locate(self.inventory, &sample.path);
        let known = memory.unchanged(path.as_deref(), Stamp::new(sample.size_bytes, sample.modified, sample.identity));
        if known.is_none() && sample.named_as == NamedAs::Unknown && path.as_deref().is_some_and(read::is_no_image) {
            return None;
        }
        self.watch.started(&sample.path);
        let image = known.unwrap_or_else(|| self.image(sample, path.as_deref(), memory));
        let caption = sample.caption.as_ref().map_or(CaptionFacts::Missing, |file| self.caption(file, memory));
        let mut facts = SampleFacts::new(sample.clone(), image, caption);
        if let Some(bench) = self.bench
            && let Some(path) = path.as_deref().filter(|_| facts.content.is_some())
            && (bench.confirm() == Confirm::All || is_suspicious(&facts))
        {
            match bench.ask(path, self.cancel) {
                Some(testimony) => facts.hear(testimony),
                None => self.unheard.store(true, Ordering::Relaxed),
            }
        }
        let mut report = self.inspector.judge(facts);
        if let (false, CaptionFacts::Read(caption)) = (self.keeps_text, &mut report.facts.caption) {
            // Checks have seen it, and reports may have to wait for their turn.
            caption.text = None;
        }
        self.watch.finished(&sample.path, sample.size_bytes);
        Some(report)
    }

    /// The facts of an image that has changed, or was never seen.
    fn image(&self, sample: &Sample, path: Option<&Path>, memory: &mut Memory<'_>) -> ImageFacts {
        let _held = self.files.take(sample.size_bytes);
        let (bytes, stamp) = match read::stamped(path, self.files.total()) {
            Ok(read) => read,
            Err(fault) => return self.inspector.image(Err(fault), None, |bytes| self.decoding.take(bytes)),
        };
        let content = ContentHash(*blake3::hash(&bytes).as_bytes());
        let begun = Instant::now();
        let facts = memory
            .same_content(&content)
            .unwrap_or_else(|| self.inspector.image(Ok(&bytes), Some(content), |bytes| self.decoding.take(bytes)));
        // What took long may have been cut short by the time limit, which is not always said.
        if begun.elapsed() < self.inspector.limits().time / 2 {
            memory.keep(path, stamp, &facts);
        }
        facts
    }

    fn caption(&self, file: &SideFile, memory: &mut Memory<'_>) -> CaptionFacts {
        let path = walk::locate(self.inventory, &file.path);
        let known = memory.unchanged::<Caption>(path.as_deref(), Stamp::new(file.size_bytes, file.modified, file.identity));
        if let Some(caption) = known {
            return CaptionFacts::Read(Box::new(Caption { path: file.path.clone(), ..caption }));
        }
        let _held = self.files.take(file.size_bytes);
        match read::stamped(path.as_deref(), read::MAX_CAPTION) {
            Ok((bytes, stamp)) => {
                let facts = self.inspector.caption(&file.path, Ok(&bytes));
                if let CaptionFacts::Read(caption) = &facts {
                    memory.keep(path.as_deref(), stamp, &**caption);
                }
                facts
            }
            Err(fault) => self.inspector.caption(&file.path, Err(fault)),
        }
    }
}

/// Whether anything but a good picture for every loader was found: what a user would want to see confirmed.
fn is_suspicious(facts: &SampleFacts) -> bool {
    let decoded = &facts.decoded;
    facts.probe.is_err()
        || decoded.strict != Strict::Whole
        || decoded.pillow != Verdict::Ok
        || decoded.opencv != Verdict::Ok
        || decoded.disagreement.is_some()
}
