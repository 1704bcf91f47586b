//! What the checks of metadata files share: which names the imagefolder loader reads, and which image a row points at.

use std::collections::HashSet;

use super::check::Findings;
use crate::model::{DatasetFacts, Finding, MetadataFacts, MetadataFault, MetadataFaultKind, MetadataKind, MetadataRow, RelPath};

/// The names that the imagefolder loader reads (datasets b7cb10b0, `folder_based_builder.py` line 60).
const EXACT_NAMES: [&str; 3] = ["metadata.jsonl", "metadata.csv", "metadata.parquet"];

/// Faults of one file that a finding lists.
const MAX_LISTED: usize = 20;

/// Whether the imagefolder loader reads a file of this name.
pub(super) fn is_exact(name: &str) -> bool {
    EXACT_NAMES.contains(&name)
}

/// Whether the imagefolder loader reads the file.
pub(super) fn is_imagefolder(file: &MetadataFacts) -> bool {
    file.kind.is_imagefolder() && is_exact(file.path.name())
}

/// The name that was probably meant by one that is nearly right; `None` for one that is right or means something else.
pub(super) fn meant_by(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    if is_exact(name) {
        return None;
    }
    let nearest = EXACT_NAMES.into_iter().map(|exact| (strsim::levenshtein(&lower, exact), exact)).min();
    if let Some((0..=2, exact)) = nearest {
        return Some(exact);
    }
    // `metadata.jsonl.txt`, `metadata.csv.bak`.
    if let Some(exact) = EXACT_NAMES.into_iter().find(|exact| lower.starts_with(exact)) {
        return Some(exact);
    }
    let (stem, extension) = lower.rsplit_once('.')?;
    let meant = match extension {
        "jsonl" | "ndjson" | "json" | "jsonlines" => "metadata.jsonl",
        "csv" | "tsv" | "xls" | "xlsx" => "metadata.csv",
        "parquet" => "metadata.parquet",
        _ => return None,
    };
    // `metadata1000.jsonl`, `metadata (1).csv`, `captions.csv`. A `captions.json` is diffusion-pipe's.
    let is_near =
        stem.starts_with("metadata") || (extension != "json" && matches!(stem, "caption" | "captions" | "meta" | "labels" | "prompts"));
    is_near.then_some(meant)
}

/// The images of a dataset, to look rows up in.
pub(super) struct Images<'a> {
    paths: HashSet<&'a str>,
}

impl<'a> Images<'a> {
    /// All files that are samples by name or by content.
    pub(super) fn of(facts: &DatasetFacts<'a>) -> Self {
        let named = facts.inventory.samples.iter().map(|sample| sample.path.as_str());
        Self { paths: facts.samples.iter().map(|sample| sample.path.as_str()).chain(named).collect() }
    }

    /// Whether the path is an image.
    pub(super) fn contains(&self, path: &RelPath) -> bool {
        self.paths.contains(path.as_str())
    }
}

/// The path that a name in a row stands for, which is relative to the metadata file's folder.
pub(super) fn resolve(file: &MetadataFacts, name: &str) -> RelPath {
    let mut parts = name.split('/').filter(|part| !part.is_empty() && *part != ".");
    let mut path = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        path.push('/');
        path.push_str(part);
    }
    // A backslash in a name is written twice in a `RelPath`.
    RelPath::from_escaped(&path.replace('\\', "\\\\")).below(file.path.folder())
}

/// Paths of all rows of a file.
pub(super) fn resolved(file: &MetadataFacts) -> impl Iterator<Item = (&MetadataRow, &str, RelPath)> {
    file.rows.iter().flat_map(move |row| row.files.as_slice().iter().map(move |name| (row, &**name, resolve(file, name))))
}

/// What the rows of all imagefolder files name, to find the images that none does.
pub(super) struct Named {
    paths: HashSet<RelPath>,
    /// Whether every row was read.
    pub(super) is_whole: bool,
}

impl Named {
    /// The paths of all rows.
    pub(super) fn of(facts: &DatasetFacts<'_>) -> Self {
        let files = || facts.metadata.iter().filter(|file| is_imagefolder(file));
        let unread = [MetadataFaultKind::Unreadable, MetadataFaultKind::AboveLimit];
        Self {
            paths: files().flat_map(resolved).map(|(_, _, path)| path).collect(),
            is_whole: !files().flat_map(|file| &file.faults).any(|fault| unread.contains(&fault.kind)),
        }
    }

