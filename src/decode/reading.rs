//! What a format's reader answers.

use crate::model::{AlphaFacts, Fault, Raster, Strict, Trailing, Verdict};

/// What a format's reader found in the bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    /// Pillow 13: open, load, convert to RGB.
    pub(crate) pillow: Verdict,
    /// The same with `LOAD_TRUNCATED_IMAGES`; rules in [`lenient`](super::lenient).
    pub(crate) pillow_lenient: Verdict,
    /// OpenCV 5: `imdecode` unchanged; [`Verdict::Unknown`] where it is not known.
    pub(crate) opencv: Verdict,
    /// Reading by the format's own rules.
    pub(crate) strict: Strict,
    /// A reduced picture of the first frame, where one could be had, damaged or not.
    pub(crate) picture: Option<Picture>,
    /// Bytes behind the end of the picture.
    pub(crate) trailing: Option<Trailing>,
}

/// A reduced picture of the first frame and what was seen while it was made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    /// The picture in gray.
    pub(crate) raster: Raster,
    /// Transparency, where the format can have it.
    pub(crate) alpha: Option<AlphaFacts>,
    /// Whether a picture with colour channels has no colour in it; `None` where it was not looked at.
    pub(crate) colorless: Option<bool>,
    /// Whether the reader knows of detail that is too fine for the raster, so that a flat raster does not mean a blank picture.
    pub(crate) has_detail: bool,
}

impl Reading {
    /// A reading that could not be made here, for the reason given: no verdict is guessed.
    pub(crate) fn unknown(fault: Fault) -> Self {
        Self {
            pillow: Verdict::Unknown,
            pillow_lenient: Verdict::Unknown,
            opencv: Verdict::Unknown,
            strict: Strict::Unknown(fault),
            picture: None,
            trailing: None,
        }
    }
    /// The same with Pillow's refusal to open the file, which `LOAD_TRUNCATED_IMAGES` does not change.
    pub(crate) fn refused_by_pillow(self, refusal: Verdict) -> Self {
        Self { pillow_lenient: refusal.clone(), pillow: refusal, ..self }
    }
}
