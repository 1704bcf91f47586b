//! I113: the picture has one colour only.

use crate::checks::cause::loadable;
use crate::checks::words::rounded;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Warns of images that have one colour only, but for noise of a few levels.
    ///
    /// ## Why it matters
    /// Every trainer loads them, and the model learns that the caption means an empty picture. A blank picture beside good ones
    /// in a small dataset is seen as often as each of them.
    ///
    /// ## Example
    /// An export that failed and left a white page; a black frame from the beginning of a video; a placeholder that a website
    /// shows for a removed picture.
    ///
    /// ## What to do
    /// Look at the picture. Fetch or export it again, or move it out of the dataset together with its caption.
    I113 "blank-image", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    if loadable(facts).is_none() {
        return;
    }
    let Some(pixels) = facts.decoded.pixels.as_ref().filter(|pixels| pixels.blank) else { return };
    out.report(&facts.sample.path, format!("the picture has one colour only, of brightness {:.0} of 255", pixels.mean))
        .evidence("mean", rounded(pixels.mean, 1))
        .means(Outcome::Distort, Phase::Training, "the caption is trained to mean an empty picture")
        .help("look at the picture, and fetch it again or move it and its caption out of the dataset");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Fault, FaultKind};

    #[test]
    fn says_how_bright_the_one_colour_is() {
        let mut facts = healthy("a.png");
        let pixels = facts.decoded.pixels.as_mut().unwrap();
        (pixels.blank, pixels.mean) = (true, 254.6);
        assert_eq!(findings_of(&CHECK, &facts)[0].message, "the picture has one colour only, of brightness 255 of 255");
    }

    #[test]
    fn stays_quiet_on_pictures_and_on_what_is_left_of_broken_ones() {
        let mut facts = healthy("a.png");
        assert!(findings_of(&CHECK, &facts).is_empty());
        facts.decoded.pixels.as_mut().unwrap().blank = true;
        facts.refuse(Fault::new(FaultKind::Truncated, "the data ends in row 1"));
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
