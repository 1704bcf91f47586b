//! What sd-scripts does about what is the matter with a sample.
//!
//! Sizes are read while the dataset is made, before the model is loaded; pictures while latents are cached, or else in training. What
//! is raised there ends the run (`library/train_util.py` 1478-1492, 2948-2963).

use super::super::consequence::{distorts, does, skips, trains};
use super::Kohya;
use crate::model::{Caption, Condition, Consequence, Format, NamedAs, Outcome, Phase, SampleFacts};

/// What it does about a condition.
pub(super) fn react(trainer: &Kohya, condition: Condition, facts: Option<&SampleFacts>) -> Consequence {
    let settings = &trainer.settings;
    match condition {
        Condition::Unreadable => stops("the file cannot be opened to read its size, and the error ends the run"),
        Condition::EmptyFile | Condition::NotAnImage => stops(NO_SIZE),
        Condition::UnsupportedFormat => match facts.and_then(SampleFacts::format) {
            // The size reader knows SVG, Pillow does not.
            Some(Format::Svg) => refused(trainer, facts),
            _ => stops(NO_SIZE),
        },
        Condition::RefusedAtOpen => refused_at_open(trainer, facts),
        Condition::RefusedAtLoad => refused(trainer, facts),
        Condition::TooManyPixels if facts.and_then(SampleFacts::format).is_some_and(|format| !is_read_by_imagesize(format)) => {
            stops(NO_SIZE)
        }
        Condition::TooManyPixels => at_decoding(trainer, "`DecompressionBombError` ends the run, and no message names the file"),
        Condition::DamagedButLoads => distorts("it loads without a word, and the lost part is trained on as it comes out"),

        Condition::ExtensionNotPickedUp | Condition::SystemFile => skips("it is not listed, and nothing is said"),
        Condition::ExtensionInOtherCase => {
            skips("extensions are listed all in small letters or all in capitals, and nothing is said of others")
        }
        Condition::ExtensionMismatch => trains("the content decides, whatever the name says"),
        Condition::SharedStem if settings.cache_latents_to_disk => {
            distorts("both have the same caption, and if their sizes are equal one is trained on with the latents of the other")
        }
        Condition::SharedStem => trains("both are trained on with the same caption"),
        Condition::Hidden => skips("names that begin with a dot are not listed, and nothing is said"),
        Condition::JunkFolder => skips("the folder is not entered, and nothing is said"),

        Condition::Rotated => distorts("EXIF is not read, so it is trained on as stored"),
        Condition::Transparent if settings.alpha_mask => trains("alpha weighs the loss of each pixel"),
        Condition::Transparent => distorts("alpha is dropped, and the colours that it hides are trained on"),
        Condition::DeepGray => distorts("values above 255 are clipped, so nearly all of it becomes white"),
        Condition::DeepColor => trains("of each channel the high byte is kept"),
        Condition::Cmyk => distorts("it is converted without its colour profile, so colours shift"),
        Condition::Animated => distorts("only the first frame is trained on"),

        Condition::CaptionMissing => without_caption(trainer, facts),
        Condition::CaptionEmpty => stops("`AssertionError: caption file is empty` ends the run, and names the file"),
        Condition::CaptionBlank => distorts("the caption counts as read, and it is trained on with none at all, not even class tokens"),
        Condition::CaptionNotUtf8 => stops("`UnicodeDecodeError` ends the run, and the log names the file"),
        Condition::CaptionMarked => distorts("the byte order mark stays, glued to the first tag"),
        Condition::CaptionMultiLine => several_lines(trainer, facts),
        Condition::CaptionTooLong => distorts(format!("what is beyond {} tokens is cut off, and nothing is said", settings.max_tokens)),
        Condition::CaptionUnreadable => stops("the caption is there and cannot be opened, and the error ends the run"),
    }
}

/// A file that has no size to imagesize, nor to Pillow, counts as 0x0, and its aspect ratio cannot be computed.
const NO_SIZE: &str = "`ZeroDivisionError` ends the run while buckets are made; a warning above it names the file";

fn stops(text: impl Into<String>) -> Consequence {
    does(Outcome::Stop, Phase::DatasetScan, text)
}

/// It ends the run once pictures are read.
fn at_decoding(trainer: &Kohya, text: impl Into<String>) -> Consequence {
    let is_cached = trainer.settings.cache_latents.unwrap_or(false);
    does(Outcome::Stop, if is_cached { Phase::Caching } else { Phase::Training }, text)
}

