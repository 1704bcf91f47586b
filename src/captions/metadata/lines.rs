//! JSON lines: `metadata.jsonl` of imagefolder, and the lines that sd-scripts reads with `in_json`.

use super::object::Object;
use super::rows::{MAX_ROWS, Place, Rows, caption_of, type_of};
use crate::model::{CaptionCell, MetadataFacts, MetadataFaultKind, MetadataKind, RelPath};

/// Columns that hold captions, the commonest first (diffusers' `--caption_column` is `text`).
const CAPTION_KEYS: [&str; 3] = ["text", "caption", "prompt"];

/// Reads JSON lines. `named` is what the name says; a file that holds `file_name` is one of imagefolder whatever its name,
/// and one that holds neither `file_name` nor `image_path` is `None` unless its name is exact.
pub(super) fn read(path: &RelPath, bytes: &[u8], named: MetadataKind) -> Option<MetadataFacts> {
    read_up_to(MAX_ROWS, path, bytes, named)
}

fn read_up_to(limit: usize, path: &RelPath, bytes: &[u8], named: MetadataKind) -> Option<MetadataFacts> {
    let kind = if named == MetadataKind::JsonLines { named } else { kind_by_content(bytes)? };
    let mut rows = Rows::up_to(limit);
    let bytes = rows.without_bom(bytes);
    let mut record = 0;
    for (number, line) in (1..).zip(lines_of(bytes)) {
        let place = Place { line: number, column: 0, record: Some(record) };
        if line.trim_ascii().is_empty() {
            // pyarrow skips blank lines; sd-scripts hands every line to `json.loads`.
            if kind == MetadataKind::KohyaJsonLines {
                rows.fault(MetadataFaultKind::Parse, place, "the line is blank, an object expected");
            }
            continue;
        }
        if rows.must_stop() {
            break;
        }
        rows.check_utf8(line, place);
        read_line(&String::from_utf8_lossy(line), kind, place, &mut rows);
        record += 1;
    }
    complete(&mut rows, kind);
    Some(rows.into_facts(path, kind))
}

/// The lines of the file without their ends; an end behind the last line makes no further one.
fn lines_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let is_empty = bytes.is_empty();
    bytes.split(|&byte| byte == b'\n').filter(move |_| !is_empty)
}

/// Looks at the first objects for the keys of either loader.
fn kind_by_content(bytes: &[u8]) -> Option<MetadataKind> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    lines_of(bytes).take(20).filter_map(|line| serde_json::from_slice::<Object>(line).ok()).find_map(|object| {
        let has = |key| object.get(key).is_some();
        if has("file_name") {
            Some(MetadataKind::JsonLines)
        } else if has("image_path") {
            Some(MetadataKind::KohyaJsonLines)
        } else {
            None
        }
    })
}

fn read_line(line: &str, kind: MetadataKind, place: Place, rows: &mut Rows) {
    let object: Object = match serde_json::from_str(line) {
        Ok(object) => object,
        Err(error) => {
            let column = line.get(..error.column()).map_or(error.column() as u64, |before| before.chars().count() as u64);
            rows.fault(MetadataFaultKind::Parse, Place { column, ..place }, reason(&error));
            return;
        }
    };
    for key in object.duplicates() {
        rows.fault(MetadataFaultKind::DuplicateKey, place, format!("the key {key:?} stands twice, the last one counts"));
    }
    let mut files = Vec::new();
    let mut has_key = false;
    for (key, value) in object.entries.iter().filter(|(key, _)| is_file_key(key, kind)) {
        has_key = true;
        match (value, key.ends_with("file_names")) {
            (serde_json::Value::String(file), false) => files.push(file.clone()),
            (serde_json::Value::Array(list), true) => files.extend(list.iter().filter_map(|file| file.as_str().map(str::to_owned))),
            (other, is_list) => {
                let wanted = if is_list { "list" } else { "string" };
                rows.fault(MetadataFaultKind::WrongType, place, format!("{key:?} is a {}, {wanted} expected", type_of(other)));
            }
        }
    }
    if !has_key {
        let key = if kind == MetadataKind::JsonLines { "file_name" } else { "image_path" };
        rows.fault(MetadataFaultKind::MissingKey, place, format!("the key {key:?} is missing"));
    }
    if kind == MetadataKind::JsonLines {
        for file in &files {
            rows.check_path(file, place);
        }
    }
    let caption = CAPTION_KEYS.iter().find_map(|key| Some((*key, caption_of(object.get(key)?))));
    if let Some((key, CaptionCell::Wrong(seen))) = &caption {
        rows.fault(MetadataFaultKind::WrongType, place, format!("{key:?} is a {seen}, string expected"));
    }
    rows.add(place.line, files, caption.map_or(CaptionCell::Absent, |(_, cell)| cell));
}

