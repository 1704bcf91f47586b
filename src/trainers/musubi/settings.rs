//! Keys of musubi-tuner (30c658c4): those of the dataset configuration (`src/musubi_tuner/dataset/config_utils.py` 33-130, 388-415),
//! those arguments that change what becomes of a file, and the architecture.

use super::super::set::{SetError, Setting};
use super::buckets::Buckets;

/// The keys that are taken.
pub(super) static KEYS: [&str; 33] = [
    "batch_size",
    "bucket_no_upscale",
    "caption_extension",
    "enable_bucket",
    "num_repeats",
    "resolution",
    "cache_directory",
    "control_directory",
    "control_resolution",
    "fp_1f_clean_indices",
    "fp_1f_no_post",
    "fp_1f_target_index",
    "fp_latent_window_size",
    "image_directory",
    "image_jsonl_file",
    "multiple_target",
    "no_resize_control",
    "flux_kontext_no_resize_control",
    "qwen_image_edit_control_resolution",
    "qwen_image_edit_no_resize_control",
    "frame_extraction",
    "frame_sample",
    "frame_stride",
    "max_frames",
    "source_fps",
    "target_frames",
    "video_directory",
    "video_jsonl_file",
    "architecture",
    "gradient_accumulation_steps",
    "keep_cache",
    "seed",
    "skip_existing",
];

/// Code of an architecture as cache files have it, the step of its buckets (`src/musubi_tuner/dataset/bucket.py` 42-73), and the
/// tokens that its main text encoder takes, where they are known.
struct Architecture(&'static str, u32, Option<u64>);

const ARCHITECTURES: [Architecture; 17] = [
    Architecture("hv", 16, Some(256)),
    Architecture("wan", 16, Some(512)),
    Architecture("fp", 16, Some(256)),
    Architecture("fk", 16, Some(512)),
    Architecture("f2d", 16, Some(512)),
    Architecture("f2k4b", 16, Some(512)),
    Architecture("f2k9b", 16, Some(512)),
    Architecture("qi", 16, Some(1024)),
    Architecture("qie", 16, Some(1024)),
    Architecture("qil", 16, Some(1024)),
    Architecture("k5", 16, Some(256)),
    Architecture("hv15", 16, Some(1024)),
    Architecture("zi", 16, Some(512)),
    Architecture("ho1", 32, None),
    Architecture("i4", 16, None),
    Architecture("kr2", 16, Some(512)),
    Architecture("ei", 16, None),
];

/// What the keys said.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) buckets: Buckets,
    pub(super) caption_extension: String,
    pub(super) extension_lacks_dot: bool,
    pub(super) repeats: u32,
    pub(super) batch_size: u32,
    pub(super) accumulation: u32,
    /// Tokens that the main text encoder takes, if the architecture is known.
    pub(super) max_tokens: Option<u64>,
    /// Whether the model has an alpha channel.
    pub(super) supports_alpha: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            buckets: Buckets::default(),
            caption_extension: ".txt".to_owned(),
            extension_lacks_dot: false,
            repeats: 1,
            batch_size: 1,
            accumulation: 1,
            max_tokens: None,
            supports_alpha: false,
        }
    }
}

impl Settings {
    /// Takes a setting; one that changes nothing here is taken without a look at its value.
    pub(super) fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        match setting.key {
            "resolution" => self.buckets.resolution = setting.size()?,
            "enable_bucket" => self.buckets.enabled = setting.flag()?,
            "bucket_no_upscale" => self.buckets.no_upscale = setting.flag()?,
            "batch_size" => self.batch_size = setting.count_from_one()?,
            "gradient_accumulation_steps" => self.accumulation = setting.count_from_one()?,
            "num_repeats" => self.repeats = setting.count()?,
            "caption_extension" => {
                self.caption_extension = setting.extension()?;
                self.extension_lacks_dot = !setting.text()?.starts_with('.');
            }
            "architecture" => {
                let name = setting.text()?;
                let known = ARCHITECTURES.iter().find(|architecture| architecture.0 == name);
                let Architecture(_, step, max_tokens) = known.ok_or_else(|| setting.wrong(CODES))?;
                (self.buckets.step, self.max_tokens, self.supports_alpha) = (*step, *max_tokens, name == "qil");
            }
            key if KEYS.contains(&key) => {}
            _ => return Err(setting.unknown(&KEYS)),
        }
        self.buckets.changed();
        Ok(())
    }
}

const CODES: &str = "hv, wan, fp, fk, f2d, f2k4b, f2k9b, qi, qie, qil, k5, hv15, zi, ho1, i4, kr2 or ei";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_key_is_known_and_others_are_not() {
        let mut settings = Settings::default();
        let list = toml::Value::Array(Vec::new());
        for key in &KEYS {
            assert!(!matches!(settings.set(&Setting::new(key, &list)), Err(SetError::UnknownKey { .. })), "{key}");
        }
        let error = settings.set(&Setting::new("image_dir", &list)).expect_err("the key is not known");
        assert!(error.to_string().contains("did you mean `image_directory`?"), "{error}");
    }

    #[test]
    fn the_message_names_every_architecture() {
        let named: Vec<_> = CODES.split([',', ' ']).filter(|word| !word.is_empty() && *word != "or").collect();
        assert_eq!(named, ARCHITECTURES.iter().map(|architecture| architecture.0).collect::<Vec<_>>());
    }
}
