//! `--config`: the trainer's own configuration becomes the inputs of a run, the trainers that are asked, and faults to report.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use walkaround::model::{Consequence, Level, Outcome, Phase, Place, Profile, RecipeFault, RecipeFaultKind};
use walkaround::recipe::{self, DatasetRecipe, Layout, PathText, Recipe, Role};
use walkaround::settings::Settings;
use walkaround::trainers::{self, Dataset, Plan, Setting, Trainer};
use walkaround::walk::Input;

/// Bytes of a configuration that are read: no real one comes near.
const LONGEST: u64 = 64 << 20;

/// What a configuration comes to.
pub(super) struct Configured {
    /// The folders that it names, each once.
    pub(super) inputs: Vec<Input>,
    /// Its datasets, each with a trainer that has its settings.
    pub(super) plan: Plan,
    /// What checks may ask: the first dataset's.
    pub(super) profile: Option<Profile>,
    /// What is wrong with it.
    pub(super) faults: Vec<RecipeFault>,
}

impl Configured {
    /// Takes it over into the settings of a run.
    pub(super) fn into_settings(self, settings: &mut Settings) {
        let Self { inputs, plan, profile, faults } = self;
        settings.inputs = inputs;
        settings.plan = plan;
        settings.faults = faults;
        if let Some(profile) = profile {
            settings.walk.caption_extension.clone_from(&profile.caption_extension);
            settings.profile = profile;
        }
    }
}

/// Reads a configuration. `apply` makes the settings of the command line, which win over those of the configuration; a single path
/// stands for the folder of a configuration with a single dataset.
pub(super) fn read(
    path: &Path,
    trainer: Option<&str>,
    paths: &[PathBuf],
    apply: &dyn Fn(&mut dyn Trainer) -> anyhow::Result<()>,
) -> anyhow::Result<Configured> {
    let failed = || format!("failed to read the configuration `{}`", path.display());
    let bytes = load(path).with_context(failed)?;
    let here = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    let name = path.to_string_lossy();
    let load = |name: &str| load(&beside(&here, name).unwrap_or_else(|| PathBuf::from(name)));
    let env = |name: &str| std::env::var(name).ok();
    let recipe = recipe::read(&name, &bytes, trainer, &load, &env)?;
    let named = trainer.filter(|name| *name != "generic").unwrap_or(recipe.trainer).to_owned();
    build(&recipe, &named, &here, paths, apply)
}

fn build(
    recipe: &Recipe,
    named: &str,
    here: &Path,
    paths: &[PathBuf],
    apply: &dyn Fn(&mut dyn Trainer) -> anyhow::Result<()>,
) -> anyhow::Result<Configured> {
    let mut faults = recipe.faults.clone();
    let (mut inputs, mut datasets) = (Vec::<PathBuf>::new(), Vec::new());
    let mut profile = None;
    let trained = recipe.datasets.iter().filter(|dataset| dataset.role != Role::Conditioning);
    let (trained, listed): (Vec<&DatasetRecipe>, Vec<_>) = trained.partition(|dataset| dataset.folder.is_some());
    faults.extend(listed.into_iter().filter_map(|dataset| Some(not_followed(recipe.trainer, dataset, dataset.metadata.as_ref()?))));
    if paths.len() > 1 || (!paths.is_empty() && trained.len() > 1) {
        bail!("the configuration names {} datasets; leave PATH out, or give one for a configuration of one dataset", trained.len());
    }
    for dataset in trained {
        let mut made = trainers::find(named)?;
        for (key, value) in of_the_run(recipe) {
            let _ = made.set(&Setting::new(key, &toml::Value::Integer(value)));
        }
        for setting in &dataset.settings {
            // What a trainer does not know was reported by the reader, which knows the place.
            let _ = made.set(&Setting::new(&setting.key, &setting.value));
        }
        for (key, value) in implied(recipe, dataset) {
            let _ = made.set(&Setting::new(key, &value));
        }
        apply(&mut *made)?;
        let own = made.profile();
        let first = profile.get_or_insert_with(|| own.clone());
        if first.caption_extension != own.caption_extension {
            faults.push(other_captions(recipe.trainer, dataset, first, &own));
        }
        let folder = match (&dataset.folder, paths) {
            (_, [path]) => path.clone(),
            // That it is empty was reported; what the trainer walks instead is nobody's dataset.
            (Some(folder), _) if folder.text.trim().is_empty() => continue,
            (Some(folder), _) => {
                let Some(found) = beside(here, &folder.text) else {
                    faults.push(missing(recipe.trainer, dataset, folder));
                    continue;
                };
                found
            }
            (None, _) => continue,
        };
        // The same folder spelt twice is one root to the walk.
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = inputs.iter().position(|known| real(known) == real(&folder)).unwrap_or_else(|| {
            inputs.push(folder);
            inputs.len() - 1
        });
        let group = group(recipe, dataset, datasets.len());
        datasets.push(Dataset { root: Some(root), group, trainer: made });
    }
    Ok(Configured { inputs: inputs.into_iter().map(Input::Path).collect(), plan: Plan { datasets, is_chosen: true }, profile, faults })
}

