//! `walkaround check` and `walkaround manifest`: one run, with other sinks.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, bail};
use walkaround::cache::Cache;
use walkaround::checks::{self, Check};
use walkaround::model::{Level, RelPath, Summary};
use walkaround::pipeline::{self, Watch};
use walkaround::settings;
use walkaround::sinks::{Baseline, GitHub, JUnit, Json, JsonLines, Manifest, ManifestCsv, Rule, Sarif, Sink, Text, Verbosity};

use super::args::{CheckOptions, DatasetOptions, FailOn, Format, ManifestOptions};
use super::cache;
use super::config::{self, Resolved};
use super::exit::Exit;
use super::interrupt;
use super::output::{self, Forgiving, Output, Protected};
use super::progress::Progress;

/// Checks a dataset.
pub(super) fn check(options: &CheckOptions) -> anyhow::Result<Exit> {
    let mut resolved = config::resolve(&options.dataset)?;
    let report = open(options.output.as_deref(), &resolved)?;
    let manifest = open(options.manifest.as_deref(), &resolved)?;
    let baseline = open(options.write_baseline.as_deref(), &resolved)?;
    let outputs = [("-o", &report), ("--manifest", &manifest), ("--write-baseline", &baseline)];
    for (at, (name, output)) in outputs.iter().enumerate() {
        for (other_name, other) in &outputs[..at] {
            if let (Some(output), Some(other)) = (output, other)
                && output.is_same_as(other)
            {
                bail!("{other_name} and {name} name the same file");
            }
        }
    }
    let before = take_baseline(&mut resolved, options)?;
    let stdout: Box<dyn Write> = match options.format {
        Format::Text => Box::new(output::terminal()),
        Format::Json | Format::Jsonl | Format::Sarif | Format::Github | Format::Junit => Box::new(output::stdout()),
    };
    let mut sinks: Vec<Box<dyn Sink>> = vec![match (&report, &manifest) {
        (Some(file), _) => report_sink(options, file.plain_writer()?),
        (None, Some(_)) => report_sink(options, Forgiving::new(stdout)),
        (None, None) => report_sink(options, stdout),
    }];
    if let Some(file) = &manifest {
        sinks.push(Box::new(Manifest::new(file.writer()?, resolved.settings.caption_text)));
    }
    if let Some(file) = &baseline {
        sinks.push(Box::new(Baseline::new(file.writer()?, before)));
    }
    let summary = walk(&resolved, &mut sinks, options.dataset.quiet)?;
    drop(sinks);
    for file in [report, manifest, baseline].into_iter().flatten() {
        file.keep()?;
    }
    Ok(exit(&summary, resolved.fail_on))
}

/// Reads the baseline that is to be kept to. It is not kept to while a new one is written, which would lose what it knows.
fn take_baseline(resolved: &mut Resolved, options: &CheckOptions) -> anyhow::Result<settings::Baseline> {
    let Some(path) = &options.baseline else { return Ok(settings::Baseline::default()) };
    #[expect(clippy::disallowed_methods, reason = "a settings file is read in cli")]
    let text = fs::read_to_string(path).with_context(|| format!("failed to read the baseline `{}`", path.display()))?;
    let mut baseline =
        settings::Baseline::parse(&text).with_context(|| format!("`{}` is no baseline that can be kept to", path.display()))?;
    if options.write_baseline.is_none() {
        resolved.settings.rules.baseline = Some(baseline.clone());
        resolved.settings.rules.baseline_file = Some(RelPath::from_os(path));
    } else {
        // An entry whose last day has passed would be void at once in the new file.
        let today = &resolved.settings.rules.today;
        baseline.entries.retain(|_, known| known.expires.as_ref().is_none_or(|last| last >= today));
    }
    Ok(baseline)
}

