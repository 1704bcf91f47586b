//! I104: a format, or a feature of one, that stock Pillow does not load, or that could not be checked here.

use crate::checks::cause::{Cause, Obstacle, pillow_knows};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, FaultKind, Format, Level, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports images in a format that Pillow does not load as pip installs it (HEIC, JPEG XL, SVG), or that use a feature of
    /// their format for which Pillow has no decoder. It is a warning where the trainer does not pick up files of that name,
    /// and information where there is no decoder in walkaround, so that the file could not be checked.
    ///
    /// ## Why it matters
    /// A `.heic` file is left out without a message by sd-scripts, ai-toolkit, OneTrainer and SimpleTuner, and its caption
    /// stays behind without an image. The same file renamed to `.jpg` is picked up, and then the run stops, since Pillow goes
    /// by content: `cannot identify image file`. sd-scripts (48d368fa) warns that it failed to get the size, goes on with 0x0
    /// and stops with `ZeroDivisionError` while it makes buckets.
    ///
    /// ## Example
    /// Photos copied from an iPhone: `IMG_1.heic`, or `IMG_2.jpg` that begins with `ftypheic` (replicate/lora-training#2).
    ///
    /// ## What to do
    /// Convert the image to PNG or JPEG with a program that knows the format. Renaming does not help.
    I104 "unsupported-format", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, profile: &Profile, out: &mut Findings) {
    let Some(obstacle) = Obstacle::caused_by(facts, Cause::Unsupported) else { return };
    let path = &facts.sample.path;
    let format = facts.format();
    let name = format.map_or("an image", Format::name);
    let is_picked_up = profile.picks_up(path.extension());
    let why = match (format, obstacle.refusal) {
        (None, _) => format!("Pillow does not load this kind of file: {}", obstacle.reason()),
        (Some(format), _) if !pillow_knows(format) => format!("the content is {name}, which Pillow does not load without a plug-in"),
        (_, Some(refusal)) => match obstacle.fault.filter(|fault| fault.kind == FaultKind::NoDecoder) {
            Some(fault) => format!("Pillow does not load this kind of {name}: {fault}"),
            None => format!("Pillow does not load this kind of {name}: {}", refusal.message),
        },
        _ => format!("the content is {name} and could not be checked here: {}", obstacle.reason()),
    };
    let message = match (obstacle.is_certain, is_picked_up) {
        (true, false) => format!("{why}, and files named .{} are left out", path.extension()),
        (true, true) | (false, _) => why,
    };
    let finding = out.report(path, message);
    finding.evidence("format", format.map(Format::name)).evidence("extension", path.extension()).because(&obstacle);
    if !obstacle.is_certain {
        finding
            .level(Level::Info)
            .means(Outcome::Train, Phase::Training, "whether it loads is not known; whatever Pillow makes of it is trained on")
            .help("open the image with the trainer's own Pillow, or convert it to PNG or JPEG");
    } else if is_picked_up {
        finding
            .about(Condition::UnsupportedFormat)
            .means(Outcome::Stop, Phase::DatasetScan, "Pillow cannot identify the file by its content, and the run stops")
            .help("convert the image to PNG or JPEG; renaming it does not help");
    } else {
        finding
            .level(Level::Warning)
            .means(Outcome::Skip, Phase::DatasetScan, "the file is left out without a message, and its caption has no image")
            .help("convert the image to PNG or JPEG if it is to be trained on");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Decoded, Fault, FaultKind, Format, Level, Outcome, SampleFacts, Strict, Verdict};

    fn undecoded(path: &str, format: Format) -> SampleFacts {
        let mut facts = healthy(path);
        facts.probe_mut().format = format;
        facts.decoded = Decoded::undecided(Fault::new(FaultKind::NoDecoder, format!("there is no {format} decoder here")));
        facts
    }

    #[test]
    fn heic_by_name_is_left_out_and_heic_named_jpg_stops_the_run() {
        let by_name = findings_of(&CHECK, &undecoded("IMG_1.heic", Format::Heic));
        assert_eq!((by_name[0].level, by_name[0].consequences["generic"].outcome), (Level::Warning, Outcome::Skip));
        let renamed = findings_of(&CHECK, &undecoded("IMG_2.jpg", Format::Heic));
        assert_eq!((renamed[0].level, renamed[0].consequences["generic"].outcome), (Level::Error, Outcome::Stop));
        assert!(renamed[0].message.contains("the content is HEIC"), "{}", renamed[0].message);
    }

    #[test]
    fn heic_that_is_cut_short_is_no_other_fault() {
        let mut facts = healthy("IMG_1.heic");
        let fault = Fault::new(FaultKind::Truncated, "the file ends inside the HEIC header, after 24 bytes");
        facts.decoded = Decoded::undecided(fault.clone());
        facts.probe = Err(fault);
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Warning);
        let mut renamed = healthy("IMG_2.jpg");
        let fault = Fault::new(FaultKind::NoDecoder, "the content is HEIC, and its header ends after 24 bytes");
        renamed.decoded = Decoded::undecided(fault.clone());
        renamed.probe = Err(fault);
        assert_eq!(findings_of(&CHECK, &renamed)[0].level, Level::Error);
    }

    #[test]
    fn says_that_it_could_not_be_checked_where_pillow_may_load_it() {
        let findings = findings_of(&CHECK, &undecoded("a.avif", Format::Avif));
        assert_eq!(findings[0].level, Level::Info);
        assert!(findings[0].message.contains("could not be checked here"));
    }

    #[test]
    fn fires_on_a_feature_that_pillow_lacks() {
        let mut facts = healthy("a.jpg");
        facts.probe_mut().format = Format::Jpeg;
        facts.decoded.pillow = Verdict::refuses_load("OSError", "broken data stream when reading image file");
        facts.decoded.strict = Strict::Unknown(Fault::new(FaultKind::NoDecoder, "12 bits per sample"));
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(
            (findings[0].level, findings[0].message.as_str()),
            (Level::Error, "Pillow does not load this kind of JPEG: 12 bits per sample")
        );
    }

    #[test]
    fn stays_quiet_where_pillow_loads_what_is_not_decoded_here() {
        let mut facts = undecoded("a.tiff", Format::Tiff);
        facts.decoded.pillow = Verdict::Ok;
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
