//! What a new bisection is asked: the dataset is listed, hashed and checked, and suspicion is taken from the findings.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, anyhow, bail};
use walkaround::bisect::journal::{ConfigFile, Header, HeaderSample, KnownGood, Patterns, SCHEMA, SearchSettings, TimeLimit, VerdictName};
use walkaround::bisect::subset::{Source, Stamp, Strategy, rewriter, stamp};
use walkaround::bisect::trial::{CommandLine, Judge};
use walkaround::model::{Finding, Level, RelPath, SampleReport, Summary};
use walkaround::settings::Settings;
use walkaround::sinks::{Sink, TOOL};
use walkaround::trainers;
use walkaround::walk::Input;

use super::args::{DatasetToSearch, RunOptions, StrategyChoice, VerdictChoice};

/// How much more suspicious a sample is for which there is an error, and one for which there is a warning.
const WEIGHTS: [(Level, f64); 2] = [(Level::Error, 50.0), (Level::Warning, 5.0)];

/// The header of a new journal.
pub(super) fn header(wanted: &DatasetToSearch, run: Option<&RunOptions>) -> anyhow::Result<Header> {
    let root = wanted.path.canonicalize().with_context(|| format!("failed to find `{}`", wanted.path.display()))?;
    let work = std::path::absolute(&wanted.work)?;
    if work.ancestors().any(|above| above.canonicalize().is_ok_and(|above| above.starts_with(&root))) {
        bail!("`{}` belongs to the dataset, which is never written to; name a folder outside it", wanted.work.display());
    }
    if let Some(run) = run {
        Judge::new(&run.bad_when, &run.good_when, &run.also_bad)?;
    }
    if wanted.failure_rate.is_some_and(|rate| !(rate > 0.0 && rate <= 1.0)) {
        bail!("--failure-rate is above 0 and at most 1");
    }
    let command = run.map(|run| CommandLine { words: run.command.clone(), shell: run.shell });
    if command.as_ref().is_some_and(CommandLine::wants_config) && wanted.config.is_none() {
        bail!("the command names {{config}}; say with --config which file that is");
    }
    let config = wanted.config.as_deref().map(|path| config(path, wanted.trainer.as_deref())).transpose()?;
    let time_limit = run.and_then(|run| run.timeout.as_deref()).map(time_limit).transpose()?;
    let time_limit_is = match (run.and_then(|run| run.timeout_is), time_limit) {
        (Some(VerdictChoice::Good), _) | (None, Some(TimeLimit::OfFirstFailure(_))) => VerdictName::Good,
        (Some(VerdictChoice::Untestable), _) => VerdictName::Untestable,
        (Some(VerdictChoice::Bad) | None, _) => VerdictName::Bad,
    };
    let (samples, shared) = samples(&root, wanted.trainer.as_deref())?;
    let known_good = wanted.known_good.as_deref().map(|root| known_good(root, wanted.trainer.as_deref())).transpose()?;
    let strategy = match wanted.strategy {
        Some(StrategyChoice::Remove) => Strategy::Remove,
        Some(StrategyChoice::Replace) if known_good.is_none() => bail!("--strategy replace needs samples to replace with: --known-good"),
        None if known_good.is_none() => Strategy::Remove,
        _ => Strategy::Replace,
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    Ok(Header {
        schema: SCHEMA.to_owned(),
        tool: TOOL.to_owned(),
        id: format!("{:x}-{:x}", since.as_nanos(), std::process::id()),
        root,
        samples,
        shared,
        known_good,
        strategy,
        search: SearchSettings {
            all: wanted.all,
            repeat: wanted.repeat,
            failure_rate: wanted.failure_rate,
            confidence: 0.95,
            minutes_per_trial: wanted.minutes_per_trial,
        },
        command,
        patterns: run
            .map(|run| Patterns { bad_when: run.bad_when.clone(), good_when: run.good_when.clone(), also_bad: run.also_bad.clone() })
            .unwrap_or_default(),
        time_limit,
        time_limit_is,
        memory_bytes: run.and_then(|run| run.memory).map(|mebibytes| mebibytes << 20),
        grace_seconds: run.map_or(10.0, |run| run.grace),
        config,
        trainer: wanted.trainer.clone(),
    })
}

fn config(path: &Path, trainer: Option<&str>) -> anyhow::Result<ConfigFile> {
    let path = path.canonicalize().with_context(|| format!("failed to find `{}`", path.display()))?;
    #[expect(clippy::disallowed_methods, reason = "a configuration is read in cli")]
    let text = std::fs::read_to_string(&path).with_context(|| format!("failed to read `{}`", path.display()))?;
    rewriter(trainer, &path.extension().unwrap_or_default().to_string_lossy())?;
    Ok(ConfigFile { path, text })
}

/// `90`, `90s`, `15m`, `2h`, `3x`.
fn time_limit(text: &str) -> anyhow::Result<TimeLimit> {
    let wrong = || anyhow!("`{text}` is no time; say 90, 90s, 15m, 2h or 3x");
    let unit = text.chars().next_back().filter(|unit| matches!(unit, 's' | 'm' | 'h' | 'x'));
    let number: f64 = text.trim_end_matches(['s', 'm', 'h', 'x']).trim().parse().map_err(|_| wrong())?;
    if !(number > 0.0 && number < 1e7) {
        return Err(wrong());
    }
    Ok(match unit {
        Some('m') => TimeLimit::Seconds(number * 60.0),
        Some('h') => TimeLimit::Seconds(number * 3600.0),
        Some('x') => TimeLimit::OfFirstFailure(number),
        _ => TimeLimit::Seconds(number),
    })
}

fn known_good(root: &Path, trainer: Option<&str>) -> anyhow::Result<KnownGood> {
    let (samples, _) = samples(root, trainer).context("failed to look at the samples that are known to be good")?;
    if samples.is_empty() {
        bail!("there is no image in `{}`", root.display());
    }
    Ok(KnownGood { root: root.canonicalize()?, samples })
}

/// All samples, with hashes of all their files and what is found about them, and the files that go into every subset.
fn samples(root: &Path, trainer: Option<&str>) -> anyhow::Result<(Vec<HeaderSample>, Vec<Stamp>)> {
    let mut settings = Settings::new(vec![Input::Path(root.to_owned())]);
    if let Some(trainer) = trainer {
        settings.set_trainer(trainers::find(trainer)?);
    }
    let source = Source::list(root, &settings.walk.caption_extension)?;
    let mut collector = Collector::default();
    walkaround::run(&settings, &mut [Box::new(&mut collector)], &(), &AtomicBool::new(false))?;
    let stamps = |files: &[RelPath]| files.iter().map(|file| stamp(&source.root, file)).collect::<Result<Vec<_>, _>>();
    let mut samples = Vec::with_capacity(source.atoms.len());
    for atom in &source.atoms {
        let about: Vec<&(Level, String)> = atom.files.iter().filter_map(|file| collector.findings.get(file)).flatten().collect();
        let worst = about.iter().map(|(level, _)| *level).max();
        samples.push(HeaderSample {
            suspicion: WEIGHTS.iter().find(|(level, _)| worst == Some(*level)).map_or(1.0, |(_, weight)| *weight),
            size: collector.sizes.get(&atom.image).copied(),
            findings: about.iter().map(|(_, line)| line.clone()).collect(),
            files: stamps(&atom.files)?,
        });
    }
    Ok((samples, stamps(&source.shared)?))
}

/// Keeps of a run what makes a sample suspicious.
#[derive(Default)]
struct Collector {
    findings: BTreeMap<RelPath, Vec<(Level, String)>>,
    sizes: BTreeMap<RelPath, [u32; 2]>,
}

impl Collector {
    fn keep(&mut self, findings: &[Finding]) {
        for finding in findings.iter().filter(|finding| finding.level > Level::Info) {
            let line = format!("{} {} {}: {}", finding.level, finding.code, finding.name, finding.message);
            for path in &finding.paths {
                self.findings.entry(path.clone()).or_default().push((finding.level, line.clone()));
            }
        }
    }
}

impl Sink for &mut Collector {
    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        if let Ok(probe) = &report.facts.probe {
            self.sizes.insert(report.facts.sample.path.clone(), [probe.size.width, probe.size.height]);
        }
        self.keep(&report.findings);
        Ok(())
    }

    fn dataset(&mut self, findings: &[Finding]) -> io::Result<()> {
        self.keep(findings);
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        Ok(())
    }
}
