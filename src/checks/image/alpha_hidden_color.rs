//! I111: transparent pixels hide a colour that the trainer will see.

use crate::checks::cause::loadable;
use crate::checks::words::{percent, rounded};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{AlphaFacts, Condition, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Warns of images in which fully transparent pixels hide a colour other than black, from a thousandth of the picture on.
    ///
    /// ## Why it matters
    /// Trainers convert to RGB, and that drops alpha instead of putting the picture on a background: whatever colour an editor left
    /// below the transparency becomes the background. sd-scripts (48d368fa, `library/train_util.py` 2948-2961), musubi-tuner,
    /// ai-toolkit (27a03a91, `dataloader_mixins.py` 894-939), OneTrainer and SimpleTuner do so; diffusion-pipe (8f83dbf2,
    /// `models/base.py` 41-55) puts the picture on white. Captions that say "white background" are then wrong.
    ///
    /// ## Example
    /// A cut-out figure whose background was erased in an editor: it looks empty, and the erased picture or a flat red is still
    /// there (sd-scripts#1269).
    ///
    /// ## What to do
    /// Put the picture on the background that its caption describes, and save it without alpha.
    I111 "alpha-hidden-color", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

/// Share of a picture below which nobody sees what is hidden.
const MIN_SHARE: f32 = 0.001;

/// Whether so much colour is hidden that it matters.
pub(in crate::checks) fn hides_color(alpha: &AlphaFacts) -> bool {
    alpha.hidden >= MIN_SHARE
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    if loadable(facts).is_none() {
        return;
    }
    let Some(alpha) = facts.decoded.pixels.as_ref().and_then(|pixels| pixels.alpha).filter(hides_color) else { return };
    let color =
        alpha.hidden_color.map_or_else(|| "other colours".to_owned(), |[red, green, blue]| format!("#{red:02x}{green:02x}{blue:02x}"));
    let message = format!(
        "{} of the pixels are transparent, and {} hide a colour that the trainer will see, most of all {color}",
        percent(alpha.transparent),
        percent(alpha.hidden)
    );
    out.report(&facts.sample.path, message)
        .evidence("transparent", rounded(alpha.transparent, 4))
        .evidence("partial", rounded(alpha.partial, 4))
        .evidence("hidden", rounded(alpha.hidden, 4))
        .evidence("hidden_color", alpha.hidden_color.map(|color| color.to_vec()))
        .evidence("limit", rounded(MIN_SHARE, 4))
        .about(Condition::Transparent)
        .means(Outcome::Distort, Phase::Training, format!("alpha is dropped, and {color} is trained on where nothing is to be seen"))
        .help("put the picture on the background that its caption describes, and save it without alpha");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{AlphaFacts, Level};

    const RED_BELOW: AlphaFacts = AlphaFacts { transparent: 0.75, partial: 0.0, hidden: 0.75, hidden_color: Some([255, 0, 0]) };

    #[test]
    fn says_the_share_and_the_colour_that_comes_to_light() {
        let mut facts = healthy("a.png");
        facts.set_alpha(RED_BELOW);
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings[0].level, Level::Warning);
        assert_eq!(
            findings[0].message,
            "75 % of the pixels are transparent, and 75 % hide a colour that the trainer will see, most of all #ff0000"
        );
        assert_eq!(findings[0].evidence["hidden_color"], serde_json::json!([255, 0, 0]));
    }

    #[test]
    fn stays_quiet_on_opaque_pictures_and_on_black_below() {
        let mut facts = healthy("a.png");
        assert!(findings_of(&CHECK, &facts).is_empty());
        facts.set_alpha(AlphaFacts { transparent: 0.0, partial: 0.0, hidden: 0.0, hidden_color: None });
        assert!(findings_of(&CHECK, &facts).is_empty());
        facts.set_alpha(AlphaFacts { transparent: 0.75, partial: 0.1, hidden: 0.0, hidden_color: None });
        assert!(findings_of(&CHECK, &facts).is_empty());
    }

    #[test]
    fn stays_quiet_on_a_handful_of_pixels() {
        let mut facts = healthy("a.png");
        facts.set_alpha(AlphaFacts { hidden: 0.0005, ..RED_BELOW });
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
