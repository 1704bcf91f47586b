//! What sd-scripts demands of values and of values together (48d368fa; where, stands at each).

use super::doubtful;
use crate::model::{Phase, Place, RecipeFaultKind};
use crate::recipe::document::{Node, Value};
use crate::recipe::reader::{Layers, Means, Reader};

/// The script that is started; empty where it is not known.
#[derive(Clone, Copy)]
pub(super) struct Script<'a>(pub(super) &'a str);

impl Script<'_> {
    /// By how much `bucket_reso_steps` must be divisible: `assert_extra_args` of each script and `verify_bucket_reso_steps`.
    fn divisor(self) -> Option<i64> {
        Some(match self.0 {
            "" => return None,
            "flux_train" | "flux_train_control_net" | "lumina_train" | "anima_train" | "anima_train_network" => 16,
            "sd3_train" => 8,
            "sd3_train_network" => 32,
            name if name.starts_with("sdxl_") => 32,
            _ => 64,
        })
    }

    /// Whether latents and captions may be cached with dropout: Anima bakes the rate into the cache.
    fn is_anima(self) -> bool {
        self.0.starts_with("anima")
    }

    /// Whether the script trains a `LoRA` of SDXL or Anima, whose text encoders cannot be trained beside a cache.
    fn wants_unet_only(self) -> bool {
        ["sdxl_train_network", "anima_train_network"].contains(&self.0)
    }
}

/// Rules of a dataset: resolution and buckets. `is_alone`: the command line, which may say more, is not known.
pub(super) fn dataset(reader: &mut Reader<'_>, file: &str, at: Place, layers: &Layers<'_>, is_alone: bool, script: Script<'_>) {
    let Some((place_file, resolution)) = layers.get("resolution") else {
        if layers.get("in_json").is_none() {
            let what = "the trainer ends with \"resolution is required\"";
            let fault = reader.missing(file, at, "no resolution is given", what, "add `resolution = 1024`, or give --resolution");
            doubtful(fault, is_alone);
        }
        return;
    };
    let sides = sides(resolution);
    if sides.iter().any(|side| *side <= 0) {
        let means = Means::stops("the trainer makes no bucket of it and ends");
        reader.fault(
            RecipeFaultKind::Range,
            (place_file, resolution.at),
            "a side of the resolution is not above 0",
            means,
            "give sides such as 1024",
        );
        return;
    }
    if !layers.is_set("enable_bucket") {
        return;
    }
    let number = |key: &str, default: i64| {
        layers.get(key).and_then(|(file, node)| Some((node.integer()?, (file, node.at)))).unwrap_or((default, (file, at)))
    };
    let (steps, steps_at) = number("bucket_reso_steps", 64);
    if steps <= 0 {
        let means = Means::stops("the trainer divides by it and ends");
        reader.fault(RecipeFaultKind::Range, steps_at, format!("bucket_reso_steps is {steps}"), means, "give a number such as 64");
        return;
    }
    if let Some(divisor) = script.divisor()
        && steps % divisor != 0
    {
        let message = format!("bucket_reso_steps is {steps}, and {} takes multiples of {divisor}", script.0);
        let means = Means::stops("the trainer ends with \"bucket_reso_steps is ... it must be divisible by ...\"");
        reader.fault(RecipeFaultKind::Range, steps_at, message, means, format!("give a multiple of {divisor}"));
    }
    // The least is rounded down and the greatest up to steps (library/train_util.py:747), then both are compared (1630-1647).
    let ((least, least_at), (greatest, greatest_at)) = (number("min_bucket_reso", 256), number("max_bucket_reso", 1024));
    let least_rounded = least.div_euclid(steps).saturating_mul(steps);
    let greatest_rounded = greatest.checked_add(steps - 1).map_or(greatest, |sum| sum.div_euclid(steps).saturating_mul(steps));
    let (Some(short), Some(long)) = (sides.iter().min(), sides.iter().max()) else { return };
    let means = || Means::stops("the trainer asserts that the resolution lies between the two and ends");
    if *short < least_rounded {
        let message = format!("the resolution's shorter side is {short}, below min_bucket_reso {least_rounded}");
        reader.fault(RecipeFaultKind::Range, least_at, message, means(), "lower min_bucket_reso, or raise the resolution");
    }
    if *long > greatest_rounded {
        let message = format!("the resolution's longer side is {long}, above max_bucket_reso {greatest_rounded}");
        reader.fault(
            RecipeFaultKind::Range,
            greatest_at,
            message,
            means(),
            format!("set `max_bucket_reso = {long}` or more, or lower the resolution"),
        );
    }
}

