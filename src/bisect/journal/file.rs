//! The file: a JSON object a line, appended and synced, never changed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{Header, History, Record, SCHEMA};

/// Name of the journal in its folder.
pub const NAME: &str = "journal.jsonl";

/// Why there is no journal to work with.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("failed to {verb} `{path}`: {source}")]
    File {
        /// What was tried.
        verb: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line is not what a journal has there.
    #[error("`{path}` is no journal of a bisection, or is damaged: line {line}: {what}")]
    Corrupt {
        /// The journal.
        path: PathBuf,
        /// The line's number, from 1 on.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// Another program works in the folder.
    #[error("another bisection is running in `{0}`; wait for it to end, or use another folder")]
    Locked(PathBuf),
    /// There is one already.
    #[error("there is a bisection in `{0}` already; `resume` goes on with it, `reset` removes it")]
    Exists(PathBuf),
}

impl JournalError {
    pub(super) fn file<'a>(verb: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::File { verb, path: path.to_owned(), source }
    }
}

/// A journal that is written to.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Begins one in a folder that has none.
    pub fn begin(folder: &Path, header: Header) -> Result<Self, JournalError> {
        let path = folder.join(NAME);
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(JournalError::file("make", &path))?;
        let mut there = Vec::new();
        file.read_to_end(&mut there).map_err(JournalError::file("read", &path))?;
        if there.contains(&b'\n') {
            return Err(JournalError::Exists(folder.to_owned()));
        }
        // One that ended before its header was whole never began.
        file.set_len(0).map_err(JournalError::file("repair", &path))?;
        let mut journal = Self { file, path };
        journal.append(&Record::Header(Box::new(header)))?;
        sync_folder(folder);
        Ok(journal)
    }

    /// Goes on with one; a last line that was not written to its end is taken away.
    pub fn open(folder: &Path) -> Result<(Self, Header, History), JournalError> {
        let path = folder.join(NAME);
        let (header, history, whole) = read_whole(&path)?;
        let file = OpenOptions::new().append(true).open(&path).map_err(JournalError::file("open", &path))?;
        file.set_len(whole).map_err(JournalError::file("repair", &path))?;
        Ok((Self { file, path }, header, history))
    }

    /// Writes a line, and waits until it is on the disk.
    pub fn append(&mut self, record: &Record) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(record).map_err(|error| JournalError::file("write", &self.path)(error.into()))?;
        line.push(b'\n');
        let before = self.file.seek(SeekFrom::End(0)).map_err(JournalError::file("write", &self.path))?;
        if let Err(error) = self.file.write_all(&line).and_then(|()| self.file.sync_data()) {
            // Half a line in the middle would make the rest unreadable. If this fails too, the line is recognised when read.
            let _ = self.file.set_len(before);
            return Err(JournalError::file("write", &self.path)(error));
        }
        Ok(())
    }
}

/// Reads a journal, whoever may be writing to it.
pub fn read(folder: &Path) -> Result<(Header, History), JournalError> {
    read_whole(&folder.join(NAME)).map(|(header, history, _)| (header, history))
}

/// The journal, and how many bytes of it are whole lines.
fn read_whole(path: &Path) -> Result<(Header, History, u64), JournalError> {
    let mut bytes = Vec::new();
    File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(JournalError::file("open", path))?;
    let corrupt = |line, what: String| JournalError::Corrupt { path: path.to_owned(), line, what };
    // Lines are written in one go and end with a line break, so a last one without it was cut off by a crash and never counted.
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut lines = bytes.get(..whole).unwrap_or_default().split(|&byte| byte == b'\n').zip(1..).filter(|(line, _)| !line.is_empty());
    let parse = |(line, number): (&[u8], usize)| {
        serde_json::from_slice::<Record>(line).map(|record| (record, number)).map_err(|error| corrupt(number, error.to_string()))
    };
    let header = match lines.next().map(parse).transpose()? {
        Some((Record::Header(header), _)) if header.schema == SCHEMA => *header,
        Some((Record::Header(header), number)) => {
            return Err(corrupt(number, format!("its schema is `{}`, not `{SCHEMA}`", header.schema)));
        }
        Some((_, number)) => return Err(corrupt(number, "it does not begin with a header".to_owned())),
        None => return Err(corrupt(1, "it has no header".to_owned())),
    };
    let mut history = History::default();
    for line in lines {
        let (record, number) = parse(line)?;
        history.add(record).map_err(|expected| corrupt(number, format!("this is not {expected}")))?;
    }
    let whole = u64::try_from(whole).map_err(|error| corrupt(1, error.to_string()))?;
    Ok((header, history, whole))
}

