//! Keys of diffusion-pipe's dataset.toml, and those of its training TOML that decide about batches.

use toml::Value;

use super::super::set::{SetError, Setting};
use super::buckets::{self, SizeBucket};
use crate::model::Size;

/// The keys; `pixels_round_to_multiple` comes from the model, and `num_gpus` is deepspeed's own flag.
pub(super) const KEYS: [&str; 16] = [
    "resolutions",
    "enable_ar_bucket",
    "ar_buckets",
    "min_ar",
    "max_ar",
    "num_ar_buckets",
    "frame_buckets",
    "size_buckets",
    "pixels_round_to_multiple",
    "num_repeats",
    "skip_empty_caption",
    "micro_batch_size_per_gpu",
    "image_micro_batch_size_per_gpu",
    "gradient_accumulation_steps",
    "num_gpus",
    "pipeline_stages",
];

/// The keys of one folder.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Sides of squares, as written.
    resolutions: Vec<f64>,
    has_aspect_buckets: bool,
    /// Width by height, as written.
    aspects: Option<Vec<f64>>,
    least_aspect: f64,
    most_aspect: f64,
    aspect_count: u32,
    frames: Vec<u32>,
    /// Buckets of one's own, which take the place of resolutions and aspects.
    pub(super) sizes: Option<Vec<SizeBucket>>,
    pub(super) step: u32,
    pub(super) repeats: f64,
    pub(super) skips_without_caption: bool,
    batch_size: u32,
    image_batch_size: Option<u32>,
    pub(super) accumulation: u32,
    gpus: u32,
    stages: u32,
}

impl Settings {
    /// The trainer's defaults; where it has none, what `examples/dataset.toml` writes.
    pub(super) fn new() -> Self {
        Self {
            resolutions: vec![512.0],
            has_aspect_buckets: false,
            aspects: None,
            least_aspect: 0.5,
            most_aspect: 2.0,
            aspect_count: 7,
            frames: vec![1],
            sizes: None,
            step: 16,
            repeats: 1.0,
            skips_without_caption: true,
            batch_size: 1,
            image_batch_size: None,
            accumulation: 1,
            gpus: 1,
            stages: 1,
        }
    }

    pub(super) fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        match setting.key {
            "resolutions" => {
                let resolutions = each(setting.value, |width, height| (width * height).sqrt());
                self.resolutions = resolutions.ok_or_else(|| setting.wrong("a list of sides such as [512, 1024]"))?;
            }
            "enable_ar_bucket" => self.has_aspect_buckets = setting.flag()?,
            "ar_buckets" => {
                let aspects = each(setting.value, |width, height| width / height);
                self.aspects = Some(aspects.ok_or_else(|| setting.wrong("a list of aspects such as [0.5, 1.0, 2.0]"))?);
            }
            "min_ar" => self.least_aspect = setting.number_above_zero()?,
            "max_ar" => self.most_aspect = setting.number_above_zero()?,
            "num_ar_buckets" => {
                let count = setting.count().ok().filter(|count| (1..=10_000).contains(count));
                self.aspect_count = count.ok_or_else(|| setting.wrong("a whole number from 1 to 10000"))?;
            }
            "frame_buckets" => self.frames = frames(setting.value).ok_or_else(|| setting.wrong("a list of frames such as [1, 33]"))?,
            "size_buckets" => {
                let sizes = sizes(setting.value);
                self.sizes = Some(sizes.ok_or_else(|| setting.wrong("a list of [width, height, frames]"))?);
            }
            "pixels_round_to_multiple" => self.step = setting.side()?,
            "num_repeats" => self.repeats = setting.number_above_zero()?,
            "skip_empty_caption" => self.skips_without_caption = setting.flag()?,
            "micro_batch_size_per_gpu" => self.batch_size = setting.side()?,
            "image_micro_batch_size_per_gpu" => self.image_batch_size = Some(setting.side()?),
            "gradient_accumulation_steps" => self.accumulation = setting.side()?,
            "num_gpus" => self.gpus = setting.side()?,
            "pipeline_stages" => self.stages = setting.side()?,
            _ => return Err(setting.unknown(&KEYS)),
        }
        Ok(())
    }

    /// Sides of squares that each picture is taken at, smallest first.
    pub(super) fn resolutions(&self) -> Vec<f64> {
        buckets::distinct(&self.resolutions, buckets::by_python)
    }

    /// How many resolutions were written: from four on the trainer quits.
    pub(super) fn written(&self) -> usize {
        self.resolutions.len()
    }

    /// Aspects of the buckets, smallest first: 1.0 alone unless aspect buckets are enabled.
    pub(super) fn aspects(&self) -> Vec<f64> {
        match &self.aspects {
            _ if !self.has_aspect_buckets => vec![1.0],
            Some(own) if !own.is_empty() => buckets::distinct(own, buckets::by_python),
            _ => buckets::distinct(&buckets::spread(self.least_aspect, self.most_aspect, self.aspect_count), buckets::by_numpy),
        }
    }

    /// Frame buckets, with that of pictures.
    pub(super) fn frames(&self) -> Vec<u32> {
        let mut frames = self.frames.clone();
        if !frames.contains(&1) {
            frames.push(1);
        }
        frames
    }

    /// Pictures in a batch on one GPU.
    pub(super) fn batch_size(&self) -> u32 {
        self.image_batch_size.unwrap_or(self.batch_size)
    }

    /// GPUs that work on different samples: those of one pipeline share theirs.
    pub(super) fn parallel(&self) -> u32 {
        (self.gpus / self.stages).max(1)
    }
}

/// Numbers, or pairs that make one, all above 0.
fn each(value: &Value, of_pair: fn(f64, f64) -> f64) -> Option<Vec<f64>> {
    let item = |value: &Value| match value {
        Value::Array(pair) => match pair.as_slice() {
            [width, height] => Some(of_pair(positive(width)?, positive(height)?)),
            _ => None,
        },
        single => positive(single),
    };
    match value {
        Value::Array(list) if !list.is_empty() => list.iter().map(item).collect(),
        Value::Array(_) => None,
        single => Some(vec![positive(single)?]),
    }
}

fn positive(value: &Value) -> Option<f64> {
    Setting::new("", value).number_above_zero().ok()
}

fn frames(value: &Value) -> Option<Vec<u32>> {
    value.as_array()?.iter().map(|value| Setting::new("", value).side().ok()).collect()
}

fn sizes(value: &Value) -> Option<Vec<SizeBucket>> {
    let bucket = |value: &Value| match frames(value)?.as_slice() {
        [width, height, frames] => Some(SizeBucket { size: Size::new(*width, *height), frames: *frames }),
        _ => None,
    };
    value.as_array()?.iter().map(bucket).collect()
}
