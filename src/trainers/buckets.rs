//! The bucket table: placements grouped by bucket, and what batches they make. Knows how remainders are treated, and no trainer.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::trainer::{Batching, Remainder, Trainer};
use crate::model::{Bucket, BucketTable, Member, SampleIndex, Size, Unplaced};

/// Groups the pictures of one dataset by the bucket that they go to. Each comes with the number of the resolution that it is
/// placed at.
#[must_use]
pub fn table(
    trainer: &dyn Trainer,
    folder: &str,
    placed: impl IntoIterator<Item = (usize, Member)>,
    unplaced: Vec<(SampleIndex, Unplaced)>,
) -> BucketTable {
    let batching = trainer.batching();
    let mut by_size: BTreeMap<(usize, Size), Vec<Member>> = BTreeMap::new();
    for (resolution, member) in placed {
        by_size.entry((resolution, member.placement.bucket)).or_default().push(member);
    }
    let mut buckets: Vec<Bucket> =
        by_size.into_iter().map(|((resolution, size), members)| bucket(size, resolution, members, &batching)).collect();
    buckets.sort_by_key(|bucket| (Reverse(bucket.size.pixels()), Reverse(bucket.size.width), bucket.resolution));
    // Where a step takes a batch of each GPU, all of them are counted in a pass.
    let side_by_side = match batching.remainder {
        Remainder::Dropped { .. } => u64::from(batching.whole.max(1) / batching.batch_size.max(1)).max(1),
        Remainder::Kept | Remainder::Filled | Remainder::FilledOrStops => 1,
    };
    let batches = buckets.iter().map(|bucket| bucket.batches).sum::<u64>().div_ceil(side_by_side);
    BucketTable {
        trainer: trainer.about().name,
        folder: folder.to_owned(),
        batch_size: batching.batch_size.max(1),
        whole: batching.whole.max(1),
        rotates: batching.remainder == Remainder::Dropped { rotates: true },
        steps: batches.div_ceil(batching.accumulation.max(1).into()),
        buckets,
        unplaced,
    }
}

fn bucket(size: Size, resolution: usize, members: Vec<Member>, batching: &Batching) -> Bucket {
    let taken = taken(&members);
    let (batch, whole) = (u64::from(batching.batch_size.max(1)), u64::from(batching.whole.max(1)));
    let short = taken.div_ceil(batch);
    let (batches, dropped, filled, stops) = match batching.remainder {
        Remainder::Kept => (short, 0, 0, false),
        Remainder::Dropped { .. } => {
            let kept = taken / whole * whole;
            // Of a step on several GPUs each takes its own batch.
            (kept / batch, taken - kept, 0, false)
        }
        Remainder::FilledOrStops if taken < whole => (0, 0, 0, true),
        Remainder::Filled | Remainder::FilledOrStops => (short, 0, short * batch - taken, false),
    };
    Bucket { size, resolution, members, taken, batches, dropped, filled, stops }
}

/// Pictures of a bucket in a pass beyond which nothing is counted: nobody would see the end of it.
const MOST: f64 = 1e12;

/// Pictures in a pass: the sum of the repeats, of which a fraction that is left counts for nothing.
fn taken(members: &[Member]) -> u64 {
    let sum: f64 = members.iter().map(|member| member.repeats.max(0.0)).sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is bounded, and not negative")]
    let taken = (sum + 1e-9).min(MOST) as u64;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Placement;

    fn members(count: u32) -> Vec<Member> {
        let size = Size::new(512, 512);
        let placement = Placement { bucket: size, resized: size, crop: [0, 0] };
        (0..count).map(|number| Member { sample: SampleIndex(number), size, placement, repeats: 1.0 }).collect()
    }

    fn batches(count: u32, batching: Batching) -> (u64, u64, u64, bool) {
        let bucket = bucket(Size::new(512, 512), 0, members(count), &batching);
        (bucket.batches, bucket.dropped, bucket.filled, bucket.stops)
    }

    #[test]
    fn remainders_are_kept_filled_dropped_or_stop_the_run() {
        let with = |remainder| Batching { batch_size: 4, whole: 4, accumulation: 1, remainder };
        assert_eq!(batches(9, with(Remainder::Kept)), (3, 0, 0, false));
        assert_eq!(batches(9, with(Remainder::Filled)), (3, 0, 3, false));
        assert_eq!(batches(9, with(Remainder::Dropped { rotates: true })), (2, 1, 0, false));
        assert_eq!(batches(3, with(Remainder::Dropped { rotates: false })), (0, 3, 0, false));
        assert_eq!(batches(3, with(Remainder::FilledOrStops)), (0, 0, 0, true));
        assert_eq!(batches(9, with(Remainder::FilledOrStops)), (3, 0, 3, false));
    }

    #[test]
    fn a_bucket_smaller_than_the_batches_of_all_gpus_vanishes() {
        let batching = Batching { batch_size: 4, whole: 8, accumulation: 1, remainder: Remainder::Dropped { rotates: false } };
        assert_eq!(batches(7, batching), (0, 7, 0, false));
        assert_eq!(batches(9, batching), (2, 1, 0, false));
    }

    #[test]
    fn repeats_count_and_a_fraction_that_is_left_does_not() {
        let mut half = members(3);
        for member in &mut half {
            member.repeats = 0.5;
        }
        assert_eq!(taken(&half), 1);
        let mut often = members(2);
        often[0].repeats = 10.0;
        assert_eq!(taken(&often), 11);
    }

    #[test]
    fn absurd_repeats_are_bounded() {
        let mut absurd = members(2);
        absurd[0].repeats = 1e30;
        let batching = Batching { batch_size: u32::MAX, whole: u32::MAX, accumulation: 1, remainder: Remainder::Filled };
        let bucket = bucket(Size::new(512, 512), 0, absurd, &batching);
        assert_eq!((bucket.taken, bucket.batches), (1_000_000_000_000, 233));
    }
}
