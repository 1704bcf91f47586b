//! diffusion-pipe: what it picks up, where it puts each picture, what it does about what is wrong.
//!
//! Facts are from tdrussell/diffusion-pipe 8f83dbf2 of 2026-08-20, `utils/dataset.py` where no other file is named. One instance stands
//! for one `[[directory]]`, with what it needs of the training configuration.

mod buckets;
mod react;
mod settings;

use super::python::zero_division;
use super::set::{SetError, Setting};
use super::trainer::{About, Batching, Pickup, Remainder, Resolutions, Trainer, Version};
use crate::model::{Condition, Consequence, ExtensionCase, Format, Placement, Probe, Profile, RelPath, SampleFacts, Size, Unplaced};
use settings::Settings;

/// What is known of the program.
pub(super) static ABOUT: About = About { name: "diffusion-pipe", title: "diffusion-pipe", versions: &VERSIONS, keys: &settings::KEYS };

static VERSIONS: [Version; 1] = [Version { name: "2026-08-20", commit: "8f83dbf25d03219df705570ec03e62be04bc402f", date: "2026-08-20" }];

/// Extensions of files that are not listed, compared exactly.
const PASSED_OVER: [&str; 6] = ["txt", "npz", "json", "parquet", "bak", "db"];

/// diffusion-pipe with the settings of one folder.
#[derive(Clone, Debug)]
pub(super) struct DiffusionPipe {
    settings: Settings,
}

impl DiffusionPipe {
    /// The trainer with its own defaults.
    pub(super) fn make(_: &'static Version) -> Box<dyn Trainer> {
        Box::new(Self { settings: Settings::new() })
    }
}

