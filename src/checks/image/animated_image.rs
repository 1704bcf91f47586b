//! I118: more than one frame or page, of which the first is trained on.

use crate::checks::cause::loadable;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Format, Level, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Warns of animations (GIF, PNG, WebP, AVIF), and notes TIFF files with several pages. Camera files with a preview behind the picture
    /// (MPO), layers and the sizes of an icon are no findings.
    ///
    /// ## Why it matters
    /// Image trainers take the first frame and say nothing (sd-scripts 48d368fa, `library/train_util.py` 2948-2961; SimpleTuner). It is
    /// often empty or a title. diffusion-pipe (8f83dbf2) stops on an animated WebP: `WebP videos are not supported`. sd-scripts reads
    /// the size of such a WebP one pixel too small.
    ///
    /// ## Example
    /// A sticker or a reaction GIF between still pictures.
    ///
    /// ## What to do
    /// Save the frame that is meant as a still picture.
    I118 "animated-image", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(probe) = loadable(facts).filter(|probe| probe.frames > 1) else { return };
    let (unit, level) = match probe.format {
        Format::Gif | Format::Png | Format::WebP | Format::Avif => ("frames", Level::Warning),
        Format::Tiff => ("pages", Level::Info),
        _ => return,
    };
    out.report(&facts.sample.path, format!("the {} has {} {unit}, of which only the first is trained on", probe.format, probe.frames))
        .level(level)
        .evidence("frames", probe.frames)
        .evidence("limit", 1)
        .about(Condition::Animated)
        .means(Outcome::Distort, Phase::Training, "only the first is trained on, with the caption for all")
        .help("save the one that is meant as a still picture");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Finding, Format, Level};

    fn found(format: Format, frames: u32) -> Vec<Finding> {
        let mut facts = healthy("a.png");
        (facts.probe_mut().format, facts.probe_mut().frames) = (format, frames);
        findings_of(&CHECK, &facts)
    }

    #[test]
    fn warns_of_frames_and_notes_pages() {
        assert_eq!(found(Format::Gif, 2)[0].message, "the GIF has 2 frames, of which only the first is trained on");
        assert_eq!(found(Format::WebP, 9)[0].level, Level::Warning);
        assert_eq!(found(Format::Tiff, 3)[0].level, Level::Info);
    }

    #[test]
    fn stays_quiet_on_still_pictures_and_previews() {
        assert!(found(Format::Gif, 1).is_empty());
        assert!(found(Format::Mpo, 2).is_empty());
        assert!(found(Format::Psd, 5).is_empty());
    }
}
