//! D103: an empty path in a trainer's configuration.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports a folder in a trainer's configuration that is named by an empty text.
    ///
    /// ## Why it matters
    /// An empty path is the current folder to most programs: the trainer walks its own source tree, and ends on the first file
    /// that is no image, or trains on whatever pictures it finds there.
    ///
    /// ## Example
    /// `class_data_dir = ""`, left by a form: the log says `cannot identify image file '.../requirements_versions.txt'`.
    ///
    /// ## What to do
    /// Name a folder, or leave the key out.
    D103 "config-empty-path", level: Error, since: "0.1.0", run: Run::Elsewhere,
}
