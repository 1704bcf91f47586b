//! Verdicts on images against what Pillow and OpenCV were seen to do, and the one list of how often they must agree.
//!
//! `WALKAROUND_IMAGES=folder WALKAROUND_VERDICTS=file.jsonl cargo test --test suite agreement::measures -- --nocapture` prints
//! the agreement by format, and every file that differs. The verdicts file has a JSON object a line: `file`; `pillow` with
//! `load: "ok"`, `load_error` or `open_error`, `load_lenient` (with `LOAD_TRUNCATED_IMAGES`: `"ok"` or a class), `mode`, `w`, `h`
//! and `orientation`; `opencv` with a shape, or null or a class where it refuses, or `crash` with a signal. The whole path is
//! measured: [`walkaround::inspect`] chooses the format, or says what becomes of bytes without a header.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;

use serde_json::Value;
use walkaround::inspect;
use walkaround::model::{Format, Mode, Probe, SampleReport, Stage, Verdict};
use walkaround::settings::Settings;

use crate::corpus::shared;

/// Least agreement on the corpus, in percent. An unknown verdict is no agreement.
struct Floor {
    /// As Pillow spells it.
    format: &'static str,
    pillow: f64,
    lenient: f64,
    /// Of refusals: the exception's class, and its message.
    class: f64,
    message: f64,
    /// Mode, size and orientation of what Pillow opens.
    header: f64,
    /// Where it is known.
    opencv: Option<f64>,
}

const EXACT: Floor = Floor { format: "", pillow: 99.5, lenient: 99.5, class: 99.5, message: 99.5, header: 99.5, opencv: None };

const FLOORS: [Floor; 6] = [
    // The number of bytes in the message about a truncated one depends on how far libjpeg had read ahead.
    Floor { format: "JPEG", message: 90.0, opencv: Some(97.0), ..EXACT },
    Floor { format: "PNG", opencv: Some(97.0), ..EXACT },
    Floor { format: "WEBP", opencv: Some(97.0), ..EXACT },
    Floor { format: "GIF", ..EXACT },
    Floor { format: "BMP", ..EXACT },
    Floor { format: "TIFF", lenient: 97.0, header: 97.0, ..EXACT },
];

/// Counts of one format.
#[derive(Default)]
struct Agreement {
    pillow: Count,
    lenient: Count,
    header: Count,
    /// Of the files that both refuse.
    stage: Count,
    class: Count,
    message: Count,
    opencv: Count,
    /// What differs, a line each.
    lines: Vec<String>,
}

/// How many of how many agree, and how many of the others are unknown.
#[derive(Default)]
struct Count {
    same: u32,
    unknown: u32,
    all: u32,
}

impl Count {
    fn add(&mut self, same: bool) {
        self.same += u32::from(same);
        self.all += 1;
    }

    fn percent(&self) -> f64 {
        f64::from(self.same) * 100.0 / f64::from(self.all.max(1))
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} ({:.1} %, {} unknown)", self.same, self.all, self.percent(), self.unknown)
    }
}

/// What Pillow was seen to do; `None` where the record does not tell.
///
/// The recorder asks for the number of frames and for EXIF before it loads. Where counting frames fails, that is recorded as
/// an error of opening; it shows by its class where `Image.open` lets none of that class through. `getexif` loads a PNG,
/// and where that raises, the second load, of an image that has no tiles left, says ok.
fn pillow_seen(record: &Value) -> Option<Result<(), (Stage, &str)>> {
    let pillow = &record["pillow"];
    let is_from_counting =
        |error: &str| ["TypeError: ", "SyntaxError: ", "IndexError: ", "error: "].iter().any(|class| error.starts_with(class));
    if let Some(error) = pillow["open_error"].as_str() {
        return (!is_from_counting(error)).then_some(Err((Stage::Open, error)));
    }
    if pillow["crash"].is_number() || pillow["orientation_error"].is_string() {
        return None;
    }
    match pillow["load_error"].as_str() {
        Some(error) => Some(Err((Stage::Load, error))),
        None => (pillow["load"] == "ok").then_some(Ok(())),
    }
}

/// What Pillow was seen to do with `LOAD_TRUNCATED_IMAGES`: `"ok"` or a class; `None` where the record does not tell.
fn lenient_seen(record: &Value) -> Option<&str> {
    record["pillow"]["load_lenient"].as_str()
}

