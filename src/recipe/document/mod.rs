//! A configuration as a tree in which every key and value knows its place, whatever syntax it was written in.
//!
//! What the keys mean is not known here.

mod command;
mod json;
mod lines;
mod toml;
mod yaml;

use std::collections::HashSet;

pub use command::Command;

use crate::model::Place;

/// More bytes than any configuration has; beyond it a file is not parsed.
const MAX_BYTES: usize = 4 << 20;

/// Deeper nesting than any configuration has; bounds every recursion over a tree.
const MAX_DEPTH: usize = 64;

/// How a configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// TOML.
    Toml,
    /// YAML, with the scalars of version 1.1, as `PyYAML` reads them.
    Yaml,
    /// JSON as Python's `json` reads it.
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    /// A shell script, a batch file, or a saved command line.
    Command,
}

impl Syntax {
    /// The syntax of a file of this name, by its extension.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            "jsonc" => Some(Self::Jsonc),
            "sh" | "bash" | "bat" | "cmd" | "ps1" | "txt" => Some(Self::Command),
            _ => None,
        }
    }
}

/// A value and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it begins.
    pub at: Place,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`, `~`, or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number; one that does not fit is a float.
    Integer(i64),
    /// A number written with a point or an exponent.
    Float(f64),
    /// Text, and whatever is none of the others (dates).
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A table.
    Table(Table),
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The entries; no key is there twice, the last one counts.
    pub entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key begins.
    pub at: Place,
    /// The value.
    pub node: Node,
}

/// Why a text could not be parsed, or what its trainer's parser would object to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// Where.
    pub at: Place,
    /// The parser's message, on one line.
    pub message: String,
    /// Whether parsing went on; a byte order mark is reported and left out.
    pub fatal: bool,
}

/// A configuration that could be parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The outermost value.
    pub root: Node,
    /// How it was written.
    pub syntax: Syntax,
    /// Keys that are there twice in a syntax that lets the last one win, with the place of the later one.
    pub repeated: Vec<(String, Place)>,
    /// What was passed over to be able to parse it.
    pub faults: Vec<SyntaxFault>,
}

impl Document {
    /// Parses a text. A byte order mark and bytes that are not UTF-8 are faults; behind a mark parsing goes on.
    pub fn parse(bytes: &[u8], syntax: Syntax) -> Result<Self, SyntaxFault> {
        let refuse = |at: Place, message: String| SyntaxFault { at, message, fatal: true };
        if bytes.len() > MAX_BYTES {
            return Err(refuse(
                Place::START,
                format!("the file has {} bytes, more than the {MAX_BYTES} a configuration may have", bytes.len()),
            ));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let valid = bytes.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok()).unwrap_or_default();
            refuse(lines::end_of(valid), "the text is not UTF-8 from here on".to_owned())
        })?;
        let unmarked = text.strip_prefix('\u{feff}');
        let mut faults = Vec::new();
        if unmarked.is_some() && matches!(syntax, Syntax::Toml | Syntax::Json) {
            let message = "the file begins with a byte order mark, which the trainer's parser refuses".to_owned();
            faults.push(SyntaxFault { at: Place::START, message, fatal: false });
        }
        let text = unmarked.unwrap_or(text);
        let mut repeated = Vec::new();
        let root = match syntax {
            Syntax::Toml => toml::parse(text)?,
            Syntax::Yaml => yaml::parse(text, &mut repeated)?,
            Syntax::Json | Syntax::Jsonc => json::parse(text, syntax == Syntax::Jsonc, &mut repeated)?,
            Syntax::Command => command::parse(text)?.table(),
        };
        Ok(Self { root, syntax, repeated, faults })
    }

    /// The commands of a script, for readers that must know which program is started.
    pub fn commands(bytes: &[u8]) -> Result<Command, SyntaxFault> {
        let text = String::from_utf8_lossy(bytes);
        command::parse(text.strip_prefix('\u{feff}').unwrap_or(&text))
    }
}

impl Node {
    /// The value at a key, if this is a table that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.table()?.get(key)
    }

    /// The entries, if this is a table.
    #[must_use]
    pub fn table(&self) -> Option<&Table> {
        if let Value::Table(table) = &self.value { Some(table) } else { None }
    }

    /// The items, if this is a list.
    #[must_use]
    pub fn list(&self) -> Option<&[Self]> {
        if let Value::List(list) = &self.value { Some(list) } else { None }
    }

    /// The text, if this is text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The number as it is written, if it is whole.
    #[must_use]
    pub fn integer(&self) -> Option<i64> {
        if let Value::Integer(number) = self.value { Some(number) } else { None }
    }

    /// A number of either kind.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self.value {
            #[expect(clippy::cast_precision_loss, reason = "settings are small numbers; beyond 2^53 nothing is meant exactly")]
            Value::Integer(whole) => Some(whole as f64),
            Value::Float(number) => Some(number),
            _ => None,
        }
    }

    /// Whether Python takes it for true, as `if value:` does.
    #[must_use]
    pub fn is_truthy(&self) -> bool {
        match &self.value {
            Value::Null => false,
            Value::Bool(flag) => *flag,
            Value::Integer(number) => *number != 0,
            Value::Float(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::List(list) => !list.is_empty(),
            Value::Table(table) => !table.entries.is_empty(),
        }
    }

    /// The value as a trainer's setting takes it; `None` for `null`, which trainers take for "not given".
    #[must_use]
    pub fn to_setting(&self) -> Option<::toml::Value> {
        Some(match &self.value {
            Value::Null => return None,
            Value::Bool(flag) => (*flag).into(),
            Value::Integer(number) => (*number).into(),
            Value::Float(number) => (*number).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(list) => ::toml::Value::Array(list.iter().filter_map(Self::to_setting).collect()),
            Value::Table(table) => {
                ::toml::Value::Table(table.entries.iter().filter_map(|entry| Some((entry.key.clone(), entry.node.to_setting()?))).collect())
            }
        })
    }

    /// What it is, in words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number with a point",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

impl Table {
    /// The value at a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The entry of a key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// A table of entries in which a later one replaces an earlier one of the same key, as Python's parsers have it.
    pub(in crate::recipe) fn of(mut entries: Vec<Entry>, repeated: &mut Vec<(String, Place)>) -> Self {
        let mut seen = HashSet::new();
        let mut kept: Vec<bool> = entries.iter().rev().map(|entry| seen.insert(entry.key.as_str())).collect();
        kept.reverse();
        if kept.contains(&false) {
            let mut first = HashSet::new();
            let again = entries.iter().filter(|entry| !first.insert(entry.key.as_str()));
            repeated.extend(again.map(|entry| (entry.key.clone(), entry.at)));
            let mut kept = kept.into_iter();
            entries.retain(|_| kept.next().unwrap_or(true));
        }
        Self { entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> Place {
        Place { line, column }
    }

    #[test]
    fn every_syntax_gives_the_same_tree_with_its_own_places() {
        let toml = Document::parse(b"[general]\nresolution = 512\n", Syntax::Toml).expect("it is TOML");
        let yaml = Document::parse(b"general:\n  resolution: 512\n", Syntax::Yaml).expect("it is YAML");
        let json = Document::parse(b"{\"general\":\n {\"resolution\": 512}}", Syntax::Json).expect("it is JSON");
        for (document, place) in [(toml, at(2, 14)), (yaml, at(2, 15)), (json, at(2, 17))] {
            let node = document.root.get("general").and_then(|node| node.get("resolution")).expect("the key is there");
            assert_eq!((node.integer(), node.at), (Some(512), place), "{:?}", document.syntax);
        }
    }

    #[test]
    fn a_mark_is_a_fault_where_the_parser_refuses_it() {
        let document = Document::parse(b"\xef\xbb\xbfa = 1", Syntax::Toml).expect("parsing goes on");
        assert_eq!(document.faults.len(), 1);
        assert!(Document::parse(b"\xef\xbb\xbfa: 1", Syntax::Yaml).expect("YAML allows it").faults.is_empty());
    }

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let fault = Document::parse(b"a = 1\nb = \"\xff\"", Syntax::Toml).expect_err("it is not UTF-8");
        assert_eq!(fault.at, at(2, 6));
    }

    #[test]
    fn the_last_of_two_equal_keys_counts_where_python_lets_it() {
        let document = Document::parse(b"a: 1\nb: 2\na: 3\n", Syntax::Yaml).expect("it is YAML");
        assert_eq!(document.root.get("a").and_then(Node::integer), Some(3));
        assert_eq!(document.repeated, [("a".to_owned(), at(3, 1))]);
        assert!(Document::parse(b"a = 1\na = 2\n", Syntax::Toml).is_err());
    }

    #[test]
    fn hostile_nesting_is_refused() {
        let deep = "[".repeat(100_000);
        for syntax in [Syntax::Toml, Syntax::Yaml, Syntax::Json, Syntax::Jsonc] {
            let text = if syntax == Syntax::Toml { format!("a = {deep}") } else { deep.clone() };
            assert!(Document::parse(text.as_bytes(), syntax).is_err(), "{syntax:?}");
        }
    }
}
