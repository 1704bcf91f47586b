//! Baselines: known findings stay quiet until the file changes.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::build::{Folder, rgb_png};
use crate::support::walkaround;

/// A folder `set` with a broken picture and a good one, both with captions.
fn spoilt() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("there is room for a test folder");
    let png = rgb_png(1, 64, 64);
    let folder = Folder::at(root.path());
    folder.write("set/broken.png", &png[..png.len() / 2]).write("set/broken.txt", "a broken one");
    folder.write("set/good.png", rgb_png(2, 128, 128)).write("set/good.txt", "a good one");
    root
}

/// Codes that a check finds above notes, with their paths.
fn found(root: &Path, args: &[&str]) -> Vec<(String, String)> {
    let output = walkaround(root, &[&["check", "set", "--format", "json"], args].concat());
    let report: Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    let findings = report["findings"].as_array().expect("the report has findings");
    let above_notes = findings.iter().filter(|finding| finding["level"] != "info");
    above_notes
        .map(|finding| {
            (finding["code"].as_str().unwrap_or_default().to_owned(), finding["paths"][0].as_str().unwrap_or_default().to_owned())
        })
        .collect()
}

#[test]
fn a_known_finding_is_quiet_until_its_file_changes() {
    let root = spoilt();
    let before = found(root.path(), &[]);
    assert!(before.iter().any(|(code, _)| code == "I101"), "{before:?}");
    let output = walkaround(root.path(), &["check", "set", "--write-baseline", "known.toml"]);
    assert_eq!(output.status.code(), Some(1));

    let known = &["--baseline", "known.toml"];
    assert_eq!(found(root.path(), known), []);
    assert_eq!(walkaround(root.path(), &["check", "set", "--baseline", "known.toml"]).status.code(), Some(0));

    // A rename keeps it.
    for extension in ["png", "txt"] {
        let name = |stem: &str| root.path().join(format!("set/{stem}.{extension}"));
        fs::rename(name("broken"), name("renamed")).expect("the file can be renamed");
    }
    assert_eq!(found(root.path(), known), []);

    // An edit voids it, and the entry is said to be of no use.
    let png = rgb_png(1, 64, 64);
    fs::write(root.path().join("set/renamed.png"), &png[..png.len() / 3]).expect("the file can be written");
    let after = found(root.path(), known);
    assert!(after.contains(&("I101".to_owned(), "renamed.png".to_owned())), "{after:?}");
    assert!(after.contains(&("D105".to_owned(), "known.toml".to_owned())), "{after:?}");
}

#[test]
fn a_reason_is_kept_when_the_baseline_is_written_again() {
    let root = spoilt();
    walkaround(root.path(), &["check", "set", "--write-baseline", "known.toml"]);
    let path = root.path().join("known.toml");
    let text = fs::read_to_string(&path).expect("the baseline was written");
    fs::write(&path, text.replace("known when the baseline was written", "the artist wants it so")).expect("the file can be written");
    walkaround(root.path(), &["check", "set", "--baseline", "known.toml", "--write-baseline", "new.toml"]);
    let text = fs::read_to_string(root.path().join("new.toml")).expect("the baseline was written");
    assert!(text.contains("the artist wants it so") && !text.contains("known when"), "{text}");
}

#[test]
fn an_expired_entry_silences_nothing() {
    let root = spoilt();
    walkaround(root.path(), &["check", "set", "--write-baseline", "known.toml"]);
    let path = root.path().join("known.toml");
    let text = fs::read_to_string(&path).expect("the baseline was written");
    let expired = text.replace("reason = ", "expires = 2020-01-01\nreason = ");
    fs::write(&path, expired).expect("the file can be written");
    let found = found(root.path(), &["--baseline", "known.toml"]);
    assert!(found.iter().any(|(code, _)| code == "I101") && found.iter().any(|(code, _)| code == "D105"), "{found:?}");
}

#[test]
fn a_file_that_is_no_baseline_ends_the_run_before_it_begins() {
    let root = spoilt();
    fs::write(root.path().join("known.toml"), "schema = 'walkaround.baseline/9'\n").expect("the file can be written");
    let output = walkaround(root.path(), &["check", "set", "--baseline", "known.toml"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("`known.toml` is no baseline that can be kept to: its schema is `walkaround.baseline/9`"), "{error}");
}

#[test]
fn statistics_count_findings_and_files() {
    let root = spoilt();
    let output = walkaround(root.path(), &["check", "set", "--statistics"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("  error I101 truncated-image"), "{text}");
    assert!(text.trim_end().ends_with(')') && text.contains("no-go: "), "{text}");
}
