//! The lines of `walkaround.manifest/1`. A change of what stands here is a new version of the format.

use std::collections::BTreeMap;
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA;
use crate::model::{
    AlphaFacts, Blame, Caption, CaptionFacts, ContentHash, Decoded, Fate, Fault, Inventory, Mode, Orientation, PixelFacts, Placement,
    Probe, Profile, SampleReport, Size, Strict, Summary, Testimony, TrainerFate,
};

/// One line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "record", rename_all = "lowercase")]
pub enum Line {
    /// The first line.
    Header(HeaderLine),
    /// A sample, in the order of their paths.
    Sample(Box<SampleLine>),
    /// The last line.
    Summary(SummaryLine),
}

/// What was looked at, and how.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeaderLine {
    /// `walkaround.manifest/1`.
    pub schema: &'static str,
    /// Program and version.
    pub tool: String,
    /// What was given, as typed; paths of samples are relative to it.
    pub roots: Vec<String>,
    /// Name of the trainer's profile.
    pub trainer: &'static str,
    /// Settings that change what is written.
    pub settings: SettingsLine,
}

/// Settings that change what is reported.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingsLine {
    /// Extension of captions, with its dot.
    pub caption_extension: String,
    /// Width and height of training.
    pub resolution: [u32; 2],
    /// CLIP tokens that a caption may have; null where the trainer's text encoder is another one.
    pub max_tokens: Option<u64>,
}

/// One sample.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SampleLine {
    /// Path relative to the root, `/` between the parts; `\xHH` for a byte that is not UTF-8, `\\` for a backslash.
    pub path: String,
    /// Size of the file.
    pub bytes: u64,
    /// BLAKE3 of the file; null if it could not be read.
    pub blake3: Option<String>,
    /// SHA-256 of the file, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// When the file was changed (RFC 3339, UTC); null where the system does not say, and outside of the years 1970 to 9999.
    pub modified: Option<String>,
    /// Format by content, as Pillow spells it; null for no image.
    pub format: Option<&'static str>,
    /// Mode as Pillow opens it.
    pub mode: Option<&'static str>,
    /// Bits per channel as stored.
    pub bit_depth: Option<u8>,
    /// Width in pixels as stored.
    pub width: Option<u32>,
    /// Height in pixels as stored.
    pub height: Option<u32>,
    /// EXIF orientation, 1 to 8; null where there is none.
    pub orientation: Option<u8>,
    /// Width after orientation.
    pub oriented_width: Option<u32>,
    /// Height after orientation.
    pub oriented_height: Option<u32>,
    /// Frames or pages.
    pub frames: Option<u32>,
    /// Whether an ICC profile is embedded.
    pub icc: Option<bool>,
    /// Whether the picture can be transparent.
    pub alpha: Option<bool>,
    /// What decoders do with it.
    pub decode: DecodeLine,
    /// Facts from pixels; null where there were none.
    pub pixels: Option<PixelsLine>,
    /// The caption; null where there is no file of that name.
    pub caption: Option<CaptionLine>,
    /// What each trainer does with it, by trainer.
    pub placements: BTreeMap<String, PlacementLine>,
    /// Codes of the findings of this sample alone, worst first.
    pub findings: Vec<&'static str>,
}

/// What decoders do with an image.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DecodeLine {
    /// Pillow: `ok`, `error` or `unknown`.
    pub pillow: &'static str,
    /// Exception and message of Pillow.
    pub pillow_error: Option<String>,
    /// Pillow with `LOAD_TRUNCATED_IMAGES`, which some programs set: `ok` (it may then be part of a picture), `error` or
    /// `unknown`.
    pub pillow_lenient: &'static str,
    /// OpenCV: `ok`, `error` or `unknown`.
    pub opencv: &'static str,
    /// Reading by the format's rules: `ok`, `damaged`, `error` or `unknown`.
    pub strict: &'static str,
    /// Share of the picture that is lost, 0 to 1, where it can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<f32>,
    /// The first thing that is wrong.
    pub fault: Option<FaultLine>,
    /// What the trainer's own libraries did; left out where they were not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<WitnessLine>,
}

/// What the trainer's own libraries did with an image.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WitnessLine {
    /// Pillow: `ok`, `error` or `unknown`.
    pub pillow: &'static str,
    /// Exception and message of Pillow.
    pub pillow_error: Option<String>,
    /// Pillow with `LOAD_TRUNCATED_IMAGES`: `ok`, `error` or `unknown`.
    pub pillow_lenient: &'static str,
    /// OpenCV: `ok`, `error`, or `unknown` where it is not installed.
    pub opencv: &'static str,
    /// The library that the image killed, hung or starved, if it did: `Pillow` or `OpenCV`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<&'static str>,
}

/// Why a stage failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FaultLine {
    /// Kind, in kebab case.
    pub kind: &'static str,
    /// Offset in bytes from the start of the file.
    pub offset: Option<u64>,
    /// In words.
    pub detail: String,
}

