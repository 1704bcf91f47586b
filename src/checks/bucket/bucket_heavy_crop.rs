//! B106: pictures of which the crop takes much.

use crate::checks::placed::{members, paths};
use crate::checks::words::{counted, rounded};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Consequence, DatasetFacts, HEAVY_CROP, Member, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports pictures of which the chosen trainer cuts more than a quarter away to fit them into their bucket.
    ///
    /// ## Why it matters
    /// What the caption describes may be in the part that is cut: heads and feet go first. Without buckets every picture is cut
    /// to one shape, and with few buckets a panorama loses most of itself.
    ///
    /// ## Example
    /// A picture of 1080x1920 in a bucket of 1024x1024 loses 44 % of its height.
    ///
    /// ## What to do
    /// Turn buckets on, allow longer sides, or crop the picture by hand around what matters.
    B106 "bucket-heavy-crop", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    for table in facts.buckets {
        let share = |member: &Member| member.placement.cropped_share();
        // What has no pixels left is reported as that (B101).
        let cut = members(table, |member| share(member) > HEAVY_CROP && member.placement.bucket.short_side() > 0);
        let Some(most) = cut.iter().max_by(|a, b| share(a).total_cmp(&share(b))) else { continue };
        let message = format!(
            "{} cropped by more than a quarter, most of all {} in {} by {:.0} %",
            counted(cut.len(), "image"),
            most.size,
            most.placement.bucket,
            share(most) * 100.0
        );
        out.report_all(paths(facts, cut.iter().copied()), message)
            .evidence("images", cut.len())
            .evidence("largest_share", rounded(share(most), 4))
            .evidence("limit", HEAVY_CROP)
            .means_to(
                table.trainer,
                Consequence { outcome: Outcome::Distort, phase: Phase::Training, text: "what is cut away is never trained on".to_owned() },
            )
            .help("turn buckets on or allow longer sides, or crop them by hand around what matters");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of_buckets, placed, table};
    use crate::model::{Bucket, Size};

    #[test]
    fn a_quarter_may_go_and_more_may_not() {
        let with = |resized: Size| {
            let mut bucket = placed(&[(0, Size::new(1080, 1920))], Size::new(1024, 1024));
            bucket.members[0].placement.resized = resized;
            Bucket { ..bucket }
        };
        assert!(findings_of_buckets(&CHECK, 1, &table(1, vec![with(Size::new(1024, 1365))])).is_empty());
        let findings = findings_of_buckets(&CHECK, 1, &table(1, vec![with(Size::new(1024, 1820))]));
        assert_eq!(findings[0].message, "1 image cropped by more than a quarter, most of all 1080x1920 in 1024x1024 by 44 %");
    }
}
