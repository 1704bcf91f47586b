//! The one cause that keeps a sample from being trained on, chosen from all that the stages say about the file.
//!
//! Several checks explain broken files, and a user wants one explanation for each file: they all ask here whose turn it is.
//! What a finding says is the checks' business.

use super::words::{percent, rounded};
use crate::model::{
    Condition, Decoded, Fault, FaultKind, Finding, Format, Level, MAX_PIXELS, NamedAs, Phase, Probe, Refusal, SampleFacts, Stage, Strict,
    Verdict,
};

/// What keeps a sample from being trained on, by the check that explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// There are no bytes to judge: unreadable or empty files, which family F explains.
    NoBytes,
    /// F107: the content is something else than an image.
    NotAnImage,
    /// I101: the data ends too early.
    Truncated,
    /// I102: the data is wrong.
    Corrupt,
    /// I104: there is no decoder for it, in Pillow or here.
    Unsupported,
    /// I105: more pixels than Pillow accepts.
    TooManyPixels,
    /// I106: an ancillary block that Pillow does not accept.
    MetadataTooLarge,
    /// I121: a limit of this run, or a panic of a library, left it undecided.
    Undecided,
}

/// A cause and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Obstacle<'a> {
    /// The cause.
    pub(super) cause: Cause,
    /// The first thing that is wrong with the file, where a stage found it.
    pub(super) fault: Option<&'a Fault>,
    /// How Pillow refuses it, where that is known.
    pub(super) refusal: Option<&'a Refusal>,
    /// Share of the picture that is lost, 0 to 1, where it can be told.
    pub(super) lost: Option<f32>,
    /// What Pillow does with it where a trainer sets `LOAD_TRUNCATED_IMAGES`.
    pub(super) lenient: &'a Verdict,
    /// Whether Pillow refuses it for certain; if not, the trainer may load it all the same.
    pub(super) is_certain: bool,
}

impl<'a> Obstacle<'a> {
    /// What keeps this sample from being trained on, if anything does.
    pub(super) fn of(facts: &'a SampleFacts) -> Option<Self> {
        let decoded = &facts.decoded;
        let refusal = decoded.pillow.refusal();
        let lost = match &decoded.strict {
            Strict::Damaged { lost, .. } => *lost,
            Strict::Whole | Strict::Error(_) | Strict::Unknown(_) => None,
        };
        let lenient = &decoded.pillow_lenient;
        match &facts.probe {
            Err(fault) => {
                let cause = cause_without_header(facts.sample.named_as, fault);
                // Pillow looks at other things than the probe, and may take it.
                let is_certain = cause != Cause::Undecided && decoded.pillow != Verdict::Ok;
                Some(Self { cause, fault: Some(fault), refusal, lost, lenient, is_certain })
            }
            Ok(probe) => {
                if let Some(refusal) = refusal.filter(|_| facts.testimony.as_ref().is_some_and(|testimony| testimony.decides_pillow)) {
                    // Nothing here knows why, so what the trainer's own Pillow says is all there is.
                    let cause = cause_of_refusal(refusal);
                    return Some(Self { cause, fault: None, refusal: Some(refusal), lost, lenient, is_certain: true });
                }
                let cause = cause_behind_header(probe, decoded)?;
                // That our own reading was stopped explains nothing where Pillow's answer is known.
                let explains = |fault: &&Fault| cause == Cause::Undecided || cause_of(fault.kind) != Cause::Undecided;
                let is_certain = refusal.is_some() || cause == Cause::TooManyPixels || !pillow_knows(probe.format);
                Some(Self { cause, fault: decoded.strict.fault().filter(explains), refusal, lost, lenient, is_certain })
            }
        }
    }

    /// The same, if it is this cause.
    pub(super) fn caused_by(facts: &'a SampleFacts, cause: Cause) -> Option<Self> {
        Self::of(facts).filter(|obstacle| obstacle.cause == cause)
    }

