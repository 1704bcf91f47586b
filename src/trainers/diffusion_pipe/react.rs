//! What diffusion-pipe does about what is the matter with a sample.

use super::super::consequence::{distorts, does, skips, trains};
use super::settings::Settings;
use crate::model::{Condition, Consequence, Outcome, Phase, SampleFacts};

/// What it does; `None` where it does what every trainer does that loads with Pillow.
pub(super) fn react(settings: &Settings, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
    Some(match condition {
        // `utils/dataset.py`, `_metadata_map_fn`: whatever opening raises.
        Condition::Unreadable
        | Condition::EmptyFile
        | Condition::NotAnImage
        | Condition::UnsupportedFormat
        | Condition::RefusedAtOpen
        | Condition::TooManyPixels => skips("it is left out with the warning that it could not be opened"),
        Condition::RefusedAtLoad => does(
            Outcome::Stop,
            Phase::Caching,
            "only its header is read at first, and what Pillow raises ends the run while latents are cached",
        ),

        Condition::ExtensionNotPickedUp | Condition::ExtensionInOtherCase => {
            trains("every file is listed whose extension is not that of a caption, a cache or a table")
        }
        Condition::ExtensionMismatch => trains("Pillow goes by the content"),
        Condition::SharedStem => trains("both are trained on, with the same caption"),
        Condition::Hidden => trains("hidden files are listed as any other"),
        Condition::SystemFile => skips("it is listed, and left out with a warning: it has no caption, or cannot be opened"),
        Condition::JunkFolder => skips("sub-folders are not read"),

        Condition::Rotated => distorts("the orientation is not applied, so it is trained on as stored"),
        // `models/base.py` 41-55.
        Condition::Transparent => distorts("it is laid on white, which may not be the background that its caption tells of"),
        Condition::DeepGray => distorts("every value above 255 is clipped, so nearly the whole picture becomes white"),
        Condition::Animated if facts.is_some_and(|facts| facts.sample.path.extension() == "webp") => {
            does(Outcome::Stop, Phase::DatasetScan, "`NotImplementedError` says that WebP videos are not supported, and ends the run")
        }

        Condition::CaptionMissing if settings.skips_without_caption => skips("it is left out with the warning that it has no caption"),
        Condition::CaptionMissing => distorts("it is trained on with an empty caption, with a warning"),
        Condition::CaptionEmpty | Condition::CaptionBlank => distorts("it is trained on with an empty caption"),
        Condition::CaptionNotUtf8 => does(
            Outcome::Stop,
            Phase::DatasetScan,
            "the caption is read in the encoding of the system; where that is UTF-8, `UnicodeDecodeError` ends the run",
        ),
        Condition::CaptionUnreadable => does(Outcome::Stop, Phase::DatasetScan, "opening the caption raises, and that ends the run"),
        Condition::CaptionMarked => distorts("the byte order mark stays at the beginning of the caption"),
        Condition::CaptionMultiLine => trains("all lines are one caption, line ends included"),

        _ => return None,
    })
}
