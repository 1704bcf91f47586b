//! M103: rows of a metadata file that point at no image.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use unicode_normalization::UnicodeNormalization as _;

use crate::checks::{Findings, Run, declare_check, metadata_rows};
use crate::model::{DatasetFacts, MetadataFacts, MetadataFaultKind, Outcome, Phase, Profile, RelPath, printable};

declare_check! {
    /// ## What it does
    /// Reports rows whose `file_name` is no image, and paths that the loader refuses: absolute ones, addresses, and those
    /// with `..`. Says what would mend most rows: a prefix to drop or to add, another case, another Unicode form, another
    /// extension.
    ///
    /// ## Why it matters
    /// `file_name` is relative to the folder of the metadata file, not to the root. A row that points nowhere is only
    /// found out when the row comes up in training, with a FileNotFoundError, and the image it was meant for is left out
    /// silently.
    ///
    /// ## Example
    /// `train/metadata.jsonl` with rows like `train/a_1.jpg`, beside `a_1.jpg`.
    ///
    /// ## What to do
    /// Write the paths relative to the metadata file, exactly as the files are called.
    M103 "metadata-path-mismatch", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

/// Rows that are listed one by one.
const MAX_LISTED: usize = 10;

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    if !facts.metadata.iter().any(metadata_rows::is_imagefolder) {
        return;
    }
    let images = metadata_rows::Images::of(facts);
    let named = metadata_rows::Named::of(facts);
    let near = NearNames::of(facts);
    for file in facts.metadata.iter().filter(|file| metadata_rows::is_imagefolder(file)) {
        let forbidden = file.faults.iter().filter(|fault| fault.kind == MetadataFaultKind::ForbiddenPath).count();
        let unresolved: Vec<_> = metadata_rows::resolved(file).filter(|(_, _, path)| !images.contains(path)).collect();
        let (rows, wrong) = (file.rows.len(), unresolved.iter().map(|(row, ..)| row.line).collect::<BTreeSet<_>>().len());
        if wrong == 0 && forbidden == 0 {
            continue;
        }
        let mut hints: BTreeMap<String, usize> = BTreeMap::new();
        for (_, name, path) in &unresolved {
            if let Some(hint) = hint_for(file, name, path, &images, &near) {
                *hints.entry(hint).or_default() += 1;
            }
        }
        // What mends most rows; of several, the first by its words.
        let best = hints.iter().rev().max_by_key(|(_, count)| **count);
        let (without_row, below) = named.without_row(facts, file);
        let listed: Vec<String> =
            unresolved.iter().take(MAX_LISTED).map(|(row, name, _)| format!("line {}: {}", row.line, printable(name))).collect();
        let message = if wrong == 0 {
            format!("{forbidden} of {rows} rows have a path that the loader refuses")
        } else {
            let hint = best.map_or_else(String::new, |(hint, count)| format!("; to mend {count}, {hint}"));
            let left_over = if named.is_whole { format!(", {} of {below} images have no row", without_row.len()) } else { String::new() };
            format!("{wrong} of {rows} rows point at no image{left_over}{hint}")
        };
        let help = best.map_or("write the paths relative to the metadata file, exactly as the files are called", |(hint, _)| hint.as_str());
        let finding = out.report(&file.path, message);
        finding
            .evidence("rows", rows)
            .evidence("unresolved", wrong)
            .evidence("forbidden", forbidden)
            .evidence("images", below)
            .evidence("images_without_row", without_row.len())
            .evidence("examples", listed)
            .means(
                Outcome::Stop,
                Phase::Training,
                "the row raises FileNotFoundError when it comes up; a path that is refused raises at once",
            )
            .help(help);
        if let Some((hint, _)) = best {
            finding.evidence("hint", hint.as_str());
        }
    }
}

/// Images by what remains of their path when case and Unicode form, the extension, or the folder are left out.
struct NearNames<'a> {
    loose: HashMap<String, &'a RelPath>,
    stems: HashMap<&'a str, &'a RelPath>,
    /// By name; `None` where several images have it.
    names: HashMap<&'a str, Option<&'a RelPath>>,
}

impl<'a> NearNames<'a> {
    fn of(facts: &DatasetFacts<'a>) -> Self {
        let mut near = Self { loose: HashMap::new(), stems: HashMap::new(), names: HashMap::new() };
        for path in facts.samples.iter().map(|sample| &sample.path) {
            near.loose.entry(loose(path.as_str())).or_insert(path);
            near.stems.entry(path.without_extension()).or_insert(path);
            near.names.entry(path.name()).and_modify(|known| *known = None).or_insert(Some(path));
        }
        near
    }
}