    /// What is wrong, in words: the fault with its place, or else what Pillow says.
    pub(super) fn reason(&self) -> String {
        match (self.fault, self.refusal) {
            (Some(fault), _) => fault.to_string(),
            (None, Some(refusal)) => refusal.message.clone(),
            (None, None) => "the reason is not known".to_owned(),
        }
    }

    /// How much is lost, as the end of a message; empty where nothing is, or where it cannot be told.
    pub(super) fn loss(&self) -> String {
        match self.lost {
            Some(lost) if lost > 0.0 => format!("; {} of the picture is lost", percent(lost)),
            Some(_) | None => String::new(),
        }
    }

    /// What a trainer gets that sets `LOAD_TRUNCATED_IMAGES`, as the end of a sentence about one that does not.
    pub(super) fn with_truncated_images(&self) -> &'static str {
        match self.lenient {
            Verdict::Ok => "; with LOAD_TRUNCATED_IMAGES it is trained on, gray or smeared where it is lost",
            Verdict::Error(_) | Verdict::Unknown => "",
        }
    }

    /// Level of a finding that says so: an error only where it is certain.
    pub(super) fn level(&self) -> Level {
        if self.is_certain { Level::Error } else { Level::Warning }
    }

    /// What it is to a trainer, where it is certain.
    fn condition(&self) -> Option<Condition> {
        let condition = match self.refusal {
            Some(Refusal { stage: Stage::Load, .. }) => Condition::RefusedAtLoad,
            Some(Refusal { stage: Stage::Open, .. }) | None => Condition::RefusedAtOpen,
        };
        self.is_certain.then_some(condition)
    }

    /// When a trainer meets it: headers are read while files are listed, pixels when latents are cached.
    pub(super) fn phase(&self) -> Phase {
        match self.refusal {
            Some(Refusal { stage: Stage::Load, .. }) => Phase::Caching,
            Some(Refusal { stage: Stage::Open, .. }) | None => Phase::DatasetScan,
        }
    }
}

impl Finding {
    /// Adds what is known of an obstacle: kind and place of the fault, the share that is lost, what Pillow raises, and whether that belongs to
    /// `OSError`'s family, since sd-scripts prints the file's name only for those.
    pub(super) fn because(&mut self, obstacle: &Obstacle<'_>) -> &mut Self {
        self.condition = obstacle.condition();
        if let Some(fault) = obstacle.fault {
            self.evidence("fault", fault.kind.name()).evidence("offset", fault.offset);
        }
        if let Some(lost) = obstacle.lost {
            self.evidence("lost", rounded(lost, 4));
        }
        self.evidence("pillow_lenient", obstacle.lenient.name());
        if let Some(refusal) = obstacle.refusal {
            self.evidence("pillow", refusal.to_string()).evidence("os_error", refusal.is_os_error());
        }
        self
    }
}

/// Header of a sample from which a trainer that loads with Pillow gets a picture, as far as is known; what is wrong with the
/// picture matters for these only.
pub(super) fn loadable(facts: &SampleFacts) -> Option<&Probe> {
    let probe = facts.probe.as_ref().ok()?;
    let is_lost = Obstacle::of(facts).is_some_and(|obstacle| obstacle.is_certain);
    (!is_lost).then_some(probe)
}

/// Whether Pillow 13 as installed by pip opens the format: its wheels hold libavif (since 11.3) and `OpenJPEG`, and neither
/// libheif nor libjxl.
pub(super) fn pillow_knows(format: Format) -> bool {
    !matches!(format, Format::Heic | Format::JpegXl | Format::Svg)
}

/// A broken header of a format that Pillow does not load is not what keeps the file out.
fn cause_without_header(named_as: NamedAs, fault: &Fault) -> Cause {
    let is_broken = matches!(fault.kind, FaultKind::Truncated | FaultKind::BadHeader);
    match named_as {
        NamedAs::Image(format) if is_broken && !pillow_knows(format) => Cause::Unsupported,
        NamedAs::Image(_) | NamedAs::Unknown => cause_of(fault.kind),
    }
}

