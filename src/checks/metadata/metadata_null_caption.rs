//! M106: captions that the loader reads as null.

use crate::checks::{Findings, Run, declare_check, metadata_rows};
use crate::model::{CaptionCell, DatasetFacts, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports rows of `metadata.csv` and `metadata.jsonl` whose caption is null, empty, or a word that pandas reads as
    /// null: `NA`, `N/A`, `null`, `None`, `nan` and some more.
    ///
    /// ## Why it matters
    /// diffusers' scripts stop with "Caption column should contain either strings or lists of strings" when they come to
    /// the row. A caption of the word NA alone is as null as none.
    ///
    /// ## Example
    /// A spreadsheet in which the captions of some rows were never filled in.
    ///
    /// ## What to do
    /// Write the captions, or remove the rows together with their images.
    M106 "metadata-null-caption", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

/// Rows that are listed one by one.
const MAX_LISTED: usize = 20;

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    for file in facts.metadata.iter().filter(|file| metadata_rows::is_imagefolder(file)) {
        let nulls: Vec<_> = file
            .rows
            .iter()
            .filter_map(|row| match &row.caption {
                CaptionCell::Null(seen) => Some((row, seen)),
                CaptionCell::Absent | CaptionCell::Text { .. } | CaptionCell::Wrong(_) => None,
            })
            .collect();
        let Some((first, seen)) = nulls.first() else { continue };
        let listed: Vec<String> = nulls.iter().take(MAX_LISTED).map(|(row, seen)| format!("line {}: {seen:?}", row.line)).collect();
        let message = format!("{} of {} captions are null, the first in line {}: {seen:?}", nulls.len(), file.rows.len(), first.line);
        out.report(&file.path, message)
            .evidence("nulls", nulls.len())
            .evidence("rows", file.rows.len())
            .evidence("line", first.line)
            .evidence("listed", listed)
            .means(Outcome::Stop, Phase::Caching, "diffusers raises `ValueError` when it comes to the row")
            .help("write the captions, or remove the rows together with their images");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_with, healthy};
    use crate::model::{CaptionCell, Inventory, MetadataFacts, MetadataKind, MetadataRow, RelPath};

    fn file(caption: CaptionCell) -> MetadataFacts {
        let rows = vec![MetadataRow { line: 2, files: vec!["a.png".to_owned()].into(), caption }];
        MetadataFacts { path: RelPath::from("metadata.csv"), kind: MetadataKind::Csv, rows, faults: Vec::new() }
    }

    #[test]
    fn shows_what_stood_there() {
        let findings = findings_with(&CHECK, &[healthy("a.png")], Inventory::default(), &[file(CaptionCell::Null("NA".to_owned()))]);
        assert_eq!(findings[0].message, "1 of 1 captions are null, the first in line 2: \"NA\"");
    }

    #[test]
    fn stays_quiet_where_there_is_no_caption_column() {
        assert!(findings_with(&CHECK, &[healthy("a.png")], Inventory::default(), &[file(CaptionCell::Absent)]).is_empty());
    }
}
