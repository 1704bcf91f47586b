//! Where a symbolic link leads.

use std::fs;
use std::io;
use std::path::Path;

use crate::model::{OddityKind, printable};

/// Why a link that cannot be followed cannot be followed.
pub(super) fn why_broken(link: &Path) -> OddityKind {
    match fs::metadata(link) {
        Err(error) if is_loop(&error) => OddityKind::LinkLoop(target(link)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            OddityKind::BrokenLink(target(link))
        }
        Err(error) => OddityKind::Unreadable(error.to_string()),
        // It was mended in between.
        Ok(_) => OddityKind::SkippedLink(target(link)),
    }
}

/// What is odd about a link that is not followed.
pub(super) fn why_skipped(link: &Path, root: &Path) -> OddityKind {
    match fs::canonicalize(link) {
        Ok(real) if real.starts_with(root) => OddityKind::SkippedLink(target(link)),
        Ok(_) => OddityKind::OutsideLink(target(link)),
        Err(_) => why_broken(link),
    }
}

/// What stands in the link, as it can be printed.
pub(super) fn target(link: &Path) -> String {
    fs::read_link(link).map_or_else(|error| error.to_string(), |target| printable(&target.to_string_lossy()).into_owned())
}

/// Whether the system gave up on a chain of links. `ErrorKind` has no stable name for it.
fn is_loop(error: &io::Error) -> bool {
    const ELOOP: i32 = if cfg!(any(target_os = "linux", target_os = "android")) { 40 } else { 62 };
    cfg!(unix) && error.raw_os_error() == Some(ELOOP)
}