/// Whether a column names images (datasets b7cb10b0, `folder_based_builder.py` lines 184-248).
pub(super) fn is_file_key(key: &str, kind: MetadataKind) -> bool {
    match kind {
        MetadataKind::KohyaJsonLines => key == "image_path",
        _ => matches!(key, "file_name" | "file_names") || key.ends_with("_file_name") || key.ends_with("_file_names"),
    }
}

/// A row without the caption that others have gets null from pyarrow, and an empty caption from sd-scripts.
fn complete(rows: &mut Rows, kind: MetadataKind) {
    if kind == MetadataKind::JsonLines && rows.list.iter().any(|row| row.caption != CaptionCell::Absent) {
        for row in rows.list.iter_mut().filter(|row| row.caption == CaptionCell::Absent) {
            row.caption = CaptionCell::Null("no caption key".to_owned());
        }
    }
}

/// The parser's reason without its place, which is that inside the line.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MetadataRow;

    fn facts(name: &str, text: &str) -> MetadataFacts {
        super::super::read(&RelPath::from(name), text.as_bytes()).expect("it is a metadata file")
    }

    fn faults(facts: &MetadataFacts) -> Vec<(MetadataFaultKind, u64, u64)> {
        facts.faults.iter().map(|fault| (fault.kind, fault.line, fault.column)).collect()
    }

    #[test]
    fn rows_have_files_and_captions() {
        let facts = facts(
            "train/metadata.jsonl",
            "{\"file_name\": \"a.png\", \"text\": \"a cat\"}\n\n{\"file_name\": \"b.png\", \"text\": null}\r\n",
        );
        assert_eq!((facts.kind, facts.faults.as_slice()), (MetadataKind::JsonLines, &[][..]));
        assert_eq!(facts.rows[0], MetadataRow { line: 1, files: vec!["a.png".to_owned()].into(), caption: CaptionCell::Text { chars: 5 } });
        assert_eq!(facts.rows[1].line, 3);
        assert!(matches!(facts.rows[1].caption, CaptionCell::Null(_)));
    }

    #[test]
    fn what_is_wrong_has_line_and_column() {
        let facts = facts(
            "metadata.jsonl",
            "\u{feff}{\"file_name\": \"ä\", x}\n{\"text\": \"b\"}\n{\"file_name\": 3, \"text\": 4}\n{\"file_name\": \"../a.png\", \"file_name\": \"/a.png\"}\n",
        );
        assert_eq!(
            faults(&facts),
            [
                (MetadataFaultKind::Parse, 1, 1),
                (MetadataFaultKind::Parse, 1, 20),
                (MetadataFaultKind::MissingKey, 2, 0),
                (MetadataFaultKind::WrongType, 3, 0),
                (MetadataFaultKind::WrongType, 3, 0),
                (MetadataFaultKind::DuplicateKey, 4, 0),
                (MetadataFaultKind::ForbiddenPath, 4, 0),
                (MetadataFaultKind::ForbiddenPath, 4, 0),
            ]
        );
    }

    #[test]
    fn lines_of_sd_scripts_are_known_by_image_path_and_may_not_be_blank() {
        let facts = facts("captions.jsonl", "{\"image_path\": \"/data/a.png\", \"caption\": \"a\"}\n\n{\"image_path\": \"b.png\"}\n");
        assert_eq!(facts.kind, MetadataKind::KohyaJsonLines);
        assert_eq!(faults(&facts), [(MetadataFaultKind::Parse, 2, 0)]);
        assert_eq!(super::super::read(&RelPath::from("log.jsonl"), b"{\"step\": 1}\n"), None);
    }

    #[test]
    fn text_that_is_not_utf8_is_placed() {
        let facts = super::super::read(&RelPath::from("metadata.jsonl"), b"{\"file_name\": \"caf\xe9.png\"}").expect("it is named so");
        assert_eq!(faults(&facts), [(MetadataFaultKind::Encoding, 1, 19)]);
    }

    #[test]
    fn lines_above_the_limit_are_not_read() {
        let text = "{\"file_name\": \"a.png\"}\n\n{\"file_names\": [\"b.png\", \"c.png\"]}\n\n";
        let read = |limit, text: &str| {
            let facts = read_up_to(limit, &RelPath::from("metadata.jsonl"), text.as_bytes(), MetadataKind::JsonLines);
            let facts = facts.expect("it is named so");
            (facts.rows.len(), facts.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>())
        };
        assert_eq!(read(1, text), (1, vec![MetadataFaultKind::AboveLimit]));
        assert_eq!(read(3, text), (2, vec![]));
        assert_eq!(read(3, &format!("{text}broken")), (2, vec![MetadataFaultKind::AboveLimit]));
    }

    #[test]
    fn faults_are_bounded() {
        let facts = facts("metadata.jsonl", &"x\n".repeat(5000));
        assert_eq!(facts.faults.len(), 1001);
        assert_eq!(facts.faults[1000].detail, "4000 more faults are not listed");
    }
}
