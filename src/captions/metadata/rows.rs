//! What the readers of metadata files collect, and the questions that they all ask of a value.

use serde_json::Value;

use crate::model::{CaptionCell, MetadataFacts, MetadataFault, MetadataFaultKind, MetadataKind, MetadataRow, RelPath};

/// Faults of one file that are kept; a file in which every row is wrong has no more to say than this.
const MAX_FAULTS: usize = 1000;

/// Rows of one file that are kept; one that names several images counts as so many. Far more than any dataset has in one file,
/// and a bound on memory: what a row takes here, about 90 bytes, may be two in the file.
pub(super) const MAX_ROWS: usize = 2_000_000;

/// Where in a file something stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Line, from 1.
    pub(super) line: u64,
    /// Column in characters, from 1; 0 if none is meant.
    pub(super) column: u64,
    /// Number of the record from 0.
    pub(super) record: Option<u64>,
}

/// Rows and faults of one file.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) list: Vec<MetadataRow>,
    limit: usize,
    kept: usize,
    is_cut: bool,
    faults: Vec<MetadataFault>,
    left_out: u64,
}

impl Rows {
    /// Room for so many rows.
    pub(super) fn up_to(limit: usize) -> Self {
        Self { list: Vec::new(), limit, kept: 0, is_cut: false, faults: Vec::new(), left_out: 0 }
    }

    /// The bytes of a JSON file behind its byte order mark, which is a fault.
    pub(super) fn without_bom<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") else { return bytes };
        let place = Place { line: 1, column: 1, record: None };
        self.fault(MetadataFaultKind::Parse, place, "the file begins with a byte order mark, which JSON parsers refuse");
        rest
    }

    /// Adds a row.
    pub(super) fn add(&mut self, line: u64, files: Vec<String>, caption: CaptionCell) {
        self.kept = self.kept.saturating_add(files.len().max(1));
        self.list.push(MetadataRow { line, files: files.into(), caption });
    }

    /// Whether there is no room for the row that comes next. To be asked only where one comes: the facts will say that it and
    /// the rest were not read.
    pub(super) fn must_stop(&mut self) -> bool {
        self.is_cut |= self.kept >= self.limit;
        self.is_cut
    }

    /// Adds a fault.
    pub(super) fn fault(&mut self, kind: MetadataFaultKind, place: Place, detail: impl Into<String>) {
        if self.faults.len() < MAX_FAULTS {
            let Place { line, column, record } = place;
            self.faults.push(MetadataFault { kind, line, column, record, detail: detail.into() });
        } else {
            self.left_out += 1;
        }
    }

    /// Adds a fault of the file as a whole.
    pub(super) fn fault_of_file(&mut self, kind: MetadataFaultKind, detail: impl Into<String>) {
        self.fault(kind, Place { line: 0, column: 0, record: None }, detail);
    }

    /// Checks a path the way the imagefolder loader does: absolute paths, `..` and addresses raise `ValueError` (datasets 4,
    /// `folder_based_builder.py` lines 402-434).
    pub(super) fn check_path(&mut self, file: &str, place: Place) {
        let is_absolute =
            file.starts_with(['/', '\\']) || matches!(file.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
        let what = if file.contains("://") {
            "an address"
        } else if is_absolute {
            "an absolute path"
        } else if file.split(['/', '\\']).any(|part| part == "..") {
            "a path that leaves its folder"
        } else {
            return;
        };
        self.fault(
            MetadataFaultKind::ForbiddenPath,
            place,
            format!("{file:?} is {what}, a path below the metadata file's folder expected"),
        );
    }

    /// Adds one fault a line for text that is not UTF-8.
    pub(super) fn check_utf8(&mut self, line: &[u8], place: Place) {
        let Err(error) = std::str::from_utf8(line) else { return };
        let valid = line.get(..error.valid_up_to()).unwrap_or_default();
        let byte = line.get(error.valid_up_to()).copied().unwrap_or_default();
        let column = String::from_utf8_lossy(valid).chars().count() as u64 + 1;
        self.fault(MetadataFaultKind::Encoding, Place { column, ..place }, format!("byte 0x{byte:02x} is not UTF-8"));
    }

    /// The facts of the file.
    pub(super) fn into_facts(mut self, path: &RelPath, kind: MetadataKind) -> MetadataFacts {
        if self.left_out > 0 {
            let kind = self.faults.last().map_or(MetadataFaultKind::Parse, |fault| fault.kind);
            let detail = format!("{} more faults are not listed", self.left_out);
            self.faults.push(MetadataFault { kind, line: 0, column: 0, record: None, detail });
        }
        if self.is_cut {
            let detail = format!("the file has more than {} rows, this run's limit; the rest was not read", self.limit);
            self.faults.push(MetadataFault { kind: MetadataFaultKind::AboveLimit, line: 0, column: 0, record: None, detail });
        }
        MetadataFacts { path: path.clone(), kind, rows: self.list, faults: self.faults }
    }
}

/// The JSON type of a value.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// A caption as a cell. A list of texts is several captions, of which trainers draw one.
pub(super) fn caption_of(value: &Value) -> CaptionCell {
    match value {
        Value::Null => CaptionCell::Null("null".to_owned()),
        Value::String(text) => CaptionCell::Text { chars: text.trim().chars().count() as u64 },
        Value::Array(texts) if !texts.is_empty() && texts.iter().all(Value::is_string) => CaptionCell::Text {
            chars: texts.iter().filter_map(Value::as_str).map(|text| text.trim().chars().count() as u64).max().unwrap_or(0),
        },
        other => CaptionCell::Wrong(type_of(other)),
    }
}
