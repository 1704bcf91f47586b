//! B105: pictures that are scaled up to their bucket.

use crate::checks::placed::{members, paths};
use crate::checks::words::{counted, rounded};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Consequence, DatasetFacts, Member, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports pictures that the chosen trainer scales up by more than one and a half times to fill their bucket.
    ///
    /// ## Why it matters
    /// The blur of the enlargement is learned as if it were the picture's own. `OneTrainer`, SimpleTuner and diffusers always
    /// scale up, sd-scripts does without `bucket_no_upscale`, and none of them says for which files.
    ///
    /// ## Example
    /// A picture of 640x480 in a bucket of 1152x896 is scaled by 1.87.
    ///
    /// ## What to do
    /// Find a larger version of the picture, train at a lower resolution, or turn scaling up off where the trainer can.
    B105 "bucket-upscaled", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

/// Scale of each side above which the blur shows.
const LIMIT: f64 = 1.5;

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    for table in facts.buckets {
        let scale = |member: &Member| member.placement.scale(member.size);
        let enlarged = members(table, |member| scale(member) > LIMIT);
        let Some(most) = enlarged.iter().max_by(|a, b| scale(a).total_cmp(&scale(b))) else { continue };
        let message = format!(
            "{} scaled up by more than {LIMIT}, most of all {} in {} by {:.1}",
            counted(enlarged.len(), "image"),
            most.size,
            most.placement.bucket,
            scale(most)
        );
        out.report_all(paths(facts, enlarged.iter().copied()), message)
            .evidence("images", enlarged.len())
            .evidence("largest_scale", rounded(scale(most), 2))
            .evidence("limit", LIMIT)
            .means_to(
                table.trainer,
                Consequence { outcome: Outcome::Distort, phase: Phase::Training, text: "their blur is trained on".to_owned() },
            )
            .help("find larger versions, or train at a lower resolution");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of_buckets, placed, table};
    use crate::model::Size;

    #[test]
    fn half_as_large_again_is_allowed_and_more_is_not() {
        let with = |size| table(1, vec![placed(&[(0, size)], Size::new(1152, 896))]);
        assert!(findings_of_buckets(&CHECK, 1, &with(Size::new(768, 598))).is_empty());
        let findings = findings_of_buckets(&CHECK, 1, &with(Size::new(640, 480)));
        assert_eq!(findings[0].message, "1 image scaled up by more than 1.5, most of all 640x480 in 1152x896 by 1.9");
    }
}
