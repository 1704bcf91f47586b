//! I117: more than eight bits a channel, which Pillow does not scale.

use crate::checks::cause::loadable;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Mode, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Warns of images with 16 or more bits a channel.
    ///
    /// ## Why it matters
    /// Pillow does not scale 16-bit gray when it converts to RGB: every value above 255 becomes white, so that nearly the whole
    /// picture is white (ai-toolkit, diffusers, sd-scripts, musubi-tuner). Of 16-bit colour it keeps the high byte, which is right.
    /// OneTrainer (mgds 3a6994ad, `LoadImage.py` 55-109) reads a 16-bit PNG as it is and divides by 255, so that values reach 257
    /// and latents saturate or become NaN without an error; other trainers that keep 16 bits learn line patterns
    /// (traiNNer-redux#298). SimpleTuner scales rightly.
    ///
    /// ## Example
    /// Renders, scans and depth maps, saved as 16-bit PNG or TIFF.
    ///
    /// ## What to do
    /// Convert the image to 8 bits with a program that scales.
    I117 "sixteen-bit-image", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(probe) = loadable(facts) else { return };
    let is_deep_mode = matches!(probe.mode, Some(Mode::I | Mode::I16 | Mode::I16B | Mode::F));
    if probe.bit_depth < 16 && !is_deep_mode {
        return;
    }
    let mode = probe.mode.map_or("of a mode that Pillow does not have", Mode::name);
    let (seen, text) = if probe.mode == Some(Mode::F) {
        ("Pillow clips values below 0 and above 255", "it is trained on as black and white, unless its values run from 0 to 255")
    } else if is_deep_mode {
        ("Pillow clips values above 255 to white", "nearly the whole picture is trained on as white")
    } else {
        ("Pillow keeps the high byte, and trainers that keep 16 bits saturate", "it is trained on with 8 bits")
    };
    out.report(
        &facts.sample.path,
        format!("the picture has {} bits a channel (mode {mode}), where 8 are expected: {seen}", probe.bit_depth),
    )
    .evidence("bit_depth", probe.bit_depth)
    .evidence("limit", 8)
    .evidence("mode", probe.mode.map(Mode::name))
    .evidence("clipped", is_deep_mode)
    .about(if is_deep_mode { Condition::DeepGray } else { Condition::DeepColor })
    .means(if is_deep_mode { Outcome::Distort } else { Outcome::Train }, Phase::Training, text)
    .help("convert the image to 8 bits with a program that scales");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Finding, Level, Mode, Outcome};

    fn found(mode: Mode, bit_depth: u8) -> Vec<Finding> {
        let mut facts = healthy("a.png");
        (facts.probe_mut().mode, facts.probe_mut().bit_depth) = (Some(mode), bit_depth);
        findings_of(&CHECK, &facts)
    }

    #[test]
    fn gray_is_clipped_and_colour_keeps_its_high_byte() {
        let gray = found(Mode::I16, 16);
        assert_eq!((gray[0].level, gray[0].consequences["generic"].outcome), (Level::Warning, Outcome::Distort));
        let color = found(Mode::Rgb, 16);
        assert_eq!((color[0].level, color[0].consequences["generic"].outcome), (Level::Warning, Outcome::Train));
        assert_eq!(found(Mode::La, 16)[0].evidence["clipped"], false);
        assert_eq!(found(Mode::F, 32)[0].evidence["clipped"], true);
    }

    #[test]
    fn ten_and_twelve_bits_of_avif_are_scaled_by_its_decoder() {
        for depth in [1, 2, 4, 8, 10, 12] {
            assert!(found(Mode::Rgb, depth).is_empty());
        }
    }
}
