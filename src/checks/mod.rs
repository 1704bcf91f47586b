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
mod metadata_rows;
mod run;

use check::{Run, declare_check};

pub use check::{Check, Family, Findings, page};
pub use run::{check_dataset, check_sample, find};

#[cfg(test)]
mod support;

// The lines below are generated from the folder by `UPDATE=1 cargo test`.

mod caption {
    pub(super) mod blank_caption;
    pub(super) mod caption_bom;
    pub(super) mod caption_control_characters;
    pub(super) mod caption_extension_mismatch;
    pub(super) mod caption_invisible_characters;
    pub(super) mod caption_is_binary;
    pub(super) mod caption_mojibake;
    pub(super) mod caption_multi_line;
    pub(super) mod caption_not_utf8;
    pub(super) mod caption_too_long;
    pub(super) mod caption_utf16;
    pub(super) mod duplicate_caption;
    pub(super) mod empty_caption;
    pub(super) mod missing_caption;
    pub(super) mod orphan_caption;
    pub(super) mod unreadable_caption;
}

mod image {
    pub(super) mod truncated_image;
}

mod metadata {
    pub(super) mod metadata_missing_rows;
    pub(super) mod metadata_name;
    pub(super) mod metadata_null_caption;
    pub(super) mod metadata_parse;
    pub(super) mod metadata_path_mismatch;
    pub(super) mod metadata_type;
}

/// Every check, by code.
#[rustfmt::skip]
pub static ALL: &[&Check] = &[
    &caption::missing_caption::CHECK,
    &caption::orphan_caption::CHECK,
    &caption::empty_caption::CHECK,
    &caption::blank_caption::CHECK,
    &caption::caption_not_utf8::CHECK,
    &caption::caption_utf16::CHECK,
    &caption::caption_bom::CHECK,
    &caption::caption_is_binary::CHECK,
    &caption::caption_control_characters::CHECK,
    &caption::caption_mojibake::CHECK,
    &caption::caption_too_long::CHECK,
    &caption::caption_multi_line::CHECK,
    &caption::caption_extension_mismatch::CHECK,
    &caption::duplicate_caption::CHECK,
    &caption::caption_invisible_characters::CHECK,
    &caption::unreadable_caption::CHECK,
    &image::truncated_image::CHECK,
    &metadata::metadata_name::CHECK,
    &metadata::metadata_parse::CHECK,
    &metadata::metadata_path_mismatch::CHECK,
    &metadata::metadata_type::CHECK,
    &metadata::metadata_missing_rows::CHECK,
    &metadata::metadata_null_caption::CHECK,
];
