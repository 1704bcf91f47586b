//! SARIF 2.1.0 (OASIS Standard, 27 March 2020), as GitHub's code scanning takes it.
//!
//! A finding is a result, however many files it concerns. GitHub refuses a run of more than 25,000 results and shows 5,000, and of
//! a result it takes 1,000 locations ("SARIF support for code scanning", GitHub Docs); what is left out to keep below that is said
//! in the run's notifications.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::kept::Kept;
use super::repository::Repository;
use super::{Header, Sink};
use crate::model::{Finding, Level, LevelCounts, SampleReport, Summary};

/// Results that GitHub shows.
const RESULTS: usize = 5_000;

/// Locations of one result that GitHub takes.
const LOCATIONS: usize = 1_000;

/// Writes the log at the end of a run, since the worst results come first.
#[derive(Debug)]
pub struct Sarif<W> {
    out: W,
    rules: Vec<Rule>,
    repository: Repository,
    findings: Kept,
}

/// A check, as the log describes it.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its code.
    pub code: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Level of its findings, unless they say otherwise.
    pub level: Level,
    /// What it reports, in one paragraph.
    pub summary: &'static str,
    /// Its page, in Markdown.
    pub page: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultObject<'a> {
    rule_id: &'static str,
    rule_index: Option<usize>,
    level: &'static str,
    message: Value,
    locations: Vec<Value>,
    partial_fingerprints: Value,
    properties: Properties<'a>,
}

#[derive(Debug, Serialize)]
struct Properties<'a> {
    evidence: &'a std::collections::BTreeMap<&'static str, Value>,
}

impl<W: Write> Sarif<W> {
    /// A log that is written to `out`, in which these checks are described.
    pub fn new(out: W, rules: Vec<Rule>) -> Self {
        Self { out, rules, repository: Repository::default(), findings: Kept::new(RESULTS) }
    }

    fn result<'a>(&self, finding: &'a Finding) -> ResultObject<'a> {
        let left_out = finding.paths.len().saturating_sub(LOCATIONS);
        let more = if left_out == 0 { String::new() } else { format!(" ({left_out} more files are not listed)") };
        let consequences = finding.consequences.iter().map(|(trainer, consequence)| format!("{trainer}: {}", consequence.text));
        let text: Vec<String> = [format!("{}{more}.", finding.message)]
            .into_iter()
            .chain(consequences)
            .chain([format!("What to do: {}.", finding.help)])
            .collect();
        let location = |path| {
            let mut physical = json!({"artifactLocation": {"uri": self.repository.uri(path, finding.place)}});
            if let Some(place) = finding.place {
                physical["region"] = json!({"startLine": place.line, "startColumn": place.column});
            }
            json!({"physicalLocation": physical})
        };
        // GitHub follows a result by its fingerprint when lines move; here the file and the check are all there is.
        let first = finding.paths.first().map_or("", |path| path.as_str());
        let hash = blake3::hash(format!("{}\0{first}\0{}\0{:?}", finding.code, finding.paths.len(), finding.place).as_bytes());
        ResultObject {
            rule_id: finding.code.0,
            rule_index: self.rules.iter().position(|rule| rule.code == finding.code.0),
            level: level(finding.level),
            message: json!({"text": text.join("\n")}),
            locations: finding.paths.iter().take(LOCATIONS).map(location).collect(),
            partial_fingerprints: json!({"walkaround/v1": hash.to_hex().as_str()}),
            properties: Properties { evidence: &finding.evidence },
        }
    }

    fn log(&self, summary: &Summary) -> Value {
        let rules: Vec<Value> = self
            .rules
            .iter()
            .map(|rule| {
                json!({
                    "id": rule.code,
                    "name": rule.name,
                    "shortDescription": {"text": rule.name},
                    "fullDescription": {"text": rule.summary},
                    "help": {"text": rule.page, "markdown": rule.page},
                    "defaultConfiguration": {"level": level(rule.level)},
                })
            })
            .collect();
        let results: Vec<_> = self.findings.worst_first().take(RESULTS).map(|finding| self.result(finding)).collect();
        let LevelCounts { error, warning, info } = summary.findings;
        let left_out = (error + warning + info).saturating_sub(results.len() as u64);
        let mut notifications = Vec::new();
        if left_out > 0 {
            let text = format!("{left_out} results are left out, the least important ones: GitHub shows {RESULTS}");
            notifications.push(json!({"level": "warning", "message": {"text": text}}));
        }
        if summary.interrupted {
            notifications.push(json!({"level": "warning", "message": {"text": "interrupted: part of the dataset was not looked at"}}));
        }
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {"name": "walkaround", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules}},
                "invocations": [{"executionSuccessful": !summary.interrupted, "toolExecutionNotifications": notifications}],
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        })
    }
}

impl<W: Write> Sink for Sarif<W> {
    fn begin(&mut self, header: &Header<'_>) -> io::Result<()> {
        self.repository = Repository::new(header);
        Ok(())
    }

    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.dataset(&report.findings)
    }

    fn dataset(&mut self, findings: &[Finding]) -> io::Result<()> {
        self.findings.extend(findings);
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let log = self.log(summary);
        serde_json::to_writer_pretty(&mut self.out, &log)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}
