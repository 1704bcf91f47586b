//! SimpleTuner: config.json with its flags, and the list of datasets in multidatabackend.json.

use std::collections::HashSet;

use super::document::{Node, Table, Value};
use super::plan::{DatasetRecipe, Media, Role};
use super::reader::{Layers, Means, Reader, Source};
use super::schema::{Key, Manners, Wants, check, key};
use crate::model::{Phase, RecipeFaultKind, printable};

const DATASET: u8 = 1;
const MANNERS: Manners = Manners { strict: false, levels: &["a dataset"] };

static SCHEMA: [Key; 38] = [
    key("id", Wants::Text, DATASET),
    key("type", Wants::Text, DATASET),
    key("dataset_type", Wants::Text, DATASET),
    key("instance_data_dir", Wants::Path, DATASET),
    key("cache_dir", Wants::Path, DATASET),
    key("cache_dir_vae", Wants::Path, DATASET),
    key("caption_strategy", Wants::Text, DATASET),
    key("instance_prompt", Wants::Text, DATASET),
    key("resolution", Wants::Number, DATASET),
    key("resolution_type", Wants::Text, DATASET),
    key("crop", Wants::Flag, DATASET),
    key("crop_aspect", Wants::Text, DATASET),
    key("crop_aspect_buckets", Wants::Anything, DATASET),
    key("crop_style", Wants::Text, DATASET),
    key("minimum_image_size", Wants::Number, DATASET),
    key("maximum_image_size", Wants::Number, DATASET),
    key("target_downsample_size", Wants::Number, DATASET),
    key("minimum_aspect_ratio", Wants::Number, DATASET),
    key("maximum_aspect_ratio", Wants::Number, DATASET),
    key("repeats", Wants::Whole, DATASET),
    key("probability", Wants::Number, DATASET),
    key("metadata_backend", Wants::Text, DATASET),
    key("video", Wants::Anything, DATASET),
    key("train_batch_size", Wants::Whole, DATASET),
    key("disable_multiline_split", Wants::Flag, DATASET),
    key("prepend_instance_prompt", Wants::Flag, DATASET),
    key("only_instance_prompt", Wants::Flag, DATASET),
    key("vae_cache_clear_each_epoch", Wants::Flag, DATASET),
    key("skip_file_discovery", Wants::Text, DATASET),
    key("disabled", Wants::Flag, DATASET),
    key("default", Wants::Flag, DATASET),
    key("is_regularisation_data", Wants::Flag, DATASET),
    key("is_regularization_data", Wants::Flag, DATASET),
    key("conditioning_data", Wants::Anything, DATASET),
    key("conditioning_type", Wants::Text, DATASET),
    key("preserve_data_backend_cache", Wants::Flag, DATASET),
    key("max_num_samples", Wants::Whole, DATASET),
    key("write_batch_size", Wants::Whole, DATASET),
];

/// Flags of config.json that hold for every dataset, where it has none of its own.
const RUN_KEYS: [&str; 11] = [
    "resolution",
    "resolution_type",
    "aspect_bucket_alignment",
    "aspect_bucket_rounding",
    "model_family",
    "model_flavour",
    "caption_strategy",
    "train_batch_size",
    "gradient_accumulation_steps",
    "allow_dataset_oversubscription",
    "minimum_image_size",
];

