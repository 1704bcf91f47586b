//! Whose configuration a file is, by its keys and by the script that it starts, never by its name alone.

use std::io;

use super::document::{Document, Node, Syntax};

/// The trainers whose configurations can be read.
pub const TRAINERS: [&str; 7] = ["kohya", "musubi", "ai-toolkit", "onetrainer", "simpletuner", "diffusers", "diffusion-pipe"];

/// Scripts of musubi-tuner begin with the name of a model, those of sd-scripts that share one of them are not named so. Both have a `cache_latents`, which tells nothing.
const MUSUBI_SCRIPTS: [&str; 11] =
    ["wan_", "hv_", "fpack_", "flux_kontext_", "flux_2_", "qwen_image_", "kandinsky5_", "hv_1_5_", "zimage_", "hidream_o1_", "krea2_"];

/// The trainers that a configuration may belong to: one, none, or several between which the keys do not decide.
#[must_use]
pub fn recognise(script: &str, document: &Document, load: &dyn Fn(&str) -> io::Result<Vec<u8>>) -> Vec<&'static str> {
    if let Some(trainer) = by_script(script) {
        return vec![trainer];
    }
    by_keys(&document.root, load)
}

fn by_script(script: &str) -> Option<&'static str> {
    if script.is_empty() {
        return None;
    }
    if script.starts_with("train_dreambooth") || script.starts_with("train_text_to_image") || script.starts_with("train_controlnet") {
        return Some("diffusers");
    }
    if MUSUBI_SCRIPTS.iter().any(|prefix| script.starts_with(prefix)) {
        return Some("musubi");
    }
    let kohya = ["train_network", "sdxl_train", "fine_tune", "train_db", "flux_train", "sd3_train", "lumina_train", "anima_train"];
    let is_kohya = kohya.iter().any(|prefix| script.starts_with(prefix)) || script.starts_with("hunyuan_image_train");
    is_kohya.then_some("kohya").or_else(|| script.starts_with("train_textual_inversion").then_some("kohya"))
}

fn by_keys(root: &Node, load: &dyn Fn(&str) -> io::Result<Vec<u8>>) -> Vec<&'static str> {
    if let Some(items) = root.list() {
        let has = |key: &str| items.iter().any(|item| item.get(key).is_some());
        if has("path")
            && !has("instance_data_dir")
            && ["image", "text", "include_subdirectories", "balancing", "enabled"].into_iter().any(has)
        {
            return vec!["onetrainer"];
        }
        if has("dataset_type") || has("instance_data_dir") || has("cache_dir_vae") {
            return vec!["simpletuner"];
        }
        return Vec::new();
    }
    let has = |key: &str| root.get(key).is_some();
    let flag = |key: &str| has(key) || root.get(&format!("--{key}")).is_some();
    if let Some(datasets) = root.get("datasets").and_then(Node::list) {
        let any = |keys: &[&str]| datasets.iter().any(|dataset| keys.iter().any(|key| dataset.get(key).is_some()));
        let musubi =
            any(&["image_directory", "video_directory", "image_jsonl_file", "video_jsonl_file", "cache_directory", "target_frames"]);
        return match (any(&["subsets"]), musubi) {
            (true, false) => vec!["kohya"],
            (false, true) => vec!["musubi"],
            _ => vec!["kohya", "musubi"],
        };
    }
    if root.get("config").is_some_and(|config| config.get("process").is_some()) {
        return vec!["ai-toolkit"];
    }
    if has("directory") || (root.get("dataset").is_some_and(|dataset| dataset.text().is_some()) && has("model")) {
        return vec!["diffusion-pipe"];
    }
    if ["concept_file_name", "training_method", "clear_cache_before_training", "concepts"].into_iter().any(has) {
        return vec!["onetrainer"];
    }
    if flag("data_backend_config") || flag("model_family") {
        return vec!["simpletuner"];
    }
    // Sections of a training TOML of sd-scripts are of no meaning; keys below them count as well.
    let below = |key: &str| has(key) || root.table().is_some_and(|table| table.entries.iter().any(|entry| entry.node.get(key).is_some()));
    let sections = root.table().into_iter().flat_map(|table| &table.entries).map(|entry| &entry.node);
    let config = std::iter::once(root).chain(sections).find_map(|table| table.get("dataset_config"));
    if let Some(config) = config.and_then(Node::text)
        && let Ok(bytes) = load(config)
        && let Ok(document) = Document::parse(&bytes, Syntax::of_name(config).unwrap_or(Syntax::Toml))
    {
        // A configuration cannot name itself here: this one has `datasets`, or nothing more is opened.
        return if document.root.get("datasets").is_some_and(|datasets| datasets.list().is_some()) {
            by_keys(&document.root, load)
        } else {
            Vec::new()
        };
    }
    if ["instance_data_dir", "class_data_dir", "concepts_list", "instance_prompt"].into_iter().any(has) {
        return vec!["diffusers"];
    }
    let kohya = ["network_module", "max_train_epochs", "save_model_as", "reg_data_dir", "in_json", "train_batch_size", "enable_bucket"];
    match (below("dataset_config"), below("train_data_dir"), kohya.into_iter().any(below)) {
        (false, true, true) => vec!["kohya"],
        (true, ..) if ["train_data_dir", "reg_data_dir", "in_json"].into_iter().any(below) => vec!["kohya"],
        (true, ..) => vec!["kohya", "musubi"],
        (_, true, false) => vec!["kohya", "diffusers"],
        _ => Vec::new(),
    }
}