/// Settings of the whole run, which those of a dataset win over.
fn of_the_run(recipe: &Recipe) -> Vec<(&'static str, i64)> {
    let (batch, accumulation) = match recipe.trainer {
        "simpletuner" | "diffusers" => ("train_batch_size", "gradient_accumulation_steps"),
        "diffusion-pipe" => ("micro_batch_size_per_gpu", "gradient_accumulation_steps"),
        "ai-toolkit" => ("batch_size", "gradient_accumulation"),
        _ => ("batch_size", "gradient_accumulation_steps"),
    };
    let settings = [(batch, recipe.batch_size), (accumulation, recipe.gradient_accumulation)];
    settings.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

/// What a configuration says without a key of its own: which script is started, how the folder is laid out, and that a training without the option does not
/// cache. A dataset configuration alone does not tell whether it does.
fn implied(recipe: &Recipe, dataset: &DatasetRecipe) -> Vec<(&'static str, toml::Value)> {
    if recipe.trainer == "diffusers" && recipe.script.as_deref().is_some_and(|script| script.contains("text_to_image")) {
        return vec![("script", toml::Value::String("text_to_image".to_owned()))];
    }
    if recipe.trainer != "kohya" {
        return Vec::new();
    }
    let layout = match dataset.layout {
        Layout::Plain => "image_dir",
        Layout::RepeatFolders => "train_data_dir",
    };
    let folder = dataset.folder.as_ref().map_or_else(String::new, |folder| folder.text.clone());
    let mut implied = vec![(layout, toml::Value::String(folder))];
    let is_told = ["cache_latents", "cache_latents_to_disk"].iter().any(|key| dataset.setting(key).is_some());
    if recipe.script.is_some() && !is_told {
        implied.push(("cache_latents", toml::Value::Boolean(false)));
    }
    implied
}

/// The number of the datasets whose pictures share buckets: the subsets of a dataset of sd-scripts, all concepts of `OneTrainer` and
/// all directories of diffusion-pipe; elsewhere each dataset has its own.
fn group(recipe: &Recipe, dataset: &DatasetRecipe, number: usize) -> usize {
    match recipe.trainer {
        "kohya" => {
            let name = |dataset: &DatasetRecipe| dataset.name.split(".subsets").next().unwrap_or_default().to_owned();
            recipe.datasets.iter().position(|other| name(other) == name(dataset)).unwrap_or(number)
        }
        "onetrainer" | "diffusion-pipe" => 0,
        _ => number,
    }
}

/// The bytes of a file.
fn load(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Opening a pipe would wait for ever.
    if fs::metadata(path)?.file_type().is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    } else if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    fs::File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The file or folder of this name: beside the configuration, or below the current folder.
fn beside(here: &Path, name: &str) -> Option<PathBuf> {
    [here.join(name), PathBuf::from(name)].into_iter().find(|path| path.exists())
}

/// A dataset whose captions have another extension than those that are read.
fn other_captions(trainer: &'static str, dataset: &DatasetRecipe, first: &Profile, own: &Profile) -> RecipeFault {
    let setting = dataset.settings.iter().find(|setting| setting.key.contains("caption"));
    let folder = dataset.folder.as_ref();
    RecipeFault {
        kind: RecipeFaultKind::Unresolved,
        level: Level::Warning,
        trainer,
        file: setting.map(|setting| setting.file.clone()).or(folder.map(|folder| folder.file.clone())).unwrap_or_default(),
        place: setting.map(|setting| setting.at).or(folder.map(|folder| folder.at)).unwrap_or(Place::START),
        message: format!(
            "{} has captions with {}, and this check reads those of the first dataset, with {}",
            dataset.name, own.caption_extension, first.caption_extension
        ),
        consequence: Consequence {
            outcome: Outcome::Train,
            phase: Phase::DatasetScan,
            text: "the trainer reads both; what is said here of this dataset's captions is not so".to_owned(),
        },
        help: "check its folder on its own as PATH, with --trainer and --set".to_owned(),
    }
}

/// A dataset whose samples stand in a list.
fn not_followed(trainer: &'static str, dataset: &DatasetRecipe, list: &PathText) -> RecipeFault {
    RecipeFault {
        kind: RecipeFaultKind::Unresolved,
        level: Level::Warning,
        trainer,
        file: list.file.clone(),
        place: list.at,
        message: format!("the samples of {} stand in `{}`, which is not followed here", dataset.name, list.text),
        consequence: Consequence {
            outcome: Outcome::Train,
            phase: Phase::DatasetScan,
            text: "the trainer reads the list; none of its samples was looked at".to_owned(),
        },
        help: "check the folder that the list names by giving it as PATH with --trainer".to_owned(),
    }
}

/// A dataset whose folder is not there.
fn missing(trainer: &'static str, dataset: &DatasetRecipe, folder: &PathText) -> RecipeFault {
    RecipeFault {
        kind: RecipeFaultKind::Unresolved,
        level: Level::Error,
        trainer,
        file: folder.file.clone(),
        place: folder.at,
        message: format!("the folder `{}` of {} is not there, beside this file or below the current folder", folder.text, dataset.name),
        consequence: Consequence {
            outcome: Outcome::Stop,
            phase: Phase::DatasetScan,
            text: "there is nothing to train on from it: the run stops, or goes on without it".to_owned(),
        },
        help: "correct the path, or start from the folder that it is relative to".to_owned(),
    }
}
