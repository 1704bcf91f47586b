//! The worker's answers, as it writes them, and what they mean.

use std::borrow::Cow;

use serde::Deserialize;

use crate::model::{Orientation, Refusal, Seen, Size, Stage, Verdict};

/// The first line of a worker.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Greeting {
    /// It is ready.
    Ready { python: String, pillow: String, opencv: Option<String> },
    /// It has no Pillow, for this reason.
    Missing { missing: String },
}

/// What Pillow did.
#[derive(Debug, Deserialize)]
pub(super) struct PillowAnswer {
    pub(super) pillow: Opened,
}

/// What Pillow did with `LOAD_TRUNCATED_IMAGES`.
#[derive(Debug, Deserialize)]
pub(super) struct LenientAnswer {
    pub(super) lenient: Outcome,
}

/// What OpenCV did, if it is there.
#[derive(Debug, Deserialize)]
pub(super) struct OpenCvAnswer {
    pub(super) opencv: Option<Outcome>,
}

/// A picture as Pillow opened it, or why it did not.
#[derive(Debug, Deserialize)]
pub(super) struct Opened {
    format: Option<String>,
    mode: Option<String>,
    size: Option<(u32, u32)>,
    /// Whether the orientation could be asked for.
    #[serde(default)]
    exif: bool,
    orientation: Option<i64>,
    error: Option<Raised>,
}

/// Nothing to complain of, or an exception.
#[derive(Debug, Deserialize)]
pub(super) struct Outcome {
    error: Option<Raised>,
}

/// An exception.
#[derive(Debug, Deserialize)]
struct Raised {
    stage: String,
    class: String,
    message: String,
}

impl Opened {
    /// What was seen, where the file was opened.
    pub(super) fn seen(&self) -> Option<Seen> {
        let (width, height) = self.size?;
        Some(Seen {
            format: self.format.clone().unwrap_or_default(),
            mode: self.mode.clone()?,
            size: Size::new(width, height),
            knows_orientation: self.exif,
            orientation: self.orientation.and_then(|value| u32::try_from(value).ok()).and_then(Orientation::new),
        })
    }

    pub(super) fn verdict(self) -> Verdict {
        verdict(self.error)
    }
}

impl Outcome {
    pub(super) fn verdict(self) -> Verdict {
        verdict(self.error)
    }
}

fn verdict(error: Option<Raised>) -> Verdict {
    match error {
        None => Verdict::Ok,
        Some(Raised { stage, class, message }) => {
            Verdict::Error(Refusal { class: Cow::Owned(class), message, stage: if stage == "open" { Stage::Open } else { Stage::Load } })
        }
    }
}

/// Whether a loader ran into the worker's limit of memory.
pub(super) fn is_out_of_memory(verdict: &Verdict) -> bool {
    // OpenCV says so with code -4 (`core/base.hpp`, `StsNoMem`), Pillow's codecs with -9 (`ImageFile.py`, `_get_oserror`).
    verdict.refusal().is_some_and(|refusal| {
        let message = refusal.message.to_ascii_lowercase();
        refusal.class == "MemoryError" || message.contains("out of memory") || (refusal.class == "error" && message.contains("(-4:"))
    })
}
