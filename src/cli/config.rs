//! Arguments and `walkaround.toml`, resolved to the library's settings.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, anyhow, bail};
use serde::Deserialize;
use walkaround::checks;
use walkaround::model::{Level, RelPath, nearest};
use walkaround::settings::{PathIgnore, Rules, Selector, Settings};
use walkaround::trainers::{self, Setting, Trainer};
use walkaround::walk::{self, Input};
use walkaround::witness::{Confirm, WitnessOptions};

use super::args::{ConfirmWhich, DatasetOptions, FailOn};
use super::cache;
use super::recipe::{self, Configured};

/// Name of the settings file.
const FILE_NAME: &str = "walkaround.toml";

/// What the library is asked for, and what only this program needs to know.
pub(super) struct Resolved {
    pub(super) settings: Settings,
    pub(super) fail_on: FailOn,
    /// The list that inputs were read from.
    pub(super) list: Option<PathBuf>,
}

/// `walkaround.toml`. Arguments win over it, but for `ignore`, where both count.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct SettingsFile {
    trainer: Option<String>,
    set: toml::Table,
    select: Vec<String>,
    ignore: Vec<String>,
    levels: BTreeMap<String, Level>,
    fail_on: Option<FailOn>,
    follow_links: bool,
    hidden: bool,
    ignores: Vec<IgnoreEntry>,
    /// Where it was read from.
    #[serde(skip)]
    path: Option<PathBuf>,
}

/// An entry under `[[ignores]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct IgnoreEntry {
    paths: Vec<String>,
    checks: Vec<String>,
    reason: String,
    expires: Option<toml::value::Datetime>,
}

/// Works out what the arguments and the settings file mean together.
pub(super) fn resolve(options: &DatasetOptions) -> anyhow::Result<Resolved> {
    let file = settings_file(options)?;
    let mut settings = Settings::new(inputs(options)?);
    let configured = options.config.as_deref().map(|path| configured(options, &file, path)).transpose()?;
    settings.walk.follow_links = options.follow_links || file.follow_links;
    settings.walk.hidden = options.hidden || file.hidden;
    settings.limits.time = Duration::from_secs(options.time_limit);
    settings.limits.pixels = options.pixels;
    settings.memory_bytes = options.memory << 20;
    settings.limits.memory_bytes = settings.memory_bytes;
    settings.witness = options.confirm_with.clone().map(|interpreter| WitnessOptions {
        interpreter,
        confirm: match options.confirm {
            ConfirmWhich::Suspicious => Confirm::Suspicious,
            ConfirmWhich::All => Confirm::All,
        },
        time: Duration::from_secs(options.confirm_time_limit),
        memory_bytes: options.confirm_memory << 20,
    });
    if let Some(threads) = options.threads {
        settings.threads = threads;
    }
    #[cfg(feature = "t5")]
    if let Some(tokenizer) = &options.tokenizer {
        settings.tokenizers = walkaround::captions::Tokenizers::with_t5(tokenizer)?;
    }
    match configured {
        Some(configured) => configured.into_settings(&mut settings),
        None => settings.set_trainer(chosen_trainer(options, &file)?),
    }
    settings.rules = rules(options, &file)?;
    if !options.no_cache {
        settings.cache = cache::open(&options.cache, &settings.inputs)?;
    }
    Ok(Resolved { settings, fail_on: options.fail_on.or(file.fail_on).unwrap_or(FailOn::Error), list: options.files_from.clone() })
}

/// The trainer that is chosen, with the settings that are made by single keys.
pub(super) fn trainer(options: &DatasetOptions) -> anyhow::Result<Box<dyn Trainer>> {
    chosen_trainer(options, &settings_file(options)?)
}

fn chosen_trainer(options: &DatasetOptions, file: &SettingsFile) -> anyhow::Result<Box<dyn Trainer>> {
    let mut trainer = trainers::find(options.trainer.as_deref().or(file.trainer.as_deref()).unwrap_or("generic"))?;
    apply(options, file, &mut *trainer)?;
    Ok(trainer)
}

/// The trainer's own configuration, with the settings that are made by single keys on top of it.
fn configured(options: &DatasetOptions, file: &SettingsFile, path: &Path) -> anyhow::Result<Configured> {
    let trainer = options.trainer.as_deref().or(file.trainer.as_deref());
    recipe::read(path, trainer, &options.paths, &|trainer| apply(options, file, trainer))
}

/// Makes the settings of `[set]` and of `--set`.
fn apply(options: &DatasetOptions, file: &SettingsFile, trainer: &mut dyn Trainer) -> anyhow::Result<()> {
    for (key, value) in &file.set {
        trainer.set(&Setting::new(key, value)).with_context(|| format!("in {FILE_NAME}, [set] {key}"))?;
    }
    for pair in &options.set {
        let (key, value) = pair.split_once('=').ok_or_else(|| anyhow!("--set takes KEY=VALUE, not `{pair}`"))?;
        trainer.set(&Setting::new(key.trim(), &toml_value(value))).with_context(|| format!("in --set {pair}"))?;
    }
    Ok(())
}

