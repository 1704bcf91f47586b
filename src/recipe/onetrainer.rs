//! `OneTrainer`: the training configuration (TrainConfig.py:1014-1283), and its concepts (ConceptConfig.py:46-198).

use super::document::{Node, Value};
use super::plan::{DatasetRecipe, PathText, Role};
use super::reader::{Layers, Means, Reader, Source};
use super::schema::{Key, Manners, Wants, check, key};
use crate::model::{Outcome, Phase, Place, RecipeFaultKind};

const CONCEPT: u8 = 1;
const RUN: u8 = 2;
const MANNERS: Manners = Manners { strict: false, levels: &["a concept", "the training configuration"] };

static SCHEMA: [Key; 31] = [
    key("name", Wants::Text, CONCEPT),
    key("path", Wants::Path, CONCEPT),
    key("seed", Wants::Whole, CONCEPT | RUN),
    key("enabled", Wants::Flag, CONCEPT),
    key("type", Wants::Text, CONCEPT),
    key("include_subdirectories", Wants::Flag, CONCEPT),
    key("image_variations", Wants::Whole, CONCEPT),
    key("text_variations", Wants::Whole, CONCEPT),
    key("balancing", Wants::Number, CONCEPT),
    key("balancing_strategy", Wants::Text, CONCEPT),
    key("loss_weight", Wants::Number, CONCEPT),
    key("image", Wants::Anything, CONCEPT),
    key("text", Wants::Anything, CONCEPT),
    key("concept_file_name", Wants::Path, RUN),
    key("concepts", Wants::Anything, RUN),
    key("cache_dir", Wants::Path, RUN),
    key("workspace_dir", Wants::Path, RUN),
    key("output_model_destination", Wants::Path, RUN),
    key("clear_cache_before_training", Wants::Flag, RUN),
    key("latent_caching", Wants::Flag, RUN),
    key("aspect_ratio_bucketing", Wants::Flag, RUN),
    key("masked_training", Wants::Flag, RUN),
    key("custom_conditioning_image", Wants::Flag, RUN),
    key("multi_gpu", Wants::Flag, RUN),
    key("device_indexes", Wants::Text, RUN),
    key("batch_size", Wants::Whole, RUN),
    key("gradient_accumulation_steps", Wants::Whole, RUN),
    key("epochs", Wants::Whole, RUN),
    key("resolution", Wants::Text, RUN),
    key("frames", Wants::Text, RUN),
    key("model_type", Wants::Text, RUN),
];

/// What of the training configuration matters for a concept's samples.
const RUN_KEYS: [&str; 10] = [
    "resolution",
    "aspect_ratio_bucketing",
    "model_type",
    "batch_size",
    "gradient_accumulation_steps",
    "multi_gpu",
    "device_indexes",
    "latent_caching",
    "masked_training",
    "custom_conditioning_image",
];
/// What of a concept matters, and of its `image` and `text`.
const CONCEPT_KEYS: [&str; 6] =
    ["include_subdirectories", "balancing", "balancing_strategy", "image_variations", "text_variations", "loss_weight"];
const IMAGE_KEYS: [&str; 3] = ["enable_crop_jitter", "enable_resolution_override", "resolution_override"];
const TEXT_KEYS: [&str; 1] = ["prompt_source"];

pub(super) fn read(reader: &mut Reader<'_>, source: &Source) {
    let (file, root) = (source.name.as_str(), &source.document.root);
    if let Some(list) = root.list() {
        concepts(reader, file, list, None);
        return;
    }
    check(reader, file, root, "the training configuration", &SCHEMA, RUN, MANNERS);
    let run = Layers(vec![(file, root)]);
    reader.recipe.seed = run.integer("seed");
    reader.recipe.batch_size = run.integer("batch_size");
    reader.recipe.gradient_accumulation = run.integer("gradient_accumulation_steps");
    reader.recipe.epochs = run.integer("epochs");
    output(reader, file, root);
    if let Some(list) = root.get("concepts").and_then(Node::list) {
        concepts(reader, file, list, Some((file, root)));
    } else {
        let named = reader.path_at(file, root, "concept_file_name");
        let default = PathText { text: "training_concepts/concepts.json".to_owned(), file: file.to_owned(), at: Place::START };
        if let Some(opened) = reader.open(&named.unwrap_or(default), None) {
            let list = opened.document.root.list().unwrap_or_default();
            concepts(reader, &opened.name, list, Some((file, root)));
        }
    }
    cleared_cache(reader, file, root);
}

