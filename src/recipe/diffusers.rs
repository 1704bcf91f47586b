//! Example scripts of diffusers: their command lines, or the same options in a file.

use super::document::{Node, Syntax};
use super::plan::{DatasetRecipe, Role};
use super::reader::{Layers, Means, Reader, Source};
use crate::model::RecipeFaultKind;

/// Options that hold for every sample.
const KEYS: [&str; 13] = [
    "resolution",
    "use_aspect_ratio_buckets",
    "aspect_ratio_buckets",
    "center_crop",
    "random_flip",
    "repeats",
    "instance_prompt",
    "caption_column",
    "image_column",
    "train_batch_size",
    "gradient_accumulation_steps",
    "max_train_samples",
    "max_sequence_length",
];

pub(super) fn read(reader: &mut Reader<'_>, source: &Source) {
    let (file, root) = (source.name.as_str(), &source.document.root);
    let options = Layers(vec![(file, root)]);
    reader.recipe.seed = options.integer("seed");
    reader.recipe.batch_size = options.integer("train_batch_size");
    reader.recipe.gradient_accumulation = options.integer("gradient_accumulation_steps");
    reader.recipe.epochs = options.integer("num_train_epochs");
    reader.recipe.steps = options.integer("max_train_steps");
    reader.recipe.output = reader.path_at(file, root, "output_dir");
    if let Some(concepts) = root.get("concepts_list").and_then(Node::list) {
        for concept in concepts {
            dreambooth(reader, file, concept, &Layers(vec![(file, concept), (file, root)]));
        }
        return;
    }
    let is_text_to_image = source.script.starts_with("train_text_to_image") || root.get("train_data_dir").is_some();
    if is_text_to_image {
        text_to_image(reader, file, root, &options);
    } else {
        dreambooth(reader, file, root, &options);
        if source.document.syntax == Syntax::Command && options.get("instance_prompt").is_none() {
            let what = "the script demands the option and ends";
            reader.missing(file, root.at, "there is no --instance_prompt", what, "add --instance_prompt");
        }
    }
    if options.get("aspect_ratio_buckets").is_some() && !options.is_set("use_aspect_ratio_buckets") {
        let at = root.get("aspect_ratio_buckets").map_or(root.at, |node| node.at);
        let message = "aspect_ratio_buckets is given without use_aspect_ratio_buckets";
        let means = Means::stops("the script demands both and ends");
        reader.fault(RecipeFaultKind::Conflict, (file, at), message, means, "add --use_aspect_ratio_buckets");
    }
}

fn text_to_image(reader: &mut Reader<'_>, file: &str, root: &Node, options: &Layers<'_>) {
    let mut dataset = DatasetRecipe::new("train_data_dir");
    dataset.folder = reader.path_at(file, root, "train_data_dir");
    dataset.settings = options.settings(KEYS.map(|key| (key, key)));
    if options.get("train_data_dir").is_none() && options.get("dataset_name").is_none() {
        let what = "the script ends with \"Need either a dataset name or a training folder.\"";
        reader.missing(
            file,
            root.at,
            "there is neither train_data_dir nor dataset_name",
            what,
            "name the folder of the images with --train_data_dir",
        );
    }
    reader.dataset(dataset);
}

/// The folders of a `DreamBooth` script (train_dreambooth_lora_flux.py:701-705, 752-800).
fn dreambooth(reader: &mut Reader<'_>, file: &str, table: &Node, options: &Layers<'_>) {
    let settings = options.settings(KEYS.map(|key| (key, key)));
    let mut instance = DatasetRecipe::new("instance_data_dir");
    instance.folder = reader.path_at(file, table, "instance_data_dir");
    instance.settings.clone_from(&settings);
    match (options.get("dataset_name"), options.get("instance_data_dir")) {
        (Some(_), Some((place_file, folder))) => {
            let message = "dataset_name and instance_data_dir are both given";
            let means = Means::stops("the script takes one of the two and ends");
            reader.fault(RecipeFaultKind::Conflict, (place_file, folder.at), message, means, "remove one of the two");
        }
        (None, None) => {
            let what = "the script ends with \"Specify either `--dataset_name` or `--instance_data_dir`\"";
            reader.missing(
                file,
                table.at,
                "there is neither instance_data_dir nor dataset_name",
                what,
                "name the folder of the images with --instance_data_dir",
            );
        }
        (Some((place_file, name)), None) => instance.folder = reader.path(place_file, "dataset_name", name),
        (None, Some(_)) => {}
    }
    reader.dataset(instance);
    let class_folder = reader.path_at(file, table, "class_data_dir");
    let keeps_prior = options.is_set("with_prior_preservation");
    if let Some(folder) = class_folder {
        if !keeps_prior && options.get("with_prior_preservation").is_none() && table.get("concepts_list").is_none() {
            let message = "class_data_dir has no effect without with_prior_preservation";
            let means = Means::distorts("the class images are not trained on");
            reader.fault(
                RecipeFaultKind::LostOption,
                (file, folder.at),
                message,
                means,
                "add --with_prior_preservation, or remove class_data_dir",
            );
        }
        let mut class = DatasetRecipe::new("class_data_dir");
        class.folder = Some(folder);
        class.role = Role::Regularization;
        class.settings = settings;
        reader.dataset(class);
    } else if keeps_prior && options.get("class_data_dir").is_none() {
        let what = "the script ends with \"You must specify a data directory for class images.\"";
        reader.missing(
            file,
            table.at,
            "with_prior_preservation is set without class_data_dir",
            what,
            "name a folder with --class_data_dir",
        );
    }
    if keeps_prior && options.get("class_prompt").is_none() {
        let what = "the script ends with \"You must specify prompt for class images.\"";
        reader.missing(file, table.at, "with_prior_preservation is set without class_prompt", what, "add --class_prompt");
    }
}
