//! I115: the picture has a palette.

use crate::checks::cause::loadable;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Level, Mode, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Notes images that have a palette of at most 256 colours, and warns of those whose palette has transparent colours.
    ///
    /// ## Why it matters
    /// The palette is looked up, and the picture is trained on with whatever banding or dithering the reduction left. A transparent
    /// entry of the palette shows the colour that stands there: most trainers drop transparency (sd-scripts 48d368fa,
    /// `library/train_util.py` 2948-2961); diffusion-pipe (8f83dbf2, `models/base.py` 41-55) puts the picture on white.
    ///
    /// ## Example
    /// A GIF, or a PNG that was made smaller with `pngquant`.
    ///
    /// ## What to do
    /// Find the picture in full colour if it is dithered. Put it on a background if it is transparent.
    I115 "palette-image", level: Info, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(probe) = loadable(facts) else { return };
    let Some(mode) = probe.mode.filter(|mode| matches!(mode, Mode::P | Mode::Pa)) else { return };
    // The palette may name a transparent colour that no pixel has.
    let alpha = facts.decoded.pixels.as_ref().and_then(|pixels| pixels.alpha);
    let is_transparent = probe.transparency && alpha.is_none_or(|alpha| !alpha.is_opaque());
    let message = if is_transparent {
        "the picture has a palette with transparent colours, and the trainer will see the colour that stands there"
    } else {
        "the picture has a palette of at most 256 colours"
    };
    let finding = out.report(&facts.sample.path, message);
    finding.evidence("mode", mode.name()).evidence("bit_depth", probe.bit_depth).evidence("transparency", is_transparent);
    if is_transparent {
        finding
            .level(Level::Warning)
            .about(Condition::Transparent)
            .means(Outcome::Distort, Phase::Training, "transparency is dropped, and the palette's colour for it is trained on")
            .help("put the picture on the background that its caption describes, and save it without transparency");
    } else {
        finding
            .means(Outcome::Train, Phase::Training, "the palette is looked up; banding and dithering are trained on")
            .help("find the picture in full colour if it is dithered");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{AlphaFacts, Level, Mode};

    #[test]
    fn transparency_makes_it_a_warning() {
        let mut facts = healthy("a.gif");
        facts.probe_mut().mode = Some(Mode::P);
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Info);
        facts.probe_mut().transparency = true;
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Warning);
    }

    #[test]
    fn a_transparent_colour_that_no_pixel_has_does_not() {
        let mut facts = healthy("a.gif");
        facts.set_alpha(AlphaFacts { transparent: 0.0, partial: 0.0, hidden: 0.0, hidden_color: None });
        facts.probe_mut().mode = Some(Mode::P);
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Info);
    }

    #[test]
    fn stays_quiet_on_full_colour() {
        assert!(findings_of(&CHECK, &healthy("a.png")).is_empty());
    }
}
