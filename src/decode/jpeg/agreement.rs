//! How often the reader agrees with what Pillow and OpenCV really did, on folders of files with recorded verdicts.
//!
//! `WALKAROUND_AGREEMENT=folder:verdicts.jsonl[,folder:verdicts.jsonl...] cargo test --lib jpeg::agreement -- --nocapture` prints
//! the counts and the files that disagree.

use std::path::{Path, PathBuf};

use super::read;
use crate::decode::{Limits, Reading};
use crate::model::Verdict;

/// Files compared, and what disagreed.
#[derive(Debug, Default)]
struct Agreement {
    files: usize,
    unknown: usize,
    pillow: Vec<String>,
    messages: Vec<String>,
    opencv: Vec<String>,
    whole_but_refused: Vec<String>,
}

fn reading(bytes: &[u8]) -> Option<Reading> {
    bytes.starts_with(&[0xFF, 0xD8, 0xFF]).then(|| read(bytes, &Limits::default()))
}

#[expect(clippy::disallowed_methods, reason = "a test may read files")]
fn compare(folder: &Path, verdicts: &Path) -> Agreement {
    let mut agreement = Agreement::default();
    let text = std::fs::read_to_string(verdicts).expect("the verdicts can be read");
    for line in text.lines() {
        let recorded: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let name = recorded["file"].as_str().expect("a line names a file");
        let bytes = std::fs::read(folder.join(name)).expect("a file of the corpus can be read");
        let Some(reading) = reading(&bytes) else { continue };
        agreement.files += 1;
        let pillow = &recorded["pillow"];
        let error = pillow["open_error"].as_str().or(pillow["load_error"].as_str());
        match (&reading.pillow, error) {
            (Verdict::Unknown, _) => agreement.unknown += 1,
            (Verdict::Ok, None) => {}
            (Verdict::Error(refusal), Some(error)) => {
                if refusal.to_string() != error {
                    agreement.messages.push(format!("{name}: {refusal}, Pillow {error}"));
                }
            }
            (verdict, _) => agreement.pillow.push(format!("{name}: {verdict:?} {:?}, Pillow {}", reading.strict, error.unwrap_or("ok"))),
        }
        let opencv_ok = recorded["opencv"].is_array();
        if reading.opencv != Verdict::Unknown && (reading.opencv == Verdict::Ok) != opencv_ok {
            agreement.opencv.push(format!("{name}: {:?} {:?}, OpenCV {}", reading.opencv, reading.strict, recorded["opencv"]));
        }
        if reading.strict.name() == "ok" && error.is_some() {
            agreement.whole_but_refused.push(format!("{name}: {error:?}"));
        }
    }
    agreement
}

impl Agreement {
    fn print(&self) {
        println!(
            "{} files: pillow disagrees on {}, unknown {}, other message {}, opencv disagrees on {}, whole but refused {}",
            self.files,
            self.pillow.len(),
            self.unknown,
            self.messages.len(),
            self.opencv.len(),
            self.whole_but_refused.len()
        );
        for (title, lines) in
            [("pillow", &self.pillow), ("message", &self.messages), ("opencv", &self.opencv), ("whole", &self.whole_but_refused)]
        {
            for line in lines.iter().take(40) {
                println!("  {title}: {line}");
            }
        }
    }
}

#[test]
fn the_reader_agrees_with_recorded_verdicts() {
    for pair in std::env::var("WALKAROUND_AGREEMENT").unwrap_or_default().split(',').filter(|pair| !pair.is_empty()) {
        let (folder, verdicts) = pair.split_once(':').expect("WALKAROUND_AGREEMENT is folder:verdicts");
        println!("{folder}");
        compare(Path::new(folder), Path::new(verdicts)).print();
    }
    let roots = ["/../shared/corpus", "/../../shared/corpus"].map(|root| PathBuf::from(format!("{}{root}", env!("CARGO_MANIFEST_DIR"))));
    let Some(root) = roots.iter().find(|root| root.join("verdicts.jsonl").is_file()) else {
        println!("skipped: the corpus is not here");
        return;
    };
    let agreement = compare(&root.join("edge"), &root.join("verdicts.jsonl"));
    agreement.print();
    assert!(agreement.files >= 150, "only {} files were compared", agreement.files);
    assert!(agreement.pillow.len() * 200 <= agreement.files, "{:#?}", agreement.pillow);
    assert!(agreement.opencv.len() * 33 <= agreement.files, "{:#?}", agreement.opencv);
}
