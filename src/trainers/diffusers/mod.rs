//! The training examples of diffusers: what they pick up, where they put each picture, what they do about what is wrong.
//!
//! Facts are from huggingface/diffusers 58eb52c0 of 2026-08-23 and huggingface/datasets b7cb10b0 of 2026-07-31. The examples read a
//! folder in two ways, between which our own key `script` chooses: `dreambooth`, where every entry of the folder is opened as a picture
//! and all share one prompt, and `text_to_image`, where the `imagefolder` loader of datasets lists pictures and metadata files hold
//! the captions. Of the `DreamBooth` scripts the newer ones are meant, with aspect buckets (flux2, kontext, krea2, qwen, z-image).

mod buckets;
mod imagefolder;
mod obstructions;
mod react;
mod settings;

use super::python::zero_division;
use super::set::{SetError, Setting};
use super::trainer::{About, Batching, Pickup, Remainder, Trainer, Version};
use crate::model::{
    Condition, Consequence, ExtensionCase, Format, Inventory, Obstruction, Placement, Profile, RelPath, SampleFacts, Size, Unplaced,
};
use settings::{Script, Settings};

/// What is known of the program.
pub(super) static ABOUT: About =
    About { name: "diffusers", title: "the training examples of diffusers", versions: &VERSIONS, keys: &settings::KEYS };

static VERSIONS: [Version; 1] = [Version {
    name: "2026-08-23",
    commit: "58eb52c0803ea9af3abec60841c2a093bdf1f951, datasets b7cb10b0e38ab8bbefdb142d0279bc85ac8c7ab8",
    date: "2026-08-23",
}];

/// One of the examples with its flags.
#[derive(Clone, Debug)]
pub(super) struct Diffusers {
    settings: Settings,
    /// Whether the folder holds a metadata file, once it has been seen.
    has_metadata: Option<bool>,
}

impl Diffusers {
    /// The trainer with its own defaults.
    pub(super) fn make(_: &'static Version) -> Box<dyn Trainer> {
        Box::new(Self { settings: Settings::new(), has_metadata: None })
    }
}

