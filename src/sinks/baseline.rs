//! The baseline: all findings of a run above notes, to be quiet about until their files change.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Sink;
use crate::model::{ContentHash, Finding, Level, RelPath, SampleReport, Summary};
use crate::settings::{Baseline as Entries, Known, Subject};

/// Why an entry is accepted, until somebody writes a better reason.
const REASON: &str = "known when the baseline was written";

/// Writes a baseline at the end of a run.
#[derive(Debug)]
pub struct Baseline<W> {
    out: W,
    /// The baseline that was in force: its reasons and last days are kept for what is still found.
    before: Entries,
    contents: BTreeMap<RelPath, ContentHash>,
    entries: Entries,
}

impl<W: Write> Baseline<W> {
    /// A baseline that is written to `out`, after the one that was in force.
    pub fn new(out: W, before: Entries) -> Self {
        Self { out, before, contents: BTreeMap::new(), entries: Entries::default() }
    }

    fn add(&mut self, finding: &Finding, subject: Subject, path: &str) {
        let key = (finding.code.0.to_owned(), subject);
        let fresh = || Known { path: String::new(), reason: REASON.to_owned(), expires: None };
        let before = self.before.entries.get(&key).cloned().unwrap_or_else(fresh);
        self.entries.entries.insert(key, Known { path: path.to_owned(), ..before });
    }
}

impl<W: Write> Sink for Baseline<W> {
    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.contents.extend(report.contents().map(|(path, hash)| (path.clone(), hash)));
        self.dataset(&report.findings)
    }

    fn dataset(&mut self, findings: &[Finding]) -> io::Result<()> {
        for finding in findings.iter().filter(|finding| finding.level > Level::Info) {
            if finding.paths.is_empty() {
                self.add(finding, Subject::Dataset, "");
            }
            for path in &finding.paths {
                self.add(finding, Subject::of(path, self.contents.get(path).copied()), path.as_str());
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.out.write_all(self.entries.to_toml().as_bytes())?;
        self.out.flush()
    }
}
