//! One bisection at a time in a folder. The system takes a lock away when its process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::JournalError;

/// Name of the lock's file.
const NAME: &str = "lock";

/// Held while a bisection works in its folder.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder.
    pub fn take(folder: &Path) -> Result<Self, JournalError> {
        let file = open(folder)?;
        // `status` holds it for a moment to see whether it is held.
        for _ in 0..10 {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
                Err(TryLockError::Error(source)) => return Err(JournalError::file("lock", folder)(source)),
            }
        }
        Err(JournalError::Locked(folder.to_owned()))
    }
}

/// Whether somebody holds the lock of a folder.
#[must_use]
pub fn is_locked(folder: &Path) -> bool {
    File::open(folder.join(NAME)).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn open(folder: &Path) -> Result<File, JournalError> {
    let path = folder.join(NAME);
    OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(JournalError::file("open", &path))
}
