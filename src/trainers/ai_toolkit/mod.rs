//! ai-toolkit (ostris/ai-toolkit): what it picks up, where it puts each picture, what it does about what is wrong.
//!
//! Facts are from 27a03a91 of 2026-08-21; files and lines are those of that commit. The buckets before 2026-05-28 are behind
//! `ai-toolkit@legacy`. One instance stands for one entry of `config.process[0].datasets`, with what it needs of `train` and `model`.

mod buckets;
pub mod cache;
mod legacy;
mod react;
mod settings;

use super::python::{beyond_memory, pixels, zero_division};
use super::set::{SetError, Setting};
use super::trainer::{About, Batching, Pickup, Remainder, Resolutions, Trainer, Version};
use crate::model::{Condition, Consequence, ExtensionCase, Format, Placement, Probe, Profile, RelPath, SampleFacts, Size, Unplaced};
use settings::Settings;

/// What is known of the program.
pub(super) static ABOUT: About = About { name: "ai-toolkit", title: "ai-toolkit by ostris", versions: &VERSIONS, keys: &settings::KEYS };

static VERSIONS: [Version; 2] = [
    Version { name: "2026-08-21", commit: "27a03a91f23eb1b757d5ec2e80ee3e129cfcc350", date: "2026-08-21" },
    Version { name: "legacy", commit: "the parent of c9264bdd", date: "2026-05-28" },
];

/// Pictures that are listed (`toolkit/data_loader.py` 39).
const IMAGES: [&str; 4] = ["jpg", "jpeg", "png", "webp"];

/// Videos that are listed in a dataset of videos (`toolkit/data_loader.py` 40).
const VIDEOS: [&str; 8] = ["mp4", "avi", "mov", "webm", "mkv", "wmv", "m4v", "flv"];

/// ai-toolkit with the settings of one dataset.
#[derive(Clone, Debug)]
pub(super) struct AiToolkit {
    settings: Settings,
}

impl AiToolkit {
    /// The trainer with its own defaults.
    pub(super) fn make(version: &'static Version) -> Box<dyn Trainer> {
        Box::new(Self { settings: Settings::new(version.name == VERSIONS[1].name) })
    }

    /// The picture once `scale` is applied: `int(side * scale)`.
    fn scaled(&self, picture: Size) -> Result<Size, Unplaced> {
        let side = |before: u32| pixels(f64::from(before) * self.settings.scale).ok_or_else(beyond_memory);
        let scaled = Size::new(side(picture.width)?, side(picture.height)?);
        if scaled.pixels() > 0 { Ok(scaled) } else { Err(zero_division()) }
    }
}

impl Trainer for AiToolkit {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn version(&self) -> &'static Version {
        &VERSIONS[usize::from(self.settings.legacy_buckets)]
    }

    fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        self.settings.set(setting)
    }

    fn profile(&self) -> Profile {
        let resolution = self.settings.resolutions.iter().copied().max().unwrap_or(512);
        Profile {
            trainer: ABOUT.name,
            caption_extension: self.settings.caption_extension.clone(),
            image_extensions: IMAGES.map(str::to_owned).to_vec(),
            resolution: Size::new(resolution, resolution),
            bucket_step: self.settings.divisor,
            extension_case: ExtensionCase::Any,
            max_tokens: self.settings.clip_reads_captions.then_some(75),
            max_aspect: 8.0,
        }
    }

    /// `toolkit/data_loader.py` 438-450: the whole tree, but for what begins with a dot and for files directly in a folder `_controls`.
    fn picks_up(&self, path: &RelPath) -> Pickup {
        let extension = path.extension().to_ascii_lowercase();
        let is_image = IMAGES.contains(&&*extension);
        let is_video = self.settings.takes_videos() && VIDEOS.contains(&&*extension);
        if path.name().starts_with('.') {
            Pickup::PassedOver("its name begins with a dot")
        } else if path.folder().split('/').any(|folder| folder.starts_with('.')) {
            Pickup::PassedOver("it lies in a folder whose name begins with a dot")
        } else if !is_image && !is_video {
            Pickup::PassedOver("its extension is not picked up")
        } else if path.folder().rsplit('/').next() == Some("_controls") {
            Pickup::PassedOver("it lies in a folder `_controls`")
        } else {
            Pickup::Taken
        }
    }

    /// The size of the decoded picture, turned as EXIF says (`toolkit/data_transfer_object/data_loader.py` 157-159), or under
    /// `fast_image_size` that of the header where the trainer can read it (`toolkit/image_utils.py` 59).
    fn size_of(&self, facts: &SampleFacts) -> Option<Size> {
        let probe = facts.probe.as_ref().ok()?;
        if self.settings.fast_image_size && is_read_fast(probe) {
            return Some(probe.size);
        }
        facts.loss().is_none().then(|| probe.oriented_size())
    }

    /// `toolkit/config_modules.py` 1095-1113: the dataset is cloned for each.
    fn resolutions(&self) -> Resolutions {
        Resolutions::Each(self.settings.resolutions.len())
    }

    fn place(&self, size: Size, resolution: usize) -> Result<Placement, Unplaced> {
        let resolutions = &self.settings.resolutions;
        let resolution = resolutions.get(resolution).or(resolutions.first()).copied().unwrap_or(512);
        let picture = self.scaled(size)?;
        if !self.settings.buckets {
            return buckets::unbucketed(picture, resolution);
        }
        if self.settings.square_crop {
            return buckets::square(picture, resolution);
        }
        let choose = if self.settings.legacy_buckets { legacy::fewest_cut } else { buckets::nearest_area };
        buckets::cover(picture, choose(picture, resolution, self.settings.divisor))
    }

    fn react(&self, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
        react::react(&self.settings, condition, facts)
    }

    /// `num_repeats` repeats the list (`toolkit/data_loader.py` 452-454); each of `flip_x` and `flip_y` then adds a mirrored copy of
    /// what is there (574-592).
    fn repeats(&self, _: &RelPath) -> f64 {
        let flips = u32::from(self.settings.flip_x) + u32::from(self.settings.flip_y);
        f64::from(self.settings.repeats) * f64::from(1u32 << flips)
    }

    /// A short last batch is filled with items of its own bucket (`toolkit/dataloader_mixins.py` 199-210).
    fn batching(&self) -> Batching {
        let batch_size = self.settings.batch_size;
        Batching { batch_size, whole: batch_size, accumulation: self.settings.batches_for_a_step(), remainder: Remainder::Filled }
    }
}

