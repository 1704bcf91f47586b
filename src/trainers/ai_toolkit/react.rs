//! What ai-toolkit does about what is the matter with a sample.

use super::super::consequence::{distorts, does, skips, trains};
use super::settings::Settings;
use crate::model::{Condition, Consequence, Outcome, Phase, SampleFacts};

/// What it does; `None` where it does what every trainer does that loads with Pillow.
pub(super) fn react(settings: &Settings, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
    Some(match condition {
        // `toolkit/data_loader.py` 549-556: whatever an image raises while its size is read.
        Condition::Unreadable | Condition::EmptyFile | Condition::NotAnImage | Condition::UnsupportedFormat | Condition::RefusedAtOpen => {
            skips(LEFT_OUT)
        }
        Condition::RefusedAtLoad | Condition::TooManyPixels => match facts {
            Some(facts) if settings.fast_image_size && facts.probe.as_ref().is_ok_and(super::is_read_fast) => fails_later(settings),
            _ => skips(LEFT_OUT),
        },

        Condition::ExtensionNotPickedUp => skips("it is not listed, and nothing is said"),
        Condition::ExtensionInOtherCase => trains("extensions are compared in small letters, so it is taken"),
        Condition::ExtensionMismatch => trains("Pillow goes by the content"),
        Condition::SharedStem => trains("each is trained on with the same caption; their latents have names of their own"),
        Condition::Hidden => skips("what begins with a dot is not listed, and nothing is said"),
        Condition::SystemFile => skips("it is not listed"),
        Condition::JunkFolder => match facts {
            Some(facts) if !facts.sample.path.as_str().split('/').any(|part| part.starts_with('.')) => {
                distorts("only folders whose name begins with a dot are left out, so what lies in this one is trained on")
            }
            _ => skips("folders whose name begins with a dot are left out; what lies in others is trained on"),
        },

        Condition::Rotated => rotated(settings, facts),
        Condition::Transparent if settings.alpha_mask => trains("the alpha channel is taken as the mask of the loss"),
        Condition::Transparent => distorts("alpha is dropped, and the colours it hides are trained on"),
        // `convert('RGB')` of Pillow, run on a ramp: 99.6 % of the pixels become white.
        Condition::DeepGray => distorts("every value above 255 is clipped, so nearly the whole picture becomes white"),

        // `toolkit/dataloader_mixins.py` 345-363.
        Condition::CaptionMissing => without_caption(settings, "there is no caption file, and nothing is said"),
        Condition::CaptionEmpty => without_caption(settings, "the caption file is empty"),
        Condition::CaptionBlank if settings.default_caption.is_none() => distorts("the caption is used as it is, white space and all"),
        Condition::CaptionBlank => without_caption(settings, "the caption is blank"),
        Condition::CaptionNotUtf8 => caption_stops(settings, "`UnicodeDecodeError` ends the run"),
        Condition::CaptionUnreadable => caption_stops(settings, "opening the caption raises, and that ends the run"),
        Condition::CaptionMarked => distorts("the byte order mark stays in the caption as U+FEFF"),
        Condition::CaptionMultiLine => trains("all lines are one caption, line ends included"),
        Condition::CaptionTooLong => distorts("what is beyond the text encoder's limit is cut off, and nothing is said"),

        _ => return None,
    })
}

const LEFT_OUT: &str = "a traceback and `Error processing image` are printed, the file is left out, and the run goes on";

/// A file whose size the header told, and whose pixels cannot be had (`toolkit/dataloader_mixins.py` 894-909).
fn fails_later(settings: &Settings) -> Consequence {
    if settings.caches_latents() {
        // `toolkit/dataloader_mixins.py` 1942-1945.
        does(Outcome::Stop, Phase::Caching, "only its header is read at first, and the run ends while latents are cached")
    } else {
        // `toolkit/data_loader.py` 633-655: up to ten tries.
        does(
            Outcome::Replace,
            Phase::Training,
            "only its header is read at first, and a random sample of its bucket takes its place in each batch",
        )
    }
}

/// `exif_transpose` when the size is read and when the picture is loaded (`toolkit/data_transfer_object/data_loader.py` 157-159,
/// `toolkit/dataloader_mixins.py` 894-939); the reader of headers knows no EXIF.
fn rotated(settings: &Settings, facts: Option<&SampleFacts>) -> Consequence {
    let from_header =
        facts.and_then(|facts| facts.probe.as_ref().ok()).filter(|probe| settings.fast_image_size && super::is_read_fast(probe));
    match from_header {
        Some(probe) if probe.oriented_size() != probe.size => {
            distorts("its bucket is chosen for the picture as stored, and the turned picture is stretched into it")
        }
        _ => trains("the orientation is applied, so it is trained on as seen"),
    }
}

