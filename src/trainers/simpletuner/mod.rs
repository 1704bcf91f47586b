//! `SimpleTuner` (bghira/SimpleTuner): what it picks up, where it puts each picture, what it does about what is wrong.
//!
//! Facts are from bc8e6ab7 of 2026-08-22; paths of files are below `simpletuner/helpers` unless they say otherwise. One instance stands
//! for one entry of `multidatabackend.json`, with what it needs of `config.json`.

mod buckets;
pub mod cache;
mod react;
mod schema;
mod settings;

use std::collections::BTreeMap;

use super::python::round_to;
use super::set::{SetError, Setting};
use super::trainer::{About, Batching, Pickup, Remainder, Trainer, Version};
use crate::model::{Condition, Consequence, ExtensionCase, Format, Placement, Profile, RelPath, SampleFacts, Size, Unplaced};
use buckets::{Measure, Rule, Shape};
use settings::Settings;

/// What is known of the program.
pub(super) static ABOUT: About = About { name: "simpletuner", title: "SimpleTuner", versions: &VERSIONS, keys: &settings::KEYS };

static VERSIONS: [Version; 1] = [Version { name: "2026-08-22", commit: "bc8e6ab7738ce457a2ed8eb2d26cadd91c6442cb", date: "2026-08-22" }];

/// What Pillow 12.3 can open, by extension: all of it is listed (`training/__init__.py` 45-88).
#[rustfmt::skip]
const IMAGES: [&str; 67] = [
    "apng", "avif", "avifs", "blp", "bmp", "bufr", "bw", "cur", "dcx", "dds", "dib", "emf", "eps", "fit", "fits", "flc", "fli", "ftc",
    "ftu", "gbr", "gif", "grib", "h5", "hdf", "icb", "icns", "ico", "iim", "im", "j2c", "j2k", "jfif", "jp2", "jpc", "jpe", "jpeg", "jpf",
    "jpg", "jpx", "mpeg", "mpg", "msp", "pbm", "pcd", "pcx", "pfm", "pgm", "png", "pnm", "ppm", "ps", "psd", "pxr", "qoi", "ras", "rgb",
    "rgba", "sgi", "tga", "tif", "tiff", "vda", "vst", "webp", "wmf", "xbm", "xpm",
];

/// Videos and sounds, which are listed in a dataset of pictures too (`training/__init__.py` 45-88).
#[rustfmt::skip]
const OTHERS: [&str; 18] = [
    "mp4", "avi", "mov", "mkv", "webm", "flv", "wmv", "m4v", "mpeg", "mpg", "3gp", "ogv",
    "wav", "mp3", "flac", "ogg", "m4a", "aac",
];

/// Folders that are not entered (`data_backend/local.py` 140-170).
const LEFT_OUT: [&str; 6] = [".Spotlight-V100", ".Trashes", ".fseventsd", ".TemporaryItems", ".zfs", ".ipynb_checkpoints"];

/// `SimpleTuner` with the settings of one dataset.
#[derive(Clone, Debug)]
pub(super) struct SimpleTuner {
    settings: Settings,
}

impl SimpleTuner {
    /// The trainer with its own defaults.
    pub(super) fn make(_: &'static Version) -> Box<dyn Trainer> {
        Box::new(Self { settings: Settings::new() })
    }

    /// What is smaller than `minimum_image_size` is left out (`metadata/backends/base.py` 1256-1276).
    fn is_too_small(&self, size: Size, rule: &Rule) -> bool {
        let edges_reach = |edge: f64| f64::from(size.short_side()) >= edge;
        match self.settings.minimum() {
            None => false,
            Some(Measure::ShortEdge(edge)) => !edges_reach(edge),
            Some(Measure::Megapixels(megapixels)) => {
                #[expect(clippy::cast_precision_loss, reason = "no picture has 2^53 pixels")]
                let pixels = size.pixels() as f64;
                pixels < megapixels * 1e6 || (rule.shape == Shape::Square && !edges_reach((megapixels * 1e6).sqrt().floor()))
            }
        }
    }

    /// Buckets beyond `minimum_aspect_ratio` and `maximum_aspect_ratio` are left out, by their rounded aspect.
    fn is_beyond_aspects(&self, bucket: Size, rule: &Rule) -> bool {
        let aspect = round_to(f64::from(bucket.width) / f64::from(bucket.height.max(1)), rule.decimals);
        self.settings.minimum_aspect.is_some_and(|least| aspect < least) || self.settings.maximum_aspect.is_some_and(|most| aspect > most)
    }
}

