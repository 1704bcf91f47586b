//! Command lines: a shell script, a batch file or a PowerShell script in which a trainer is started.
//!
//! Words are split as a POSIX shell does it, with the line continuations of the other two; variables are not followed, and a
//! backslash before a letter is kept as it is, for in a batch file it belongs to a path.

use std::iter::Peekable;
use std::str::Chars;

use super::lines::place;
use super::{Entry, Node, SyntaxFault, Table, Value};
use crate::model::Place;

/// A word of a command line, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word without its quotes.
    pub text: String,
    /// Where it begins.
    pub at: Place,
}

/// The start of a Python script, with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The script's file name without folder and `.py`; empty if there are only arguments.
    pub script: String,
    /// The arguments behind the script.
    pub arguments: Vec<Word>,
}

/// The first command of a text that starts a Python script with options, or the arguments alone, if no script is named.
pub(super) fn parse(text: &str) -> Result<Command, SyntaxFault> {
    let commands = Splitter::new(text).commands()?;
    let mut best = Command::default();
    for words in commands {
        let script = words.iter().position(|word| script_name(&word.text).is_some());
        let command = match script {
            Some(at) => Command {
                script: words.get(at).and_then(|word| script_name(&word.text)).unwrap_or_default().to_owned(),
                arguments: words.get(at + 1..).unwrap_or_default().to_vec(),
            },
            None => Command { script: String::new(), arguments: words },
        };
        if options(&command) > options(&best) {
            best = command;
        }
    }
    Ok(best)
}

fn options(command: &Command) -> usize {
    command.arguments.iter().filter(|word| word.text.starts_with("--")).count()
}

fn script_name(word: &str) -> Option<&str> {
    let name = word.rsplit(['/', '\\']).next()?.strip_suffix(".py")?;
    Some(name).filter(|name| !name.is_empty())
}

impl Command {
    /// The options as a table: `--a b` is text or a number, `--a` alone is true, `--a b c` is a list.
    pub(super) fn table(&self) -> Node {
        let at = self.arguments.first().map_or(Place::START, |word| word.at);
        let mut entries: Vec<Entry> = Vec::new();
        let mut words = self.arguments.iter().peekable();
        while let Some(word) = words.next() {
            let Some(option) = word.text.strip_prefix("--") else { continue };
            let mut values = Vec::new();
            let key = match option.split_once('=') {
                Some((key, value)) => {
                    values.push(node_of(value, word.at));
                    key
                }
                None => option,
            };
            while let Some(value) = words.next_if(|next| !option.contains('=') && !is_option(&next.text)) {
                values.push(node_of(&value.text, value.at));
            }
            let node = match values.len() {
                0 => Node { value: Value::Bool(true), at: word.at },
                1 => values.remove(0),
                _ => Node { at: values.first().map_or(word.at, |value| value.at), value: Value::List(values) },
            };
            entries.push(Entry { key: key.replace('-', "_"), at: word.at, node });
        }
        Node { value: Value::Table(Table::of(entries, &mut Vec::new())), at }
    }
}

/// Whether argparse takes a word for an option; negative numbers are values.
fn is_option(word: &str) -> bool {
    word.starts_with("--") || (word.starts_with('-') && word.len() > 1 && word.parse::<f64>().is_err())
}

fn node_of(text: &str, at: Place) -> Node {
    let value = match text.parse::<i64>() {
        Ok(whole) => Value::Integer(whole),
        Err(_) if text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) => {
            text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Float)
        }
        Err(_) => Value::Text(text.to_owned()),
    };
    Node { value, at }
}

struct Splitter<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
    column: usize,
}