/// A new name is on the disk once its folder is. Not every system can do that.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the tests damage the journals that they made")]

    use std::fs;

    use super::*;
    use crate::bisect::journal::{Patterns, SearchSettings, VerdictName};
    use crate::bisect::subset::Strategy;

    fn header() -> Header {
        Header {
            schema: SCHEMA.to_owned(),
            tool: "t".to_owned(),
            id: "i".to_owned(),
            root: "/r".into(),
            samples: Vec::new(),
            shared: Vec::new(),
            known_good: None,
            strategy: Strategy::Remove,
            search: SearchSettings { all: false, repeat: 1, failure_rate: None, confidence: 0.95, minutes_per_trial: 10.0 },
            command: None,
            patterns: Patterns::default(),
            time_limit: None,
            time_limit_is: VerdictName::Bad,
            memory_bytes: None,
            grace_seconds: 1.0,
            config: None,
            trainer: None,
        }
    }

    fn started(trial: u32) -> Record {
        Record::Started { trial, purpose: "narrow".to_owned(), suspects: 1, subset: "s".to_owned(), boot: None }
    }

    fn ended(trial: u32) -> Record {
        Record::Ended { trial, verdict: VerdictName::Bad, reason: "r".to_owned(), seconds: 1.0 }
    }

    #[test]
    fn a_line_that_was_cut_off_at_any_byte_never_counted() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join(NAME);
        let mut journal = Journal::begin(folder.path(), header()).expect("there is none");
        journal.append(&started(1)).expect("there is room");
        let before = fs::read(&path).expect("it is there").len();
        journal.append(&ended(1)).expect("there is room");
        let all = fs::read(&path).expect("it is there");
        for cut in before..all.len() {
            fs::write(&path, &all[..cut]).expect("it can be written");
            let (mut journal, _, history) = Journal::open(folder.path()).expect("the rest is whole");
            assert!(history.settled.is_empty() && history.pending.is_some(), "{cut}");
            journal.append(&ended(1)).expect("there is room");
            assert_eq!(read(folder.path()).expect("it is whole again").1.settled.len(), 1, "{cut}");
        }
    }

    #[test]
    fn foreign_and_damaged_journals_are_refused_with_the_line() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join(NAME);
        drop(Journal::begin(folder.path(), header()).expect("there is none"));
        assert!(matches!(Journal::begin(folder.path(), header()), Err(JournalError::Exists(_))));
        let whole = fs::read_to_string(&path).expect("it is there");
        let line = |record: &Record| serde_json::to_string(record).expect("it can be written");
        for (text, at) in [
            (format!("{whole}rubbish\n{}\n", line(&started(1))), "line 2"),
            (format!("{whole}{}\n", line(&ended(1))), "line 2"),
            (format!("{whole}{}\n{}\n", line(&started(1)), line(&started(3))), "line 3"),
            (format!("{}\n", line(&started(1))), "line 1"),
            (whole.replace(SCHEMA, "walkaround.bisect/9"), "line 1"),
            (String::new(), "line 1"),
        ] {
            fs::write(&path, &text).expect("it can be written");
            let error = read(folder.path()).expect_err("it is damaged").to_string();
            assert!(error.contains(at), "{error} for {text}");
        }
    }
}
