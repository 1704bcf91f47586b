//! ai-toolkit: `config.process[]` with its `datasets` (toolkit/config.py:20-53, toolkit/config_modules.py:375-567, 911-1092).

use super::document::{Node, Value};
use super::plan::{DatasetRecipe, Media, Role};
use super::reader::{Layers, Means, Reader, Source};
use super::schema::{Key, Manners, Wants, check, key};
use crate::model::{RecipeFaultKind, printable};

const DATASET: u8 = 1;
const TRAIN: u8 = 2;

const MANNERS: Manners = Manners { strict: false, levels: &["datasets", "train"] };

static SCHEMA: [Key; 46] = [
    key("folder_path", Wants::Path, DATASET),
    key("dataset_path", Wants::Path, DATASET),
    key("caption_ext", Wants::Text, DATASET),
    key("caption_type", Wants::Text, DATASET),
    key("default_caption", Wants::Text, DATASET),
    key("trigger_word", Wants::Text, DATASET),
    key("resolution", Wants::Anything, DATASET),
    key("buckets", Wants::Flag, DATASET),
    key("scale", Wants::Number, DATASET),
    key("random_crop", Wants::Flag, DATASET),
    key("random_scale", Wants::Flag, DATASET),
    key("square_crop", Wants::Flag, DATASET),
    key("num_repeats", Wants::Whole, DATASET),
    key("is_reg", Wants::Flag, DATASET),
    key("flip_x", Wants::Flag, DATASET),
    key("flip_y", Wants::Flag, DATASET),
    key("caption_dropout_rate", Wants::Number, DATASET),
    key("token_dropout_rate", Wants::Number, DATASET),
    key("shuffle_tokens", Wants::Flag, DATASET),
    key("keep_tokens", Wants::Whole, DATASET),
    key("cache_latents", Wants::Flag, DATASET),
    key("cache_latents_to_disk", Wants::Flag, DATASET),
    key("cache_text_embeddings", Wants::Flag, DATASET | TRAIN),
    key("mask_path", Wants::Anything, DATASET),
    key("alpha_mask", Wants::Flag, DATASET),
    key("invert_mask", Wants::Flag, DATASET),
    key("control_path", Wants::Anything, DATASET),
    key("control_path_1", Wants::Anything, DATASET),
    key("control_path_2", Wants::Anything, DATASET),
    key("control_path_3", Wants::Anything, DATASET),
    key("num_frames", Wants::Whole, DATASET),
    key("fps", Wants::Number, DATASET),
    key("shrink_video_to_frames", Wants::Flag, DATASET),
    key("auto_frame_count", Wants::Flag, DATASET),
    key("do_i2v", Wants::Flag, DATASET),
    key("do_audio", Wants::Flag, DATASET),
    key("num_workers", Wants::Whole, DATASET),
    key("batch_size", Wants::Whole, DATASET | TRAIN),
    key("steps", Wants::Whole, TRAIN),
    key("gradient_accumulation", Wants::Whole, TRAIN),
    key("gradient_accumulation_steps", Wants::Whole, TRAIN),
    key("gradient_checkpointing", Wants::Flag, TRAIN),
    key("unload_text_encoder", Wants::Flag, TRAIN),
    key("disable_sampling", Wants::Flag, TRAIN),
    key("skip_first_sample", Wants::Flag, TRAIN),
    key("dtype", Wants::Text, TRAIN),
];

pub(super) fn read(reader: &mut Reader<'_>, source: &Source) {
    let file = source.name.as_str();
    let mut root = source.document.root.clone();
    variables(reader, file, &mut root);
    let name = root.get("config").and_then(|config| config.get("name")).and_then(Node::text).map(str::to_owned);
    if let Some(name) = name {
        named(&mut root, &name);
    }
    let processes = root.get("config").and_then(|config| config.get("process")).and_then(Node::list).unwrap_or_default();
    if processes.is_empty() {
        let what = "the trainer has nothing to do and ends";
        reader.missing(file, root.at, "there is no `config.process`", what, "write what is to be done as a list under config.process");
    }
    for (number, process) in processes.iter().enumerate() {
        let train = process.get("train");
        if let Some(train) = train {
            check(reader, file, train, "train", &SCHEMA, TRAIN, MANNERS);
            accumulation(reader, file, train);
        }
        let run = Layers(train.map(|train| (file, train)).into_iter().chain([(file, process)]).collect());
        if number == 0 {
            reader.recipe.seed = run.integer("training_seed");
            reader.recipe.batch_size = run.integer("batch_size");
            reader.recipe.gradient_accumulation =
                run.integer("gradient_accumulation").or_else(|| run.integer("gradient_accumulation_steps"));
            reader.recipe.steps = run.integer("steps");
            reader.recipe.output = reader.path_at(file, process, "training_folder");
        }
        let datasets = process.get("datasets").and_then(Node::list).unwrap_or_default();
        if datasets.is_empty() {
            let what = "the trainer has no images and ends";
            reader.missing(file, process.at, format!("process[{number}] has no datasets"), what, "add `datasets` with a folder_path");
        }
        for (at, table) in datasets.iter().enumerate() {
            check(reader, file, table, "a dataset", &SCHEMA, DATASET, MANNERS);
            let read = dataset(reader, file, table, process, format!("process[{number}].datasets[{at}]"));
            reader.dataset(read);
        }
    }
}

