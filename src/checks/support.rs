//! Facts for the unit tests of checks: a healthy sample, to be spoilt by the test.

use std::path::PathBuf;

use super::{Check, Findings, Run};
use crate::model::{
    AlphaFacts, Bucket, BucketTable, Caption, CaptionFacts, ContentHash, DatasetFacts, Decoded, Encoding, Exif, Fault, Finding, Format,
    Inventory, LineEnding, Member, MetadataFacts, Mode, NamedAs, PixelFacts, Placement, Probe, Profile, RelPath, Root, Sample, SampleBrief,
    SampleFacts, SampleIndex, SideFile, Size, Strict, Verdict,
};

/// The generic profile at 1024x1024.
pub(super) fn profile() -> Profile {
    crate::trainers::Trainer::profile(&crate::trainers::Generic::default())
}

/// A 1024x1024 RGB PNG, whole, with the caption "a photo of a cat".
pub(super) fn healthy(path: &str) -> SampleFacts {
    let path = RelPath::from(path);
    let caption = RelPath::from(format!("{}.txt", path.without_extension()).as_str());
    let text = "a photo of a cat";
    let size_bytes = text.len() as u64;
    SampleFacts {
        sample: Sample {
            index: SampleIndex(0),
            named_as: Format::of_extension(path.extension()).map_or(NamedAs::Unknown, NamedAs::Image),
            path: path.clone(),
            size_bytes: 1000,
            modified: None,
            identity: None,
            caption: Some(SideFile { path: caption.clone(), size_bytes, modified: None, identity: None }),
            other_captions: Vec::new(),
        },
        content: Some(hash_of(path.as_str())),
        sha256: None,
        probe: Ok(Probe {
            format: Format::Png,
            variant: "",
            mode: Some(Mode::Rgb),
            bit_depth: 8,
            size: Size::new(1024, 1024),
            orientation: None,
            frames: 1,
            icc: false,
            transparency: false,
            exif: Exif::Absent,
        }),
        decoded: Decoded {
            pillow: Verdict::Ok,
            pillow_lenient: Verdict::Ok,
            opencv: Verdict::Ok,
            strict: Strict::Whole,
            pixels: Some(PixelFacts { mean: 120.0, blank: false, phash: 0x1234_5678_9abc_def0, alpha: None, colorless: Some(false) }),
            trailing: None,
            disagreement: None,
        },
        testimony: None,
        caption: CaptionFacts::Read(Box::new(Caption {
            content: hash_of(caption.as_str()),
            path: caption,
            size_bytes,
            encoding: Encoding::Utf8,
            has_bom: false,
            invalid: None,
            text: Some(text.to_owned()),
            chars: size_bytes,
            lines: 1,
            line_ending: LineEnding::None,
            clip_tokens: Some(5),
            t5_tokens: None,
            controls: Vec::new(),
            invisibles: Vec::new(),
            mojibake: None,
        })),
    }
}

/// The inventory of a root in this folder.
pub(super) fn rooted(folder: &str) -> Inventory {
    let root = Root { typed: "set".to_owned(), folder: PathBuf::from(folder), prefix: RelPath::from("") };
    Inventory { roots: vec![root], ..Inventory::default() }
}

/// A hash that differs between names.
pub(super) fn hash_of(name: &str) -> ContentHash {
    let mut bytes = [0_u8; 32];
    for (at, byte) in name.bytes().enumerate() {
        bytes[at % 32] = bytes[at % 32].wrapping_mul(31) ^ byte;
    }
    ContentHash(bytes)
}

impl SampleFacts {
    /// Takes the caption away.
    pub(super) fn remove_caption(&mut self) {
        self.sample.caption = None;
        self.caption = CaptionFacts::Missing;
    }

    /// Spoils the header facts.
    pub(super) fn probe_mut(&mut self) -> &mut Probe {
        self.probe.as_mut().expect("the healthy sample has a header")
    }

    /// Spoils the caption.
    pub(super) fn caption_mut(&mut self) -> &mut Caption {
        match &mut self.caption {
            CaptionFacts::Read(caption) => caption,
            CaptionFacts::Missing | CaptionFacts::Unreadable(..) => panic!("the healthy sample has a caption"),
        }
    }