/// Mode, width, height and orientation as Pillow gave them, of a file that it opens. Asking for EXIF loads a PNG, and where that
/// raises nothing is known of its orientation: it is then `here`.
fn header_seen(record: &Value, here: Option<u64>) -> Option<(&str, [u64; 2], Option<u64>)> {
    let pillow = &record["pillow"];
    let raised = pillow["orientation"].is_string() || pillow["orientation_error"].is_string();
    let seen = pillow["orientation"].as_u64().filter(|value| (1..=8).contains(value));
    let orientation = if raised { here } else { seen };
    Some((pillow["mode"].as_str()?, [pillow["w"].as_u64()?, pillow["h"].as_u64()?], orientation))
}

/// The same as the probe has them; Pillow applies the orientation of a TIFF to its size when it opens it, and of no other format.
fn header_here(probe: &Probe) -> (&str, [u64; 2], Option<u64>) {
    let size = if probe.format == Format::Tiff { probe.oriented_size() } else { probe.size };
    let orientation = probe.orientation.map(|orientation| u64::from(orientation.value()));
    (probe.mode.map_or("none", Mode::name), [size.width.into(), size.height.into()], orientation)
}

/// What OpenCV was seen to do: `"ok"`, `"error"`, or `"crash"` where it took its process with it; `None` where the record does
/// not tell.
fn opencv_seen(record: &Value) -> Option<&'static str> {
    let opencv = record.get("opencv")?;
    Some(match opencv {
        _ if opencv["crash"].is_number() => "crash",
        Value::Array(_) => "ok",
        _ => "error",
    })
}

/// The same as it is expected here.
fn opencv_here(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Error(refusal) if refusal.class == "crash" => "crash",
        Verdict::Ok | Verdict::Error(_) | Verdict::Unknown => verdict.name(),
    }
}

impl Agreement {
    fn compare(&mut self, file: &str, record: &Value, report: &SampleReport) {
        let decoded = &report.facts.decoded;
        if let Some(seen) = pillow_seen(record) {
            self.pillow.unknown += u32::from(decoded.pillow == Verdict::Unknown);
            self.pillow.add(matches!((&decoded.pillow, &seen), (Verdict::Ok, Ok(())) | (Verdict::Error(_), Err(_))));
            let mut differs = !matches!((&decoded.pillow, &seen), (Verdict::Ok, Ok(())));
            if let (Verdict::Error(ours), Err((stage, theirs))) = (&decoded.pillow, &seen) {
                // The recorder cuts messages at 120 characters.
                let (class, message) = theirs.split_once(": ").unwrap_or((theirs, ""));
                let same_message = ours.message.chars().take(120).eq(message.chars());
                self.stage.add(ours.stage == *stage);
                self.class.add(ours.class == class);
                self.message.add(same_message);
                differs = ours.stage != *stage || ours.class != class || !same_message;
            }
            if differs {
                self.lines.push(format!("pillow {file}: {seen:?}, here {:?}, strict {:?}", decoded.pillow, decoded.strict));
            }
        }
        if let Some(seen) = lenient_seen(record) {
            let here = decoded.pillow_lenient.refusal().map_or("ok", |refusal| refusal.class.as_ref());
            let same = decoded.pillow_lenient != Verdict::Unknown && here == seen;
            self.lenient.unknown += u32::from(decoded.pillow_lenient == Verdict::Unknown);
            self.lenient.add(same);
            if !same {
                self.lines.push(format!("lenient {file}: {seen}, here {:?}", decoded.pillow_lenient));
            }
        }
        let here = report.facts.probe.as_ref().map(header_here);
        if let Some(seen) = header_seen(record, here.ok().and_then(|(.., orientation)| orientation)) {
            self.header.add(here == Ok(seen));
            if here != Ok(seen) {
                self.lines.push(format!("header {file}: {seen:?}, here {here:?}"));
            }
        }
        if let Some(seen) = opencv_seen(record) {
            let same = opencv_here(&decoded.opencv) == seen;
            self.opencv.unknown += u32::from(decoded.opencv == Verdict::Unknown);
            self.opencv.add(same);
            if !same && decoded.opencv != Verdict::Unknown {
                self.lines.push(format!("opencv {file}: {seen}, here {:?}", decoded.opencv));
            }
        }
    }
}

