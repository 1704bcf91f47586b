//! Annotations of GitHub Actions: workflow commands on standard output, one a finding, worst first.
//!
//! GitHub shows ten errors, ten warnings and ten notices of a step and drops the rest without a word, so no more are written, and a
//! last one says what was left out. (GitHub Docs, "Workflow commands for GitHub Actions"; limits in the runner's `Constants.cs`.)

use std::io::{self, Write};

use super::kept::Kept;
use super::repository::Repository;
use super::{Header, Sink};
use crate::model::{Finding, Level, LevelCounts, SampleReport, Summary};

/// Annotations of one kind that GitHub shows of a step.
const SHOWN: usize = 10;

/// Writes annotations at the end of a run.
#[derive(Debug)]
pub struct GitHub<W> {
    out: W,
    repository: Repository,
    kept: Kept,
}

impl<W: Write> GitHub<W> {
    /// Annotations that are written to `out`.
    pub fn new(out: W) -> Self {
        Self { out, repository: Repository::default(), kept: Kept::new(SHOWN) }
    }

    fn annotation(&mut self, finding: &Finding) -> io::Result<()> {
        write!(self.out, "::{} ", command(finding.level))?;
        if let Some(path) = finding.paths.first() {
            write!(self.out, "file={},", property(&self.repository.path(path, finding.place)))?;
        }
        if let Some(place) = finding.place {
            write!(self.out, "line={},col={},", place.line, place.column)?;
        }
        let more = match finding.paths.len() {
            0 | 1 => String::new(),
            many => format!(" (and {} more)", many - 1),
        };
        let title = format!("{} {}", finding.code, finding.name);
        writeln!(self.out, "title={}::{}", property(&title), data(&format!("{}{more}; {}", finding.message, finding.help)))
    }
}

impl<W: Write> Sink for GitHub<W> {
    fn begin(&mut self, header: &Header<'_>) -> io::Result<()> {
        self.repository = Repository::new(header);
        Ok(())
    }

    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.dataset(&report.findings)
    }

    fn dataset(&mut self, findings: &[Finding]) -> io::Result<()> {
        self.kept.extend(findings);
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let kept = std::mem::replace(&mut self.kept, Kept::new(SHOWN));
        for finding in kept.worst_first() {
            self.annotation(finding)?;
        }
        let LevelCounts { error, warning, info } = summary.findings;
        writeln!(self.out, "walkaround: {error} errors, {warning} warnings, {info} notes in {} images", summary.samples)?;
        let LevelCounts { error, warning, info } = kept.left_out;
        if error + warning + info > 0 {
            writeln!(self.out, "not annotated, since GitHub shows {SHOWN} of a kind: {error} errors, {warning} warnings, {info} notes")?;
        }
        self.out.flush()
    }
}

fn command(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    }
}

/// The text of a command: percent signs and line ends are escaped (`@actions/core`, `command.ts`).
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command, in which colons and commas are escaped as well.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_begin_another_command() {
        assert_eq!(property("a,b:c\n::error::x"), "a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax");
        assert_eq!(data("100 % of a\r\nb"), "100 %25 of a%0D%0Ab");
    }
}
