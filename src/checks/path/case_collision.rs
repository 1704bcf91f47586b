//! P104: names that are one name to Windows and macOS.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;

use crate::checks::component::{files, folders, level_where};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Outcome, Phase, Profile, RelPath, printable};

declare_check! {
    /// ## What it does
    /// Reports files or folders in one folder whose names differ only in the case of letters, or in how accents are stored
    /// (NFC and NFD). Information where the usual file systems tell them apart, as on Linux.
    ///
    /// ## Why it matters
    /// The usual file systems of Windows and macOS take them for one name: when the dataset is copied or unpacked there, one of
    /// them overwrites the other without a word. Captions get lost with them: `Cat.txt` and `cat.txt` become one, and both
    /// images are trained with it.
    ///
    /// ## Example
    /// `Cat.png` and `cat.png`, from two sources that were merged on Linux.
    ///
    /// ## What to do
    /// Rename one of them, together with its caption.
    P104 "case-collision", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let mut paths: BTreeSet<RelPath> = files(facts).into_iter().cloned().collect();
    paths.extend(folders(facts).into_keys().map(RelPath::from));
    let mut folded: Vec<(&str, String, &RelPath)> = paths.iter().map(|path| (path.folder(), fold(path.name()), path)).collect();
    folded.sort_unstable();
    for same in folded.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1) {
        let [(_, _, first), (_, _, second), ..] = same else { continue };
        let how = if first.name().nfc().eq(second.name().nfc()) { "in how accents are stored" } else { "in the case of letters" };
        let names: Vec<&str> = same.iter().map(|(_, _, path)| path.name()).collect();
        out.report_all(
            same.iter().map(|(_, _, path)| (*path).clone()).collect(),
            format!("{} and {} differ only {how}: Windows and macOS take them for one", printable(first.name()), printable(second.name())),
        )
        .level(level_where(cfg!(any(windows, target_os = "macos"))))
        .evidence("names", names)
        .means(Outcome::Skip, Phase::DatasetScan, "copied to Windows or macOS, one of them replaces the other")
        .help("rename one of them, together with its caption");
    }
}

/// The name as file systems that do not mind the case compare it.
fn fold(name: &str) -> String {
    if name.is_ascii() { name.to_ascii_lowercase() } else { name.to_lowercase().nfc().collect() }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Level};

    #[test]
    fn fires_on_files_and_folders_that_differ_in_case() {
        let samples = [healthy("A/x.png"), healthy("a/y.png"), healthy("z/Cat.png"), healthy("z/cat.png")];
        let findings = findings_in(&CHECK, &samples, Inventory::default());
        let level = if cfg!(any(windows, target_os = "macos")) { Level::Warning } else { Level::Info };
        assert!(findings.iter().all(|finding| finding.level == level));
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "A and a differ only in the case of letters: Windows and macOS take them for one",
                "Cat.png and cat.png differ only in the case of letters: Windows and macOS take them for one",
                "Cat.txt and cat.txt differ only in the case of letters: Windows and macOS take them for one",
            ]
        );
    }

    #[test]
    fn fires_on_accents_stored_in_two_ways() {
        let findings =
            findings_in(&CHECK, &[healthy("\u{e4}.png"), healthy("a\u{308}.jpg"), healthy("a\u{308}.png")], Inventory::default());
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].message.contains("how accents are stored"), "{}", findings[0].message);
    }

    #[test]
    fn stays_quiet_about_other_folders_and_shared_captions() {
        let samples = [healthy("a/cat.png"), healthy("a/cat.jpg"), healthy("b/Cat.png")];
        assert!(findings_in(&CHECK, &samples, Inventory::default()).is_empty());
    }
}
