//! Looks at one sample: bytes in, all that is known of it out. Pure: a folder, an archive and a Python worker can all use it.

use sha2::{Digest as _, Sha256};

use crate::captions::{self, Tokenizers};
use crate::checks;
use crate::decode::{self, Limits};
use crate::model::{
    CaptionFacts, ContentHash, Decoded, Fault, FaultKind, Format, ImageFacts, NamedAs, Probe, Profile, RelPath, Sample, SampleFacts,
    SampleIndex, SampleReport, SideFile,
};
use crate::probe;
use crate::settings::Settings;
use crate::trainers::Panel;

/// Bytes for decoding a file in whose header something is wrong: how large its picture is, is not known before.
const WITHOUT_HEADER: u64 = 128 << 20;

/// What the bytes of one sample are looked at with. Shared by all threads.
#[derive(Clone, Copy, Debug)]
pub struct Inspector<'a> {
    profile: &'a Profile,
    limits: Limits,
    tokenizers: &'a Tokenizers,
    sha256: bool,
    panel: Option<&'a Panel<'a>>,
}

impl<'a> Inspector<'a> {
    /// An inspector as the settings want it.
    #[must_use]
    pub fn new(settings: &'a Settings) -> Self {
        let limits = Limits { memory_bytes: settings.limits.memory_bytes.min(settings.decoding_bytes()), ..settings.limits };
        Self { profile: &settings.profile, limits, tokenizers: &settings.tokenizers, sha256: settings.sha256, panel: None }
    }

    /// The same, with trainers that say what they do with the samples.
    #[must_use]
    pub fn with_panel(self, panel: &'a Panel<'a>) -> Self {
        Self { panel: Some(panel), ..self }
    }

    /// All that is known of a sample from its bytes, or from the reason why they could not be read.
    ///
    /// The caption is the file that [`Sample::caption`] names; it is not looked at if the sample names none. `reserve` is
    /// called with the number of bytes that decoding will hold at most, and what it returns is dropped when they are free.
    #[must_use]
    pub fn inspect<R>(
        &self,
        sample: Sample,
        image: Result<&[u8], Fault>,
        caption: Option<Result<&[u8], Fault>>,
        reserve: impl Fn(u64) -> R,
    ) -> SampleReport {
        let caption = match (&sample.caption, caption) {
            (Some(file), Some(bytes)) => self.caption(&file.path, bytes),
            (None, _) | (_, None) => CaptionFacts::Missing,
        };
        let content = image.as_ref().ok().map(|bytes| ContentHash(*blake3::hash(bytes).as_bytes()));
        self.judge(SampleFacts::new(sample, self.image(image, content, reserve), caption))
    }

    /// What the bytes of an image say, whose hash is known already.
    pub(super) fn image<R>(&self, image: Result<&[u8], Fault>, content: Option<ContentHash>, reserve: impl Fn(u64) -> R) -> ImageFacts {
        let sha256 = image.as_ref().ok().filter(|_| self.sha256).map(|bytes| Sha256::digest(bytes).into());
        let (probe, decoded) = match image {
            Ok(bytes) => self.inspect_image(bytes, reserve),
            Err(fault) => (Err(fault.clone()), Decoded::undecided(fault)),
        };
        ImageFacts { content, sha256, probe, decoded }
    }

    /// What the checks of single samples make of the facts.
    #[must_use]
    pub fn judge(&self, facts: SampleFacts) -> SampleReport {
        let mut findings = checks::check_sample(&facts, self.profile);
        let fates = self.panel.map_or_else(Vec::new, |panel| panel.judge(&facts, &mut findings));
        findings.sort_by(checks::by_weight);
        SampleReport { facts, findings, fates }
    }

