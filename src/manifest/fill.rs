//! Fills the manifest's lines with what rooms work with.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::SCHEMA;
use super::line::{
    CaptionLine, DecodeLine, FaultLine, HeaderLine, PixelsLine, PlaceLine, PlacementLine, SampleLine, SettingsLine, SummaryLine, WalkLine,
    WitnessLine,
};
use crate::model::{
    AlphaFacts, Blame, Caption, CaptionFacts, ContentHash, Decoded, Fate, Fault, Inventory, Orientation, PixelFacts, Placement, Probe,
    Profile, SampleReport, Size, Strict, Summary, Testimony, TrainerFate,
};

impl HeaderLine {
    /// The first line of a run.
    #[must_use]
    pub fn new(tool: &str, inventory: &Inventory, profile: &Profile, walk: WalkLine) -> Self {
        Self {
            schema: SCHEMA.into(),
            tool: tool.to_owned(),
            roots: inventory.roots.iter().map(|root| root.typed.clone()).collect(),
            trainer: profile.trainer.into(),
            settings: SettingsLine::new(profile),
            walk: Some(walk),
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
            format: probe.map(|probe| probe.format.name().into()),
            mode: probe.and_then(|probe| probe.mode).map(|mode| mode.name().into()),
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
            caption: CaptionLine::new(&facts.caption, facts.sample.caption.as_ref().and_then(|file| file.modified), caption_text),
            placements: placements(&report.fates),
            findings: report.findings.iter().map(|finding| finding.code.0.into()).collect(),
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
            outcome: fate.consequence.outcome.name().into(),
            phase: fate.consequence.phase.name().into(),
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

/// A date as the manifest spells it, RFC 3339 in UTC, if it lies in the years 1970 to 9999: file systems hold others, which are mistakes there.
#[must_use]
pub fn date(time: SystemTime) -> Option<String> {
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
            pillow: decoded.pillow.name().into(),
            pillow_error: decoded.pillow.refusal().map(ToString::to_string),
            pillow_lenient: decoded.pillow_lenient.name().into(),
            opencv: decoded.opencv.name().into(),
            strict: decoded.strict.name().into(),
            lost,
            fault: decoded.strict.fault().map(FaultLine::new),
            witness: testimony.map(WitnessLine::new),
        }
    }
}

impl WitnessLine {
    fn new(testimony: &Testimony) -> Self {
        Self {
            pillow: testimony.pillow.name().into(),
            pillow_error: testimony.pillow.refusal().map(ToString::to_string),
            pillow_lenient: testimony.pillow_lenient.name().into(),
            opencv: testimony.opencv.name().into(),
            ended: testimony.ended.as_ref().map(|ended| ended.loader.library().into()),
        }
    }
}

impl FaultLine {
    fn new(fault: &Fault) -> Self {
        Self { kind: fault.kind.name().into(), offset: fault.offset, detail: fault.detail.clone() }
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
    /// The caption of a sample, and when its file was changed; the text only on request.
    #[must_use]
    pub fn new(facts: &CaptionFacts, modified: Option<SystemTime>, with_text: bool) -> Option<Self> {
        let modified = modified.and_then(date);
        match facts {
            CaptionFacts::Missing => None,
            CaptionFacts::Unreadable(path, _) => Some(Self {
                path: path.as_str().to_owned(),
                bytes: None,
                blake3: None,
                modified,
                encoding: None,
                chars: None,
                clip_tokens: None,
                text: None,
            }),
            CaptionFacts::Read(caption) => Some(Self::read(caption, modified, with_text)),
        }
    }

    fn read(caption: &Caption, modified: Option<String>, with_text: bool) -> Self {
        Self {
            path: caption.path.as_str().to_owned(),
            bytes: Some(caption.size_bytes),
            blake3: Some(caption.content.to_string()),
            modified,
            encoding: Some(caption.encoding.name().into()),
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