/// Where the model goes is the path of a file, but for the format of diffusers; a folder is refused when everything is done.
fn output(reader: &mut Reader<'_>, file: &str, root: &Node) {
    reader.recipe.output = reader.path_at(file, root, "output_model_destination");
    let Some(path) = reader.recipe.output.clone() else { return };
    if root.get("output_model_format").and_then(Node::text) == Some("DIFFUSERS") {
        return;
    }
    let name = path.text.rsplit(['/', '\\']).next().unwrap_or_default();
    if name.rsplit_once('.').is_some_and(|(stem, extension)| !stem.is_empty() && !extension.is_empty()) {
        return;
    }
    let is_folder = name.is_empty() || reader.is_folder(&path.text);
    let seen = if is_folder { "is a folder" } else { "has no extension" };
    let message = format!("output_model_destination `{}` {seen}, and the model is written to a file", path.text);
    let what = "saving the model fails at the end of training, if a folder has this name".to_owned();
    let outcome = if is_folder { Outcome::Stop } else { Outcome::Distort };
    let means = Means(outcome, Phase::Training, what);
    reader.fault(RecipeFaultKind::Range, (file, path.at), message, means, "add the file's name, such as /model.safetensors");
}

fn concepts(reader: &mut Reader<'_>, file: &str, list: &[Node], run: Option<(&str, &Node)>) {
    for (number, concept) in list.iter().enumerate() {
        check(reader, file, concept, "a concept", &SCHEMA, CONCEPT, MANNERS);
        if concept.get("enabled").is_some_and(|enabled| enabled.value == Value::Bool(false)) {
            continue;
        }
        let name = concept.get("name").and_then(Node::text).filter(|name| !name.is_empty());
        let mut dataset = DatasetRecipe::new(name.map_or_else(|| format!("concepts[{number}]"), str::to_owned));
        dataset.folder = reader.path_at(file, concept, "path");
        if concept.get("path").is_none() {
            let what = "the trainer takes a concept without a path for an empty one, and finds nothing in it";
            reader.missing(
                file,
                concept.at,
                format!("concept `{}` has no path", dataset.name),
                what,
                "name the folder of its images at path",
            );
        }
        dataset.role = match concept.get("type").and_then(Node::text) {
            Some("VALIDATION") => Role::Validation,
            Some("PRIOR_PREDICTION") => Role::Regularization,
            _ => Role::Train,
        };
        let tables = [Some((file, concept)), concept.get("image").map(|image| (file, image)), concept.get("text").map(|text| (file, text))];
        let [own, image, text] = tables.map(|table| Layers(table.into_iter().collect()));
        dataset.settings = own.settings(CONCEPT_KEYS.map(|key| (key, key)));
        dataset.settings.extend(image.settings(IMAGE_KEYS.map(|key| (key, key))));
        dataset.settings.extend(text.settings(TEXT_KEYS.map(|key| (key, key))));
        dataset.settings.extend(Layers(run.into_iter().collect()).settings(RUN_KEYS.map(|key| (key, key))));
        if let Some((run_file, root)) = run {
            dataset.caches.extend(reader.path_at(run_file, root, "cache_dir"));
        }
        if let Some((_, balancing)) = own.get("balancing")
            && balancing.number().is_some_and(|times| times <= 0.0)
        {
            let message = format!("balancing of `{}` is not above 0", dataset.name);
            let means = Means(Outcome::Skip, Phase::Caching, "no sample of the concept is trained".to_owned());
            reader.fault(
                RecipeFaultKind::Range,
                (file, balancing.at),
                message,
                means,
                "give a number above 0, or switch the concept off with `enabled`",
            );
        }
        reader.dataset(dataset);
    }
}

/// At the start sub-folders of the cache folder named `image`, `text` or `epoch-*` are removed (GenericTrainer.py:92-93, 175-184).
fn cleared_cache(reader: &mut Reader<'_>, file: &str, root: &Node) {
    let Some(cache) = root.get("cache_dir").and_then(|node| Some((node.text()?.replace('\\', "/"), node.at))) else { return };
    if root.get("clear_cache_before_training").is_some_and(|node| !node.is_truthy()) {
        return;
    }
    let (cache, at) = (cache.0.trim_end_matches('/').to_owned(), cache.1);
    let lost = reader.recipe.datasets.iter().filter_map(|dataset| dataset.folder.as_ref()).find_map(|folder| {
        let path = folder.text.replace('\\', "/");
        let below = path.strip_prefix(&cache)?;
        // The concept's folder is the cache folder or lies in it.
        if !below.is_empty() && !below.starts_with('/') {
            return None;
        }
        let first = below.trim_start_matches('/').split('/').next().unwrap_or_default();
        Some((folder.text.clone(), ["image", "text"].contains(&first) || first.starts_with("epoch-")))
    });
    let Some((folder, is_lost)) = lost else { return };
    let message = format!("cache_dir holds the concept's folder `{folder}`, and clear_cache_before_training is set");
    let what = "the folders image, text and epoch-* in cache_dir are deleted before training".to_owned();
    let outcome = if is_lost { Outcome::Stop } else { Outcome::Skip };
    let means = Means(outcome, Phase::Caching, what);
    reader.fault(RecipeFaultKind::DeletesFiles, (file, at), message, means, "name an empty folder at cache_dir");
}
