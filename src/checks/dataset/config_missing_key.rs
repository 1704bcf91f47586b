//! D108: a key without which the trainer does not run.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports a trainer's configuration without a key, or a table, that the trainer needs.
    ///
    /// ## Why it matters
    /// The trainer ends before training, often with an error that names something else: musubi-tuner says "no attribute 'datasource'"
    /// when a dataset names no folder.
    ///
    /// ## Example
    /// `[[datasets]]` of sd-scripts without `resolution`, where no `--resolution` is given.
    ///
    /// ## What to do
    /// Add the key.
    D108 "config-missing-key", level: Error, since: "0.1.0", run: Run::Elsewhere,
}