/// Facts from pixels.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PixelsLine {
    /// Mean luma, 0 to 255, in hundredths.
    pub mean: f64,
    /// Whether the picture has one colour only.
    pub blank: bool,
    /// Perceptual hash, 16 hexadecimal digits.
    pub phash: String,
    /// Share of pixels that are not opaque, 0 to 1; null where it was not looked at.
    pub transparent: Option<f64>,
}

/// One caption.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CaptionLine {
    /// Path relative to the root.
    pub path: String,
    /// Size of the file; null if it could not be read.
    pub bytes: Option<u64>,
    /// BLAKE3 of the file.
    pub blake3: Option<String>,
    /// Encoding, as found or guessed; `binary` for no text.
    pub encoding: Option<&'static str>,
    /// Characters.
    pub chars: Option<u64>,
    /// Tokens of the CLIP text encoder, without its two special tokens.
    pub clip_tokens: Option<u64>,
    /// The text, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What a trainer does with a sample.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlacementLine {
    /// `train`, `distort` (otherwise than it looks), `skip`, `replace` or `stop`.
    pub outcome: &'static str,
    /// When: `dataset-scan`, `caching` or `training`.
    pub phase: &'static str,
    /// Width and height of the bucket.
    pub bucket: Option<[u32; 2]>,
    /// Width and height after resizing.
    pub resized: Option<[u32; 2]>,
    /// Left and top edge of the crop.
    pub crop: Option<[u32; 2]>,
    /// Where it goes at the other resolutions, if the dataset has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<PlaceLine>,
}

/// Where a trainer puts a sample.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PlaceLine {
    /// Width and height of the bucket.
    pub bucket: [u32; 2],
    /// Width and height after resizing.
    pub resized: [u32; 2],
    /// Left and top edge of the crop.
    pub crop: [u32; 2],
}

/// The run in numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SummaryLine {
    /// Samples.
    pub samples: u64,
    /// Samples that a trainer that loads with Pillow can train on.
    pub usable: u64,
    /// Samples that have a caption file.
    pub captioned: u64,
    /// Bytes of all images.
    pub bytes: u64,
    /// Pixels of the usable images.
    pub pixels: u64,
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub infos: u64,
    /// Hash over paths and contents of images and captions in order; the same for the same dataset wherever its root is,
    /// whatever the dates.
    pub fingerprint: String,
    /// Whether part of the dataset was not looked at.
    pub interrupted: bool,
}

/// The JSON Schema of one line.
#[must_use]
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Line).to_value();
    schema["title"] = SCHEMA.into();
    schema
}

impl HeaderLine {
    /// The first line of a run.
    #[must_use]
    pub fn new(tool: &str, inventory: &Inventory, profile: &Profile) -> Self {
        Self {
            schema: SCHEMA,
            tool: tool.to_owned(),
            roots: inventory.roots.iter().map(|root| root.typed.clone()).collect(),
            trainer: profile.trainer,
            settings: SettingsLine::new(profile),
        }
    }
}

impl SettingsLine {
    /// The settings of a profile.
    #[must_use]
    pub fn new(profile: &Profile) -> Self {
        Self {
            caption_extension: profile.caption_extension.clone(),
            resolution: [profile.resolution.width, profile.resolution.height],
            max_tokens: profile.max_tokens,
        }
    }
}

impl SampleLine {
    /// The line of a sample; the caption's text only on request.
    #[must_use]
    pub fn new(report: &SampleReport, caption_text: bool) -> Self {
        let facts = &report.facts;
        let probe = facts.probe.as_ref().ok();
        let oriented = probe.map(Probe::oriented_size);
        Self {
            path: facts.sample.path.as_str().to_owned(),
            bytes: facts.sample.size_bytes,
            blake3: facts.content.map(|hash| hash.to_string()),
            sha256: facts.sha256.map(|hash| ContentHash(hash).to_string()),
            modified: facts.sample.modified.and_then(date),
            format: probe.map(|probe| probe.format.name()),
            mode: probe.and_then(|probe| probe.mode).map(Mode::name),
            bit_depth: probe.map(|probe| probe.bit_depth).filter(|&depth| depth > 0),
            width: probe.map(|probe| probe.size.width),
            height: probe.map(|probe| probe.size.height),
            orientation: probe.and_then(|probe| probe.orientation).map(Orientation::value),
            oriented_width: oriented.map(|size| size.width),
            oriented_height: oriented.map(|size| size.height),
            frames: probe.map(|probe| probe.frames),
            icc: probe.map(|probe| probe.icc),
            alpha: probe.map(|probe| probe.transparency),
            decode: DecodeLine::new(&facts.decoded, facts.testimony.as_ref()),
            pixels: facts.decoded.pixels.as_ref().map(PixelsLine::new),
            caption: CaptionLine::new(&facts.caption, caption_text),
            placements: placements(&report.fates),
            findings: report.findings.iter().map(|finding| finding.code.0).collect(),
        }
    }
}

/// What each trainer does with a sample; of several datasets of one trainer, what the first does that takes it.
fn placements(fates: &[TrainerFate]) -> BTreeMap<String, PlacementLine> {
    let mut lines = BTreeMap::new();
    let (taken, passed_over): (Vec<_>, Vec<_>) = fates.iter().partition(|fate| fate.fate.is_trained());
    for TrainerFate { trainer, fate, .. } in taken.into_iter().chain(passed_over) {
        lines.entry((*trainer).to_owned()).or_insert_with(|| PlacementLine::new(fate));
    }
    lines
}

