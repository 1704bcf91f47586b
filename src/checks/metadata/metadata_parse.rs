//! M102: a metadata file that its loader cannot read.

use crate::checks::{Findings, Run, declare_check, metadata_rows};
use crate::model::{DatasetFacts, Level, MetadataFaultKind, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports metadata files that cannot be parsed, are not UTF-8 or lack the column with the names, with line and
    /// column. Keys that stand twice are a warning, and so is a file above a limit of this run, which was not read to its end.
    ///
    /// ## Why it matters
    /// The loader reads the whole file before anything else, and one bad line ends the run: pyarrow, pandas and Python's
    /// `json` all raise, not always with the line's number.
    ///
    /// ## Example
    /// A comma in a caption of `metadata.csv` without quotes around it; a trailing comma in a line of JSON; a byte order
    /// mark.
    ///
    /// ## What to do
    /// Correct the line. Write such files with a JSON or CSV library, not by hand. Give the user who trains the right to read
    /// a file that cannot be opened; split one that is above the limit.
    M102 "metadata-parse", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

const KINDS: [MetadataFaultKind; 4] =
    [MetadataFaultKind::Parse, MetadataFaultKind::Encoding, MetadataFaultKind::MissingKey, MetadataFaultKind::DuplicateKey];

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    for file in facts.metadata {
        if let Some((finding, _)) = metadata_rows::report_faults(file, &[MetadataFaultKind::Unreadable], out) {
            finding
                .means(Outcome::Stop, Phase::DatasetScan, "opening the file raises")
                .help("correct the permissions, or copy the file again");
        }
        if let Some((finding, _)) = metadata_rows::report_faults(file, &[MetadataFaultKind::AboveLimit], out) {
            finding
                .level(Level::Warning)
                .means(
                    Outcome::Train,
                    Phase::DatasetScan,
                    "the loader reads the whole file; what is behind the limit was not looked at here",
                )
                .help("make the file smaller, or split it");
        }
        let Some((finding, faults)) = metadata_rows::report_faults(file, &KINDS, out) else { continue };
        if faults.iter().all(|fault| fault.kind == MetadataFaultKind::DuplicateKey) {
            finding
                .level(Level::Warning)
                .means(Outcome::Distort, Phase::DatasetScan, "the last of the equal keys counts, without a word")
                .help("remove all but one of the equal keys");
        } else {
            finding
                .means(Outcome::Stop, Phase::DatasetScan, "the loader raises while it reads the file, before any image is looked at")
                .help("correct the line that is named");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_with, healthy};
    use crate::model::{Inventory, Level, MetadataFacts, MetadataFault, MetadataFaultKind, MetadataKind, RelPath};

    fn with_fault(kind: MetadataFaultKind) -> MetadataFacts {
        let fault = MetadataFault { kind, line: 3, column: 12, record: Some(2), detail: "expected a comma".to_owned() };
        MetadataFacts {
            path: RelPath::from("metadata.jsonl"),
            kind: MetadataKind::JsonLines,
            rows: Vec::new(),
            faults: vec![fault.clone(), fault],
        }
    }

    #[test]
    fn says_line_and_column() {
        let findings = findings_with(&CHECK, &[healthy("a.png")], Inventory::default(), &[with_fault(MetadataFaultKind::Parse)]);
        assert_eq!(findings[0].message, "line 3, column 12: expected a comma (and 1 more)");
        assert_eq!((&findings[0].evidence["line"], &findings[0].evidence["record"]), (&3.into(), &2.into()));
        let twice = findings_with(&CHECK, &[healthy("a.png")], Inventory::default(), &[with_fault(MetadataFaultKind::DuplicateKey)]);
        assert_eq!(twice[0].level, Level::Warning);
    }

    #[test]
    fn a_limit_a_permission_and_a_line_get_each_their_own_help() {
        for (kind, level, help) in [
            (MetadataFaultKind::Parse, Level::Error, "correct the line that is named"),
            (MetadataFaultKind::Unreadable, Level::Error, "correct the permissions, or copy the file again"),
            (MetadataFaultKind::AboveLimit, Level::Warning, "make the file smaller, or split it"),
        ] {
            let findings = findings_with(&CHECK, &[healthy("a.png")], Inventory::default(), &[with_fault(kind)]);
            assert_eq!(findings.len(), 1);
            assert_eq!((findings[0].level, findings[0].help.as_str()), (level, help));
        }
    }

    #[test]
    fn leaves_wrong_types_to_their_own_check() {
        assert!(findings_with(&CHECK, &[], Inventory::default(), &[with_fault(MetadataFaultKind::WrongType)]).is_empty());
    }
}
