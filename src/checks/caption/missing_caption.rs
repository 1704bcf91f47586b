//! C101: images without a caption file.

use crate::checks::{Findings, Run, declare_check, metadata_rows};
use crate::model::{Condition, DatasetFacts, Level, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports the images that have no caption file with the extension that the trainer looks for, in one finding. Where no
    /// image has one and a metadata file holds them instead, that is only noted; images whose caption has another extension
    /// are left to C113.
    ///
    /// ## Why it matters
    /// What happens differs. sd-scripts trains the image with the class of its folder or an empty prompt and logs a
    /// warning; ai-toolkit trains an empty prompt silently; SimpleTuner stops; musubi-tuner and diffusion-pipe leave the
    /// image out, so that a folder without any captions becomes an empty dataset.
    ///
    /// ## Example
    /// 14 images, and the captioning step was never run.
    ///
    /// ## What to do
    /// Write the captions, or move the images out. If the dataset is meant to have none, set the trainer's default
    /// caption.
    C101 "missing-caption", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, profile: &Profile, out: &mut Findings) {
    let total = facts.samples.len();
    let without: Vec<_> = facts.samples.iter().filter(|sample| sample.caption.is_none()).collect();
    let has_metadata =
        !facts.metadata.is_empty() || facts.inventory.metadata.iter().any(|file| metadata_rows::meant_by(file.path.name()).is_some());
    if without.len() == total && has_metadata {
        return report_metadata(total, profile, out);
    }
    let missing: Vec<RelPath> =
        without.iter().filter(|sample| sample.other_captions.is_empty()).map(|sample| sample.path.clone()).collect();
    if missing.is_empty() {
        return;
    }
    let (count, extension) = (missing.len(), profile.caption_extension.as_str());
    let text = if count == total {
        "every image is trained without text, or left out: for trainers that need captions the dataset is empty"
    } else {
        "these images are trained with an empty prompt or the class of their folder, or left out"
    };
    out.report_all(missing, format!("{count} of {total} images have no caption with {extension}"))
        .evidence("missing", count)
        .evidence("images", total)
        .evidence("caption_extension", extension)
        .about(Condition::CaptionMissing)
        .means(Outcome::Distort, Phase::DatasetScan, text)
        .help("write the captions, or move the images out");
}

/// Captions in a metadata file are no fault, and no help to a trainer that looks for files beside the images.
fn report_metadata(total: usize, profile: &Profile, out: &mut Findings) {
    let extension = &profile.caption_extension;
    let message = format!("0 of {total} images have a caption with {extension}; there is a metadata file instead");
    out.report_all(Vec::new(), message)
        .level(Level::Info)
        .evidence("images", total)
        .evidence("caption_extension", extension.as_str())
        .means(
            Outcome::Train,
            Phase::DatasetScan,
            "loaders of that kind of file read it; a trainer that looks for files beside the images does not",
        )
        .help("make sure that the trainer reads the metadata file, or write the captions beside the images");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::findings_with;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Level, MetadataFacts, MetadataKind, RelPath};

    #[test]
    fn names_the_images() {
        let mut samples = [healthy("a.png"), healthy("b.png")];
        samples[1].remove_caption();
        let findings = findings_in(&CHECK, &samples, Inventory::default());
        assert_eq!(findings[0].message, "1 of 2 images have no caption with .txt");
        assert_eq!(findings[0].paths, [RelPath::from("b.png")]);
    }

    #[test]
    fn only_notes_captions_in_metadata_and_stays_quiet_where_the_extension_is_another() {
        let mut samples = [healthy("a.png"), healthy("b.png")];
        for sample in &mut samples {
            sample.remove_caption();
        }
        let metadata = MetadataFacts { path: RelPath::from("metadata.csv"), kind: MetadataKind::Csv, rows: Vec::new(), faults: Vec::new() };
        let findings = findings_with(&CHECK, &samples, Inventory::default(), &[metadata]);
        assert_eq!((findings.len(), findings[0].level), (1, Level::Info));
        for sample in &mut samples {
            sample.sample.other_captions.push("caption".into());
        }
        assert!(findings_in(&CHECK, &samples, Inventory::default()).is_empty());
    }
}
