//! What a check is: a code, a page of documentation and a function from facts to findings.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::{Code, Condition, Consequence, DatasetFacts, Finding, Level, Outcome, Phase, Profile, RelPath, SampleFacts};

/// A rule with a code. Made by `declare_check!`, listed in [`super::ALL`].
#[derive(Debug)]
pub struct Check {
    /// Letter and number, for ever.
    pub code: Code,
    /// The fault in kebab case.
    pub name: &'static str,
    /// Level of a finding, where the check does not decide it by what it saw.
    pub level: Level,
    /// Version of walkaround that brought the check.
    pub since: &'static str,
    /// The page that `walkaround explain` prints, in Markdown, without title.
    pub documentation: &'static str,
    pub(super) run: Run,
}

/// When a check runs and what it sees.
#[derive(Clone, Copy, Debug)]
pub(super) enum Run {
    /// Once for each sample.
    Sample(fn(&SampleFacts, &Profile, &mut Findings)),
    /// Once, when every sample has been looked at.
    Dataset(fn(&DatasetFacts<'_>, &Profile, &mut Findings)),
    /// By the run itself, which alone knows what the check is about; the reason is in the check's file.
    Elsewhere,
}

/// Family of checks; the first letter of their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// F: files.
    File,
    /// I: images.
    Image,
    /// C: captions.
    Caption,
    /// M: metadata files.
    Metadata,
    /// P: paths and names.
    Path,
    /// B: buckets.
    Bucket,
    /// K: caches.
    Cache,
    /// D: dataset and configuration.
    Dataset,
    /// S: storage.
    Storage,
}

impl Family {
    /// The family of a code.
    #[must_use]
    pub fn of(code: Code) -> Self {
        match code.0.as_bytes().first() {
            Some(b'F') => Self::File,
            Some(b'I') => Self::Image,
            Some(b'C') => Self::Caption,
            Some(b'M') => Self::Metadata,
            Some(b'P') => Self::Path,
            Some(b'B') => Self::Bucket,
            Some(b'K') => Self::Cache,
            Some(b'S') => Self::Storage,
            _ => Self::Dataset,
        }
    }

    /// Name of the family, which is also its folder's.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Image => "image",
            Self::Caption => "caption",
            Self::Metadata => "metadata",
            Self::Path => "path",
            Self::Bucket => "bucket",
            Self::Cache => "cache",
            Self::Dataset => "dataset",
            Self::Storage => "storage",
        }
    }
}

impl Check {
    /// The family, by the code's letter.
    #[must_use]
    pub fn family(&self) -> Family {
        Family::of(self.code)
    }

    /// First paragraph of the documentation: what the check reports.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.documentation.split_once("## What it does").and_then(|(_, rest)| rest.trim_start().split("\n\n").next()).map_or("", str::trim)
    }
}

/// The page of a check in Markdown, with its title: what `walkaround explain` prints and `docs/checks/` holds.
#[must_use]
pub fn page(check: &Check) -> String {
    let text: Vec<&str> = check.documentation.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    format!(
        "# {} {}\n\n{}, unless it says otherwise. Since {}.\n\n{}\n",
        check.code,
        check.name,
        match check.level {
            Level::Error => "Error",
            Level::Warning => "Warning",
            Level::Info => "Info",
        },
        check.since,
        text.join("\n").trim()
    )
}

/// What one check found; handed to its function.
#[derive(Debug)]
pub struct Findings {
    check: &'static Check,
    found: Vec<Finding>,
}

impl Findings {
    pub(super) fn new(check: &'static Check) -> Self {
        Self { check, found: Vec::new() }
    }

    pub(super) fn into_vec(self) -> Vec<Finding> {
        self.found
    }

    /// Reports one file. The message says what was seen and the limit it broke: one sentence, lower case, no final period.
    /// What else is known is added to the finding that is returned.
    pub fn report(&mut self, path: &RelPath, message: impl Into<String>) -> &mut Finding {
        self.report_all(vec![path.clone()], message)
    }

    /// Reports several files at once, or none for a finding about the whole dataset; the paths are sorted here.
    #[expect(clippy::missing_panics_doc, reason = "it cannot: the finding was pushed the line before")]
    pub fn report_all(&mut self, mut paths: Vec<RelPath>, message: impl Into<String>) -> &mut Finding {
        paths.sort_unstable();
        self.found.push(Finding {
            code: self.check.code,
            name: self.check.name,
            level: self.check.level,
            paths,
            message: message.into(),
            evidence: BTreeMap::new(),
            condition: None,
            place: None,
            consequences: BTreeMap::new(),
            help: String::new(),
        });
        self.found.last_mut().expect("a finding was pushed the line before")
    }
}

impl Finding {
    /// Sets another level than the check's own.
    pub fn level(&mut self, level: Level) -> &mut Self {
        self.level = level;
        self
    }

    /// Adds a value that was seen, or a limit.
    pub fn evidence(&mut self, key: &'static str, value: impl Into<Value>) -> &mut Self {
        self.evidence.insert(key, value.into());
        self
    }

    /// Says what it is about in the terms in which trainers differ.
    pub fn about(&mut self, condition: Condition) -> &mut Self {
        self.condition = Some(condition);
        self
    }

    /// Says what it means for a trainer that loads with Pillow.
    pub fn means(&mut self, outcome: Outcome, phase: Phase, text: impl Into<String>) -> &mut Self {
        self.consequences.insert("generic", Consequence { outcome, phase, text: text.into() });
        self
    }

    /// Says what it means for the trainer that it is about.
    pub fn means_to(&mut self, trainer: &'static str, consequence: Consequence) -> &mut Self {
        self.consequences.insert(trainer, consequence);
        self
    }

    /// Says what to do, as one imperative sentence without final period.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = help.into();
        self
    }
}

/// Declares a check: its documentation, code, name, level, first version, and function.
///
/// The doc comment becomes the page that `walkaround explain` prints.
macro_rules! declare_check {
    ($(#[doc = $line:literal])+ $code:ident $name:literal, level: $level:ident, since: $since:literal, run: $run:expr $(,)?) => {
        pub(in crate::checks) static CHECK: $crate::checks::Check = $crate::checks::Check {
            code: $crate::model::Code(stringify!($code)),
            name: $name,
            level: $crate::model::Level::$level,
            since: $since,
            documentation: concat!($($line, "\n"),+),
            run: $run,
        };
    };
}
pub(super) use declare_check;
