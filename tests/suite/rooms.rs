//! The rooms' borders: which room may use which.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Room -> rooms it may use.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("model", &[][..]),
        ("walk", &["model"][..]),
        ("probe", &["model"][..]),
        ("decode", &["model"][..]),
        ("captions", &["model"][..]),
        ("cache", &["model"][..]),
        ("trainers", &["model"][..]),
        ("recipe", &["model", "trainers"][..]),
        ("checks", &["model"][..]),
        ("settings", &["model", "walk", "decode", "captions", "cache", "trainers", "checks", "witness"][..]),
        ("witness", &["model"][..]),
        ("manifest", &["model"][..]),
        ("bisect", &["model", "walk"][..]),
        ("sinks", &["model", "manifest", "settings"][..]),
        (
            "pipeline",
            &["model", "walk", "probe", "decode", "captions", "cache", "trainers", "checks", "settings", "sinks", "manifest", "witness"][..],
        ),
    ])
}

#[test]
fn rooms_use_only_what_they_may() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (room, may_use) in allowed() {
        let files = rust_files(&source, room);
        assert!(!files.is_empty(), "the room {room} has no file");
        for file in files.into_iter().filter(|file| !file.ends_with("checks/support.rs")) {
            let text = fs::read_to_string(&file).expect("a source file can be read");
            // Unit tests may look further, for a profile to test with.
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            for (line, used) in used_from_crate(code) {
                let is_room = allowed().contains_key(used) || used == "cli";
                if is_room && used != room && !may_use.contains(&used) {
                    wrong.push(format!("{}:{line}: {room} may not use {used}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rooms_in_braces_are_seen() {
    let code = "use crate::model::{walk, Size};\n// crate::cli\nuse crate::{\n    probe::{decode, read},\n    sinks, model,\n};\nf(crate::walk::x, 1)";
    assert_eq!(used_from_crate(code), [(1, "model"), (4, "probe"), (5, "sinks"), (5, "model"), (7, "walk")]);
}

#[test]
fn every_file_says_what_it_is_for() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let silent: Vec<_> = rust_files_below(&source)
        .into_iter()
        .filter(|file| !fs::read_to_string(file).expect("a source file can be read").starts_with("//!"))
        .collect();
    assert!(silent.is_empty(), "no `//!` at the top of {silent:?}");
}

/// The first names behind each `crate::`, with their lines; of `crate::{a, b::{c, d}}` these are `a` and `b`.
fn used_from_crate(code: &str) -> Vec<(usize, &str)> {
    let mut used = Vec::new();
    for (at, path) in code.match_indices("crate::") {
        let line = code[..at].rsplit('\n').next().unwrap_or_default();
        if line.trim_start().starts_with("//") {
            continue;
        }
        let start = at + path.len();
        let mut depth = 0;
        // Where the name begins that is being read, if one is.
        let mut name = None;
        for (offset, character) in code[start..].char_indices().chain([(code.len() - start, '\n')]) {
            let here = start + offset;
            let is_part = character.is_alphanumeric() || character == '_';
            if depth <= 1 && is_part && name.is_none() && starts_item(&code[start..here]) {
                name = Some(here);
            }
            if !is_part && let Some(begin) = name.take() {
                used.push((code[..begin].lines().count(), &code[begin..here]));
            }
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 && !is_part {
                break;
            }
        }
    }
    used
}

/// Whether what stands behind this in a `use` is a path of its own: at the beginning, behind a brace or a comma.
fn starts_item(before: &str) -> bool {
    before.trim_end().chars().next_back().is_none_or(|last| matches!(last, '{' | ','))
}

fn rust_files(source: &Path, room: &str) -> Vec<PathBuf> {
    let single = source.join(format!("{room}.rs"));
    if single.is_file() { vec![single] } else { rust_files_below(&source.join(room)) }
}

fn rust_files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            files.extend(rust_files_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
