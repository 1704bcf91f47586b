//! Stage 4: rules. A check sees facts, reports findings, and knows nothing of settings, colours or threads.
//!
//! # How to add a check
//!
//! 1. Write one file, `src/checks/<family>/<name_in_snake_case>.rs`, after the pattern of `image/truncated_image.rs`: a
//!    `//!` line with the code, `declare_check!` with the four headings (What it does, Why it matters, Example, What to do),
//!    the function, and its tests. Take the next free number of the family; codes are never used again.
//! 2. Add a recipe to `tests/datasets.rs` that builds `sample_datasets/<code>-<name>/fires` and `quiet`, where `quiet` is
//!    the near miss.
//! 3. Run `UPDATE=1 cargo test`, which rewrites the list below, `docs/checks/`, the table in the README and the sample
//!    datasets. Look at what it wrote, and commit it.
//!
//! Nothing else is touched: the list below is generated from the folder.

mod check;
mod component;
mod run;

use check::{Run, declare_check};

pub use check::{Check, Family, Findings, page};
pub use run::{check_dataset, check_sample, find};

#[cfg(test)]
mod support;

// The lines below are generated from the folder by `UPDATE=1 cargo test`.

mod dataset {
    pub(super) mod empty_dataset;
}

mod file {
    pub(super) mod broken_link;
    pub(super) mod duplicate_stem;
    pub(super) mod hidden_image;
    pub(super) mod ignored_extension;
    pub(super) mod junk_folder;
    pub(super) mod skipped_link;
    pub(super) mod special_file;
    pub(super) mod system_file;
    pub(super) mod unreadable_file;
    pub(super) mod zero_byte_file;
}

mod image {
    pub(super) mod truncated_image;
}

mod path {
    pub(super) mod case_collision;
    pub(super) mod folder_pattern;
    pub(super) mod path_glob_characters;
    pub(super) mod path_not_portable;
    pub(super) mod path_too_long;
    pub(super) mod wrong_root_level;
}

/// Every check, by code.
#[rustfmt::skip]
pub static ALL: &[&Check] = &[
    &dataset::empty_dataset::CHECK,
    &file::zero_byte_file::CHECK,
    &file::unreadable_file::CHECK,
    &file::special_file::CHECK,
    &file::broken_link::CHECK,
    &file::system_file::CHECK,
    &file::junk_folder::CHECK,
    &file::ignored_extension::CHECK,
    &file::duplicate_stem::CHECK,
    &file::hidden_image::CHECK,
    &file::skipped_link::CHECK,
    &image::truncated_image::CHECK,
    &path::path_not_portable::CHECK,
    &path::path_glob_characters::CHECK,
    &path::path_too_long::CHECK,
    &path::case_collision::CHECK,
    &path::folder_pattern::CHECK,
    &path::wrong_root_level::CHECK,
];
