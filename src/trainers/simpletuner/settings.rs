//! The keys of `SimpleTuner`'s configuration: those that decide something here. Those that decide nothing are in `schema`.

use super::super::python::is_true;
use super::super::set::{SetError, Setting};
use super::buckets::{Measure, Rule, Shape};
use super::schema;

/// Keys that decide something: of an entry of `multidatabackend.json` (`simpletuner/helpers/data_backend/config/image.py`), and of
/// `config.json`, where they may begin with `--`.
pub(super) const KEYS: [&str; 23] = [
    "resolution",
    "resolution_type",
    "crop",
    "crop_aspect",
    "crop_aspect_buckets",
    "crop_style",
    "minimum_image_size",
    "minimum_aspect_ratio",
    "maximum_aspect_ratio",
    "aspect_bucket_alignment",
    "aspect_bucket_rounding",
    "model_family",
    "model_flavour",
    "caption_strategy",
    "disable_multiline_split",
    "repeats",
    "train_batch_size",
    "gradient_accumulation_steps",
    "num_processes",
    "allow_dataset_oversubscription",
    "delete_problematic_images",
    "delete_unwanted_images",
    "dataset_type",
];

/// Where captions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Captions {
    /// The picture's name, `_` read as a space.
    Filename,
    /// The `.txt` beside the picture.
    Textfile,
    /// The same for all.
    InstancePrompt,
    /// A table, or the data set that was downloaded.
    Elsewhere,
}

/// `resolution_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Pixel,
    PixelArea,
    Area,
}

/// `crop_aspect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aspect {
    Square,
    Preserve,
    Closest,
    Random,
}

/// The settings of one dataset, with the trainer's defaults.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are the trainer's own switches")]
pub(super) struct Settings {
    resolution: f64,
    unit: Unit,
    crop: bool,
    aspect: Aspect,
    /// `crop_aspect_buckets`: width by height.
    pub(super) aspects: Vec<f64>,
    minimum_size: Option<f64>,
    pub(super) minimum_aspect: Option<f64>,
    pub(super) maximum_aspect: Option<f64>,
    alignment: u32,
    decimals: u32,
    family: String,
    flavour: String,
    pub(super) captions: Captions,
    pub(super) keeps_lines_together: bool,
    pub(super) repeats: u32,
    pub(super) batch_size: u32,
    pub(super) accumulation: u32,
    pub(super) processes: u32,
    pub(super) oversubscribes: bool,
    pub(super) deletes_problematic: bool,
    pub(super) deletes_unwanted: bool,
}

impl Settings {
    /// The defaults of the field registry.
    pub(super) fn new() -> Self {
        Self {
            resolution: 1024.0,
            unit: Unit::PixelArea,
            crop: false,
            aspect: Aspect::Square,
            aspects: Vec::new(),
            minimum_size: None,
            minimum_aspect: None,
            maximum_aspect: None,
            alignment: 64,
            decimals: 2,
            family: String::new(),
            flavour: String::new(),
            captions: Captions::Filename,
            keeps_lines_together: false,
            repeats: 0,
            batch_size: 4,
            accumulation: 1,
            processes: 1,
            oversubscribes: false,
            deletes_problematic: false,
            deletes_unwanted: false,
        }
    }

