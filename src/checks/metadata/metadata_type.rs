//! M104: a value in a metadata file has the wrong type.

use crate::checks::{Findings, Run, declare_check, metadata_rows};
use crate::model::{DatasetFacts, MetadataFaultKind, MetadataKind, Outcome, Phase, Profile};

declare_check! {
    /// ## What it does
    /// Reports values of another type than the loader expects, and conversations whose images are not as many as their
    /// `<image>` placeholders.
    ///
    /// ## Why it matters
    /// pyarrow raises when a column holds more than one type. Python is more forgiving, and worse: LlamaFactory takes the
    /// length of `images`, which for a string is the number of its letters, and stops with "The number of images does not
    /// match the number of image tokens".
    ///
    /// ## Example
    /// `"images": "test1.jpg"` where `["test1.jpg"]` is expected.
    ///
    /// ## What to do
    /// Correct the value; put a single image into a list.
    M104 "metadata-type", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    for file in facts.metadata {
        let Some((finding, _)) = metadata_rows::report_faults(file, &[MetadataFaultKind::WrongType], out) else { continue };
        let (phase, help) = match file.kind {
            MetadataKind::Conversations => (Phase::Caching, "put the images into a list, one for each <image>"),
            _ => (Phase::DatasetScan, "correct the value that is named"),
        };
        finding.means(Outcome::Stop, phase, "the loader raises when it comes to the value, or takes it for something else").help(help);
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_with, healthy};
    use crate::model::{Inventory, MetadataFacts, MetadataFault, MetadataFaultKind, MetadataKind, RelPath};

    #[test]
    fn names_the_record() {
        let detail = "'images' is a string, list expected; the text has 1 <image> placeholder(s)";
        let fault = MetadataFault { kind: MetadataFaultKind::WrongType, line: 1, column: 0, record: Some(0), detail: detail.to_owned() };
        let file =
            MetadataFacts { path: RelPath::from("data.json"), kind: MetadataKind::Conversations, rows: Vec::new(), faults: vec![fault] };
        let findings = findings_with(&CHECK, &[healthy("test1.jpg")], Inventory::default(), &[file]);
        assert_eq!(findings[0].message, format!("record 0: {detail}"));
        assert_eq!(findings[0].evidence["record"], 0);
    }

    #[test]
    fn stays_quiet_on_a_file_without_faults() {
        let file =
            MetadataFacts { path: RelPath::from("data.json"), kind: MetadataKind::Conversations, rows: Vec::new(), faults: Vec::new() };
        assert!(findings_with(&CHECK, &[healthy("test1.jpg")], Inventory::default(), &[file]).is_empty());
    }
}
