//! The keys of ai-toolkit's configuration: those that decide something here, and those that are taken and decide nothing.

use super::super::set::{SetError, Setting};

/// Keys that decide something: of `datasets[]` (`toolkit/config_modules.py` 911-1092), some of `train` (375-567), and `arch` of `model`.
/// The batch size of a dataset goes before that of `train`, so it is to be set after it.
/// `bucket_divisibility` comes from the model, and `bucket_algorithm` from the version; neither is the trainer's own key.
pub(super) const KEYS: [&str; 28] = [
    "resolution",
    "buckets",
    "bucket_divisibility",
    "bucket_algorithm",
    "arch",
    "square_crop",
    "scale",
    "caption_ext",
    "caption_type",
    "default_caption",
    "trigger_word",
    "num_repeats",
    "flip_x",
    "flip_y",
    "num_frames",
    "auto_frame_count",
    "alpha_mask",
    "fast_image_size",
    "cache_latents",
    "cache_latents_to_disk",
    "cache_text_embeddings",
    "batch_size",
    "gradient_accumulation",
    "gradient_accumulation_steps",
    "random_crop",
    "is_reg",
    "augments",
    "augmentations",
];

/// Keys of `datasets[]` that decide nothing here.
const OTHERS: [&str; 50] = [
    "type",
    "name",
    "folder_path",
    "dataset_path",
    "random_triggers",
    "random_triggers_max",
    "prior_reg",
    "network_weight",
    "token_dropout_rate",
    "shuffle_tokens",
    "keep_tokens",
    "caption_dropout_rate",
    "use_short_captions",
    "shuffle_augmentations",
    "guidance_type",
    "replay_transforms",
    "debug",
    "control_path",
    "control_path_1",
    "control_path_2",
    "control_path_3",
    "control_transparent_color",
    "full_size_control_images",
    "inpaint_path",
    "mask_path",
    "mask_min_value",
    "invert_mask",
    "unconditional_path",
    "poi",
    "standardize_images",
    "clip_image_path",
    "clip_image_from_same_folder",
    "clip_image_augmentations",
    "clip_image_shuffle_augmentations",
    "cache_clip_vision_to_disk",
    "replacements",
    "loss_multiplier",
    "num_workers",
    "prefetch_factor",
    "extra_values",
    "random_scale",
    "bucket_tolerance",
    "shrink_video_to_frames",
    "trim_auto_frame_count_tail",
    "fps",
    "do_i2v",
    "do_audio",
    "audio_normalize",
    "audio_preserve_pitch",
    "controls",
];

/// The settings of one dataset, with the trainer's defaults.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are the trainer's own switches")]
pub(super) struct Settings {
    /// Edges of the squares whose area is the limit, in pixels; at least one.
    pub(super) resolutions: Vec<u32>,
    pub(super) buckets: bool,
    /// What divides every side of a bucket, in pixels; from the model.
    pub(super) divisor: u32,
    pub(super) legacy_buckets: bool,
    pub(super) clip_reads_captions: bool,
    pub(super) square_crop: bool,
    pub(super) scale: f64,
    pub(super) caption_extension: String,
    pub(super) default_caption: Option<String>,
    pub(super) trigger_word: bool,
    pub(super) is_regularisation: bool,
    pub(super) repeats: u32,
    pub(super) flip_x: bool,
    pub(super) flip_y: bool,
    frames: u32,
    auto_frame_count: bool,
    pub(super) alpha_mask: bool,
    pub(super) fast_image_size: bool,
    cache_latents: bool,
    cache_latents_to_disk: bool,
    is_augmented: bool,
    pub(super) cache_text_embeddings: bool,
    pub(super) batch_size: u32,
    accumulation: u32,
    accumulation_steps: u32,
}

impl Settings {
    /// The defaults in the code (`toolkit/config_modules.py` 911-1092, 375-567) for the model class that takes SD 1, SD 2 and SDXL.
    pub(super) fn new(legacy_buckets: bool) -> Self {
        Self {
            resolutions: vec![512],
            buckets: true,
            divisor: 16,
            legacy_buckets,
            clip_reads_captions: true,
            square_crop: false,
            scale: 1.0,
            caption_extension: ".txt".to_owned(),
            default_caption: None,
            trigger_word: false,
            is_regularisation: false,
            repeats: 1,
            flip_x: false,
            flip_y: false,
            frames: 1,
            auto_frame_count: false,
            alpha_mask: false,
            fast_image_size: false,
            cache_latents: false,
            cache_latents_to_disk: false,
            is_augmented: false,
            cache_text_embeddings: false,
            batch_size: 1,
            accumulation: 1,
            accumulation_steps: 1,
        }
    }

