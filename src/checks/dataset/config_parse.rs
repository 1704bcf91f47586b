//! D102: a trainer's configuration that cannot be parsed.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports a trainer's configuration, or a file that it refers to, that cannot be parsed: with the parser's message, the line and the
    /// column. A byte order mark is one such thing where the trainer's parser refuses it, and a key that stands twice is a warning
    /// where the parser keeps the last one.
    ///
    /// ## Why it matters
    /// The trainer ends before it has looked at a single image. sd-scripts (48d368fa) and musubi-tuner (30c658c4) read TOML with the
    /// package `toml` 0.10.2, which refuses a byte order mark and backslashes that are no escape.
    ///
    /// ## Example
    /// `image_directory = "C:\Users\me\img"` in TOML, where `\U` begins an escape; `caption_extension = None`.
    ///
    /// ## What to do
    /// Correct the text at this place. Write paths of Windows in single quotes, or with forward slashes.
    D102 "config-parse", level: Error, since: "0.1.0", run: Run::Elsewhere,
}