fn cause_behind_header(probe: &Probe, decoded: &Decoded) -> Option<Cause> {
    let refusal = decoded.pillow.refusal();
    // A plug-in may be installed where the witness looked.
    if !pillow_knows(probe.format) && decoded.pillow != Verdict::Ok {
        return Some(Cause::Unsupported);
    }
    // Pillow counts pixels before it looks at any data, so a picture that is too large may be damaged as well.
    let is_too_large = match &decoded.pillow {
        Verdict::Ok => false,
        Verdict::Error(refusal) => refusal.class == "DecompressionBombError",
        Verdict::Unknown => probe.size.pixels() > MAX_PIXELS,
    };
    if is_too_large {
        return Some(Cause::TooManyPixels);
    }
    if refusal.is_some_and(is_about_metadata) {
        return Some(Cause::MetadataTooLarge);
    }
    match (&decoded.pillow, &decoded.strict) {
        (Verdict::Ok, _) | (Verdict::Unknown, Strict::Whole | Strict::Damaged { .. }) => None,
        (Verdict::Error(_), Strict::Whole) => Some(Cause::Unsupported),
        (Verdict::Error(_), Strict::Unknown(fault)) if cause_of(fault.kind) == Cause::Undecided => Some(Cause::Corrupt),
        (Verdict::Error(_), Strict::Damaged { fault, .. } | Strict::Error(fault) | Strict::Unknown(fault))
        | (Verdict::Unknown, Strict::Error(fault) | Strict::Unknown(fault)) => Some(cause_of(fault.kind)),
    }
}

/// Whether Pillow refuses a text or ICC chunk for its size (Pillow 13, `PngImagePlugin.py`, `_safe_zlib_decompress` and
/// `check_text_memory`), which leaves the pixels out of it.
fn is_about_metadata(refusal: &Refusal) -> bool {
    refusal.class == "ValueError" && refusal.message.contains("MAX_TEXT")
}

/// The cause by what Pillow raises, where the file could not be judged here.
fn cause_of_refusal(refusal: &Refusal) -> Cause {
    match refusal.class.as_ref() {
        "UnidentifiedImageError" => Cause::Unsupported,
        "DecompressionBombError" => Cause::TooManyPixels,
        _ if is_about_metadata(refusal) => Cause::MetadataTooLarge,
        _ => Cause::Corrupt,
    }
}

