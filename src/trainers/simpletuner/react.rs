//! What `SimpleTuner` does about what is the matter with a sample.

use super::super::consequence::{distorts, does, skips, trains};
use super::super::trainer::{Pickup, Trainer as _};
use super::settings::{Captions, Settings};
use super::{SimpleTuner, is_decoded_first};
use crate::model::{CaptionFacts, Condition, Consequence, Mode, Outcome, Phase, SampleFacts};

/// What it does; `None` where it does what every trainer does that loads with Pillow.
pub(super) fn react(trainer: &SimpleTuner, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
    let settings = &trainer.settings;
    Some(match condition {
        Condition::TooManyPixels if facts.and_then(SampleFacts::format).is_some_and(is_decoded_first) => {
            trains("the decoder that is tried before Pillow has no limit of pixels")
        }
        // `metadata/backends/discovery.py` 546-556: whatever a file raises while it is scanned.
        Condition::Unreadable
        | Condition::EmptyFile
        | Condition::NotAnImage
        | Condition::UnsupportedFormat
        | Condition::RefusedAtOpen
        | Condition::RefusedAtLoad
        | Condition::TooManyPixels => left_out(settings),

        Condition::ExtensionNotPickedUp => skips("it is not listed, and nothing is said"),
        Condition::ExtensionInOtherCase => trains("extensions are compared in small letters, so it is taken"),
        Condition::ExtensionMismatch => trains("decoders go by the content"),
        // `caching/vae.py` 678-703: the name is made of the stem alone.
        Condition::SharedStem => does(
            Outcome::Distort,
            Phase::Caching,
            "images of one stem share one latent file and one caption, so all but one of them are trained on as that one",
        ),
        Condition::Hidden => trains("files and folders whose name begins with a dot are taken like any other"),
        Condition::SystemFile => system_file(trainer, facts),
        Condition::JunkFolder => match facts {
            Some(facts) if trainer.picks_up(&facts.sample.path) != Pickup::Taken => skips("the folder is not entered"),
            _ => distorts("but for `.ipynb_checkpoints` and five folders of systems, what lies in such a folder is trained on"),
        },

        Condition::Rotated if facts.and_then(SampleFacts::format).is_none_or(is_decoded_first) => {
            distorts("EXIF is lost while it is decoded, so it is trained on as stored")
        }
        Condition::Rotated => trains("Pillow decodes this format, and the orientation is applied"),
        Condition::Transparent if mode(facts) == Some(Mode::La) => does(
            Outcome::Distort,
            Phase::Caching,
            "gray with alpha is passed over while latents are cached, so that the images behind it in its batch are stored under the wrong names",
        ),
        Condition::DeepGray | Condition::DeepColor => trains("16 bits are scaled to 8"),

        _ => return caption(settings, condition),
    })
}

/// Captions (`prompts.py` 379-432, 740-847).
fn caption(settings: &Settings, condition: Condition) -> Option<Consequence> {
    if !condition.is_of_caption() {
        return None;
    }
    let elsewhere = match settings.captions {
        Captions::Textfile => None,
        Captions::Filename => {
            Some("the caption is the name of the file, `_` read as a space; text files are read with caption_strategy textfile")
        }
        Captions::InstancePrompt => Some("the caption is instance_prompt, and text files are not read"),
        Captions::Elsewhere => Some("captions come from a table, and text files are not read"),
    };
    if let Some(text) = elsewhere {
        return Some(trains(text));
    }
    Some(match condition {
        Condition::CaptionMissing => missing_caption(),
        Condition::CaptionEmpty => distorts("it is trained on without a caption"),
        Condition::CaptionBlank => distorts("the caption is the white space that is there"),
        Condition::CaptionNotUtf8 | Condition::CaptionUnreadable => {
            distorts("`Could not read caption file` is logged, the caption is lost, and it is trained on without one")
        }
        Condition::CaptionMarked => distorts("the byte order mark stays at the beginning of the caption"),
        Condition::CaptionMultiLine if settings.keeps_lines_together => trains("all lines are one caption, line ends included"),
        Condition::CaptionMultiLine => distorts("each line is a caption of its own, and one is drawn each time"),
        _ => distorts("what is beyond the text encoder's limit is cut off, and nothing is said"),
    })
}

fn missing_caption() -> Consequence {
    does(Outcome::Stop, Phase::DatasetScan, "`FileNotFoundError: Caption file ... not found` ends the run while captions are collected")
}

