//! The lines of `walkaround.manifest/1`, as they are written and read. A change of what stands here is a new version of the
//! format, but for fields that may be left out: those may be added.
//!
//! Unknown fields are refused: a reader that passed over them would call two samples the same that differ there.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SCHEMA;

/// A word out of a fixed list when it is written, any word when it is read.
pub type Word = Cow<'static, str>;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct HeaderLine {
    /// `walkaround.manifest/1`.
    pub schema: Word,
    /// Program and version.
    pub tool: String,
    /// What was given, as typed; paths of samples are relative to it.
    pub roots: Vec<String>,
    /// Name of the trainer's profile.
    pub trainer: Word,
    /// Settings that change what is written.
    pub settings: SettingsLine,
    /// How the roots were walked; left out by the first versions of the program, which means the defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub walk: Option<WalkLine>,
}

/// How the roots were walked: what it takes to walk them again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct WalkLine {
    /// Everything that was given, in the form of a sample's path: `roots` names a folder once of which many files were given.
    pub inputs: Vec<InputLine>,
    /// Whether links below a root were followed.
    pub follow_links: bool,
    /// Whether hidden images were taken for samples.
    pub hidden: bool,
}

/// One thing that was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct InputLine {
    /// As it was typed, in the form of a sample's path; of a list, its name.
    pub path: String,
    /// Whether it is a list of files.
    pub list: bool,
}

/// Settings that change what is reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct SettingsLine {
    /// Extension of captions, with its dot.
    pub caption_extension: String,
    /// Width and height of training.
    pub resolution: [u32; 2],
    /// CLIP tokens that a caption may have; null where the trainer's text encoder is another one.
    pub max_tokens: Option<u64>,
}

/// One sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
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
    pub format: Option<Word>,
    /// Mode as Pillow opens it.
    pub mode: Option<Word>,
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
    pub findings: Vec<Word>,
}

/// What decoders do with an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct DecodeLine {
    /// Pillow: `ok`, `error` or `unknown`.
    pub pillow: Word,
    /// Exception and message of Pillow.
    pub pillow_error: Option<String>,
    /// Pillow with `LOAD_TRUNCATED_IMAGES`, which some programs set: `ok` (it may then be part of a picture), `error` or
    /// `unknown`.
    pub pillow_lenient: Word,
    /// OpenCV: `ok`, `error` or `unknown`.
    pub opencv: Word,
    /// Reading by the format's rules: `ok`, `damaged`, `error` or `unknown`.
    pub strict: Word,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct WitnessLine {
    /// Pillow: `ok`, `error` or `unknown`.
    pub pillow: Word,
    /// Exception and message of Pillow.
    pub pillow_error: Option<String>,
    /// Pillow with `LOAD_TRUNCATED_IMAGES`: `ok`, `error` or `unknown`.
    pub pillow_lenient: Word,
    /// OpenCV: `ok`, `error`, or `unknown` where it is not installed.
    pub opencv: Word,
    /// The library that the image killed, hung or starved, if it did: `Pillow` or `OpenCV`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Word>,
}

/// Why a stage failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct FaultLine {
    /// Kind, in kebab case.
    pub kind: Word,
    /// Offset in bytes from the start of the file.
    pub offset: Option<u64>,
    /// In words.
    pub detail: String,
}

/// Facts from pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct CaptionLine {
    /// Path relative to the root.
    pub path: String,
    /// Size of the file; null if it could not be read.
    pub bytes: Option<u64>,
    /// BLAKE3 of the file.
    pub blake3: Option<String>,
    /// When the file was changed, as of the image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// Encoding, as found or guessed; `binary` for no text.
    pub encoding: Option<Word>,
    /// Characters.
    pub chars: Option<u64>,
    /// Tokens of the CLIP text encoder, without its two special tokens.
    pub clip_tokens: Option<u64>,
    /// The text, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What a trainer does with a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct PlacementLine {
    /// `train`, `distort` (otherwise than it looks), `skip`, `replace` or `stop`.
    pub outcome: Word,
    /// When: `dataset-scan`, `caching` or `training`.
    pub phase: Word,
    /// Width and height of the bucket.
    pub bucket: Option<[u32; 2]>,
    /// Width and height after resizing.
    pub resized: Option<[u32; 2]>,
    /// Left and top edge of the crop.
    pub crop: Option<[u32; 2]>,
    /// Where it goes at the other resolutions, if the dataset has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<PlaceLine>,
}

/// Where a trainer puts a sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct PlaceLine {
    /// Width and height of the bucket.
    pub bucket: [u32; 2],
    /// Width and height after resizing.
    pub resized: [u32; 2],
    /// Left and top edge of the crop.
    pub crop: [u32; 2],
}

/// The run in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
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
