//! I105: more pixels than Pillow accepts, or than it accepts without a warning.

use crate::checks::cause::{Cause, Obstacle, loadable};
use crate::checks::words::grouped;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Level, MAX_PIXELS, Outcome, Phase, Profile, SampleFacts, Size, WARN_PIXELS};

declare_check! {
    /// ## What it does
    /// Reports images with more than 178,956,970 pixels, which Pillow refuses as a decompression bomb, and warns of those with
    /// more than 89,478,485, for which Pillow prints a warning.
    ///
    /// ## Why it matters
    /// sd-scripts reads sizes with another library, so the scan passes and the run stops while latents are cached, and since
    /// `DecompressionBombError` is no `OSError`, its log does not name the file (48d368fa, `library/train_util.py` 2948-2961).
    /// ai-toolkit leaves the file out with a console message. A picture below the limit still takes three bytes a pixel when it
    /// is loaded; OneTrainer moves the full size to the training device before it is reduced.
    ///
    /// ## Example
    /// A scan or a stitched panorama of 20000x19438 pixels (kohya_ss#2641).
    ///
    /// ## What to do
    /// Scale the image down. Trainers reduce it to about one megapixel anyway, so nothing is lost by it. Raising Pillow's limit
    /// is not needed.
    I105 "too-many-pixels", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let size = facts.size();
    if let Some(obstacle) = Obstacle::caused_by(facts, Cause::TooManyPixels) {
        let message = match size {
            Some(size) => {
                format!("{size} is {} pixels, and Pillow refuses more than {}", grouped(size.pixels()), grouped(MAX_PIXELS))
            }
            None => format!("Pillow refuses more than {} pixels: {}", grouped(MAX_PIXELS), obstacle.reason()),
        };
        out.report(&facts.sample.path, message)
            .evidence("pixels", size.map(Size::pixels))
            .evidence("limit", MAX_PIXELS)
            .because(&obstacle)
            .about(Condition::TooManyPixels)
            .means(Outcome::Stop, Phase::Caching, "loading raises DecompressionBombError, and the run stops, often without the file's name")
            .help("scale the image down");
    } else if let Some(probe) = loadable(facts)
        && probe.size.pixels() > WARN_PIXELS
    {
        let pixels = probe.size.pixels();
        let message = format!("{} is {} pixels, and Pillow warns of more than {}", probe.size, grouped(pixels), grouped(WARN_PIXELS));
        out.report(&facts.sample.path, message)
            .level(Level::Warning)
            .evidence("pixels", pixels)
            .evidence("limit", WARN_PIXELS)
            .means(Outcome::Train, Phase::Caching, "it is trained on; loading it takes much memory and prints DecompressionBombWarning")
            .help("scale the image down to what the training resolution needs");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Decoded, Fault, FaultKind, Level, SampleFacts, Size, Verdict};

    fn sized(width: u32, height: u32) -> SampleFacts {
        let mut facts = healthy("a.png");
        facts.probe_mut().size = Size::new(width, height);
        facts
    }

    #[test]
    fn refuses_above_the_hard_limit_and_warns_above_half_of_it() {
        let mut huge = sized(20_000, 19_438);
        huge.decoded = Decoded::undecided(Fault::new(FaultKind::TooManyPixels, "too many pixels"));
        huge.decoded.pillow = Verdict::refuses_open("DecompressionBombError", "could be decompression bomb DOS attack");
        let findings = findings_of(&CHECK, &huge);
        assert_eq!(findings[0].level, Level::Error);
        assert_eq!(findings[0].message, "20000x19438 is 388,760,000 pixels, and Pillow refuses more than 178,956,970");
        assert_eq!(findings[0].evidence["os_error"], false);

        let findings = findings_of(&CHECK, &sized(12_000, 8_200));
        assert_eq!((findings.len(), findings[0].level), (1, Level::Warning));
        assert_eq!(findings[0].evidence["pixels"], 98_400_000);
    }

    #[test]
    fn the_limits_themselves_are_allowed() {
        assert!(findings_of(&CHECK, &sized(9_000, 9_000)).is_empty());
        assert!(findings_of(&CHECK, &sized(17_895_697, 5)).is_empty());
        assert_eq!(findings_of(&CHECK, &sized(17_895_697, 10))[0].level, Level::Warning);
        let mut unknown = sized(178_956_971, 1);
        unknown.decoded = Decoded::undecided(Fault::new(FaultKind::OverBudget, "not decoded"));
        assert_eq!(findings_of(&CHECK, &unknown)[0].level, Level::Error);
        unknown.probe_mut().size = Size::new(178_956_970, 1);
        assert_eq!(findings_of(&CHECK, &unknown)[0].level, Level::Warning);
    }
}