    /// The limits that it keeps to.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    fn inspect_image<R>(&self, bytes: &[u8], reserve: impl Fn(u64) -> R) -> (Result<Probe, Fault>, Decoded) {
        match decode::contain_panics(|| probe::probe(bytes)).unwrap_or_else(Err) {
            Ok(probe) => {
                let decoded = self.decode(bytes, &probe, reserve);
                (Ok(probe), decoded)
            }
            Err(fault) => {
                let _held = reserve(WITHOUT_HEADER.min(self.limits.memory_bytes));
                let limits = Limits { memory_bytes: WITHOUT_HEADER.min(self.limits.memory_bytes), ..self.limits };
                let decoded = decode::decode_without_header(bytes, &fault, &limits);
                (Err(fault), decoded)
            }
        }
    }

    fn decode<R>(&self, bytes: &[u8], probe: &Probe, reserve: impl Fn(u64) -> R) -> Decoded {
        let mut needs = decode::memory_needs(probe, bytes.len(), &self.limits);
        let most = needs.pop().unwrap_or(0);
        let limits = self.limits.begun();
        for need in needs.into_iter().filter(|need| *need < limits.memory_bytes) {
            // Let go before more is asked for, or two workers might wait for each other.
            let _held = reserve(need);
            let decoded = decode::decode(bytes, probe, &Limits { memory_bytes: need, ..limits });
            if decoded.strict.fault().is_none_or(|fault| fault.kind != FaultKind::OverBudget) {
                return decoded;
            }
        }
        let _held = reserve(most.min(limits.memory_bytes));
        let mut decoded = decode::decode(bytes, probe, &limits);
        if limits.pixels {
            decoded.disagreement = decode::cross_check(bytes, probe, &decoded, &limits);
        }
        decoded
    }

    /// What the bytes of a caption say.
    pub(super) fn caption(&self, path: &RelPath, bytes: Result<&[u8], Fault>) -> CaptionFacts {
        match bytes.and_then(|bytes| decode::contain_panics(|| captions::read(path, bytes, self.tokenizers))) {
            Ok(caption) => CaptionFacts::Read(Box::new(caption)),
            Err(fault) => CaptionFacts::Unreadable(path.clone(), fault),
        }
    }
}

/// Looks at one image by its bytes, and at its caption's, if it has one.
///
/// ```
/// use walkaround::{inspect, settings::Settings};
/// let report = inspect("a.jpg", b"<html>404</html>", None, &Settings::new(Vec::new()));
/// assert_eq!(report.findings[0].name, "not-an-image");
/// ```
#[must_use]
pub fn inspect(name: &str, image: &[u8], caption: Option<&[u8]>, settings: &Settings) -> SampleReport {
    let path = RelPath::from(name);
    let extension = &settings.profile.caption_extension;
    let sample = Sample {
        index: SampleIndex(0),
        size_bytes: image.len() as u64,
        modified: None,
        identity: None,
        named_as: Format::of_extension(path.extension()).map_or(NamedAs::Unknown, NamedAs::Image),
        caption: caption.map(|bytes| SideFile {
            path: format!("{}{extension}", path.without_extension()).as_str().into(),
            size_bytes: bytes.len() as u64,
            modified: None,
            identity: None,
        }),
        other_captions: Vec::new(),
        path,
    };
    Inspector::new(settings).inspect(sample, Ok(image), caption.map(Ok), |_| ())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::model::Verdict;

    /// A lossless WebP of 2000 x 2000 pixels with these bytes behind its header.
    fn webp(coded: &[u8]) -> Vec<u8> {
        let size = (1999_u32 + (1999 << 14)).to_le_bytes();
        let body = [&[0x2F], &size[..], coded].concat();
        let length = u32::try_from(body.len()).unwrap();
        [b"RIFF", &(length + 12).to_le_bytes()[..], b"WEBPVP8L", &length.to_le_bytes()[..], &body].concat()
    }

    #[test]
    fn more_memory_is_only_asked_for_where_less_does_not_do() {
        let settings = Settings::new(Vec::new());
        let asked = |bytes: &[u8]| {
            let asked = RefCell::new(Vec::new());
            let inspector = Inspector::new(&settings);
            let (_, decoded) = inspector.inspect_image(bytes, |bytes| asked.borrow_mut().push(bytes));
            (asked.into_inner(), decoded.pillow)
        };
        // No transform, cache or groups; green, red, blue, alpha and distance have one symbol each, the first.
        let flat = asked(&webp(&[0x88, 0x88, 0x08]));
        assert_eq!(flat, (vec![(24 << 20) + 500_000], Verdict::Ok));
        // The code of green has no symbol.
        let (asked, pillow) = asked(&webp(&[0, 0, 0]));
        assert_eq!(asked, [(24 << 20) + 500_000, (8 << 20) + 36_000_000]);
        assert_eq!(pillow.name(), "error");
    }
}
