//! What a configuration comes to: the datasets it names, each with the settings that hold for it, and its faults.

use crate::model::{Place, RecipeFault};

/// A configuration, read.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The trainer, as arguments spell it.
    pub trainer: &'static str,
    /// The script that is started, without `.py`, if the configuration is a command line (`sdxl_train_network`).
    pub script: Option<String>,
    /// The files that were read, as they were named, the configuration itself first.
    pub files: Vec<String>,
    /// The datasets, in the order of the configuration.
    pub datasets: Vec<DatasetRecipe>,
    /// What is wrong, in the order in which it was seen.
    pub faults: Vec<RecipeFault>,
    /// The seed of the training, if it is set.
    pub seed: Option<i64>,
    /// Samples in a batch, if it is set for the whole run.
    pub batch_size: Option<i64>,
    /// Batches that are accumulated before a step, if it is set.
    pub gradient_accumulation: Option<i64>,
    /// Passes over the datasets, if it is set.
    pub epochs: Option<i64>,
    /// Steps, if it is set.
    pub steps: Option<i64>,
    /// Where the trained model goes, if it is set.
    pub output: Option<PathText>,
}

/// A path of a configuration, as it is written.
///
/// Trainers resolve a relative path against the folder they are started in, which no configuration says. It is kept as it stands;
/// who opens it tries the configuration's folder first, then the current one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathText {
    /// The path.
    pub text: String,
    /// The file it stands in.
    pub file: String,
    /// Where.
    pub at: Place,
}

/// One dataset (a subset of sd-scripts, a concept of `OneTrainer`, a directory of diffusion-pipe).
#[derive(Clone, Debug, PartialEq)]
pub struct DatasetRecipe {
    /// Its identifier, or its place in the configuration: `datasets[0].subsets[1]`.
    pub name: String,
    /// The folder of images or videos.
    pub folder: Option<PathText>,
    /// The list of samples that is read instead of the folder, or beside it (`metadata_file`, `image_jsonl_file`).
    pub metadata: Option<PathText>,
    /// Other folders that belong to it: masks, control images.
    pub companions: Vec<PathText>,
    /// Folders of caches.
    pub caches: Vec<PathText>,
    /// What it is for.
    pub role: Role,
    /// What it holds.
    pub media: Media,
    /// How its folder is laid out.
    pub layout: Layout,
    /// The settings that hold for it, inherited ones included, in the trainer's own key names.
    pub settings: Vec<RecipeSetting>,
}

/// What a dataset is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Training.
    Train,
    /// Keeping what the model knows.
    Regularization,
    /// Conditioning another dataset.
    Conditioning,
    /// Measuring.
    Validation,
}

/// What a dataset holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// Images.
    Images,
    /// Videos, and perhaps images.
    Videos,
}

/// How a folder is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The images are in it.
    Plain,
    /// The images are in its folders named `<repeats>_<words>` (sd-scripts' `--train_data_dir`).
    RepeatFolders,
}

/// A setting and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipeSetting {
    /// The key.
    pub key: String,
    /// The value.
    pub value: toml::Value,
    /// The file.
    pub file: String,
    /// Where the value stands.
    pub at: Place,
}

impl DatasetRecipe {
    /// A dataset of images for training, with nothing set.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            folder: None,
            metadata: None,
            companions: Vec::new(),
            caches: Vec::new(),
            role: Role::Train,
            media: Media::Images,
            layout: Layout::Plain,
            settings: Vec::new(),
        }
    }

    /// The value of a setting.
    #[must_use]
    pub fn setting(&self, key: &str) -> Option<&toml::Value> {
        self.settings.iter().find(|setting| setting.key == key).map(|setting| &setting.value)
    }
}
