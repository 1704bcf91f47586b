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
mod run;
mod words;

use check::{Run, declare_check};

pub use check::{Check, Family, Findings, page};
pub use run::{check_dataset, check_sample, find};

#[cfg(test)]
mod support;

// The lines below are generated from the folder by `UPDATE=1 cargo test`.

mod file {
    pub(super) mod duplicate_content;
    pub(super) mod extension_mismatch;
    pub(super) mod near_duplicate;
    pub(super) mod not_an_image;
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

/// Every check, by code.
#[rustfmt::skip]
pub static ALL: &[&Check] = &[
    &file::not_an_image::CHECK,
    &file::extension_mismatch::CHECK,
    &file::duplicate_content::CHECK,
    &file::near_duplicate::CHECK,
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
];
