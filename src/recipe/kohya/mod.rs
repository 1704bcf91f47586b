//! sd-scripts (48d368fa): the dataset configuration, the training TOML of `--config_file`, and command lines.
//!
//! A key is looked up in the subset, the dataset, `[general]`, then among the command line's options
//! (library/config_util.py:380-475).

mod rules;
mod schema;

use std::collections::HashSet;

use super::document::{Node, Syntax, Table, Value};
use super::plan::{DatasetRecipe, Layout, PathText, Role};
use super::reader::{Layers, Means, Reader, Source};
use super::schema::check;
use super::sections::{Shape, sections};
use crate::model::{Level, Outcome, Phase, RecipeFaultKind, printable};
use rules::Script;
use schema::{DATASET, FOR_TRAINER, FROM_OPTIONS, GENERAL, MANNERS, SCHEMA, SUBSET};

/// Options and the file they stand in, the command line's first.
type Options = Vec<(String, Node)>;

pub(super) fn read(reader: &mut Reader<'_>, source: &Source) {
    let root = &source.document.root;
    if root.get("datasets").is_some() || (root.get("general").is_some() && source.document.syntax != Syntax::Command) {
        datasets(reader, source, &Vec::new(), &source.script);
        return;
    }
    let mut options = vec![(source.name.clone(), flattened(root))];
    let named = options.first().and_then(|(file, table)| reader.path_at(file, table, "config_file"));
    if let Some(mut path) = named {
        // `--config_file` takes the name without its extension as well (`library/train_util.py`, `read_config_from_file`).
        if !path.text.to_ascii_lowercase().ends_with(".toml") {
            path.text.push_str(".toml");
        }
        if let Some(config) = reader.open(&path, Some(Syntax::Toml)) {
            options.push((config.name.clone(), flattened(&config.document.root)));
        }
    }
    run_settings(reader, &options);
    let dataset_config = layers(&options).get("dataset_config").map(|(file, node)| (file.to_owned(), node.clone()));
    if let Some((file, node)) = dataset_config {
        if let Some(path) = reader.path(&file, "dataset_config", &node)
            && let Some(config) = reader.open(&path, None)
        {
            datasets(reader, &config, &options, &source.script);
        }
        return;
    }
    folders(reader, &options, &source.script);
}

/// The keys of a training TOML: its sections are of no meaning (`library/train_util.py`, `read_config_from_file`).
fn flattened(root: &Node) -> Node {
    let mut entries = Vec::new();
    for entry in root.table().into_iter().flat_map(|table| &table.entries) {
        match &entry.node.value {
            Value::Table(section) => entries.extend(section.entries.iter().cloned()),
            _ => entries.push(entry.clone()),
        }
    }
    // Of two sections with the same key the last counts, as in the dictionary that Python makes of them.
    Node { value: Value::Table(Table::of(entries, &mut Vec::new())), at: root.at }
}

fn layers(options: &Options) -> Layers<'_> {
    Layers(options.iter().map(|(file, table)| (file.as_str(), table)).collect())
}

fn run_settings(reader: &mut Reader<'_>, options: &Options) {
    let options = layers(options);
    let recipe = &mut reader.recipe;
    recipe.seed = options.integer("seed");
    recipe.batch_size = options.integer("train_batch_size");
    recipe.gradient_accumulation = options.integer("gradient_accumulation_steps");
    recipe.epochs = options.integer("max_train_epochs");
    recipe.steps = options.integer("max_train_steps");
    let output = options.get("output_dir").map(|(file, node)| (file.to_owned(), node.clone()));
    if let Some((file, node)) = output {
        reader.recipe.output = reader.path(&file, "output_dir", &node);
    }
}

static SHAPE: Shape = Shape {
    schema: &SCHEMA,
    general: GENERAL,
    manners: MANNERS,
    without: ("the trainer ends with \"datasets should not be an empty iterable\"", "add [[datasets]] with [[datasets.subsets]]"),
};

