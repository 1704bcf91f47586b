//! D106: a key that the trainer does not know.

use crate::checks::{Run, declare_check};

declare_check! {
    /// ## What it does
    /// Reports a key in a trainer's configuration that the trainer does not know at this place, and the key that was meant, if one is alike.
    ///
    /// ## Why it matters
    /// sd-scripts and musubi-tuner end with "extra keys not allowed", which is an error. ai-toolkit, `OneTrainer`, `SimpleTuner` and
    /// diffusion-pipe pass over the key and take their default without a word; for these only keys are reported that are like a
    /// known one.
    ///
    /// ## Example
    /// `batch_size` inside `[[datasets.subsets]]`; `num_repeat = 10`.
    ///
    /// ## What to do
    /// Write the key as the trainer spells it, and where it belongs.
    D106 "config-unknown-key", level: Warning, since: "0.1.0", run: Run::Elsewhere,
}
