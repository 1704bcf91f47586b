//! One worker process: started, asked, and killed when it is of no more use.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use super::WitnessOptions;

const SCRIPT: &str = include_str!("worker.py");

/// Bytes of one answer above which it is rubbish.
const MAX_ANSWER: u64 = 64 << 10;

/// Lines of standard error that are kept.
const LAST_LINES: usize = 4;

/// Bytes of such a line.
const MAX_LINE: u64 = 400;

/// How often a wait looks whether the run was interrupted.
const GLANCE: Duration = Duration::from_millis(100);

/// How long to wait for what a dead worker has left in its pipes.
const AFTERMATH: Duration = Duration::from_secs(1);

/// A worker process. Killed when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    questions: Option<ChildStdin>,
    answers: Receiver<String>,
    last_words: Receiver<String>,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// The worker has closed its output, as a rule by dying.
    Gone,
    /// The time is over.
    TooLate,
    /// The run was interrupted.
    Interrupted,
}

impl Process {
    /// Starts a worker; what it says of itself is its first line.
    pub(super) fn start(options: &WitnessOptions) -> io::Result<Self> {
        let mut child = Command::new(&options.interpreter)
            .args(["-B", "-X", "utf8", "-c", SCRIPT])
            .arg(options.memory_bytes.to_string())
            .arg(options.time.as_secs().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (questions, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (answer, answers) = bounded(8);
        let (word, last_words) = bounded(1);
        // Made before the threads, so that the child is killed when one of them cannot be had.
        let process = Self { child, questions, answers, last_words };
        thread::Builder::new().name("walkaround-witness".to_owned()).spawn(move || {
            for line in stdout.into_iter().flat_map(|pipe| Lines::new(pipe, MAX_ANSWER)) {
                if answer.send(line).is_err() {
                    break;
                }
            }
        })?;
        thread::Builder::new().name("walkaround-witness".to_owned()).spawn(move || {
            let mut last = VecDeque::new();
            for line in stderr.into_iter().flat_map(|pipe| Lines::new(pipe, MAX_LINE)) {
                last.push_back(line);
                if last.len() > LAST_LINES {
                    last.pop_front();
                }
            }
            // Nobody may want to know.
            let _ = word.send(last.make_contiguous().join("\n"));
        })?;
        Ok(process)
    }

    /// Asks for a file.
    pub(super) fn ask(&mut self, path: &Path) -> Result<(), Silence> {
        let mut question = String::new();
        for byte in bytes_of(path) {
            // Writing to a string does not fail.
            let _ = write!(question, "{byte:02x}");
        }
        question.push('\n');
        let questions = self.questions.as_mut().ok_or(Silence::Gone)?;
        questions.write_all(question.as_bytes()).map_err(|_| Silence::Gone)
    }

    /// The next line that it answers.
    pub(super) fn answer(&self, deadline: Instant, cancel: &AtomicBool) -> Result<String, Silence> {
        loop {
            match self.answers.recv_timeout(GLANCE.min(deadline.saturating_duration_since(Instant::now()))) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Gone),
                Err(RecvTimeoutError::Timeout) if cancel.load(Ordering::Relaxed) => return Err(Silence::Interrupted),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => return Err(Silence::TooLate),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Ends it; says how it died, if it had died by itself, and what it wrote to standard error last.
    pub(super) fn end(mut self) -> (String, String) {
        let since = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if since.elapsed() < AFTERMATH => thread::sleep(Duration::from_millis(2)),
                Ok(status) => break status,
                Err(_) => break None,
            }
        };
        let death = status.map_or_else(|| "closing its output".to_owned(), cause_of_death);
        self.kill();
        (death, self.last_words.recv_timeout(AFTERMATH).unwrap_or_default())
    }

    fn kill(&mut self) {
        // It may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Lines of a pipe, cut where they are too long, without their ends; bytes that are not UTF-8 are replaced.
struct Lines<R> {
    pipe: BufReader<R>,
    limit: u64,
}

impl<R: Read> Lines<R> {
    fn new(pipe: R, limit: u64) -> Self {
        Self { pipe: BufReader::new(pipe), limit }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut line = Vec::new();
        let count = self.pipe.by_ref().take(self.limit).read_until(b'\n', &mut line).ok()?;
        (count > 0).then(|| String::from_utf8_lossy(&line).trim_end().to_owned())
    }
}

/// The bytes that Python's `os.fsdecode` makes this path of.
#[cfg(unix)]
fn bytes_of(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().into_owned().into_bytes()
}

#[cfg(unix)]
fn cause_of_death(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match status.signal() {
        Some(4) => "SIGILL".to_owned(),
        Some(6) => "SIGABRT".to_owned(),
        Some(8) => "SIGFPE".to_owned(),
        Some(9) => "SIGKILL, as the system sends it when memory runs out".to_owned(),
        Some(11) => "SIGSEGV".to_owned(),
        // SIGBUS has other numbers elsewhere.
        Some(7) if cfg!(target_os = "linux") => "SIGBUS".to_owned(),
        Some(10) if cfg!(target_vendor = "apple") => "SIGBUS".to_owned(),
        Some(other) => format!("signal {other}"),
        None => status.to_string(),
    }
}

#[cfg(not(unix))]
fn cause_of_death(status: ExitStatus) -> String {
    status.to_string()
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn a_line_without_end_is_cut() {
        let lines: Vec<String> = Lines::new(&b"ab\r\nabcdefgh\nc"[..], 4).collect();
        assert_eq!(lines, ["ab", "abcd", "efgh", "", "c"]);
    }
}
