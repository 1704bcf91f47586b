//! YAML, from the parser's events; scalars are resolved as `PyYAML` resolves them, which is version 1.1.
//!
//! `PyYAML` takes `yes`, `no`, `on` and `off` for booleans, and the last of two equal keys.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

use super::lines::place;
use super::{Entry, MAX_DEPTH, Node, SyntaxFault, Table, Value};
use crate::model::Place;

/// More nodes than any configuration has; bounds what aliases of aliases can become.
const MAX_NODES: usize = 1 << 17;

/// Parses the first document of a text.
pub(super) fn parse(text: &str, repeated: &mut Vec<(String, Place)>) -> Result<Node, SyntaxFault> {
    let mut builder = Builder { open: Vec::new(), anchors: HashMap::new(), nodes: 0, root: None };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| SyntaxFault {
            at: place_of(error.marker()),
            message: error.info().lines().collect::<Vec<_>>().join(", "),
            fatal: true,
        })?;
        let at = place_of(&span.start);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str");
                let value = if is_text { Value::Text(text.into_owned()) } else { plain(&text) };
                builder.add(Node { value, at }, anchor, 1)?;
            }
            Event::Alias(anchor) => {
                let (node, weight) = builder.anchors.get(&anchor).cloned().unwrap_or((Node { value: Value::Null, at }, 1));
                builder.add(Node { at, ..node }, 0, weight)?;
            }
            Event::SequenceStart(anchor, _) => builder.open(Frame::new(false, at, anchor))?,
            Event::MappingStart(anchor, _) => builder.open(Frame::new(true, at, anchor))?,
            Event::SequenceEnd | Event::MappingEnd => builder.close(repeated)?,
            Event::DocumentEnd => break,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
    }
    Ok(builder.root.unwrap_or(Node { value: Value::Null, at: Place::START }))
}

/// A list or a table whose end has not come.
struct Frame {
    is_table: bool,
    at: Place,
    anchor: usize,
    items: Vec<Node>,
    entries: Vec<Entry>,
    key: Option<(String, Place)>,
    weight: usize,
}

impl Frame {
    fn new(is_table: bool, at: Place, anchor: usize) -> Self {
        Self { is_table, at, anchor, items: Vec::new(), entries: Vec::new(), key: None, weight: 1 }
    }
}

struct Builder {
    open: Vec<Frame>,
    /// By the parser's number: the node, and how many nodes it is made of.
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    root: Option<Node>,
}

impl Builder {
    fn open(&mut self, frame: Frame) -> Result<(), SyntaxFault> {
        if self.open.len() >= MAX_DEPTH {
            return Err(SyntaxFault { at: frame.at, message: format!("the nesting is deeper than {MAX_DEPTH}"), fatal: true });
        }
        self.open.push(frame);
        Ok(())
    }

    fn add(&mut self, node: Node, anchor: usize, weight: usize) -> Result<(), SyntaxFault> {
        // Long text is copied as well where an alias stands for it.
        let weight = match &node.value {
            Value::Text(text) => weight.saturating_add(text.len() / 64),
            _ => weight,
        };
        self.nodes = self.nodes.saturating_add(weight);
        if self.nodes > MAX_NODES {
            return Err(SyntaxFault { at: node.at, message: format!("there are more than {MAX_NODES} values"), fatal: true });
        }
        if anchor > 0 {
            // A copy costs what the node costs, so that it counts as well.
            self.nodes = self.nodes.saturating_add(weight);
            self.anchors.insert(anchor, (node.clone(), weight));
        }
        let Some(frame) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return Ok(());
        };
        frame.weight = frame.weight.saturating_add(weight);
        if !frame.is_table {
            frame.items.push(node);
        } else if let Some((key, at)) = frame.key.take() {
            frame.entries.push(Entry { key, at, node });
        } else {
            frame.key = Some((key_of(&node), node.at));
        }
        Ok(())
    }

    fn close(&mut self, repeated: &mut Vec<(String, Place)>) -> Result<(), SyntaxFault> {
        let Some(frame) = self.open.pop() else { return Ok(()) };
        let value = if frame.is_table { Value::Table(merged(frame.entries, repeated)) } else { Value::List(frame.items) };
        // Its parts have been counted when they came.
        self.nodes = self.nodes.saturating_sub(frame.weight.saturating_sub(1));
        self.add(Node { value, at: frame.at }, frame.anchor, frame.weight)
    }
}

