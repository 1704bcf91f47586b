//! What `OneTrainer` does about what is the matter with a sample.

use super::super::consequence::{distorts, does, skips, trains};
use super::super::trainer::{Pickup, Trainer as _};
use super::OneTrainer;
use super::settings::{PromptSource, Settings};
use crate::model::{Condition, Consequence, Format, Outcome, Phase, SampleFacts};

/// What it does; `None` where it does what every trainer does that loads with Pillow.
pub(super) fn react(trainer: &OneTrainer, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
    let settings = &trainer.settings;
    if condition.is_of_caption() && settings.prompts != PromptSource::Sample {
        return Some(trains("prompts come from elsewhere, and text files beside pictures are not read"));
    }
    Some(match condition {
        // `LoadImage.py` 55-109: torchvision first, then Pillow; there is no way to go on without the picture.
        Condition::Unreadable
        | Condition::EmptyFile
        | Condition::NotAnImage
        | Condition::UnsupportedFormat
        | Condition::RefusedAtOpen
        | Condition::RefusedAtLoad => does(Outcome::Stop, image_phase(settings), NOT_LOADED),
        Condition::TooManyPixels => match facts.and_then(SampleFacts::format) {
            Some(Format::Jpeg | Format::Mpo | Format::Png | Format::WebP | Format::Gif) => {
                trains("torchvision decodes it, and has no limit of pixels; the whole picture is held on the GPU")
            }
            _ => does(Outcome::Stop, image_phase(settings), NOT_LOADED),
        },

        Condition::ExtensionNotPickedUp => skips("it is not listed, and nothing is said"),
        Condition::ExtensionInOtherCase => trains("extensions are compared in small letters, so it is taken"),
        Condition::ExtensionMismatch => trains("both decoders go by the content"),
        Condition::SharedStem => trains("each is trained on with the same caption; caches are numbered, not named"),
        Condition::Hidden => hidden(trainer, facts),
        Condition::SystemFile => match facts {
            Some(facts) if trainer.picks_up(&facts.sample.path) != Pickup::Taken => skips("it is not listed"),
            _ => does(
                Outcome::Stop,
                image_phase(settings),
                "`._x.jpg` is listed as an image, cannot be loaded, and ends the run; files without an image's extension are not listed",
            ),
        },
        Condition::JunkFolder if !settings.include_subfolders => skips("subfolders are not read unless include_subdirectories is on"),
        Condition::JunkFolder => match facts {
            Some(facts) if trainer.picks_up(&facts.sample.path) == Pickup::Taken => {
                distorts("only folders whose name begins with a dot are left out, so what lies in this one is trained on")
            }
            _ => skips("folders whose name begins with a dot are left out; what lies in others is trained on"),
        },

        Condition::Rotated if facts.and_then(SampleFacts::format) == Some(Format::WebP) => {
            distorts("the orientation of WebP is not applied, so it is trained on as stored")
        }
        Condition::Rotated => trains("the orientation is applied, so it is trained on as seen; only that of WebP is not"),
        Condition::DeepGray | Condition::DeepColor => match facts.and_then(SampleFacts::format) {
            // torchvision returns 16 bits and the trainer divides by 255: 65535 becomes 257, and infinite in half precision.
            None | Some(Format::Png) => does(
                Outcome::Distort,
                image_phase(settings),
                "all 16 bits are kept and divided by 255, so values reach 257 instead of 1, or infinity in half precision; latents saturate",
            ),
            Some(_) => return None,
        },

        // `LoadMultipleTexts.py` 25-50.
        Condition::CaptionMissing => distorts("there is no caption file, and nothing is said; it is trained on with an empty prompt"),
        Condition::CaptionEmpty | Condition::CaptionBlank => distorts("it is trained on with an empty prompt, and nothing is said"),
        Condition::CaptionNotUtf8 => does(
            Outcome::Stop,
            text_phase(settings),
            "`RuntimeError` names the caption file as containing non-UTF-8 characters and ends the run",
        ),
        Condition::CaptionUnreadable => does(Outcome::Stop, text_phase(settings), "opening the caption raises, and that ends the run"),
        Condition::CaptionMarked => distorts("the byte order mark stays at the beginning of the first line"),
        Condition::CaptionMultiLine => distorts(one_of_lines(settings, facts)),
        Condition::CaptionTooLong => distorts("what is beyond the text encoder's limit is cut off, and nothing is said"),

        _ => return None,
    })
}

const NOT_LOADED: &str = "`could not load image, it might be corrupted` is printed with its path, and the run ends";

fn image_phase(settings: &Settings) -> Phase {
    if settings.image_caching { Phase::Caching } else { Phase::Training }
}

