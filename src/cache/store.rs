//! Entries in a SQLite file, which several threads and processes use at once. What is in an entry is not known here.
//!
//! The file is in WAL mode: readers wait for nobody, and one writer at a time adds entries in batches. It is a cache: after a
//! power cut the last batches may be missing, and a file that turns out to be broken is made anew.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, TransactionBehavior, params};

use super::{Cache, Entry, Facts, Flavour, Place, Stamp};
use crate::model::ContentHash;

/// Name of the file; its number is that of the tables in it.
const FILE: &str = "facts-1.sqlite3";

/// Tells an empty file from one that was set up.
const SCHEMA: i32 = 1;

const TABLES: &str = "
CREATE TABLE entry (id INTEGER PRIMARY KEY, twin INTEGER NOT NULL, stamp BLOB, facts BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX entry_twin ON entry (twin);
PRAGMA user_version = 1;";

/// How long somebody waits for another process that writes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Entries that are written at once.
const BATCH: usize = 512;

/// Lookups that see the cache in one state. Locking it for each would take longer than the lookup; locking it for ever
/// would keep SQLite from tidying up behind a writer.
const LOOKUPS: u32 = 1024;

/// Why a cache cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The folder or a file in it cannot be made.
    #[error("failed to open `{}`: {source}", path.display())]
    File {
        /// What was to be opened.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// SQLite cannot use the file.
    #[error("{0}")]
    Database(#[from] rusqlite::Error),
}

impl CacheError {
    fn is_broken(&self) -> bool {
        matches!(self, Self::Database(error) if matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)))
    }

    fn is_busy(&self) -> bool {
        matches!(self, Self::Database(error) if matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)))
    }
}

/// How much a cache holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Entries, one for each image and each caption.
    pub entries: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// When the entry was used that was not used for the longest time, to the day.
    pub oldest: Option<SystemTime>,
    /// When an entry was used last, to the day.
    pub newest: Option<SystemTime>,
}

/// Makes the folder and the file in it, if they are not there, and sees that the file can be used.
pub(super) fn prepare(folder: &Path) -> Result<PathBuf, CacheError> {
    make_private(folder).map_err(|source| CacheError::File { path: folder.to_owned(), source })?;
    let file = folder.join(FILE);
    touch(&file).map_err(|source| CacheError::File { path: file.clone(), source })?;
    match set_up(&file) {
        Err(error) if error.is_broken() => replace(&file)?,
        other => other?,
    }
    Ok(file)
}

/// Captions are nobody else's business.
#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Makes the file, if it is not there, for this user alone whatever the folder allows; SQLite makes those beside it alike.
fn touch(file: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map(drop)
}

fn connect(file: &Path) -> Result<Connection, CacheError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192;")?;
    Ok(connection)
}

fn set_up(file: &Path) -> Result<(), CacheError> {
    let mut connection = connect(file)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Asked again inside: two processes may come upon the empty file at once.
    if version(&connection)? != SCHEMA {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if version(&transaction)? != SCHEMA {
            transaction.execute_batch("DROP TABLE IF EXISTS entry;")?;
            transaction.execute_batch(TABLES)?;
        }
        transaction.commit()?;
    }
    connection.query_row("SELECT max(used) FROM entry WHERE id = 0", [], |_| Ok(()))?;
    Ok(())
}

fn version(connection: &Connection) -> Result<i32, CacheError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Makes a broken file anew, unless another process has done so in the meantime.
fn replace(file: &Path) -> Result<(), CacheError> {
    let lock = file.with_extension("lock");
    let failed = |source| CacheError::File { path: lock.clone(), source };
    let held = File::create(&lock).map_err(failed)?;
    held.lock().map_err(failed)?;
    match set_up(file) {
        Err(error) if error.is_broken() => {}
        other => return other,
    }
    for suffix in ["", "-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(suffix);
        #[expect(clippy::disallowed_methods, reason = "the cache's own file, which is of no use to anybody")]
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(CacheError::File { path: path.into(), source }),
            _ => {}
        }
    }
    set_up(file)
}

