//! Flags of the diffusers examples that decide what becomes of a picture.

use super::super::set::{SetError, Setting};
use super::buckets;
use crate::model::Size;

/// The flags, without their dashes; and `script`, which is ours.
pub(super) const KEYS: [&str; 9] = [
    "script",
    "resolution",
    "use_aspect_ratio_buckets",
    "aspect_ratio_buckets",
    "center_crop",
    "train_batch_size",
    "gradient_accumulation_steps",
    "num_processes",
    "repeats",
];

/// Which of the examples: they read a folder in two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// `examples/dreambooth/train_dreambooth_lora_*.py` with `--instance_data_dir`.
    DreamBooth,
    /// `examples/text_to_image/train_text_to_image_lora*.py` with `--train_data_dir`.
    TextToImage,
}

/// The flags of one run.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) script: Script,
    pub(super) resolution: u32,
    pub(super) uses_buckets: bool,
    /// Buckets of one's own; `None` for the automatic ladder.
    pub(super) buckets: Option<Vec<Size>>,
    pub(super) accumulation: u32,
    pub(super) repeats: u32,
    batch_size: Option<u32>,
}

impl Settings {
    /// The scripts' defaults.
    pub(super) fn new() -> Self {
        Self {
            script: Script::DreamBooth,
            resolution: 512,
            uses_buckets: false,
            buckets: None,
            accumulation: 1,
            repeats: 1,
            batch_size: None,
        }
    }

    /// Pictures in a batch: 4 by default in the one family, 16 in the other.
    pub(super) fn batch_size(&self) -> u32 {
        self.batch_size.unwrap_or(match self.script {
            Script::DreamBooth => 4,
            Script::TextToImage => 16,
        })
    }

    pub(super) fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        match setting.key {
            "script" => {
                self.script = match setting.text()? {
                    "dreambooth" => Script::DreamBooth,
                    "text_to_image" => Script::TextToImage,
                    _ => return Err(setting.wrong("dreambooth or text_to_image")),
                }
            }
            "resolution" => self.resolution = setting.side()?,
            "use_aspect_ratio_buckets" => self.uses_buckets = setting.flag()?,
            "aspect_ratio_buckets" => {
                let buckets = buckets::parse(setting.text()?);
                self.buckets = Some(buckets.ok_or_else(|| setting.wrong("sizes such as 1024,1024;832,1248, heights first"))?);
            }
            // A crop is reported as if it were centred, so that this changes nothing here.
            "center_crop" => drop(setting.flag()?),
            "train_batch_size" => self.batch_size = Some(setting.count_from_one()?),
            "gradient_accumulation_steps" => self.accumulation = setting.count_from_one()?,
            // Batches are made before they are shared out among processes.
            "num_processes" => drop(setting.count_from_one()?),
            "repeats" => self.repeats = setting.count_from_one()?,
            _ => return Err(setting.unknown(&KEYS)),
        }
        Ok(())
    }
}