/// Whether the trainer's own reader of headers knows the format; for others it asks Pillow (`toolkit/image_utils.py` 59).
fn is_read_fast(probe: &Probe) -> bool {
    matches!(probe.format, Format::Gif | Format::Png | Format::Jpeg | Format::Mpo | Format::Bmp | Format::Tiff | Format::Ico)
}

#[cfg(test)]
mod tests {
    use super::super::{
        facts::{made, picture},
        find,
    };
    use super::*;
    use crate::model::{Mode, Orientation};

    fn with(pairs: &[(&str, toml::Value)]) -> Box<dyn Trainer> {
        made("ai-toolkit", pairs)
    }

    #[test]
    fn every_resolution_places_the_picture_once() {
        let trainer = with(&[("resolution", toml::Value::Array(vec![512.into(), 1024.into()])), ("bucket_divisibility", 32.into())]);
        assert_eq!(trainer.resolutions(), Resolutions::Each(2));
        let buckets = [0, 1].map(|at| trainer.place(Size::new(1000, 1500), at).expect("it has a place").bucket.to_string());
        assert_eq!(buckets, ["416x608", "832x1248"]);
    }

    #[test]
    fn the_old_buckets_are_behind_a_version_and_behind_a_setting() {
        let set = with(&[("bucket_algorithm", "legacy".into()), ("resolution", 1024.into())]);
        let mut named = find("ai-toolkit@legacy").expect("it is known");
        named.set(&Setting::new("resolution", &1024.into())).expect("the setting is valid");
        for trainer in [set, named] {
            assert_eq!(trainer.version().name, "legacy");
            assert_eq!(trainer.place(Size::new(500, 500), 0).expect("it has a place").bucket, Size::new(496, 496));
        }
    }

    #[test]
    fn dots_and_controls_are_passed_over() {
        let trainer = with(&[]);
        let taken = |path: &str| trainer.picks_up(&RelPath::from(path)) == Pickup::Taken;
        let paths = ["a.JPG", "x/y/a.webp", ".a.jpg", ".x/a.jpg", "x/_controls/a.jpg", "_controls/x/a.jpg", "a.bmp", "a.mp4"];
        assert_eq!(paths.map(taken), [true, true, false, false, false, true, false, false]);
        let videos = with(&[("num_frames", 33.into())]);
        assert_eq!(videos.picks_up(&RelPath::from("a.MP4")), Pickup::Taken);
    }

    #[test]
    fn orientation_is_applied_unless_only_the_header_is_read() {
        let mut facts = picture("a.jpg", Format::Jpeg, Mode::Rgb, Size::new(400, 300));
        facts.probe.as_mut().expect("it has a header").orientation = Orientation::new(6);
        assert_eq!(with(&[]).size_of(&facts), Some(Size::new(300, 400)));
        assert_eq!(with(&[("fast_image_size", true.into())]).size_of(&facts), Some(Size::new(400, 300)));
    }

    #[test]
    fn flips_double_the_list() {
        let trainer = with(&[("num_repeats", 3.into()), ("flip_x", true.into()), ("flip_y", true.into())]);
        assert!((trainer.repeats(&RelPath::from("a.png")) - 12.0).abs() < f64::EPSILON);
    }
}