impl Trainer for SimpleTuner {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        self.settings.set(setting)
    }

    /// The extension of captions is fixed; by default they are not read from files at all, but from the pictures' names.
    fn profile(&self) -> Profile {
        let edge = super::python::pixels(self.settings.edge().round()).unwrap_or(u32::MAX).max(1);
        Profile {
            trainer: ABOUT.name,
            caption_extension: ".txt".to_owned(),
            image_extensions: IMAGES.map(str::to_owned).to_vec(),
            resolution: Size::new(edge, edge),
            bucket_step: self.settings.alignment(),
            extension_case: ExtensionCase::Any,
            max_tokens: self.settings.clip_reads_captions().then_some(75),
            max_aspect: 8.0,
        }
    }

    /// `data_backend/local.py` 140-170: the whole tree through links, hidden files and folders too.
    fn picks_up(&self, path: &RelPath) -> Pickup {
        let extension = path.extension().to_ascii_lowercase();
        if !IMAGES.contains(&&*extension) && !OTHERS.contains(&&*extension) {
            Pickup::PassedOver("its extension is not picked up")
        } else if path.folder().split('/').any(|folder| LEFT_OUT.contains(&folder)) {
            Pickup::PassedOver("it lies in a folder that is not entered")
        } else {
            Pickup::Taken
        }
    }

    /// EXIF is lost on the way through the decoder that is tried first, whatever is done about it later
    /// (`image_manipulation/load.py` 115-155, `image_manipulation/training_sample.py` 652-663).
    fn size_of(&self, facts: &SampleFacts) -> Option<Size> {
        let probe = facts.probe.as_ref().ok()?;
        Some(if is_decoded_first(probe.format) { probe.size } else { probe.oriented_size() })
    }

    fn place(&self, size: Size, _: usize) -> Result<Placement, Unplaced> {
        if self.settings.lacks_aspects() {
            return Err(Unplaced::stops("ValueError: crop_aspect_buckets must be provided when crop_aspect is set to 'random'."));
        }
        let rule = self.settings.rule();
        if self.is_too_small(size, &rule) {
            let deleted = if self.settings.deletes_unwanted { ", and its file is deleted" } else { "" };
            return Err(Unplaced::skips(format!("the image is smaller than minimum_image_size{deleted}")));
        }
        let placement = rule.place(size)?;
        if self.is_beyond_aspects(placement.bucket, &rule) {
            return Err(Unplaced::skips("the bucket's aspect is beyond minimum_aspect_ratio or maximum_aspect_ratio"));
        }
        Ok(placement)
    }

    fn react(&self, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
        react::react(self, condition, facts)
    }

    /// `repeats` counts those after the first (`metadata/backends/base.py` 786-867).
    fn repeats(&self, _: &RelPath) -> f64 {
        f64::from(self.settings.repeats) + 1.0
    }

    /// The first target that is stored for an aspect is used for all pictures of that aspect, and files come in the order of a Python
    /// set of texts, which is another one in each process (`multiaspect/image.py` 225-235, `metadata/backends/discovery.py` 269-275).
    fn deciding_sizes(&self, sizes: &[Size]) -> Vec<Size> {
        let rule = self.settings.rule();
        let mut targets: BTreeMap<u64, BTreeMap<[u64; 2], Size>> = BTreeMap::new();
        for size in sizes {
            if let Some(wish) = rule.wish(*size) {
                targets.entry(wish.key.to_bits()).or_default().entry([wish.target.0.to_bits(), wish.target.1.to_bits()]).or_insert(*size);
            }
        }
        targets.into_values().filter(|sizes| sizes.len() > 1).flat_map(BTreeMap::into_values).collect()
    }

    fn alternatives(&self, size: Size, sizes: &[Size]) -> Vec<Placement> {
        let rule = self.settings.rule();
        let Ok(first) = self.place(size, 0) else { return Vec::new() };
        let mut others = Vec::new();
        let mut add = |placement: Result<Placement, Unplaced>| {
            others.extend(placement.ok().filter(|placement| *placement != first));
        };
        if self.settings.draws_aspects() {
            for aspect in &self.settings.aspects {
                add(Rule { shape: Shape::Given(*aspect), ..rule.clone() }.place(size));
            }
        } else if let Some(own) = rule.wish(size) {
            let wishes = sizes.iter().filter_map(|other| rule.wish(*other));
            for wish in wishes.filter(|wish| wish.key.to_bits() == own.key.to_bits() && wish.target != own.target) {
                add(rule.place_remembering(size, Some(wish.target)));
            }
        }
        others.sort_unstable_by_key(|placement| (placement.bucket, placement.resized));
        others.dedup();
        others
    }

    /// A bucket with fewer samples than a whole step stops the run, unless the trainer may repeat them
    /// (`metadata/backends/base.py` 786-867); a short last batch is filled from its bucket (`multiaspect/sampler.py` 1084-1107).
    fn batching(&self) -> Batching {
        let Settings { batch_size, accumulation, processes, .. } = self.settings;
        let is_repeated = self.settings.oversubscribes && self.settings.repeats == 0;
        Batching {
            batch_size,
            whole: batch_size.saturating_mul(processes).saturating_mul(accumulation),
            accumulation,
            remainder: if is_repeated { Remainder::Filled } else { Remainder::FilledOrStops },
        }
    }
}

