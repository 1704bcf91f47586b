//! Agreement of the readers' verdicts with what the loaders were seen to do. Tests only.
//!
//! `WALKAROUND_MEASURE=FOLDER,VERDICTS cargo test --lib measure -- --nocapture` prints the agreement for the files of a
//! folder, and the files that disagree. VERDICTS has one JSON object a line: `{"file", "pillow": {"stage": "ok" | "open" |
//! "load", "class", "msg"}, "opencv": "ok" | "error" | "crash"}`, or what the corpus has: `pillow` with `open_error`,
//! `load_error` or `load`, and `opencv` with a shape or null.
#![expect(clippy::disallowed_methods, reason = "a test that reads the corpus")]

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Limits, Reading, png, webp};
use crate::model::Verdict;

type Reader = fn(&[u8], &Limits) -> Reading;

fn reader_for(file: &str) -> Option<Reader> {
    match file.rsplit('.').next()?.to_ascii_lowercase().as_str() {
        "png" | "apng" => Some(png::read),
        "webp" => Some(webp::read),
        _ => None,
    }
}

/// What a loader was seen to do; `None` where the record does not say.
fn pillow_seen(record: &Value) -> Option<(bool, String)> {
    let pillow = &record["pillow"];
    if let Some(stage) = pillow["stage"].as_str() {
        let text = |key| pillow[key].as_str().unwrap_or("");
        return Some((stage == "ok", format!("{stage} {}: {}", text("class"), text("msg"))));
    }
    if let Some(error) = pillow["open_error"].as_str() {
        return Some((false, format!("open {error}")));
    }
    // The corpus asks for EXIF first, which loads a PNG; a second load after a failed one answers ok.
    if !pillow["orientation_error"].is_null() {
        return None;
    }
    match pillow["load_error"].as_str() {
        Some(error) => Some((false, format!("load {error}"))),
        None => Some((pillow["load"] == "ok", "ok : ".to_owned())),
    }
}

fn opencv_seen(record: &Value) -> bool {
    record["opencv"] == "ok" || record["opencv"].is_array()
}

fn spelt(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Ok => "ok : ".to_owned(),
        Verdict::Unknown => "unknown".to_owned(),
        Verdict::Error(refusal) => format!("{:?} {refusal}", refusal.stage).to_lowercase(),
    }
}

/// Counts of agreement.
#[derive(Debug, Default)]
struct Agreement {
    files: usize,
    pillow: usize,
    pillow_words: usize,
    pillow_files: usize,
    opencv: usize,
}

fn measure(folder: &Path, verdicts: &Path) -> Agreement {
    let mut agreement = Agreement::default();
    for line in std::fs::read_to_string(verdicts).unwrap().lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let file = record["file"].as_str().unwrap();
        let Some(read) = reader_for(file) else { continue };
        let reading = read(&std::fs::read(folder.join(file)).unwrap(), &Limits::default());
        agreement.files += 1;
        if let Some((ok, words)) = pillow_seen(&record) {
            agreement.pillow_files += 1;
            let same = (reading.pillow == Verdict::Ok) == ok && reading.pillow != Verdict::Unknown;
            agreement.pillow += usize::from(same);
            let ours = spelt(&reading.pillow);
            let same_words = ours == words.to_lowercase();
            agreement.pillow_words += usize::from(same_words);
            if !same_words {
                println!("{} pillow {file}: saw {words:?}, said {ours:?}", if same { "words" } else { "DIFFERS" });
            }
        }
        let same = (reading.opencv == Verdict::Ok) == opencv_seen(&record) && reading.opencv != Verdict::Unknown;
        agreement.opencv += usize::from(same);
        if !same {
            println!("DIFFERS opencv {file}: saw {}, said {:?}", record["opencv"], reading.opencv);
        }
    }
    println!("{agreement:?}");
    agreement
}

fn corpus() -> Option<PathBuf> {
    let main = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus");
    let worktree = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus");
    [main, worktree].into_iter().map(PathBuf::from).find(|path| path.is_dir())
}

#[test]
fn agreement_is_measured_on_request() {
    let Ok(wanted) = std::env::var("WALKAROUND_MEASURE") else { return println!("skipped: WALKAROUND_MEASURE is not set") };
    let (folder, verdicts) = wanted.split_once(',').expect("FOLDER,VERDICTS");
    assert!(measure(Path::new(folder), Path::new(verdicts)).files > 0);
}

#[test]
fn verdicts_agree_with_the_loaders_on_the_corpus() {
    let Some(corpus) = corpus() else { return println!("skipped: no corpus") };
    let agreement = measure(&corpus.join("edge"), &corpus.join("verdicts.jsonl"));
    assert!(agreement.files > 400);
    assert!(agreement.pillow * 1000 >= agreement.pillow_files * 995, "{agreement:?}");
    assert!(agreement.opencv * 1000 >= agreement.files * 970, "{agreement:?}");
}