/// The path without case and Unicode form.
fn loose(path: &str) -> String {
    path.nfc().flat_map(char::to_lowercase).collect()
}

/// What would make the row point at an image.
fn hint_for(file: &MetadataFacts, name: &str, path: &RelPath, images: &metadata_rows::Images<'_>, near: &NearNames<'_>) -> Option<String> {
    if name.contains('\\') && images.contains(&metadata_rows::resolve(file, &name.replace('\\', "/"))) {
        return Some("write / instead of \\ in file_name".to_owned());
    }
    // From the shortest prefix to the longest; no sane path is deeper than this.
    for (slash, _) in name.match_indices('/').take(32) {
        let (prefix, rest) = name.split_at_checked(slash + 1)?;
        if !rest.is_empty() && images.contains(&metadata_rows::resolve(file, rest)) && !matches!(prefix, "./" | "/") {
            return Some(format!("drop the prefix '{}' from file_name", printable(prefix)));
        }
    }
    if let Some(image) = near.loose.get(&loose(path.as_str())) {
        let is_unicode_form = image.as_str().nfc().eq(path.as_str().nfc());
        let what = if is_unicode_form { "in the Unicode form (NFC or NFD)" } else { "in the case" };
        return Some(format!("write file_name {what} of the file's own name"));
    }
    if let Some(image) = near.stems.get(path.without_extension()) {
        return Some(format!("write .{} instead of .{} in file_name", image.extension(), path.extension()));
    }
    let image = (*near.names.get(path.name())?)?;
    let folder = image.as_str().strip_suffix(name)?;
    let prefix = if file.path.folder().is_empty() { folder } else { folder.strip_prefix(file.path.folder())?.strip_prefix('/')? };
    (!prefix.is_empty()).then(|| format!("add the prefix '{}' to file_name", printable(prefix)))
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_with, healthy};
    use crate::model::{CaptionCell, Finding, Inventory, MetadataFacts, MetadataKind, MetadataRow, RelPath};

    fn row(line: u64, file: &str) -> MetadataRow {
        MetadataRow { line, files: vec![file.to_owned()].into(), caption: CaptionCell::Text { chars: 5 } }
    }

    fn findings(images: &[&str], metadata: &str, rows: &[&str]) -> Vec<Finding> {
        let samples: Vec<_> = images.iter().map(|path| healthy(path)).collect();
        let rows = (1..).zip(rows).map(|(line, file)| row(line, file)).collect();
        let file = MetadataFacts { path: RelPath::from(metadata), kind: MetadataKind::JsonLines, rows, faults: Vec::new() };
        findings_with(&CHECK, &samples, Inventory::default(), &[file])
    }

    #[test]
    fn names_a_prefix_that_is_too_much() {
        let names = ["train/a_1.jpg", "train/a_2.jpg", "train/a_3.jpg"];
        let found = findings(&names, "train/metadata.jsonl", &names);
        assert_eq!(
            found[0].message,
            "3 of 3 rows point at no image, 3 of 3 images have no row; to mend 3, drop the prefix 'train/' from file_name"
        );
    }

    #[test]
    fn names_what_would_mend_the_rows() {
        for (image, row, hint) in [
            ("images/a.png", "a.png", "add the prefix 'images/' to file_name"),
            ("A.png", "a.png", "write file_name in the case of the file's own name"),
            ("caf\u{e9}.png", "cafe\u{301}.png", "write file_name in the Unicode form (NFC or NFD) of the file's own name"),
            ("a.png", "a.jpg", "write .png instead of .jpg in file_name"),
            ("sub/a.png", "sub\\a.png", "write / instead of \\ in file_name"),
            ("a.png", "/data/set/a.png", "drop the prefix '/data/set/' from file_name"),
        ] {
            assert_eq!(findings(&[image], "metadata.jsonl", &[row])[0].evidence["hint"], hint, "{row}");
        }
    }

    #[test]
    fn stays_quiet_where_every_row_is_an_image() {
        assert!(findings(&["train/a.png", "train/sub/b.png"], "train/metadata.jsonl", &["a.png", "./sub/b.png"]).is_empty());
    }
}