    /// Takes one setting. Switches are true as Python has it: the text `False` is true, and that is what the trainer makes of it.
    pub(super) fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        match setting.key.trim_start_matches('-') {
            "resolution" => self.resolution = positive(setting)?,
            "resolution_type" => {
                self.unit = match setting.text()? {
                    "pixel" => Unit::Pixel,
                    "pixel_area" => Unit::PixelArea,
                    "area" => Unit::Area,
                    _ => return Err(setting.wrong("pixel, pixel_area or area")),
                }
            }
            "crop" => self.crop = is_true(setting.value),
            "crop_aspect" => {
                self.aspect = match setting.text()? {
                    "square" => Aspect::Square,
                    "preserve" => Aspect::Preserve,
                    "closest" => Aspect::Closest,
                    "random" => Aspect::Random,
                    _ => return Err(setting.wrong("square, preserve, closest or random")),
                }
            }
            "crop_aspect_buckets" => self.aspects = aspects(setting)?,
            // The place of the cut is told as if it were in the centre; pictures and videos are listed alike.
            "crop_style" | "dataset_type" => _ = setting.text()?,
            "minimum_image_size" => self.minimum_size = Some(positive(setting)?),
            "minimum_aspect_ratio" => self.minimum_aspect = Some(positive(setting)?),
            "maximum_aspect_ratio" => self.maximum_aspect = Some(positive(setting)?),
            "aspect_bucket_alignment" => self.alignment = count(setting)?.max(1),
            "aspect_bucket_rounding" => self.decimals = count(setting)?,
            "model_family" => setting.text()?.clone_into(&mut self.family),
            "model_flavour" => setting.text()?.clone_into(&mut self.flavour),
            "caption_strategy" => {
                self.captions = match setting.text()? {
                    "filename" => Captions::Filename,
                    "textfile" => Captions::Textfile,
                    "instanceprompt" | "instance_prompt" => Captions::InstancePrompt,
                    "parquet" | "csv" | "huggingface" | "webshart" => Captions::Elsewhere,
                    _ => return Err(setting.wrong("filename, textfile, instanceprompt, parquet, csv, huggingface or webshart")),
                }
            }
            "disable_multiline_split" => self.keeps_lines_together = is_true(setting.value),
            "repeats" => self.repeats = count(setting)?,
            "train_batch_size" => self.batch_size = count(setting)?.max(1),
            "gradient_accumulation_steps" => self.accumulation = count(setting)?.max(1),
            "num_processes" => self.processes = count(setting)?.max(1),
            "allow_dataset_oversubscription" => self.oversubscribes = is_true(setting.value),
            "delete_problematic_images" => self.deletes_problematic = is_true(setting.value),
            "delete_unwanted_images" => self.deletes_unwanted = is_true(setting.value),
            other if schema::has(other) => {}
            // There are hundreds of flags; one that is written as such is left to the trainer's own parser.
            _ if setting.key.starts_with("--") => {}
            _ => return Err(setting.unknown(&KEYS)),
        }
        Ok(())
    }

    /// The rule of buckets that these settings make. `pixel_area` is squared before anything else happens
    /// (`simpletuner/helpers/data_backend/factory.py` 2962-2983).
    pub(super) fn rule(&self) -> Rule {
        let measure = match self.unit {
            Unit::Pixel => Measure::ShortEdge(self.resolution),
            Unit::PixelArea => Measure::Megapixels(self.resolution * self.resolution / 1e6),
            Unit::Area => Measure::Megapixels(self.resolution),
        };
        let shape = match self.aspect {
            Aspect::Square if self.crop => Shape::Square,
            Aspect::Closest if self.crop => Shape::Nearest(self.aspects.clone()),
            Aspect::Random if self.crop => self.aspects.first().map_or(Shape::Own, |aspect| Shape::Given(*aspect)),
            _ => Shape::Own,
        };
        Rule { measure, alignment: self.alignment(), decimals: self.decimals, shape }
    }

    /// Whether an aspect is drawn for each picture.
    pub(super) fn draws_aspects(&self) -> bool {
        self.crop && self.aspect == Aspect::Random
    }

    /// Whether aspects are needed and none is given, which a check at the start refuses.
    pub(super) fn lacks_aspects(&self) -> bool {
        self.crop && matches!(self.aspect, Aspect::Closest | Aspect::Random) && self.aspects.is_empty()
    }

    /// What divides every side, in pixels: many models force it, whatever is set.
    pub(super) fn alignment(&self) -> u32 {
        match self.family.as_str() {
            "sd1x" | "sdxl" | "sd3" | "flux" | "sana" | "hidream" | "lumina2" | "pixart" | "pixart_sigma" | "auraflow" | "ltxvideo"
            | "kolors" => 64,
            "flux2" | "cosmos" => 16,
            "wan" if self.flavour.contains("5b") => 64,
            "wan" => 32,
            _ => self.alignment,
        }
    }

    /// Whether a CLIP encoder reads captions, as far as the model is known.
    pub(super) fn clip_reads_captions(&self) -> bool {
        matches!(self.family.as_str(), "" | "sd1x" | "sdxl")
    }

    /// `minimum_image_size`, as this dataset measures it: pixels of an edge, or megapixels.
    pub(super) fn minimum(&self) -> Option<Measure> {
        let size = self.minimum_size?;
        Some(match self.unit {
            Unit::Pixel => Measure::ShortEdge(size),
            // What is not above 10 is taken for megapixels already.
            Unit::PixelArea if size > 10.0 => Measure::Megapixels(size * size / 1e6),
            Unit::PixelArea | Unit::Area => Measure::Megapixels(size),
        })
    }

    /// The longest edge of the square whose area pictures are scaled to, in pixels.
    pub(super) fn edge(&self) -> f64 {
        match self.unit {
            Unit::Pixel | Unit::PixelArea => self.resolution,
            Unit::Area => (self.resolution * 1e6).sqrt(),
        }
    }
}

