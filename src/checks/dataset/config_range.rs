//! D109: a value out of the range that the trainer takes.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports a value in a trainer's configuration that is of the right type, and that the trainer refuses, corrects or misunderstands.
    ///
    /// ## Why it matters
    /// Some are refused after minutes of work: sd-scripts compares the resolution with `max_bucket_reso` when it makes buckets, and
    /// `OneTrainer` saves the model at the very end. Others are changed without asking.
    ///
    /// ## Example
    /// `resolution = 1280` with `enable_bucket` and `max_bucket_reso` left at 1024.
    ///
    /// ## What to do
    /// Give a value within the range that the message names.
    D109 "config-range", level: Warning, since: "0.1.0", run: Run::Elsewhere,
}
