//! D107: a value of another type than the trainer wants.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports a value in a trainer's configuration whose type is not the one that the trainer takes.
    ///
    /// ## Why it matters
    /// sd-scripts and musubi-tuner refuse a whole number where a number with a point is wanted, and end. Others take the value as Python
    /// does, which is not what it looks like: the text "False" is true.
    ///
    /// ## Example
    /// `source_fps = 30` in musubi-tuner, which demands `30.0`; `"crop": "False"` in `SimpleTuner`.
    ///
    /// ## What to do
    /// Write a value of the type that the message names.
    D107 "config-wrong-type", level: Warning, since: "0.1.0", run: Run::Elsewhere,
}
