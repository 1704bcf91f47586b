//! I108: far fewer pixels than training wants.

use crate::checks::cause::loadable;
use crate::checks::words::rounded;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Level, Outcome, Phase, Profile, SampleFacts, Size};

declare_check! {
    /// ## What it does
    /// Reports images whose short side is under one step of bucket sides (64 pixels), and warns of those with less than a quarter
    /// of the pixels that the training resolution has. Of strips it only warns, since their short side is what extreme-aspect
    /// (I107) is about.
    ///
    /// ## Why it matters
    /// With buckets that do not scale up, a side under one step is rounded down to nothing: ai-toolkit made a 0x0 bucket and
    /// training broke down without the path of the file (ai-toolkit PR#107), musubi-tuner (30c658c4, `dataset/bucket.py`) makes
    /// a side of 0 and stops when it encodes. With buckets that scale up, the picture is enlarged to more than twice its sides,
    /// and the model learns the blur.
    ///
    /// ## Example
    /// A thumbnail of 122x63 pixels among pictures of 1024x1024: the short side of 63 is under the step of 64.
    ///
    /// ## What to do
    /// Find a larger version of the image, or move it out of the dataset.
    I108 "too-small", level: Error, since: "0.1.0", run: Run::Sample(check),
}

/// A picture with less than the resolution's pixels divided by this is enlarged to more than twice its sides.
const AREA_DIVISOR: u64 = 4;

fn check(facts: &SampleFacts, profile: &Profile, out: &mut Findings) {
    let Some(probe) = loadable(facts) else { return };
    let size = probe.size;
    let wanted = profile.resolution.pixels();
    let is_under_step = size.short_side() < profile.bucket_step;
    let is_under_area = size.pixels() < wanted / AREA_DIVISOR;
    // Where the trainer is known, its own buckets say more (B101, B105).
    if !profile.is_generic() || size.short_side() == 0 || !(is_under_step || is_under_area) {
        return;
    }
    let scale = scale_up(size, profile.resolution);
    if is_under_step && !is_strip(size, profile) {
        let message = format!("the short side of {size} is under one bucket step of {} pixels", profile.bucket_step);
        out.report(&facts.sample.path, message)
            .evidence("short_side", size.short_side())
            .evidence("bucket_step", profile.bucket_step)
            .evidence("scale", rounded(scale, 1))
            .means(Outcome::Stop, Phase::Caching, "a bucket side becomes 0 where buckets do not scale up, and encoding fails")
            .help("find a larger version of the image, or move it and its caption out of the dataset");
    } else if is_under_area {
        let message = format!(
            "{size} has less than a quarter of the pixels of {}, and is enlarged {scale:.1} times on each side",
            profile.resolution
        );
        out.report(&facts.sample.path, message)
            .level(Level::Warning)
            .evidence("pixels", size.pixels())
            .evidence("limit", wanted / AREA_DIVISOR)
            .evidence("scale", rounded(scale, 1))
            .means(Outcome::Distort, Phase::Training, "the picture is trained on scaled up, and its blur is learned")
            .help("find a larger version of the image, or move it out of the dataset");
    }
}

/// How often each side is enlarged until the picture has the pixels of the resolution.
fn scale_up(size: Size, resolution: Size) -> f64 {
    let ratio = |wanted: u32, there: u32| f64::from(wanted) / f64::from(there.max(1));
    (ratio(resolution.width, size.width) * ratio(resolution.height, size.height)).sqrt()
}

/// Whether the picture is small in one direction only, which I107 reports.
fn is_strip(size: Size, profile: &Profile) -> bool {
    size.long_side() >= profile.bucket_step && f64::from(size.long_side()) > profile.max_aspect * f64::from(size.short_side())
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Finding, Level};

    fn found(width: u32, height: u32) -> Vec<Finding> {
        let mut facts = healthy("a.jpg");
        facts.probe_mut().size = crate::model::Size::new(width, height);
        findings_of(&CHECK, &facts)
    }

    #[test]
    fn a_short_side_under_one_step_is_an_error() {
        let findings = found(122, 63);
        assert_eq!((findings.len(), findings[0].level), (1, Level::Error));
        assert_eq!(findings[0].message, "the short side of 122x63 is under one bucket step of 64 pixels");
        assert_eq!(findings[0].evidence["short_side"], 63);
        assert_eq!(found(5, 3)[0].level, Level::Error);
    }

    #[test]
    fn less_than_a_quarter_of_the_pixels_is_a_warning() {
        let findings = found(122, 64);
        assert_eq!((findings.len(), findings[0].level), (1, Level::Warning));
        let findings = found(256, 256);
        assert_eq!(findings[0].evidence["scale"], 4.0);
        assert_eq!(found(512, 511).len(), 1);
    }

    #[test]
    fn a_strip_is_a_warning() {
        assert_eq!(found(2048, 9)[0].level, Level::Warning);
    }

    #[test]
    fn a_quarter_of_the_pixels_is_enough() {
        assert!(found(512, 512).is_empty());
        assert!(found(4096, 64).is_empty());
        assert!(found(0, 0).is_empty());
    }
}
