//! A corpus of odd and broken public images, where one is at hand, and random bytes under every extension.
//!
//! The corpus is not part of the project: the tests that need it say that they were skipped when it is absent.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use walkaround::model::{FaultKind, Format, Verdict};

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

/// Share of files, in thousandths, on which our verdict must agree with what Pillow did, by format as Pillow names it.
///
/// An unknown verdict counts against agreement.
const FLOORS: [(&str, u64); 6] = [("JPEG", 990), ("PNG", 1000), ("WEBP", 1000), ("GIF", 970), ("BMP", 1000), ("TIFF", 480)];

#[test]
fn verdicts_agree_with_pillow() {
    let (Some(edge), Some(verdicts)) = (shared("corpus/edge"), shared("corpus/verdicts.jsonl")) else { return };
    let found = check(&edge);
    let ours: BTreeMap<&str, &Verdict> =
        found.samples.iter().map(|report| (report.facts.sample.path.as_str(), &report.facts.decoded.pillow)).collect();
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut differing = Vec::new();
    for line in fs::read_to_string(verdicts).expect("the verdicts can be read").lines() {
        let verdict: Value = serde_json::from_str(line).expect("a verdict is JSON");
        let (file, pillow) = (verdict["file"].as_str().unwrap_or_default(), &verdict["pillow"]);
        let Some(format) = pillow["format"].as_str() else { continue };
        // The recorder asks for EXIF first, which loads a PNG; where that raises, a second load of the emptied image does not.
        if pillow["orientation_error"].is_string() {
            continue;
        }
        let loads = pillow["load"] == "ok";
        let (agree, all) = counts.entry(format.to_owned()).or_default();
        *all += 1;
        match ours.get(file) {
            Some(Verdict::Ok) if loads => *agree += 1,
            Some(Verdict::Error(_)) if !loads => *agree += 1,
            other => differing.push(format!(
                "{format} {file}: Pillow {}, we {other:?}",
                pillow["load"].as_str().or(pillow["load_error"].as_str()).unwrap_or("?")
            )),
        }
    }
    println!("{counts:?}\n{}", differing.join("\n"));
    for (format, floor) in FLOORS {
        let (agree, all) = counts.get(format).copied().unwrap_or_default();
        assert!(all > 0 && agree * 1000 >= floor * all, "{format}: {agree} of {all} agree\n{}", differing.join("\n"));
    }
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
