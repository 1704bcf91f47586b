//! What the diffusers examples do about what is the matter with a sample.

use super::super::consequence::{distorts, does, skips, trains};
use super::super::trainer::Pickup;
use super::imagefolder;
use crate::model::{Condition, Consequence, Outcome, Phase, SampleFacts};

/// The `DreamBooth` scripts: every entry of the folder is opened and loaded before the first step
/// (`examples/dreambooth/train_dreambooth_lora_flux.py` 802-839).
pub(super) fn dreambooth(condition: Condition) -> Option<Consequence> {
    let stops = |text: &str| does(Outcome::Stop, Phase::DatasetScan, text);
    Some(match condition {
        Condition::Unreadable => stops("the error of opening it ends the run"),
        Condition::EmptyFile | Condition::NotAnImage | Condition::UnsupportedFormat => {
            stops("`UnidentifiedImageError` ends the run while the folder is opened")
        }
        Condition::RefusedAtOpen => stops("what Pillow raises ends the run while the folder is opened"),
        Condition::RefusedAtLoad => stops("what Pillow raises ends the run, for all pixels are loaded before the first step"),
        Condition::TooManyPixels => stops("`DecompressionBombError` ends the run while the folder is opened"),
        Condition::SystemFile => stops("every entry of the folder is opened, so it is taken for an image that cannot be identified"),
        Condition::JunkFolder => stops("every entry of the folder is opened, and a folder raises `IsADirectoryError`"),

        Condition::ExtensionNotPickedUp | Condition::ExtensionInOtherCase => trains("extensions are not looked at"),
        Condition::ExtensionMismatch => trains("Pillow goes by the content"),
        Condition::SharedStem => trains("both are trained on; names are not looked at"),
        Condition::Hidden => trains("hidden files are opened as any other"),

        Condition::Rotated => trains("the orientation is applied, so it is trained on as seen"),
        Condition::Transparent => distorts("alpha is dropped, and the colours it hides are trained on"),
        Condition::DeepGray => distorts(CLIPPED),

        Condition::CaptionMissing
        | Condition::CaptionEmpty
        | Condition::CaptionBlank
        | Condition::CaptionNotUtf8
        | Condition::CaptionMarked
        | Condition::CaptionMultiLine
        | Condition::CaptionTooLong
        | Condition::CaptionUnreadable => trains("caption files are not read; every picture has the instance prompt"),

        _ => return None,
    })
}

const CLIPPED: &str = "every value above 255 is clipped, so nearly the whole picture becomes white";

/// The `text_to_image` scripts: files are listed by name, and opened when a batch asks for them
/// (datasets `features/image.py` 139-198).
pub(super) fn text_to_image(condition: Condition, facts: Option<&SampleFacts>, has_metadata: Option<bool>) -> Option<Consequence> {
    let stops = |text: &str| does(Outcome::Stop, Phase::Training, text);
    let is_taken = facts.is_some_and(|facts| imagefolder::picks_up(&facts.sample.path) == Pickup::Taken);
    Some(match condition {
        Condition::Unreadable => stops("the error of opening it ends the run in the first pass"),
        Condition::EmptyFile | Condition::NotAnImage | Condition::UnsupportedFormat => {
            stops("`UnidentifiedImageError` ends the run when a batch first holds it")
        }
        Condition::RefusedAtOpen | Condition::RefusedAtLoad => stops("what Pillow raises ends the run when a batch first holds it"),
        Condition::TooManyPixels => stops("`DecompressionBombError` ends the run when a batch first holds it"),

        Condition::ExtensionNotPickedUp => skips("it is not listed, and nothing is said"),
        Condition::ExtensionInOtherCase => trains("extensions are compared in small letters, so it is taken"),
        Condition::ExtensionMismatch => trains("Pillow goes by the content"),
        Condition::SharedStem => trains("both are taken; stems mean nothing"),
        Condition::Hidden | Condition::SystemFile => skips("hidden files and files without an image's extension are not listed"),
        Condition::JunkFolder if is_taken => {
            distorts("only hidden folders and those with two underscores are left out, so it is trained on")
        }
        Condition::JunkFolder => skips("hidden folders and those whose name begins with two underscores are not listed"),

        Condition::Rotated => trains("the orientation is applied, so it is trained on as seen"),
        Condition::Transparent => distorts("alpha is dropped, and the colours it hides are trained on"),
        Condition::DeepGray => distorts(CLIPPED),

        // `examples/text_to_image/train_text_to_image_lora.py` 630-664.
        Condition::CaptionMissing if has_metadata == Some(false) => does(
            Outcome::Stop,
            Phase::DatasetScan,
            "captions are the `text` column of a metadata file, and without that `ValueError` names `--caption_column`",
        ),
        Condition::CaptionMissing
        | Condition::CaptionEmpty
        | Condition::CaptionBlank
        | Condition::CaptionNotUtf8
        | Condition::CaptionMarked
        | Condition::CaptionMultiLine
        | Condition::CaptionUnreadable => trains("caption files are not read; its caption is in its row of the metadata file"),
        Condition::CaptionTooLong => trains("caption files are not read; of a metadata row's text what is beyond 77 tokens is cut off"),

        _ => return None,
    })
}
