//! I107: a strip, far longer than it is wide.

use crate::checks::cause::loadable;
use crate::checks::words::rounded;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Warns of images whose longer side is more than eight times the shorter one, or whatever limit the trainer's profile has.
    /// Sides are those that a person sees, after EXIF orientation.
    ///
    /// ## Why it matters
    /// No bucket is that long: trainers scale the strip until its short side fits and cut the rest away, so that a blurred piece of
    /// it is trained on. Preprocessing of Qwen-VL refuses images above 200 with `ValueError: absolute aspect ratio must be smaller
    /// than 200`, in the middle of a run.
    ///
    /// ## Example
    /// A divider line of 2048x9 pixels that was scraped along with the pictures, 227.6 times as long as it is wide
    /// (Qwen-VL-Series-Finetune#133).
    ///
    /// ## What to do
    /// Cut the image to the part that matters, pad it, or move it out of the dataset.
    I107 "extreme-aspect", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

/// Longer side by shorter side that Qwen-VL preprocessing refuses (transformers, `models/qwen2_vl/image_processing_qwen2_vl.py`,
/// `smart_resize`).
const QWEN_VL_LIMIT: f64 = 200.0;

fn check(facts: &SampleFacts, profile: &Profile, out: &mut Findings) {
    let Some(probe) = loadable(facts) else { return };
    let size = probe.oriented_size();
    if size.short_side() == 0 {
        return;
    }
    let aspect = f64::from(size.long_side()) / f64::from(size.short_side());
    // Where the trainer is known, its own buckets say more (B102, B106).
    if !profile.is_generic() || aspect <= profile.max_aspect {
        return;
    }
    let mut message =
        format!("{size} has sides of {aspect:.1} to 1, and more than {} to 1 is a strip that no bucket fits", profile.max_aspect);
    if aspect > QWEN_VL_LIMIT {
        message.push_str("; Qwen-VL preprocessing refuses more than 200 to 1");
    }
    out.report(&facts.sample.path, message)
        .evidence("aspect", rounded(aspect, 1))
        .evidence("limit", profile.max_aspect)
        .evidence("qwen_vl_limit", QWEN_VL_LIMIT)
        .means(Outcome::Distort, Phase::Training, "most of the strip is cut away, and the rest is trained on scaled up")
        .help("cut the image to the part that matters, pad it, or move it out of the dataset");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Finding, Level, Size};

    fn found(width: u32, height: u32) -> Vec<Finding> {
        let mut facts = healthy("a.png");
        facts.probe_mut().size = Size::new(width, height);
        findings_of(&CHECK, &facts)
    }

    #[test]
    fn warns_of_strips_in_both_directions() {
        for (width, height) in [(2048, 9), (9, 2048)] {
            let findings = found(width, height);
            assert_eq!((findings[0].level, &findings[0].evidence["aspect"]), (Level::Warning, &227.6.into()));
            assert!(findings[0].message.contains("refuses more than 200 to 1"));
        }
    }

    #[test]
    fn names_the_limit_of_qwen_vl_only_above_it() {
        assert!(!found(1800, 9)[0].message.contains("Qwen"));
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        assert!(found(1024, 128).is_empty());
        assert_eq!(found(1025, 128).len(), 1);
        assert!(found(0, 128).is_empty());
    }
}
