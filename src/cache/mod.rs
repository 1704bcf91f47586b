//! The facts cache: what was found in a file's bytes once, so that an unchanged file costs a stat.
//!
//! An entry belongs to a place (`key`: the path, and the [`Flavour`] of the facts) and holds the file's [`Stamp`] beside its
//! encoded facts (`record`). A file whose stamp is the same is not opened; one that was moved, copied or touched is read and
//! hashed, and its facts are found by its content. `store` keeps the entries in one SQLite file, which several processes
//! may use at once. Facts only: findings and placements are computed anew each time, and what circumstances decided (a file
//! that could not be read, a limit that was reached, a panic) is never kept. Knows no settings and no files but its own; may use
//! [`model`](crate::model).

mod key;
mod record;
mod store;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub use key::{Flavour, Place, Stamp};
pub use record::{Entry, Facts};
pub use store::{CacheError, Reader, Stat, Writer};

/// Raised whenever the same bytes give other facts than before, or facts are encoded otherwise. The version of the package
/// counts too, so between releases a forgotten one harms developers only; a test notices most that should not be forgotten.
pub const FACTS_VERSION: u32 = 2;

/// Bytes above which the entries that were not used for the longest time are dropped: some two million files.
const MAX_BYTES: u64 = 512 << 20;

/// A cache that can be used.
#[derive(Debug)]
pub struct Cache {
    file: PathBuf,
    max_bytes: u64,
    trouble: Mutex<Option<String>>,
}

impl Cache {
    /// The cache in this folder, both made if they are not there. A cache that is broken or of another kind is made anew.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// use walkaround::cache::Cache;
    /// let cache = Cache::open(folder.path())?;
    /// assert_eq!(cache.stat()?.entries, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the folder cannot be made or written to, or another process keeps the cache locked.
    pub fn open(folder: &Path) -> Result<Self, CacheError> {
        let file = store::prepare(folder)?;
        Ok(Self { file, max_bytes: MAX_BYTES, trouble: Mutex::new(None) })
    }

    /// The file that holds it.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Somebody who looks things up; every thread has its own. `None` after trouble.
    #[must_use]
    pub fn reader(&self) -> Option<Reader<'_>> {
        Reader::new(self).map_err(|error| self.report(&error)).ok()
    }

    /// The one who adds entries. `None` after trouble.
    #[must_use]
    pub fn writer(&self) -> Option<Writer<'_>> {
        Writer::new(self).map_err(|error| self.report(&error)).ok()
    }

    /// What went wrong first, if anything did. It has cost time, never a result.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How much it holds.
    pub fn stat(&self) -> Result<Stat, CacheError> {
        store::stat(&self.file)
    }

    /// Forgets everything. Processes that use the cache at this time find nothing in it and go on.
    pub fn clear(&self) -> Result<(), CacheError> {
        store::clear(&self.file)
    }

    fn report(&self, error: &CacheError) {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| error.to_string());
    }
}
