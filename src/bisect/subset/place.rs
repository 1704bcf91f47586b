//! How one file gets into a subset: by hard link, reflink, symbolic link or copy, whichever works there.

use std::fs;
use std::io;
use std::path::Path;

use super::SubsetError;

/// Bytes up to which a file is copied in any case.
const SMALL: u64 = 64 << 10;

/// Puts `from` at `to`, whose folder is there; `room` is what may still be copied.
///
/// Only pictures are linked: trainers write captions and caches, and through a link they would write into the dataset.
pub(super) fn place(from: &Path, to: &Path, is_picture: bool, room: &mut u64) -> Result<(), SubsetError> {
    let from = from.canonicalize().map_err(SubsetError::file("find", from))?;
    let bytes = from.metadata().map_err(SubsetError::file("look at", &from))?.len();
    let is_linked = is_picture && bytes > SMALL && fs::hard_link(&from, to).is_ok();
    if is_linked || reflink_copy::reflink(&from, to).is_ok() || (is_picture && bytes > SMALL && symlink(&from, to).is_ok()) {
        return Ok(());
    }
    let Some(left) = room.checked_sub(bytes) else {
        return Err(SubsetError::Full { path: to.to_owned(), needed: bytes, free: *room });
    };
    *room = left;
    fs::copy(&from, to).map_err(SubsetError::file("copy to", to))?;
    Ok(())
}

#[cfg(unix)]
fn symlink(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(windows)]
fn symlink(from: &Path, to: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(from, to)
}
