//! F105: files that an operating system left among the images.

use std::collections::BTreeMap;

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, DatasetFacts, Format, Level, OddityKind, Outcome, Phase, Profile, RelPath, SystemFileKind};

declare_check! {
    /// ## What it does
    /// Reports files that operating systems leave in folders: `AppleDouble` companions (`._name`), `.DS_Store`, `Thumbs.db` and
    /// `desktop.ini`. One finding for each kind, an error for companions that are named as images.
    ///
    /// ## Why it matters
    /// `._photo.jpeg` has the name of an image and holds none. Loaders that do not leave out hidden files, such as
    /// `OneTrainer`, list it, count it and fail to decode it; the count of images is twice what it should be. Loaders that open every file of a folder, such as the DreamBooth scripts of diffusers, stop at `Thumbs.db` with
    /// "cannot identify image file". The images themselves are fine.
    ///
    /// ## Example
    /// A ZIP archive made on macOS: for 38 photos there are 38 companions in `__MACOSX/`, and the trainer says "38/76 images
    /// have captions".
    ///
    /// ## What to do
    /// Delete them; nothing is lost. For AppleDouble files `find . -name '._*' -delete` does it, and `zip -X` or
    /// `COPYFILE_DISABLE=1 tar` does not make them in the first place.
    F105 "system-file", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let mut by_kind: BTreeMap<(SystemFileKind, bool), Vec<RelPath>> = BTreeMap::new();
    for oddity in &facts.inventory.oddities {
        if let OddityKind::SystemFile(kind) = oddity.kind {
            let looks_like_image = kind == SystemFileKind::AppleDouble && Format::of_extension(oddity.path.extension()).is_some();
            by_kind.entry((kind, looks_like_image)).or_default().push(oddity.path.clone());
        }
    }
    for ((kind, looks_like_image), paths) in by_kind {
        let number = paths.len();
        let named = if looks_like_image { "named as images" } else { "among the images" };
        let message = format!("{number} {} {named}: {}", if number == 1 { "system file" } else { "system files" }, kind.description());
        let finding = out.report_all(paths, message);
        finding.evidence("kind", name(kind)).evidence("files", number);
        if looks_like_image {
            finding.level(Level::Error).about(Condition::SystemFile).means(
                Outcome::Stop,
                Phase::DatasetScan,
                "a loader that does not leave out hidden files lists them as images and cannot identify them",
            );
        } else {
            finding.means(Outcome::Stop, Phase::DatasetScan, "a loader that opens every file of the folder cannot identify them");
        }
        finding.help("delete them: the images are fine without");
    }
}

fn name(kind: SystemFileKind) -> &'static str {
    match kind {
        SystemFileKind::AppleDouble => "apple-double",
        SystemFileKind::DsStore => "ds-store",
        SystemFileKind::ThumbsDb => "thumbs-db",
        SystemFileKind::DesktopIni => "desktop-ini",
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Level, Oddity, OddityKind, SystemFileKind};

    fn system(path: &str, kind: SystemFileKind) -> Oddity {
        Oddity { path: path.into(), kind: OddityKind::SystemFile(kind) }
    }

    #[test]
    fn thirty_eight_companions_are_one_error() {
        let oddities = (0..38).map(|n| system(&format!("__MACOSX/set/._{n}.jpeg"), SystemFileKind::AppleDouble)).collect();
        let findings = findings_in(&CHECK, &[healthy("x.png")], Inventory { oddities, ..Inventory::default() });
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].paths.len(), findings[0].level), (38, Level::Error));
        assert_eq!(findings[0].message, "38 system files named as images: AppleDouble companions of macOS (._*)");
    }

    #[test]
    fn files_of_windows_are_warnings() {
        let oddities = vec![system("Thumbs.db", SystemFileKind::ThumbsDb), system("desktop.ini", SystemFileKind::DesktopIni)];
        let findings = findings_in(&CHECK, &[healthy("x.png")], Inventory { oddities, ..Inventory::default() });
        assert_eq!(findings.len(), 2);
        assert!(findings.iter().all(|finding| finding.level == Level::Warning));
    }

    #[test]
    fn stays_quiet_without_system_files() {
        assert!(findings_in(&CHECK, &[healthy("x.png")], Inventory::default()).is_empty());
    }
}
