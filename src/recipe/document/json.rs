//! JSON and JSON with comments.

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::lines::{Lines, place};
use super::{Entry, MAX_DEPTH, Node, SyntaxFault, Table, Value};
use crate::model::Place;

/// Parses a text as Python's `json` does, or with comments and trailing commas beside.
pub(super) fn parse(text: &str, comments: bool, repeated: &mut Vec<(String, Place)>) -> Result<Node, SyntaxFault> {
    let options = ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        // `json.loads` takes NaN and Infinity.
        allow_non_finite_numbers: true,
        allow_extended_string_escapes: false,
    };
    let lines = Lines::new(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| SyntaxFault {
        at: lines.place(error.range().start),
        message: error.kind().to_string(),
        fatal: true,
    })?;
    let Some(root) = parsed.value else {
        return Err(SyntaxFault { at: place(1, 1), message: "the file holds no value".to_owned(), fatal: true });
    };
    node_of(&root, &lines, repeated, 0)
}

fn node_of(ast: &Ast<'_>, lines: &Lines<'_>, repeated: &mut Vec<(String, Place)>, depth: usize) -> Result<Node, SyntaxFault> {
    let at = lines.place(ast.range().start);
    if depth > MAX_DEPTH {
        return Err(SyntaxFault { at, message: format!("the nesting is deeper than {MAX_DEPTH}"), fatal: true });
    }
    let value = match ast {
        Ast::NullKeyword(_) => Value::Null,
        Ast::BooleanLit(flag) => Value::Bool(flag.value),
        Ast::NumberLit(number) => number_of(number.value),
        Ast::StringLit(text) => Value::Text(text.value.to_string()),
        Ast::Array(array) => {
            Value::List(array.elements.iter().map(|item| node_of(item, lines, repeated, depth + 1)).collect::<Result<_, _>>()?)
        }
        Ast::Object(object) => {
            let mut entries = Vec::with_capacity(object.properties.len());
            for property in &object.properties {
                let node = node_of(&property.value, lines, repeated, depth + 1)?;
                let key = property.name.as_str().to_owned();
                entries.push(Entry { key, at: lines.place(property.name.range().start), node });
            }
            Value::Table(Table::of(entries, repeated))
        }
    };
    Ok(Node { value, at })
}

fn number_of(text: &str) -> Value {
    match text.parse() {
        Ok(whole) => Value::Integer(whole),
        Err(_) => Value::Float(text.replace("Infinity", "inf").parse().unwrap_or(f64::NAN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_for_jsonc_only() {
        let text = "{\n  // one\n  \"a\": 1.5,\n}";
        let root = parse(text, true, &mut Vec::new()).expect("it is JSONC");
        assert_eq!(root.get("a").and_then(Node::number), Some(1.5));
        let fault = parse(text, false, &mut Vec::new()).expect_err("JSON has no comments");
        assert_eq!(fault.at, Place { line: 2, column: 3 });
    }

    #[test]
    fn a_path_with_single_backslashes_is_refused_where_it_stands() {
        let fault = parse("{\n  \"path\": \"C:\\data\"\n}", false, &mut Vec::new()).expect_err("\\d is no escape");
        assert_eq!(fault.at.line, 2);
    }
}
