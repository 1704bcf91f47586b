//! F111: the same bytes under several names.

use std::collections::BTreeMap;

use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{ContentHash, DatasetFacts, Outcome, Phase, Profile, SampleBrief};

declare_check! {
    /// ## What it does
    /// Warns of images that are the same, byte for byte, under several names. A group is one finding. Files that cannot be
    /// trained on are left to the checks that say why.
    ///
    /// ## Why it matters
    /// A picture that is there three times is trained on three times as often, and is what the model repeats most faithfully. If the
    /// captions differ, the model learns that they mean the same. Where part of the dataset is set aside for validation, the
    /// copies make the validation loss look better than it is.
    ///
    /// ## Example
    /// `cat.png` and `cat (1).png` from two downloads; the same picture in two concept folders.
    ///
    /// ## What to do
    /// Keep one of them. To train on a picture more often on purpose, use the repeats of the trainer.
    F111 "duplicate-content", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let mut groups: BTreeMap<ContentHash, Vec<&SampleBrief>> = BTreeMap::new();
    for sample in facts.samples.iter().filter(|sample| sample.is_usable() && sample.size_bytes > 0) {
        if let Some(content) = sample.content {
            groups.entry(content).or_default().push(sample);
        }
    }
    let mut groups: Vec<(ContentHash, Vec<&SampleBrief>)> = groups.into_iter().filter(|(_, group)| group.len() > 1).collect();
    groups.sort_by_key(|(_, group)| group.first().map(|sample| sample.index));
    for (content, group) in groups {
        let captions_differ = group.windows(2).any(|pair| matches!(pair, [a, b] if a.caption_content != b.caption_content));
        let captions = if captions_differ { "different captions" } else { "the same caption" };
        let message = format!("{} hold the same bytes, with {captions}", counted(group.len(), "file"));
        out.report_all(group.iter().map(|sample| sample.path.clone()).collect(), message)
            .evidence("content", content.to_string())
            .evidence("files", group.len())
            .evidence("captions_differ", captions_differ)
            .means(Outcome::Distort, Phase::Training, format!("the picture is trained on {} times as often as others", group.len()))
            .help("keep one of them, and use the trainer's repeats if it is to be seen more often");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, hash_of, healthy};
    use crate::model::{Decoded, Fault, FaultKind, Inventory, RelPath, SampleFacts, SampleIndex};

    fn sample(index: u32, path: &str, content: &str) -> SampleFacts {
        let mut facts = healthy(path);
        facts.sample.index = SampleIndex(index);
        facts.content = Some(hash_of(content));
        facts
    }

    #[test]
    fn a_group_is_one_finding_and_groups_come_in_order_of_their_first() {
        let samples =
            [sample(0, "a.png", "z"), sample(1, "b.png", "y"), sample(2, "c.png", "z"), sample(3, "d.png", "y"), sample(4, "e.png", "z")];
        let findings = findings_in(&CHECK, &samples, Inventory::default());
        let paths: Vec<Vec<&str>> = findings.iter().map(|finding| finding.paths.iter().map(RelPath::as_str).collect()).collect();
        assert_eq!(paths, [vec!["a.png", "c.png", "e.png"], vec!["b.png", "d.png"]]);
        assert_eq!(findings[0].message, "3 files hold the same bytes, with different captions");
    }

    #[test]
    fn says_when_captions_agree() {
        let mut samples = [sample(0, "a.png", "z"), sample(1, "b.png", "z")];
        for facts in &mut samples {
            facts.caption_mut().content = hash_of("one caption");
        }
        assert_eq!(findings_in(&CHECK, &samples, Inventory::default())[0].evidence["captions_differ"], false);
    }

    #[test]
    fn stays_quiet_on_different_bytes_and_on_what_cannot_be_trained_on() {
        let mut empty = [sample(1, "b.png", ""), sample(2, "c.png", "")];
        for facts in &mut empty {
            facts.sample.size_bytes = 0;
            facts.probe = Err(Fault::new(FaultKind::Empty, "no bytes"));
            facts.decoded = Decoded::undecided(Fault::new(FaultKind::Empty, "no bytes"));
        }
        let [first, second] = empty;
        assert!(findings_in(&CHECK, &[sample(0, "a.png", "a"), first, second], Inventory::default()).is_empty());
    }
}
