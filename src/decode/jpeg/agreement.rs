//! How often the reader agrees with what Pillow and OpenCV really did, on folders of files with recorded verdicts.
//!
//! `WALKAROUND_AGREEMENT=folder:verdicts.jsonl[,folder:verdicts.jsonl...] cargo test --lib jpeg::agreement -- --nocapture` prints
//! the counts and the files that disagree.

use std::path::{Path, PathBuf};

use super::frame::Process;
use super::read;
use crate::decode::{Limits, Reading};
use crate::model::Verdict;

/// Files compared, and what disagreed.
#[derive(Debug, Default)]
struct Agreement {
    files: usize,
    unknown: usize,
    pillow: Vec<String>,
    /// Refused by both, with another class or message.
    messages: Vec<String>,
    /// Refused by both, with another number of bytes left over.
    byte_counts: usize,
    opencv: Vec<String>,
    whole_but_refused: Vec<String>,
}

fn reading(bytes: &[u8]) -> Option<Reading> {
    bytes.starts_with(&[0xFF, 0xD8, 0xFF]).then(|| read(bytes, &Limits::default()))
}

fn without_digits(message: &str) -> String {
    message.replace(|c: char| c.is_ascii_digit(), "")
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
                let refusal = refusal.to_string();
                if without_digits(&refusal) == without_digits(error) {
                    agreement.byte_counts += usize::from(refusal != error);
                } else {
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
            "{} files: pillow disagrees on {}, unknown {}, other message {}, other byte count {}, opencv disagrees on {}, whole but refused {}",
            self.files,
            self.pillow.len(),
            self.unknown,
            self.messages.len(),
            self.byte_counts,
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

/// Walks the JPEGs of a folder over and over and prints millions of pixels a second, on one core:
/// `WALKAROUND_SPEED=folder cargo test --release --lib jpeg::agreement::speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, which needs a folder of photographs"]
#[expect(clippy::disallowed_methods, clippy::cast_precision_loss, reason = "a test may read files and measure roughly")]
fn speed() {
    let folder = std::env::var("WALKAROUND_SPEED").expect("WALKAROUND_SPEED names a folder");
    let files: Vec<Vec<u8>> = std::fs::read_dir(folder)
        .expect("the folder can be listed")
        .filter_map(|entry| std::fs::read(entry.ok()?.path()).ok())
        .filter(|bytes| bytes.starts_with(&[0xFF, 0xD8, 0xFF]))
        .collect();
    assert!(!files.is_empty(), "no JPEG files");
    for process in [Process::Sequential, Process::Progressive] {
        let frame_of = |bytes: &[u8]| super::walk::walk(bytes, &Limits::default()).frame.filter(|frame| frame.process == process);
        let of_process: Vec<_> = files.iter().filter_map(|bytes| Some((bytes, frame_of(bytes)?.size))).collect();
        let start = std::time::Instant::now();
        for (bytes, _) in of_process.iter().cycle().take(of_process.len() * 5) {
            assert!(read(bytes, &Limits::default()).picture.is_some());
        }
        let seconds = start.elapsed().as_secs_f64() / 5.0;
        let pixels: usize = of_process.iter().map(|(_, size)| size.0 * size.1).sum();
        let size: usize = of_process.iter().map(|(bytes, _)| bytes.len()).sum();
        println!(
            "{process:?}: {} files, {:.0} MP/s, {:.0} MB/s",
            of_process.len(),
            pixels as f64 / seconds / 1e6,
            size as f64 / seconds / 1e6
        );
    }
}
