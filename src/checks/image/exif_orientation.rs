//! I109: the picture is stored turned or mirrored, and only EXIF says so.

use crate::checks::cause::loadable;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Format, Level, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Warns of images whose EXIF orientation is 2 to 8: viewers turn or mirror them, and many trainers do not. It is information
    /// for TIFF, which Pillow turns itself. Orientation 1 and values that do not exist are no findings.
    ///
    /// ## Why it matters
    /// Trainers disagree, and nothing is printed. sd-scripts (48d368fa, `library/train_util.py` 2948-2961), musubi-tuner
    /// (30c658c4) and diffusion-pipe (8f83dbf2, `models/base.py` 41-55) ignore it and train sideways, SimpleTuner (bc8e6ab7,
    /// `training_sample.py` 652-663) loses it before it could be applied. ai-toolkit (27a03a91, `dataloader_mixins.py` 894-939),
    /// diffusers and OneTrainer (mgds 3a6994ad, `LoadImage.py` 55-109) apply it, OneTrainer except for WebP. Where width and height
    /// change places, the bucket differs as well.
    ///
    /// ## Example
    /// A photo taken with the phone held upright: stored as 400x300, orientation 6, seen as 300x400. Its caption says "standing",
    /// and the model sees it lying (sd-scripts#1316).
    ///
    /// ## What to do
    /// Turn the pixels and drop the tag (`jpegtran`, `exiftran -a`, ImageMagick's `-auto-orient`), so that every trainer sees
    /// the same picture.
    I109 "exif-orientation", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(probe) = loadable(facts) else { return };
    let Some(orientation) = probe.orientation.filter(|orientation| !orientation.is_upright()) else { return };
    let (stored, oriented) = (probe.size, probe.oriented_size());
    let (applied_by, ignored_by) = trainers(probe.format);
    let message =
        format!("EXIF orientation {}, {}: stored as {stored}, seen as {oriented}", orientation.value(), orientation.description());
    let finding = out.report(&facts.sample.path, message);
    finding
        .about(Condition::Rotated)
        .evidence("orientation", orientation.value())
        .evidence("stored", stored.to_string())
        .evidence("oriented", oriented.to_string())
        .evidence("applied_by", applied_by)
        .evidence("ignored_by", ignored_by)
        .help("turn the pixels and drop the tag, so that every trainer sees the same picture");
    if probe.format == Format::Tiff {
        finding.level(Level::Info).means(Outcome::Train, Phase::Training, "Pillow applies it to TIFF: it is trained on as seen");
    } else {
        let text = format!("{} train on it as seen; {} ignore EXIF and train on it as stored", listed(applied_by), listed(ignored_by));
        finding.means(Outcome::Distort, Phase::Training, text);
    }
}

/// Trainers that apply the orientation of a file of this format, and trainers that ignore it.
fn trainers(format: Format) -> (&'static [&'static str], &'static [&'static str]) {
    match format {
        Format::WebP => (&["ai-toolkit", "diffusers"], &["sd-scripts", "musubi-tuner", "diffusion-pipe", "OneTrainer", "SimpleTuner"]),
        Format::Tiff => (&["sd-scripts", "musubi-tuner", "diffusion-pipe", "ai-toolkit", "OneTrainer", "diffusers"], &["SimpleTuner"]),
        Format::Avif => (&["ai-toolkit", "OneTrainer", "diffusers", "SimpleTuner"], &["sd-scripts", "musubi-tuner", "diffusion-pipe"]),
        _ => (&["ai-toolkit", "OneTrainer", "diffusers"], &["sd-scripts", "musubi-tuner", "diffusion-pipe", "SimpleTuner"]),
    }
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Finding, Format, Level, Orientation, Size};

    fn found(format: Format, orientation: u32) -> Vec<Finding> {
        let mut facts = healthy("a.jpg");
        let probe = facts.probe_mut();
        probe.format = format;
        probe.size = Size::new(400, 300);
        probe.orientation = Orientation::new(orientation);
        findings_of(&CHECK, &facts)
    }

    #[test]
    fn says_value_and_both_sizes() {
        let findings = found(Format::Jpeg, 6);
        let evidence = &findings[0].evidence;
        assert_eq!(findings[0].level, Level::Warning);
        assert_eq!(
            (&evidence["orientation"], &evidence["stored"], &evidence["oriented"]),
            (&6.into(), &"400x300".into(), &"300x400".into())
        );
        assert_eq!(findings[0].message, "EXIF orientation 6, turned by 90 degrees clockwise: stored as 400x300, seen as 300x400");
        assert_eq!(
            findings[0].consequences["generic"].text,
            "ai-toolkit, OneTrainer and diffusers train on it as seen; sd-scripts, musubi-tuner, diffusion-pipe and SimpleTuner ignore \
             EXIF and train on it as stored"
        );
    }

    #[test]
    fn one_trainer_ignores_it_in_webp_only() {
        let ignored = |format| found(format, 3)[0].evidence["ignored_by"].to_string();
        assert!(ignored(Format::WebP).contains("OneTrainer"));
        assert!(!ignored(Format::Png).contains("OneTrainer"));
    }

    #[test]
    fn pillow_turns_tiff_itself() {
        assert_eq!(found(Format::Tiff, 6)[0].level, Level::Info);
    }

    #[test]
    fn upright_and_impossible_values_are_nothing() {
        for value in [0, 1, 9, 65_535] {
            assert!(found(Format::Jpeg, value).is_empty(), "{value}");
        }
    }
}
