//! The sample datasets: for each check one folder in which it must fire and one, the near miss, in which it must not.
//!
//! Recipes stand in one file per family. `UPDATE=1 cargo test` writes `sample_datasets/` from them; without it the test
//! compares. What git cannot keep (FIFOs, broken links, names that some systems refuse) is only built for the test.

mod bucket;
mod caption;
mod dataset;
mod file;
mod image;
mod image_file;
mod metadata;
mod path;
mod run;
mod tour;

use crate::build::Folder;

/// How to build the two folders of one check.
pub(crate) struct Recipe {
    /// The check's name.
    pub(crate) check: &'static str,
    /// Whether the folders can be kept in git, and checked out on every system.
    pub(crate) is_committed: bool,
    /// The trainer that it is checked for.
    pub(crate) trainer: &'static str,
    /// Settings as for `--set`, such as `caption_extension=.caption`.
    pub(crate) set: &'static [&'static str],
    /// Fills the folder in which the check must fire.
    pub(crate) fires: fn(&Folder),
    /// Fills the folder in which it must not.
    pub(crate) quiet: fn(&Folder),
}

impl Recipe {
    /// A recipe that is committed and needs no settings.
    pub(crate) const fn new(check: &'static str, fires: fn(&Folder), quiet: fn(&Folder)) -> Self {
        Self { check, is_committed: true, trainer: "generic", set: &[], fires, quiet }
    }

    /// A recipe that is committed, for a trainer with settings.
    pub(crate) const fn for_trainer(
        check: &'static str,
        trainer: &'static str,
        set: &'static [&'static str],
        fires: fn(&Folder),
        quiet: fn(&Folder),
    ) -> Self {
        Self { check, is_committed: true, trainer, set, fires, quiet }
    }
}

/// Every recipe.
pub(crate) fn recipes() -> Vec<Recipe> {
    [
        bucket::recipes(),
        caption::recipes(),
        dataset::recipes(),
        file::recipes(),
        image::recipes(),
        image_file::recipes(),
        metadata::recipes(),
        path::recipes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