/// The format as the probe has it; where there is none, as Pillow has it; `""` where neither knows one.
fn format_of<'a>(report: &'a SampleReport, record: &'a Value) -> &'a str {
    match &report.facts.probe {
        Ok(probe) => probe.format.name(),
        Err(_) => record["pillow"]["format"].as_str().unwrap_or_default(),
    }
}

#[expect(clippy::print_stdout, reason = "the counts are worth reading")]
fn measure(images: &Path, verdicts: &Path) -> BTreeMap<String, Agreement> {
    let settings = Settings::new(Vec::new());
    let mut agreements: BTreeMap<String, Agreement> = BTreeMap::new();
    for line in std::fs::read_to_string(verdicts).expect("the verdicts can be read").lines() {
        let record: Value = serde_json::from_str(line).expect("a line of the verdicts is JSON");
        let file = record["file"].as_str().expect("a line of the verdicts names a file");
        let Ok(bytes) = std::fs::read(images.join(file)) else { continue };
        let report = inspect(file, &bytes, None, &settings);
        agreements.entry(format_of(&report, &record).to_owned()).or_default().compare(file, &record, &report);
    }
    assert!(!agreements.is_empty(), "none of the files in {} has a verdict", images.display());
    for (format, agreement) in &agreements {
        let Agreement { pillow, lenient, header, stage, class, message, opencv, lines } = agreement;
        let format = if format.is_empty() { "no format" } else { format };
        println!("{format}\n  Pillow: {pillow}\n  lenient: {lenient}\n  header: {header}");
        println!("  its refusals: stage {stage}, class {class}, message {message}\n  OpenCV: {opencv}");
        for line in lines {
            println!("  {line}");
        }
    }
    agreements
}

#[test]
fn measures() {
    let (Some(images), Some(verdicts)) = (env::var_os("WALKAROUND_IMAGES"), env::var_os("WALKAROUND_VERDICTS")) else {
        println!("skipped: WALKAROUND_IMAGES and WALKAROUND_VERDICTS are not set");
        return;
    };
    measure(Path::new(&images), Path::new(&verdicts));
}

#[test]
fn verdicts_agree_with_the_loaders_on_the_corpus() {
    let (Some(edge), Some(verdicts)) = (shared("corpus/edge"), shared("corpus/verdicts.jsonl")) else { return };
    let agreements = measure(&edge, &verdicts);
    for floor in FLOORS {
        let format = floor.format;
        let agreement = &agreements[format];
        assert!(agreement.pillow.all >= 20, "{format}: only {} files", agreement.pillow.all);
        let mut floors = vec![
            ("Pillow", &agreement.pillow, floor.pillow),
            ("lenient Pillow", &agreement.lenient, floor.lenient),
            ("classes", &agreement.class, floor.class),
            ("messages", &agreement.message, floor.message),
            ("header", &agreement.header, floor.header),
        ];
        floors.extend(floor.opencv.map(|opencv| ("OpenCV", &agreement.opencv, opencv)));
        for (what, count, least) in floors {
            let holds = count.all == 0 || count.percent() >= least;
            assert!(holds, "{format}, {what}: {count}\n{}", agreement.lines.join("\n"));
        }
    }
}

/// `WALKAROUND_IMAGES=folder cargo test --test suite agreement::prints_hashes -- --nocapture` prints each file's perceptual
/// hash, whether it counts as blank, and its brightness.
#[test]
fn prints_hashes() {
    let Some(images) = env::var_os("WALKAROUND_IMAGES") else {
        println!("skipped: WALKAROUND_IMAGES is not set");
        return;
    };
    let settings = Settings::new(Vec::new());
    let mut files: Vec<_> = std::fs::read_dir(images).expect("the folder can be listed").flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files {
        let name = file.to_string_lossy();
        let report = inspect(&name, &std::fs::read(&file).expect("a file can be read"), None, &settings);
        if let Some(pixels) = report.facts.decoded.pixels {
            println!("{:016x} {} {name} {:.1}", pixels.phash, pixels.blank, pixels.mean);
        }
    }
}
