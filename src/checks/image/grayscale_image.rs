//! I116: the picture has no colour.

use crate::checks::cause::loadable;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Mode, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Notes images without colour: those stored in gray or black and white, and those stored in colour with nothing but gray in
    /// them. Gray with 16 bits and more is sixteen-bit-image (I117).
    ///
    /// ## Why it matters
    /// Trainers make three equal channels of it, and that is right if black and white is wanted. A few gray pictures in a colour
    /// dataset pull the model towards pale colours, unless their captions say "monochrome".
    ///
    /// ## Example
    /// A scanned drawing, or an old photo.
    ///
    /// ## What to do
    /// Say so in the caption, or move the picture out of the dataset if it is there by mistake.
    I116 "grayscale-image", level: Info, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(probe) = loadable(facts) else { return };
    let Some(mode) = probe.mode else { return };
    let is_stored_gray = matches!(mode, Mode::Bilevel | Mode::L | Mode::La);
    let pixels = facts.decoded.pixels.as_ref();
    // A blank picture has no colour to speak of, and is reported as blank.
    let is_colorless = !mode.is_gray() && pixels.is_some_and(|pixels| pixels.colorless == Some(true) && !pixels.blank);
    let message = if is_stored_gray {
        format!("the picture is stored without colour (mode {mode})")
    } else if is_colorless {
        format!("the picture is stored in colour (mode {mode}) and has none")
    } else {
        return;
    };
    out.report(&facts.sample.path, message)
        .evidence("mode", mode.name())
        .evidence("colorless", is_colorless)
        .means(Outcome::Train, Phase::Training, "it is trained on with three equal channels")
        .help("say in the caption that the picture is monochrome, if that is not what the whole dataset is about");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::Mode;

    #[test]
    fn tells_gray_storage_from_gray_content() {
        let mut facts = healthy("a.png");
        facts.probe_mut().mode = Some(Mode::L);
        assert_eq!(findings_of(&CHECK, &facts)[0].message, "the picture is stored without colour (mode L)");
        facts.probe_mut().mode = Some(Mode::Rgb);
        facts.decoded.pixels.as_mut().unwrap().colorless = Some(true);
        assert_eq!(findings_of(&CHECK, &facts)[0].message, "the picture is stored in colour (mode RGB) and has none");
    }

    #[test]
    fn stays_quiet_on_colour_on_what_was_not_looked_at_and_on_sixteen_bits() {
        let mut facts = healthy("a.png");
        assert!(findings_of(&CHECK, &facts).is_empty());
        facts.decoded.pixels.as_mut().unwrap().colorless = None;
        assert!(findings_of(&CHECK, &facts).is_empty());
        facts.probe_mut().mode = Some(Mode::I16);
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
