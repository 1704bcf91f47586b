//! Stage 4: rules. A check sees facts, reports findings, and knows nothing of settings, colours or threads.
//!
//! # How to add a check
//!
//! 1. Write one file, `src/checks/<family>/<name_in_snake_case>.rs`, after the pattern of `image/truncated_image.rs`: a
//!    `//!` line with the code, `declare_check!` with the four headings (What it does, Why it matters, Example, What to do),
//!    the function, and its tests. Take the next free number of the family; codes are never used again.
//! 2. Add a recipe to `tests/suite/datasets/<family>.rs` that builds `sample_datasets/<code>-<name>/fires` and `quiet`,
//!    where `quiet` is the near miss.
//! 3. Run `UPDATE=1 cargo test`, which rewrites the list below, `docs/checks/`, the table in the README and the sample
//!    datasets. Look at what it wrote, and commit it.
//!
//! Nothing else is touched: the list below is generated from the folder.

mod cause;
mod check;
mod component;
mod metadata_rows;
mod placed;
mod recipe;
mod run;
mod words;

use check::{Run, declare_check};

pub use check::{Check, Family, Findings, page};
pub use run::{by_weight, check_dataset, check_sample, find};

use crate::model::{Finding, Obstruction, Outlook, RecipeFault, RelPath};

/// The finding for an ignore in the settings that is of no use, which only the run can tell.
pub(crate) fn unused_ignore(settings: &RelPath, pattern: &str, reason: &str, wrong: &str) -> Finding {
    dataset::unused_ignore::finding(settings, pattern, reason, wrong)
}

/// The finding for a fault of a trainer's configuration, which only who reads it can see.
#[must_use]
pub fn recipe_fault(fault: &RecipeFault) -> Finding {
    recipe::finding(fault)
}

/// The finding for a dataset of which a trainer takes nothing.
pub(crate) fn nothing_left(outlook: &Outlook) -> Finding {
    dataset::empty_dataset::nothing_left(outlook.trainer, &outlook.folder, outlook.skip + outlook.replace)
}

/// The finding for files that are in the way of the user's trainer, which only the trainer can tell.
#[must_use]
pub fn obstruction(trainer: &'static str, obstruction: &Obstruction) -> Finding {
    file::stray_entry::finding(trainer, obstruction)
}

#[cfg(test)]
mod support;

// The lines below are generated from the folder by `UPDATE=1 cargo test`.

mod bucket {
    pub(super) mod bucket_all_dropped;
    pub(super) mod bucket_heavy_crop;
    pub(super) mod bucket_large_area;
    pub(super) mod bucket_underfilled;
    pub(super) mod bucket_upscaled;
    pub(super) mod bucket_zero_side;
}

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

mod dataset {
    pub(super) mod config_conflict;
    pub(super) mod config_deletes_files;
    pub(super) mod config_empty_path;
    pub(super) mod config_lost_option;
    pub(super) mod config_missing_key;
    pub(super) mod config_parse;
    pub(super) mod config_path_control_characters;
    pub(super) mod config_range;
    pub(super) mod config_unknown_key;
    pub(super) mod config_unresolved;
    pub(super) mod config_wrong_type;
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
    pub(super) mod stray_entry;
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
    pub(super) mod decoder_crash;
    pub(super) mod decoders_disagree;
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
    pub(super) mod witness_disagrees;
    pub(super) mod witness_killed;
}

mod metadata {
    pub(super) mod metadata_missing_rows;
    pub(super) mod metadata_name;
    pub(super) mod metadata_null_caption;
    pub(super) mod metadata_parse;
    pub(super) mod metadata_path_mismatch;
    pub(super) mod metadata_type;
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
    &bucket::bucket_zero_side::CHECK,
    &bucket::bucket_large_area::CHECK,
    &bucket::bucket_underfilled::CHECK,
    &bucket::bucket_all_dropped::CHECK,
    &bucket::bucket_upscaled::CHECK,
    &bucket::bucket_heavy_crop::CHECK,
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
    &dataset::empty_dataset::CHECK,
    &dataset::config_parse::CHECK,
    &dataset::config_empty_path::CHECK,
    &dataset::config_path_control_characters::CHECK,
    &dataset::unused_ignore::CHECK,
    &dataset::config_unknown_key::CHECK,
    &dataset::config_wrong_type::CHECK,
    &dataset::config_missing_key::CHECK,
    &dataset::config_range::CHECK,
    &dataset::config_conflict::CHECK,
    &dataset::config_lost_option::CHECK,
    &dataset::config_deletes_files::CHECK,
    &dataset::config_unresolved::CHECK,
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
    &file::stray_entry::CHECK,
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
    &image::decoders_disagree::CHECK,
    &image::decoder_crash::CHECK,
    &image::witness_disagrees::CHECK,
    &image::witness_killed::CHECK,
    &metadata::metadata_name::CHECK,
    &metadata::metadata_parse::CHECK,
    &metadata::metadata_path_mismatch::CHECK,
    &metadata::metadata_type::CHECK,
    &metadata::metadata_missing_rows::CHECK,
    &metadata::metadata_null_caption::CHECK,
    &path::path_not_portable::CHECK,
    &path::path_glob_characters::CHECK,
    &path::path_too_long::CHECK,
    &path::case_collision::CHECK,
    &path::folder_pattern::CHECK,
    &path::wrong_root_level::CHECK,
];