fn cause_of(kind: FaultKind) -> Cause {
    match kind {
        FaultKind::Unreadable | FaultKind::Empty => Cause::NoBytes,
        FaultKind::NotAnImage => Cause::NotAnImage,
        FaultKind::Truncated => Cause::Truncated,
        FaultKind::BadHeader | FaultKind::Corrupt => Cause::Corrupt,
        FaultKind::MetadataTooLarge => Cause::MetadataTooLarge,
        FaultKind::TooManyPixels => Cause::TooManyPixels,
        FaultKind::NoDecoder => Cause::Unsupported,
        FaultKind::OverBudget | FaultKind::TimedOut | FaultKind::Panic => Cause::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::Size;

    /// Codes of all checks that explain a broken file and fire on these facts.
    fn explanations(facts: &SampleFacts) -> Vec<&'static str> {
        const EXPLAIN: [&str; 7] = ["F107", "I101", "I102", "I104", "I105", "I106", "I121"];
        crate::checks::ALL
            .iter()
            .filter(|check| EXPLAIN.contains(&check.code.0))
            .filter(|check| !findings_of(check, facts).is_empty())
            .map(|check| check.code.0)
            .collect()
    }

    #[test]
    fn every_header_fault_has_one_explanation() {
        let cases = [
            (FaultKind::NotAnImage, "F107"),
            (FaultKind::BadHeader, "I102"),
            (FaultKind::Truncated, "I101"),
            (FaultKind::TooManyPixels, "I105"),
            (FaultKind::MetadataTooLarge, "I106"),
            (FaultKind::NoDecoder, "I104"),
            (FaultKind::Panic, "I121"),
        ];
        for (kind, code) in cases {
            let mut facts = healthy("a.png");
            facts.probe = Err(Fault::new(kind, "it is broken"));
            facts.decoded = Decoded::undecided(Fault::new(kind, "it is broken"));
            assert_eq!(explanations(&facts), [code], "{kind:?}");
        }
    }

    #[test]
    fn every_refusal_has_one_explanation_whatever_the_strict_reading_says() {
        let fault = |kind| Fault::new(kind, "it is broken");
        let cases = [
            (Strict::Whole, "I104"),
            (Strict::Damaged { fault: fault(FaultKind::Truncated), lost: None }, "I101"),
            (Strict::Error(fault(FaultKind::Truncated)), "I101"),
            (Strict::Damaged { fault: fault(FaultKind::Corrupt), lost: None }, "I102"),
            (Strict::Error(fault(FaultKind::BadHeader)), "I102"),
            (Strict::Unknown(fault(FaultKind::NoDecoder)), "I104"),
            (Strict::Unknown(fault(FaultKind::OverBudget)), "I102"),
            (Strict::Error(fault(FaultKind::MetadataTooLarge)), "I106"),
        ];
        for (strict, code) in cases {
            let mut facts = healthy("a.png");
            facts.decoded.pillow = Verdict::refuses_load("OSError", "broken data stream when reading image file");
            facts.decoded.strict = strict;
            assert_eq!(explanations(&facts), [code], "{:?}", facts.decoded.strict);
        }
    }

    #[test]
    fn too_many_pixels_comes_before_what_pillow_never_gets_to_see() {
        let mut facts = healthy("a.png");
        facts.probe_mut().size = Size::new(20_000, 19_438);
        facts.decoded.pillow = Verdict::refuses_open("DecompressionBombError", "388760000 > 178956970");
        facts.decoded.strict = Strict::Error(Fault::new(FaultKind::Truncated, "the data ends in row 0"));
        assert_eq!(explanations(&facts), ["I105"]);
    }

    #[test]
    fn a_header_that_pillow_refuses_comes_before_its_size() {
        let mut facts = healthy("a.png");
        facts.probe_mut().size = Size::new(20_000, 19_438);
        facts.decoded.pillow = Verdict::refuses_open("UnidentifiedImageError", "cannot identify image file");
        facts.decoded.strict = Strict::Error(Fault::new(FaultKind::Corrupt, "the checksum of IHDR is wrong"));
        assert_eq!(explanations(&facts), ["I102"]);
    }

    #[test]
    fn damage_is_no_error_where_pillow_is_not_known_to_refuse() {
        let mut facts = healthy("a.tif");
        facts.decoded.pillow = Verdict::Unknown;
        for (kind, check) in [(FaultKind::Truncated, "I101"), (FaultKind::Corrupt, "I102")] {
            facts.decoded.strict = Strict::Error(Fault::new(kind, "it is broken"));
            assert_eq!(explanations(&facts), [check]);
            let check = crate::checks::find(check).unwrap();
            assert_eq!(findings_of(check, &facts)[0].level, Level::Warning);
            assert!(loadable(&facts).is_some());
        }
    }

    #[test]
    fn a_limit_of_this_run_does_not_explain_a_refusal_of_pillow() {
        let mut facts = healthy("a.png");
        facts.decoded.pillow = Verdict::refuses_load("OSError", "broken data stream when reading image file");
        facts.decoded.strict = Strict::Unknown(Fault::new(FaultKind::TimedOut, "the time limit was reached"));
        let reason = Obstacle::of(&facts).map(|obstacle| obstacle.reason());
        assert_eq!(reason.as_deref(), Some("broken data stream when reading image file"));
    }

    #[test]
    fn heif_by_name_needs_no_whole_header_to_be_unsupported() {
        let mut facts = healthy("a.heic");
        facts.probe = Err(Fault::new(FaultKind::Truncated, "the file ends inside the HEIC header"));
        assert_eq!(explanations(&facts), ["I104"]);
    }

    #[test]
    fn a_whole_picture_has_no_explanation() {
        assert!(explanations(&healthy("a.png")).is_empty());
    }
}
