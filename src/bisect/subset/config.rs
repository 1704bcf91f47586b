//! A trainer's configuration, pointed at a subset: folders of the dataset are replaced where its keys name them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::model::RelPath;

/// Where the folders of the dataset are in the subset.
#[derive(Clone, Debug, PartialEq)]
pub struct FolderMap {
    old: PathBuf,
    new: PathBuf,
    folders: BTreeMap<String, (RelPath, f64)>,
}

impl FolderMap {
    pub(super) fn new(old: PathBuf, new: PathBuf, folders: BTreeMap<String, (RelPath, f64)>) -> Self {
        Self { old, new, folders }
    }

    /// The place of a folder or file of the dataset, and by how much its samples must be repeated more often; `None` for a path outside.
    #[must_use]
    pub fn new_path(&self, path: &Path) -> Option<(PathBuf, f64)> {
        let real = path.canonicalize().ok()?;
        let below = RelPath::from_os(real.strip_prefix(&self.old).ok()?);
        Some(match self.folders.get(below.as_str()) {
            Some((folder, scale)) => (self.new.join(folder.to_os()), *scale),
            None if below.as_str().is_empty() => (self.new.clone(), 1.0),
            None => (self.new.join(below.to_os()), 1.0),
        })
    }
}

/// A configuration as text, and where it lay, which relative paths in it start from.
#[derive(Clone, Copy, Debug)]
pub struct Config<'a> {
    /// The text.
    pub text: &'a str,
    /// The folder that relative paths start from.
    pub folder: &'a Path,
}

/// Why a configuration cannot be pointed at a subset.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It cannot be read.
    #[error("the configuration cannot be read: {0}")]
    Parse(String),
    /// None of its keys names the dataset.
    #[error("the configuration names no folder of the dataset, so it cannot be pointed at a part of it")]
    NoFolder,
    /// There is no rewriter for the trainer.
    #[error("configurations of `{0}` cannot be rewritten; known are {known}", known = TRAINERS.join(", "))]
    Unknown(String),
}

