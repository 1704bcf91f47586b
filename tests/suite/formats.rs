//! Formats for build servers, as the program writes them.

use std::path::Path;

use serde_json::Value;

use crate::build::{Folder, rgb_png};
use crate::support::walkaround;

/// A folder with more faults than GitHub shows, and with a name that needs escaping.
fn spoilt() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("there is room for a test folder");
    let folder = Folder::at(root.path());
    for number in 0..14 {
        let png = rgb_png(number, 64, 64);
        folder.write(&format!("set/{number:02}, 100%.png"), &png[..png.len() / 2]);
        folder.write(&format!("set/{number:02}, 100%.txt"), format!("picture {number}"));
    }
    root
}

fn report(root: &Path, format: &str) -> String {
    let output = walkaround(root, &["check", "set", "--format", format]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the report is text")
}

#[test]
fn sarif_keeps_to_its_schema() {
    let root = spoilt();
    let log: Value = serde_json::from_str(&report(root.path(), "sarif")).expect("the log is JSON");
    let mut schema: Value = serde_json::from_str(include_str!("../data/sarif-2.1.0.schema.json")).expect("the schema is JSON");
    // Two patterns of languages in it have a bracket too many, which is no regular expression to a strict reader.
    for of in ["run", "toolComponent"] {
        schema["definitions"][of]["properties"]["language"].as_object_mut().and_then(|language| language.remove("pattern"));
    }
    jsonschema::validate(&schema, &log).unwrap_or_else(|error| panic!("{error}"));
    let run = &log["runs"][0];
    let first = &run["results"][0];
    assert_eq!(first["level"], "error");
    assert_eq!(first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "set/00%2C%20100%25.png");
    let index = usize::try_from(first["ruleIndex"].as_u64().expect("the rule has a number")).expect("it is small");
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], first["ruleId"]);
}

#[test]
fn github_gets_as_many_annotations_as_it_shows() {
    let root = spoilt();
    let text = report(root.path(), "github");
    assert_eq!(text.lines().filter(|line| line.starts_with("::error ")).count(), 10, "{text}");
    assert!(text.starts_with("::error file=set/00%2C 100%25.png,title=I101 truncated-image::"), "{text}");
    assert!(text.contains("not annotated, since GitHub shows 10 of a kind: 4 errors, 0 warnings"), "{text}");
}

#[test]
fn junit_has_a_case_for_each_check_and_fails_those_that_found_something() {
    let root = spoilt();
    let text = report(root.path(), "junit");
    assert_eq!(text.matches("<testcase ").count(), walkaround::checks::ALL.len());
    assert!(text.contains("<testcase name=\"I101 truncated-image\""), "{text}");
    assert!(text.contains("message=\"14 findings, the worst of level error\" type=\"error\""), "{text}");
    assert!(text.contains("00, 100%.png: the data ends"), "{text}");
}
