//! Runs walkaround on a folder, as a library and as a program.

use std::io;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::AtomicBool;

use walkaround::model::{Finding, Level, RelPath, SampleReport, Summary};
use walkaround::settings::Settings;
use walkaround::sinks::{Header, Sink};
use walkaround::trainers::{self, Setting};
use walkaround::walk::Input;

/// What a run found.
pub(crate) struct Found {
    pub(crate) samples: Vec<SampleReport>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) summary: Summary,
}

impl Found {
    /// The findings of one check.
    pub(crate) fn of(&self, check: &str) -> Vec<&Finding> {
        self.findings.iter().filter(|finding| finding.name == check).collect()
    }

    /// The only finding of one check.
    pub(crate) fn only(&self, check: &str) -> &Finding {
        let found = self.of(check);
        assert_eq!(found.len(), 1, "{check} is found {} times; all findings: {:#?}", found.len(), self.brief());
        found[0]
    }

    /// The files that one check names, sorted.
    pub(crate) fn paths_of(&self, check: &str) -> Vec<&str> {
        let mut paths: Vec<&str> = self.of(check).into_iter().flat_map(|finding| &finding.paths).map(RelPath::as_str).collect();
        paths.sort_unstable();
        paths
    }

    /// Names, levels and paths of all findings, for messages and comparisons.
    pub(crate) fn brief(&self) -> Vec<String> {
        self.findings
            .iter()
            .map(|finding| {
                let paths: Vec<&str> = finding.paths.iter().map(RelPath::as_str).collect();
                format!("{} {} {}", finding.level, finding.name, paths.join(" "))
            })
            .collect()
    }

    /// Paths of the samples for which there is an error.
    pub(crate) fn paths_at(&self, level: Level) -> Vec<&str> {
        let mut paths: Vec<&str> =
            self.findings.iter().filter(|finding| finding.level == level).flat_map(|finding| &finding.paths).map(RelPath::as_str).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

/// Checks a folder with `--set` pairs.
pub(crate) fn check_with(root: &Path, set: &[&str]) -> Found {
    check_as(root, "generic", set)
}

/// Checks a folder for a trainer with `--set` pairs.
pub(crate) fn check_as(root: &Path, trainer: &str, set: &[&str]) -> Found {
    let mut trainer = trainers::find(trainer).expect("the trainer is known");
    for pair in set {
        let (key, value) = pair.split_once('=').expect("a setting has a value");
        // As the program reads it: TOML if it parses as TOML.
        let parsed = toml::from_str::<toml::Table>(&format!("value = {value}")).ok().and_then(|mut table| table.remove("value"));
        let value = parsed.unwrap_or_else(|| toml::Value::from(value));
        trainer.set(&Setting::new(key, &value)).expect("the setting is known");
    }
    let mut settings = Settings::new(vec![Input::Path(root.to_owned())]);
    settings.set_trainer(trainer);
    run(&settings)
}

/// Checks a folder as it is.
pub(crate) fn check(root: &Path) -> Found {
    check_with(root, &[])
}

/// Runs with settings of one's own.
pub(crate) fn run(settings: &Settings) -> Found {
    let mut collector = Collector::default();
    let summary = walkaround::run(settings, &mut [Box::new(&mut collector)], &(), &AtomicBool::new(false)).expect("the run can happen");
    Found { samples: collector.samples, findings: collector.findings, summary }
}

/// The program, in a scrubbed environment, with an empty cache.
pub(crate) fn walkaround(folder: &Path, args: &[&str]) -> Output {
    let cache = tempfile::tempdir().expect("a temporary folder can be made");
    walkaround_with_cache(folder, args, cache.path())
}

/// The program, in a scrubbed environment, with the cache in this folder.
pub(crate) fn walkaround_with_cache(folder: &Path, args: &[&str], cache: &Path) -> Output {
    assert_cmd::Command::cargo_bin("walkaround")
        .expect("the program is built")
        .current_dir(folder)
        .env_clear()
        .env("WALKAROUND_CACHE_DIR", cache)
        .args(args)
        .output()
        .expect("the program starts")
}

/// Keeps everything.
#[derive(Default)]
struct Collector {
    samples: Vec<SampleReport>,
    findings: Vec<Finding>,
}

impl Sink for &mut Collector {
    fn begin(&mut self, _: &Header<'_>) -> io::Result<()> {
        Ok(())
    }

    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.findings.extend(report.findings.iter().cloned());
        self.samples.push(report.clone());
        Ok(())
    }

    fn dataset(&mut self, findings: &[Finding]) -> io::Result<()> {
        self.findings.extend(findings.iter().cloned());
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        Ok(())
    }
}
