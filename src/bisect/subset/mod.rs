//! A part of a dataset as a folder of its own, built from links and copies; the source is only read.
//!
//! `atoms` says which files belong together, `stamp` whether they are still what they were, `place` how one file gets into the folder,
//! `build` makes the folder, and `config` points a trainer's configuration at it. Which samples are wanted is not known here. May use
//! `model` and `walk`.

mod atoms;
mod build;
mod config;
mod place;
mod stamp;

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use atoms::{Atom, Source};
pub use build::{Built, Filler, Strategy, Subset};
pub use config::{Config, ConfigError, ConfigRewriter, FolderMap, rewriter};
pub use stamp::{Stamp, stamp, verify};

use crate::walk::WalkError;

/// Why a subset cannot be built, or must not be.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SubsetError {
    /// The dataset cannot be listed.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A file or folder cannot be read or made.
    #[error("failed to {verb} `{path}`: {source}")]
    File {
        /// What was tried.
        verb: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file is not what it was when the search began.
    #[error("`{path}` has changed since the search began: verdicts so far are for another dataset; begin a new search")]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Copying would fill the disk.
    #[error("copying takes {needed} bytes, and `{path}` has {free} bytes free")]
    Full {
        /// The folder.
        path: PathBuf,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are there.
        free: u64,
    },
}

impl SubsetError {
    fn file<'a>(verb: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::File { verb, path: path.to_owned(), source }
    }
}
