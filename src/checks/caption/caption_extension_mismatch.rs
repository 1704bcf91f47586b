//! C113: captions have another extension than the trainer looks for.

use std::collections::BTreeMap;

use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Level, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports images whose caption is there, under another extension than the one that the trainer looks for. An error
    /// where no image has a caption as things stand, a warning where some have.
    ///
    /// ## Why it matters
    /// sd-scripts looks for `.caption` unless it is told otherwise, most tools write `.txt`. The run goes through with a
    /// warning in the log, no caption is used, and the model learns next to nothing of the words.
    ///
    /// ## Example
    /// 20 images with `.txt`, and a run with `caption_extension = ".caption"`.
    ///
    /// ## What to do
    /// Set the trainer's caption extension to what the files have, or rename the files that differ.
    C113 "caption-extension-mismatch", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, profile: &Profile, out: &mut Findings) {
    let (total, wanted) = (facts.samples.len(), profile.caption_extension.as_str());
    let matched = facts.samples.iter().filter(|sample| sample.caption.is_some()).count();
    let mut by_extension: BTreeMap<&str, Vec<RelPath>> = BTreeMap::new();
    for sample in facts.samples.iter().filter(|sample| sample.caption.is_none()) {
        for extension in &sample.other_captions {
            by_extension.entry(extension).or_default().push(sample.path.clone());
        }
    }
    // The extension that would match most images; of several, the first by name.
    let Some((extension, paths)) = by_extension.into_iter().rev().max_by_key(|(_, paths)| paths.len()) else { return };
    let others = paths.len();
    let message = if matched == 0 {
        format!("0 of {total} images have a caption with {wanted}; {others} of {total} would have one with .{extension}")
    } else {
        format!("{matched} of {total} images have a caption with {wanted}; {others} more have one with .{extension}, which is not read")
    };
    let (level, help) = if matched == 0 {
        (
            Level::Error,
            format!("set the caption extension to .{extension} (`caption_extension` in sd-scripts, `caption_ext` in ai-toolkit)"),
        )
    } else {
        (Level::Warning, format!("rename the .{extension} files to {wanted}"))
    };
    out.report_all(paths, message)
        .level(level)
        .evidence("images", total)
        .evidence("matched", matched)
        .evidence("would_match", others)
        .evidence("caption_extension", wanted)
        .evidence("other_extension", format!(".{extension}"))
        .means(Outcome::Distort, Phase::DatasetScan, "the images count as having no caption; their captions are never read")
        .help(help);
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Level, SampleFacts};

    fn uncaptioned(path: &str, other: &str) -> SampleFacts {
        let mut facts = healthy(path);
        facts.remove_caption();
        facts.sample.other_captions.push(other.into());
        facts
    }

    #[test]
    fn says_how_many_would_match() {
        let samples: Vec<_> = (0..20).map(|number| uncaptioned(&format!("{number}.png"), "caption")).collect();
        let findings = findings_in(&CHECK, &samples, Inventory::default());
        assert_eq!(findings[0].message, "0 of 20 images have a caption with .txt; 20 of 20 would have one with .caption");
        assert_eq!(findings[0].level, Level::Error);
    }

    #[test]
    fn a_part_is_a_warning() {
        let mut samples: Vec<_> = (0..15).map(|number| healthy(&format!("{number}.png"))).collect();
        samples.extend((15..20).map(|number| uncaptioned(&format!("{number}.png"), "caption")));
        let findings = findings_in(&CHECK, &samples, Inventory::default());
        assert_eq!((findings[0].level, findings[0].paths.len()), (Level::Warning, 5));
    }

    #[test]
    fn stays_quiet_where_a_second_file_stands_beside_the_caption() {
        let mut facts = healthy("a.png");
        facts.sample.other_captions.push("caption".into());
        assert!(findings_in(&CHECK, &[facts], Inventory::default()).is_empty());
    }
}