/// What ends the run once the picture is read. Only errors of `OSError`'s family come with the name of the file.
fn refused(trainer: &Kohya, facts: Option<&SampleFacts>) -> Consequence {
    let refusal = facts.and_then(|facts| facts.decoded.pillow.refusal());
    at_decoding(
        trainer,
        match refusal {
            Some(refusal) if refusal.is_os_error() => format!("`{}` ends the run, and the log names the file", refusal.class),
            Some(refusal) => format!("`{}` ends the run, and no message names the file", refusal.class),
            None => "the error ends the run".to_owned(),
        },
    )
}

/// Pillow cannot open it; whether imagesize can read its size decides when the run ends.
fn refused_at_open(trainer: &Kohya, facts: Option<&SampleFacts>) -> Consequence {
    let Some(facts) = facts else { return stops(NO_SIZE) };
    let named = match facts.sample.named_as {
        NamedAs::Image(format) => Some(format),
        NamedAs::Unknown => None,
    };
    let bytes = facts.sample.size_bytes;
    match (facts.probe.as_ref(), named) {
        (Ok(probe), _) if is_read_by_imagesize(probe.format) => refused(trainer, Some(facts)),
        // No frame header, or one of height 0; the latter alone is a division by zero.
        (Err(_), Some(Format::Jpeg | Format::Mpo)) => {
            stops("its size cannot be read, the error ends the run, and no message names the file")
        }
        (Err(_), Some(Format::WebP)) if bytes < 30 => stops("`struct.error` ends the run, and no message names the file"),
        // The sides are read wherever they should be, checksum or not. From 16 bytes on there is something that can be taken for them.
        (Err(_), Some(Format::Png)) if bytes >= 16 && !has_no_side(facts) => refused(trainer, Some(facts)),
        (Err(_), Some(Format::WebP)) if !has_no_side(facts) => refused(trainer, Some(facts)),
        _ => stops(NO_SIZE),
    }
}

/// Whether the header is refused for a side of 0.
fn has_no_side(facts: &SampleFacts) -> bool {
    facts.probe.as_ref().is_err_and(|fault| fault.detail.contains("neither side may be 0"))
}

/// What imagesize 1.4.1 knows; the size of anything else is read by Pillow, where it can.
fn is_read_by_imagesize(format: Format) -> bool {
    use Format::{Gif, Jpeg, Jpeg2000, Mpo, Png, Pnm, Svg, Tiff, WebP};

    matches!(format, Gif | Jpeg | Mpo | Png | WebP | Tiff | Svg | Pnm | Jpeg2000)
}

/// The class tokens stand in, those of the folder's name in a `train_data_dir`; without them an empty text does, with a warning
/// (`library/train_util.py` 1946-2100).
fn without_caption(trainer: &Kohya, facts: Option<&SampleFacts>) -> Consequence {
    let folder = facts.and_then(|facts| trainer.numbered_folder(&facts.sample.path));
    let class_tokens = folder.map(|name| name.class_tokens).or(trainer.settings.class_tokens.as_deref());
    match class_tokens {
        Some("") => distorts("it is trained on with an empty caption, for its folder's name has no class tokens"),
        Some(tokens) => distorts(format!("it is trained on with the class tokens `{tokens}` as its caption")),
        None => distorts("it is trained on with an empty caption, and a warning names the file"),
    }
}