pub(super) fn read(reader: &mut Reader<'_>, source: &Source) {
    if let Some(list) = source.document.root.list() {
        datasets(reader, &source.name, list, None);
        return;
    }
    let file = source.name.as_str();
    let root = without_dashes(&source.document.root);
    let run = Layers(vec![(file, &root)]);
    reader.recipe.seed = run.integer("seed");
    reader.recipe.batch_size = run.integer("train_batch_size");
    reader.recipe.gradient_accumulation = run.integer("gradient_accumulation_steps");
    reader.recipe.epochs = run.integer("num_train_epochs");
    reader.recipe.steps = run.integer("max_train_steps");
    reader.recipe.output = reader.path_at(file, &root, "output_dir");
    for key in ["delete_problematic_images", "delete_unwanted_images"] {
        if let Some(node) = root.get(key).filter(|node| node.is_truthy()) {
            let message = format!("{key} is set, which deletes images of the dataset");
            let what = "images that it cannot read, or that are too small, are removed from the dataset's own folder".to_owned();
            let means = Means(crate::model::Outcome::Skip, Phase::DatasetScan, what);
            reader.fault(RecipeFaultKind::DeletesFiles, (file, node.at), message, means, format!("remove {key}, or train on a copy"));
        }
    }
    if root.get("data_backend_config").is_none() {
        let what = "the trainer has no dataset and ends";
        reader.missing(file, root.at, "there is no data_backend_config", what, "name the list of datasets at data_backend_config");
        return;
    }
    if let Some(path) = reader.path_at(file, &root, "data_backend_config")
        && let Some(backends) = reader.open(&path, None)
    {
        let list = backends.document.root.list().unwrap_or_default();
        datasets(reader, &backends.name, list, Some((file, &root)));
    }
}

/// The keys of config.json, which may be written as flags with their dashes.
fn without_dashes(root: &Node) -> Node {
    let entries = root.table().into_iter().flat_map(|table| table.entries.iter().cloned());
    let entries = entries.map(|mut entry| {
        entry.key = entry.key.trim_start_matches('-').to_owned();
        entry
    });
    Node { value: Value::Table(Table { entries: entries.collect() }), at: root.at }
}

fn datasets(reader: &mut Reader<'_>, file: &str, list: &[Node], run: Option<(&str, &Node)>) {
    let mut caches = HashSet::new();
    for (number, table) in list.iter().enumerate() {
        check(reader, file, table, "a dataset", &SCHEMA, DATASET, MANNERS);
        let text = |key: &str| table.get(key).and_then(Node::text);
        let kind = text("dataset_type").unwrap_or("image");
        if table.get("disabled").is_some_and(Node::is_truthy) || ["text_embeds", "image_embeds"].contains(&kind) {
            continue;
        }
        let name = text("id").map_or_else(|| format!("[{number}]"), str::to_owned);
        let mut dataset = DatasetRecipe::new(name);
        dataset.folder = reader.path_at(file, table, "instance_data_dir");
        if table.get("instance_data_dir").is_none() && text("type").unwrap_or("local") == "local" {
            let what = "the trainer has no folder to read and ends";
            reader.missing(
                file,
                table.at,
                format!("dataset `{}` has no instance_data_dir", dataset.name),
                what,
                "name the folder of its images at instance_data_dir",
            );
        }
        for key in ["cache_dir_vae", "cache_dir"] {
            dataset.caches.extend(reader.path_at(file, table, key));
        }
        (dataset.role, dataset.media) = match kind {
            "conditioning" => (Role::Conditioning, Media::Images),
            "eval" => (Role::Validation, Media::Images),
            "video" => (Role::Train, Media::Videos),
            _ => (Role::Train, Media::Images),
        };
        if ["is_regularisation_data", "is_regularization_data"].iter().any(|key| table.get(key).is_some_and(Node::is_truthy)) {
            dataset.role = Role::Regularization;
        }
        let layers = Layers([Some((file, table)), run].into_iter().flatten().collect());
        limits(reader, &layers, table, file);
        let own = Layers(vec![(file, table)]);
        dataset.settings =
            own.settings(SCHEMA.iter().filter(|key| key.wants != Wants::Path && key.name != "id").map(|key| (key.name, key.name)));
        for setting in layers.settings(RUN_KEYS.map(|key| (key, key))) {
            if dataset.setting(&setting.key).is_none() {
                dataset.settings.push(setting);
            }
        }
        same_cache(reader, &dataset, &mut caches);
        reader.dataset(dataset);
    }
}

