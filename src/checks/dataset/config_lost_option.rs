//! D111: an option without effect.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports an option of a trainer's configuration that has no effect beside another one.
    ///
    /// ## Why it matters
    /// Nothing says so, and the run trains on captions or shapes that are not those of the configuration.
    ///
    /// ## Example
    /// `caption_prefix` in sd-scripts with `cache_text_encoder_outputs`: captions are encoded as they stand in their files.
    ///
    /// ## What to do
    /// Write the effect into the dataset itself, or leave out the option that hinders it.
    D111 "config-lost-option", level: Warning, since: "0.1.0", run: Run::Elsewhere,
}