/// Whether the decoder in Rust that is tried before Pillow (trainingsample 0.3.2) reads the format.
fn is_decoded_first(format: Format) -> bool {
    matches!(format, Format::Jpeg | Format::Mpo | Format::Png | Format::WebP | Format::Tiff | Format::Gif | Format::Bmp)
}

#[cfg(test)]
mod tests {
    use super::super::facts::{made, picture};
    use super::*;
    use crate::model::{Mode, Orientation, Outcome};

    fn with(pairs: &[(&str, toml::Value)]) -> Box<dyn Trainer> {
        made("simpletuner", pairs)
    }

    #[test]
    fn nearly_everything_is_listed() {
        let trainer = with(&[]);
        let taken = |path: &str| trainer.picks_up(&RelPath::from(path)) == Pickup::Taken;
        let paths = ["a.PSD", "x/._a.jpg", ".thumbs/a.png", "a.mp4", "a.wav", "x/.ipynb_checkpoints/a.png", "a.heic", "a.txt"];
        assert_eq!(paths.map(taken), [true, true, true, true, true, false, false, false]);
    }

    #[test]
    fn only_what_pillow_reads_is_turned() {
        for (format, size) in [(Format::Jpeg, "400x300"), (Format::Tiff, "400x300"), (Format::Avif, "300x400")] {
            let mut facts = picture("a.jpg", format, Mode::Rgb, Size::new(400, 300));
            facts.probe.as_mut().expect("it has a header").orientation = Orientation::new(6);
            assert_eq!(with(&[]).size_of(&facts).expect("it has a size").to_string(), size, "{format}");
        }
    }

    #[test]
    fn the_first_of_an_aspect_decides_for_all_of_it() {
        let trainer = with(&[("aspect_bucket_alignment", 16.into())]);
        let (first, second, other) = (Size::new(768, 1344), Size::new(1080, 1920), Size::new(640, 480));
        let deciding = trainer.deciding_sizes(&[first, second, other, first]);
        assert_eq!(deciding, [first, second]);
        let alternatives = trainer.alternatives(first, &deciding);
        assert_eq!(alternatives.iter().map(|placement| placement.bucket).collect::<Vec<_>>(), [Size::new(768, 1376)]);
        assert!(trainer.alternatives(other, &deciding).is_empty());
    }

    #[test]
    fn a_random_aspect_may_be_any_of_the_list() {
        let aspects = toml::Value::Array([0.5, 1.0, 2.0].map(toml::Value::from).to_vec());
        let trainer = with(&[("crop", true.into()), ("crop_aspect", "random".into()), ("crop_aspect_buckets", aspects)]);
        let size = Size::new(1024, 1024);
        let buckets: Vec<String> = trainer.alternatives(size, &[]).iter().map(|placement| placement.bucket.to_string()).collect();
        assert_eq!(
            (trainer.place(size, 0).expect("it has a place").bucket, buckets),
            (Size::new(704, 1472), vec!["1024x1024".to_owned(), "1472x704".to_owned()])
        );
    }

    #[test]
    fn what_is_too_small_or_too_long_is_left_out() {
        let trainer =
            with(&[("minimum_image_size", 512.into()), ("maximum_aspect_ratio", 2.into()), ("delete_unwanted_images", true.into())]);
        let error = trainer.place(Size::new(500, 500), 0).expect_err("it is too small");
        assert_eq!((error.outcome, error.error.ends_with("its file is deleted")), (Outcome::Skip, true));
        assert!(trainer.place(Size::new(512, 512), 0).is_ok());
        assert!(trainer.place(Size::new(2000, 500), 0).is_err());
    }

    #[test]
    fn a_whole_step_counts_gpus_and_accumulation() {
        let trainer = with(&[("gradient_accumulation_steps", 2.into()), ("num_processes", 3.into())]);
        let batching = trainer.batching();
        assert_eq!((batching.batch_size, batching.whole, batching.remainder), (4, 24, Remainder::FilledOrStops));
        assert_eq!(with(&[("allow_dataset_oversubscription", true.into())]).batching().remainder, Remainder::Filled);
    }
}
