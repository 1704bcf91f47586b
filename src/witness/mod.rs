//! The trainer's own Pillow and OpenCV as witness: worker processes that load files as the trainer will.
//!
//! The only room that starts an interpreter. A worker is a script for whatever Python the user names; it is asked by the line, one
//! file at a time, and answers as soon as each loader is done. One that dies, hangs or wants too much memory is replaced, and
//! the file that did it is told. The threads that read a worker's pipes live here too, for a pipe cannot be read with a time limit.
//! What is made of a testimony is the checks' business.

mod answer;
mod process;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::model::{Ended, Ending, Loader, Testimony, Verdict, Witness, printable};
use answer::{Greeting, LenientAnswer, OpenCvAnswer, PillowAnswer, is_out_of_memory};
use process::{Process, Silence};

/// How long an interpreter may take to import its libraries, which a cold disk makes slow.
const START: Duration = Duration::from_secs(120);

/// Whom to ask, and how.
#[derive(Clone, Debug)]
pub struct WitnessOptions {
    /// The interpreter, such as `venv/bin/python`.
    pub interpreter: PathBuf,
    /// Which files it is asked about.
    pub confirm: Confirm,
    /// How long it may take for one file, in whole seconds.
    pub time: Duration,
    /// Bytes that a worker may take beyond what its libraries take. Not enforced on Windows and macOS.
    pub memory_bytes: u64,
}

impl WitnessOptions {
    /// The defaults for this interpreter: suspicious files, 60 seconds, 4 GiB.
    #[must_use]
    pub fn new(interpreter: PathBuf) -> Self {
        Self { interpreter, confirm: Confirm::Suspicious, time: Duration::from_secs(60), memory_bytes: 4 << 30 }
    }
}

/// Which files a witness is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// Those that are not whole, or of which a loader's verdict is anything but ok.
    Suspicious,
    /// Every file.
    All,
}

/// Why a witness cannot be asked at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WitnessError {
    /// The interpreter does not start.
    #[error("failed to start `{interpreter}` to confirm with: {reason}")]
    Start {
        /// The interpreter, as it was named.
        interpreter: String,
        /// Why.
        reason: String,
    },
    /// It has no Pillow.
    #[error("`{interpreter}` has no Pillow to confirm with: importing PIL raises {reason}")]
    NoPillow {
        /// The interpreter, as it was named.
        interpreter: String,
        /// The exception.
        reason: String,
    },
    /// It is no Python, or one that cannot run the worker.
    #[error("`{interpreter}` cannot be confirmed with: {what}")]
    Useless {
        /// The interpreter, as it was named.
        interpreter: String,
        /// What it did instead.
        what: String,
    },
    /// The run was interrupted before it had answered.
    #[error("interrupted while `{interpreter}` was starting")]
    Interrupted {
        /// The interpreter, as it was named.
        interpreter: String,
    },
}

/// Workers that are asked in turn; there are as many as threads that ask at once.
#[derive(Debug)]
pub struct Bench<'a> {
    options: &'a WitnessOptions,
    witness: Witness,
    idle: Mutex<Vec<Process>>,
    failure: Mutex<Option<WitnessError>>,
}

impl<'a> Bench<'a> {
    /// Starts a first worker, which says what is installed.
    pub fn call(options: &'a WitnessOptions, cancel: &AtomicBool) -> Result<Self, WitnessError> {
        let (process, witness) = start(options, cancel)?;
        Ok(Self { options, witness, idle: Mutex::new(vec![process]), failure: Mutex::new(None) })
    }

    /// Who testifies.
    #[must_use]
    pub fn witness(&self) -> &Witness {
        &self.witness
    }

    /// Which files it wants to be asked about.
    #[must_use]
    pub fn confirm(&self) -> Confirm {
        self.options.confirm
    }

    /// Whether no worker can be started any more, which is no file's fault.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Why no worker can be started any more, if that is so.
    #[must_use]
    pub fn take_failure(&self) -> Option<WitnessError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What the libraries do with a file; `None` when the run is interrupted before that is known, and when no worker can be
    /// started.
    ///
    /// A worker that has seen other files before may have been harmed by one of them, so a file only counts as having ended a
    /// worker when it ends a fresh one, or when it takes too long.
    #[must_use]
    pub fn ask(&self, path: &Path, cancel: &AtomicBool) -> Option<Testimony> {
        let used = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(process) = used {
            match self.examine(process, path, cancel) {
                Some(Testimony { ended: Some(Ended { how, .. }), .. }) if !matches!(how, Ending::Hung(_)) => {}
                other => return other,
            }
        }
        // What keeps a process from starting may be over in a moment.
        match start(self.options, cancel).or_else(|_| start(self.options, cancel)) {
            Ok((process, _)) => self.examine(process, path, cancel),
            Err(_) if cancel.load(Ordering::Relaxed) => None,
            Err(error) => {
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                None
            }
        }
    }

