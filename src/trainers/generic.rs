//! A trainer that loads with Pillow and reads `.txt` captions: what most trainers have in common.

use super::set::{SetError, Setting};
use super::trainer::{About, Batching, Pickup, Remainder, Trainer, Version};
use crate::model::{Condition, Consequence, ExtensionCase, Placement, Profile, RelPath, SampleFacts, Size, Unplaced};

static ABOUT: About = About { name: "generic", title: "a trainer that loads with Pillow", versions: &[VERSION], keys: &KEYS };

const VERSION: Version = Version { name: "1", commit: "", date: "2026-12-01" };

const KEYS: [&str; 4] = ["caption_extension", "resolution", "max_token_length", "bucket_reso_steps"];

/// What trainers have in common. It has no buckets of its own: every picture fills the resolution.
#[derive(Clone, Debug)]
pub struct Generic {
    caption_extension: String,
    resolution: Size,
    bucket_step: u32,
    max_tokens: u64,
}

impl Default for Generic {
    fn default() -> Self {
        Self { caption_extension: ".txt".to_owned(), resolution: Size::new(1024, 1024), bucket_step: 64, max_tokens: 75 }
    }
}

impl Trainer for Generic {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// By the names that sd-scripts gives them (48d368fa, `library/config_util.py` and `library/train_util.py`).
    fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        match setting.key {
            "caption_extension" => self.caption_extension = setting.extension()?,
            "resolution" => self.resolution = setting.size()?,
            "max_token_length" => {
                let tokens = setting.count().ok().filter(|tokens| [75, 150, 225].contains(tokens));
                self.max_tokens = tokens.ok_or_else(|| setting.wrong("75, 150 or 225"))?.into();
            }
            "bucket_reso_steps" => self.bucket_step = setting.side()?,
            _ => return Err(setting.unknown(&KEYS)),
        }
        Ok(())
    }

    /// The extensions are those that sd-scripts (48d368fa, `library/train_util.py` 101-128), ai-toolkit, `OneTrainer` and
    /// diffusers all pick up.
    fn profile(&self) -> Profile {
        Profile {
            trainer: ABOUT.name,
            caption_extension: self.caption_extension.clone(),
            image_extensions: ["png", "jpg", "jpeg", "webp", "bmp"].map(str::to_owned).to_vec(),
            resolution: self.resolution,
            bucket_step: self.bucket_step,
            extension_case: ExtensionCase::Unknown,
            max_tokens: Some(self.max_tokens),
            max_aspect: 8.0,
        }
    }

    fn picks_up(&self, path: &RelPath) -> Pickup {
        if self.profile().picks_up(path.extension()) { Pickup::Taken } else { Pickup::PassedOver("its extension is not picked up") }
    }

    fn size_of(&self, facts: &SampleFacts) -> Option<Size> {
        facts.size()
    }

    fn place(&self, size: Size, _: usize) -> Result<Placement, Unplaced> {
        Ok(Placement { bucket: size, resized: size, crop: [0, 0] })
    }

    fn react(&self, _: Condition, _: Option<&SampleFacts>) -> Option<Consequence> {
        None
    }

    fn batching(&self) -> Batching {
        Batching { batch_size: 1, whole: 1, accumulation: 1, remainder: Remainder::Kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_reach_the_profile() {
        let mut trainer = Generic::default();
        trainer.set(&Setting::new("resolution", &toml::Value::Integer(768))).expect("the value is valid");
        assert_eq!(trainer.profile().resolution.to_string(), "768x768");
        let error = trainer.set(&Setting::new("max_token_length", &toml::Value::from(100))).expect_err("100 is no choice");
        assert_eq!(error.to_string(), "`max_token_length` takes 75, 150 or 225, not `100`");
    }
}
