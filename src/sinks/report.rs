//! The types of `walkaround.report/1`. A change of what stands here is a new version of the format.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Header, TOOL};
use crate::model::{Confirmed, Consequence, Finding, Outlook, RelPath, SilentAct, Summary, Witness};

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
    /// What each trainer does with all samples: the one that was chosen, with its settings, or every known one at its own defaults.
    pub(super) trainers: Vec<OutlookObject>,
    /// Whether part of the dataset was not looked at.
    pub(super) interrupted: bool,
}

/// What one trainer does with all samples of one dataset.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct OutlookObject {
    /// The trainer.
    pub(super) trainer: &'static str,
    /// The state of its source whose rules were applied.
    pub(super) version: &'static str,
    /// The dataset's folder, as paths begin; empty for a single one.
    pub(super) folder: String,
    /// Samples that are trained on as they are.
    pub(super) train: u64,
    /// Samples that are trained on otherwise than they look.
    pub(super) distort: u64,
    /// Samples that are left out.
    pub(super) skip: u64,
    /// Samples in whose place another one is trained on.
    pub(super) replace: u64,
    /// Samples that stop the run.
    pub(super) stop: u64,
    /// What happens without a word.
    pub(super) silent: Vec<SilentObject>,
}

/// Something that a trainer does without a word.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct SilentObject {
    /// What it does, as the end of a sentence about the samples.
    pub(super) what: &'static str,
    /// Samples that it concerns.
    pub(super) samples: u64,
    /// The first of them.
    pub(super) example: String,
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
            trainers: summary.outlooks.iter().map(OutlookObject::new).collect(),
            interrupted: summary.interrupted,
        }
    }
}

impl OutlookObject {
    fn new(outlook: &Outlook) -> Self {
        Self {
            trainer: outlook.trainer,
            version: outlook.version,
            folder: outlook.folder.clone(),
            train: outlook.train,
            distort: outlook.distort,
            skip: outlook.skip,
            replace: outlook.replace,
            stop: outlook.stop,
            silent: outlook.silent.iter().map(SilentObject::new).collect(),
        }
    }
}

impl SilentObject {
    fn new(act: &SilentAct) -> Self {
        Self { what: act.what.words().1, samples: act.samples, example: act.example.as_str().to_owned() }
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
        Self { outcome: consequence.outcome.name(), phase: consequence.phase.name(), text: consequence.text.clone() }
    }
}
