//! D113: a file or variable that a trainer's configuration names and that is not there.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports a file or an environment variable that a trainer's configuration refers to and that is not there.
    ///
    /// ## Why it matters
    /// The trainer ends before training. What the file would have said is not known, so that its datasets are not looked at.
    ///
    /// ## Example
    /// `concept_file_name` of `OneTrainer` with a path that holds on another machine; `${HF_TOKEN}` in ai-toolkit.
    ///
    /// ## What to do
    /// Correct the path, or set the variable.
    D113 "config-unresolved", level: Error, since: "0.1.0", run: Run::Elsewhere,
}