fn text_phase(settings: &Settings) -> Phase {
    if settings.text_caching { Phase::Caching } else { Phase::Training }
}

fn hidden(trainer: &OneTrainer, facts: Option<&SampleFacts>) -> Consequence {
    match facts.map(|facts| trainer.picks_up(&facts.sample.path)) {
        Some(Pickup::PassedOver(why)) => skips(why),
        Some(Pickup::Taken) | None => trains("files whose name begins with a dot are taken like any other"),
    }
}

/// `SelectRandomText.py` 23-30: a line is drawn by variation and index, so that with cached texts the draw is made once for each variation.
fn one_of_lines(settings: &Settings, facts: Option<&SampleFacts>) -> String {
    let lines = facts.and_then(|facts| facts.caption.read()).map(|caption| caption.lines);
    let lines = lines.map_or_else(|| "its lines".to_owned(), |lines| format!("its {lines} lines"));
    match (settings.text_caching, settings.text_variations) {
        (true, 0 | 1) => format!("one of {lines} is drawn for the whole run, and the others are never trained on"),
        (true, variations) => format!("one of {lines} is drawn for each of {variations} text variations, and only those are trained on"),
        (false, _) => format!("one of {lines} is drawn in each pass"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::{apply, picture};
    use super::*;
    use crate::model::{Mode, Size};

    fn with(pairs: &[(&str, toml::Value)]) -> OneTrainer {
        let mut settings = Settings::new();
        apply(pairs, |setting| settings.set(setting));
        OneTrainer { settings, files: None }
    }

    fn outcome(trainer: &OneTrainer, condition: Condition, facts: Option<&SampleFacts>) -> (Outcome, Phase) {
        let consequence = react(trainer, condition, facts).expect("it says what it does");
        (consequence.outcome, consequence.phase)
    }

    #[test]
    fn a_broken_file_ends_the_run() {
        for condition in [Condition::EmptyFile, Condition::NotAnImage, Condition::RefusedAtLoad, Condition::CaptionNotUtf8] {
            assert_eq!(outcome(&with(&[]), condition, None), (Outcome::Stop, Phase::Caching), "{condition:?}");
            let uncached = with(&[("latent_caching", false.into())]);
            assert_eq!(outcome(&uncached, condition, None), (Outcome::Stop, Phase::Training), "{condition:?}");
        }
    }

    #[test]
    fn the_limit_of_pixels_is_that_of_pillow_only() {
        let facts = |format| picture("a.jpg", format, Mode::Rgb, Size::new(20_000, 20_000));
        assert_eq!(outcome(&with(&[]), Condition::TooManyPixels, Some(&facts(Format::Jpeg))).0, Outcome::Train);
        assert_eq!(outcome(&with(&[]), Condition::TooManyPixels, Some(&facts(Format::Tiff))).0, Outcome::Stop);
    }

    #[test]
    fn sixteen_bits_are_kept_of_png_only() {
        let facts = |format| picture("a.png", format, Mode::I16, Size::new(64, 64));
        assert_eq!(outcome(&with(&[]), Condition::DeepGray, Some(&facts(Format::Png))), (Outcome::Distort, Phase::Caching));
        assert_eq!(react(&with(&[]), Condition::DeepGray, Some(&facts(Format::Tiff))), None);
    }

    #[test]
    fn companions_of_macos_end_the_run_and_other_system_files_do_not() {
        let facts = |path| picture(path, Format::Jpeg, Mode::Rgb, Size::new(64, 64));
        assert_eq!(outcome(&with(&[]), Condition::SystemFile, Some(&facts("._a.jpg"))), (Outcome::Stop, Phase::Caching));
        assert_eq!(outcome(&with(&[]), Condition::SystemFile, Some(&facts("Thumbs.db"))).0, Outcome::Skip);
        assert_eq!(outcome(&with(&[]), Condition::Hidden, Some(&facts(".a.jpg"))).0, Outcome::Train);
    }

    #[test]
    fn one_line_of_several_is_trained_on() {
        let text = |trainer: &OneTrainer| react(trainer, Condition::CaptionMultiLine, None).expect("it says what it does").text;
        assert_eq!(text(&with(&[])), "one of its lines is drawn for the whole run, and the others are never trained on");
        assert_eq!(text(&with(&[("latent_caching", false.into())])), "one of its lines is drawn in each pass");
    }

    #[test]
    fn captions_that_are_not_read_do_no_harm() {
        let trainer = with(&[("prompt_source", "filename".into())]);
        assert_eq!(outcome(&trainer, Condition::CaptionNotUtf8, None), (Outcome::Train, Phase::Training));
    }
}
