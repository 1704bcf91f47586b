//! What musubi-tuner does about what is the matter with a sample.
//!
//! Pictures and captions are read by threads of the caching programs, and whatever they raise ends those; what was cached stays
//! (`src/musubi_tuner/dataset/datasources.py` 214-247, `src/musubi_tuner/dataset/image_video_dataset.py` 362-500).

use super::super::consequence::{distorts, does, skips, trains};
use super::settings::Settings;
use crate::model::{Condition, Consequence, Mode, Outcome, Phase, SampleFacts};

/// What it does about a condition.
pub(super) fn react(settings: &Settings, condition: Condition, facts: Option<&SampleFacts>) -> Consequence {
    match condition {
        Condition::Unreadable => stops("the file cannot be opened, and the error ends the caching"),
        Condition::EmptyFile | Condition::NotAnImage | Condition::UnsupportedFormat => stops("`UnidentifiedImageError` ends the caching"),
        Condition::RefusedAtOpen | Condition::RefusedAtLoad => match facts.and_then(|facts| facts.decoded.pillow.refusal()) {
            Some(refusal) => stops(format!("`{}` ends the caching", refusal.class)),
            None => stops("the error ends the caching"),
        },
        Condition::TooManyPixels => stops("`DecompressionBombError` ends the caching"),
        Condition::DamagedButLoads => distorts("it loads without a word, and the lost part is trained on as it comes out"),

        Condition::ExtensionNotPickedUp | Condition::SystemFile => skips("it is not listed, and nothing is said"),
        Condition::ExtensionInOtherCase => {
            skips("extensions are listed all in small letters or all in capitals, and nothing is said of others")
        }
        Condition::ExtensionMismatch => trains("the content decides, whatever the name says"),
        Condition::SharedStem => {
            distorts("both have the same caption and text cache, and if their sizes are equal one is trained on in place of the other")
        }
        Condition::Hidden => skips("names that begin with a dot are not listed, and nothing is said"),
        Condition::JunkFolder => skips("the folder is not entered, and nothing is said"),

        Condition::Rotated => distorts("EXIF is not read, so it is trained on as stored"),
        Condition::Transparent => transparent(settings, facts),
        Condition::DeepGray => distorts("values above 255 are clipped, so nearly all of it becomes white"),
        Condition::DeepColor => trains("of each channel the high byte is kept"),
        Condition::Cmyk => distorts("it is converted without its colour profile, so colours shift"),
        Condition::Animated => distorts("only the first frame is trained on"),

        Condition::CaptionMissing => skips("pictures without a caption file are left out, and nothing but their number says so"),
        Condition::CaptionEmpty => trains("it is trained on with an empty caption"),
        Condition::CaptionBlank => trains("white space is stripped, so it is trained on with an empty caption"),
        Condition::CaptionNotUtf8 => stops("`UnicodeDecodeError` ends the caching"),
        Condition::CaptionMarked => distorts("the byte order mark stays at the beginning of the caption"),
        Condition::CaptionMultiLine => trains("the whole text is the caption, line ends included"),
        Condition::CaptionTooLong => too_long(settings, facts),
        Condition::CaptionUnreadable => stops("the caption is there and cannot be opened, and the error ends the caching"),
    }
}

fn stops(text: impl Into<String>) -> Consequence {
    does(Outcome::Stop, Phase::Caching, text)
}

/// Alpha is dropped before the VAE, but for Qwen-Image-Layered; modes other than RGBA have lost it before
/// (`src/musubi_tuner/dataset/datasources.py` 214-247).
fn transparent(settings: &Settings, facts: Option<&SampleFacts>) -> Consequence {
    let mode = facts.and_then(|facts| facts.probe.as_ref().ok()).and_then(|probe| probe.mode);
    if settings.supports_alpha && mode == Some(Mode::Rgba) {
        trains("the model takes the alpha channel")
    } else {
        distorts("alpha is dropped, and the colours that it hides are trained on")
    }
}

