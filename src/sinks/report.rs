//! The types of `walkaround.report/1`. A change of what stands here is a new version of the format.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Header, TOOL};
use crate::model::{Confirmed, Consequence, Finding, Outcome, Phase, RelPath, Summary, Witness};

/// The schema id.
pub(super) const SCHEMA: &str = "walkaround.report/1";

/// The report of one run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ReportObject {
    /// `walkaround.report/1`.
    pub(super) schema: &'static str,
    /// Program and version.
    pub(super) tool: &'static str,
    /// What was looked at, and how.
    pub(super) settings: SettingsObject,
    /// The run in numbers.
    pub(super) summary: SummaryObject,
    /// Findings: those of single samples in the order of their paths, then those of the whole dataset.
    pub(super) findings: Vec<FindingObject>,
}

/// What was looked at, and how.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct SettingsObject {
    /// What was given, as typed; paths are relative to it.
    pub(super) roots: Vec<String>,
    /// Name of the trainer's profile.
    pub(super) trainer: &'static str,
    /// Extension of captions, with its dot.
    pub(super) caption_extension: String,
    /// Width and height of training.
    pub(super) resolution: [u32; 2],
    /// Tokens that a caption may have.
    pub(super) max_tokens: Option<u64>,
    /// Who was asked to confirm what was found; left out if nobody was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) witness: Option<WitnessObject>,
}

/// The interpreter that loads images as the trainer does, and its libraries.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct WitnessObject {
    /// The interpreter, as it was named.
    pub(super) interpreter: String,
    /// Version of Python.
    pub(super) python: String,
    /// Version of Pillow.
    pub(super) pillow: String,
    /// Version of OpenCV; null if it is not installed there.
    pub(super) opencv: Option<String>,
}

/// What the witness confirmed, in numbers of samples.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ConfirmedObject {
    /// The witness was asked about.
    pub(super) asked: u64,
    /// The witness contradicts what was worked out here.
    pub(super) contradicted: u64,
    /// The witness decided, since nothing was known here.
    pub(super) decided: u64,
    /// They ended a worker process.
    pub(super) ended: u64,
}

/// The run in numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct SummaryObject {
    /// Whether nothing stands against training: no errors.
    pub(super) go: bool,
    /// Samples: images by name or by content.
    pub(super) samples: u64,
    /// Samples that a trainer that loads with Pillow can train on.
    pub(super) usable: u64,
    /// Samples that have a caption file.
    pub(super) captioned: u64,
    /// Bytes of all images.
    pub(super) bytes: u64,
    /// Pixels of the usable images.
    pub(super) pixels: u64,
    /// Errors.
    pub(super) errors: u64,
    /// Warnings.
    pub(super) warnings: u64,
    /// Notes.
    pub(super) infos: u64,
    /// Findings that were silenced by the settings.
    pub(super) ignored: u64,
    /// Hash over paths and contents in order.
    pub(super) fingerprint: String,
    /// What the witness confirmed; left out if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) confirmed: Option<ConfirmedObject>,
    /// Whether part of the dataset was not looked at.
    pub(super) interrupted: bool,
}

/// One hit of a check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct FindingObject {
    /// The check's code, such as `I101`.
    pub(super) code: &'static str,
    /// The check's name.
    pub(super) name: &'static str,
    /// `error`, `warning` or `info`.
    pub(super) level: &'static str,
    /// Files concerned, relative to the root.
    pub(super) paths: Vec<String>,
    /// What was seen and the limit it broke.
    pub(super) message: String,
    /// The same as values; the keys depend on the check.
    pub(super) evidence: BTreeMap<&'static str, Value>,
    /// What it means, by trainer.
    pub(super) consequences: BTreeMap<&'static str, ConsequenceObject>,
    /// What to do.
    pub(super) help: String,
}

/// What a finding means for one trainer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ConsequenceObject {
    /// What the trainer does: `train`, `distort`, `skip`, `replace` or `stop`.
    pub(super) outcome: &'static str,
    /// When: `dataset-scan`, `caching` or `training`.
    pub(super) phase: &'static str,
    /// In words.
    pub(super) text: String,
}

/// The JSON Schema of the report object; `#/$defs/FindingObject` is that of a line of `--format jsonl`.
#[must_use]
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(ReportObject).to_value();
    schema["title"] = SCHEMA.into();
    schema
}

impl ReportObject {
    pub(super) fn new(settings: SettingsObject, summary: &Summary, findings: Vec<FindingObject>) -> Self {
        Self { schema: SCHEMA, tool: TOOL, settings, summary: SummaryObject::new(summary), findings }
    }
}

impl SettingsObject {
    pub(super) fn new(header: &Header<'_>) -> Self {
        let profile = header.profile;
        Self {
            roots: header.inventory.roots.iter().map(|root| root.typed.clone()).collect(),
            trainer: profile.trainer,
            caption_extension: profile.caption_extension.clone(),
            resolution: [profile.resolution.width, profile.resolution.height],
            max_tokens: profile.max_tokens,
            witness: header.witness.map(WitnessObject::new),
        }
    }
}

impl SummaryObject {
    fn new(summary: &Summary) -> Self {
        Self {
            go: summary.findings.error == 0 && !summary.interrupted,
            samples: summary.samples,
            usable: summary.usable,
            captioned: summary.captioned,
            bytes: summary.bytes,
            pixels: summary.pixels,
            errors: summary.findings.error,
            warnings: summary.findings.warning,
            infos: summary.findings.info,
            ignored: summary.ignored,
            fingerprint: summary.fingerprint.clone(),
            confirmed: summary.confirmed.map(ConfirmedObject::new),
            interrupted: summary.interrupted,
        }
    }
}

impl WitnessObject {
    fn new(witness: &Witness) -> Self {
        Self {
            interpreter: witness.interpreter.clone(),
            python: witness.python.clone(),
            pillow: witness.pillow.clone(),
            opencv: witness.opencv.clone(),
        }
    }
}

impl ConfirmedObject {
    fn new(Confirmed { asked, contradicted, decided, ended }: Confirmed) -> Self {
        Self { asked, contradicted, decided, ended }
    }
}

impl FindingObject {
    pub(super) fn new(finding: &Finding) -> Self {
        Self {
            code: finding.code.0,
            name: finding.name,
            level: finding.level.name(),
            paths: finding.paths.iter().map(RelPath::as_str).map(str::to_owned).collect(),
            message: finding.message.clone(),
            evidence: finding.evidence.clone(),
            consequences: finding
                .consequences
                .iter()
                .map(|(&trainer, consequence)| (trainer, ConsequenceObject::new(consequence)))
                .collect(),
            help: finding.help.clone(),
        }
    }
}

impl ConsequenceObject {
    fn new(consequence: &Consequence) -> Self {
        Self {
            outcome: match consequence.outcome {
                Outcome::Train => "train",
                Outcome::Distort => "distort",
                Outcome::Skip => "skip",
                Outcome::Replace => "replace",
                Outcome::Stop => "stop",
            },
            phase: match consequence.phase {
                Phase::DatasetScan => "dataset-scan",
                Phase::Caching => "caching",
                Phase::Training => "training",
            },
            text: consequence.text.clone(),
        }
    }
}
