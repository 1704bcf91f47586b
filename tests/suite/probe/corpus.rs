//! Agreement with Pillow on a corpus of odd public files, where it is present beside the checkout.

#![expect(clippy::disallowed_methods, reason = "the corpus is read")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use walkaround::model::{Format, Mode, Orientation, Probe};
use walkaround::probe::probe;

/// Format as Pillow names it, least number of files, and least share of files in permille that must agree.
const FLOORS: [(&str, usize, usize); 8] = [
    ("JPEG", 100, 995),
    ("MPO", 3, 1000),
    ("PNG", 300, 995),
    ("WEBP", 25, 995),
    ("GIF", 25, 995),
    ("BMP", 40, 995),
    ("TIFF", 60, 970),
    ("AVIF", 8, 900),
];

fn corpus() -> Option<PathBuf> {
    [concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"), concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")]
        .into_iter()
        .map(|shared| Path::new(shared).join("corpus"))
        .find(|corpus| corpus.join("verdicts.jsonl").is_file())
}

/// (format, mode, width, height, frames, orientation) as Pillow gives them.
type Facts = (String, String, u64, u64, u64, Option<u64>);

fn of_pillow(verdict: &Value) -> Option<Facts> {
    let text = |key: &str| verdict[key].as_str().map(str::to_owned);
    let orientation = verdict["orientation"].as_u64().filter(|value| (1..=8).contains(value));
    Some((text("format")?, text("mode")?, verdict["w"].as_u64()?, verdict["h"].as_u64()?, verdict["frames"].as_u64()?, orientation))
}

fn of_probe(probe: &Probe) -> Facts {
    // Pillow applies the orientation of a TIFF to its size when it opens it, and of no other format.
    let size = if probe.format == Format::Tiff { probe.oriented_size() } else { probe.size };
    let mode = probe.mode.map_or("none", Mode::name).to_owned();
    let orientation = probe.orientation.map(Orientation::value).map(u64::from);
    (probe.format.name().to_owned(), mode, size.width.into(), size.height.into(), probe.frames.into(), orientation)
}

#[test]
fn headers_agree_with_pillow() {
    let Some(corpus) = corpus() else {
        println!("skipped: there is no corpus beside the checkout");
        return;
    };
    let lines = fs::read_to_string(corpus.join("verdicts.jsonl")).expect("the verdicts can be read");
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut disagreements = Vec::new();
    for line in lines.lines() {
        let verdict: Value = serde_json::from_str(line).expect("a verdict is JSON");
        let Some(expected) = of_pillow(&verdict["pillow"]) else { continue };
        let name = verdict["file"].as_str().expect("a verdict names its file");
        let bytes = fs::read(corpus.join("edge").join(name)).expect("a file of the corpus can be read");
        let (agreeing, all) = counts.entry(expected.0.clone()).or_default();
        *all += 1;
        match probe(&bytes) {
            Ok(probe) if of_probe(&probe) == expected => *agreeing += 1,
            Ok(probe) => disagreements.push(format!("{name}: {:?}, but Pillow has {expected:?}", of_probe(&probe))),
            Err(fault) => disagreements.push(format!("{name}: {fault}, but Pillow has {expected:?}")),
        }
    }
    println!("{}\n{counts:?}", disagreements.join("\n"));
    for (format, least, permille) in FLOORS {
        let (agreeing, all) = counts.get(format).copied().unwrap_or_default();
        assert!(all >= least, "only {all} files of format {format}");
        assert!(agreeing * 1000 >= all * permille, "{format}: {agreeing} of {all} agree");
    }
}
