//! The keys of `OneTrainer`'s configuration: those that decide something here. Those that decide nothing are in `schema`.

use super::super::set::{SetError, Setting};
use super::schema;
use crate::model::Size;

/// Keys that decide something: of the training configuration (`modules/util/config/TrainConfig.py` 1014-1283) and of a concept, its
/// `image` and its `text` (`modules/util/config/ConceptConfig.py` 46-198). `aspect_bucketing_quantization` comes from the model.
pub(super) const KEYS: [&str; 24] = [
    "resolution",
    "aspect_ratio_bucketing",
    "aspect_bucketing_quantization",
    "model_type",
    "enable_resolution_override",
    "resolution_override",
    "enable_crop_jitter",
    "include_subdirectories",
    "balancing",
    "balancing_strategy",
    "prompt_source",
    "image_variations",
    "text_variations",
    "batch_size",
    "gradient_accumulation_steps",
    "multi_gpu",
    "device_indexes",
    "latent_caching",
    "image_caching",
    "text_caching",
    "masked_training",
    "custom_conditioning_image",
    "image",
    "text",
];

/// `resolution`: what pictures are scaled to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// One of these edges, in pixels, of a square whose area buckets have; at least one.
    Edges(Vec<u32>),
    /// One size in pixels for every picture.
    Fixed(Size),
}

impl Target {
    /// `512`, `512,768` or `1024x768`; white space around numbers does not count. A size within a list is a `ValueError` there and is
    /// refused here.
    fn of(setting: &Setting<'_>) -> Result<Self, SetError> {
        let wrong = || setting.wrong("an edge such as 1024, edges such as 512,768, or a size such as 1024x768");
        let text = setting.value.as_str().map_or_else(|| setting.value.to_string(), str::to_owned);
        let side = |text: &str| text.trim().parse::<u32>().ok().filter(|&side| side > 0);
        let target = match text.split_once('x') {
            Some((width, height)) => side(width).zip(side(height)).map(|(width, height)| Self::Fixed(Size::new(width, height))),
            None => text.split(',').map(side).collect::<Option<Vec<u32>>>().map(Self::Edges),
        };
        target.ok_or_else(wrong)
    }

    /// How many resolutions a picture may be taken at.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Edges(edges) => edges.len(),
            Self::Fixed(_) => 1,
        }
    }
}

/// Where prompts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PromptSource {
    /// The text file beside the picture.
    Sample,
    /// One text file for the concept.
    Concept,
    /// The picture's name.
    Filename,
}

/// How often a concept's samples are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Balancing {
    /// Each so often in a pass; below 1 only so large a part of them, others in each pass.
    Repeats(f64),
    /// So many of them in a pass, whatever there are.
    Samples(f64),
}

/// The settings of one concept, with the trainer's defaults.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are the trainer's own switches")]
pub(super) struct Settings {
    resolution: Target,
    resolution_override: Target,
    is_overridden: bool,
    pub(super) bucketing: bool,
    /// What divides every side of a bucket, in pixels; from the model.
    pub(super) quantization: u32,
    pub(super) clip_reads_captions: bool,
    pub(super) takes_videos: bool,
    pub(super) include_subfolders: bool,
    balancing: f64,
    counts_samples: bool,
    pub(super) prompts: PromptSource,
    pub(super) image_caching: bool,
    pub(super) text_caching: bool,
    pub(super) text_variations: u32,
    pub(super) batch_size: u32,
    pub(super) accumulation: u32,
    uses_gpus: bool,
    gpus: u32,
}

impl Settings {
    /// The defaults in the code; the model that goes with them is Stable Diffusion 1.5.
    pub(super) fn new() -> Self {
        Self {
            resolution: Target::Edges(vec![512]),
            resolution_override: Target::Edges(vec![512]),
            is_overridden: false,
            bucketing: true,
            quantization: 8,
            clip_reads_captions: true,
            takes_videos: false,
            include_subfolders: false,
            balancing: 1.0,
            counts_samples: false,
            prompts: PromptSource::Sample,
            image_caching: true,
            text_caching: true,
            text_variations: 1,
            batch_size: 1,
            accumulation: 1,
            uses_gpus: false,
            gpus: 1,
        }
    }

