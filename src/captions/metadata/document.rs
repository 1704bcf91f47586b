//! One JSON value: sd-scripts' metadata, an object keyed by image path, or a list of conversations with images.
//!
//! The value is read entry by entry, so that a large file is never held as one tree.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Value};

use super::lines::reason;
use super::rows::{MAX_ROWS, Place, Rows, caption_of, type_of};
use crate::model::{CaptionCell, MetadataFacts, MetadataFaultKind, MetadataKind, RelPath};

/// Entries that decide whether a JSON file is metadata at all.
const DECIDING_ENTRIES: usize = 20;

/// Keys of sd-scripts' entries (48d368fa, `library/train_util.py` 2187-2372).
const KOHYA_KEYS: [&str; 5] = ["caption", "tags", "image_size", "train_resolution", "image_path"];

/// Reads a JSON file; `None` if its first entries are not those of a metadata file.
pub(super) fn read(path: &RelPath, bytes: &[u8]) -> Option<MetadataFacts> {
    read_up_to(MAX_ROWS, path, bytes)
}

fn read_up_to(limit: usize, path: &RelPath, bytes: &[u8]) -> Option<MetadataFacts> {
    let mut rows = Rows::up_to(limit);
    let bytes = rows.without_bom(bytes);
    if std::str::from_utf8(bytes).is_err() {
        for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
            rows.check_utf8(text, Place { line, column: 0, record: None });
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let mut visitor = Document { rows, kind: None, likely: 0, entries: 0 };
    let mut deserializer = Deserializer::from_str(&text);
    let outcome = deserializer.deserialize_any(&mut visitor).and_then(|()| deserializer.end());
    let Document { mut rows, kind, likely, .. } = visitor;
    let kind = kind.filter(|_| likely > 0)?;
    if let Err(error) = outcome {
        let (line, column) = (error.line() as u64, error.column() as u64);
        rows.fault(MetadataFaultKind::Parse, Place { line, column, record: None }, reason(&error));
    }
    Some(rows.into_facts(path, kind))
}

/// What was read of the value so far.
struct Document {
    rows: Rows,
    kind: Option<MetadataKind>,
    /// Entries that look like those of a metadata file.
    likely: u64,
    entries: usize,
}

impl Document {
    /// Whether the first entries say that this is no metadata file.
    fn is_hopeless(&self) -> bool {
        self.entries >= DECIDING_ENTRIES && self.likely == 0
    }

    fn next_place(&mut self) -> Place {
        let place = Place { line: self.entries as u64 + 1, column: 0, record: Some(self.entries as u64) };
        self.entries += 1;
        place
    }

    /// One entry of sd-scripts' metadata.
    fn add_image(&mut self, file: String, value: &Value) {
        let place = self.next_place();
        let Some(entry) = value.as_object() else {
            self.rows.fault(MetadataFaultKind::WrongType, place, format!("{file:?} is a {}, object expected", type_of(value)));
            return;
        };
        self.likely += u64::from(KOHYA_KEYS.iter().any(|key| entry.contains_key(*key)));
        for key in ["caption", "tags"] {
            if let Some(seen) = entry.get(key).filter(|value| !value.is_string() && !value.is_null()) {
                let detail = format!("{key:?} of {file:?} is a {}, string expected", type_of(seen));
                self.rows.fault(MetadataFaultKind::WrongType, place, detail);
            }
        }
        let caption = match (entry.get("caption"), entry.get("tags")) {
            (Some(Value::Null) | None, Some(tags)) => caption_of(tags),
            (Some(caption), _) => caption_of(caption),
            (None, None) => CaptionCell::Absent,
        };
        self.rows.add(place.line, vec![file], caption);
    }

    /// One conversation.
    fn add_conversation(&mut self, record: &Value) {
        let place = self.next_place();
        let Some(record) = record.as_object() else { return };
        let turns = ["messages", "conversations"].iter().find_map(|key| record.get(*key));
        let Some(turns) = turns else { return };
        self.likely += 1;
        let placeholders = placeholders_in(turns);
        let mut files = Vec::new();
        match record.get("images") {
            // LlamaFactory takes the length of this value as the number of images: for a string, its characters.
            Some(Value::Array(images)) => {
                files.extend(images.iter().filter_map(|image| image.as_str().map(str::to_owned)));
                for (at, image) in images.iter().enumerate().filter(|(_, image)| !image.is_string()) {
                    self.rows.fault(MetadataFaultKind::WrongType, place, format!("image {at} is a {}, string expected", type_of(image)));
                }
                if images.len() as u64 != placeholders {
                    let detail = format!("{} in 'images' for {} <image> placeholders in the text", images.len(), placeholders);
                    self.rows.fault(MetadataFaultKind::WrongType, place, detail);
                }
            }
            Some(Value::Null) | None => {}
            Some(other) => {
                files.extend(other.as_str().map(str::to_owned));
                let detail = format!("'images' is a {}, list expected; the text has {placeholders} <image> placeholder(s)", type_of(other));
                self.rows.fault(MetadataFaultKind::WrongType, place, detail);
            }
        }
        if let Some(image) = record.get("image").and_then(Value::as_str) {
            files.push(image.to_owned());
        }
        let caption = match turns {
            Value::Array(_) => CaptionCell::Text { chars: answer_chars(turns) },
            other => {
                self.rows.fault(MetadataFaultKind::WrongType, place, format!("the messages are a {}, list expected", type_of(other)));
                CaptionCell::Wrong(type_of(other))
            }
        };
        self.rows.add(place.line, files, caption);
    }
}

/// The texts of a conversation, in the keys `content` and `value`.
fn texts(turns: &Value) -> impl Iterator<Item = &str> {
    turns.as_array().into_iter().flatten().filter_map(|turn| turn.get("content").or_else(|| turn.get("value"))?.as_str())
}

fn placeholders_in(turns: &Value) -> u64 {
    texts(turns).map(|text| text.matches("<image>").count() as u64).sum()
}

fn answer_chars(turns: &Value) -> u64 {
    texts(turns).last().map_or(0, |text| text.trim().chars().count() as u64)
}

impl<'de> Visitor<'de> for &mut Document {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object keyed by image, or a list of conversations")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.kind = Some(MetadataKind::KohyaJson);
        let mut seen = HashSet::new();
        while let Some((file, value)) = map.next_entry::<String, Value>()? {
            // Parsed all the same: the rest of the value has to be JSON.
            if self.rows.must_stop() {
                continue;
            }
            if !seen.insert(blake3::hash(file.as_bytes())) {
                let place = Place { line: self.entries as u64 + 1, column: 0, record: Some(self.entries as u64) };
                self.rows.fault(MetadataFaultKind::DuplicateKey, place, format!("{file:?} stands twice, the last one counts"));
            }
            self.add_image(file, &value);
            if self.is_hopeless() {
                break;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.kind = Some(MetadataKind::Conversations);
        while let Some(record) = list.next_element::<Value>()? {
            if self.rows.must_stop() {
                continue;
            }
            self.add_conversation(&record);
            if self.is_hopeless() {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> MetadataFacts {
        read(&RelPath::from("data.json"), text.as_bytes()).expect("it is a metadata file")
    }

    #[test]
    fn a_string_where_a_list_of_images_is_expected_is_one_image() {
        let facts = facts(
            r#"[{"messages":[{"role":"user","content":"<image>what?"},{"role":"assistant","content":"a cat"}],"images":"test1.jpg"}]"#,
        );
        assert_eq!(facts.kind, MetadataKind::Conversations);
        assert_eq!(facts.rows[0].files.as_slice(), ["test1.jpg".into()]);
        let [fault] = facts.faults.as_slice() else { panic!("{:?}", facts.faults) };
        assert_eq!((fault.kind, fault.record), (MetadataFaultKind::WrongType, Some(0)));
        assert_eq!(fault.detail, "'images' is a string, list expected; the text has 1 <image> placeholder(s)");
    }

    #[test]
    fn conversations_with_as_many_images_as_placeholders_are_fine() {
        let right = r#"[{"messages":[{"content":"<image><image>both?"}],"images":["a.jpg","b.jpg"]},
            {"conversations":[{"from":"human","value":"<image>\nwhat?"}],"image":"c.jpg"}, {"messages":[{"content":"hello"}]}]"#;
        let facts = facts(right);
        assert_eq!((facts.faults.as_slice(), facts.rows.len()), (&[][..], 3));
        let short = super::tests::facts(r#"[{"messages":[{"content":"<image><image>"}],"images":["a.jpg"]}]"#);
        assert_eq!(short.faults[0].detail, "1 in 'images' for 2 <image> placeholders in the text");
    }

    #[test]
    fn entries_of_sd_scripts_are_keyed_by_image() {
        let facts = facts(
            r#"{"a.png": {"caption": "a cat", "train_resolution": [512, 512]}, "b.png": {"tags": "1girl"}, "c.png": {"caption": ["x"]},
            "a.png": {"caption": null}, "d.png": 3}"#,
        );
        assert_eq!((facts.kind, facts.rows.len()), (MetadataKind::KohyaJson, 4));
        let kinds: Vec<_> = facts.faults.iter().map(|fault| (fault.kind, fault.record)).collect();
        assert_eq!(
            kinds,
            [(MetadataFaultKind::WrongType, Some(2)), (MetadataFaultKind::DuplicateKey, Some(3)), (MetadataFaultKind::WrongType, Some(4))]
        );
        assert!(matches!(facts.rows[3].caption, CaptionCell::Null(_)));
    }

    #[test]
    fn entries_above_the_limit_are_not_read() {
        for text in [
            r#"{"a.png": {"caption": "a"}, "b.png": {"caption": "b"}, "c.png": {"caption": "c"}}"#,
            r#"[{"messages": [], "images": []}, {"messages": [], "images": []}, {"messages": []}]"#,
        ] {
            let read = |limit| read_up_to(limit, &RelPath::from("data.json"), text.as_bytes()).expect("it is a metadata file");
            let kinds: Vec<_> = read(2).faults.iter().map(|fault| fault.kind).collect();
            assert_eq!((read(2).rows.len(), kinds), (2, vec![MetadataFaultKind::AboveLimit]));
            assert_eq!((read(3).rows.len(), read(3).faults), (3, vec![]));
        }
    }

    #[test]
    fn rows_in_front_of_a_broken_place_are_kept() {
        let facts = facts("{\"a.png\": {\"caption\": \"a\"},\n \"b.png\": {\"caption\": \"b\",}}");
        assert_eq!(facts.rows.len(), 1);
        let fault = facts.faults.first().expect("a comma is too many");
        assert_eq!((fault.kind, fault.line), (MetadataFaultKind::Parse, 2));
    }

    #[test]
    fn lists_of_one_object_type_that_hold_no_conversation_are_none() {
        assert_eq!(read(&RelPath::from("a.json"), br#"[{"id": 1}, {"id": 2}]"#), None);
    }
}
