//! B103: a bucket that does not fill its batches.

use crate::checks::placed::paths;
use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Consequence, DatasetFacts, Level, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports buckets whose pictures do not fill whole batches, where the chosen trainer drops the rest, fills the batch with
    /// repeats, or does not start.
    ///
    /// ## Why it matters
    /// Batches never mix buckets. `OneTrainer`, diffusion-pipe and the bucketing diffusers scripts drop what does not fill a batch,
    /// ai-toolkit fills it by training some pictures twice as often, and SimpleTuner does not start at all if one bucket has fewer
    /// pictures than a step takes: a single picture of an odd shape is enough.
    ///
    /// ## Example
    /// Nine pictures of 832x1216 in batches of 4: one is left out of each epoch.
    ///
    /// ## What to do
    /// Crop odd shapes to one of the larger buckets, or take a smaller batch.
    B103 "bucket-underfilled", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    for table in facts.buckets {
        // Buckets of which nothing is left are the business of bucket-all-dropped (B104).
        for bucket in table.buckets.iter().filter(|bucket| !bucket.members.is_empty() && (bucket.stops || !bucket.has_vanished())) {
            let images = counted(bucket.taken, "image");
            let (message, outcome, phase, text) = if bucket.stops {
                let message = format!("the bucket {} has {images}, and a step takes {}", bucket.size, table.whole);
                (message, Outcome::Stop, Phase::DatasetScan, "the run does not start with a bucket this small".to_owned())
            } else if bucket.dropped > 0 {
                let each = if table.rotates { "others in each epoch" } else { "the same in each epoch" };
                let message = format!("of {images} in the bucket {}, {} fill no batch of {}", bucket.size, bucket.dropped, table.whole);
                (message, Outcome::Skip, Phase::Training, format!("they are left out, {each}"))
            } else if bucket.filled > 0 {
                let message = format!("{images} in the bucket {} fill no whole batch of {}", bucket.size, table.batch_size);
                (message, Outcome::Distort, Phase::Training, format!("the batch is filled with {} of them once more", bucket.filled))
            } else {
                continue;
            };
            let level = match outcome {
                Outcome::Stop => Level::Error,
                Outcome::Skip if !table.rotates => Level::Warning,
                _ => Level::Info,
            };
            out.report_all(paths(facts, &bucket.members), message)
                .level(level)
                .evidence("bucket", bucket.size.to_string())
                .evidence("images", bucket.taken)
                .evidence("batch", table.whole)
                .evidence("dropped", bucket.dropped)
                .evidence("filled", bucket.filled)
                .means_to(table.trainer, Consequence { outcome, phase, text })
                .help("crop the pictures to a shape that more of them have, or take a smaller batch");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of_buckets, placed, table};
    use crate::model::{Bucket, Level, Size};

    fn nine() -> Bucket {
        let size = Size::new(832, 1216);
        placed(&(0..9).map(|number| (number, size)).collect::<Vec<_>>(), size)
    }

    #[test]
    fn full_batches_are_quiet() {
        assert!(findings_of_buckets(&CHECK, 9, &table(3, vec![nine()])).is_empty());
    }

    #[test]
    fn what_is_dropped_is_worse_if_it_is_always_the_same() {
        let mut table = table(4, vec![Bucket { batches: 2, dropped: 1, ..nine() }]);
        let findings = findings_of_buckets(&CHECK, 9, &table);
        assert_eq!(findings[0].message, "of 9 images in the bucket 832x1216, 1 fill no batch of 4");
        assert_eq!((findings[0].level, findings[0].paths.len()), (Level::Warning, 9));
        table.rotates = true;
        assert_eq!(findings_of_buckets(&CHECK, 9, &table)[0].level, Level::Info);
    }

    #[test]
    fn a_bucket_that_stops_the_run_is_an_error() {
        let findings = findings_of_buckets(&CHECK, 9, &table(16, vec![Bucket { batches: 0, stops: true, ..nine() }]));
        assert_eq!(findings[0].level, Level::Error);
        assert_eq!(findings[0].message, "the bucket 832x1216 has 9 images, and a step takes 16");
    }
}