/// The main text encoder takes more than CLIP does, and CLIP's own count of tokens is near enough to say when it is too much.
fn too_long(settings: &Settings, facts: Option<&SampleFacts>) -> Consequence {
    let tokens = facts.and_then(|facts| facts.caption.read()).and_then(|caption| caption.clip_tokens);
    match (settings.max_tokens, tokens) {
        (Some(limit), Some(tokens)) if tokens > limit => {
            distorts(format!("what is beyond {limit} tokens of the text encoder is cut off, and nothing is said"))
        }
        (Some(limit), _) => trains(format!("its text encoder takes {limit} tokens")),
        (None, _) => trains("its text encoders take 256 tokens or more"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::picture;
    use super::*;
    use crate::model::{Format, Size, Verdict};
    use crate::trainers::Setting;

    fn of(architecture: Option<&str>, condition: Condition, facts: &SampleFacts) -> Consequence {
        let mut settings = Settings::default();
        if let Some(architecture) = architecture {
            settings.set(&Setting::new("architecture", &architecture.into())).expect("the setting is valid");
        }
        react(&settings, condition, Some(facts))
    }

    fn png(mode: Mode) -> SampleFacts {
        picture("a.png", Format::Png, mode, Size::new(640, 480))
    }

    #[test]
    fn whatever_cannot_be_read_ends_the_caching() {
        for condition in [
            Condition::Unreadable,
            Condition::EmptyFile,
            Condition::NotAnImage,
            Condition::UnsupportedFormat,
            Condition::RefusedAtOpen,
            Condition::RefusedAtLoad,
            Condition::TooManyPixels,
            Condition::CaptionNotUtf8,
            Condition::CaptionUnreadable,
        ] {
            let consequence = of(None, condition, &png(Mode::Rgb));
            assert_eq!((consequence.outcome, consequence.phase), (Outcome::Stop, Phase::Caching), "{condition:?}");
        }
        let mut facts = png(Mode::Rgb);
        facts.decoded.pillow = Verdict::refuses_load("OSError", "image file is truncated");
        assert_eq!(of(None, Condition::RefusedAtLoad, &facts).text, "`OSError` ends the caching");
    }

    #[test]
    fn pictures_without_captions_are_left_out_and_empty_captions_are_captions() {
        let outcome = |condition| of(None, condition, &png(Mode::Rgb)).outcome;
        assert_eq!(outcome(Condition::CaptionMissing), Outcome::Skip);
        for condition in [Condition::CaptionEmpty, Condition::CaptionBlank, Condition::CaptionMultiLine, Condition::ExtensionMismatch] {
            assert_eq!(outcome(condition), Outcome::Train, "{condition:?}");
        }
        for condition in [Condition::CaptionMarked, Condition::SharedStem, Condition::Rotated, Condition::DeepGray, Condition::Animated] {
            assert_eq!(outcome(condition), Outcome::Distort, "{condition:?}");
        }
        for condition in [Condition::ExtensionNotPickedUp, Condition::ExtensionInOtherCase, Condition::Hidden, Condition::JunkFolder] {
            assert_eq!(outcome(condition), Outcome::Skip, "{condition:?}");
        }
    }

    #[test]
    fn one_model_takes_alpha() {
        assert_eq!(of(Some("qil"), Condition::Transparent, &png(Mode::Rgba)).outcome, Outcome::Train);
        assert_eq!(of(Some("qil"), Condition::Transparent, &png(Mode::P)).outcome, Outcome::Distort);
        assert_eq!(of(Some("qi"), Condition::Transparent, &png(Mode::Rgba)).outcome, Outcome::Distort);
    }

    #[test]
    fn captions_too_long_for_clip_are_not_too_long_here() {
        let consequence = of(Some("wan"), Condition::CaptionTooLong, &png(Mode::Rgb));
        assert_eq!((consequence.outcome, consequence.text.as_str()), (Outcome::Train, "its text encoder takes 512 tokens"));
    }
}