/// The trainer that a text which cannot be parsed was most likely written for, by the words in it.
pub(super) fn by_words(text: &str) -> &'static str {
    let words: [(&str, &[&str]); 6] = [
        ("musubi", &["image_directory", "video_directory", "_jsonl_file", "cache_directory"]),
        ("ai-toolkit", &["process:", "folder_path", "\"process\""]),
        ("simpletuner", &["instance_data_dir", "dataset_type", "data_backend_config"]),
        ("onetrainer", &["concept_file_name", "include_subdirectories", "training_method"]),
        ("diffusion-pipe", &["[[directory]]", "frame_buckets", "ar_buckets"]),
        ("diffusers", &["class_data_dir", "instance_prompt"]),
    ];
    words.into_iter().find(|(_, words)| words.iter().any(|word| text.contains(word))).map_or("kohya", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, syntax: Syntax) -> Vec<&'static str> {
        let document = Document::parse(text.as_bytes(), syntax).expect("it can be parsed");
        recognise("", &document, &|_| Err(io::ErrorKind::NotFound.into()))
    }

    #[test]
    fn keys_tell_the_trainer() {
        let cases = [
            ("[[datasets]]\n[[datasets.subsets]]\nimage_dir = 'a'\n", Syntax::Toml, vec!["kohya"]),
            ("[[datasets]]\nimage_directory = 'a'\n", Syntax::Toml, vec!["musubi"]),
            ("[[datasets]]\nresolution = 512\n", Syntax::Toml, vec!["kohya", "musubi"]),
            ("job: extension\nconfig:\n  process:\n  - type: sd_trainer\n", Syntax::Yaml, vec!["ai-toolkit"]),
            ("[{\"id\": \"a\", \"dataset_type\": \"image\"}]", Syntax::Json, vec!["simpletuner"]),
            ("[{\"path\": \"a\", \"image\": {}}]", Syntax::Json, vec!["onetrainer"]),
            ("[[directory]]\npath = 'a'\n", Syntax::Toml, vec!["diffusion-pipe"]),
            ("--instance_data_dir a", Syntax::Command, vec!["diffusers"]),
            ("a = 1\n", Syntax::Toml, vec![]),
        ];
        for (text, syntax, wanted) in cases {
            assert_eq!(names(text, syntax), wanted, "{text}");
        }
    }
}
