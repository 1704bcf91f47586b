//! M105: images without a row in the metadata file.

use crate::checks::{Findings, Run, declare_check, metadata_rows};
use crate::model::{DatasetFacts, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports images beside or below a metadata file that no row names, where the rows that are there point at images.
    ///
    /// ## Why it matters
    /// As soon as there is a metadata file, the imagefolder loader takes the rows for the dataset: images without one are
    /// left out, silently (datasets b7cb10b0, `folder_based_builder.py` lines 366-441; older releases raised an error).
    ///
    /// ## Example
    /// 30 images were added, and the metadata file was not written again.
    ///
    /// ## What to do
    /// Add rows for the images, or move them out.
    M105 "metadata-missing-rows", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    if !facts.metadata.iter().any(metadata_rows::is_imagefolder) {
        return;
    }
    let images = metadata_rows::Images::of(facts);
    let named = metadata_rows::Named::of(facts);
    for file in facts.metadata.iter().filter(|file| metadata_rows::is_imagefolder(file) && !file.rows.is_empty()) {
        let (missing, total) = named.without_row(facts, file);
        let unresolved = metadata_rows::resolved(file).filter(|(_, _, path)| !images.contains(path)).count();
        // As many rows that point nowhere explain as many images; that is M103's finding.
        if missing.len() <= unresolved {
            continue;
        }
        let count = missing.len();
        let mut paths = missing;
        paths.push(file.path.clone());
        out.report_all(paths, format!("{count} of {total} images have no row in {}", file.path))
            .evidence("without_row", count)
            .evidence("images", total)
            .evidence("rows", file.rows.len())
            .evidence("metadata", file.path.as_str())
            .means(Outcome::Skip, Phase::DatasetScan, "the imagefolder loader leaves images without a row out, silently")
            .help("add rows for the images, or move them out");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_with, healthy};
    use crate::model::{CaptionCell, Inventory, MetadataFacts, MetadataFault, MetadataFaultKind, MetadataKind, MetadataRow, RelPath};

    fn row(line: u64, file: &str) -> MetadataRow {
        MetadataRow { line, files: vec![file.to_owned()].into(), caption: CaptionCell::Text { chars: 5 } }
    }

    fn file(rows: Vec<MetadataRow>) -> MetadataFacts {
        MetadataFacts { path: RelPath::from("set/metadata.csv"), kind: MetadataKind::Csv, rows, faults: Vec::new() }
    }

    #[test]
    fn names_the_images_below_the_file() {
        let samples = [healthy("set/a.png"), healthy("set/b.png"), healthy("settings/c.png")];
        let findings = findings_with(&CHECK, &samples, Inventory::default(), &[file(vec![row(2, "a.png")])]);
        assert_eq!(findings[0].message, "1 of 2 images have no row in set/metadata.csv");
        assert!(findings[0].paths.contains(&RelPath::from("set/b.png")));
    }

    #[test]
    fn stays_quiet_where_the_row_is_there_and_points_nowhere() {
        let samples = [healthy("set/a.png"), healthy("set/b.png")];
        assert!(findings_with(&CHECK, &samples, Inventory::default(), &[file(vec![row(2, "a.png"), row(3, "B.png")])]).is_empty());
    }

    #[test]
    fn stays_quiet_where_rows_were_not_read() {
        let samples = [healthy("set/a.png"), healthy("set/b.png")];
        let mut cut = file(vec![row(2, "a.png")]);
        let detail = "the rest was not read".to_owned();
        cut.faults.push(MetadataFault { kind: MetadataFaultKind::AboveLimit, line: 0, column: 0, record: None, detail });
        assert!(findings_with(&CHECK, &samples, Inventory::default(), &[cut]).is_empty());
    }

    #[test]
    fn a_metadata_file_in_each_of_many_folders_ends_soon() {
        let names: Vec<String> = (0..10_000).flat_map(|n| [format!("{n:05}/a.png"), format!("{n:05}/b.png")]).collect();
        let samples: Vec<_> = names.iter().map(|name| healthy(name)).collect();
        let files =
            (0..10_000).map(|n| MetadataFacts { path: format!("{n:05}/metadata.csv").as_str().into(), ..file(vec![row(2, "a.png")]) });
        let begin = std::time::Instant::now();
        let findings = findings_with(&CHECK, &samples, Inventory::default(), &files.collect::<Vec<_>>());
        assert_eq!((findings.len(), findings[9_999].evidence["images"].as_u64()), (10_000, Some(2)));
        assert!(begin.elapsed().as_secs() < 10, "it took {:?}", begin.elapsed());
    }
}
