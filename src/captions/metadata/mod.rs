//! Files that hold the captions of many images: recognised by name and content, read row by row.
//!
//! One file per format: [`csv`], [`lines`] (JSON lines), [`document`] (one JSON value). All of them collect into
//! [`rows::Rows`], which bounds what is kept of the faults. Whether the rows point at images is for `checks`.

mod csv;
mod document;
mod lines;
mod object;
mod rows;

use crate::model::{MetadataFacts, MetadataFault, MetadataFaultKind, MetadataKind, RelPath};

/// Which loader reads a file of this name; `None` if none does. For `.json` the content decides in the end.
///
/// The names of imagefolder are exact, in lower case (datasets b7cb10b0, `folder_based_builder.py` line 60). sd-scripts takes any
/// name that is given as `in_json` or `metadata_file`.
///
/// ```
/// use walkaround::captions::metadata::kind_of;
/// use walkaround::model::MetadataKind;
/// assert_eq!(kind_of("metadata.jsonl"), Some(MetadataKind::JsonLines));
/// assert_eq!(kind_of("metadata.json1"), None);
/// ```
#[must_use]
pub fn kind_of(name: &str) -> Option<MetadataKind> {
    match name {
        "metadata.jsonl" => Some(MetadataKind::JsonLines),
        "metadata.csv" => Some(MetadataKind::Csv),
        "metadata.parquet" => Some(MetadataKind::Parquet),
        _ => match name.rsplit_once('.')?.1 {
            "jsonl" => Some(MetadataKind::KohyaJsonLines),
            "json" => Some(MetadataKind::KohyaJson),
            _ => None,
        },
    }
}

/// Reads a metadata file; `None` if it is none, such as a configuration in JSON.
///
/// Rows in front of a place that cannot be parsed are kept.
#[must_use]
pub fn read(path: &RelPath, bytes: &[u8]) -> Option<MetadataFacts> {
    let kind = kind_of(path.name())?;
    if kind == MetadataKind::Parquet {
        return Some(MetadataFacts { path: path.clone(), kind, rows: Vec::new(), faults: Vec::new() });
    }
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes {
        let detail = "the file is UTF-16, UTF-8 expected".to_owned();
        let fault = MetadataFault { kind: MetadataFaultKind::Encoding, line: 1, column: 1, record: None, detail };
        return Some(MetadataFacts { path: path.clone(), kind, rows: Vec::new(), faults: vec![fault] });
    }
    match kind {
        MetadataKind::JsonLines | MetadataKind::KohyaJsonLines => lines::read(path, bytes, kind),
        MetadataKind::Csv => Some(csv::read(path, bytes)),
        MetadataKind::KohyaJson | MetadataKind::Conversations => document::read(path, bytes),
        MetadataKind::Parquet => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf16_is_one_fault_and_not_one_a_line() {
        let bytes: Vec<u8> = "\u{feff}file_name,text\na.png,a\nb.png,b\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let facts = read(&RelPath::from("metadata.csv"), &bytes).expect("it is named as metadata");
        assert_eq!(facts.faults.len(), 1);
        assert_eq!(facts.faults[0].kind, MetadataFaultKind::Encoding);
    }

    #[test]
    fn a_configuration_is_no_metadata() {
        for text in ["{}", "[]", "3", r#"{"resolution": 512, "optimizer": {"lr": 1e-4}}"#, "[1, 2]", "{broken", r#"{"a.png": 3}"#] {
            assert_eq!(read(&RelPath::from("config.json"), text.as_bytes()), None, "{text}");
        }
    }
}