/// A cache is named by the stem alone, so that two datasets with one folder of caches read each other's.
fn same_cache(reader: &mut Reader<'_>, dataset: &DatasetRecipe, seen: &mut HashSet<String>) {
    for cache in dataset.caches.iter().filter(|cache| !seen.insert(cache.text.clone())) {
        let message = format!("the cache of `{}` lies in `{}`, where an earlier dataset has its own", dataset.name, printable(&cache.text));
        let means = Means::distorts("images with equal stems share one cache file, and train on each other's latents");
        reader.fault(RecipeFaultKind::Conflict, (&cache.file, cache.at), message, means, "give each dataset a cache folder of its own");
    }
}

/// Limits of sizes (config/validators.py:58-98, metadata/backends/base.py:1256-1276, training_sample.py:218-252).
fn limits(reader: &mut Reader<'_>, layers: &Layers<'_>, table: &Node, file: &str) {
    let kind = layers.get("resolution_type").and_then(|(_, node)| node.text()).unwrap_or("pixel_area");
    let number = |key: &str| table.get(key).and_then(|node| Some((node.number()?, node.at)));
    if let Some((greatest, at)) = number("maximum_image_size") {
        if table.get("target_downsample_size").is_none() {
            let message = "maximum_image_size is set without target_downsample_size";
            let means = Means::stops("the trainer demands both and ends");
            reader.fault(RecipeFaultKind::MissingKey, (file, at), message, means, "add target_downsample_size");
        }
        let limit = match kind {
            "area" if greatest > 20.0 => Some(format!("maximum_image_size is {greatest} megapixels, above 20")),
            "pixel" if greatest < 512.0 => Some(format!("maximum_image_size is {greatest} pixels, below 512")),
            _ => None,
        };
        if let Some(message) = limit {
            let means = Means::stops("the trainer takes the value for one of another resolution_type and ends");
            reader.fault(
                RecipeFaultKind::Range,
                (file, at),
                message,
                means,
                "give megapixels with area, and pixels with pixel and pixel_area",
            );
        }
    }
    if let Some((least, at)) = number("minimum_image_size")
        && kind == "area"
        && least > 5.0
    {
        let means = Means::stops("the trainer takes the value for pixels and ends");
        let message = format!("minimum_image_size is {least} megapixels, above 5");
        reader.fault(RecipeFaultKind::Range, (file, at), message, means, "give megapixels with area, and pixels with pixel and pixel_area");
    }
    if let Some((resolution, at)) = number("resolution") {
        let message = match kind {
            "area" if (resolution - 0.5).abs() < 0.05 => {
                "a resolution of 0.5 megapixels makes squares of 768x768, and other shapes of 704x704".to_owned()
            }
            "area" if resolution > 20.0 => format!("the resolution is {resolution} megapixels"),
            "pixel" | "pixel_area" if resolution < 64.0 => format!("the resolution is {resolution} pixels"),
            _ => return,
        };
        let means = Means::distorts("the size of pictures is not the one that is meant");
        reader.fault(RecipeFaultKind::Range, (file, at), message, means, "give the edge in pixels with resolution_type pixel_area");
    }
    if let Some(buckets) = table.get("crop_aspect_buckets").and_then(Node::list)
        && buckets.iter().any(|bucket| bucket.table().is_some())
    {
        let sum: f64 =
            buckets.iter().filter_map(Node::table).flat_map(|table| &table.entries).filter_map(|entry| entry.node.number()).sum();
        #[expect(clippy::float_cmp, reason = "the trainer compares so (training_sample.py:282-340)")]
        if sum != 1.0
            && let Some(first) = buckets.first()
        {
            let means = Means::stops("the trainer demands a sum of exactly 1.0 and ends");
            let message = format!("the weights of crop_aspect_buckets have a sum of {sum}");
            reader.fault(RecipeFaultKind::Range, (file, first.at), message, means, "give weights whose sum is 1.0");
        }
    }
}
