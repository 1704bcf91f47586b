//! D112: an option that makes the trainer delete files.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports an option of a trainer's configuration that makes the trainer delete files of the dataset, or files near it.
    ///
    /// ## Why it matters
    /// What is deleted is gone. `SimpleTuner` removes images that it cannot read with `delete_problematic_images`; `OneTrainer` removes the
    /// folders `image`, `text` and `epoch-*` of `cache_dir` at each start.
    ///
    /// ## Example
    /// `cache_dir = "/data"` for a concept in `/data/image`.
    ///
    /// ## What to do
    /// Leave out the option, name an empty folder, or train on a copy.
    D112 "config-deletes-files", level: Warning, since: "0.1.0", run: Run::Elsewhere,
}