/// A dataset configuration.
fn datasets(reader: &mut Reader<'_>, source: &Source, options: &Options, script: &str) {
    let file = source.name.as_str();
    let (general, list) = sections(reader, source, &SHAPE);
    for (number, dataset) in list.iter().enumerate() {
        check(reader, file, dataset, "[[datasets]]", &SCHEMA, DATASET, MANNERS);
        let mut shared = vec![(file, dataset), (file, general)];
        shared.extend(options.iter().map(|(file, table)| (file.as_str(), table)));
        let subsets = dataset.get("subsets").and_then(Node::list).unwrap_or_default();
        if subsets.is_empty() {
            let what = "the trainer finds no images in it";
            reader.missing(
                file,
                dataset.at,
                format!("datasets[{number}] has no [[datasets.subsets]]"),
                what,
                "add [[datasets.subsets]] with image_dir",
            );
        }
        let kind = |subset: &&Node| subset.get("metadata_file").is_some();
        if let Some(other) = subsets.iter().find(|subset| kind(subset) != subsets.first().is_some_and(|first| kind(&first))) {
            let message = "one dataset mixes subsets with metadata_file and subsets without";
            let means = Means::stops("the trainer refuses a dataset of two kinds and ends");
            reader.fault(RecipeFaultKind::Conflict, (file, other.at), message, means, "put them in datasets of their own");
        }
        rules::dataset(reader, file, dataset.at, &Layers(shared.clone()), options.is_empty(), Script(script));
        let mut folders = HashSet::new();
        for (at, subset) in subsets.iter().enumerate() {
            check(reader, file, subset, "[[datasets.subsets]]", &SCHEMA, SUBSET, MANNERS);
            let mut all = vec![(file, subset)];
            all.extend(&shared);
            let layers = Layers(all);
            rules::subset(reader, file, subset, &layers, Script(script));
            let name = format!("datasets[{number}].subsets[{at}]");
            let read = subset_of(reader, file, subset, &layers, name);
            if let Some(folder) = &read.folder
                && !folders.insert(folder.text.clone())
            {
                let message = format!("`{}` is the folder of an earlier subset of this dataset", printable(&folder.text));
                let means = Means(Outcome::Skip, Phase::DatasetScan, "the later subset is left out with a warning".to_owned());
                reader.fault(
                    RecipeFaultKind::Conflict,
                    (file, folder.at),
                    message,
                    means,
                    "raise num_repeats of the earlier subset instead",
                );
            }
            reader.dataset(read);
        }
    }
}

fn subset_of(reader: &mut Reader<'_>, file: &str, subset: &Node, layers: &Layers<'_>, name: String) -> DatasetRecipe {
    let mut dataset = DatasetRecipe::new(name);
    dataset.folder = reader.path_at(file, subset, "image_dir");
    dataset.metadata = reader.path_at(file, subset, "metadata_file");
    dataset.companions.extend(reader.path_at(file, subset, "conditioning_data_dir"));
    if subset.get("image_dir").is_none() && subset.get("metadata_file").is_none() {
        let what = "the trainer refuses the subset (\"required key not provided\") and ends";
        reader.missing(file, subset.at, format!("{} has no image_dir", dataset.name), what, "name the folder of its images at image_dir");
    }
    if layers.is_set("is_reg") {
        dataset.role = Role::Regularization;
    }
    dataset.settings = layers.settings(FOR_TRAINER.into_iter().map(|key| (key, key)).chain(FROM_OPTIONS));
    dataset
}

/// Training without a dataset configuration: `--train_data_dir`, `--reg_data_dir`, `--in_json` (library/config_util.py:606-650).
fn folders(reader: &mut Reader<'_>, options: &Options, script: &str) {
    let layers = layers(options);
    let mut path = |key: &str| -> Option<PathText> { layers.get(key).and_then(|(file, node)| reader.path(file, key, node)) };
    let (train, regularization, metadata) = (path("train_data_dir"), path("reg_data_dir"), path("in_json"));
    let Some((file, table)) = options.first() else { return };
    if layers.get("train_data_dir").is_none() && metadata.is_none() {
        let what = "the trainer has no images and ends";
        reader.missing(
            file,
            table.at,
            "there is neither dataset_config nor train_data_dir",
            what,
            "name the folder of the images at train_data_dir",
        );
        return;
    }
    rules::dataset(reader, file, table.at, &layers, false, Script(script));
    rules::subset(reader, file, table, &layers, Script(script));
    let settings = layers.settings(FOR_TRAINER.into_iter().map(|key| (key, key)).chain(FROM_OPTIONS));
    let roles = [(train, "train_data_dir", Role::Train), (regularization, "reg_data_dir", Role::Regularization)];
    for (folder, key, role) in roles {
        if folder.is_none() && (role == Role::Regularization || metadata.is_none()) {
            continue;
        }
        let mut dataset = DatasetRecipe::new(key);
        dataset.layout = if metadata.is_some() { Layout::Plain } else { Layout::RepeatFolders };
        dataset.metadata = metadata.clone().filter(|_| role == Role::Train);
        dataset.folder = folder;
        dataset.role = role;
        dataset.settings.clone_from(&settings);
        reader.dataset(dataset);
    }
}

/// A fault about a value that may be given elsewhere is no more than a warning.
fn doubtful(fault: &mut crate::model::RecipeFault, is_alone: bool) {
    if is_alone {
        fault.level = Level::Warning;
    }
}
