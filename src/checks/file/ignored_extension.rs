//! F109: an image that trainers do not pick up because of its extension or the extension's case.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::cause::pillow_knows;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, DatasetFacts, Format, Level, Outcome, Phase, Profile, RelPath, SampleBrief};

declare_check! {
    /// ## What it does
    /// Reports images whose extension is not picked up, or is picked up only by trainers that do not mind its case. One finding
    /// for each extension, with the number of images that are left; an error where none is.
    ///
    /// ## Why it matters
    /// A file that is not picked up is left out without a word, and the run goes on with a smaller dataset. Lists differ:
    /// sd-scripts (48d368fa) takes png, jpg, jpeg, webp and bmp in all small or all capital letters and nothing else, not even
    /// `.Jpg`; ai-toolkit and `OneTrainer` compare without case; bmp, tif, gif and avif are taken by some. Programs that list
    /// images twice may count a file in one place and drop it in the other.
    ///
    /// ## Example
    /// Six `.jpg` and four `.JPG` from a camera: ten are seen, six if the comparison is case-sensitive.
    ///
    /// ## What to do
    /// Rename to the extension of the content in small letters, or convert to PNG where the format is not on the list.
    F109 "ignored-extension", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, profile: &Profile, out: &mut Findings) {
    let is_exact = |line: &SampleBrief| profile.surely_picks_up(line.path.extension());
    let seen = facts.samples.iter().filter(|line| profile.picks_up(line.path.extension())).count();
    let exact = facts.samples.iter().filter(|line| is_exact(line)).count();

    let mut by_extension: BTreeMap<&str, Vec<&SampleBrief>> = BTreeMap::new();
    // What Pillow cannot open under any name is the business of unsupported-format (I104).
    let could_be_trained = |line: &&SampleBrief| line.format.or(line.named_format()).is_none_or(pillow_knows);
    for line in facts.samples.iter().filter(|line| !is_exact(line)).filter(could_be_trained) {
        by_extension.entry(line.path.extension()).or_default().push(line);
    }
    for (extension, lines) in by_extension {
        let number = lines.len();
        let (images, end) = if number == 1 { ("image", "ends") } else { ("images", "end") };
        let is_other_case = profile.picks_up(extension);
        let message = if is_other_case {
            format!("{number} {images} {end} in .{extension}: {seen} are seen, {exact} if the comparison is case-sensitive")
        } else if extension.is_empty() {
            let has = if number == 1 { "has" } else { "have" };
            format!("{number} {images} {has} no extension and will not be picked up; {seen} are")
        } else {
            format!("{number} {images} {end} in .{extension}, which will not be picked up; {seen} are")
        };
        let paths: Vec<RelPath> = lines.iter().map(|line| line.path.clone()).collect();
        let formats: BTreeSet<&str> = lines.iter().filter_map(|line| line.format).map(Format::name).collect();
        let finding = out.report_all(paths, message);
        finding
            .evidence("extension", extension)
            .evidence("images", number)
            .evidence("seen", seen)
            .evidence("seen_if_case_sensitive", exact)
            .evidence("formats", formats.into_iter().collect::<Vec<_>>())
            .evidence("picked_up", profile.image_extensions.clone());
        if seen == 0 {
            finding
                .about(if is_other_case { Condition::ExtensionInOtherCase } else { Condition::ExtensionNotPickedUp })
                .level(Level::Error)
                .means(Outcome::Skip, Phase::DatasetScan, "no image is left to train on")
                .help("rename them to the extension of their content, or convert them to PNG");
        } else if is_other_case {
            finding
                .about(Condition::ExtensionInOtherCase)
                .means(Outcome::Skip, Phase::DatasetScan, "trainers that compare the case leave them out without a word")
                .help(format!("rename them to .{}", extension.to_ascii_lowercase()));
        } else {
            finding
                .about(Condition::ExtensionNotPickedUp)
                .means(Outcome::Skip, Phase::DatasetScan, "they are left out without a word; their captions have no image")
                .help("rename them to the extension of their content, or convert them to PNG");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Level};

    #[test]
    fn gives_both_counts_for_capital_letters() {
        let mut samples: Vec<_> = (0..6).map(|n| healthy(&format!("{n}.jpg"))).collect();
        samples.extend((6..10).map(|n| healthy(&format!("{n}.JPG"))));
        let findings = findings_in(&CHECK, &samples, Inventory::default());
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "4 images end in .JPG: 10 are seen, 6 if the comparison is case-sensitive");
        assert_eq!((&findings[0].evidence["seen"], &findings[0].evidence["seen_if_case_sensitive"]), (&10.into(), &6.into()));
    }

    #[test]
    fn reports_each_extension_once() {
        let samples = [healthy("a.jfif"), healthy("b.tif"), healthy("c.tif"), healthy("d"), healthy("e.png")];
        let findings = findings_in(&CHECK, &samples, Inventory::default());
        let extensions: Vec<&str> = findings.iter().filter_map(|finding| finding.evidence["extension"].as_str()).collect();
        assert_eq!(extensions, ["", "jfif", "tif"]);
        assert_eq!(findings[2].message, "2 images end in .tif, which will not be picked up; 1 are");
    }

    #[test]
    fn is_an_error_where_no_image_is_left() {
        let samples = [healthy("a.tif"), healthy("b.tif")];
        assert_eq!(findings_in(&CHECK, &samples, Inventory::default())[0].level, Level::Error);
    }

    #[test]
    fn stays_quiet_about_the_usual_extensions() {
        let samples = [healthy("a.png"), healthy("b.jpeg"), healthy("c.webp"), healthy("a.JPG.png")];
        assert!(findings_in(&CHECK, &samples, Inventory::default()).is_empty());
    }
}
