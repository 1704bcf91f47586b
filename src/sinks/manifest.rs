//! The manifest as JSON lines, streamed.

use std::io::{self, Write};

use super::{Header, Sink, TOOL};
use crate::manifest::{HeaderLine, Line, SampleLine, SummaryLine};
use crate::model::{Finding, SampleReport, Summary};

/// Writes `walkaround.manifest/1`, a line as soon as a sample is known.
#[derive(Debug)]
pub struct Manifest<W> {
    out: W,
    caption_text: bool,
}

impl<W: Write> Manifest<W> {
    /// A manifest that is written to `out`, with the captions' text if asked.
    pub fn new(out: W, caption_text: bool) -> Self {
        Self { out, caption_text }
    }

    fn line(&mut self, line: &Line) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        self.out.write_all(b"\n")
    }
}

impl<W: Write> Sink for Manifest<W> {
    fn begin(&mut self, header: &Header<'_>) -> io::Result<()> {
        self.line(&Line::Header(HeaderLine::new(TOOL, header.inventory, header.profile)))
    }

    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.line(&Line::Sample(Box::new(SampleLine::new(report, self.caption_text))))
    }

    fn dataset(&mut self, _: &[Finding]) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.line(&Line::Summary(SummaryLine::new(summary)))?;
        self.out.flush()
    }
}