    /// Takes one setting. `image` and `text` of a concept may be given whole.
    pub(super) fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        match setting.key {
            "resolution" => self.resolution = Target::of(setting)?,
            "resolution_override" => self.resolution_override = Target::of(setting)?,
            "enable_resolution_override" => self.is_overridden = setting.flag()?,
            "aspect_ratio_bucketing" => self.bucketing = setting.flag()?,
            "aspect_bucketing_quantization" => self.quantization = setting.side()?,
            "model_type" => {
                let model = setting.text()?;
                self.quantization = quantization_of(model);
                self.clip_reads_captions = ["STABLE_", "WUERSTCHEN"].iter().any(|family| model.starts_with(family));
                self.takes_videos = model.starts_with("HUNYUAN_VIDEO");
            }
            "include_subdirectories" => self.include_subfolders = setting.flag()?,
            "balancing" => self.balancing = setting.number()?.max(0.0),
            "balancing_strategy" => {
                self.counts_samples = match setting.text()? {
                    "REPEATS" => false,
                    "SAMPLES" => true,
                    _ => return Err(setting.wrong("REPEATS or SAMPLES")),
                }
            }
            "prompt_source" => {
                self.prompts = match setting.text()? {
                    "sample" => PromptSource::Sample,
                    "concept" => PromptSource::Concept,
                    "filename" => PromptSource::Filename,
                    _ => return Err(setting.wrong("sample, concept or filename")),
                }
            }
            // Split in two after 2026-08; both names are taken.
            "latent_caching" => {
                self.image_caching = setting.flag()?;
                self.text_caching = self.image_caching;
            }
            "image_caching" => self.image_caching = setting.flag()?,
            "text_caching" => self.text_caching = setting.flag()?,
            "text_variations" => self.text_variations = setting.count()?,
            "batch_size" => self.batch_size = setting.side()?,
            "gradient_accumulation_steps" => self.accumulation = setting.side()?,
            "multi_gpu" => self.uses_gpus = setting.flag()?,
            "device_indexes" => {
                let indexes = setting.text()?.split(',').filter(|index| !index.trim().is_empty()).count();
                self.gpus = u32::try_from(indexes).map_or(u32::MAX, |gpus| gpus.max(1));
            }
            // The place of the cut is drawn, variations are drawn anew, masks lie beside the pictures: nothing else changes.
            "enable_crop_jitter" | "masked_training" | "custom_conditioning_image" => _ = setting.flag()?,
            "image_variations" => _ = setting.count()?,
            "image" | "text" => {
                let table = setting.value.as_table().ok_or_else(|| setting.wrong("a table"))?;
                // A table within it is none of the trainer's, and depth is not for a stranger to choose.
                for (key, value) in table.iter().filter(|(_, value)| !value.is_table()) {
                    self.set(&Setting::new(key, value))?;
                }
            }
            other if schema::has(other) => {}
            _ => return Err(setting.unknown(&KEYS)),
        }
        Ok(())
    }

    /// The resolution in force: the concept's own, where it overrides that of the training.
    pub(super) fn target(&self) -> &Target {
        if self.is_overridden { &self.resolution_override } else { &self.resolution }
    }

    /// How often samples are taken.
    pub(super) fn balancing(&self) -> Balancing {
        if self.counts_samples { Balancing::Samples(self.balancing.trunc()) } else { Balancing::Repeats(self.balancing) }
    }

    /// GPUs that share a batch of the buckets (`modules/dataLoader/mixin/DataLoaderText2ImageMixin.py` 300-306); 1 where the
    /// configuration leaves it to the machine.
    pub(super) fn gpus(&self) -> u32 {
        if self.uses_gpus { self.gpus } else { 1 }
    }
}

/// `aspect_bucketing_quantization` in the model's data loader, in pixels.
fn quantization_of(model: &str) -> u32 {
    let is_of = |families: &[&str]| families.iter().any(|family| model.starts_with(family));
    if is_of(&["STABLE_DIFFUSION_15", "STABLE_DIFFUSION_20", "STABLE_DIFFUSION_21"]) {
        8
    } else if is_of(&["PIXART_"]) {
        16
    } else if is_of(&["SANA"]) {
        32
    } else if is_of(&["WUERSTCHEN_", "STABLE_CASCADE_"]) {
        128
    } else {
        64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(key: &str, value: impl Into<toml::Value>) -> Result<Settings, SetError> {
        let mut settings = Settings::new();
        settings.set(&Setting::new(key, &value.into()))?;
        Ok(settings)
    }

    #[test]
    fn a_resolution_is_an_edge_edges_or_a_size() {
        let target = |value: toml::Value| set("resolution", value).map(|settings| settings.target().clone());
        assert_eq!(target(1024.into()), Ok(Target::Edges(vec![1024])));
        assert_eq!(target("512, 768".into()), Ok(Target::Edges(vec![512, 768])));
        assert_eq!(target("1024x768".into()), Ok(Target::Fixed(Size::new(1024, 768))));
        for wrong in ["512,1024x768", "x", "", "0", "-512", "4294967296"] {
            assert!(target(wrong.into()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_model_says_its_quantization() {
        let models = ["STABLE_DIFFUSION_15", "PIXART_SIGMA", "SANA", "WUERSTCHEN_2", "STABLE_DIFFUSION_XL_10_BASE", "FLUX_DEV_1"];
        assert_eq!(models.map(quantization_of), [8, 16, 32, 128, 64, 64]);
    }

    #[test]
    fn a_concept_can_be_poured_in() {
        let image = toml::toml! { enable_resolution_override = true
        resolution_override = "768"
        enable_random_flip = false };
        let settings = set("image", image).expect("it is a concept's");
        assert_eq!(settings.target(), &Target::Edges(vec![768]));
        assert!(set("path", "/data").is_ok() && set("learning_rate", 0.0001).is_ok());
        let error = set("include_subdirectory", true).expect_err("there is no such key");
        assert!(error.to_string().contains("did you mean `include_subdirectories`?"), "{error}");
    }

    #[test]
    fn gpus_count_only_where_they_are_used() {
        let mut settings = set("device_indexes", "0,1, 3").expect("it is text");
        assert_eq!(settings.gpus(), 1);
        settings.set(&Setting::new("multi_gpu", &true.into())).expect("it is a flag");
        assert_eq!(settings.gpus(), 3);
    }
}
