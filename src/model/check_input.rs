//! What checks see: all facts of one sample, and a few facts of each for the whole dataset.

use super::{
    BucketTable, CaptionFacts, ContentHash, Decoded, Fault, FaultKind, Format, Inventory, Loader, MetadataFacts, Mode, NamedAs,
    Orientation, Probe, RelPath, Sample, SampleIndex, Size, Testimony,
};

/// What the bytes of one image say, wherever it lies and whatever it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageFacts {
    /// Hash of the bytes; `None` if they could not be read.
    pub content: Option<ContentHash>,
    /// SHA-256 of the bytes, if it was asked for.
    pub sha256: Option<[u8; 32]>,
    /// Facts from the header, or why there are none.
    pub probe: Result<Probe, Fault>,
    /// What decoding found.
    pub decoded: Decoded,
}

/// All facts of one sample.
#[derive(Clone, Debug)]
pub struct SampleFacts {
    /// Names and sizes.
    pub sample: Sample,
    /// Hash of the image's bytes; `None` if they could not be read.
    pub content: Option<ContentHash>,
    /// SHA-256 of the image's bytes, if it was asked for.
    pub sha256: Option<[u8; 32]>,
    /// Facts from the header, or why there are none.
    pub probe: Result<Probe, Fault>,
    /// What decoding found.
    pub decoded: Decoded,
    /// What the trainer's own libraries did with it, if they were asked.
    pub testimony: Option<Testimony>,
    /// The caption.
    pub caption: CaptionFacts,
}

/// The few facts of one sample that dataset checks need; kept for every sample until the end, so it must stay small.
#[derive(Clone, Debug)]
pub struct SampleBrief {
    /// Its number.
    pub index: SampleIndex,
    /// The image.
    pub path: RelPath,
    /// What its name says that it is.
    pub named_as: NamedAs,
    /// Size of the file.
    pub size_bytes: u64,
    /// Hash of the image's bytes.
    pub content: Option<ContentHash>,
    /// Format by content.
    pub format: Option<Format>,
    /// Mode.
    pub mode: Option<Mode>,
    /// Bits per channel.
    pub bit_depth: u8,
    /// Size as stored.
    pub size: Option<Size>,
    /// EXIF orientation.
    pub orientation: Option<Orientation>,
    /// Perceptual hash, `None` where there were no pixels or the picture is blank.
    pub phash: Option<u64>,
    /// Why the sample cannot be trained on by a trainer that loads with Pillow, if so.
    pub lost: Option<FaultKind>,
    /// Path of its caption.
    pub caption: Option<RelPath>,
    /// Hash of its caption's bytes, `None` if there is none or it is empty or blank.
    pub caption_content: Option<ContentHash>,
    /// Other files of its stem that look like captions, by extension.
    pub other_captions: Vec<Box<str>>,
}

impl SampleBrief {
    /// The few facts of a sample.
    #[must_use]
    pub fn of(facts: &SampleFacts) -> Self {
        let probe = facts.probe.as_ref().ok();
        let caption = facts.caption.read();
        Self {
            index: facts.sample.index,
            path: facts.sample.path.clone(),
            named_as: facts.sample.named_as,
            size_bytes: facts.sample.size_bytes,
            content: facts.content,
            format: probe.map(|probe| probe.format),
            mode: probe.and_then(|probe| probe.mode),
            bit_depth: probe.map_or(0, |probe| probe.bit_depth),
            size: probe.map(|probe| probe.size),
            orientation: probe.and_then(|probe| probe.orientation),
            phash: facts.decoded.pixels.as_ref().filter(|pixels| !pixels.blank).map(|pixels| pixels.phash),
            lost: facts.loss().map(|fault| fault.kind),
            caption: facts.sample.caption.as_ref().map(|caption| caption.path.clone()),
            caption_content: caption.filter(|caption| !caption.is_empty() && !caption.is_blank()).map(|caption| caption.content),
            other_captions: facts.sample.other_captions.clone(),
        }
    }

    /// The format that its name claims.
    #[must_use]
    pub fn named_format(&self) -> Option<Format> {
        match self.named_as {
            NamedAs::Image(format) => Some(format),
            NamedAs::Unknown => None,
        }
    }

    /// Whether it can be trained on.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.lost.is_none()
    }
}

impl SampleFacts {
    /// What is known of a sample when its files were read; no witness was asked.
    #[must_use]
    pub fn new(sample: Sample, image: ImageFacts, caption: CaptionFacts) -> Self {
        let ImageFacts { content, sha256, probe, decoded } = image;
        Self { sample, content, sha256, probe, decoded, testimony: None, caption }
    }

    /// The format by content, if there is a header that says it.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        self.probe.as_ref().ok().map(|probe| probe.format)
    }

    /// The size as stored, if there is a header that says it.
    #[must_use]
    pub fn size(&self) -> Option<Size> {
        self.probe.as_ref().ok().map(|probe| probe.size)
    }

    /// Why a trainer that loads with Pillow cannot train on this sample, if it cannot.
    #[must_use]
    pub fn loss(&self) -> Option<Fault> {
        if let Err(fault) = &self.probe {
            return Some(fault.clone());
        }
        if let Some(testimony) = &self.testimony
            && let Some(ended) = testimony.ended.as_ref().filter(|ended| ended.loader == Loader::Pillow)
        {
            return Some(Fault::new(FaultKind::Corrupt, format!("it ends Pillow {}", ended.version)));
        }
        let refusal = self.decoded.pillow.refusal().or_else(|| self.testimony.as_ref()?.pillow.refusal())?;
        Some(match self.decoded.strict.fault() {
            Some(fault) => fault.clone(),
            None => Fault::new(FaultKind::Corrupt, refusal.to_string()),
        })
    }
}

/// What dataset checks see, once every sample has been looked at.
#[derive(Clone, Copy, Debug)]
pub struct DatasetFacts<'a> {
    /// What the walk found.
    pub inventory: &'a Inventory,
    /// A few facts of each sample in order; files of unknown name whose content is no image are not among them.
    pub samples: &'a [SampleBrief],
    /// Metadata files.
    pub metadata: &'a [MetadataFacts],
    /// Where the user's trainer puts the pictures, a table for each of its datasets; none if no trainer was chosen.
    pub buckets: &'a [&'a BucketTable],
}
