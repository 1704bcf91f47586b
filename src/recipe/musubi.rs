//! musubi-tuner (30c658c4): `[general]` and `[[datasets]]` of images or videos (dataset/config_utils.py:33-130).

use std::collections::HashSet;

use super::document::{Node, Syntax};
use super::plan::{DatasetRecipe, Media};
use super::reader::{Layers, Means, Reader, Source};
use super::schema::{Key, Manners, Wants, check, key};
use super::sections::{Shape, sections};
use crate::model::RecipeFaultKind;

const GENERAL: u8 = 1;
const IMAGE: u8 = 2;
const VIDEO: u8 = 4;
const EITHER: u8 = IMAGE | VIDEO;
const ALL: u8 = GENERAL | EITHER;

const MANNERS: Manners = Manners { strict: true, levels: &["[general]", "[[datasets]] with images", "[[datasets]] with videos"] };

static SCHEMA: [Key; 33] = [
    key("resolution", Wants::Size, ALL),
    key("caption_extension", Wants::Text, ALL),
    key("batch_size", Wants::Whole, ALL),
    key("num_repeats", Wants::Whole, ALL),
    key("enable_bucket", Wants::Flag, ALL),
    key("bucket_no_upscale", Wants::Flag, ALL),
    key("image_directory", Wants::Path, IMAGE),
    key("image_jsonl_file", Wants::Path, IMAGE),
    key("cache_directory", Wants::Path, EITHER),
    key("control_directory", Wants::Path, EITHER),
    key("multiple_target", Wants::Flag, IMAGE),
    key("fp_latent_window_size", Wants::Whole, EITHER),
    key("fp_1f_clean_indices", Wants::Wholes, IMAGE),
    key("fp_1f_target_index", Wants::Whole, IMAGE),
    key("fp_1f_no_post", Wants::Flag, IMAGE),
    key("no_resize_control", Wants::Flag, IMAGE),
    key("control_resolution", Wants::Size, IMAGE),
    key("flux_kontext_no_resize_control", Wants::Flag, IMAGE),
    key("qwen_image_edit_no_resize_control", Wants::Flag, IMAGE),
    key("qwen_image_edit_control_resolution", Wants::Size, IMAGE),
    key("video_directory", Wants::Path, VIDEO),
    key("video_jsonl_file", Wants::Path, VIDEO),
    key("target_frames", Wants::Wholes, VIDEO),
    key("frame_extraction", Wants::Text, VIDEO),
    key("frame_stride", Wants::Whole, VIDEO),
    key("frame_sample", Wants::Whole, VIDEO),
    key("max_frames", Wants::Whole, VIDEO),
    key("source_fps", Wants::Point, VIDEO),
    // Merged after the commit above; harmless to know.
    key("caption_dropout_rate", Wants::Number, ALL),
    key("audio_directory", Wants::Path, EITHER),
    key("audio_jsonl_file", Wants::Path, EITHER),
    key("fp_1f_no_2x", Wants::Flag, IMAGE),
    key("fp_1f_no_4x", Wants::Flag, IMAGE),
];

/// The settings that hold for a dataset; whatever is in the schema and is no path.
fn for_trainer() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCHEMA.iter().filter(|key| key.wants != Wants::Path).map(|key| (key.name, key.name))
}

pub(super) fn read(reader: &mut Reader<'_>, source: &Source) {
    let root = &source.document.root;
    let is_options = source.document.syntax == Syntax::Command || (root.get("datasets").is_none() && root.get("dataset_config").is_some());
    if !is_options {
        datasets(reader, source);
        return;
    }
    let options = Layers(vec![(source.name.as_str(), root)]);
    reader.recipe.seed = options.integer("seed");
    reader.recipe.gradient_accumulation = options.integer("gradient_accumulation_steps");
    reader.recipe.epochs = options.integer("max_train_epochs");
    reader.recipe.steps = options.integer("max_train_steps");
    reader.recipe.output = reader.path_at(&source.name, root, "output_dir");
    if root.get("dataset_config").is_none() {
        let what = "the trainer has no dataset and ends";
        reader.missing(&source.name, root.at, "there is no --dataset_config", what, "name the dataset configuration with --dataset_config");
        return;
    }
    if let Some(path) = reader.path_at(&source.name, root, "dataset_config")
        && let Some(config) = reader.open(&path, None)
    {
        datasets(reader, &config);
    }
}

static SHAPE: Shape = Shape {
    schema: &SCHEMA,
    general: GENERAL,
    manners: MANNERS,
    without: ("the trainer has no dataset and ends", "add [[datasets]] with image_directory or video_directory"),
};