impl PlacementLine {
    fn new(fate: &Fate) -> Self {
        let mut places = fate.placements.iter().map(PlaceLine::new);
        let first = places.next();
        Self {
            outcome: fate.consequence.outcome.name(),
            phase: fate.consequence.phase.name(),
            bucket: first.map(|place| place.bucket),
            resized: first.map(|place| place.resized),
            crop: first.map(|place| place.crop),
            others: places.collect(),
        }
    }
}

impl PlaceLine {
    fn new(placement: &Placement) -> Self {
        let sides = |size: Size| [size.width, size.height];
        Self { bucket: sides(placement.bucket), resized: sides(placement.resized), crop: placement.crop }
    }
}

/// A date as RFC 3339 in UTC, if it lies in the years 1970 to 9999: file systems hold others, which are mistakes there.
fn date(time: SystemTime) -> Option<String> {
    /// Seconds from 1970 to the end of 9999.
    const END: u64 = 253_402_300_800;
    let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    (since_1970.as_secs() < END).then(|| humantime::format_rfc3339(time).to_string())
}

impl DecodeLine {
    fn new(decoded: &Decoded, testimony: Option<&Testimony>) -> Self {
        let lost = match decoded.strict {
            Strict::Damaged { lost, .. } => lost,
            Strict::Error(ref fault) => (fault.kind.blame() == Blame::File).then_some(1.0),
            Strict::Whole | Strict::Unknown(_) => None,
        };
        Self {
            pillow: decoded.pillow.name(),
            pillow_error: decoded.pillow.refusal().map(ToString::to_string),
            pillow_lenient: decoded.pillow_lenient.name(),
            opencv: decoded.opencv.name(),
            strict: decoded.strict.name(),
            lost,
            fault: decoded.strict.fault().map(FaultLine::new),
            witness: testimony.map(WitnessLine::new),
        }
    }
}

impl WitnessLine {
    fn new(testimony: &Testimony) -> Self {
        Self {
            pillow: testimony.pillow.name(),
            pillow_error: testimony.pillow.refusal().map(ToString::to_string),
            pillow_lenient: testimony.pillow_lenient.name(),
            opencv: testimony.opencv.name(),
            ended: testimony.ended.as_ref().map(|ended| ended.loader.library()),
        }
    }
}

impl FaultLine {
    fn new(fault: &Fault) -> Self {
        Self { kind: fault.kind.name(), offset: fault.offset, detail: fault.detail.clone() }
    }
}

impl PixelsLine {
    fn new(pixels: &PixelFacts) -> Self {
        Self {
            mean: (f64::from(pixels.mean) * 100.0).round() / 100.0,
            blank: pixels.blank,
            phash: format!("{:016x}", pixels.phash),
            transparent: pixels.alpha.map(transparent_share),
        }
    }
}

fn transparent_share(alpha: AlphaFacts) -> f64 {
    (f64::from(alpha.transparent + alpha.partial) * 10_000.0).round() / 10_000.0
}

impl CaptionLine {
    fn new(facts: &CaptionFacts, with_text: bool) -> Option<Self> {
        match facts {
            CaptionFacts::Missing => None,
            CaptionFacts::Unreadable(path, _) => Some(Self {
                path: path.as_str().to_owned(),
                bytes: None,
                blake3: None,
                encoding: None,
                chars: None,
                clip_tokens: None,
                text: None,
            }),
            CaptionFacts::Read(caption) => Some(Self::read(caption, with_text)),
        }
    }

    fn read(caption: &Caption, with_text: bool) -> Self {
        Self {
            path: caption.path.as_str().to_owned(),
            bytes: Some(caption.size_bytes),
            blake3: Some(caption.content.to_string()),
            encoding: Some(caption.encoding.name()),
            chars: Some(caption.chars),
            clip_tokens: caption.clip_tokens,
            text: caption.text.clone().filter(|_| with_text),
        }
    }
}

impl SummaryLine {
    /// The last line of a run.
    #[must_use]
    pub fn new(summary: &Summary) -> Self {
        Self {
            samples: summary.samples,
            usable: summary.usable,
            captioned: summary.captioned,
            bytes: summary.bytes,
            pixels: summary.pixels,
            errors: summary.findings.error,
            warnings: summary.findings.warning,
            infos: summary.findings.info,
            fingerprint: summary.fingerprint.clone(),
            interrupted: summary.interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::date;

    #[test]
    fn dates_outside_of_the_calendar_are_left_out() {
        let epoch = SystemTime::UNIX_EPOCH;
        assert_eq!(date(epoch).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(date(epoch + Duration::from_secs(253_402_300_799)).as_deref(), Some("9999-12-31T23:59:59Z"));
        assert_eq!(date(epoch + Duration::from_secs(253_402_300_800)), None);
        assert_eq!(date(epoch - Duration::from_secs(1)), None);
    }
}
