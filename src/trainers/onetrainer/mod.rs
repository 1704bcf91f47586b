//! `OneTrainer` (Nerogar/OneTrainer, which loads data with mgds): what it picks up, where it puts each picture, what it does about what is
//! wrong.
//!
//! Facts are from `OneTrainer` 23df3832 of 2026-08-19 and mgds 3a6994a of 2026-07-05; files named in capitals, such as
//! `CollectPaths.py`, are pipeline modules of mgds. One instance stands for one concept, with what it needs of the training configuration.

mod buckets;
mod react;
mod schema;
mod set_order;
mod settings;

use super::python::zero_division;
use super::set::{SetError, Setting};
use super::trainer::{About, Batching, Pickup, Remainder, Resolutions, Trainer, Version};
use crate::model::{Condition, Consequence, ExtensionCase, Format, Inventory, Placement, Profile, RelPath, SampleFacts, Size, Unplaced};
use settings::{Balancing, Settings, Target};

/// What is known of the program.
pub(super) static ABOUT: About = About { name: "onetrainer", title: "OneTrainer", versions: &VERSIONS, keys: &settings::KEYS };

static VERSIONS: [Version; 1] = [Version {
    name: "2026-08-19",
    commit: "23df3832e8f213d64c337e39f9365ba46e99fed0, mgds 3a6994ad18a490acc4f3876658167525b7d88da7",
    date: "2026-08-19",
}];

/// Pictures that are listed (`modules/util/path_util.py` 38).
const IMAGES: [&str; 8] = ["bmp", "jpg", "jpeg", "png", "tif", "tiff", "webp", "avif"];

/// Videos that are listed for Hunyuan Video (`modules/util/path_util.py` 39).
const VIDEOS: [&str; 9] = ["webm", "mkv", "flv", "avi", "mov", "wmv", "mp4", "mpeg", "m4v"];

/// `OneTrainer` with the settings of one concept.
#[derive(Clone, Debug)]
pub(super) struct OneTrainer {
    settings: Settings,
    /// Files that are picked up, once the folder has been seen.
    files: Option<u64>,
}

impl OneTrainer {
    /// The trainer with its own defaults.
    pub(super) fn make(_: &'static Version) -> Box<dyn Trainer> {
        Box::new(Self { settings: Settings::new(), files: None })
    }
}

