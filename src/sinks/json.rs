//! The report for machines: one JSON object, or a finding a line.

use std::io::{self, Write};

use super::report::{FindingObject, ReportObject, SettingsObject};
use super::{Header, Sink};
use crate::model::{Finding, SampleReport, Summary};

/// Writes `walkaround.report/1` as one object at the end, since the summary stands at its top.
#[derive(Debug)]
pub struct Json<W> {
    out: W,
    settings: Option<SettingsObject>,
    findings: Vec<FindingObject>,
}

impl<W: Write> Json<W> {
    /// A report that is written to `out`.
    pub fn new(out: W) -> Self {
        Self { out, settings: None, findings: Vec::new() }
    }
}

impl<W: Write> Sink for Json<W> {
    fn begin(&mut self, header: &Header<'_>) -> io::Result<()> {
        self.settings = Some(SettingsObject::new(header));
        Ok(())
    }

    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.dataset(&report.findings)
    }

    fn dataset(&mut self, findings: &[Finding]) -> io::Result<()> {
        self.findings.extend(findings.iter().map(FindingObject::new));
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let Some(settings) = self.settings.take() else { return Ok(()) };
        serde_json::to_writer_pretty(&mut self.out, &ReportObject::new(settings, summary, std::mem::take(&mut self.findings)))?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

/// Writes each finding of `walkaround.report/1` as a line, as soon as it is known.
#[derive(Debug)]
pub struct JsonLines<W> {
    out: W,
}

impl<W: Write> JsonLines<W> {
    /// A report that is written to `out`.
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write> Sink for JsonLines<W> {
    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.dataset(&report.findings)
    }

    fn dataset(&mut self, findings: &[Finding]) -> io::Result<()> {
        for finding in findings {
            serde_json::to_writer(&mut self.out, &FindingObject::new(finding))?;
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.out.flush()
    }
}