/// A table in which `<<` has been replaced by the entries of the tables it names, which give way to the table's own.
fn merged(entries: Vec<Entry>, repeated: &mut Vec<(String, Place)>) -> Table {
    let (merges, own): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.key == "<<");
    let mut table = Table::of(own, repeated);
    for merge in merges {
        let sources = match merge.node.value {
            Value::List(list) => list,
            value => vec![Node { value, at: merge.at }],
        };
        for source in sources {
            let Value::Table(source) = source.value else { continue };
            let mut all = source.entries;
            all.append(&mut table.entries);
            table = Table::of(all, &mut Vec::new());
        }
    }
    table
}

fn key_of(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Bool(flag) => flag.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Null => "null".to_owned(),
        Value::List(_) | Value::Table(_) => "?".to_owned(),
    }
}

/// A scalar without quotes.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Value::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Value::Bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" => return Value::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Value::Float(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Value::Float(f64::NAN),
        _ => {}
    }
    let begins_like_a_number = text.trim_start_matches(['-', '+']).starts_with(|first: char| first.is_ascii_digit() || first == '.');
    if !begins_like_a_number {
        return Value::Text(text.to_owned());
    }
    let digits = text.replace('_', "");
    let unsigned = digits.trim_start_matches(['-', '+']);
    let sign = if digits.starts_with('-') { -1 } else { 1 };
    let radix = match unsigned.get(..2) {
        Some("0x") => Some(16),
        Some("0b") => Some(2),
        _ if unsigned.len() > 1 && unsigned.starts_with('0') && unsigned.bytes().all(|byte| byte.is_ascii_digit()) => Some(8),
        _ => None,
    };
    if let Some(radix) = radix
        && let Ok(number) = i64::from_str_radix(unsigned.trim_start_matches("0x").trim_start_matches("0b"), radix)
    {
        return Value::Integer(sign * number);
    }
    if let Ok(whole) = digits.parse() {
        return Value::Integer(whole);
    }
    digits.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Float)
}

fn place_of(marker: &Marker) -> Place {
    place(marker.line().max(1), marker.col() + 1)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn root(text: &str) -> Node {
        parse(text, &mut Vec::new()).expect("it is YAML")
    }

    #[test]
    fn scalars_are_those_of_version_1_1() {
        let cases = [
            ("no", Value::Bool(false)),
            ("On", Value::Bool(true)),
            ("1e-4", Value::Float(1e-4)),
            ("1_000", Value::Integer(1000)),
            ("0x10", Value::Integer(16)),
            ("010", Value::Integer(8)),
            ("1.0.0", Value::Text("1.0.0".to_owned())),
            ("\"no\"", Value::Text("no".to_owned())),
            ("~", Value::Null),
        ];
        for (text, value) in cases {
            assert_eq!(root(&format!("a: {text}")).get("a").map(|node| node.value.clone()), Some(value), "{text}");
        }
    }

    #[test]
    fn anchors_and_merges_are_followed() {
        let root = root("base: &base\n  a: 1\n  b: 2\nit:\n  <<: *base\n  b: 3\n");
        let it = root.get("it").expect("it is there");
        assert_eq!((it.get("a").and_then(Node::integer), it.get("b").and_then(Node::integer)), (Some(1), Some(3)));
    }

    #[test]
    fn aliases_of_aliases_do_not_explode() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            writeln!(text, "a{level}: &a{level} [{}]", below.trim_end_matches(", ")).expect("a string takes text");
        }
        assert!(parse(&text, &mut Vec::new()).is_err());
    }

    #[test]
    fn a_tab_is_refused_where_it_stands() {
        let fault = parse("a:\n\tb: 1\n", &mut Vec::new()).expect_err("tabs do not indent");
        assert_eq!(fault.at.line, 2);
    }
}
