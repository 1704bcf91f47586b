//! M101: the name of a metadata file is nearly right.

use std::collections::{HashMap, HashSet};

use crate::checks::{Findings, Run, declare_check, metadata_rows};
use crate::model::{DatasetFacts, Level, MetadataKind, Outcome, Phase, Profile, RelPath, printable};

declare_check! {
    /// ## What it does
    /// Reports files whose name is nearly that of a metadata file, and JSON lines with `file_name` under another name. An
    /// error where nothing else holds captions, else a warning.
    ///
    /// ## Why it matters
    /// The imagefolder loader reads `metadata.jsonl`, `metadata.csv` and `metadata.parquet`, spelt exactly so. Any other
    /// file is passed over without a word: the dataset has no text column, and the training script stops, or trains
    /// without captions.
    ///
    /// ## Example
    /// `metadata.json1`, with a digit for the letter; `metadata1000.jsonl`; `captions.csv`.
    ///
    /// ## What to do
    /// Rename the file.
    M101 "metadata-name", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

/// Endings of copies that programs keep, which are no mistake beside the real file.
const BACKUPS: [&str; 5] = [".bak", ".old", ".orig", ".backup", "~"];

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let (total, captioned) = (facts.samples.len(), facts.samples.iter().filter(|sample| sample.caption.is_some()).count());
    let kinds: HashMap<&RelPath, MetadataKind> = facts.metadata.iter().map(|file| (&file.path, file.kind)).collect();
    let real: HashSet<&str> =
        facts.metadata.iter().filter(|file| metadata_rows::is_imagefolder(file)).map(|file| file.path.folder()).collect();
    for side in &facts.inventory.metadata {
        let name = side.path.name();
        let is_backup = BACKUPS.iter().any(|ending| name.ends_with(ending));
        if metadata_rows::is_exact(name) || (is_backup && real.contains(side.path.folder())) {
            continue;
        }
        let meant = match kinds.get(&side.path) {
            Some(MetadataKind::JsonLines) => Some("metadata.jsonl"),
            // Another loader reads it, under any name.
            Some(_) => None,
            None => metadata_rows::meant_by(name),
        };
        let Some(meant) = meant else { continue };
        let level = if real.is_empty() && captioned == 0 { Level::Error } else { Level::Warning };
        let shown = printable(name);
        out.report(
            &side.path,
            format!("'{shown}' is not read, did you mean '{meant}'? {captioned} of {total} images have a caption without it"),
        )
        .level(level)
        .evidence("seen", name)
        .evidence("meant", meant)
        .evidence("images", total)
        .evidence("captioned", captioned)
        .means(Outcome::Distort, Phase::DatasetScan, "the file is passed over, and the dataset has no captions from it")
        .help(format!("rename the file to {meant}"));
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, findings_with, healthy};
    use crate::model::{Inventory, Level, MetadataFacts, MetadataKind, RelPath, SampleFacts, SideFile};

    fn inventory(names: &[&str]) -> Inventory {
        let side = |name: &&str| SideFile { path: RelPath::from(*name), size_bytes: 50, modified: None, identity: None };
        Inventory { metadata: names.iter().map(side).collect(), ..Inventory::default() }
    }

    fn uncaptioned() -> [SampleFacts; 2] {
        ["a.png", "b.png"].map(|path| {
            let mut facts = healthy(path);
            facts.remove_caption();
            facts
        })
    }

    #[test]
    fn a_digit_for_a_letter_is_an_error_where_nothing_else_has_captions() {
        let findings = findings_in(&CHECK, &uncaptioned(), inventory(&["metadata.json1"]));
        assert_eq!(findings[0].level, Level::Error);
        assert_eq!(
            findings[0].message,
            "'metadata.json1' is not read, did you mean 'metadata.jsonl'? 0 of 2 images have a caption without it"
        );
        assert_eq!(findings_in(&CHECK, &[healthy("a.png")], inventory(&["metadata.json1"]))[0].level, Level::Warning);
    }

    #[test]
    fn stays_quiet_on_exact_names_their_backups_and_the_files_of_other_loaders() {
        let files = |kind, path| MetadataFacts { path: RelPath::from(path), kind, rows: Vec::new(), faults: Vec::new() };
        let metadata = [files(MetadataKind::JsonLines, "metadata.jsonl"), files(MetadataKind::KohyaJson, "metadata.json")];
        let names = ["metadata.jsonl", "metadata.jsonl.bak", "metadata.json", "config.json"];
        assert!(findings_with(&CHECK, &uncaptioned(), inventory(&names), &metadata).is_empty());
    }

    #[test]
    fn tens_of_thousands_of_metadata_files_end_soon() {
        let path = |n: usize, name: &str| format!("{n:05}/{name}");
        let names: Vec<String> = (0..30_000).flat_map(|n| [path(n, "metadata.csv"), path(n, "metadata.csv.bak")]).collect();
        let metadata: Vec<MetadataFacts> = (0..30_000)
            .map(|n| path(n, "metadata.csv"))
            .map(|path| MetadataFacts { path: path.as_str().into(), kind: MetadataKind::Csv, rows: Vec::new(), faults: Vec::new() })
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let begin = std::time::Instant::now();
        assert!(findings_with(&CHECK, &uncaptioned(), inventory(&names), &metadata).is_empty());
        assert!(begin.elapsed().as_secs() < 10, "it took {:?}", begin.elapsed());
    }
}
