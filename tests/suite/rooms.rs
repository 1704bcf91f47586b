//! The rooms' borders: which room may use which.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Room -> rooms it may use. `error` is for everybody.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("model", &[][..]),
        ("error", &[][..]),
        ("walk", &["model"][..]),
        ("probe", &["model"][..]),
        ("decode", &["model"][..]),
        ("captions", &["model"][..]),
        ("trainers", &["model"][..]),
        ("checks", &["model"][..]),
        ("settings", &["model", "walk", "decode", "captions", "trainers", "checks"][..]),
        ("manifest", &["model", "settings"][..]),
        ("sinks", &["model", "manifest", "checks", "settings"][..]),
        ("pipeline", &["model", "walk", "probe", "decode", "captions", "checks", "settings", "sinks", "manifest"][..]),
    ])
}

#[test]
fn rooms_use_only_what_they_may() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut wrong) = (0, Vec::new());
    for (room, may_use) in allowed() {
        for file in rust_files(&source, room) {
            files += 1;
            let text = fs::read_to_string(&file).expect("a source file can be read");
            // Unit tests may look further, for a profile to test with.
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
                for used in line.split("crate::").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()) {
                    let is_room = allowed().contains_key(used) || used == "cli";
                    if is_room && used != room && used != "error" && !may_use.contains(&used) && !file.ends_with("checks/support.rs") {
                        wrong.push(format!("{}:{}: {room} may not use {used}", file.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(files > 20, "only {files} files were looked at");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
