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

mod cause;
mod check;
mod component;
mod run;
mod words;

use check::{Run, declare_check};

pub use check::{Check, Family, Findings, page};
pub use run::{check_dataset, check_sample, find};

use crate::model::{Finding, RelPath};

/// The finding for an ignore in the settings that is of no use, which only the run can tell.
pub(crate) fn unused_ignore(settings: &RelPath, pattern: &str, reason: &str, wrong: &str) -> Finding {
    dataset::unused_ignore::finding(settings, pattern, reason, wrong)
}

#[cfg(test)]
mod support;

// The lines below are generated from the folder by `UPDATE=1 cargo test`.

mod dataset {
    pub(super) mod empty_dataset;
    pub(super) mod unused_ignore;
}

mod file {
    pub(super) mod broken_link;
    pub(super) mod duplicate_content;
    pub(super) mod duplicate_stem;
    pub(super) mod extension_mismatch;
    pub(super) mod hidden_image;
    pub(super) mod ignored_extension;
    pub(super) mod junk_folder;
    pub(super) mod near_duplicate;
    pub(super) mod not_an_image;
    pub(super) mod skipped_link;
    pub(super) mod special_file;
    pub(super) mod system_file;
    pub(super) mod unreadable_file;
    pub(super) mod zero_byte_file;
}

mod image {
    pub(super) mod alpha_hidden_color;
    pub(super) mod animated_image;
    pub(super) mod blank_image;
    pub(super) mod cmyk_image;
    pub(super) mod corrupt_image;
    pub(super) mod damaged_but_loads;
    pub(super) mod exif_orientation;
    pub(super) mod extreme_aspect;
    pub(super) mod grayscale_image;
    pub(super) mod malformed_exif;
    pub(super) mod metadata_too_large;
    pub(super) mod mixed_modes;
    pub(super) mod palette_image;
    pub(super) mod sixteen_bit_image;
    pub(super) mod size_outlier;
    pub(super) mod too_many_pixels;
    pub(super) mod too_small;
    pub(super) mod trailing_data;
    pub(super) mod transparent_image;
    pub(super) mod truncated_image;
    pub(super) mod undecided_image;
    pub(super) mod unsupported_format;
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
    &dataset::unused_ignore::CHECK,
    &file::zero_byte_file::CHECK,
    &file::unreadable_file::CHECK,
    &file::special_file::CHECK,
    &file::broken_link::CHECK,
    &file::system_file::CHECK,
    &file::junk_folder::CHECK,
    &file::not_an_image::CHECK,
    &file::extension_mismatch::CHECK,
    &file::ignored_extension::CHECK,
    &file::duplicate_stem::CHECK,
    &file::duplicate_content::CHECK,
    &file::near_duplicate::CHECK,
    &file::hidden_image::CHECK,
    &file::skipped_link::CHECK,
    &image::truncated_image::CHECK,
    &image::corrupt_image::CHECK,
    &image::damaged_but_loads::CHECK,
    &image::unsupported_format::CHECK,
    &image::too_many_pixels::CHECK,
    &image::metadata_too_large::CHECK,
    &image::extreme_aspect::CHECK,
    &image::too_small::CHECK,
    &image::exif_orientation::CHECK,
    &image::malformed_exif::CHECK,
    &image::alpha_hidden_color::CHECK,
    &image::transparent_image::CHECK,
    &image::blank_image::CHECK,
    &image::cmyk_image::CHECK,
    &image::palette_image::CHECK,
    &image::grayscale_image::CHECK,
    &image::sixteen_bit_image::CHECK,
    &image::animated_image::CHECK,
    &image::trailing_data::CHECK,
    &image::mixed_modes::CHECK,
    &image::undecided_image::CHECK,
    &image::size_outlier::CHECK,
    &path::path_not_portable::CHECK,
    &path::path_glob_characters::CHECK,
    &path::path_too_long::CHECK,
    &path::case_collision::CHECK,
    &path::folder_pattern::CHECK,
    &path::wrong_root_level::CHECK,
];
