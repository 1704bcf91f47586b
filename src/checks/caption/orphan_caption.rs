//! C102: captions that no usable image belongs to.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization as _;

use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports caption files without an image of their name, and captions whose only image cannot be loaded, in one
    /// finding. Where the name of an image without caption differs only in case, spaces, dashes or Unicode form, it is
    /// named.
    ///
    /// ## Why it matters
    /// An orphan is the trace of something: an image that was deleted, renamed or never downloaded, so that the dataset
    /// is smaller than it was meant to be. Its image, if it was renamed, trains without a caption.
    ///
    /// ## Example
    /// `Photo 1.txt` beside `photo_1.jpg`; or `3.txt` beside a `3.png` of 0 bytes.
    ///
    /// ## What to do
    /// Restore or rename the image, or delete the caption.
    C102 "orphan-caption", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

/// Text files that stand in many folders and are not meant as captions.
const NOT_CAPTIONS: [&str; 8] = ["readme", "license", "licence", "requirements", "classes", "notes", "prompts", "sample_prompts"];

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let orphans: Vec<&RelPath> = facts
        .inventory
        .orphan_captions
        .iter()
        .map(|caption| &caption.path)
        .filter(|path| !NOT_CAPTIONS.iter().any(|stem| path.stem().eq_ignore_ascii_case(stem)))
        .collect();
    let usable: BTreeSet<&RelPath> =
        facts.samples.iter().filter(|sample| sample.is_usable()).filter_map(|sample| sample.caption.as_ref()).collect();
    let lost: BTreeSet<&RelPath> =
        facts.samples.iter().filter_map(|sample| sample.caption.as_ref()).filter(|caption| !usable.contains(caption)).collect();
    let message = match (orphans.len(), lost.len()) {
        (0, 0) => return,
        (without, 0) => format!("{without} caption(s) have no image"),
        (0, lost) => format!("{lost} caption(s) belong to an image that cannot be loaded"),
        (without, lost) => format!("{without} caption(s) have no image, and {lost} belong to an image that cannot be loaded"),
    };
    let images: BTreeMap<String, &RelPath> =
        facts.samples.iter().filter(|sample| sample.caption.is_none()).map(|sample| (loose_name(&sample.path), &sample.path)).collect();
    let near: Vec<String> = orphans
        .iter()
        .filter_map(|caption| Some(format!("{caption} may belong to {}", images.get(&loose_name(caption))?)))
        .take(20)
        .collect();
    let help = match near.first() {
        Some(first) => format!("rename the caption after its image ({first})"),
        None => "restore the image, or delete the caption".to_owned(),
    };
    let names = |paths: &mut dyn Iterator<Item = &&RelPath>| paths.map(|path| path.as_str().to_owned()).collect::<Vec<_>>();
    let finding = out.report_all(orphans.iter().chain(&lost).map(|path| (*path).clone()).collect(), message);
    finding
        .evidence("without_image", names(&mut orphans.iter()))
        .evidence("image_lost", names(&mut lost.iter()))
        .means(Outcome::Skip, Phase::DatasetScan, "the captions are never read")
        .help(help);
    if !near.is_empty() {
        finding.evidence("near", near);
    }
}

/// The path without extension, case, Unicode form, spaces, dashes and underscores.
fn loose_name(path: &RelPath) -> String {
    path.without_extension().nfc().flat_map(char::to_lowercase).filter(|character| !matches!(character, ' ' | '-' | '_')).collect()
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Fault, FaultKind, Inventory, RelPath, SideFile};

    fn with_orphan(name: &str) -> Inventory {
        let caption = SideFile { path: RelPath::from(name), size_bytes: 5, modified: None };
        Inventory { orphan_captions: vec![caption], ..Inventory::default() }
    }

    #[test]
    fn tells_captions_without_image_from_captions_of_lost_images() {
        let mut samples = [healthy("a.png"), healthy("b.png")];
        samples[1].probe = Err(Fault::new(FaultKind::Empty, "0 bytes"));
        let findings = findings_in(&CHECK, &samples, with_orphan("c.txt"));
        assert_eq!(findings[0].message, "1 caption(s) have no image, and 1 belong to an image that cannot be loaded");
        assert_eq!(findings[0].paths, [RelPath::from("b.txt"), RelPath::from("c.txt")]);
        assert_eq!(findings[0].evidence["image_lost"], serde_json::json!(["b.txt"]));
    }

    #[test]
    fn names_the_image_it_may_belong_to() {
        let mut samples = [healthy("photo_1.jpg")];
        samples[0].remove_caption();
        let findings = findings_in(&CHECK, &samples, with_orphan("Photo 1.txt"));
        assert_eq!(findings[0].evidence["near"][0], "Photo 1.txt may belong to photo_1.jpg");
    }

    #[test]
    fn stays_quiet_where_another_image_shares_the_caption_and_on_a_readme() {
        let mut samples = [healthy("a.png"), healthy("a.jpg")];
        samples[1].probe = Err(Fault::new(FaultKind::Empty, "0 bytes"));
        assert!(findings_in(&CHECK, &samples, with_orphan("README.txt")).is_empty());
    }
}