/// Points configurations of one form at a subset.
pub trait ConfigRewriter {
    /// The configuration with other folders, and how many were replaced.
    fn rewrite(&self, config: Config<'_>, map: &FolderMap) -> Result<(String, usize), ConfigError>;

    /// The configuration with other folders; at least one must be replaced.
    fn point(&self, config: Config<'_>, map: &FolderMap) -> Result<String, ConfigError> {
        match self.rewrite(config, map)? {
            (_, 0) => Err(ConfigError::NoFolder),
            (text, _) => Ok(text),
        }
    }
}

const TRAINERS: [&str; 8] =
    ["sd-scripts", "kohya", "musubi-tuner", "diffusion-pipe", "ai-toolkit", "simpletuner", "onetrainer", "diffusers"];

/// Keys that name folders or files of a dataset: sd-scripts and musubi-tuner (`image_dir`, `train_data_dir`, `conditioning_data_dir`,
/// `metadata_file`, `image_directory`, `control_directory`, `cache_directory`), diffusion-pipe and OneTrainer (`path`), ai-toolkit
/// (`folder_path`, `control_path`, `mask_path`), SimpleTuner (`instance_data_dir`).
const KEYS: [&str; 14] = [
    "image_dir",
    "train_data_dir",
    "conditioning_data_dir",
    "metadata_file",
    "image_directory",
    "image_jsonl_file",
    "control_directory",
    "cache_directory",
    "path",
    "mask_path",
    "folder_path",
    "control_path",
    "instance_data_dir",
    "dataset_path",
];

/// The rewriter for a trainer's configuration, by the trainer's name; without one by the extension of the file.
pub fn rewriter(trainer: Option<&str>, extension: &str) -> Result<Box<dyn ConfigRewriter>, ConfigError> {
    if let Some(trainer) = trainer
        && !TRAINERS.contains(&trainer.split('@').next().unwrap_or_default())
    {
        return Err(ConfigError::Unknown(trainer.to_owned()));
    }
    match extension.to_ascii_lowercase().as_str() {
        "yaml" | "yml" => Ok(Box::new(Yaml)),
        "json" => Ok(Box::new(Json)),
        "toml" => Ok(Box::new(Toml)),
        other => Err(ConfigError::Unknown(trainer.unwrap_or(other).to_owned())),
    }
}

fn replaced(config: Config<'_>, value: &str, map: &FolderMap) -> Option<(String, f64)> {
    let (path, scale) = map.new_path(&config.folder.join(value))?;
    Some((path.to_string_lossy().into_owned(), scale))
}

struct Toml;

impl ConfigRewriter for Toml {
    fn rewrite(&self, config: Config<'_>, map: &FolderMap) -> Result<(String, usize), ConfigError> {
        let mut table: toml::Table = toml::from_str(config.text).map_err(|error| ConfigError::Parse(error.to_string()))?;
        let count = toml_table(&mut table, config, map);
        toml::to_string(&table).map(|text| (text, count)).map_err(|error| ConfigError::Parse(error.to_string()))
    }
}

fn toml_table(table: &mut toml::Table, config: Config<'_>, map: &FolderMap) -> usize {
    let mut count = 0;
    let mut scale = 1.0;
    for (key, value) in &mut *table {
        match value {
            toml::Value::String(text) if KEYS.contains(&key.as_str()) => {
                if let Some((path, by)) = replaced(config, text, map) {
                    *text = path;
                    scale = by;
                    count += 1;
                }
            }
            toml::Value::Table(inner) => count += toml_table(inner, config, map),
            toml::Value::Array(list) => {
                for inner in list.iter_mut().filter_map(toml::Value::as_table_mut) {
                    count += toml_table(inner, config, map);
                }
            }
            _ => {}
        }
    }
    if let Some(toml::Value::Integer(repeats)) = table.get_mut("num_repeats") {
        *repeats = scaled(*repeats, scale);
    }
    count
}

/// Repeats after samples have gone. A number that is no whole one below 2^31 stays.
fn scaled(repeats: i64, scale: f64) -> i64 {
    i32::try_from(repeats).map_or(repeats, |repeats| {
        let more = (f64::from(repeats) * scale).round();
        // Exact: text is the only way from a whole f64 to an integer that has no cast.
        format!("{more:.0}").parse().unwrap_or_else(|_| i64::from(repeats))
    })
}

struct Json;

impl ConfigRewriter for Json {
    fn rewrite(&self, config: Config<'_>, map: &FolderMap) -> Result<(String, usize), ConfigError> {
        let mut value: serde_json::Value = serde_json::from_str(config.text).map_err(|error| ConfigError::Parse(error.to_string()))?;
        let count = json_value(&mut value, config, map);
        serde_json::to_string_pretty(&value).map(|text| (text, count)).map_err(|error| ConfigError::Parse(error.to_string()))
    }
}

/// Depth is bounded by the parser, at 128.
fn json_value(value: &mut serde_json::Value, config: Config<'_>, map: &FolderMap) -> usize {
    match value {
        serde_json::Value::Array(list) => list.iter_mut().map(|inner| json_value(inner, config, map)).sum(),
        serde_json::Value::Object(object) => {
            let mut count = 0;
            for (key, value) in object {
                match value {
                    serde_json::Value::String(text) if KEYS.contains(&key.trim_start_matches('-')) => {
                        if let Some((path, _)) = replaced(config, text, map) {
                            *text = path;
                            count += 1;
                        }
                    }
                    other => count += json_value(other, config, map),
                }
            }
            count
        }
        _ => 0,
    }
}

/// Line by line: the values that matter are plain or quoted scalars on the line of their key, and all else stays as it is.
struct Yaml;

impl ConfigRewriter for Yaml {
    fn rewrite(&self, config: Config<'_>, map: &FolderMap) -> Result<(String, usize), ConfigError> {
        let mut count = 0;
        let mut out = String::with_capacity(config.text.len());
        for line in config.text.split_inclusive('\n') {
            match yaml_line(line, config, map) {
                Some(new) => {
                    count += 1;
                    out.push_str(&new);
                }
                None => out.push_str(line),
            }
        }
        Ok((out, count))
    }
}

fn yaml_line(line: &str, config: Config<'_>, map: &FolderMap) -> Option<String> {
    let (before, value) = line.split_once(':')?;
    let key = before.trim_start_matches([' ', '-']).trim().trim_matches(['"', '\'']);
    let value = value.trim();
    let plain = match value.chars().next()? {
        quote @ ('"' | '\'') => value.get(1..)?.split(quote).next()?,
        _ => value.split(" #").next()?.trim_end(),
    };
    let (path, _) = KEYS.contains(&key).then(|| replaced(config, plain, map)).flatten()?;
    let end = if line.ends_with('\n') { "\n" } else { "" };
    Some(format!("{before}: '{}'{end}", path.replace('\'', "''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_replaced_at_their_keys_in_each_form() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let root = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir_all(root.join("set/10_x")).expect("folders can be made");
        let folders = BTreeMap::from([("10_x".to_owned(), (RelPath::from("20_x"), 2.0))]);
        let map = FolderMap::new(root.join("set"), "/new".into(), folders);
        for (extension, text, expected) in [
            (
                "toml",
                "[[datasets]]\n[[datasets.subsets]]\nimage_dir = \"set/10_x\"\nnum_repeats = 3\nother = \"set\"\n",
                &["/new/20_x", "num_repeats = 6", "other = \"set\""][..],
            ),
            ("yaml", "datasets:\n  - folder_path: \"set\" # here\n    name: set\n", &["- folder_path: '/new'", "name: set"]),
            ("json", "[{\"id\": \"set\", \"instance_data_dir\": \"set/10_x\"}]", &["\"/new/20_x\"", "\"id\": \"set\""]),
        ] {
            let out = rewriter(None, extension).and_then(|rewriter| rewriter.point(Config { text, folder: &root }, &map)).expect(extension);
            assert!(expected.iter().all(|part| out.contains(part)), "{extension}: {out}");
        }
        let nothing = Config { text: "path = \"elsewhere\"", folder: &root };
        assert!(matches!(Toml.point(nothing, &map), Err(ConfigError::NoFolder)));
        assert!(rewriter(Some("unheard-of"), "toml").is_err());
    }
}
