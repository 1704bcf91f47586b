//! Tables of keys: what a trainer takes where, and the one function that holds a configuration against them.

use std::collections::HashSet;

use super::document::{Node, Value};
use super::reader::{Means, Reader};
use crate::model::{RecipeFaultKind, nearest, printable};

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole,
    /// A number of either kind.
    Number,
    /// A number with a point, and no other.
    Point,
    /// Text.
    Text,
    /// A path.
    Path,
    /// A side, or a list of width and height.
    Size,
    /// A list of whole numbers.
    Wholes,
    /// A list of two numbers with a point.
    Points,
    /// Anything.
    Anything,
}

/// A key, and the levels at which it may stand, as bits that each schema names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) wants: Wants,
    pub(super) levels: u8,
}

/// A key that may stand at these levels.
pub(super) const fn key(name: &'static str, wants: Wants, levels: u8) -> Key {
    Key { name, wants, levels }
}

/// How a trainer treats what its schema does not foresee.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manners {
    /// Whether it refuses unknown keys and wrong types (voluptuous), or passes them over.
    pub(super) strict: bool,
    /// The levels' names, by bit.
    pub(super) levels: &'static [&'static str],
}

impl Wants {
    fn takes(self, node: &Node) -> bool {
        let whole = |node: &Node| matches!(node.value, Value::Integer(_));
        match (self, &node.value) {
            (Self::Flag | Self::Whole | Self::Number, Value::Bool(_))
            | (Self::Whole | Self::Number | Self::Size, Value::Integer(_))
            | (Self::Number | Self::Point, Value::Float(_))
            | (Self::Text | Self::Path, Value::Text(_))
            | (Self::Anything, _) => true,
            (Self::Size, Value::List(list)) => list.len() == 2 && list.iter().all(whole),
            (Self::Wholes, Value::List(list)) => list.iter().all(whole),
            (Self::Points, Value::List(list)) => list.len() == 2 && list.iter().all(|item| matches!(item.value, Value::Float(_))),
            _ => false,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Flag => "true or false",
            Self::Whole => "a whole number",
            Self::Number => "a number",
            Self::Point => "a number with a point, such as 1.0",
            Self::Text => "text",
            Self::Path => "a path",
            Self::Size => "a side such as 1024, or [width, height]",
            Self::Wholes => "a list of whole numbers",
            Self::Points => "a list of two numbers with a point, such as [1.0, 2.0]",
            Self::Anything => "anything",
        }
    }
}

/// Holds a table against a schema. `name` is the table's in messages.
pub(super) fn check(reader: &mut Reader<'_>, file: &str, table: &Node, name: &str, schema: &[Key], level: u8, manners: Manners) {
    let Some(entries) = table.table() else {
        let message = format!("`{name}` is {}, not a table", table.kind());
        let means = Means::stops("the trainer refuses its configuration and ends");
        reader.fault(RecipeFaultKind::WrongType, (file, table.at), message, means, "write it as a table of keys and values");
        return;
    };
    let there: HashSet<&str> = entries.entries.iter().map(|entry| entry.key.as_str()).collect();
    for entry in &entries.entries {
        let here = schema.iter().find(|key| key.name == entry.key && key.levels & level != 0);
        if let Some(key) = here {
            wrong_type(reader, file, key, &entry.node, manners);
            continue;
        }
        let elsewhere = schema.iter().find(|key| key.name == entry.key);
        let known = schema.iter().filter(|key| key.levels & level != 0).map(|key| key.name);
        let like = nearest(&entry.key, known, if manners.strict { 0.8 } else { 0.9 }).filter(|like| !there.contains(like));
        let shown = printable(&entry.key);
        let (message, help) = match (elsewhere, like) {
            (Some(key), _) => {
                let places = places(key.levels, manners.levels);
                (format!("`{shown}` may not stand in {name}, only in {places}"), format!("move `{shown}` to {places}"))
            }
            (None, Some(like)) => (format!("{name} has no key `{shown}`, did you mean `{like}`?"), format!("write `{like}`")),
            (None, None) if manners.strict => (format!("{name} has no key `{shown}`"), "remove the key".to_owned()),
            // A schema of ours that is not complete must not cry wolf.
            (None, None) => continue,
        };
        let means = if manners.strict {
            Means::stops("the trainer allows no other keys (\"extra keys not allowed\") and ends")
        } else {
            Means::distorts("the trainer passes over keys that it does not know, and takes its default")
        };
        reader.fault(RecipeFaultKind::UnknownKey, (file, entry.at), message, means, help);
    }
}

fn wrong_type(reader: &mut Reader<'_>, file: &str, key: &Key, node: &Node, manners: Manners) {
    let name = key.name;
    match (&node.value, key.wants) {
        (Value::Null, _) if !manners.strict => {}
        (Value::Bool(flag), Wants::Whole | Wants::Number) => {
            let number = u8::from(*flag);
            let means = Means::distorts(format!("Python takes it for {number}"));
            let message = format!("`{name}` takes {}, and {flag} counts as {number}", key.wants.words());
            reader.fault(RecipeFaultKind::WrongType, (file, node.at), message, means, "write the number");
        }
        (Value::Text(text), Wants::Flag) if !manners.strict => {
            let taken = !text.is_empty();
            let means = Means::distorts(format!("Python takes it for {taken}"));
            let message = format!("`{name}` takes true or false, and the text `{}` counts as {taken}", printable(text));
            reader.fault(RecipeFaultKind::WrongType, (file, node.at), message, means, "write true or false without quotes");
        }
        _ if key.wants.takes(node) => {}
        _ if manners.strict => {
            let message = format!("`{name}` takes {}, not {}", key.wants.words(), node.kind());
            let means = Means::stops("the trainer refuses the value and ends");
            reader.fault(RecipeFaultKind::WrongType, (file, node.at), message, means, format!("write {}", key.wants.words()));
        }
        // Trainers that do not look at types convert many of them; only what cannot work is said.
        (Value::Table(_), Wants::Flag | Wants::Whole | Wants::Number | Wants::Path)
        | (Value::List(_), Wants::Flag | Wants::Path)
        | (Value::Integer(_) | Value::Float(_) | Value::Bool(_), Wants::Path) => {
            let message = format!("`{name}` takes {}, not {}", key.wants.words(), node.kind());
            let means = Means::stops("the trainer cannot work with the value and ends");
            reader.fault(RecipeFaultKind::WrongType, (file, node.at), message, means, format!("write {}", key.wants.words()));
        }
        _ => {}
    }
}

fn places(levels: u8, names: &[&str]) -> String {
    let names: Vec<&str> = names.iter().enumerate().filter(|(bit, _)| levels >> bit & 1 == 1).map(|(_, name)| *name).collect();
    names.join(" or ")
}