/// The first line is the caption, or with `enable_wildcard` one of them for each step; text encoder outputs are cached from the whole
/// text (`library/train_util.py` 821-932, 1946-1974).
fn several_lines(trainer: &Kohya, facts: Option<&SampleFacts>) -> Consequence {
    let settings = &trainer.settings;
    let text = facts.and_then(|facts| facts.caption.read()).and_then(|caption: &Caption| caption.text.as_deref());
    let first_is_blank = text.is_some_and(|text| text.split(['\n', '\r']).next().is_some_and(|line| line.trim().is_empty()));
    match (settings.enable_wildcard, settings.cache_text_encoder_outputs) {
        (true, true) => distorts("all lines are encoded as one text, for text encoder outputs are cached"),
        (true, false) => trains("one of the lines is drawn for each step"),
        (false, _) if first_is_blank => distorts("only the first line is read, and it is blank"),
        (false, _) => distorts("only the first line is read"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::picture;
    use super::super::{Layout, Settings, VERSIONS};
    use super::*;
    use crate::model::{Fault, FaultKind, Mode, Size, Verdict};
    use crate::trainers::{Setting, Trainer as _};

    fn trainer(settings: &[(&str, toml::Value)]) -> Kohya {
        let mut trainer = Kohya { version: &VERSIONS[0], settings: Settings::default(), layout: None };
        for (key, value) in settings {
            trainer.set(&Setting::new(key, value)).expect("the setting is valid");
        }
        trainer
    }

    fn of(settings: &[(&str, toml::Value)], condition: Condition, facts: &SampleFacts) -> (Outcome, Phase, String) {
        let consequence = trainer(settings).react(condition, Some(facts)).expect("there is an answer");
        (consequence.outcome, consequence.phase, consequence.text)
    }

    fn jpeg() -> SampleFacts {
        picture("a.jpg", Format::Jpeg, Mode::Rgb, Size::new(640, 480))
    }

    #[test]
    fn files_without_a_size_end_the_run_while_the_dataset_is_made() {
        for condition in [Condition::EmptyFile, Condition::NotAnImage, Condition::UnsupportedFormat, Condition::Unreadable] {
            let (outcome, phase, _) = of(&[], condition, &jpeg());
            assert_eq!((outcome, phase), (Outcome::Stop, Phase::DatasetScan), "{condition:?}");
        }
    }

    // What became of damaged files when sd-scripts 48d368fa was run on them.
    #[test]
    fn a_header_that_only_imagesize_reads_ends_the_run_later() {
        let refused = |name: &str, format, bytes, probe: Option<FaultKind>| {
            let mut facts = picture(name, format, Mode::Rgb, Size::new(640, 480));
            facts.sample.size_bytes = bytes;
            facts.decoded.pillow = Verdict::refuses_open("UnidentifiedImageError", "cannot identify image file");
            if let Some(kind) = probe {
                facts.probe = Err(Fault::new(kind, "spoilt"));
            }
            of(&[("cache_latents", true.into())], Condition::RefusedAtOpen, &facts).1
        };
        assert_eq!(refused("trunc20.jpg", Format::Jpeg, 20, Some(FaultKind::Truncated)), Phase::DatasetScan);
        assert_eq!(refused("trunc12.png", Format::Png, 12, Some(FaultKind::Truncated)), Phase::DatasetScan);
        assert_eq!(refused("trunc20.png", Format::Png, 20, Some(FaultKind::Truncated)), Phase::Caching);
        assert_eq!(refused("badcrc_ihdr.png", Format::Png, 9000, None), Phase::Caching);
        assert_eq!(refused("trunc28.webp", Format::WebP, 28, Some(FaultKind::Truncated)), Phase::DatasetScan);
        assert_eq!(refused("trunc_half.webp", Format::WebP, 4000, None), Phase::Caching);
        assert_eq!(refused("broken.bmp", Format::Bmp, 4000, None), Phase::DatasetScan);
        let mut flat = picture("dim0.png", Format::Png, Mode::Rgb, Size::new(1, 1));
        flat.probe = Err(Fault::new(FaultKind::BadHeader, "the header says 0x0 pixels, and neither side may be 0"));
        assert_eq!(of(&[], Condition::RefusedAtOpen, &flat).1, Phase::DatasetScan);
    }

    #[test]
    fn only_os_errors_are_told_with_the_name_of_the_file() {
        let mut facts = jpeg();
        facts.decoded.pillow = Verdict::refuses_load("OSError", "image file is truncated (97 bytes not processed)");
        let named = "`OSError` ends the run, and the log names the file".to_owned();
        assert_eq!(of(&[], Condition::RefusedAtLoad, &facts), (Outcome::Stop, Phase::Training, named.clone()));
        let on_disk = [("cache_latents_to_disk", true.into())];
        assert_eq!(of(&on_disk, Condition::RefusedAtLoad, &facts), (Outcome::Stop, Phase::Caching, named));
        facts.decoded.pillow = Verdict::refuses_load("SyntaxError", "broken PNG file");
        assert!(of(&[], Condition::RefusedAtLoad, &facts).2.contains("no message names the file"));
        assert_eq!(of(&on_disk, Condition::TooManyPixels, &jpeg()).1, Phase::Caching);
        let bitmap = picture("a.bmp", Format::Bmp, Mode::Rgb, Size::new(20_000, 20_000));
        assert_eq!(of(&on_disk, Condition::TooManyPixels, &bitmap).1, Phase::DatasetScan);
    }

    #[test]
    fn class_tokens_stand_in_for_a_caption() {
        let text = |settings: &[(&str, toml::Value)], path: &str| {
            of(settings, Condition::CaptionMissing, &picture(path, Format::Png, Mode::Rgb, Size::new(8, 8))).2
        };
        let folders = [("train_data_dir", "x".into())];
        assert_eq!(text(&folders, "10_cat dog/a.png"), "it is trained on with the class tokens `cat dog` as its caption");
        assert_eq!(text(&folders, "set/10_cat dog/a.png"), "it is trained on with the class tokens `cat dog` as its caption");
        assert_eq!(text(&folders, "10/a.png"), "it is trained on with an empty caption, for its folder's name has no class tokens");
        let flat = [("image_dir", "x".into()), ("class_tokens", "sks".into())];
        assert_eq!(text(&flat, "a.png"), "it is trained on with the class tokens `sks` as its caption");
        assert_eq!(text(&[("image_dir", "x".into())], "a.png"), "it is trained on with an empty caption, and a warning names the file");
    }

    #[test]
    fn captions_of_no_bytes_or_another_encoding_end_the_run() {
        for condition in [Condition::CaptionEmpty, Condition::CaptionNotUtf8, Condition::CaptionUnreadable] {
            let (outcome, phase, _) = of(&[], condition, &jpeg());
            assert_eq!((outcome, phase), (Outcome::Stop, Phase::DatasetScan), "{condition:?}");
        }
        for condition in [Condition::CaptionBlank, Condition::CaptionMarked, Condition::CaptionTooLong] {
            assert_eq!(of(&[], condition, &jpeg()).0, Outcome::Distort, "{condition:?}");
        }
        let long = [("max_token_length", 225.into())];
        assert_eq!(of(&long, Condition::CaptionTooLong, &jpeg()).2, "what is beyond 225 tokens is cut off, and nothing is said");
    }

    #[test]
    fn of_several_lines_the_first_is_read_or_one_is_drawn() {
        let wildcard = ("enable_wildcard", toml::Value::from(true));
        let cached = ("cache_text_encoder_outputs", toml::Value::from(true));
        assert_eq!(of(&[], Condition::CaptionMultiLine, &jpeg()).0, Outcome::Distort);
        assert_eq!(of(std::slice::from_ref(&wildcard), Condition::CaptionMultiLine, &jpeg()).0, Outcome::Train);
        assert_eq!(of(&[wildcard, cached], Condition::CaptionMultiLine, &jpeg()).0, Outcome::Distort);
    }

    #[test]
    fn what_is_not_listed_is_left_out_and_what_turns_or_hides_is_trained_on() {
        for condition in [
            Condition::ExtensionNotPickedUp,
            Condition::ExtensionInOtherCase,
            Condition::Hidden,
            Condition::SystemFile,
            Condition::JunkFolder,
        ] {
            assert_eq!(of(&[], condition, &jpeg()).0, Outcome::Skip, "{condition:?}");
        }
        for condition in [Condition::Rotated, Condition::Transparent, Condition::DeepGray, Condition::Cmyk, Condition::Animated] {
            assert_eq!(of(&[], condition, &jpeg()).0, Outcome::Distort, "{condition:?}");
        }
        assert_eq!(of(&[("alpha_mask", true.into())], Condition::Transparent, &jpeg()).0, Outcome::Train);
        assert_eq!(of(&[], Condition::SharedStem, &jpeg()).0, Outcome::Train);
        assert_eq!(of(&[("cache_latents_to_disk", true.into())], Condition::SharedStem, &jpeg()).0, Outcome::Distort);
    }

    #[test]
    fn sizes_are_those_of_imagesize() {
        let size = |format, variant| {
            let mut facts = picture("a.webp", format, Mode::Rgb, Size::new(1024, 1024));
            facts.probe.as_mut().expect("it has a header").variant = variant;
            trainer(&[]).size_of(&facts).expect("it has a size").to_string()
        };
        assert_eq!(size(Format::WebP, ""), "1024x1024");
        assert_eq!(size(Format::WebP, "lossless"), "1024x1024");
        for variant in ["extended", "extended lossless", "animated"] {
            assert_eq!(size(Format::WebP, variant), "1023x1023", "{variant}");
        }
        assert_eq!(size(Format::Jpeg, "extended"), "1024x1024");
        assert_eq!(size(Format::Png, "CgBI"), "4x1130840649");
    }

    #[test]
    fn the_folder_decides_what_it_is() {
        let inventory = crate::model::Inventory {
            folders: vec![crate::model::Folder { path: "3_cat".into(), images: 1 }],
            ..crate::model::Inventory::default()
        };
        assert!(trainer(&[]).prepared(&inventory).is_some_and(|trainer| trainer.repeats(&"3_cat/a.png".into()) > 2.0));
        let told = trainer(&[("image_dir", "x".into())]);
        assert_eq!(told.layout, Some(Layout::Flat));
        assert!(told.prepared(&inventory).is_none());
    }
}