fn datasets(reader: &mut Reader<'_>, source: &Source) {
    let file = source.name.as_str();
    let (general, list) = sections(reader, source, &SHAPE);
    let mut caches = HashSet::new();
    for (number, table) in list.iter().enumerate() {
        let has = |key: &str| table.get(key).is_some();
        let videos = has("video_directory") || has("video_jsonl_file");
        let images = has("image_directory") || has("image_jsonl_file");
        if images && videos {
            let message = format!("datasets[{number}] names images and videos");
            let means = Means::stops("the trainer takes one kind and refuses the other's keys (\"extra keys not allowed\")");
            reader.fault(RecipeFaultKind::Conflict, (file, table.at), message, means, "make two datasets of it");
        } else if !images && !videos {
            let what = "the trainer ends with \"no attribute 'datasource'\"";
            let message = format!("datasets[{number}] names neither images nor videos");
            reader.missing(file, table.at, message, what, "add image_directory, image_jsonl_file, video_directory or video_jsonl_file");
        }
        let level = match (images, videos) {
            (true, false) => IMAGE,
            (false, true) => VIDEO,
            _ => EITHER,
        };
        check(reader, file, table, "[[datasets]]", &SCHEMA, level, MANNERS);
        let dataset = dataset(reader, file, table, general, number, videos);
        // Strings are compared as they stand (dataset/config_utils.py:287-292); the images' folder stands in for a missing one.
        let cache = dataset.caches.first().or(dataset.folder.as_ref());
        if let Some(cache) = cache
            && !caches.insert(cache.text.clone())
        {
            let message = format!("the cache of datasets[{number}] lies in `{}`, where an earlier dataset has its own", cache.text);
            let means = Means::stops("the trainer refuses two datasets with one cache_directory and ends");
            reader.fault(RecipeFaultKind::Conflict, (file, cache.at), message, means, "give each dataset a cache_directory of its own");
        }
        reader.dataset(dataset);
    }
}

fn dataset(reader: &mut Reader<'_>, file: &str, table: &Node, general: &Node, number: usize, videos: bool) -> DatasetRecipe {
    let layers = Layers(vec![(file, table), (file, general)]);
    let mut dataset = DatasetRecipe::new(format!("datasets[{number}]"));
    let (folder, list) = if videos { ("video_directory", "video_jsonl_file") } else { ("image_directory", "image_jsonl_file") };
    dataset.folder = reader.path_at(file, table, folder);
    dataset.metadata = reader.path_at(file, table, list);
    dataset.caches.extend(reader.path_at(file, table, "cache_directory"));
    dataset.companions.extend(reader.path_at(file, table, "control_directory"));
    dataset.media = if videos { Media::Videos } else { Media::Images };
    dataset.settings = layers.settings(for_trainer());
    if dataset.metadata.is_some() && table.get("cache_directory").is_none() {
        let what = "the trainer asserts \"cache_directory is required\" and ends";
        reader.missing(file, table.at, format!("datasets[{number}] has {list} and no cache_directory"), what, "add cache_directory");
    }
    if dataset.folder.is_some() && layers.get("caption_extension").is_none() {
        let what = "the trainer looks for a caption without a name (FileNotFoundError) and ends";
        reader.missing(file, table.at, format!("datasets[{number}] has no caption_extension"), what, "add `caption_extension = \".txt\"`");
    } else if let Some((place_file, extension)) = layers.get("caption_extension")
        && extension.text().is_some_and(|text| !text.starts_with('.'))
    {
        let message = "caption_extension has no dot";
        let means = Means::stops("the trainer joins it to the stem as it is, and does not find the captions");
        reader.fault(RecipeFaultKind::Range, (place_file, extension.at), message, means, "begin it with a dot, as in \".txt\"");
    }
    if videos {
        video_rules(reader, &layers, file, table);
    }
    dataset
}

fn video_rules(reader: &mut Reader<'_>, layers: &Layers<'_>, file: &str, table: &Node) {
    let extraction = layers.get("frame_extraction");
    if let Some((place_file, node)) = extraction
        && let Some(text) = node.text()
        && !["head", "chunk", "slide", "uniform", "full"].contains(&text)
    {
        let message = format!("frame_extraction is `{text}`");
        let means = Means::stops("the trainer ends with a ValueError");
        reader.fault(RecipeFaultKind::Range, (place_file, node.at), message, means, "write head, chunk, slide, uniform or full");
    }
    let is_full = extraction.is_some_and(|(_, node)| node.text() == Some("full"));
    let Some((place_file, frames)) = layers.get("target_frames") else {
        if !is_full {
            let what = "the trainer takes the first frame of each video";
            let fault =
                reader.missing(file, table.at, "a dataset of videos has no target_frames", what, "add target_frames, such as [1, 25, 45]");
            fault.level = crate::model::Level::Warning;
            fault.consequence.outcome = crate::model::Outcome::Distort;
        }
        return;
    };
    for item in frames.list().unwrap_or_default() {
        let Some(count) = item.integer() else { continue };
        // (f - 1) // 4 * 4 + 1, as Python divides (dataset/image_video_dataset.py:590-665).
        let rounded = count.saturating_sub(1).div_euclid(4).saturating_mul(4).saturating_add(1);
        if rounded != count {
            let message = format!("target_frames holds {count}, which is no 4n + 1");
            let means = Means::distorts(format!("the trainer takes {rounded} instead"));
            reader.fault(RecipeFaultKind::Range, (place_file, item.at), message, means, format!("write {}", rounded.max(1)));
        }
    }
}
