//! F106: a folder that a program left among the images.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, DatasetFacts, Level, Oddity, OddityKind, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports folders that programs leave behind (`.ipynb_checkpoints`, `__MACOSX`, `@eaDir`, `.git`, trash and thumbnail
    /// folders): an error where they hold images. Their files were counted and not taken for samples.
    ///
    /// ## Why it matters
    /// Jupyter puts a copy of a file that was opened into `.ipynb_checkpoints`. A trainer that walks into subfolders trains on
    /// it twice, perhaps without a caption; one that opens every entry of the folder stops with `IsADirectoryError`, and with a
    /// shuffled order that may be hundreds of steps into the run.
    ///
    /// ## Example
    /// `person_ddim/.ipynb_checkpoints/` stopped a run after 644 steps.
    ///
    /// ## What to do
    /// Delete the folder, or move it out of the dataset.
    F106 "junk-folder", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let oddities = &facts.inventory.oddities;
    for oddity in oddities {
        let OddityKind::JunkFolder { files, images } = oddity.kind else { continue };
        if files == 0 && holds_system_files(oddity, oddities) {
            // All that is in it is reported as what it is.
            continue;
        }
        let holds = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
        let message = match images {
            0 => format!("{} is a program's own folder; it holds {holds}, none named as an image", oddity.path.name()),
            images => format!("{} is a program's own folder; it holds {holds}, {images} named as images", oddity.path.name()),
        };
        let finding = out.report(&oddity.path, message);
        finding.evidence("files", files).evidence("images", images).help("delete the folder, or move it out of the dataset");
        if images > 0 {
            finding.level(Level::Error).about(Condition::JunkFolder).means(
                Outcome::Distort,
                Phase::DatasetScan,
                "a loader that walks into subfolders trains on the copies too; one that opens every entry stops at the folder",
            );
        } else {
            finding.about(Condition::JunkFolder).means(
                Outcome::Stop,
                Phase::Training,
                "a loader that opens every entry raises IsADirectoryError at some step",
            );
        }
    }
}

/// Whether a system file lies below the folder. Oddities are sorted by path, so the first one behind it decides.
fn holds_system_files(folder: &Oddity, oddities: &[Oddity]) -> bool {
    let inside = format!("{}/", folder.path.as_str());
    let first = oddities.partition_point(|oddity| oddity.path.as_str() < inside.as_str());
    oddities.get(first).is_some_and(|oddity| oddity.path.as_str().starts_with(&inside) && matches!(oddity.kind, OddityKind::SystemFile(_)))
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Level, Oddity, OddityKind, SystemFileKind};

    fn junk(path: &str, files: u64, images: u64) -> Oddity {
        Oddity { path: path.into(), kind: OddityKind::JunkFolder { files, images } }
    }

    #[test]
    fn a_copy_of_an_image_makes_it_an_error() {
        let oddities = vec![junk(".ipynb_checkpoints", 1, 1), junk("z/.git", 40, 0)];
        let findings = findings_in(&CHECK, &[healthy("x.png")], Inventory { oddities, ..Inventory::default() });
        let levels: Vec<Level> = findings.iter().map(|finding| finding.level).collect();
        assert_eq!(levels, [Level::Error, Level::Warning]);
        assert_eq!(findings[0].message, ".ipynb_checkpoints is a program's own folder; it holds 1 file, 1 named as images");
    }

    #[test]
    fn an_empty_folder_still_stops_a_loader() {
        let oddities = vec![junk(".ipynb_checkpoints", 0, 0)];
        assert_eq!(findings_in(&CHECK, &[healthy("x.png")], Inventory { oddities, ..Inventory::default() }).len(), 1);
    }

    #[test]
    fn stays_quiet_where_system_files_are_reported_as_such() {
        let kind = OddityKind::SystemFile(SystemFileKind::AppleDouble);
        let oddities = vec![junk("__MACOSX", 0, 0), Oddity { path: "__MACOSX/set/._a.jpeg".into(), kind }];
        assert!(findings_in(&CHECK, &[healthy("x.png")], Inventory { oddities, ..Inventory::default() }).is_empty());
    }
}
