//! `JUnit` XML, as build servers read it: each check is a test case that fails if it found something above a note.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::Sink;
use crate::model::{Finding, Level, RelPath, SampleReport, Summary};

/// Files that a test case lists.
const LISTED: usize = 100;

/// Writes the report at the end of a run.
#[derive(Debug)]
pub struct JUnit<W> {
    out: W,
    /// The checks that were run: code and name.
    checks: Vec<(&'static str, &'static str)>,
    found: BTreeMap<&'static str, Found>,
}

/// What one check found.
#[derive(Debug, Default)]
struct Found {
    worst: Option<Level>,
    findings: usize,
    lines: Vec<String>,
}

impl<W: Write> JUnit<W> {
    /// A report that is written to `out`, with a test case for each of these checks, by code and name.
    pub fn new(out: W, checks: Vec<(&'static str, &'static str)>) -> Self {
        Self { out, checks, found: BTreeMap::new() }
    }
}

impl<W: Write> Sink for JUnit<W> {
    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.dataset(&report.findings)
    }

    fn dataset(&mut self, findings: &[Finding]) -> io::Result<()> {
        for finding in findings {
            let found = self.found.entry(finding.code.0).or_default();
            found.worst = found.worst.max(Some(finding.level));
            found.findings += 1;
            if found.lines.len() < LISTED {
                let paths: Vec<_> = finding.paths.iter().take(LISTED).map(RelPath::printable).collect();
                found.lines.push(format!("{}: {}", paths.join(", "), finding.message));
            }
        }
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let mut suite = TestSuite::new("walkaround");
        for (code, name) in &self.checks {
            let status = match self.found.get(code) {
                Some(found) if found.worst > Some(Level::Info) => {
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    let mut text = found.lines.join("\n");
                    if let Some(more) = found.findings.checked_sub(found.lines.len()).filter(|&more| more > 0) {
                        let _ = write!(text, "\n... and {more} more");
                    }
                    let level = found.worst.map_or("", Level::name);
                    status.set_type(level);
                    status.set_message(format!("{} findings, the worst of level {level}", found.findings));
                    status.set_description(text);
                    status
                }
                Some(_) | None => TestCaseStatus::success(),
            };
            let mut case = TestCase::new(format!("{code} {name}"), status);
            case.set_classname("walkaround");
            suite.add_test_case(case);
        }
        if summary.interrupted {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message("interrupted: part of the dataset was not looked at");
            suite.add_test_case(TestCase::new("run", status));
        }
        let mut report = Report::new("walkaround");
        report.add_test_suite(suite);
        report.serialize(&mut self.out).map_err(io::Error::other)?;
        self.out.flush()
    }
}
