//! TOML, with the spans that its parser keeps.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::lines::Lines;
use super::{Entry, Node, SyntaxFault, Table, Value};
use crate::model::Place;

/// Parses a document; the parser has its own limit of nesting.
pub(super) fn parse(text: &str) -> Result<Node, SyntaxFault> {
    let lines = Lines::new(text);
    let table = DeTable::parse(text).map_err(|error| SyntaxFault {
        at: error.span().map_or(Place::START, |span| lines.place(span.start)),
        message: error.message().lines().collect::<Vec<_>>().join(", "),
        fatal: true,
    })?;
    Ok(Node { value: table_of(table.get_ref(), &lines), at: Place::START })
}

fn table_of(table: &DeTable<'_>, lines: &Lines<'_>) -> Value {
    let mut entries: Vec<(usize, Entry)> = table
        .iter()
        .map(|(key, value)| {
            let start = key.span().start;
            (start, Entry { key: key.get_ref().to_string(), at: lines.place(start), node: node_of(value, lines) })
        })
        .collect();
    // The parser's map is sorted by key; readers expect the order of the file.
    entries.sort_by_key(|(start, _)| *start);
    Value::Table(Table { entries: entries.into_iter().map(|(_, entry)| entry).collect() })
}

fn node_of(value: &Spanned<DeValue<'_>>, lines: &Lines<'_>) -> Node {
    let at = lines.place(value.span().start);
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::Float(number.as_str().parse().unwrap_or(f64::INFINITY)), Value::Integer),
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(list) => Value::List(list.iter().map(|item| node_of(item, lines)).collect()),
        DeValue::Table(table) => table_of(table, lines),
    };
    Node { value, at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_tables_keep_their_order_and_places() {
        let root = parse("[[datasets]]\nz = 1\na = 'C:\\x'\n\n[[datasets]]\n  [[datasets.subsets]]\n  r = 1.5\n").expect("it is TOML");
        let datasets = root.get("datasets").and_then(Node::list).expect("they are a list");
        let keys: Vec<_> =
            datasets[0].table().expect("it is a table").entries.iter().map(|entry| (entry.key.as_str(), entry.at.line)).collect();
        assert_eq!(keys, [("z", 2), ("a", 3)]);
        assert_eq!(datasets[0].get("a").and_then(Node::text), Some("C:\\x"));
        let ratio = datasets[1].get("subsets").and_then(Node::list).and_then(|list| list[0].get("r")).expect("it is there");
        assert_eq!((ratio.number(), ratio.at), (Some(1.5), Place { line: 7, column: 7 }));
    }

    #[test]
    fn a_bare_none_is_refused_where_it_stands() {
        let fault = parse("[general]\ncaption_extension = None\n").expect_err("None is no value");
        assert_eq!(fault.at, Place { line: 2, column: 21 });
    }
}