pub(super) fn stat(file: &Path) -> Result<Stat, CacheError> {
    let connection = connect(file)?;
    let (entries, oldest, newest): (i64, Option<i64>, Option<i64>) =
        connection.query_row("SELECT count(*), min(used), max(used) FROM entry", [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let date = |day: i64| u64::try_from(day).ok().map(|day| UNIX_EPOCH + Duration::from_secs(day.saturating_mul(86400)));
    Ok(Stat {
        entries: entries.unsigned_abs(),
        bytes: fs::metadata(file).map_or(0, |metadata| metadata.len()),
        oldest: oldest.and_then(date),
        newest: newest.and_then(date),
    })
}

/// Empties the tables instead of removing the file, which other processes may have open.
pub(super) fn clear(file: &Path) -> Result<(), CacheError> {
    let connection = connect(file)?;
    connection.execute_batch("DELETE FROM entry;")?;
    // Gives the space back, unless somebody is reading.
    let _ = connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
    Ok(())
}

/// Looks entries up, for one thread.
#[derive(Debug)]
pub struct Reader<'a> {
    cache: &'a Cache,
    connection: Connection,
    today: i64,
    /// Lookups left until the cache is looked at anew.
    left: u32,
    is_usable: bool,
    /// Entries that were of use for the first time today.
    used: Vec<i64>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(cache: &'a Cache) -> Result<Self, CacheError> {
        let connection = connect(&cache.file)?;
        Ok(Self { cache, connection, today: today(), left: 0, is_usable: true, used: Vec::new() })
    }

    /// The facts of the file at a place, if it has not changed since.
    pub fn by_place<F: Facts>(&mut self, place: Place, stamp: &Stamp) -> Option<F> {
        let found = self.ask(|connection| {
            let mut statement = connection.prepare_cached("SELECT stamp, facts, used FROM entry WHERE id = ?1")?;
            let mut rows = statement.query([place.0])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            if row.get_ref(0)?.as_blob_or_null()? != Some(stamp.as_bytes()) {
                return Ok(None);
            }
            let used: i64 = row.get(2)?;
            Ok(F::decode(row.get_ref(1)?.as_blob()?).map(|facts| (facts, used)))
        });
        let (facts, used) = found?;
        if used != self.today {
            self.used.push(place.0);
        }
        Some(facts)
    }

    /// The facts of other files with the same bytes.
    pub fn by_content<F: Facts>(&mut self, flavour: &Flavour, content: &ContentHash) -> Option<F> {
        let facts: Option<Vec<u8>> = self.ask(|connection| {
            let mut statement = connection.prepare_cached("SELECT facts FROM entry WHERE twin = ?1 LIMIT 1")?;
            statement.query_row([flavour.twin(content)], |row| row.get(0)).optional()
        });
        F::decode(&facts?).filter(|facts| facts.content() == Some(*content))
    }

    /// Entries that were of use for the first time today, which is what the writer wants to know.
    pub fn take_used(&mut self) -> Vec<i64> {
        std::mem::take(&mut self.used)
    }

    /// A question that goes wrong is not asked again: whoever asks does without.
    fn ask<T>(&mut self, question: impl FnOnce(&Connection) -> rusqlite::Result<Option<T>>) -> Option<T> {
        if !self.is_usable {
            return None;
        }
        let answer = self.renew().and_then(|()| question(&self.connection));
        answer.unwrap_or_else(|error| {
            self.is_usable = false;
            self.cache.report(&error.into());
            None
        })
    }

    fn renew(&mut self) -> rusqlite::Result<()> {
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            return Ok(());
        }
        self.connection.execute_batch(if self.connection.is_autocommit() { "BEGIN" } else { "COMMIT; BEGIN" })?;
        self.left = LOOKUPS;
        Ok(())
    }
}

/// Adds entries, in batches.
#[derive(Debug)]
pub struct Writer<'a> {
    cache: &'a Cache,
    connection: Connection,
    today: i64,
    entries: Vec<Entry>,
    used: Vec<i64>,
    has_written: bool,
    is_usable: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(cache: &'a Cache) -> Result<Self, CacheError> {
        let connection = connect(&cache.file)?;
        let (entries, used) = (Vec::new(), Vec::new());
        Ok(Self { cache, connection, today: today(), entries, used, has_written: false, is_usable: true })
    }

    /// Keeps new entries, and remembers that others were of use.
    pub fn add(&mut self, entries: impl IntoIterator<Item = Entry>, used: impl IntoIterator<Item = i64>) {
        self.entries.extend(entries);
        self.used.extend(used);
        if self.entries.len() + self.used.len() >= BATCH {
            self.flush();
        }
    }

    /// Writes what is left, and drops what is too much.
    pub fn finish(mut self) {
        self.flush();
        if self.has_written
            && self.is_usable
            && let Err(error) = self.evict()
        {
            self.give_up(&error);
        }
    }

    fn flush(&mut self) {
        if self.is_usable && !(self.entries.is_empty() && self.used.is_empty()) {
            match self.write() {
                Ok(()) => self.has_written = true,
                // Another process has much to write. These are found again the next time.
                Err(error) if error.is_busy() => {}
                Err(error) => self.give_up(&error),
            }
        }
        self.entries.clear();
        self.used.clear();
    }

    fn give_up(&mut self, error: &CacheError) {
        self.is_usable = false;
        self.cache.report(error);
    }

    fn write(&mut self) -> Result<(), CacheError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut insert =
                transaction.prepare_cached("INSERT OR REPLACE INTO entry (id, twin, stamp, facts, used) VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for Entry { place, twin, stamp, facts } in &self.entries {
                insert.execute(params![place.0, twin, stamp.as_ref().map(Stamp::as_bytes), facts, self.today])?;
            }
            let mut touch = transaction.prepare_cached("UPDATE entry SET used = ?2 WHERE id = ?1")?;
            for id in &self.used {
                touch.execute([*id, self.today])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// Drops entries by the quarter, those that were not used for the longest time, as long as there is more than the limit.
    fn evict(&mut self) -> Result<(), CacheError> {
        let pragma = |name: &str| self.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map(i64::unsigned_abs);
        let bytes = || -> rusqlite::Result<u64> {
            Ok(pragma("page_count")?.saturating_sub(pragma("freelist_count")?).saturating_mul(pragma("page_size")?))
        };
        while bytes()? > self.cache.max_bytes {
            let quarter = "DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY used LIMIT (SELECT (count(*) + 3) / 4 FROM entry))";
            if self.connection.execute(quarter, [])? == 0 {
                break;
            }
        }
        Ok(())
    }
}

/// Days since 1970: how long ago an entry was of use need not be known any better.
fn today() -> i64 {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86400);
    i64::try_from(days).unwrap_or(0)
}
