//! C114: captions with the same content.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::{Findings, Run, declare_check};
use crate::model::{ContentHash, DatasetFacts, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports caption files whose bytes are the same, in one finding with all groups. Empty and blank captions do not
    /// count.
    ///
    /// ## Why it matters
    /// Often meant so: a style or subject trained with one prompt. Where captions are meant to describe their images, the
    /// same text twice is the trace of a copy that went wrong or of a captioning tool that repeats itself.
    ///
    /// ## Example
    /// A captioning script that wrote the last answer again when the model failed.
    ///
    /// ## What to do
    /// Nothing, if one caption for all is meant. Else write the captions again.
    C114 "duplicate-caption", level: Info, since: "0.1.0", run: Run::Dataset(check),
}

/// Groups that are listed one by one.
const MAX_GROUPS: usize = 50;

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let mut by_content: BTreeMap<ContentHash, BTreeSet<&RelPath>> = BTreeMap::new();
    for sample in facts.samples {
        if let (Some(content), Some(caption)) = (sample.caption_content, &sample.caption) {
            by_content.entry(content).or_default().insert(caption);
        }
    }
    let mut groups: Vec<BTreeSet<&RelPath>> = by_content.into_values().filter(|group| group.len() > 1).collect();
    if groups.is_empty() {
        return;
    }
    groups.sort();
    let count: usize = groups.iter().map(BTreeSet::len).sum();
    let listed: Vec<Vec<&str>> = groups.iter().take(MAX_GROUPS).map(|group| group.iter().map(|path| path.as_str()).collect()).collect();
    let paths = groups.iter().flatten().map(|path| (*path).clone()).collect();
    out.report_all(paths, format!("{count} captions share their text with another, {} different text(s)", groups.len()))
        .evidence("captions", count)
        .evidence("group_count", groups.len())
        .evidence("groups", listed)
        .means(Outcome::Train, Phase::Training, "the images are trained with the same prompt")
        .help("nothing, if that is meant; else write the captions again");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::Inventory;

    #[test]
    fn groups_captions_of_the_same_content() {
        let mut samples = [healthy("a.png"), healthy("b.png"), healthy("c.png")];
        let content = samples[0].caption_mut().content;
        samples[2].caption_mut().content = content;
        let findings = findings_in(&CHECK, &samples, Inventory::default());
        assert_eq!(findings[0].evidence["groups"], serde_json::json!([["a.txt", "c.txt"]]));
    }

    #[test]
    fn stays_quiet_on_one_file_shared_by_two_images_and_on_empty_files() {
        assert!(findings_in(&CHECK, &[healthy("a.png"), healthy("a.jpg")], Inventory::default()).is_empty());
        let mut samples = [healthy("a.png"), healthy("b.png")];
        for sample in &mut samples {
            sample.caption_mut().size_bytes = 0;
            sample.caption_mut().content = crate::checks::support::hash_of("");
        }
        assert!(findings_in(&CHECK, &samples, Inventory::default()).is_empty());
    }
}
