//! Verdicts of the decoders against those that were recorded for folders of images.
//!
//! `WALKAROUND_IMAGES=folder WALKAROUND_VERDICTS=file.jsonl cargo test --test suite agreement::measures -- --nocapture`
//! prints, for each format, how many verdicts agree in stage, class and message, and the files that do not. The verdicts
//! file has a JSON object a line: `file`, and `pillow` with `load: "ok"`, `load_error` or `open_error`.

#![expect(clippy::disallowed_methods, reason = "the images and the verdicts are files")]

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use walkaround::decode::{Limits, decode};
use walkaround::model::{Exif, Format, Probe, Size, Stage, Verdict};

/// The formats whose readers are measured here, by signature.
fn format_of(bytes: &[u8]) -> Option<Format> {
    match bytes {
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Format::Gif),
        [b'B', b'M', ..] => Some(Format::Bmp),
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Some(Format::Tiff),
        _ => None,
    }
}

/// A probe that knows the format only; the readers measured here find the rest themselves.
fn probe_of(format: Format) -> Probe {
    Probe {
        format,
        variant: "",
        mode: None,
        bit_depth: 8,
        size: Size::new(1, 1),
        orientation: None,
        frames: 1,
        icc: false,
        transparency: false,
        exif: Exif::Absent,
    }
}

#[derive(Default)]
struct Agreement {
    same: usize,
    unknown: Vec<String>,
    other: Vec<String>,
}

fn measure(images: &Path, verdicts: &str) -> BTreeMap<Format, Agreement> {
    let mut agreements: BTreeMap<Format, Agreement> = BTreeMap::new();
    for line in verdicts.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("a line of the verdicts is JSON");
        let name = line["file"].as_str().expect("a line of the verdicts names a file");
        let Ok(bytes) = std::fs::read(images.join(name)) else { continue };
        let Some(format) = format_of(&bytes) else { continue };
        let pillow = &line["pillow"];
        let wanted = match (pillow["open_error"].as_str(), pillow["load_error"].as_str()) {
            (Some(error), _) => format!("open {error}"),
            (_, Some(error)) => format!("load {error}"),
            _ => "ok".to_owned(),
        };
        let decoded = decode(&bytes, &probe_of(format), &Limits::default());
        let agreement = agreements.entry(format).or_default();
        match spelt(&decoded.pillow) {
            _ if decoded.pillow == Verdict::Unknown => agreement.unknown.push(format!("{name}: {wanted} ({:?})", decoded.strict)),
            found if found == wanted => agreement.same += 1,
            found => agreement.other.push(format!("{name}: {wanted}, here {found}")),
        }
    }
    agreements
}

/// A verdict as the recorded ones are spelt, which cut messages at 120 characters.
fn spelt(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Ok => "ok".to_owned(),
        Verdict::Unknown => "unknown".to_owned(),
        Verdict::Error(refusal) => {
            let stage = if refusal.stage == Stage::Open { "open" } else { "load" };
            format!("{stage} {}: {}", refusal.class, refusal.message.chars().take(120).collect::<String>())
        }
    }
}

#[test]
fn measures() {
    let (Some(images), Some(verdicts)) = (env::var_os("WALKAROUND_IMAGES"), env::var_os("WALKAROUND_VERDICTS")) else {
        eprintln!("skipped: WALKAROUND_IMAGES and WALKAROUND_VERDICTS are not set");
        return;
    };
    let verdicts = std::fs::read_to_string(verdicts).expect("the verdicts can be read");
    for (format, agreement) in measure(&PathBuf::from(images), &verdicts) {
        let Agreement { same, unknown, other } = agreement;
        println!("{format}: {same} agree, {} unknown, {} differ", unknown.len(), other.len());
        for line in unknown {
            println!("  unknown {line}");
        }
        for line in other {
            println!("  differ {line}");
        }
    }
}

/// Where the public corpus lies, if it is on this machine: beside the checkout, or beside the folder of its worktrees.
fn corpus() -> Option<PathBuf> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    ["../shared/corpus", "../../shared/corpus"].into_iter().map(|path| checkout.join(path)).find(|path| path.is_dir())
}

#[test]
fn verdicts_on_the_corpus_agree_with_pillow() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: there is no corpus beside the checkout");
        return;
    };
    let verdicts = std::fs::read_to_string(corpus.join("verdicts.jsonl")).expect("the verdicts can be read");
    let agreements = measure(&corpus.join("edge"), &verdicts);
    // Agreeing at least, unknown at most, differing at most. The GIF that differs is opened by Pillow and only fails when
    // its frames are counted, which the recording did.
    for (format, same, unknown, other) in [(Format::Gif, 36, 0, 1), (Format::Bmp, 73, 0, 0), (Format::Tiff, 65, 50, 0)] {
        let agreement = &agreements[&format];
        assert!(agreement.same >= same, "{format}: only {} agree", agreement.same);
        assert!(agreement.unknown.len() <= unknown, "{format}: {:#?}", agreement.unknown);
        assert!(agreement.other.len() <= other, "{format}: {:#?}", agreement.other);
    }
}

/// `WALKAROUND_IMAGES=folder cargo test --test suite agreement::prints_hashes -- --nocapture` prints each file's perceptual
/// hash and whether it counts as blank; JPEG, PNG and the formats of this room.
#[test]
fn prints_hashes() {
    let Some(images) = env::var_os("WALKAROUND_IMAGES") else {
        eprintln!("skipped: WALKAROUND_IMAGES is not set");
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(images).expect("the folder can be listed").flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files {
        let bytes = std::fs::read(&file).expect("a file can be read");
        let format = format_of(&bytes).or_else(|| file.extension().and_then(|e| Format::of_extension(&e.to_string_lossy())));
        let Some(format) = format else { continue };
        if let Some(pixels) = decode(&bytes, &probe_of(format), &Limits::default()).pixels {
            println!("{:016x} {} {} {:.1}", pixels.phash, pixels.blank, file.display(), pixels.mean);
        }
    }
}
