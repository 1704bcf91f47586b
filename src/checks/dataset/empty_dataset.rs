//! D101: no image at all.

use crate::checks::component::orphan_captions;
use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Consequence, DatasetFacts, Finding, OddityKind, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports a dataset in which no image was found, and says what was found instead.
    ///
    /// ## Why it matters
    /// Trainers do not agree on what to do with nothing: sd-scripts (48d368fa) prints "No data found" and ends with exit code 0,
    /// so that a script goes on as if all were well; musubi-tuner raises "No training items found in the dataset".
    ///
    /// ## Example
    /// A path with a typing error in its last part, an archive that was not unpacked, a folder of links, a Hugging Face
    /// download that fetched only the metadata.
    ///
    /// ## What to do
    /// Correct the path, unpack the archive, or follow the links with `--follow-links`.
    D101 "empty-dataset", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    // Without a root there was nothing to look at, and whoever left it out says why.
    if !facts.samples.is_empty() || facts.inventory.roots.is_empty() {
        return;
    }
    let inventory = facts.inventory;
    let (mut links, mut hidden, mut system, mut junk, mut unreadable, mut missing) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    for oddity in &inventory.oddities {
        match &oddity.kind {
            OddityKind::SkippedLink(_) | OddityKind::OutsideLink(_) | OddityKind::BrokenLink(_) | OddityKind::LinkLoop(_) => links += 1,
            OddityKind::HiddenImage => hidden += 1,
            OddityKind::SystemFile(_) => system += 1,
            OddityKind::JunkFolder { images, .. } => junk += images,
            OddityKind::Unreadable(_) => unreadable += 1,
            OddityKind::NotFound => missing += 1,
            OddityKind::Special(_) => {}
        }
    }
    let seen = [
        ("captions", "caption file", "", orphan_captions(facts).len() as u64),
        ("metadata", "metadata file", "", inventory.metadata.len() as u64),
        ("links", "link", " not followed", links),
        ("hidden", "hidden image", "", hidden),
        ("junk", "image", " in folders that programs left behind", junk),
        ("system", "system file", "", system),
        ("unreadable", "entry", " that could not be read", unreadable),
        ("missing", "path", " of the list without a file", missing),
    ];
    let instead: Vec<String> =
        seen.iter().filter(|(.., number)| *number > 0).map(|(_, noun, which, number)| counted(*number, noun) + which).collect();
    let files = counted(inventory.files, "file");
    let message = match (inventory.files, instead.is_empty()) {
        (0, true) => "there is no image, nor any other file".to_owned(),
        (_, true) => format!("there is no image among {files}"),
        (_, false) => format!("there is no image among {files}, but {}", instead.join(", ")),
    };
    let finding = out.report_all(Vec::new(), message);
    finding.evidence("files", inventory.files);
    for (key, .., number) in seen {
        finding.evidence(key, number);
    }
    let help = if links > 0 {
        "look again with --follow-links, or copy the real files into the dataset"
    } else if hidden > 0 {
        "look again with --hidden, or rename the images"
    } else {
        "correct the path, or unpack the archive"
    };
    finding
        .means(Outcome::Stop, Phase::DatasetScan, "there is nothing to train on: the run stops, or ends as if it had succeeded")
        .help(help);
}

/// The finding for a dataset of which a trainer takes nothing, which only the trainer can tell.
pub(in crate::checks) fn nothing_left(trainer: &'static str, folder: &str, samples: u64) -> Finding {
    let mut out = Findings::new(&CHECK);
    let place = if folder.is_empty() { String::new() } else { format!(" below {folder}") };
    let text = "there is nothing to train on: the run stops, or ends as if it had succeeded".to_owned();
    out.report_all(Vec::new(), format!("{trainer} trains on none of the {samples} images{place}"))
        .evidence("images", samples)
        .means_to(trainer, Consequence { outcome: Outcome::Stop, phase: Phase::DatasetScan, text })
        .help("look below what it does without a word why they are left out, and give it the folder or the options that it wants");
    out.into_vec().remove(0)
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Oddity, OddityKind, SideFile};

    #[test]
    fn says_what_was_found_instead() {
        let kind = OddityKind::OutsideLink("../../blobs/1".to_owned());
        let oddities = vec![Oddity { path: "a.png".into(), kind }];
        let orphan_captions = vec![SideFile { path: "a.txt".into(), size_bytes: 3, modified: None, identity: None }];
        let findings = findings_in(&CHECK, &[], Inventory { oddities, orphan_captions, files: 2, ..Inventory::default() });
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "there is no image among 2 files, but 1 caption file, 1 link not followed");
        assert!(findings[0].help.contains("--follow-links"));
    }

    #[test]
    fn an_empty_folder_is_called_so() {
        let findings = findings_in(&CHECK, &[], Inventory::default());
        assert_eq!(findings[0].message, "there is no image, nor any other file");
    }

    #[test]
    fn stays_quiet_where_there_is_one_image() {
        assert!(findings_in(&CHECK, &[healthy("a.png")], Inventory::default()).is_empty());
    }
}