    fn examine(&self, mut process: Process, path: &Path, cancel: &AtomicBool) -> Option<Testimony> {
        let mut testimony = silent();
        let mut loader = Loader::Pillow;
        match self.hear(&mut process, path, cancel, &mut testimony, &mut loader) {
            Ok(()) => self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process),
            Err(Broken::Silence(Silence::Interrupted)) => return None,
            Err(Broken::Silence(Silence::Gone)) => {
                let (death, last_words) = process.end();
                testimony.ended = Some(self.ended(loader, Ending::Died(death), last_words));
            }
            Err(Broken::Silence(Silence::TooLate)) => {
                testimony.ended = Some(self.ended(loader, Ending::Hung(self.options.time.as_secs()), String::new()));
            }
            Err(Broken::OutOfMemory) => {
                testimony.ended = Some(self.ended(loader, Ending::OutOfMemory(self.options.memory_bytes >> 20), String::new()));
            }
            Err(Broken::Rubbish) => testimony.ended = Some(self.ended(loader, Ending::Rubbish, String::new())),
        }
        Some(testimony)
    }

    /// Listens to the answers of one file; `loader` is the one that the worker is at.
    fn hear(
        &self,
        process: &mut Process,
        path: &Path,
        cancel: &AtomicBool,
        testimony: &mut Testimony,
        loader: &mut Loader,
    ) -> Result<(), Broken> {
        let now = Instant::now();
        let deadline = now.checked_add(self.options.time).unwrap_or(now + START);
        process.ask(path)?;
        let PillowAnswer { pillow } = parse(&process.answer(deadline, cancel)?)?;
        testimony.seen = pillow.seen();
        testimony.pillow = within_memory(pillow.verdict())?;
        *loader = Loader::PillowLenient;
        let LenientAnswer { lenient } = parse(&process.answer(deadline, cancel)?)?;
        testimony.pillow_lenient = within_memory(lenient.verdict())?;
        *loader = Loader::OpenCv;
        let OpenCvAnswer { opencv } = parse(&process.answer(deadline, cancel)?)?;
        if let Some(opencv) = opencv {
            testimony.opencv = within_memory(opencv.verdict())?;
        }
        Ok(())
    }

    fn ended(&self, loader: Loader, how: Ending, last_words: String) -> Ended {
        let version = match loader {
            Loader::Pillow | Loader::PillowLenient => self.witness.pillow.clone(),
            Loader::OpenCv => self.witness.opencv.clone().unwrap_or_default(),
        };
        Ended { loader, version, how, last_words }
    }
}

/// Why a worker cannot be asked any more.
enum Broken {
    Silence(Silence),
    OutOfMemory,
    Rubbish,
}

impl From<Silence> for Broken {
    fn from(silence: Silence) -> Self {
        Self::Silence(silence)
    }
}

fn parse<T: DeserializeOwned>(line: &str) -> Result<T, Broken> {
    serde_json::from_str(line).map_err(|_| Broken::Rubbish)
}

fn within_memory(verdict: Verdict) -> Result<Verdict, Broken> {
    if is_out_of_memory(&verdict) { Err(Broken::OutOfMemory) } else { Ok(verdict) }
}

/// Nothing is known yet.
fn silent() -> Testimony {
    Testimony {
        pillow: Verdict::Unknown,
        pillow_lenient: Verdict::Unknown,
        opencv: Verdict::Unknown,
        seen: None,
        ended: None,
        decides_pillow: false,
    }
}

fn start(options: &WitnessOptions, cancel: &AtomicBool) -> Result<(Process, Witness), WitnessError> {
    let interpreter = options.interpreter.display().to_string();
    let process = match Process::start(options) {
        Ok(process) => process,
        Err(error) => return Err(WitnessError::Start { interpreter, reason: error.to_string() }),
    };
    let what = match process.answer(Instant::now() + START, cancel) {
        Ok(line) => match serde_json::from_str(&line) {
            Ok(Greeting::Ready { python, pillow, opencv }) => return Ok((process, Witness { interpreter, python, pillow, opencv })),
            Ok(Greeting::Missing { missing }) => return Err(WitnessError::NoPillow { interpreter, reason: missing }),
            Err(_) => format!("it is no Python; it says {:?}", line.chars().take(80).collect::<String>()),
        },
        Err(Silence::Interrupted) => return Err(WitnessError::Interrupted { interpreter }),
        Err(Silence::TooLate) => format!("it does not say within {} seconds which libraries it has", START.as_secs()),
        Err(Silence::Gone) => {
            let (death, last_words) = process.end();
            let last = last_words.lines().last().unwrap_or("it says nothing");
            format!("it ends with {death}: {}", printable(last))
        }
    };
    Err(WitnessError::Useless { interpreter, what })
}