/// A number, which may be written as text as on a command line.
fn number(setting: &Setting<'_>) -> Option<f64> {
    let of_text = || setting.value.as_str().and_then(|text| text.trim().parse::<f64>().ok()).filter(|number| number.is_finite());
    setting.number().ok().or_else(of_text)
}

fn positive(setting: &Setting<'_>) -> Result<f64, SetError> {
    number(setting).filter(|number| *number > 0.0).ok_or_else(|| setting.wrong("a number above 0"))
}

fn count(setting: &Setting<'_>) -> Result<u32, SetError> {
    let whole = number(setting).filter(|number| number.fract() == 0.0 && *number >= 0.0);
    whole.and_then(super::super::python::pixels).ok_or_else(|| setting.wrong("a whole number"))
}

/// `crop_aspect_buckets`: numbers, or tables with an `aspect` and a `weight`.
fn aspects(setting: &Setting<'_>) -> Result<Vec<f64>, SetError> {
    let aspect = |value: &toml::Value| {
        let value = value.as_table().map_or(Some(value), |table| table.get("aspect").or_else(|| table.get("aspect_ratio")))?;
        Setting::new(setting.key, value).number().ok().filter(|aspect| *aspect > 0.0)
    };
    let aspects = setting.value.as_array().and_then(|list| list.iter().map(aspect).collect());
    aspects.ok_or_else(|| setting.wrong("a list of aspects such as [0.75, 1.0, 1.5]"))
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::apply;
    use super::*;

    fn with(pairs: &[(&str, toml::Value)]) -> Settings {
        let mut settings = Settings::new();
        apply(pairs, |setting| settings.set(setting));
        settings
    }

    #[test]
    fn a_resolution_is_measured_in_three_ways() {
        let measure =
            |unit: &str, resolution: toml::Value| with(&[("resolution", resolution), ("resolution_type", unit.into())]).rule().measure;
        assert_eq!(measure("pixel", 512.into()), Measure::ShortEdge(512.0));
        assert_eq!(measure("pixel_area", 1024.into()), Measure::Megapixels(1.048_576));
        assert_eq!(measure("area", "0.5".into()), Measure::Megapixels(0.5));
    }

    #[test]
    fn text_switches_on() {
        assert_eq!(with(&[("crop", "False".into())]).rule().shape, Shape::Square);
        assert_eq!(with(&[("crop", false.into())]).rule().shape, Shape::Own);
    }

    #[test]
    fn a_model_forces_its_alignment() {
        let alignment = |pairs: &[(&str, toml::Value)]| with(pairs).alignment();
        assert_eq!(alignment(&[("model_family", "sdxl".into()), ("aspect_bucket_alignment", 8.into())]), 64);
        assert_eq!(alignment(&[("model_family", "wan".into()), ("model_flavour", "ti2v-5b-2.2".into())]), 64);
        assert_eq!(alignment(&[("aspect_bucket_alignment", 8.into())]), 8);
    }

    #[test]
    fn keys_of_the_command_line_may_keep_their_dashes() {
        assert_eq!(with(&[("--train_batch_size", "2".into())]).batch_size, 2);
        let error = Settings::new().set(&Setting::new("train_batchsize", &2.into())).expect_err("there is no such key");
        assert!(error.to_string().contains("did you mean `train_batch_size`?"), "{error}");
    }

    #[test]
    fn aspects_may_have_weights() {
        let weighed = toml::Value::Table(toml::toml! { aspect = 1.5
        weight = 1.0 });
        assert_eq!(with(&[("crop_aspect_buckets", toml::Value::Array(vec![weighed, 0.75.into(), 1.into()]))]).aspects, [1.5, 0.75, 1.0]);
    }

    #[test]
    fn the_smallest_size_is_measured_as_the_resolution() {
        let minimum = |unit: &str, size: toml::Value| with(&[("resolution_type", unit.into()), ("minimum_image_size", size)]).minimum();
        assert_eq!(minimum("pixel_area", 512.into()), Some(Measure::Megapixels(0.262_144)));
        assert_eq!(minimum("area", 0.5.into()), Some(Measure::Megapixels(0.5)));
        assert_eq!(minimum("pixel", 512.into()), Some(Measure::ShortEdge(512.0)));
    }
}