impl Trainer for DiffusionPipe {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        self.settings.set(setting)
    }

    fn profile(&self) -> Profile {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "above 0, and beyond the largest it saturates")]
        let side = self.settings.resolutions().last().map_or(512, |side| side.round() as u32);
        Profile {
            trainer: ABOUT.name,
            caption_extension: ".txt".to_owned(),
            image_extensions: Format::ALL.iter().flat_map(|format| format.extensions()).map(|&extension| extension.to_owned()).collect(),
            resolution: Size::new(side, side),
            bucket_step: self.settings.step,
            extension_case: ExtensionCase::Any,
            max_tokens: None,
            // Twice the longest aspect bucket that the example has; half of such a strip is cut off.
            max_aspect: 4.0,
        }
    }

    /// The folder is not read below its top; a `.tar` is read member by member, which is not followed here.
    fn picks_up(&self, path: &RelPath) -> Pickup {
        if !path.folder().is_empty() {
            Pickup::PassedOver("sub-folders are not read")
        } else if PASSED_OVER.contains(&path.extension()) {
            Pickup::PassedOver("its extension is that of captions, caches or tables")
        } else {
            Pickup::Taken
        }
    }

    /// `Image.open(...).size`: EXIF is not looked at.
    fn size_of(&self, facts: &SampleFacts) -> Option<Size> {
        facts.probe.as_ref().ok().map(|Probe { size, .. }| *size)
    }

    /// A picture is taken at each; with `size_buckets` there are none.
    fn resolutions(&self) -> Resolutions {
        Resolutions::Each(if self.settings.sizes.is_some() { 1 } else { self.settings.resolutions().len() })
    }

    fn place(&self, size: Size, resolution: usize) -> Result<Placement, Unplaced> {
        if size.pixels() == 0 {
            return Err(zero_division());
        }
        let too_short = || Unplaced::skips("it is being skipped because it is too short");
        if let Some(sizes) = &self.settings.sizes {
            let bucket = buckets::nearest_size_bucket(size, 1, sizes).ok_or_else(too_short)?;
            return Ok(buckets::cover(size, bucket.size));
        }
        if self.settings.written() > 3 {
            return Err(Unplaced::stops("it quits with the warning that a lot of resolutions are set"));
        }
        buckets::frame_bucket(1, &self.settings.frames()).ok_or_else(too_short)?;
        let aspect = buckets::nearest_aspect(size, &self.settings.aspects()).ok_or_else(too_short)?;
        let sides = self.settings.resolutions();
        let edge = sides.get(resolution).or(sides.first()).copied().unwrap_or(512.0);
        Ok(buckets::cover(size, buckets::size_at(aspect, edge, self.settings.step)))
    }

    fn react(&self, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
        react::react(&self.settings, condition, facts)
    }

    /// Of a bucket of `n` pictures `int(n * num_repeats)` are taken in a pass.
    fn repeats(&self, _: &RelPath) -> f64 {
        self.settings.repeats
    }

    /// Each bucket is cut to a multiple of the batches of all GPUs and accumulation steps; the order is the same in each pass, and so is
    /// what is left out (`ConcatenatedBatchedDataset`).
    fn batching(&self) -> Batching {
        let (batch_size, accumulation) = (self.settings.batch_size(), self.settings.accumulation);
        Batching {
            batch_size,
            whole: batch_size.saturating_mul(accumulation).saturating_mul(self.settings.parallel()),
            accumulation,
            remainder: Remainder::Dropped { rotates: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{facts::picture, find};
    use super::*;
    use crate::model::{Mode, Orientation, Outcome, Phase};

    fn with(pairs: &[(&str, &str)]) -> Box<dyn Trainer> {
        let mut trainer = find("diffusion-pipe").expect("it is known");
        for (key, value) in pairs {
            let table: toml::Table = format!("value = {value}").parse().expect("the value is TOML");
            trainer.set(&Setting::new(key, &table["value"])).expect("the setting is valid");
        }
        trainer
    }

    fn bucket(trainer: &dyn Trainer, width: u32, height: u32, resolution: usize) -> String {
        trainer.place(Size::new(width, height), resolution).expect("it has a place").bucket.to_string()
    }

    #[test]
    fn without_aspect_buckets_everything_is_square() {
        assert_eq!(bucket(&*with(&[]), 1920, 1080, 0), "512x512");
        let trainer = with(&[("enable_ar_bucket", "true"), ("min_ar", "0.5"), ("max_ar", "2"), ("num_ar_buckets", "7")]);
        assert_eq!(bucket(&*trainer, 1920, 1080, 0), "640x400");
        assert_eq!(trainer.place(Size::new(1920, 1080), 0).expect("it has a place").resized, Size::new(711, 400));
    }

    #[test]
    fn a_picture_is_taken_at_each_resolution() {
        let trainer = with(&[("resolutions", "[768, 512, 512]"), ("enable_ar_bucket", "true"), ("ar_buckets", "[1.0, [4, 1]]")]);
        assert_eq!(trainer.resolutions(), Resolutions::Each(2));
        assert_eq!([0, 1].map(|resolution| bucket(&*trainer, 4000, 1000, resolution)), ["1024x256", "1536x384"]);
        let error = with(&[("resolutions", "[1, 2, 3, 4]")]).place(Size::new(8, 8), 0).expect_err("there are too many");
        assert_eq!(error.outcome, Outcome::Stop);
    }

    #[test]
    fn buckets_for_clips_alone_leave_pictures_out() {
        let trainer = with(&[("size_buckets", "[[512, 512, 33]]")]);
        assert_eq!(trainer.place(Size::new(512, 512), 0).expect_err("it is too short").outcome, Outcome::Skip);
        assert_eq!(bucket(&*with(&[("size_buckets", "[[640, 480, 1]]")]), 100, 900, 0), "640x480");
    }

    #[test]
    fn every_file_is_listed_but_side_files() {
        let taken = ["a.png", ".a.png", "a.TXT", "a.pdf", "a"];
        let passed = ["a.txt", "a.npz", "a.json", "a.parquet", "a.bak", "Thumbs.db", "x/a.png"];
        let picks_up = |path: &str| with(&[]).picks_up(&RelPath::from(path)) == Pickup::Taken;
        assert!(taken.iter().all(|path| picks_up(path)));
        assert!(!passed.iter().any(|path| picks_up(path)));
    }

    #[test]
    fn headers_that_fail_are_skipped_and_pixels_that_fail_stop_the_run() {
        let does = |condition| {
            let consequence = with(&[]).react(condition, None).expect("it says what it does");
            (consequence.outcome, consequence.phase)
        };
        assert_eq!(does(Condition::EmptyFile), (Outcome::Skip, Phase::DatasetScan));
        assert_eq!(does(Condition::RefusedAtOpen), (Outcome::Skip, Phase::DatasetScan));
        assert_eq!(does(Condition::RefusedAtLoad), (Outcome::Stop, Phase::Caching));
        assert_eq!(does(Condition::CaptionMissing), (Outcome::Skip, Phase::DatasetScan));
        let kept = with(&[("skip_empty_caption", "false")]).react(Condition::CaptionMissing, None);
        assert_eq!(kept.expect("it says what it does").outcome, Outcome::Distort);
    }

    #[test]
    fn pictures_are_not_turned_and_webp_must_not_move() {
        let mut facts = picture("a.webp", Format::WebP, Mode::Rgb, Size::new(400, 300));
        facts.probe.as_mut().expect("it has a header").orientation = Orientation::new(6);
        assert_eq!(with(&[]).size_of(&facts), Some(Size::new(400, 300)));
        assert_eq!(with(&[]).react(Condition::Animated, Some(&facts)).expect("it says what it does").outcome, Outcome::Stop);
        facts.sample.path = RelPath::from("a.WEBP");
        assert_eq!(with(&[]).react(Condition::Animated, Some(&facts)), None);
    }

    #[test]
    fn a_whole_batch_counts_gpus_and_accumulation() {
        let pairs = [("micro_batch_size_per_gpu", "2"), ("gradient_accumulation_steps", "4"), ("num_gpus", "4"), ("pipeline_stages", "2")];
        assert_eq!((with(&pairs).batching().batch_size, with(&pairs).batching().whole), (2, 16));
        assert_eq!(with(&[("pipeline_stages", "8")]).batching().whole, 1);
    }
}
