//! I122: a few images of a quite different size than the rest.

use crate::checks::words::{counted, grouped};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Finding, Level, Outcome, Phase, Profile, RelPath, SampleBrief, Size};

declare_check! {
    /// ## What it does
    /// Warns of a few images that are far smaller than the rest of the dataset, and notes a few that are far larger. The rule: at least
    /// 8 images that load; an image is an outlier if its number of pixels is less than a sixteenth or more than sixteen times the
    /// median (a quarter, or four times, on each side), and also lies outside the middle half of the dataset by more than three
    /// times the width of that half, on a scale of doublings. If more than a tenth of the dataset are outliers on one side, they are
    /// not a few, and nothing is reported.
    ///
    /// ## Why it matters
    /// Among pictures of one size, a picture of a very different one is there by mistake more often than not: a thumbnail, an icon, a contact
    /// sheet. A small one is scaled up, and its blur is trained on; a large one is scaled down, so that nothing of its detail is left.
    ///
    /// ## Example
    /// One thumbnail of 122x63 pixels among ten pictures of 1024x1024.
    ///
    /// ## What to do
    /// Look at the images, and move out of the dataset what does not belong there.
    I122 "size-outlier", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

/// Images that a dataset must have before anything in it can be called unusual.
const MIN_IMAGES: usize = 8;

/// Doublings of the pixel count away from the median from which on an image may be an outlier: 16 times.
const MIN_DOUBLINGS: f64 = 4.0;

/// Widths of the middle half outside of it from which on an image may be an outlier (Tukey's "far out" fence).
const FENCE: f64 = 3.0;

/// The outliers of one side must be at most one in so many.
const ONE_IN: usize = 10;

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let sized: Vec<(&SampleBrief, Size)> =
        facts.samples.iter().filter(|sample| sample.is_usable()).filter_map(|sample| Some((sample, sample.size?))).collect();
    let sized: Vec<(&SampleBrief, Size)> = sized.into_iter().filter(|(_, size)| size.pixels() > 0).collect();
    if sized.len() < MIN_IMAGES {
        return;
    }
    let mut pixels: Vec<u64> = sized.iter().map(|(_, size)| size.pixels()).collect();
    pixels.sort_unstable();
    let quantile = |numerator: usize| doublings(pixels[(pixels.len() - 1) * numerator / 4]);
    let (low, median, high) = (quantile(1), quantile(2), quantile(3));
    let width = high - low;
    let below = (median - MIN_DOUBLINGS).min(low - FENCE * width);
    let above = (median + MIN_DOUBLINGS).max(high + FENCE * width);
    let median_pixels = pixels[(pixels.len() - 1) / 2];
    let select = |is_outlier: &dyn Fn(f64) -> bool| -> Vec<(&SampleBrief, Size)> {
        sized.iter().copied().filter(|(_, size)| is_outlier(doublings(size.pixels()))).collect()
    };
    let few = |outliers: &[_]| !outliers.is_empty() && outliers.len() <= sized.len().div_ceil(ONE_IN);

    let small = select(&|at| at < below);
    if few(&small) {
        report(out, &small, "smaller", median_pixels)
            .means(Outcome::Distort, Phase::Training, "they are scaled up, and their blur is trained on")
            .help("look at the images, and move out of the dataset what does not belong there");
    }
    let large = select(&|at| at > above);
    if few(&large) {
        report(out, &large, "larger", median_pixels)
            .level(Level::Info)
            .means(Outcome::Train, Phase::Training, "they are scaled down, and their detail is lost")
            .help("look at the images, and cut them into parts if their detail is wanted");
    }
}

fn report<'a>(out: &'a mut Findings, outliers: &[(&SampleBrief, Size)], word: &str, median: u64) -> &'a mut Finding {
    let extreme = outliers.iter().map(|(_, size)| *size).max_by_key(|size| size.pixels().abs_diff(median));
    let example = extreme.map_or_else(String::new, |size| format!(" ({size})"));
    let paths: Vec<RelPath> = outliers.iter().map(|(sample, _)| sample.path.clone()).collect();
    let message = format!(
        "{} far {word} than the rest{example}: more than 16 times {word} than the median of {} pixels",
        counted(outliers.len(), "image") + if outliers.len() == 1 { " is" } else { " are" },
        grouped(median)
    );
    out.report_all(paths, message)
        .evidence("median_pixels", median)
        .evidence("limit", 16)
        .evidence("extreme", extreme.map(|size| size.to_string()))
}

/// The number of pixels on a scale of doublings.
#[expect(clippy::cast_precision_loss, reason = "a relative error of 2^-53 does not move a fence")]
fn doublings(pixels: u64) -> f64 {
    (pixels as f64).log2()
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Finding, Inventory, Level, Size};

    fn found(sizes: &[(u32, u32)]) -> Vec<Finding> {
        let samples: Vec<_> = sizes
            .iter()
            .enumerate()
            .map(|(at, &(width, height))| {
                let mut facts = healthy(&format!("{at:03}.png"));
                facts.probe_mut().size = Size::new(width, height);
                facts
            })
            .collect();
        findings_in(&CHECK, &samples, Inventory::default())
    }

    fn with(mut sizes: Vec<(u32, u32)>, odd: &[(u32, u32)]) -> Vec<(u32, u32)> {
        sizes.extend_from_slice(odd);
        sizes
    }

    #[test]
    fn one_thumbnail_among_ten_is_named() {
        let findings = found(&with(vec![(1024, 1024); 10], &[(122, 63)]));
        assert_eq!((findings.len(), findings[0].level, findings[0].paths[0].as_str()), (1, Level::Warning, "010.png"));
        assert_eq!(
            findings[0].message,
            "1 image is far smaller than the rest (122x63): more than 16 times smaller than the median of 1,048,576 pixels"
        );
    }

    #[test]
    fn large_ones_are_information() {
        assert_eq!(found(&with(vec![(512, 512); 19], &[(4096, 4096)]))[0].level, Level::Info);
    }

    #[test]
    fn a_sixteenth_is_allowed_and_so_is_a_wide_spread() {
        assert!(found(&with(vec![(1024, 1024); 10], &[(256, 256)])).is_empty());
        let spread: Vec<(u32, u32)> = (1..=20).map(|at| (at * at * 10, at * at * 10)).collect();
        assert!(found(&spread).is_empty());
    }

    #[test]
    fn stays_quiet_on_few_images_and_on_many_outliers() {
        assert!(found(&with(vec![(1024, 1024); 6], &[(32, 32)])).is_empty());
        assert!(found(&with(vec![(1024, 1024); 16], &[(32, 32); 4])).is_empty());
    }
}
