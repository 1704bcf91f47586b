//! diffusion-pipe (8f83dbf2): dataset.toml with its `[[directory]]`, and the training TOML that names it.

use super::document::Syntax;
use super::document::{Node, Value};
use super::plan::{DatasetRecipe, Media, PathText};
use super::reader::{Layers, Means, Reader, Source};
use super::schema::{Key, Manners, Wants, check, key};
use crate::model::RecipeFaultKind;

const TOP: u8 = 1;
const DIRECTORY: u8 = 2;
const BOTH: u8 = TOP | DIRECTORY;
const MANNERS: Manners = Manners { strict: false, levels: &["the dataset configuration", "[[directory]]"] };

static SCHEMA: [Key; 19] = [
    key("resolutions", Wants::Anything, BOTH),
    key("enable_ar_bucket", Wants::Flag, BOTH),
    key("min_ar", Wants::Number, BOTH),
    key("max_ar", Wants::Number, BOTH),
    key("num_ar_buckets", Wants::Whole, BOTH),
    key("ar_buckets", Wants::Anything, BOTH),
    key("frame_buckets", Wants::Wholes, BOTH),
    key("size_buckets", Wants::Anything, BOTH),
    key("num_repeats", Wants::Number, BOTH),
    key("shuffle_tags", Wants::Flag, BOTH),
    key("caption_prefix", Wants::Text, BOTH),
    key("cache_shuffle_num", Wants::Whole, BOTH),
    key("cache_shuffle_delimiter", Wants::Text, BOTH),
    key("skip_empty_caption", Wants::Flag, BOTH),
    key("video_clip_mode", Wants::Text, BOTH),
    key("directory", Wants::Anything, TOP),
    key("path", Wants::Path, DIRECTORY),
    key("mask_path", Wants::Path, DIRECTORY),
    key("control_path", Wants::Path, DIRECTORY),
];

pub(super) fn read(reader: &mut Reader<'_>, source: &Source) {
    let (file, root) = (source.name.as_str(), &source.document.root);
    let run = Layers(vec![(file, root)]);
    if root.get("directory").is_some() || (root.get("dataset").is_none() && root.get("config").is_none()) {
        directories(reader, source, None);
        return;
    }
    if source.document.syntax == Syntax::Command {
        // `deepspeed train.py --config examples/x.toml`
        if let Some(path) = reader.path_at(file, root, "config")
            && let Some(config) = reader.open(&path, Some(Syntax::Toml))
            && config.document.root.get("config").is_none()
        {
            read(reader, &config);
        }
        return;
    }
    reader.recipe.batch_size = run.integer("micro_batch_size_per_gpu");
    reader.recipe.gradient_accumulation = run.integer("gradient_accumulation_steps");
    reader.recipe.epochs = run.integer("epochs");
    reader.recipe.steps = run.integer("max_steps");
    reader.recipe.output = reader.path_at(file, root, "output_dir");
    // Images may have a batch size of their own, so that a table or a list may stand here.
    if let Some(path) = reader.path_at(file, root, "dataset")
        && let Some(dataset) = reader.open(&path, Some(Syntax::Toml))
    {
        directories(reader, &dataset, Some((file, root)));
    }
}

fn directories(reader: &mut Reader<'_>, source: &Source, run: Option<(&str, &Node)>) {
    let (file, root) = (source.name.as_str(), &source.document.root);
    check(reader, file, root, "the dataset configuration", &SCHEMA, TOP, MANNERS);
    let list = root.get("directory").and_then(Node::list).unwrap_or_default();
    if list.is_empty() {
        let what = "the trainer has no images and ends";
        reader.missing(file, root.at, "there is no [[directory]]", what, "add [[directory]] with path");
    }
    shapes(reader, file, root);
    for (number, table) in list.iter().enumerate() {
        check(reader, file, table, "[[directory]]", &SCHEMA, DIRECTORY, MANNERS);
        shapes(reader, file, table);
        let mut dataset = DatasetRecipe::new(format!("directory[{number}]"));
        dataset.folder = reader.path_at(file, table, "path");
        if table.get("path").is_none() {
            let what = "the trainer ends with a KeyError";
            reader.missing(file, table.at, format!("directory[{number}] has no path"), what, "name the folder of its images at path");
        }
        for key in ["mask_path", "control_path"] {
            dataset.companions.extend(reader.path_at(file, table, key));
        }
        let layers = Layers(vec![(file, table), (file, root)]);
        if layers.get("resolutions").is_none() && layers.get("size_buckets").is_none() {
            let what = "the trainer has no size to train at and ends";
            let message = format!("directory[{number}] has neither resolutions nor size_buckets");
            reader.missing(file, table.at, message, what, "add `resolutions = [512]`");
        }
        let videos = |node: &Node| node.list().unwrap_or_default().iter().any(|count| count.integer().is_some_and(|count| count > 1));
        if layers.get("frame_buckets").is_some_and(|(_, node)| videos(node)) {
            dataset.media = Media::Videos;
        }
        dataset.caches.extend(dataset.folder.as_ref().map(|folder| PathText { text: format!("{}/cache", folder.text), ..folder.clone() }));
        let keys = SCHEMA.iter().filter(|key| key.levels & DIRECTORY != 0 && key.wants != Wants::Path);
        dataset.settings = layers.settings(keys.map(|key| (key.name, key.name)));
        let outer = Layers(run.into_iter().collect());
        dataset.settings.extend(outer.settings(["micro_batch_size_per_gpu", "gradient_accumulation_steps"].map(|key| (key, key))));
        reader.dataset(dataset);
    }
}

/// Resolutions and shapes of one table (utils/dataset.py).
fn shapes(reader: &mut Reader<'_>, file: &str, table: &Node) {
    if let Some(node) = table.get("resolutions") {
        let list = node.list().unwrap_or(std::slice::from_ref(node));
        if list.len() > 3 {
            let means = Means::stops("the trainer warns that every image is trained at each of them, and quits");
            let message = format!("resolutions has {} entries, more than 3", list.len());
            reader.fault(RecipeFaultKind::Range, (file, node.at), message, means, "give up to 3 resolutions");
        }
        for item in list {
            let sides = item.list().unwrap_or(std::slice::from_ref(item));
            if sides.iter().any(|side| side.number().is_none_or(|side| side <= 0.0)) {
                let means = Means::stops("the trainer makes no size of it and ends");
                reader.fault(RecipeFaultKind::Range, (file, item.at), "a resolution is not above 0", means, "write a side such as 512");
            }
        }
    }
    let ratio = |key: &str| table.get(key).and_then(|node| Some((node.number()?, node.at)));
    if let (Some((least, at)), Some((greatest, _))) = (ratio("min_ar"), ratio("max_ar"))
        && (least <= 0.0 || least > greatest)
    {
        let means = Means::stops("the trainer makes no shapes between the two and ends");
        let message = format!("min_ar is {least} and max_ar is {greatest}");
        reader.fault(RecipeFaultKind::Range, (file, at), message, means, "give ratios above 0, the lesser at min_ar");
    }
    let has_shapes = ["min_ar", "max_ar", "num_ar_buckets", "ar_buckets"].into_iter().find_map(|key| table.table()?.entry(key));
    if let (Some(enabled), Some(entry)) = (table.get("enable_ar_bucket"), has_shapes)
        && enabled.value == Value::Bool(false)
    {
        let message = format!("{} has no effect, since enable_ar_bucket is false", entry.key);
        let means = Means::distorts("every picture is cropped to a square");
        reader.fault(RecipeFaultKind::LostOption, (file, entry.at), message, means, "set `enable_ar_bucket = true`");
    }
}
