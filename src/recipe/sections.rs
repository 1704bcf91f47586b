//! The dataset configuration that sd-scripts and musubi-tuner have in common: `[general]`, whose settings hold for all of
//! `[[datasets]]`, and nothing else.

use super::document::{Node, Table, Value};
use super::reader::{Means, Reader, Source};
use super::schema::{Key, Manners, check};
use crate::model::{Place, RecipeFaultKind};

/// What `[general]` is where it is not there.
static EMPTY: Node = Node { value: Value::Table(Table { entries: Vec::new() }), at: Place::START };

/// A trainer's keys at one level, and what it does without `[[datasets]]`.
pub(super) struct Shape {
    pub(super) schema: &'static [Key],
    /// The level of keys in `[general]`.
    pub(super) general: u8,
    pub(super) manners: Manners,
    /// What the trainer does without a dataset, and what to add.
    pub(super) without: (&'static str, &'static str),
}

/// The two parts, `[general]` held against the schema; whoever asks holds the datasets against it.
pub(super) fn sections<'a>(reader: &mut Reader<'_>, source: &'a Source, shape: &Shape) -> (&'a Node, &'a [Node]) {
    let (file, root) = (source.name.as_str(), &source.document.root);
    for entry in root.table().into_iter().flat_map(|table| &table.entries) {
        if !["general", "datasets"].contains(&entry.key.as_str()) {
            let message = format!("a dataset configuration has no key `{}`, only `general` and `datasets`", entry.key);
            let means = Means::stops("the trainer allows no other keys (\"extra keys not allowed\") and ends");
            reader.fault(RecipeFaultKind::UnknownKey, (file, entry.at), message, means, "move the key to [general] or [[datasets]]");
        }
    }
    let general = root.get("general").unwrap_or(&EMPTY);
    check(reader, file, general, "[general]", shape.schema, shape.general, shape.manners);
    let list = root.get("datasets").and_then(Node::list).unwrap_or_default();
    if list.is_empty() {
        let (what, help) = shape.without;
        reader.missing(file, root.at, "there is no [[datasets]]", what, help);
    }
    (general, list)
}