    /// Takes one setting.
    pub(super) fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        match setting.key {
            "resolution" => self.resolutions = resolutions(setting)?,
            "buckets" => self.buckets = setting.flag()?,
            "bucket_divisibility" => self.divisor = setting.side()?,
            "bucket_algorithm" => {
                self.legacy_buckets = match setting.text()? {
                    "legacy" => true,
                    "current" => false,
                    _ => return Err(setting.wrong("legacy or current")),
                }
            }
            "arch" => {
                let arch = setting.text()?;
                self.divisor = divisor_of(arch).unwrap_or(self.divisor);
                self.clip_reads_captions = arch.starts_with("sd");
            }
            "square_crop" => self.square_crop = setting.flag()?,
            "scale" => self.scale = setting.number()?,
            "caption_ext" => self.caption_extension = setting.extension()?,
            // The older key goes before the newer one, and gets no dot (`toolkit/config_modules.py` 1029-1032).
            "caption_type" => setting.text()?.clone_into(&mut self.caption_extension),
            "default_caption" => self.default_caption = Some(setting.text()?.to_owned()),
            "trigger_word" => self.trigger_word = !setting.text()?.is_empty(),
            "is_reg" => self.is_regularisation = setting.flag()?,
            "num_repeats" => self.repeats = setting.count()?,
            "flip_x" => self.flip_x = setting.flag()?,
            "flip_y" => self.flip_y = setting.flag()?,
            "num_frames" => self.frames = setting.count()?,
            "auto_frame_count" => self.auto_frame_count = setting.flag()?,
            "alpha_mask" => self.alpha_mask = setting.flag()?,
            "fast_image_size" => self.fast_image_size = setting.flag()?,
            "cache_latents" => self.cache_latents = setting.flag()?,
            "cache_latents_to_disk" => self.cache_latents_to_disk = setting.flag()?,
            "augments" | "augmentations" => self.is_augmented |= setting.value.as_array().is_some_and(|list| !list.is_empty()),
            "cache_text_embeddings" => self.cache_text_embeddings = setting.flag()?,
            "batch_size" => self.batch_size = setting.side()?,
            "gradient_accumulation" => self.accumulation = setting.side()?,
            "gradient_accumulation_steps" => self.accumulation_steps = setting.side()?,
            // The place of the cut is drawn, and nothing else changes.
            "random_crop" => _ = setting.flag()?,
            other if OTHERS.contains(&other) => {}
            _ => return Err(setting.unknown(&KEYS)),
        }
        Ok(())
    }

    /// Batches for a step. Only one of the two keys may be above 1 (`toolkit/config_modules.py` 456-463).
    pub(super) fn batches_for_a_step(&self) -> u32 {
        self.accumulation.max(self.accumulation_steps)
    }

    /// Whether latents are computed before training, wherever they are kept: not with augmentations, whatever is asked for
    /// (`toolkit/config_modules.py`, `DatasetConfig`).
    pub(super) fn caches_latents(&self) -> bool {
        (self.cache_latents || self.cache_latents_to_disk) && !self.is_augmented
    }

    /// Whether it is a dataset of videos, in which pictures are clips of one frame (`toolkit/data_loader.py` 396, 433-436).
    pub(super) fn takes_videos(&self) -> bool {
        self.frames > 1 || self.auto_frame_count
    }
}

/// `resolution`: an edge, or a list of edges.
fn resolutions(setting: &Setting<'_>) -> Result<Vec<u32>, SetError> {
    let wrong = || setting.wrong("a side such as 1024, or a list of sides");
    let edges = match setting.value {
        toml::Value::Array(list) => list.iter().map(edge).collect::<Option<Vec<u32>>>(),
        single => edge(single).map(|edge| vec![edge]),
    };
    edges.filter(|edges| !edges.is_empty()).ok_or_else(wrong)
}

fn edge(value: &toml::Value) -> Option<u32> {
    value.as_integer().and_then(|edge| u32::try_from(edge).ok()).filter(|&edge| edge > 0)
}

/// What divides the sides of buckets for `model.arch`, in pixels (`toolkit/stable_diffusion_model.py` 289-297,
/// `toolkit/models/base_model.py` 272-284, and each model's own): `None` for a model that is not known here.
fn divisor_of(arch: &str) -> Option<u32> {
    // Variants are written behind a colon, as in `wan22_14b:t2v`.
    let family = arch.split(':').next().unwrap_or(arch);
    Some(match family {
        "sd1" | "sd2" | "sdxl" | "ssd" | "vega" | "pixart" | "pixart_sigma" | "wan21" | "wan21_i2v" | "wan22_14b" | "wan22_14b_i2v"
        | "flux_kontext" | "flux2" | "hidream" | "hidream_e1" | "omnigen2" | "f-light" | "f_light" | "flex2" | "zimage" | "z_image"
        | "krea2" | "ideogram4" | "boogu" | "prx_pixel" | "mageflow" => 16,
        "flux"
        | "flux1"
        | "sd3"
        | "chroma"
        | "chroma_radiance"
        | "ltx2"
        | "hidream_o1"
        | "nucleus"
        | "wan22_5b"
        | "anima"
        | "minimax_h3"
        | "ernie"
        | "ernie_image"
        | "qwen_image"
        | "qwen_image_edit"
        | "qwen_image_edit_plus"
        | "zeta_chroma" => 32,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(key: &str, value: impl Into<toml::Value>) -> Result<Settings, SetError> {
        let mut settings = Settings::new(false);
        settings.set(&Setting::new(key, &value.into()))?;
        Ok(settings)
    }

    #[test]
    fn a_model_says_what_divides_its_buckets() {
        for (arch, divisor) in [("qwen_image", 32), ("wan22_14b:t2v", 16), ("flux", 32), ("of tomorrow", 16)] {
            assert_eq!(set("arch", arch).expect("text is taken").divisor, divisor, "{arch}");
        }
    }

    #[test]
    fn the_older_key_of_the_caption_extension_gets_no_dot() {
        assert_eq!(set("caption_ext", "caption").expect("it is taken").caption_extension, ".caption");
        assert_eq!(set("caption_type", "caption").expect("it is taken").caption_extension, "caption");
    }

    #[test]
    fn whole_datasets_can_be_poured_in_and_slips_are_told() {
        assert!(set("folder_path", "/data").is_ok() && set("num_workers", 2).is_ok());
        assert!(set("resolution", 0).is_err() && set("resolution", toml::Value::Array(Vec::new())).is_err());
        let error = set("resolutions", 512).expect_err("there is no such key");
        assert!(error.to_string().starts_with("no setting is called `resolutions`, did you mean `resolution`?"), "{error}");
    }
}