/// A value is TOML if it parses as TOML, else plain text.
fn toml_value(text: &str) -> toml::Value {
    toml::from_str::<toml::Table>(&format!("value = {text}"))
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

fn inputs(options: &DatasetOptions) -> anyhow::Result<Vec<Input>> {
    let mut inputs: Vec<Input> = options.paths.iter().cloned().map(Input::Path).collect();
    if let Some(file) = &options.files_from {
        let mut bytes = Vec::new();
        if file.as_os_str() == "-" {
            io::stdin().lock().read_to_end(&mut bytes).context("failed to read the list from standard input")?;
        } else {
            fs::File::open(file)
                .and_then(|mut file| file.read_to_end(&mut bytes))
                .with_context(|| format!("failed to read the list `{}`", file.display()))?;
        }
        inputs.push(Input::List { typed: file.display().to_string(), paths: walk::parse_list(&bytes) });
    }
    if inputs.is_empty() && options.config.is_none() {
        bail!("nothing to look at: name a folder, or a list of files with --files-from");
    }
    Ok(inputs)
}

fn settings_file(options: &DatasetOptions) -> anyhow::Result<SettingsFile> {
    let candidates = [Some(Path::new(FILE_NAME).to_owned()), options.paths.first().map(|root| root.join(FILE_NAME))];
    let path = match &options.settings {
        Some(path) => path.clone(),
        None => match candidates.into_iter().flatten().find(|path| path.is_file()) {
            Some(path) => path,
            None => return Ok(SettingsFile::default()),
        },
    };
    #[expect(clippy::disallowed_methods, reason = "a settings file is read in cli")]
    let text = fs::read_to_string(&path).with_context(|| format!("failed to read `{}`", path.display()))?;
    let file: SettingsFile =
        toml::from_str(&text).map_err(|error| anyhow!("`{}` is not valid: {}{error}", path.display(), hint(&error)))?;
    if options.settings.is_none() && !options.quiet {
        // A dataset may bring its own, which nobody asked for by name.
        let _ = writeln!(anstream::stderr(), "settings from `{}`", path.display());
    }
    Ok(SettingsFile { path: Some(path), ..file })
}

/// The key that was probably meant by an unknown one.
fn hint(error: &toml::de::Error) -> String {
    let mut quoted = error.message().split('`').skip(1).step_by(2);
    let Some(unknown) = quoted.next().filter(|_| error.message().starts_with("unknown field")) else { return String::new() };
    nearest(unknown, quoted, 0.7).map(|known| format!("did you mean `{known}`? ")).unwrap_or_default()
}

fn rules(options: &DatasetOptions, file: &SettingsFile) -> anyhow::Result<Rules> {
    let select = if options.select.is_empty() { &file.select } else { &options.select };
    let levels = file
        .levels
        .iter()
        .map(|(name, level)| {
            Ok((checks::find(name).ok_or_else(|| anyhow!("in {FILE_NAME}, [levels]: no check is called `{name}`"))?.code, *level))
        })
        .collect::<anyhow::Result<_>>()?;
    let mut path_ignores = Vec::new();
    for entry in &file.ignores {
        if entry.reason.trim().is_empty() {
            bail!("in {FILE_NAME}, [[ignores]] for {:?}: say in `reason` why", entry.paths);
        }
        let expires = match entry.expires {
            Some(day) => Some(day.date.ok_or_else(|| anyhow!("in {FILE_NAME}, [[ignores]]: `expires = {day}` is no day"))?.to_string()),
            None => None,
        };
        for pattern in &entry.paths {
            let ignore = PathIgnore::new(pattern, selectors(&entry.checks)?, &entry.reason, expires.clone());
            path_ignores.push(ignore.with_context(|| format!("in {FILE_NAME}, [[ignores]]: `{pattern}` is no valid pattern"))?);
        }
    }
    Ok(Rules {
        select: selectors(select)?,
        ignore: selectors(options.ignore.iter().chain(&file.ignore))?,
        levels,
        path_ignores,
        baseline: None,
        baseline_file: None,
        file: file.path.as_deref().map(RelPath::from_os),
        today: humantime::format_rfc3339_seconds(SystemTime::now()).to_string().chars().take(10).collect(),
    })
}

fn selectors<'a>(names: impl IntoIterator<Item = &'a String>) -> anyhow::Result<Vec<Selector>> {
    names.into_iter().map(|name| Ok(Selector::parse(name.trim())?)).collect()
}
