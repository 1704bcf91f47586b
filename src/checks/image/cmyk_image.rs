//! I114: the picture is in print colours.

use crate::checks::cause::loadable;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Mode, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Warns of images in CMYK, the colours of print.
    ///
    /// ## Why it matters
    /// Pillow converts CMYK to RGB by a plain formula and does not look at the ICC profile, so that colours come out harsher than a
    /// viewer with colour management shows them. Nothing is printed, and the model learns the harsh colours. All trainers that
    /// convert with Pillow do so (sd-scripts 48d368fa, `library/train_util.py` 2948-2961).
    ///
    /// ## Example
    /// A JPEG from a printer's archive or a stock photo agency.
    ///
    /// ## What to do
    /// Convert the image to sRGB with a program that applies the embedded profile.
    I114 "cmyk-image", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(probe) = loadable(facts).filter(|probe| probe.mode == Some(Mode::Cmyk)) else { return };
    let profile = if probe.icc { "its ICC profile is not applied" } else { "it has no ICC profile that says how its colours are meant" };
    out.report(&facts.sample.path, format!("the picture is CMYK, and {profile}"))
        .evidence("mode", "CMYK")
        .evidence("icc", probe.icc)
        .about(Condition::Cmyk)
        .means(Outcome::Distort, Phase::Training, "Pillow converts it by a plain formula, and the shifted colours are trained on")
        .help("convert the image to sRGB with a program that applies the embedded profile");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Level, Mode};

    #[test]
    fn warns_with_and_without_profile() {
        let mut facts = healthy("a.jpg");
        facts.probe_mut().mode = Some(Mode::Cmyk);
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Warning);
        facts.probe_mut().icc = true;
        assert_eq!(findings_of(&CHECK, &facts)[0].message, "the picture is CMYK, and its ICC profile is not applied");
    }

    #[test]
    fn stays_quiet_on_other_modes() {
        let mut facts = healthy("a.jpg");
        for mode in [Some(Mode::Rgb), Some(Mode::YCbCr), None] {
            facts.probe_mut().mode = mode;
            assert!(findings_of(&CHECK, &facts).is_empty());
        }
    }
}