/// A file that cannot be decoded. With text files as captions the run still ends where it has none, for those are read for every file
/// that is listed.
fn left_out(settings: &Settings) -> Consequence {
    skips(if settings.deletes_problematic {
        "`Error processing image` is logged, the file is left out of all buckets, and delete_problematic_images deletes it"
    } else {
        "`Error processing image` is logged, and the file is left out of all buckets"
    })
}

fn system_file(trainer: &SimpleTuner, facts: Option<&SampleFacts>) -> Consequence {
    match facts {
        Some(facts) if trainer.picks_up(&facts.sample.path) != Pickup::Taken => skips("it is not listed"),
        Some(facts) if trainer.settings.captions == Captions::Textfile && facts.caption == CaptionFacts::Missing => missing_caption(),
        _ => left_out(&trainer.settings),
    }
}

fn mode(facts: Option<&SampleFacts>) -> Option<Mode> {
    facts?.probe.as_ref().ok()?.mode
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::{apply, picture};
    use super::*;
    use crate::model::{Format, Size};

    fn with(pairs: &[(&str, toml::Value)]) -> SimpleTuner {
        let mut settings = Settings::new();
        apply(pairs, |setting| settings.set(setting));
        SimpleTuner { settings }
    }

    fn outcome(trainer: &SimpleTuner, condition: Condition, facts: Option<&SampleFacts>) -> (Outcome, Phase) {
        let consequence = react(trainer, condition, facts).expect("it says what it does");
        (consequence.outcome, consequence.phase)
    }

    #[test]
    fn a_broken_file_is_left_out_and_may_be_deleted() {
        let text = |trainer: &SimpleTuner| react(trainer, Condition::RefusedAtLoad, None).expect("it says what it does").text;
        assert_eq!(outcome(&with(&[]), Condition::EmptyFile, None), (Outcome::Skip, Phase::DatasetScan));
        assert!(!text(&with(&[])).contains("deletes"));
        assert!(text(&with(&[("delete_problematic_images", true.into())])).contains("deletes it"));
    }

    #[test]
    fn a_missing_caption_stops_only_where_text_files_are_read() {
        assert_eq!(outcome(&with(&[]), Condition::CaptionMissing, None), (Outcome::Train, Phase::Training));
        let textfile = with(&[("caption_strategy", "textfile".into())]);
        assert_eq!(outcome(&textfile, Condition::CaptionMissing, None), (Outcome::Stop, Phase::DatasetScan));
        assert_eq!(outcome(&textfile, Condition::CaptionNotUtf8, None), (Outcome::Distort, Phase::Training));
        let companion = picture("._a.jpg", Format::Jpeg, Mode::Rgb, Size::new(8, 8));
        assert_eq!(outcome(&textfile, Condition::SystemFile, Some(&companion)), (Outcome::Stop, Phase::DatasetScan));
        assert_eq!(outcome(&with(&[]), Condition::SystemFile, Some(&companion)), (Outcome::Skip, Phase::DatasetScan));
    }

    #[test]
    fn lines_are_captions_unless_they_are_kept_together() {
        let split = with(&[("caption_strategy", "textfile".into())]);
        assert_eq!(outcome(&split, Condition::CaptionMultiLine, None).0, Outcome::Distort);
        let whole = with(&[("caption_strategy", "textfile".into()), ("disable_multiline_split", true.into())]);
        assert_eq!(outcome(&whole, Condition::CaptionMultiLine, None).0, Outcome::Train);
    }

    #[test]
    fn gray_with_alpha_shifts_latents_and_other_alpha_is_dropped() {
        let facts = |mode| picture("a.png", Format::Png, mode, Size::new(64, 64));
        assert_eq!(outcome(&with(&[]), Condition::Transparent, Some(&facts(Mode::La))), (Outcome::Distort, Phase::Caching));
        assert_eq!(react(&with(&[]), Condition::Transparent, Some(&facts(Mode::Rgba))), None);
    }

    #[test]
    fn orientation_is_lost_but_for_what_pillow_decodes() {
        let facts = |format| picture("a.jpg", format, Mode::Rgb, Size::new(64, 64));
        for (format, expected) in [(Format::Jpeg, Outcome::Distort), (Format::WebP, Outcome::Distort), (Format::Avif, Outcome::Train)] {
            assert_eq!(outcome(&with(&[]), Condition::Rotated, Some(&facts(format))).0, expected, "{format}");
        }
    }
}
