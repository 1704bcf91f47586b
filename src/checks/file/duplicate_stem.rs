//! F110: images that differ only in their extension.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, DatasetFacts, Level, Outcome, Phase, Profile, RelPath, SampleBrief, printable};

declare_check! {
    /// ## What it does
    /// Reports images of one folder whose names differ only in the extension, such as `cat.png` and `cat.jpg`. It is a warning
    /// where common trainers pick up only one of them, as with `cat.png` beside `cat.psd`.
    ///
    /// ## Why it matters
    /// A caption and a cache file are found by the name without extension, so the images share them. Both are trained with one
    /// caption, and the latents of the second are written over those of the first or taken for them: with unequal sizes the
    /// run stops at some step with "stack expects each tensor to be equal size", with equal sizes one image is trained twice
    /// and the other never. Older sd-scripts write `cat.npz`, newer ones `cat_0896x1152_sdxl.npz`; musubi-tuner (v0.3.4) names
    /// the text cache by the stem alone; SimpleTuner's latent cache too.
    ///
    /// ## Example
    /// `cat.png` 896x1152 and `cat.jpg` 960x1088 with one `cat.txt`.
    ///
    /// ## What to do
    /// Rename one of the images, give it a caption of its own, and delete the cache files of that name.
    F110 "duplicate-stem", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, profile: &Profile, out: &mut Findings) {
    let mut lines: Vec<&SampleBrief> = facts.samples.iter().filter(|line| line.named_format().is_some()).collect();
    lines.sort_by_key(|line| (line.path.without_extension(), line.index));
    for same in lines.chunk_by(|a, b| a.path.without_extension() == b.path.without_extension()) {
        let [first, _, ..] = same else { continue };
        let extensions: Vec<&str> = same.iter().map(|line| line.path.extension()).collect();
        let caption = first.caption.as_ref().map(RelPath::as_str);
        let sizes: Vec<Option<String>> = same.iter().map(|line| line.size.map(|size| size.to_string())).collect();
        let what = if caption.is_some() { "one caption and one cache file" } else { "one cache file" };
        let message =
            format!("{} images are called {} ({}): they share {what}", same.len(), printable(first.path.stem()), extensions.join(", "));
        let finding = out.report_all(same.iter().map(|line| line.path.clone()).collect(), message);
        finding
            .evidence("stem", first.path.without_extension())
            .evidence("extensions", extensions)
            .evidence("caption", caption)
            .evidence("sizes", sizes);
        if same.iter().filter(|line| profile.picks_up(line.path.extension())).count() > 1 {
            finding.about(Condition::SharedStem).means(
                Outcome::Distort,
                Phase::Caching,
                "the images share a caption, and the cached latents of one stand for the other",
            );
        } else {
            finding.level(Level::Warning).means(
                Outcome::Train,
                Phase::DatasetScan,
                "not all are picked up; a trainer that takes more extensions gives them one caption and one cache file",
            );
        }
        finding.help("rename one of the images with a caption of its own, and delete the cache files of that name");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Level};

    #[test]
    fn fires_on_one_name_with_two_extensions() {
        let samples = [healthy("a/cat.jpg"), healthy("a/cat.png"), healthy("a/cat2.png")];
        let findings = findings_in(&CHECK, &samples, Inventory::default());
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "2 images are called cat (jpg, png): they share one caption and one cache file");
        assert_eq!(findings[0].evidence["caption"], "a/cat.txt");
    }

    #[test]
    fn a_source_file_beside_its_export_is_a_warning() {
        let findings = findings_in(&CHECK, &[healthy("cat.png"), healthy("cat.psd")], Inventory::default());
        assert_eq!((findings.len(), findings[0].level), (1, Level::Warning));
    }

    #[test]
    fn stays_quiet_about_other_folders_and_longer_names() {
        let samples =
            [healthy("a/cat.jpg"), healthy("b/cat.png"), healthy("a/cat.png.jpg"), healthy("a/Cat.png"), healthy("a/cat.png_old")];
        assert!(findings_in(&CHECK, &samples, Inventory::default()).is_empty());
    }
}
