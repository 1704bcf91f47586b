//! C102: captions that no usable image belongs to.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization as _;

use crate::checks::component::orphan_captions;
use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Level, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports caption files without an image of their name, also where a file of that name is no image, and notes captions
    /// whose only image cannot be loaded. Where the name of an image without caption differs only in case, spaces, dashes or
    /// Unicode form, it is named.
    ///
    /// ## Why it matters
    /// An orphan is the trace of something: an image that was deleted, renamed or never downloaded, so that the dataset
    /// is smaller than it was meant to be. Its image, if it was renamed, trains without a caption.
    ///
    /// ## Example
    /// `Photo 1.txt` beside `photo_1.jpg`; or `3.txt` beside a `3.png` of 0 bytes.
    ///
    /// ## What to do
    /// Restore or rename the image, rename the caption after its image, or move it out of the dataset.
    C102 "orphan-caption", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

/// Text files that stand in many folders and are not meant as captions.
const NOT_CAPTIONS: [&str; 8] = ["readme", "license", "licence", "requirements", "classes", "notes", "prompts", "sample_prompts"];

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let orphans: Vec<&RelPath> =
        orphan_captions(facts).into_iter().filter(|path| !NOT_CAPTIONS.iter().any(|stem| path.stem().eq_ignore_ascii_case(stem))).collect();
    let usable: BTreeSet<&RelPath> =
        facts.samples.iter().filter(|sample| sample.is_usable()).filter_map(|sample| sample.caption.as_ref()).collect();
    let lost: BTreeSet<&RelPath> =
        facts.samples.iter().filter_map(|sample| sample.caption.as_ref()).filter(|caption| !usable.contains(caption)).collect();
    if !orphans.is_empty() {
        report_orphans(facts, &orphans, out);
    }
    if !lost.is_empty() {
        let belong = if lost.len() == 1 { "belongs" } else { "belong" };
        let message = format!("{} {belong} to an image that cannot be loaded", counted(lost.len(), "caption"));
        out.report_all(lost.into_iter().cloned().collect(), message)
            .level(Level::Info)
            .means(Outcome::Skip, Phase::DatasetScan, "a caption goes the way of its image")
            .help("mend or replace the image, or move the caption out of the dataset with it");
    }
}

fn report_orphans(facts: &DatasetFacts<'_>, orphans: &[&RelPath], out: &mut Findings) {
    let images: BTreeMap<String, &RelPath> =
        facts.samples.iter().filter(|sample| sample.caption.is_none()).map(|sample| (loose_name(&sample.path), &sample.path)).collect();
    let near: Vec<String> = orphans
        .iter()
        .filter_map(|caption| {
            // `a.jpg.txt` names its image whole.
            let whole = RelPath::from(caption.without_extension());
            let image = images.get(&loose_name(caption)).or_else(|| images.get(&loose_name(&whole)).filter(|image| ***image == whole))?;
            Some(format!("{caption} may belong to {image}"))
        })
        .take(20)
        .collect();
    let help = match near.first() {
        Some(first) => format!("rename the caption after its image ({first})"),
        None => "restore the image, or move the caption out of the dataset".to_owned(),
    };
    let has = if orphans.len() == 1 { "has" } else { "have" };
    let message = format!("{} {has} no image", counted(orphans.len(), "caption"));
    let finding = out.report_all(orphans.iter().map(|path| (*path).clone()).collect(), message);
    finding.means(Outcome::Skip, Phase::DatasetScan, "the captions are never read").help(help);
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
    use crate::checks::support::{findings_in, healthy, profile, rooted};
    use crate::checks::{Findings, Run};
    use crate::model::{DatasetFacts, Fault, FaultKind, Inventory, Level, RelPath, SampleBrief, SideFile};

    fn with_orphan(name: &str) -> Inventory {
        let caption = SideFile { path: RelPath::from(name), size_bytes: 5, modified: None, identity: None };
        Inventory { orphan_captions: vec![caption], ..Inventory::default() }
    }

    #[test]
    fn tells_captions_without_image_from_captions_of_lost_images() {
        let mut samples = [healthy("a.png"), healthy("b.png")];
        samples[1].probe = Err(Fault::new(FaultKind::Empty, "0 bytes"));
        let findings = findings_in(&CHECK, &samples, with_orphan("c.txt"));
        let seen: Vec<(Level, &str, &str)> =
            findings.iter().map(|finding| (finding.level, finding.paths[0].as_str(), finding.message.as_str())).collect();
        assert_eq!(
            seen,
            [
                (Level::Warning, "c.txt", "1 caption has no image"),
                (Level::Info, "b.txt", "1 caption belongs to an image that cannot be loaded"),
            ]
        );
    }

    #[test]
    fn a_caption_whose_file_turned_out_to_be_no_image_is_an_orphan() {
        let all = [healthy("a"), healthy("a.png"), healthy("foo")];
        let inventory = Inventory { samples: all.iter().map(|facts| facts.sample.clone()).collect(), ..rooted("set") };
        // `foo` and `a` are no images; `a.txt` belongs to `a.png` all the same.
        let samples = [SampleBrief::of(&all[1])];
        let mut out = Findings::new(&CHECK);
        let Run::Dataset(run) = CHECK.run else { panic!("orphans are found in the whole dataset") };
        run(&DatasetFacts { inventory: &inventory, samples: &samples, metadata: &[], buckets: &[] }, &profile(), &mut out);
        let findings = out.into_vec();
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].message.as_str(), findings[0].paths[0].as_str()), ("1 caption has no image", "foo.txt"));
    }

    #[test]
    fn names_the_image_whose_whole_name_it_has() {
        let mut samples = [healthy("a.jpg")];
        samples[0].remove_caption();
        let findings = findings_in(&CHECK, &samples, with_orphan("a.jpg.txt"));
        assert_eq!(findings[0].evidence["near"][0], "a.jpg.txt may belong to a.jpg");
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
