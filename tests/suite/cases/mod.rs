//! Public reports of real failures, each rebuilt by its recipe, and the right answer to it.
//!
//! The numbers are those of the project's collection of cases; the thread behind each stands in its test's comment.

mod captions;
mod images;
mod names;
mod trainers;

use std::path::PathBuf;

use tempfile::TempDir;

use crate::build::Folder;

/// A folder that is gone after the test.
pub(super) fn folder() -> (TempDir, Folder) {
    let temporary = tempfile::tempdir().expect("there is room for a test folder");
    let folder = Folder::at(&temporary.path().join("set"));
    (temporary, folder)
}

/// A folder of this name below one that is gone after the test.
pub(super) fn folder_called(name: &str) -> (TempDir, Folder, PathBuf) {
    let temporary = tempfile::tempdir().expect("there is room for a test folder");
    let path = temporary.path().join(name);
    (temporary, Folder::at(&path), path)
}
