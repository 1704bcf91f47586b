//! A corpus of odd and broken public images, where one is at hand, and random bytes under every extension.
//!
//! The corpus is not part of the project: the tests that need it say that they were skipped when it is absent.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use walkaround::model::{FaultKind, Format};

use crate::build::Folder;
use crate::support::{check, walkaround};

/// Where the corpus is, if it is there.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let project = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let found =
        [project.join("../shared"), project.join("../../shared")].into_iter().map(|root| root.join(part)).find(|path| path.exists());
    if found.is_none() {
        println!("skipped: there is no corpus beside the project");
    }
    found
}

#[test]
fn the_report_on_the_corpus_is_the_same_for_any_number_of_threads() {
    let Some(edge) = shared("corpus/edge") else { return };
    let folder = tempfile::tempdir().expect("there is room for a test folder");
    let edge = edge.canonicalize().expect("the corpus has a path");
    let edge = edge.to_str().expect("the corpus has a plain path");
    let with = |threads: &str| walkaround(folder.path(), &["check", edge, "--format", "json", "--threads", threads]).stdout;
    let one = with("1");
    let report: Value = serde_json::from_slice(&one).expect("the report is JSON");
    assert!(report["summary"]["samples"].as_u64().is_some_and(|samples| samples > 900), "{}", report["summary"]);
    assert!(one == with("8"), "1 and 8 threads differ");
}

#[test]
fn nothing_is_lost_between_listing_and_report() {
    let Some(edge) = shared("corpus/edge") else { return };
    let files = fs::read_dir(&edge).expect("the corpus can be listed").count() as u64;
    let found = check(&edge);
    assert_eq!(found.summary.samples, files);
    let panics =
        found.samples.iter().filter(|report| report.facts.decoded.strict.fault().is_some_and(|fault| fault.kind == FaultKind::Panic));
    for report in panics {
        let path = &report.facts.sample.path;
        assert!(found.of("undecided-image").iter().any(|finding| finding.paths.contains(path)), "{path} panicked without a finding");
    }
    // Whatever Pillow refuses has a finding that says so.
    for report in &found.samples {
        if report.facts.decoded.pillow.refusal().is_some() {
            let path = &report.facts.sample.path;
            assert!(
                found.findings.iter().any(|finding| finding.paths.contains(path)),
                "nothing is said of {path}: {:?}",
                report.facts.decoded
            );
        }
    }
}

#[test]
fn random_bytes_under_every_extension_have_a_finding() {
    let folder = tempfile::tempdir().expect("there is room for a test folder");
    let set = Folder::at(&folder.path().join("set"));
    let mut state = 7_u32;
    let mut names = Vec::new();
    for extension in Format::ALL.into_iter().flat_map(Format::extensions) {
        let bytes: Vec<u8> = (0..3000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        let name = format!("noise_{extension}.{extension}");
        set.write(&name, bytes);
        names.push(name);
    }
    let found = check(set.path());
    assert!(names.len() > 40);
    for name in &names {
        assert!(
            found.of("not-an-image").iter().any(|finding| finding.paths.iter().any(|path| path.as_str() == name)),
            "nothing is said of {name}"
        );
    }
}