    /// Gives it transparency.
    pub(super) fn set_alpha(&mut self, alpha: AlphaFacts) {
        let probe = self.probe_mut();
        probe.mode = Some(Mode::Rgba);
        probe.transparency = true;
        if let Some(pixels) = &mut self.decoded.pixels {
            pixels.alpha = Some(alpha);
        }
    }

    /// Makes Pillow refuse its pixels, for the fault given.
    pub(super) fn refuse(&mut self, fault: Fault) {
        self.decoded.pillow = Verdict::refuses_load("OSError", fault.detail.clone());
        self.decoded.pillow_lenient = self.decoded.pillow.clone();
        self.decoded.strict = Strict::Damaged { fault, lost: None };
    }
}

/// What `check` alone finds in one sample.
pub(super) fn findings_of(check: &'static Check, facts: &SampleFacts) -> Vec<Finding> {
    let mut out = Findings::new(check);
    match check.run {
        Run::Sample(run) => run(facts, &profile(), &mut out),
        Run::Dataset(_) | Run::Elsewhere => panic!("{} does not look at single samples", check.name),
    }
    out.into_vec()
}

/// What `check` alone finds in a dataset of these samples, the rest of the inventory being `inventory`.
pub(super) fn findings_in(check: &'static Check, samples: &[SampleFacts], inventory: Inventory) -> Vec<Finding> {
    findings_with(check, samples, inventory, &[])
}

/// Pictures of these numbers and sizes in one bucket, in a single batch, scaled to its size.
pub(super) fn placed(pictures: &[(u32, Size)], bucket: Size) -> Bucket {
    let placement = Placement { bucket, resized: bucket, crop: [0, 0] };
    let members: Vec<Member> =
        pictures.iter().map(|&(number, size)| Member { sample: SampleIndex(number), size, placement, repeats: 1.0 }).collect();
    let taken = members.len() as u64;
    Bucket { size: bucket, resolution: 0, members, taken, batches: 1, dropped: 0, filled: 0, stops: false }
}

/// Buckets of one dataset.
pub(super) fn table(batch_size: u32, buckets: Vec<Bucket>) -> BucketTable {
    let steps = buckets.iter().map(|bucket| bucket.batches).sum();
    BucketTable {
        trainer: "kohya",
        folder: String::new(),
        buckets,
        unplaced: Vec::new(),
        batch_size,
        whole: batch_size,
        rotates: false,
        steps,
    }
}

/// What `check` finds in this table of samples that are called `0.png`, `1.png` and so on.
pub(super) fn findings_of_buckets(check: &'static Check, samples: u32, table: &BucketTable) -> Vec<Finding> {
    let briefs: Vec<SampleBrief> = (0..samples)
        .map(|number| {
            let mut facts = healthy(&format!("{number}.png"));
            facts.sample.index = SampleIndex(number);
            SampleBrief::of(&facts)
        })
        .collect();
    let mut out = Findings::new(check);
    let facts = DatasetFacts { inventory: &rooted("set"), samples: &briefs, metadata: &[], buckets: &[table] };
    match check.run {
        Run::Dataset(run) => run(&facts, &profile(), &mut out),
        Run::Sample(_) | Run::Elsewhere => panic!("{} does not look at whole datasets", check.name),
    }
    out.into_vec()
}

/// The same with metadata files.
pub(super) fn findings_with(
    check: &'static Check,
    samples: &[SampleFacts],
    mut inventory: Inventory,
    metadata: &[MetadataFacts],
) -> Vec<Finding> {
    if inventory.roots.is_empty() {
        inventory.roots.push(Root { typed: "set".to_owned(), folder: PathBuf::from("set"), prefix: RelPath::from("") });
    }
    inventory.samples = samples.iter().map(|facts| facts.sample.clone()).collect();
    let lines: Vec<SampleBrief> = samples.iter().map(SampleBrief::of).collect();
    let mut out = Findings::new(check);
    match check.run {
        Run::Dataset(run) => run(&DatasetFacts { inventory: &inventory, samples: &lines, metadata, buckets: &[] }, &profile(), &mut out),
        Run::Sample(_) | Run::Elsewhere => panic!("{} does not look at whole datasets", check.name),
    }
    out.into_vec()
}
