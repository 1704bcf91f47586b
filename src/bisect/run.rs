//! The loop between the search and its trials: prepare, run, judge, write down, until the search has ended.
//!
//! Everything that counts is in the journal before it is acted on, so that a session is what its folder holds and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use thiserror::Error;

use super::journal::{Header, HeaderSample, History, Journal, JournalError, Lock, Pending, Record, Settled, TimeLimit};
use super::subset::{Atom, Config, ConfigError, Filler, Source, Subset, SubsetError, rewriter, verify};
use super::trial::{Bounds, Ended, Judge, LaunchError, PatternError, Places, end_strays, launch};
use super::{Conclusion, Next, Problem, Search, SuspectIndex, Trial, Verdict};
use crate::model::{RelPath, Size};

/// Least time limit that is made from the first failing trial: below this, starting a program is most of it.
const LEAST_LIMIT: Duration = Duration::from_secs(1);

/// Why a bisection stops without a result. No verdict is lost by it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BisectError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The subset.
    #[error(transparent)]
    Subset(#[from] SubsetError),
    /// The command.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A pattern.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A verdict in the journal is for another subset than the search would have tried.
    #[error("trial {0} in the journal was of another subset than this version of the program tries; go on with the version that began it")]
    OtherSearch(u32),
    /// A person's verdict where no trial is under way, or a command where a person is asked.
    #[error("{0}")]
    NotNow(&'static str),
}

/// What to do about a trial that was under way when everything stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnPending {
    /// It took the machine down and is bad if the machine was started again since; else it is run again.
    ByReboot,
    /// It is bad.
    Bad,
    /// It says nothing about its subset.
    Skip,
    /// It is run again.
    Again,
}

/// What happens, for whoever watches.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A trial is about to start.
    Starting(&'a Trial, &'a Path),
    /// A verdict was written down.
    Settled(&'a Settled),
    /// Processes of an earlier session were ended.
    Strays(usize),
}

/// What a trial uses, ready to be trained on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The folder of the subset.
    pub dataset: PathBuf,
    /// The configuration that points at it.
    pub config: Option<PathBuf>,
}

/// A bisection in its folder, which nobody else works in meanwhile.
#[derive(Debug)]
pub struct Session {
    folder: PathBuf,
    header: Header,
    history: History,
    search: Search,
    source: Source,
    sizes: Vec<Option<Size>>,
    filler: Option<Filler>,
    journal: Journal,
    _lock: Lock,
}

impl Session {
    /// Begins a bisection in a folder that has none.
    pub fn begin(folder: &Path, header: Header) -> Result<Self, BisectError> {
        fs::create_dir_all(folder).map_err(failed("make", folder))?;
        let lock = Lock::take(folder)?;
        let journal = Journal::begin(folder, header.clone())?;
        Self::new(folder, lock, journal, header, History::default())
    }

    /// Goes on with one.
    pub fn resume(folder: &Path) -> Result<Self, BisectError> {
        // Nothing is made in a folder that is no bisection's.
        super::journal::read(folder)?;
        let lock = Lock::take(folder)?;
        let (journal, header, history) = Journal::open(folder)?;
        Self::new(folder, lock, journal, header, history)
    }

    fn new(folder: &Path, lock: Lock, journal: Journal, header: Header, history: History) -> Result<Self, BisectError> {
        let folder = folder.canonicalize().map_err(failed("find", folder))?;
        let search = replay(&header, &history)?;
        let (source, sizes) = source_of(&header.root, &header.samples, header.shared.iter().map(|stamp| stamp.path.as_str()));
        let filler = header.known_good.as_ref().map(|good| {
            let (source, sizes) = source_of(&good.root, &good.samples, std::iter::empty());
            Filler { source, sizes }
        });
        Ok(Self { folder, header, history, search, source, sizes, filler, journal, _lock: lock })
    }

    /// What was asked.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What has happened.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// What to do next.
    #[must_use]
    pub fn next_step(&self) -> Next {
        self.search.next()
    }