fn without_caption(settings: &Settings, why: &str) -> Consequence {
    let caption = match (&settings.default_caption, settings.trigger_word && !settings.is_regularisation) {
        (Some(_), _) => "`default_caption`",
        (None, true) => "the trigger word alone",
        (None, false) => "an empty caption",
    };
    distorts(format!("{why}; it is trained on with {caption}"))
}

/// Captions are read while the dataset is built if text embeddings are cached (`toolkit/dataloader_mixins.py` 2284-2289), and else when
/// the item is drawn for the first time (`toolkit/data_loader.py` 656).
fn caption_stops(settings: &Settings, what: &str) -> Consequence {
    if settings.cache_text_embeddings {
        does(Outcome::Stop, Phase::DatasetScan, format!("{what} while text embeddings are cached"))
    } else {
        does(Outcome::Stop, Phase::Training, format!("{what} when the sample is drawn for the first time"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::{apply, picture};
    use super::*;
    use crate::model::{Format, Mode, Orientation, Size};

    fn with(pairs: &[(&str, toml::Value)]) -> Settings {
        let mut settings = Settings::new(false);
        apply(pairs, |setting| settings.set(setting));
        settings
    }

    fn outcome(settings: &Settings, condition: Condition, facts: Option<&SampleFacts>) -> (Outcome, Phase) {
        let consequence = react(settings, condition, facts).expect("it says what it does");
        (consequence.outcome, consequence.phase)
    }

    #[test]
    fn broken_files_shrink_the_dataset() {
        for condition in [Condition::EmptyFile, Condition::RefusedAtLoad, Condition::TooManyPixels] {
            assert_eq!(outcome(&with(&[]), condition, None), (Outcome::Skip, Phase::DatasetScan));
        }
    }

    #[test]
    fn reading_headers_only_puts_the_failure_off() {
        let facts = picture("a.jpg", Format::Jpeg, Mode::Rgb, Size::new(400, 300));
        let fast = with(&[("fast_image_size", true.into())]);
        assert_eq!(outcome(&fast, Condition::RefusedAtLoad, Some(&facts)), (Outcome::Replace, Phase::Training));
        let cached = with(&[("fast_image_size", true.into()), ("cache_latents_to_disk", true.into())]);
        assert_eq!(outcome(&cached, Condition::RefusedAtLoad, Some(&facts)), (Outcome::Stop, Phase::Caching));
        let webp = picture("a.webp", Format::WebP, Mode::Rgb, Size::new(400, 300));
        assert_eq!(outcome(&cached, Condition::RefusedAtLoad, Some(&webp)), (Outcome::Skip, Phase::DatasetScan));
    }

    #[test]
    fn only_a_turn_that_swaps_sides_hurts_a_size_from_the_header() {
        let mut facts = picture("a.jpg", Format::Jpeg, Mode::Rgb, Size::new(400, 300));
        let fast = with(&[("fast_image_size", true.into())]);
        for (orientation, expected) in [(3, Outcome::Train), (6, Outcome::Distort)] {
            facts.probe.as_mut().expect("it has a header").orientation = Orientation::new(orientation);
            assert_eq!(outcome(&fast, Condition::Rotated, Some(&facts)).0, expected);
            assert_eq!(outcome(&with(&[]), Condition::Rotated, Some(&facts)).0, Outcome::Train);
        }
    }

    #[test]
    fn a_bad_caption_ends_the_run_early_or_late() {
        assert_eq!(outcome(&with(&[]), Condition::CaptionNotUtf8, None), (Outcome::Stop, Phase::Training));
        let cached = with(&[("cache_text_embeddings", true.into())]);
        assert_eq!(outcome(&cached, Condition::CaptionNotUtf8, None), (Outcome::Stop, Phase::DatasetScan));
    }

    #[test]
    fn a_missing_caption_is_replaced_in_silence() {
        let text = |settings: &Settings| react(settings, Condition::CaptionMissing, None).expect("it says what it does").text;
        assert_eq!(text(&with(&[])), "there is no caption file, and nothing is said; it is trained on with an empty caption");
        assert!(text(&with(&[("default_caption", "a cat".into())])).ends_with("`default_caption`"));
        assert!(text(&with(&[("trigger_word", "ohwx".into())])).ends_with("the trigger word alone"));
    }
}
