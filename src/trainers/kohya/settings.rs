//! Keys of sd-scripts (48d368fa): those of the dataset configuration (`library/config_util.py` 55-330), and those arguments of
//! the scripts that change what becomes of a file.

use super::super::set::{SetError, Setting};
use super::buckets::Buckets;

/// The keys that are taken: of a dataset, of a subset, of the command line.
pub(super) static KEYS: [&str; 55] = [
    "batch_size",
    "bucket_no_upscale",
    "bucket_reso_steps",
    "enable_bucket",
    "max_bucket_reso",
    "min_bucket_reso",
    "network_multiplier",
    "resize_interpolation",
    "resolution",
    "validation_seed",
    "validation_split",
    "alpha_mask",
    "cache_info",
    "caption_dropout_every_n_epochs",
    "caption_dropout_rate",
    "caption_extension",
    "caption_prefix",
    "caption_separator",
    "caption_suffix",
    "caption_tag_dropout_rate",
    "class_tokens",
    "color_aug",
    "conditioning_data_dir",
    "custom_attributes",
    "enable_wildcard",
    "face_crop_aug_range",
    "flip_aug",
    "image_dir",
    "is_reg",
    "keep_tokens",
    "keep_tokens_separator",
    "metadata_file",
    "num_repeats",
    "random_crop",
    "secondary_separator",
    "shuffle_caption",
    "token_warmup_min",
    "token_warmup_step",
    "cache_latents",
    "cache_latents_to_disk",
    "cache_text_encoder_outputs",
    "cache_text_encoder_outputs_to_disk",
    "caption_extention",
    "dataset_repeats",
    "gradient_accumulation_steps",
    "in_json",
    "max_token_length",
    "reg_data_dir",
    "seed",
    "skip_cache_check",
    "text_encoder_batch_size",
    "train_batch_size",
    "train_data_dir",
    "vae_batch_size",
    "weighted_captions",
];

/// What the keys said.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are switches of the trainer, each for itself")]
pub(super) struct Settings {
    pub(super) buckets: Buckets,
    pub(super) caption_extension: String,
    /// Text in place of a caption that is missing, in an `image_dir`.
    pub(super) class_tokens: Option<String>,
    /// How often each picture of an `image_dir` is taken.
    pub(super) repeats: f64,
    /// One line of a caption is drawn for each step.
    pub(super) enable_wildcard: bool,
    pub(super) alpha_mask: bool,
    pub(super) random_crop: bool,
    pub(super) max_tokens: u64,
    pub(super) accumulation: u32,
    /// Whether latents are cached; `None` if nothing was said, which is no.
    pub(super) cache_latents: Option<bool>,
    pub(super) cache_latents_to_disk: bool,
    pub(super) cache_text_encoder_outputs: bool,
    /// That of the dataset, which counts before that of the command line.
    batch_size: Option<u32>,
    train_batch_size: u32,
}

impl Default for Settings {
    /// The defaults of `library/config_util.py` 55-150.
    fn default() -> Self {
        Self {
            buckets: Buckets::default(),
            caption_extension: ".caption".to_owned(),
            class_tokens: None,
            repeats: 1.0,
            enable_wildcard: false,
            alpha_mask: false,
            random_crop: false,
            max_tokens: 75,
            accumulation: 1,
            cache_latents: None,
            cache_latents_to_disk: false,
            cache_text_encoder_outputs: false,
            batch_size: None,
            train_batch_size: 1,
        }
    }
}

impl Settings {
    /// Pictures in a batch.
    pub(super) fn batch_size(&self) -> u32 {
        self.batch_size.unwrap_or(self.train_batch_size)
    }

    /// Takes a setting; one that changes nothing here is taken without a look at its value.
    pub(super) fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        match setting.key {
            "resolution" => self.buckets.resolution = setting.size()?,
            "enable_bucket" => self.buckets.enabled = setting.flag()?,
            "bucket_no_upscale" => self.buckets.no_upscale = setting.flag()?,
            "min_bucket_reso" => self.buckets.sides.min = setting.count()?,
            "max_bucket_reso" => self.buckets.sides.max = setting.side()?,
            "bucket_reso_steps" => self.buckets.sides.step = setting.side()?,
            "batch_size" => self.batch_size = Some(setting.count_from_one()?),
            "train_batch_size" => self.train_batch_size = setting.count_from_one()?,
            "gradient_accumulation_steps" => self.accumulation = setting.count_from_one()?,
            "caption_extension" | "caption_extention" => self.caption_extension = setting.extension()?,
            "class_tokens" => self.class_tokens = Some(setting.text()?.to_owned()),
            "num_repeats" => self.repeats = setting.value.as_integer().map(repeats).ok_or_else(|| setting.wrong("a whole number"))?,
            "enable_wildcard" => self.enable_wildcard = setting.flag()?,
            "alpha_mask" => self.alpha_mask = setting.flag()?,
            "random_crop" => self.random_crop = setting.flag()?,
            "max_token_length" => {
                let tokens = setting.count().ok().filter(|tokens| [150, 225].contains(tokens));
                self.max_tokens = tokens.ok_or_else(|| setting.wrong("150 or 225, or is left out for 75"))?.into();
            }
            "cache_latents" => self.cache_latents = Some(setting.flag()? || self.cache_latents_to_disk),
            "cache_latents_to_disk" => {
                self.cache_latents_to_disk = setting.flag()?;
                if self.cache_latents_to_disk {
                    self.cache_latents = Some(true);
                }
            }
            "cache_text_encoder_outputs" | "cache_text_encoder_outputs_to_disk" => self.cache_text_encoder_outputs |= setting.flag()?,
            key if KEYS.contains(&key) => {}
            _ => return Err(setting.unknown(&KEYS)),
        }
        self.buckets.changed();
        Ok(())
    }
}

/// Repeats; a negative number is as good as none.
fn repeats(count: i64) -> f64 {
    u32::try_from(count.max(0)).unwrap_or(u32::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(settings: &mut Settings, key: &str, value: impl Into<toml::Value>) -> Result<(), SetError> {
        settings.set(&Setting::new(key, &value.into()))
    }

    #[test]
    fn the_batch_size_of_the_dataset_counts_before_that_of_the_command_line() {
        let mut settings = Settings::default();
        set(&mut settings, "batch_size", 4).expect("the setting is valid");
        set(&mut settings, "train_batch_size", 2).expect("the setting is valid");
        assert_eq!(settings.batch_size(), 4);
        assert!(set(&mut settings, "batch_size", 0).is_err());
    }

    #[test]
    fn every_listed_key_is_known_and_others_are_not() {
        let mut settings = Settings::default();
        for key in KEYS.iter().filter(|key| !["image_dir", "train_data_dir", "reg_data_dir"].contains(key)) {
            let result = set(&mut settings, key, toml::Value::Array(Vec::new()));
            assert!(!matches!(result, Err(SetError::UnknownKey { .. })), "{key}");
        }
        let error = set(&mut settings, "bucket_reso_step", 64).expect_err("the key is not known");
        assert!(error.to_string().contains("did you mean `bucket_reso_steps`?"), "{error}");
    }

    #[test]
    fn latents_on_disk_are_latents_that_are_cached() {
        let mut settings = Settings::default();
        set(&mut settings, "cache_latents_to_disk", true).expect("the setting is valid");
        set(&mut settings, "cache_latents", false).expect("the setting is valid");
        assert_eq!(settings.cache_latents, Some(true));
    }
}
