//! D110: options that exclude each other.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports options of a trainer's configuration that the trainer does not take together.
    ///
    /// ## Why it matters
    /// The trainer asserts it when datasets are built and ends, or, worse, two datasets write to one folder of caches.
    ///
    /// ## Example
    /// `cache_latents` with `random_crop` in sd-scripts; one `cache_directory` for two datasets of musubi-tuner.
    ///
    /// ## What to do
    /// Leave out one of the options.
    D110 "config-conflict", level: Warning, since: "0.1.0", run: Run::Elsewhere,
}