/// Writes the manifest of a dataset.
pub(super) fn manifest(options: &ManifestOptions) -> anyhow::Result<Exit> {
    let mut resolved = config::resolve(&options.dataset)?;
    resolved.settings.sha256 = options.sha256;
    resolved.settings.caption_text = options.caption_text;
    let caption_text = options.caption_text;
    let file = open(options.output.as_deref(), &resolved)?;
    let mut sinks: Vec<Box<dyn Sink>> = match &file {
        Some(file) => vec![table(options, file)?, Box::new(Text::new(output::terminal(), Verbosity::Quiet))],
        None => vec![Box::new(Manifest::new(output::stdout(), caption_text))],
    };
    let summary = walk(&resolved, &mut sinks, options.dataset.quiet)?;
    drop(sinks);
    if let Some(file) = file {
        file.keep()?;
        if !options.dataset.quiet {
            writeln!(output::terminal(), "fingerprint {}", summary.fingerprint)?;
        }
    }
    // A manifest says what is there; it is no judgement, unless one is asked for.
    Ok(exit(&summary, options.dataset.fail_on.unwrap_or(FailOn::Never)))
}

/// A manifest in the form that the name of its file asks for.
fn table(options: &ManifestOptions, file: &Output) -> anyhow::Result<Box<dyn Sink>> {
    let has_extension = |wanted: &str| {
        let extension = options.output.as_deref().and_then(Path::extension);
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
    };
    Ok(if has_extension("csv") {
        Box::new(ManifestCsv::new(file.writer()?, options.caption_text))
    } else if has_extension("parquet") {
        parquet(options, file)?
    } else {
        Box::new(Manifest::new(file.writer()?, options.caption_text))
    })
}

#[cfg(feature = "parquet")]
fn parquet(options: &ManifestOptions, file: &Output) -> anyhow::Result<Box<dyn Sink>> {
    Ok(Box::new(walkaround::sinks::ManifestParquet::new(file.writer()?, options.caption_text)?))
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &ManifestOptions, _: &Output) -> anyhow::Result<Box<dyn Sink>> {
    bail!("this walkaround was built without Parquet; build it with `--features parquet`, or write .csv or .jsonl")
}

pub(super) fn open(path: Option<&Path>, resolved: &Resolved) -> anyhow::Result<Option<Output>> {
    // A list may name a million files, which are only looked up where there is something to be opened.
    path.map(|path| Output::open(path, &Protected::new(&resolved.settings.inputs, resolved.list.as_deref()))).transpose()
}

fn report_sink<'a>(options: &CheckOptions, out: impl Write + 'a) -> Box<dyn Sink + 'a> {
    match options.format {
        Format::Text if options.statistics => Box::new(Text::new(out, Verbosity::Statistics)),
        Format::Text => Box::new(Text::new(out, verbosity(&options.dataset))),
        Format::Json => Box::new(Json::new(out)),
        Format::Jsonl => Box::new(JsonLines::new(out)),
        Format::Sarif => Box::new(Sarif::new(out, checks::ALL.iter().map(|check| rule(check)).collect())),
        Format::Github => Box::new(GitHub::new(out)),
        Format::Junit => Box::new(JUnit::new(out, checks::ALL.iter().map(|check| (check.code.0, check.name)).collect())),
    }
}

/// A check as SARIF describes it.
fn rule(check: &Check) -> Rule {
    Rule { code: check.code.0, name: check.name, level: check.level, summary: check.summary(), page: checks::page(check) }
}

fn verbosity(options: &DatasetOptions) -> Verbosity {
    match (options.quiet, options.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    }
}

/// One run.
pub(super) fn walk(resolved: &Resolved, sinks: &mut [Box<dyn Sink + '_>], quiet: bool) -> anyhow::Result<Summary> {
    let cancel = interrupt::listen()?;
    let progress = Progress::new(quiet);
    let watch: &dyn Watch = match &progress {
        Some(progress) => progress,
        None => &(),
    };
    let summary = pipeline::run(&resolved.settings, sinks, watch, &cancel)?;
    drop(progress);
    if let Some(trouble) = resolved.settings.cache.as_ref().and_then(Cache::trouble) {
        cache::note(&trouble);
    }
    Ok(summary)
}

fn exit(summary: &Summary, fail_on: FailOn) -> Exit {
    let limit = match fail_on {
        FailOn::Error => Some(Level::Error),
        FailOn::Warning => Some(Level::Warning),
        FailOn::Never => None,
    };
    if summary.interrupted {
        Exit::Interrupted
    } else if limit.is_some_and(|limit| summary.findings.worst() >= Some(limit)) {
        Exit::Findings
    } else {
        Exit::Clean
    }
}
