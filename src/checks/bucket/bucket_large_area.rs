//! B102: a bucket much larger than the resolution.

use crate::checks::placed::paths;
use crate::checks::words::{counted, rounded};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Consequence, DatasetFacts, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports buckets of more than one and a half times the pixels of the training resolution.
    ///
    /// ## Why it matters
    /// The largest batch decides how much memory a run needs. A trainer that fixes the short side, as SimpleTuner does with
    /// `resolution_type` pixel, makes a picture of 100x3000 one of 1024x34112; the run goes well until that bucket comes up, and
    /// then ends for want of memory.
    ///
    /// ## Example
    /// Three strips in a bucket of 1024x34112 while all others have 1 megapixel.
    ///
    /// ## What to do
    /// Crop the strips or move them out of the dataset; `walkaround buckets --rank-memory` says what that saves.
    B102 "bucket-large-area", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

/// Times the pixels of the resolution above which a bucket takes much more memory than the user counts on.
const LIMIT: f64 = 1.5;

fn check(facts: &DatasetFacts<'_>, profile: &Profile, out: &mut Findings) {
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let wanted = profile.resolution.pixels().max(1) as f64;
    for table in facts.buckets {
        for bucket in &table.buckets {
            #[expect(clippy::cast_precision_loss, reason = "a ratio")]
            let times = bucket.size.pixels() as f64 / wanted;
            if times <= LIMIT {
                continue;
            }
            let message = format!(
                "{} in the bucket {}, which has {times:.1} times the pixels of {}",
                counted(bucket.members.len(), "image"),
                bucket.size,
                profile.resolution
            );
            let text = "a batch of this bucket takes that much more memory than the others".to_owned();
            out.report_all(paths(facts, &bucket.members), message)
                .evidence("bucket", bucket.size.to_string())
                .evidence("times", rounded(times, 2))
                .evidence("limit", LIMIT)
                .means_to(table.trainer, Consequence { outcome: Outcome::Distort, phase: Phase::Training, text })
                .help("crop them, or move them out of the dataset if memory runs out");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of_buckets, placed, table};
    use crate::model::Size;

    #[test]
    fn half_as_much_again_is_allowed_and_more_is_not() {
        let with = |bucket| table(1, vec![placed(&[(0, Size::new(1024, 1024))], bucket)]);
        assert!(findings_of_buckets(&CHECK, 1, &with(Size::new(1024, 1536))).is_empty());
        let findings = findings_of_buckets(&CHECK, 1, &with(Size::new(1024, 34112)));
        assert_eq!(findings[0].message, "1 image in the bucket 1024x34112, which has 33.3 times the pixels of 1024x1024");
    }
}