/// Rules of a subset: what excludes what.
pub(super) fn subset(reader: &mut Reader<'_>, file: &str, subset: &Node, layers: &Layers<'_>, script: Script<'_>) {
    if let Some((place_file, repeats)) = layers.get("num_repeats")
        && repeats.integer().is_some_and(|repeats| repeats < 1)
    {
        let means = Means(crate::model::Outcome::Skip, Phase::DatasetScan, "the subset is left out with a warning".to_owned());
        reader.fault(
            RecipeFaultKind::Range,
            (place_file, repeats.at),
            "num_repeats is below 1",
            means,
            "give 1 or more, or remove the subset",
        );
    }
    if let Some(conditioning) = subset.get("conditioning_data_dir")
        && !script.0.is_empty()
        && !script.0.contains("control")
        && !layers.is_set("masked_loss")
    {
        let message = "conditioning_data_dir is for --masked_loss and ControlNet scripts only";
        let means = Means::stops("the trainer allows no such key here and ends");
        reader.fault(RecipeFaultKind::UnknownKey, (file, conditioning.at), message, means, "add --masked_loss, or remove the key");
    }
    let caches_latents = layers.is_set("cache_latents") || layers.is_set("cache_latents_to_disk");
    if caches_latents {
        for key in ["color_aug", "random_crop"].into_iter().filter(|key| layers.is_set(key)) {
            let message = format!("{key} is set, and latents are cached");
            let means = Means::stops("the trainer ends with \"when caching latents, either color_aug or random_crop cannot be used\"");
            conflict(reader, layers, key, message, means, format!("leave out {key}, or do not cache latents"));
        }
    }
    let caches_text = layers.is_set("cache_text_encoder_outputs") || layers.is_set("cache_text_encoder_outputs_to_disk");
    if !caches_text {
        return;
    }
    // `is_text_encoder_output_cacheable` (library/train_util.py:1099-1113); lumina_train_network does not ask it.
    if script.0 != "lumina_train_network" {
        let excluded = ["shuffle_caption", "token_warmup_step", "caption_tag_dropout_rate", "caption_dropout_rate"];
        for key in excluded.into_iter().filter(|key| layers.is_set(key)) {
            if key == "caption_dropout_rate" && script.is_anima() {
                continue;
            }
            let message = format!("{key} is set, and the text encoder's outputs are cached");
            let means = Means::stops("the trainer asserts that captions stay as they are when they are cached, and ends");
            conflict(reader, layers, key, message, means, format!("leave out {key}, or do not cache the text encoder's outputs"));
        }
    }
    if script.wants_unet_only() && !layers.is_set("network_train_unet_only") {
        let key =
            if layers.is_set("cache_text_encoder_outputs") { "cache_text_encoder_outputs" } else { "cache_text_encoder_outputs_to_disk" };
        let message = "the text encoder's outputs are cached without network_train_unet_only".to_owned();
        let means = Means::stops("the trainer asserts that the text encoder is not trained, and ends");
        conflict(reader, layers, key, message, means, "add --network_train_unet_only".to_owned());
    }
    let lost = [
        "caption_prefix",
        "caption_suffix",
        "enable_wildcard",
        "keep_tokens_separator",
        "secondary_separator",
        "caption_dropout_every_n_epochs",
    ];
    for key in lost.into_iter().filter(|key| layers.is_set(key)) {
        let Some((place_file, node)) = layers.get(key) else { continue };
        let message = format!("{key} has no effect, since the text encoder's outputs are cached");
        let means = Means::distorts("the caption is encoded as it stands in its file");
        let help = format!("write it into the captions, or do not cache the text encoder's outputs with {key}");
        once(reader, RecipeFaultKind::LostOption, (place_file, node.at), message, means, help);
    }
}

fn conflict(reader: &mut Reader<'_>, layers: &Layers<'_>, key: &str, message: String, means: Means, help: String) {
    if let Some((file, node)) = layers.get(key) {
        once(reader, RecipeFaultKind::Conflict, (file, node.at), message, means, help);
    }
}

/// Reports what several subsets inherit from one place one time.
fn once(reader: &mut Reader<'_>, kind: RecipeFaultKind, site: (&str, Place), message: String, means: Means, help: String) {
    let is_known = reader.recipe.faults.iter().any(|fault| fault.place == site.1 && fault.file == site.0 && fault.message == message);
    if !is_known {
        reader.fault(kind, site, message, means, help);
    }
}

fn sides(node: &Node) -> Vec<i64> {
    match &node.value {
        Value::List(list) => list.iter().filter_map(Node::integer).collect(),
        Value::Text(text) => text.split(',').filter_map(|side| side.trim().parse().ok()).collect(),
        _ => node.integer().into_iter().collect(),
    }
}