/// Batches are accumulated in one of two ways (toolkit/config_modules.py:456-463).
fn accumulation(reader: &mut Reader<'_>, file: &str, train: &Node) {
    let above_one = |key: &str| train.get(key).filter(|node| node.integer().is_some_and(|number| number > 1));
    if let (Some(_), Some(legacy)) = (above_one("gradient_accumulation"), above_one("gradient_accumulation_steps")) {
        let message = "gradient_accumulation and gradient_accumulation_steps are both above 1";
        let means = Means::stops("the trainer refuses both at once and ends");
        reader.fault(RecipeFaultKind::Conflict, (file, legacy.at), message, means, "remove gradient_accumulation_steps");
    }
}

fn dataset(reader: &mut Reader<'_>, file: &str, table: &Node, process: &Node, name: String) -> DatasetRecipe {
    let mut dataset = DatasetRecipe::new(name);
    let folder = reader.path_at(file, table, "folder_path");
    let path = reader.path_at(file, table, "dataset_path");
    if table.get("folder_path").is_none() && table.get("dataset_path").is_none() {
        let what = "the trainer has no folder to read and ends";
        reader.missing(
            file,
            table.at,
            format!("{} has no folder_path", dataset.name),
            what,
            "name the folder of its images at folder_path",
        );
    }
    // A `dataset_path` that is no folder is a JSON file of samples (toolkit/data_loader.py:442-447).
    match path.filter(|_| folder.is_none()) {
        Some(path) if path.text.to_ascii_lowercase().ends_with(".json") => dataset.metadata = Some(path),
        Some(path) => dataset.folder = Some(path),
        None => dataset.folder = folder,
    }
    for key in ["mask_path", "control_path", "control_path_1", "control_path_2", "control_path_3"] {
        let Some(node) = table.get(key) else { continue };
        for item in node.list().unwrap_or(std::slice::from_ref(node)) {
            dataset.companions.extend(reader.path(file, key, item));
        }
    }
    if table.get("is_reg").is_some_and(Node::is_truthy) {
        dataset.role = Role::Regularization;
    }
    let many = table.get("num_frames").and_then(Node::integer).is_some_and(|frames| frames > 1);
    if many || table.get("auto_frame_count").is_some_and(Node::is_truthy) {
        dataset.media = Media::Videos;
    }
    let resolutions = table.get("resolution");
    for side in resolutions.map(|node| node.list().unwrap_or(std::slice::from_ref(node))).unwrap_or_default() {
        if side.number().is_none_or(|side| side < 1.0) {
            let message = format!("{} has a resolution that is no side in pixels", dataset.name);
            let means = Means::stops("the trainer computes with it and ends");
            reader.fault(RecipeFaultKind::Range, (file, side.at), message, means, "write a side such as 1024, or a list of sides");
        }
    }
    let layers = Layers(vec![(file, table)]);
    let keys = SCHEMA.iter().filter(|key| key.levels & DATASET != 0 && key.wants != Wants::Path);
    dataset.settings = layers.settings(keys.map(|key| (key.name, key.name)));
    // The trigger word and the model of the whole process hold where the dataset names none.
    let model = process.get("model");
    let outer = Layers([Some((file, process)), model.map(|model| (file, model))].into_iter().flatten().collect());
    for setting in outer.settings([("trigger_word", "trigger_word"), ("arch", "arch")]) {
        if dataset.setting(&setting.key).is_none() {
            dataset.settings.push(setting);
        }
    }
    dataset
}

/// Replaces `${NAME}` by the environment's variable, everywhere.
fn variables(reader: &mut Reader<'_>, file: &str, node: &mut Node) {
    let at = node.at;
    match &mut node.value {
        Value::Text(text) if text.contains("${") && text.len() < LONGEST => {
            let mut out = String::with_capacity(text.len());
            let mut rest = text.as_str();
            while let Some((before, (name, after))) =
                rest.split_once("${").and_then(|(before, after)| Some((before, after.split_once('}')?)))
            {
                out.push_str(before);
                if let Some(value) = (reader.env)(name) {
                    out.push_str(&value);
                } else {
                    let message = format!("the environment has no variable `{}`", printable(name));
                    let means = Means::stops("the trainer refuses its configuration and ends");
                    reader.fault(RecipeFaultKind::Unresolved, (file, at), message, means, "set the variable, or write the value itself");
                    out.push_str("${");
                    out.push_str(name);
                    out.push('}');
                }
                rest = after;
            }
            out.push_str(rest);
            *text = out;
        }
        Value::List(list) => list.iter_mut().for_each(|item| variables(reader, file, item)),
        Value::Table(table) => table.entries.iter_mut().for_each(|entry| variables(reader, file, &mut entry.node)),
        _ => {}
    }
}

/// Bytes of a text in which placeholders are replaced; a name may have a sixteenth of that. No real one comes near.
const LONGEST: usize = 4096;

/// Replaces `[name]` by the job's name, everywhere.
fn named(node: &mut Node, name: &str) {
    match &mut node.value {
        Value::Text(text) if text.contains("[name]") && text.len() < LONGEST && name.len() < LONGEST / 16 => {
            *text = text.replace("[name]", name);
        }
        Value::List(list) => list.iter_mut().for_each(|item| named(item, name)),
        Value::Table(table) => table.entries.iter_mut().for_each(|entry| named(&mut entry.node, name)),
        _ => {}
    }
}
