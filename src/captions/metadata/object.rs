//! A JSON object with every key that was written: `serde_json` keeps the last of two equal keys, as Python does, without a word.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// A JSON object; of equal keys the last value counts.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) entries: Vec<(String, Value)>,
}

impl Object {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().rev().find(|(own, _)| own == key).map(|(_, value)| value)
    }

    /// Keys that were written before.
    pub(super) fn duplicates(&self) -> Vec<&str> {
        let mut seen = HashSet::with_capacity(self.entries.len());
        self.entries.iter().map(|(key, _)| key.as_str()).filter(|key| !seen.insert(*key)).collect()
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Object { entries })
    }
}