    /// The samples below the folder of a metadata file that no row names, and how many samples there are below it; none where
    /// rows were not read that may name them. Samples are sorted, so that only those below the folder are looked at.
    pub(super) fn without_row(&self, facts: &DatasetFacts<'_>, file: &MetadataFacts) -> (Vec<RelPath>, usize) {
        let folder = file.path.folder();
        let inside = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let first = facts.samples.partition_point(|sample| sample.path.as_str() < inside.as_str());
        let behind = facts.samples.get(first..).unwrap_or_default().iter().map(|sample| &sample.path);
        let below: Vec<&RelPath> = behind.take_while(|path| path.below_prefix(folder).is_some()).collect();
        let total = below.len();
        (below.into_iter().filter(|path| self.is_whole && !self.paths.contains(*path)).cloned().collect(), total)
    }
}

/// Reports the faults of these kinds in one finding for the file; `None` if there are none.
pub(super) fn report_faults<'f>(
    file: &MetadataFacts,
    kinds: &[MetadataFaultKind],
    out: &'f mut Findings,
) -> Option<(&'f mut Finding, Vec<MetadataFault>)> {
    let faults: Vec<MetadataFault> = file.faults.iter().filter(|fault| kinds.contains(&fault.kind)).cloned().collect();
    let first = faults.first()?;
    let more = match faults.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    // Lines are counted in text, entries in a JSON value, where the number of the record says it already.
    let is_text = matches!(file.kind, MetadataKind::JsonLines | MetadataKind::KohyaJsonLines | MetadataKind::Csv);
    let place_of = |fault: &MetadataFault| place_of(fault, is_text);
    let message = format!("{}: {}{more}", place_of(first), first.detail);
    let listed: Vec<String> = faults.iter().take(MAX_LISTED).map(|fault| format!("{}: {}", place_of(fault), fault.detail)).collect();
    let finding = out.report(&file.path, message);
    finding.evidence("loader", file.kind.description()).evidence("faults", listed).evidence("count", faults.len());
    if first.line > 0 {
        finding.evidence("line", first.line);
    }
    if first.column > 0 {
        finding.evidence("column", first.column);
    }
    if let Some(record) = first.record {
        finding.evidence("record", record);
    }
    Some((finding, faults))
}

/// Where a fault is, in words.
fn place_of(fault: &MetadataFault, is_text: bool) -> String {
    match (fault.line, fault.column, fault.record) {
        (0, ..) => "in the file as a whole".to_owned(),
        (_, 0, Some(record)) if !is_text => format!("record {record}"),
        (line, 0, _) => format!("line {line}"),
        (line, column, _) => format!("line {line}, column {column}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_nearly_right_mean_the_right_one() {
        for (name, meant) in [
            ("metadata.json1", Some("metadata.jsonl")),
            ("metadata.json", Some("metadata.jsonl")),
            ("Metadata.jsonl", Some("metadata.jsonl")),
            ("metadata1000.jsonl", Some("metadata.jsonl")),
            ("metadata (1).csv", Some("metadata.csv")),
            ("metadata.jsonl.txt", Some("metadata.jsonl")),
            ("meta_data.csv", Some("metadata.csv")),
            ("captions.csv", Some("metadata.csv")),
            ("metadata.jsonl", None),
            ("metadata.csv", None),
            ("captions.json", None),
            ("meta_lat.json", None),
            ("config.json", None),
            ("train.jsonl", None),
        ] {
            assert_eq!(meant_by(name), meant, "{name}");
        }
    }

    #[test]
    fn rows_are_relative_to_their_file() {
        let file =
            MetadataFacts { path: RelPath::from("train/metadata.csv"), kind: MetadataKind::Csv, rows: Vec::new(), faults: Vec::new() };
        assert_eq!(resolve(&file, "./a//b.png").as_str(), "train/a/b.png");
        assert_eq!(resolve(&file, "a\\b.png").as_str(), "train/a\\\\b.png");
    }
}
