//! What the unit tests of trainers share: a whole picture, to be spoilt by the test, and trainers with settings.

use super::set::{SetError, Setting};
use super::trainer::Trainer;
use crate::model::{
    CaptionFacts, Decoded, Exif, Format, Mode, NamedAs, Probe, RelPath, Sample, SampleFacts, SampleIndex, Size, Strict, Verdict,
};

/// A trainer with these settings.
pub(super) fn made(name: &str, pairs: &[(&str, toml::Value)]) -> Box<dyn Trainer> {
    let mut trainer = super::find(name).expect("it is known");
    apply(pairs, |setting| trainer.set(setting));
    trainer
}

/// Hands settings on, which must be valid.
pub(super) fn apply(pairs: &[(&str, toml::Value)], mut set: impl FnMut(&Setting<'_>) -> Result<(), SetError>) {
    for (key, value) in pairs {
        set(&Setting::new(key, value)).expect("the setting is valid");
    }
}

/// A picture without a caption that every decoder reads.
pub(super) fn picture(path: &str, format: Format, mode: Mode, size: Size) -> SampleFacts {
    SampleFacts {
        sample: Sample {
            index: SampleIndex(0),
            path: RelPath::from(path),
            size_bytes: 1000,
            modified: None,
            identity: None,
            named_as: NamedAs::Image(format),
            caption: None,
            other_captions: Vec::new(),
        },
        content: None,
        sha256: None,
        probe: Ok(Probe {
            format,
            variant: "",
            mode: Some(mode),
            bit_depth: 8,
            size,
            orientation: None,
            frames: 1,
            icc: false,
            transparency: mode.has_alpha(),
            exif: Exif::Absent,
        }),
        decoded: Decoded {
            pillow: Verdict::Ok,
            pillow_lenient: Verdict::Ok,
            opencv: Verdict::Ok,
            strict: Strict::Whole,
            pixels: None,
            trailing: None,
            disagreement: None,
        },
        testimony: None,
        caption: CaptionFacts::Missing,
    }
}
