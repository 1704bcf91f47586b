//! I112: the picture is partly transparent, or could be.

use super::alpha_hidden_color::hides_color;
use crate::checks::cause::loadable;
use crate::checks::words::{percent, rounded};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Level, Mode, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Warns of images with transparent pixels that hide no colour (those that do are alpha-hidden-color, I111). It is information
    /// where the alpha channel is opaque everywhere, or all but opaque, or could not be looked at.
    ///
    /// ## Why it matters
    /// Trainers convert to RGB, and that drops alpha: fully transparent pixels become black, and soft edges become hard, since a
    /// pixel that is half transparent gets its colour at full strength. The model learns black areas (ai-toolkit#640).
    /// diffusion-pipe (8f83dbf2, `models/base.py` 41-55) puts the picture on white instead. With `alpha_mask` sd-scripts uses alpha
    /// as a mask of the loss, and then it is wanted. SimpleTuner (bc8e6ab7, `caching/vae.py` 1551-1563) mixes up the latents of a batch
    /// that holds a gray image with alpha.
    ///
    /// ## Example
    /// A logo or a sprite on an empty background.
    ///
    /// ## What to do
    /// Put the picture on the background that its caption describes, and save it without alpha. An opaque alpha channel needs
    /// nothing.
    I112 "transparent-image", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

/// Share of a picture below which transparency does not show.
const MIN_SHARE: f32 = 0.001;

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(probe) = loadable(facts).filter(|probe| probe.transparency) else { return };
    let Some(alpha) = facts.decoded.pixels.as_ref().and_then(|pixels| pixels.alpha) else {
        out.report(&facts.sample.path, "the picture can be transparent, and it could not be looked at here whether it is")
            .level(Level::Info)
            .evidence("mode", probe.mode.map(Mode::name))
            .means(Outcome::Train, Phase::Training, "alpha is dropped; what is transparent, if anything is, becomes visible")
            .help("look at the picture, and save it without alpha");
        return;
    };
    if hides_color(&alpha) {
        return;
    }
    let share = alpha.transparent + alpha.partial;
    let message = if alpha.is_opaque() {
        "the alpha channel is opaque everywhere".to_owned()
    } else {
        format!("{} of the pixels are transparent and {} partly so", percent(alpha.transparent), percent(alpha.partial))
    };
    let finding = out.report(&facts.sample.path, message);
    finding
        .evidence("transparent", rounded(alpha.transparent, 4))
        .evidence("partial", rounded(alpha.partial, 4))
        .evidence("limit", rounded(MIN_SHARE, 4))
        .help("put the picture on the background that its caption describes, and save it without alpha");
    if share < MIN_SHARE {
        finding
            .level(Level::Info)
            .means(Outcome::Train, Phase::Training, "alpha is dropped, and the picture looks the same")
            .help("save the image without alpha to make it smaller, if you like");
    } else {
        finding.about(Condition::Transparent).means(
            Outcome::Distort,
            Phase::Training,
            "alpha is dropped: transparent pixels become black, and soft edges hard",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{AlphaFacts, Level};

    const OPAQUE: AlphaFacts = AlphaFacts { transparent: 0.0, partial: 0.0, hidden: 0.0, hidden_color: None };

    #[test]
    fn warns_where_black_would_come_to_light() {
        let mut facts = healthy("a.png");
        facts.set_alpha(AlphaFacts { transparent: 0.25, partial: 0.02, ..OPAQUE });
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(
            (findings[0].level, findings[0].message.as_str()),
            (Level::Warning, "25 % of the pixels are transparent and 2 % partly so")
        );
    }

    #[test]
    fn an_opaque_channel_is_information() {
        let mut facts = healthy("a.png");
        facts.set_alpha(OPAQUE);
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Info);
        facts.set_alpha(AlphaFacts { partial: 0.0001, ..OPAQUE });
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Info);
    }

    #[test]
    fn says_so_where_alpha_was_not_looked_at() {
        let mut facts = healthy("a.png");
        facts.probe_mut().transparency = true;
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Info);
    }

    #[test]
    fn stays_quiet_on_hidden_colours_and_without_alpha() {
        let mut facts = healthy("a.png");
        assert!(findings_of(&CHECK, &facts).is_empty());
        facts.set_alpha(AlphaFacts { transparent: 0.5, hidden: 0.5, hidden_color: Some([9, 9, 9]), ..OPAQUE });
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