impl Trainer for OneTrainer {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        self.settings.set(setting)
    }

    fn profile(&self) -> Profile {
        Profile {
            trainer: ABOUT.name,
            caption_extension: ".txt".to_owned(),
            image_extensions: IMAGES.map(str::to_owned).to_vec(),
            resolution: match self.settings.target() {
                Target::Edges(edges) => {
                    let edge = edges.iter().copied().max().unwrap_or(512);
                    Size::new(edge, edge)
                }
                Target::Fixed(size) => *size,
            },
            bucket_step: self.settings.quantization,
            extension_case: ExtensionCase::Any,
            max_tokens: self.settings.clip_reads_captions.then_some(75),
            // The longest bucket; of longer strips the ends are cut off.
            max_aspect: 4.0,
        }
    }

    /// `CollectPaths.py` 45-69 and `modules/dataLoader/mixin/DataLoaderText2ImageMixin.py` 58-74. Hidden files are taken.
    fn picks_up(&self, path: &RelPath) -> Pickup {
        let extension = path.extension().to_ascii_lowercase();
        let is_video = self.settings.takes_videos && VIDEOS.contains(&&*extension);
        if !IMAGES.contains(&&*extension) && !is_video {
            Pickup::PassedOver("its extension is not picked up")
        } else if !path.folder().is_empty() && !self.settings.include_subfolders {
            Pickup::PassedOver("subfolders are not read unless include_subdirectories is on")
        } else if path.folder().split('/').any(|folder| folder.starts_with('.')) {
            Pickup::PassedOver("it lies in a folder whose name begins with a dot")
        } else if path.stem().ends_with("-masklabel") || path.stem().ends_with("-condlabel") {
            Pickup::PassedOver("its name marks it as the mask or the conditioning image of another")
        } else {
            Pickup::Taken
        }
    }

    /// The size of the decoded tensor (`CalcAspect.py` 23-26): turned as EXIF says, but for WebP, whose decoder in torchvision takes no
    /// EXIF (`LoadImage.py` 55-109).
    fn size_of(&self, facts: &SampleFacts) -> Option<Size> {
        let probe = facts.probe.as_ref().ok()?;
        Some(if probe.format == Format::WebP { probe.size } else { probe.oriented_size() })
    }

    /// Of several resolutions one is drawn for each picture (`AspectBucketing.py` 182-191).
    fn resolutions(&self) -> Resolutions {
        match self.settings.target().count() {
            0 | 1 => Resolutions::Each(1),
            several => Resolutions::OneOf(several),
        }
    }

    /// The place under crop jitter is drawn; this is the centre, as without.
    fn place(&self, size: Size, resolution: usize) -> Result<Placement, Unplaced> {
        if size.pixels() == 0 {
            return Err(zero_division());
        }
        let quantization = self.settings.quantization;
        let bucket = match self.settings.target() {
            Target::Edges(edges) => {
                let edge = edges.get(resolution).or(edges.first()).copied().unwrap_or(512);
                if self.settings.bucketing { buckets::nearest(size, edge, quantization)? } else { Size::new(edge, edge) }
            }
            Target::Fixed(fixed) if self.settings.bucketing => buckets::fixed(*fixed, quantization)?,
            // `SingleAspectCalculation.py` 81-105 reads edges only.
            Target::Fixed(fixed) => {
                return Err(Unplaced::stops(format!("ValueError: invalid literal for int() with base 10: '{fixed}'")));
            }
        };
        buckets::cover(size, bucket)
    }

    fn react(&self, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
        react::react(self, condition, facts)
    }

    /// `DiskCache.py` 113-119. A number of samples is shared out among the files once the folder has been seen.
    fn repeats(&self, _: &RelPath) -> f64 {
        match (self.settings.balancing(), self.files) {
            (Balancing::Repeats(repeats), _) => repeats,
            #[expect(clippy::cast_precision_loss, reason = "no folder holds 2^53 files")]
            (Balancing::Samples(samples), Some(files)) => samples / files.max(1) as f64,
            (Balancing::Samples(_), None) => 1.0,
        }
    }

    fn prepared(&self, inventory: &Inventory) -> Option<Box<dyn Trainer>> {
        let is_counted = matches!(self.settings.balancing(), Balancing::Samples(_));
        let files = || inventory.samples.iter().filter(|sample| self.picks_up(&sample.path) == Pickup::Taken).count();
        is_counted.then(|| Box::new(Self { files: u64::try_from(files()).ok(), ..self.clone() }) as Box<dyn Trainer>)
    }

    /// What does not fill a batch is left out: after a shuffle of its bucket in each pass with cached latents
    /// (`AspectBatchSorting.py` 27-60), and what is left in each bucket when a shuffled pass ends without
    /// (`InlineAspectBatchSorting.py` 46-78). A bucket with fewer samples than a batch is never trained on.
    fn batching(&self) -> Batching {
        let batch_size = self.settings.batch_size;
        Batching {
            batch_size,
            whole: batch_size.saturating_mul(self.settings.gpus()),
            accumulation: self.settings.accumulation,
            remainder: Remainder::Dropped { rotates: true },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::{made, picture};
    use super::*;
    use crate::model::{Mode, Orientation};

    fn with(pairs: &[(&str, toml::Value)]) -> Box<dyn Trainer> {
        made("onetrainer", pairs)
    }

    #[test]
    fn subfolders_hidden_files_and_masks_are_told_apart() {
        let plain = with(&[]);
        let taken = |trainer: &dyn Trainer, path: &str| trainer.picks_up(&RelPath::from(path)) == Pickup::Taken;
        let paths = ["a.PNG", "._a.jpg", "a-masklabel.png", "a-condlabel.png", "x/a.jpg", ".x/a.jpg", "a.gif", "a.avif"];
        assert_eq!(paths.map(|path| taken(&*plain, path)), [true, true, false, false, false, false, false, true]);
        let deep = with(&[("include_subdirectories", true.into())]);
        assert_eq!(paths.map(|path| taken(&*deep, path)), [true, true, false, false, true, false, false, true]);
    }

    #[test]
    fn a_resolution_is_drawn_or_fixed() {
        let drawn = with(&[("resolution", "512,768".into()), ("aspect_bucketing_quantization", 64.into())]);
        assert_eq!(drawn.resolutions(), Resolutions::OneOf(2));
        assert_eq!(drawn.place(Size::new(1366, 768), 1).expect("it has a place").bucket, Size::new(1024, 576));
        let fixed = with(&[("resolution", "1000x700".into()), ("model_type", "FLUX_DEV_1".into())]);
        assert_eq!(fixed.place(Size::new(64, 64), 0).expect("it has a place").bucket, Size::new(1024, 704));
        let square = with(&[("resolution", "1000x700".into()), ("aspect_ratio_bucketing", false.into())]);
        let error = square.place(Size::new(64, 64), 0).expect_err("it is no number");
        assert_eq!(error.error, "ValueError: invalid literal for int() with base 10: '1000x700'");
    }

    #[test]
    fn webp_is_never_turned() {
        for (format, size) in [(Format::Jpeg, "300x400"), (Format::Tiff, "300x400"), (Format::WebP, "400x300")] {
            let mut facts = picture("a.jpg", format, Mode::Rgb, Size::new(400, 300));
            facts.probe.as_mut().expect("it has a header").orientation = Orientation::new(6);
            assert_eq!(with(&[]).size_of(&facts).expect("it has a size").to_string(), size, "{format}");
        }
    }

    #[test]
    fn a_number_of_samples_is_shared_out_among_the_files() {
        let trainer = with(&[("balancing", 5.into()), ("balancing_strategy", "SAMPLES".into())]);
        let samples = ["a.png", "b.png", "c.gif"].map(|path| picture(path, Format::Png, Mode::Rgb, Size::new(8, 8)).sample);
        let inventory = Inventory { samples: samples.to_vec(), ..Inventory::default() };
        let prepared = trainer.prepared(&inventory).expect("it counts files");
        assert!((prepared.repeats(&RelPath::from("a.png")) - 2.5).abs() < f64::EPSILON);
        assert!(with(&[]).prepared(&inventory).is_none());
    }

    #[test]
    fn gpus_make_a_whole_batch_larger() {
        let trainer = with(&[("batch_size", 4.into()), ("multi_gpu", true.into()), ("device_indexes", "0,1".into())]);
        let batching = trainer.batching();
        assert_eq!((batching.batch_size, batching.whole, batching.remainder), (4, 8, Remainder::Dropped { rotates: true }));
    }
}
