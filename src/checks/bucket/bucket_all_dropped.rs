//! B104: a bucket of which nothing is ever trained on.

use crate::checks::placed::paths;
use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Bucket, Consequence, DatasetFacts, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports buckets that have fewer pictures than a batch, where the chosen trainer drops what does not fill one.
    ///
    /// ## Why it matters
    /// None of these pictures is ever trained on, in any epoch, and no trainer says which. With many shapes and a large batch
    /// that may be most of the dataset: of 100 pictures 76 were dropped because their buckets were smaller than the batch. If it
    /// is every bucket, the run has no steps at all.
    ///
    /// ## Example
    /// Three pictures of 640x1536 in batches of 4.
    ///
    /// ## What to do
    /// Take a smaller batch, or crop the pictures to a shape that more of them have.
    B104 "bucket-all-dropped", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    for table in facts.buckets {
        let vanished: Vec<&Bucket> = table.buckets.iter().filter(|bucket| bucket.has_vanished() && !bucket.stops).collect();
        let Some(largest) = vanished.first() else { continue };
        let images: u64 = vanished.iter().map(|bucket| bucket.taken).sum();
        let total: u64 = table.buckets.iter().map(|bucket| bucket.taken).sum();
        let buckets = if vanished.len() == 1 {
            format!("the bucket {}, which has", largest.size)
        } else {
            format!("{} buckets, which have", vanished.len())
        };
        let message = format!("{images} of {} in {buckets} fewer than a batch of {}", counted(total, "image"), table.whole);
        let (outcome, text) = if images == total {
            (Outcome::Stop, "there is no whole batch: the run has no steps, or stops")
        } else {
            (Outcome::Skip, "none of them is ever trained on")
        };
        let sizes: Vec<String> = vanished.iter().map(|bucket| bucket.size.to_string()).collect();
        out.report_all(paths(facts, vanished.iter().flat_map(|bucket| &bucket.members)), message)
            .evidence("buckets", sizes)
            .evidence("images", images)
            .evidence("batch", table.whole)
            .means_to(table.trainer, Consequence { outcome, phase: Phase::Training, text: text.to_owned() })
            .help("take a smaller batch, or crop the pictures to a shape that more of them have");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of_buckets, placed, table};
    use crate::model::{Bucket, Outcome, Size};

    fn bucket(numbers: std::ops::Range<u32>, batches: u64) -> Bucket {
        let size = Size::new(640, 1536);
        let dropped = if batches == 0 { u64::from(numbers.end - numbers.start) } else { 0 };
        Bucket { batches, dropped, ..placed(&numbers.map(|number| (number, size)).collect::<Vec<_>>(), size) }
    }

    #[test]
    fn a_bucket_smaller_than_the_batch_is_lost() {
        let findings = findings_of_buckets(&CHECK, 11, &table(4, vec![bucket(0..3, 0), bucket(3..11, 2)]));
        assert_eq!(findings[0].message, "3 of 11 images in the bucket 640x1536, which has fewer than a batch of 4");
        assert_eq!((findings[0].paths.len(), findings[0].consequences["kohya"].outcome), (3, Outcome::Skip));
    }

    #[test]
    fn without_any_batch_the_run_has_no_steps() {
        let findings = findings_of_buckets(&CHECK, 3, &table(4, vec![bucket(0..3, 0)]));
        assert_eq!(findings[0].consequences["kohya"].outcome, Outcome::Stop);
    }

    #[test]
    fn a_whole_batch_is_enough() {
        assert!(findings_of_buckets(&CHECK, 4, &table(4, vec![bucket(0..4, 1)])).is_empty());
    }
}