impl Trainer for Diffusers {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        self.settings.set(setting)
    }

    fn profile(&self) -> Profile {
        let is_dreambooth = self.settings.script == Script::DreamBooth;
        let any = || Format::ALL.iter().flat_map(|format| format.extensions()).map(|&extension| extension.to_owned()).collect();
        Profile {
            trainer: ABOUT.name,
            caption_extension: ".txt".to_owned(),
            image_extensions: if is_dreambooth { any() } else { imagefolder::extensions() },
            resolution: Size::new(self.settings.resolution, self.settings.resolution),
            bucket_step: 16,
            extension_case: ExtensionCase::Any,
            // Caption files are not read; what is in metadata rows ends at 77 tokens with both special ones.
            max_tokens: (!is_dreambooth).then_some(75),
            // The longest step of the ladder is 2:1; of strips twice as long half is cut off.
            max_aspect: 4.0,
        }
    }

    fn picks_up(&self, path: &RelPath) -> Pickup {
        match self.settings.script {
            Script::DreamBooth if path.folder().is_empty() => Pickup::Taken,
            Script::DreamBooth => Pickup::PassedOver("it lies in a sub-folder, at which the script stops"),
            Script::TextToImage => imagefolder::picks_up(path),
        }
    }

    /// `exif_transpose` in the `DreamBooth` scripts, and in datasets when a picture is decoded (`features/image.py` 139-198).
    fn size_of(&self, facts: &SampleFacts) -> Option<Size> {
        facts.probe.as_ref().ok().map(crate::model::Probe::oriented_size)
    }

    /// The crop is random unless `--center_crop` is given; this is the centre.
    fn place(&self, size: Size, _: usize) -> Result<Placement, Unplaced> {
        if size.pixels() == 0 {
            return Err(zero_division());
        }
        let resolution = self.settings.resolution;
        if self.settings.script == Script::TextToImage {
            return Ok(buckets::square(size, resolution));
        }
        let nearest = match (self.settings.uses_buckets, &self.settings.buckets) {
            (false, None) => Some(Size::new(resolution, resolution)),
            // `train_dreambooth_lora_flux2.py` 1492-1506.
            (false, Some(_)) => return Err(Unplaced::stops("ValueError: aspect_ratio_buckets requires use_aspect_ratio_buckets")),
            (true, None) => buckets::nearest(size, &buckets::ladder(size, resolution)),
            (true, Some(own)) => buckets::nearest(size, own),
        };
        let bucket = nearest.ok_or_else(|| Unplaced::stops("ValueError: no buckets"))?;
        Ok(buckets::cover(size, bucket))
    }

    fn react(&self, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
        match self.settings.script {
            Script::DreamBooth => react::dreambooth(condition),
            Script::TextToImage => react::text_to_image(condition, facts, self.has_metadata),
        }
    }

    fn repeats(&self, _: &RelPath) -> f64 {
        match self.settings.script {
            Script::DreamBooth => self.settings.repeats.into(),
            Script::TextToImage => 1.0,
        }
    }

    fn prepared(&self, inventory: &Inventory) -> Option<Box<dyn Trainer>> {
        Some(Box::new(Self { has_metadata: Some(obstructions::has_metadata(inventory)), ..self.clone() }))
    }

    fn obstructions(&self, inventory: &Inventory) -> Vec<Obstruction> {
        match self.settings.script {
            Script::DreamBooth => obstructions::dreambooth(inventory),
            Script::TextToImage => obstructions::text_to_image(inventory),
        }
    }

    /// The bucket scripts make their batches once, after one shuffle, and leave short ones out, with buckets or without
    /// (`train_dreambooth_lora_flux2.py`, `BucketBatchSampler`, 1522): the same files stay out for the whole run.
    fn batching(&self) -> Batching {
        let batch_size = self.settings.batch_size();
        Batching {
            batch_size,
            whole: batch_size,
            accumulation: self.settings.accumulation,
            remainder: match self.settings.script {
                Script::DreamBooth => Remainder::Dropped { rotates: false },
                Script::TextToImage => Remainder::Kept,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::{made, picture};
    use super::*;
    use crate::model::{
        Folder, Mode, NamedAs, Oddity, OddityKind, Orientation, Outcome, Phase, Sample, SampleIndex, SideFile, SystemFileKind,
    };

    fn with(pairs: &[(&str, toml::Value)]) -> Box<dyn Trainer> {
        made("diffusers", pairs)
    }

    fn text_to_image() -> Box<dyn Trainer> {
        with(&[("script", "text_to_image".into())])
    }

    fn side_file(path: &str) -> SideFile {
        SideFile { path: RelPath::from(path), size_bytes: 10, modified: None, identity: None }
    }

    fn inventory() -> Inventory {
        let sample = |path: &str, caption: Option<&str>| Sample {
            index: SampleIndex(0),
            path: RelPath::from(path),
            size_bytes: 1000,
            modified: None,
            identity: None,
            named_as: NamedAs::Image(Format::Png),
            caption: caption.map(side_file),
            other_captions: Vec::new(),
        };
        let oddity = |path: &str, kind| Oddity { path: RelPath::from(path), kind };
        let folder = |path: &str| Folder { path: RelPath::from(path), images: 1 };
        Inventory {
            samples: vec![sample("a.png", Some("a.txt")), sample("a.jpg", Some("a.txt")), sample("sub/deep/b.png", Some("sub/deep/b.txt"))],
            orphan_captions: vec![side_file("c.txt"), side_file("photo.jpg.txt")],
            oddities: vec![
                oddity("Thumbs.db", OddityKind::SystemFile(SystemFileKind::ThumbsDb)),
                oddity(".ipynb_checkpoints", OddityKind::JunkFolder { files: 1, images: 1 }),
            ],
            folders: vec![folder(""), folder("sub/deep")],
            ..Inventory::default()
        }
    }

    fn shown(obstructions: &[Obstruction]) -> Vec<String> {
        let names = |obstruction: &Obstruction| obstruction.paths.iter().map(RelPath::as_str).collect::<Vec<_>>().join(" ");
        obstructions.iter().map(|obstruction| format!("{} {}", names(obstruction), obstruction.what)).collect()
    }

    #[test]
    fn dreambooth_opens_every_entry_of_the_folder() {
        let found = with(&[]).obstructions(&inventory());
        assert_eq!(
            shown(&found),
            [
                "a.txt c.txt photo.jpg.txt are captions, and every entry of the folder is opened as an image",
                "Thumbs.db were left by an operating system, and every entry of the folder is opened as an image",
                ".ipynb_checkpoints sub are folders, and every entry of the folder is opened as an image",
            ]
        );
        assert!(found.iter().all(|found| (found.consequence.outcome, found.consequence.phase) == (Outcome::Stop, Phase::DatasetScan)));
        assert!(with(&[]).obstructions(&Inventory::default()).is_empty());
    }

    #[test]
    fn the_loader_of_datasets_wants_metadata_and_no_double_extensions() {
        let mut inventory = inventory();
        let found = shown(&text_to_image().obstructions(&inventory));
        assert_eq!(found[0], "photo.jpg.txt count as images, for their second-last extension is one");
        assert_eq!(found[1], "a.txt c.txt sub/deep/b.txt are captions that are not read, and there is no metadata file");
        inventory.metadata.push(side_file("metadata.jsonl"));
        assert_eq!(text_to_image().obstructions(&inventory).len(), 1);
        let missing = |trainer: &dyn Trainer| trainer.react(Condition::CaptionMissing, None).expect("it says what it does").outcome;
        assert_eq!(missing(&*text_to_image().prepared(&inventory).expect("it looks for metadata")), Outcome::Train);
        assert_eq!(missing(&*text_to_image().prepared(&Inventory::default()).expect("it looks for metadata")), Outcome::Stop);
    }

    #[test]
    fn pictures_are_turned_in_both() {
        let mut facts = picture("a.jpg", Format::Jpeg, Mode::Rgb, Size::new(400, 300));
        facts.probe.as_mut().expect("it has a header").orientation = Orientation::new(6);
        for trainer in [with(&[]), text_to_image()] {
            assert_eq!(trainer.size_of(&facts), Some(Size::new(300, 400)));
            assert_eq!(trainer.react(Condition::Rotated, None).expect("it says what it does").outcome, Outcome::Train);
            assert_eq!(trainer.react(Condition::Transparent, None).expect("it says what it does").outcome, Outcome::Distort);
        }
    }

    #[test]
    fn a_damaged_file_stops_the_one_at_the_start_and_the_other_on_the_way() {
        for condition in [Condition::EmptyFile, Condition::NotAnImage, Condition::RefusedAtLoad, Condition::TooManyPixels] {
            let does = |trainer: &dyn Trainer| {
                let consequence = trainer.react(condition, None).expect("it says what it does");
                (consequence.outcome, consequence.phase)
            };
            assert_eq!(does(&*with(&[])), (Outcome::Stop, Phase::DatasetScan), "{condition:?}");
            assert_eq!(does(&*text_to_image()), (Outcome::Stop, Phase::Training), "{condition:?}");
        }
    }

    #[test]
    fn short_batches_are_dropped_by_the_one_and_kept_by_the_other() {
        let batching = with(&[]).batching();
        assert_eq!((batching.batch_size, batching.remainder), (4, Remainder::Dropped { rotates: false }));
        let batching = text_to_image().batching();
        assert_eq!((batching.batch_size, batching.remainder), (16, Remainder::Kept));
    }

    #[test]
    fn buckets_of_ones_own_need_the_flag() {
        let list = ("aspect_ratio_buckets", toml::Value::from("672,1568;688,1504;752,1392;1024,1024"));
        let trainer = with(&[list.clone(), ("use_aspect_ratio_buckets", true.into())]);
        let placement = trainer.place(Size::new(1366, 768), 0).expect("it has a place");
        assert_eq!((placement.bucket, placement.resized), (Size::new(1392, 752), Size::new(1392, 783)));
        assert!(with(&[list]).place(Size::new(1366, 768), 0).is_err());
        assert!(with(&[]).place(Size::new(0, 768), 0).is_err());
    }
}
