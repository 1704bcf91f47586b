//! kohya-ss/musubi-tuner: training for Wan, `HunyuanVideo`, `FramePack`, Qwen-Image, FLUX.2 and others.
//!
//! The rules are those of version 0.3.4 (30c658c4, 2026-06-24). Latents and text embeddings are cached by programs of their own, and
//! training sees nothing but the caches: whatever happens to a picture happens while caching. `buckets` holds sizes, `clips` the frames
//! of videos, `settings` the keys, `react` what happens to files and captions that are not as they should be.

mod buckets;
mod clips;
mod react;
mod settings;

pub use buckets::{bucket_list, control_size};
pub use clips::{Clip, Extraction, KeptFrame, clips, kept_frames, rounded_targets};

use settings::Settings;

use super::set::{SetError, Setting};
use super::trainer::{About, Batching, Pickup, Remainder, Trainer, Version};
use crate::model::{Condition, Consequence, ExtensionCase, Outcome, Phase, Placement, Profile, RelPath, SampleFacts, Size, Unplaced};

pub(super) static ABOUT: About = About { name: "musubi", title: "musubi-tuner", versions: &VERSIONS, keys: &settings::KEYS };

static VERSIONS: [Version; 1] = [Version { name: "0.3.4", commit: "30c658c4f4b0bf05038b3346eff9670259b10fc7", date: "2026-06-24" }];

/// What is listed, in these letters or all in capitals (`src/musubi_tuner/dataset/media_utils.py` 21-37).
const EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "webp", "bmp", "avif"];

/// musubi-tuner with the settings of one dataset.
#[derive(Clone, Debug)]
pub(super) struct Musubi {
    version: &'static Version,
    settings: Settings,
}

/// The trainer with its own defaults.
pub(super) fn make(version: &'static Version) -> Box<dyn Trainer> {
    Box::new(Musubi { version, settings: Settings::default() })
}

impl Trainer for Musubi {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn version(&self) -> &'static Version {
        self.version
    }

    fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        self.settings.set(setting)
    }

    /// There is no default for the extension of captions, and nothing goes without one: `.txt` of the trainer's own examples stands
    /// in. Encoders other than CLIP read the whole caption, so CLIP's limit does not matter.
    fn profile(&self) -> Profile {
        let settings = &self.settings;
        Profile {
            trainer: ABOUT.name,
            caption_extension: settings.caption_extension.clone(),
            image_extensions: EXTENSIONS.map(str::to_owned).to_vec(),
            resolution: settings.buckets.resolution,
            bucket_step: settings.buckets.step,
            extension_case: ExtensionCase::LowerOrUpper,
            max_tokens: None,
            max_aspect: 8.0,
        }
    }

    /// Python's glob lists one folder, and leaves out names that begin with a dot (`src/musubi_tuner/dataset/media_utils.py` 40-98).
    fn picks_up(&self, path: &RelPath) -> Pickup {
        let extension = path.extension();
        if path.name().starts_with('.') {
            Pickup::PassedOver("its name begins with a dot")
        } else if path.as_str().contains('/') {
            Pickup::PassedOver("it lies in a subfolder, and only the folder itself is listed")
        } else if EXTENSIONS.iter().any(|known| *known == extension || known.to_ascii_uppercase() == extension) {
            if self.settings.repeats > 0 { Pickup::Taken } else { Pickup::PassedOver("num_repeats is 0") }
        } else if EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)) {
            Pickup::PassedOver("its extension is neither all in small letters nor all in capitals")
        } else {
            Pickup::PassedOver("its extension is not listed")
        }
    }

    /// Pillow's, without EXIF orientation.
    fn size_of(&self, facts: &SampleFacts) -> Option<Size> {
        facts.size()
    }

    /// An extension of captions without a dot is taken as it is, and then no caption is found
    /// (`src/musubi_tuner/dataset/datasources.py` 59-210).
    fn place(&self, size: Size, _: usize) -> Result<Placement, Unplaced> {
        if self.settings.extension_lacks_dot {
            let extension = self.settings.caption_extension.trim_start_matches('.');
            let error = format!("FileNotFoundError: the caption of a.png is looked for as a{extension}, for caption_extension has no dot");
            return Err(Unplaced { error: error.into(), outcome: Outcome::Stop, phase: Phase::Caching });
        }
        self.settings.buckets.place(size)
    }

    fn react(&self, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
        Some(react::react(&self.settings, condition, facts))
    }

    fn repeats(&self, _: &RelPath) -> f64 {
        self.settings.repeats.into()
    }

    /// The last batch of a bucket is a short one (`src/musubi_tuner/dataset/bucket.py` 168-283).
    fn batching(&self) -> Batching {
        let Settings { batch_size, accumulation, .. } = self.settings;
        Batching { batch_size, whole: batch_size, accumulation, remainder: Remainder::Kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn musubi() -> Musubi {
        Musubi { version: &VERSIONS[0], settings: Settings::default() }
    }

    fn set(trainer: &mut Musubi, key: &str, value: impl Into<toml::Value>) {
        trainer.set(&Setting::new(key, &value.into())).expect("the setting is valid");
    }

    #[test]
    fn one_folder_is_listed_and_no_hidden_file() {
        let taken: Vec<_> = ["a.png", "b.AVIF", "c.Png", ".d.png", "f.gif", "g/h.png", "i.jpeg", "10_k/l.png"]
            .into_iter()
            .filter(|path| musubi().picks_up(&RelPath::from(*path)) == Pickup::Taken)
            .collect();
        assert_eq!(taken, ["a.png", "b.AVIF", "i.jpeg"]);
    }

    #[test]
    fn an_extension_without_a_dot_finds_no_caption() {
        let mut trainer = musubi();
        set(&mut trainer, "caption_extension", ".caption");
        assert!(trainer.place(Size::new(640, 480), 0).is_ok());
        set(&mut trainer, "caption_extension", "txt");
        assert_eq!(trainer.profile().caption_extension, ".txt");
        let unplaced = trainer.place(Size::new(640, 480), 0).expect_err("the caption is not found");
        assert_eq!((unplaced.outcome, unplaced.phase), (Outcome::Stop, Phase::Caching));
    }

    #[test]
    fn the_architecture_decides_the_step() {
        let mut trainer = musubi();
        set(&mut trainer, "architecture", "ho1");
        assert_eq!(trainer.profile().bucket_step, 32);
        set(&mut trainer, "architecture", "wan");
        assert_eq!(trainer.profile().bucket_step, 16);
        assert!(trainer.set(&Setting::new("architecture", &"wann".into())).is_err());
    }
}
