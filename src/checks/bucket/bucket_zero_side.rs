//! B101: a picture that no bucket takes, or one of no pixels.

use std::collections::BTreeMap;

use crate::checks::placed::{members, path_of, paths};
use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Consequence, DatasetFacts, Level, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports pictures for which the chosen trainer finds no bucket, or a bucket with a side of 0.
    ///
    /// ## Why it matters
    /// Where buckets do not scale up, sides are rounded down to a multiple of the step: sd-scripts (48d368fa,
    /// `library/train_util.py` 311-345) divides by a height of 0 and stops with `ZeroDivisionError` without the file's name, and
    /// hands a width of 0 to the encoder; musubi-tuner stops when it encodes; SimpleTuner leaves very narrow pictures out.
    ///
    /// ## Example
    /// sd-scripts with `bucket_no_upscale` at 512x512 in steps of 64: of 2000x63 the height is rounded down to 0.
    ///
    /// ## What to do
    /// Crop or enlarge the picture until its short side has at least one step, or move it out of the dataset.
    B101 "bucket-zero-side", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    for table in facts.buckets {
        let mut by_error: BTreeMap<(&str, Outcome, Phase), Vec<RelPath>> = BTreeMap::new();
        for (sample, unplaced) in &table.unplaced {
            if let Some(path) = path_of(facts, *sample) {
                by_error.entry((&unplaced.error, unplaced.outcome, unplaced.phase)).or_default().push(path.clone());
            }
        }
        for ((error, outcome, phase), paths) in by_error {
            let message = format!("{} has no bucket for {}: {error}", table.trainer, counted(paths.len(), "image"));
            let text = match outcome {
                Outcome::Stop => "the run stops, as a rule without the file's name",
                _ => "they are left out",
            };
            let help = if error.starts_with("ZeroDivisionError") {
                "crop or enlarge them until the short side has at least one bucket step, or move them out of the dataset"
            } else {
                "correct the setting that the error names, or the images that it does not allow"
            };
            out.report_all(paths, message)
                .evidence("error", error)
                .means_to(table.trainer, Consequence { outcome, phase, text: text.to_owned() })
                .help(help);
        }
        let empty = members(table, |member| member.placement.bucket.short_side() == 0);
        if let Some(first) = empty.first() {
            let (size, bucket) = (first.size, first.placement.bucket);
            let message = format!("{} in a bucket without pixels, such as {size} in {bucket}", counted(empty.len(), "image"));
            let text = "an empty picture is handed to the encoder, and the run stops".to_owned();
            out.report_all(paths(facts, empty.iter().copied()), message)
                .level(Level::Error)
                .evidence("bucket", bucket.to_string())
                .means_to(table.trainer, Consequence { outcome: Outcome::Stop, phase: Phase::Caching, text })
                .help("crop or enlarge them until the short side has at least one bucket step, or move them out of the dataset");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of_buckets, placed, table};
    use crate::model::{SampleIndex, Size, Unplaced};

    #[test]
    fn what_has_no_bucket_is_named_by_the_trainers_error() {
        let mut table = table(4, vec![placed(&[(0, Size::new(1024, 1024))], Size::new(1024, 1024))]);
        table.unplaced.push((SampleIndex(1), Unplaced::stops("ZeroDivisionError: division by zero")));
        let findings = findings_of_buckets(&CHECK, 2, &table);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].paths[0].as_str(), "1.png");
        assert_eq!(findings[0].message, "kohya has no bucket for 1 image: ZeroDivisionError: division by zero");
    }

    #[test]
    fn a_side_of_one_pixel_is_a_bucket_and_one_of_none_is_not() {
        let with = |bucket| table(1, vec![placed(&[(0, Size::new(40, 600))], bucket)]);
        assert!(findings_of_buckets(&CHECK, 1, &with(Size::new(1, 576))).is_empty());
        assert_eq!(findings_of_buckets(&CHECK, 1, &with(Size::new(0, 576))).len(), 1);
    }
}