    /// Decides about a trial that was under way when everything stopped, and ends what it left running.
    pub fn settle_pending(&mut self, policy: OnPending, watch: &mut dyn FnMut(Event<'_>)) -> Result<(), BisectError> {
        let Some(Pending { trial, boot, .. }) = self.history.pending.clone() else { return Ok(()) };
        let strays = end_strays(&self.marker(trial));
        if strays > 0 {
            watch(Event::Strays(strays));
        }
        let rebooted = boot.is_some_and(|boot| boot != this_boot());
        match policy {
            OnPending::Bad => self.settle(Verdict::Bad, "it took the machine down", 0.0, watch),
            OnPending::ByReboot if rebooted => {
                self.settle(Verdict::Bad, "it took the machine down: it was started again since", 0.0, watch)
            }
            OnPending::Skip => self.settle(Verdict::Untestable, "it was under way when everything stopped", 0.0, watch),
            OnPending::ByReboot | OnPending::Again => self.append(Record::Interrupted { trial }),
        }
    }

    /// Builds the subset of a trial, and writes down that it is about to start.
    pub fn prepare(&mut self, trial: &Trial) -> Result<Prepared, BisectError> {
        verify(&self.header.root, self.header.samples.iter().flat_map(|sample| &sample.files).chain(&self.header.shared))?;
        if let Some(good) = &self.header.known_good {
            verify(&good.root, good.samples.iter().flat_map(|sample| &sample.files))?;
        }
        let place = self.trial_folder(trial.number);
        let name = self.header.root.file_name().unwrap_or("dataset".as_ref());
        let subset = Subset { source: &self.source, sizes: &self.sizes, strategy: self.header.strategy, filler: self.filler.as_ref() };
        let chosen: BTreeSet<usize> = trial.suspects.iter().filter_map(|suspect| usize::try_from(suspect.0).ok()).collect();
        let built = subset.build(&chosen, &place.join(name))?;
        let config = match &self.header.config {
            Some(file) => {
                let extension = file.path.extension().unwrap_or_default().to_string_lossy();
                let folder = file.path.parent().unwrap_or(Path::new("."));
                let text = rewriter(self.header.trainer.as_deref(), &extension)?.point(Config { text: &file.text, folder }, &built.map)?;
                let path = place.join(format!("config.{extension}"));
                write(&path, &text)?;
                Some(path)
            }
            None => None,
        };
        if self.history.pending.is_none() {
            self.append(Record::Started {
                trial: trial.number,
                purpose: trial.purpose.name().to_owned(),
                suspects: u32::try_from(trial.suspects.len()).unwrap_or(u32::MAX),
                subset: subset_hash(&trial.suspects),
                boot: Some(this_boot()),
            })?;
        }
        Ok(Prepared { dataset: built.folder, config })
    }

    /// The folder of the trial that is under way by hand, if one is.
    #[must_use]
    pub fn under_way(&self) -> Option<PathBuf> {
        let pending = self.history.pending.as_ref()?;
        Some(self.trial_folder(pending.trial).join(self.header.root.file_name().unwrap_or("dataset".as_ref())))
    }

    /// Writes down the verdict of the trial that is under way.
    pub fn settle(&mut self, verdict: Verdict, reason: &str, seconds: f64, watch: &mut dyn FnMut(Event<'_>)) -> Result<(), BisectError> {
        let pending = self.history.pending.as_ref().ok_or(BisectError::NotNow("no trial is under way"))?;
        let trial = pending.trial;
        self.append(Record::Ended { trial, verdict: verdict.into(), reason: reason.to_owned(), seconds })?;
        self.search.record(trial, verdict).map_err(|error| BisectError::OtherSearch(error.found))?;
        if let Some(settled) = self.history.settled.last() {
            watch(Event::Settled(settled));
        }
        // What is left behind is emptied when the number comes again.
        #[expect(clippy::disallowed_methods, reason = "the folder of a subset is this program's own")]
        let _ = fs::remove_dir_all(self.trial_folder(trial));
        Ok(())
    }

    /// Takes the last verdict back.
    pub fn undo(&mut self) -> Result<u32, BisectError> {
        let last = self.history.settled.last().ok_or(BisectError::NotNow("there is no verdict to take back"))?;
        let trial = last.trial;
        self.append(Record::Undone { trial })?;
        self.search = replay(&self.header, &self.history)?;
        Ok(trial)
    }

    /// Runs trials until the search ends; `None` if it was interrupted before.
    pub fn run(&mut self, live: bool, cancel: &AtomicBool, watch: &mut dyn FnMut(Event<'_>)) -> Result<Option<Conclusion>, BisectError> {
        let command = self.header.command.clone().ok_or(BisectError::NotNow("this bisection is by hand: say `good`, `bad` or `skip`"))?;
        let patterns = &self.header.patterns;
        let judge = Judge::new(&patterns.bad_when, &patterns.good_when, &patterns.also_bad)?;
        let logs = self.folder.join("logs");
        fs::create_dir_all(&logs).map_err(failed("make", &logs))?;
        loop {
            let trial = match self.search.next() {
                Next::Done(conclusion) => return Ok(Some(conclusion)),
                Next::Trial(trial) => trial,
            };
            if cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let prepared = self.prepare(&trial)?;
            watch(Event::Starting(&trial, &prepared.dataset));
            let places = Places {
                dataset: prepared.dataset,
                config: prepared.config,
                log: self.log(trial.number),
                marker: self.marker(trial.number),
                live,
            };
            let ended = launch(&command, &places, &judge, &self.bounds(), cancel);
            match ended {
                Ok(Ended { verdict: Some(verdict), reason, elapsed }) => self.settle(verdict, &reason, elapsed.as_secs_f64(), watch)?,
                Ok(Ended { verdict: None, .. }) => {
                    self.append(Record::Interrupted { trial: trial.number })?;
                    return Ok(None);
                }
                Err(error) => {
                    self.append(Record::Interrupted { trial: trial.number })?;
                    return Err(error.into());
                }
            }
        }
    }

    /// The log of a trial.
    #[must_use]
    pub fn log(&self, trial: u32) -> PathBuf {
        self.folder.join("logs").join(format!("{trial:04}.log"))
    }

    /// The smallest trial that failed with all of these in it.
    #[must_use]
    pub fn failing_trial(&self, culprit: &[SuspectIndex]) -> Option<u32> {
        let mut search = Search::new(problem(&self.header));
        let mut best: Option<(usize, u32)> = None;
        for settled in &self.history.settled {
            let Next::Trial(trial) = search.next() else { break };
            let holds = culprit.iter().all(|suspect| trial.suspects.contains(suspect));
            // A trial that took the machine down has left no log that could be shown.
            if settled.verdict == Verdict::Bad && holds && best.is_none_or(|(size, _)| trial.suspects.len() <= size) {
                best = Some((trial.suspects.len(), settled.trial));
            }
            search.record(settled.trial, settled.verdict).ok()?;
        }
        best.map(|(_, trial)| trial)
    }

    /// Writes `quarantine.txt`, all files of the culprits, and `clean.txt`, the images of the others, as full paths.
    pub fn write_lists(&self, culprits: &[Vec<SuspectIndex>]) -> Result<(PathBuf, PathBuf), BisectError> {
        let guilty: BTreeSet<usize> = culprits.iter().flatten().filter_map(|suspect| usize::try_from(suspect.0).ok()).collect();
        let full = |path: &RelPath| format!("{}\n", self.header.root.join(path.to_os()).display());
        let (mut quarantine, mut clean) = (String::new(), String::new());
        for (number, atom) in self.source.atoms.iter().enumerate() {
            if guilty.contains(&number) {
                quarantine.extend(atom.files.iter().map(full));
            } else {
                clean.push_str(&full(&atom.image));
            }
        }
        let paths = (self.folder.join("quarantine.txt"), self.folder.join("clean.txt"));
        write(&paths.0, &quarantine)?;
        write(&paths.1, &clean)?;
        Ok(paths)
    }

    fn append(&mut self, record: Record) -> Result<(), BisectError> {
        self.journal.append(&record)?;
        self.history.add(record).map_err(BisectError::NotNow)
    }

    fn trial_folder(&self, trial: u32) -> PathBuf {
        self.folder.join("trials").join(format!("{trial:04}"))
    }

    fn marker(&self, trial: u32) -> String {
        format!("{}-{trial}", self.header.id)
    }

    fn bounds(&self) -> Bounds {
        let verdict = self.header.time_limit_is.into();
        let first = self.history.settled.iter().find(|settled| settled.verdict == Verdict::Bad && settled.seconds > 0.0);
        let time = match self.header.time_limit {
            Some(TimeLimit::Seconds(seconds)) => Duration::try_from_secs_f64(seconds).ok(),
            Some(TimeLimit::OfFirstFailure(factor)) => {
                first.and_then(|first| Duration::try_from_secs_f64(first.seconds * factor).ok()).map(|limit| limit.max(LEAST_LIMIT))
            }
            None => None,
        };
        let grace = Duration::try_from_secs_f64(self.header.grace_seconds).unwrap_or(Duration::from_secs(10));
        Bounds { time: time.map(|time| (time, verdict)), memory_bytes: self.header.memory_bytes, grace }
    }
}

/// The search that a header asks for, with all verdicts that count.
pub(super) fn replay(header: &Header, history: &History) -> Result<Search, BisectError> {
    let mut search = Search::new(problem(header));
    for settled in &history.settled {
        match search.next() {
            Next::Trial(trial) if subset_hash(&trial.suspects) == settled.subset => {}
            _ => return Err(BisectError::OtherSearch(settled.trial)),
        }
        search.record(settled.trial, settled.verdict).map_err(|error| BisectError::OtherSearch(error.found))?;
    }
    Ok(search)
}

fn problem(header: &Header) -> Problem {
    let suspicion = header.samples.iter().map(|sample| sample.suspicion).collect();
    Problem { suspicion, options: header.search.options(header.known_good.is_some()) }
}

fn subset_hash(suspects: &[SuspectIndex]) -> String {
    let mut hasher = blake3::Hasher::new();
    for suspect in suspects {
        hasher.update(&suspect.0.to_le_bytes());
    }
    hasher.finalize().to_hex().chars().take(16).collect()
}

fn source_of<'a>(root: &Path, samples: &[HeaderSample], shared: impl Iterator<Item = &'a str>) -> (Source, Vec<Option<Size>>) {
    let atom = |sample: &HeaderSample| {
        let files: Vec<RelPath> = sample.files.iter().map(|stamp| RelPath::from_escaped(&stamp.path)).collect();
        Atom { image: files.first().cloned().unwrap_or_default(), files }
    };
    let sizes = samples.iter().map(|sample| sample.size.map(|[width, height]| Size::new(width, height))).collect();
    let shared = shared.map(RelPath::from_escaped).collect();
    (Source { root: root.to_owned(), atoms: samples.iter().map(atom).collect(), shared }, sizes)
}

/// What tells this start of the machine from others.
fn this_boot() -> String {
    // Unlike the time of the start it does not move when the clock is set.
    #[cfg(target_os = "linux")]
    #[expect(clippy::disallowed_methods, reason = "this is the system's, not the user's")]
    if let Ok(id) = fs::read_to_string("/proc/sys/kernel/random/boot_id") {
        return id.trim().to_owned();
    }
    sysinfo::System::boot_time().to_string()
}

fn write(path: &Path, text: &str) -> Result<(), BisectError> {
    let mut file = fs::File::create(path).map_err(failed("make", path))?;
    file.write_all(text.as_bytes()).map_err(failed("write", path))?;
    Ok(())
}

fn failed<'a>(verb: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> SubsetError + 'a {
    move |source| SubsetError::File { verb, path: path.to_owned(), source }
}
