//! D104: a path with control characters in a trainer's configuration.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports a path in a trainer's configuration that holds control characters, such as a tab or a line break.
    ///
    /// ## Why it matters
    /// In a double-quoted text of TOML, JSON and YAML a backslash and the letter behind it are one character. What was written as a
    /// path of Windows parses without an error and leads nowhere; several trainers go on with no images.
    ///
    /// ## Example
    /// `image_directory = "C:\train\new"` is `C:`, a tab, `rain`, a line break, `ew`.
    ///
    /// ## What to do
    /// Write the path in single quotes (not in JSON), with forward slashes, or with two backslashes each.
    D104 "config-path-control-characters", level: Error, since: "0.1.0", run: Run::Elsewhere,
}