impl<'a> Splitter<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text.chars().peekable(), line: 1, column: 1 }
    }

    fn next(&mut self) -> Option<char> {
        let character = self.rest.next()?;
        if character == '\n' {
            (self.line, self.column) = (self.line + 1, 1);
        } else {
            self.column += 1;
        }
        Some(character)
    }

    fn at(&self) -> Place {
        place(self.line, self.column)
    }

    /// The words of each command; a command ends with its line, `;`, `&` or `|`.
    fn commands(mut self) -> Result<Vec<Vec<Word>>, SyntaxFault> {
        let mut commands = vec![Vec::new()];
        let mut word: Option<Word> = None;
        while let Some(&next) = self.rest.peek() {
            let at = self.at();
            match next {
                '#' if word.is_none() => self.skip_line(),
                '\\' | '^' | '`' if self.continues() => {
                    // The line break is eaten; what stood before it is a word of its own if a blank stood between.
                }
                '\\' => {
                    self.next();
                    let word = word.get_or_insert_with(|| Word { text: String::new(), at });
                    match self.rest.peek() {
                        Some(&escaped) if " \\\"'$#&;|()".contains(escaped) => word.text.extend(self.next()),
                        _ => word.text.push('\\'),
                    }
                }
                '\'' | '"' => {
                    let quoted = self.quoted(at)?;
                    word.get_or_insert_with(|| Word { text: String::new(), at }).text.push_str(&quoted);
                }
                _ if next.is_whitespace() || ";&|".contains(next) => {
                    self.next();
                    let ends = next == '\n' || !next.is_whitespace();
                    if let Some(command) = commands.last_mut() {
                        command.extend(word.take());
                        if !ends && is_remark(command) && !command.is_empty() {
                            self.skip_line();
                        }
                    }
                    if ends {
                        commands.push(Vec::new());
                    }
                }
                _ => {
                    self.next();
                    word.get_or_insert_with(|| Word { text: String::new(), at }).text.push(next);
                }
            }
        }
        if let Some(command) = commands.last_mut() {
            command.extend(word);
        }
        commands.retain(|command| !is_remark(command));
        Ok(commands)
    }

    /// Steps over a continuation of the line, if this is one.
    fn continues(&mut self) -> bool {
        let mut ahead = self.rest.clone();
        ahead.next();
        let breaks = match ahead.next() {
            Some('\n') => 2,
            Some('\r') if ahead.next() == Some('\n') => 3,
            _ => return false,
        };
        for _ in 0..breaks {
            self.next();
        }
        true
    }

    fn skip_line(&mut self) {
        while self.rest.peek().is_some_and(|&next| next != '\n') {
            self.next();
        }
    }

    fn quoted(&mut self, at: Place) -> Result<String, SyntaxFault> {
        let mut text = String::new();
        let quote = self.next();
        while let Some(character) = self.next() {
            if Some(character) == quote {
                return Ok(text);
            }
            match self.rest.peek() {
                Some(&escaped) if character == '\\' && quote == Some('"') && "\"\\$`\n".contains(escaped) => {
                    self.next();
                    if escaped != '\n' {
                        text.push(escaped);
                    }
                }
                _ => text.push(character),
            }
        }
        Err(SyntaxFault { at, message: "a quotation mark is opened and never closed".to_owned(), fatal: true })
    }
}

/// An empty line, or a comment of a batch file.
fn is_remark(words: &[Word]) -> bool {
    words.first().is_none_or(|word| word.text.eq_ignore_ascii_case("rem") || word.text.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_and_its_options_are_found() {
        let text = "#!/bin/bash\nexport X=1\nCUDA_VISIBLE_DEVICES=0 accelerate launch --num_cpu_threads_per_process 1 \\\n  sdxl_train_network.py \\\n  --resolution=1024,1024 --random_crop --learning_rate 1e-4 --train_data_dir \"/data/my set\" # all\n";
        let command = parse(text).expect("it can be split");
        assert_eq!(command.script, "sdxl_train_network");
        let table = command.table();
        assert_eq!(table.get("resolution").and_then(Node::text), Some("1024,1024"));
        assert_eq!(table.get("random_crop").map(|node| node.value.clone()), Some(Value::Bool(true)));
        assert_eq!(table.get("learning_rate").and_then(Node::number), Some(1e-4));
        let folder = table.get("train_data_dir").expect("it is there");
        assert_eq!((folder.text(), folder.at), (Some("/data/my set"), Place { line: 5, column: 78 }));
        assert!(table.get("num_cpu_threads_per_process").is_none());
    }

    #[test]
    fn batch_files_and_powershell_continue_lines_too() {
        for mark in ["^", "`"] {
            let text =
                format!("REM it's a set\r\npython train_network.py {mark}\r\n  --train_data_dir C:\\train\\new {mark}\r\n  --seed 1\r\n");
            let table = parse(&text).expect("it can be split").table();
            assert_eq!(table.get("train_data_dir").and_then(Node::text), Some("C:\\train\\new"), "{mark}");
            assert_eq!(table.get("seed").and_then(Node::integer), Some(1));
        }
    }

    #[test]
    fn an_open_quotation_mark_has_a_place() {
        let fault = parse("python x.py \\\n --a \"b\n").expect_err("it is never closed");
        assert_eq!(fault.at, Place { line: 2, column: 6 });
    }
}
