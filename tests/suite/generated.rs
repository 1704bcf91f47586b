//! Files that are generated and committed: an ordinary run compares, `UPDATE=1 cargo test` rewrites.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use walkaround::checks::{ALL, Family};
use walkaround::model::Code;

const FAMILIES: [&str; 9] = ["bucket", "cache", "caption", "dataset", "file", "image", "metadata", "path", "storage"];
const LIST_MARKER: &str = "// The lines below are generated from the folder by `UPDATE=1 cargo test`.\n";

/// Compares a generated file with what stands in the tree, or rewrites it.
pub(crate) fn current(path: &Path, wanted: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        fs::write(path, wanted).expect("the file can be written");
        return Ok(());
    }
    Err(format!("{} is stale; run `UPDATE=1 cargo test` and look at what changed", path.display()))
}

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_list_of_checks_is_current() {
    let checks = project().join("src/checks");
    let mut list = String::new();
    let mut entries = BTreeSet::new();
    for family in FAMILIES {
        let mut names: Vec<String> = fs::read_dir(checks.join(family))
            .into_iter()
            .flatten()
            .map(|entry| entry.expect("a folder can be listed").path())
            .filter_map(|path| Some(path.file_name()?.to_str()?.strip_suffix(".rs")?.to_owned()))
            .collect();
        names.sort();
        if names.is_empty() {
            continue;
        }
        writeln!(list, "\nmod {family} {{").expect("a string takes text");
        for name in names {
            writeln!(list, "    pub(super) mod {name};").expect("a string takes text");
            let source = fs::read_to_string(checks.join(family).join(format!("{name}.rs"))).expect("a source file can be read");
            let code = source.strip_prefix("//! ").and_then(|text| text.split(':').next()).unwrap_or_default().to_owned();
            assert_eq!(Family::of(Code(code.clone().leak())).name(), family, "{name}.rs does not begin with its code");
            entries.insert((code, format!("    &{family}::{name}::CHECK,")));
        }
        list.push_str("}\n");
    }
    list.push_str("\n/// Every check, by code.\n#[rustfmt::skip]\npub static ALL: &[&Check] = &[\n");
    for (_, entry) in &entries {
        list.push_str(entry);
        list.push('\n');
    }
    list.push_str("];\n");
    let path = checks.join("mod.rs");
    let found = fs::read_to_string(&path).expect("the list can be read");
    let (head, _) = found.split_once(LIST_MARKER).expect("the list has its marker");
    current(&path, format!("{head}{LIST_MARKER}{list}").as_bytes()).unwrap_or_else(|stale| panic!("{stale}"));
}

#[test]
fn the_pages_of_the_checks_are_current() {
    let folder = project().join("docs/checks");
    let mut stale = Vec::new();
    for check in ALL {
        let page = walkaround::checks::page(check);
        stale.extend(current(&folder.join(format!("{}.md", check.code)), page.as_bytes()).err());
    }
    let known: BTreeSet<String> = ALL.iter().map(|check| format!("{}.md", check.code)).collect();
    for entry in fs::read_dir(&folder).expect("the pages have a folder") {
        let name = entry.expect("a folder can be listed").file_name().into_string().expect("a page has a plain name");
        if !known.contains(&name) {
            stale.push(format!("docs/checks/{name} belongs to no check"));
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn checks_keep_the_rules_of_the_house() {
    let mut wrong = Vec::new();
    let mut codes = BTreeSet::new();
    let mut names = BTreeSet::new();
    for check in ALL {
        let (code, name) = (check.code.0, check.name);
        if !codes.insert(code) || !names.insert(name) {
            wrong.push(format!("{code} {name} is there twice"));
        }
        if ["no-", "check-", "invalid-"].iter().any(|prefix| name.starts_with(prefix)) {
            wrong.push(format!("{code} {name}: a check is named for the fault"));
        }
        let file = format!("src/checks/{}/{}.rs", check.family().name(), name.replace('-', "_"));
        if !project().join(&file).is_file() {
            wrong.push(format!("{code} {name}: its file is not {file}"));
        }
        let headings: Vec<&str> = check.documentation.lines().map(str::trim).filter(|line| line.starts_with("## ")).collect();
        if headings != ["## What it does", "## Why it matters", "## Example", "## What to do"] {
            wrong.push(format!("{code} {name}: the headings are {headings:?}"));
        }
        if check.summary().len() < 20 {
            wrong.push(format!("{code} {name}: there is no text under the first heading"));
        }
    }
    assert!(!ALL.is_empty(), "only {} checks are listed", ALL.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
