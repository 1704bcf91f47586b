//! The manifest as JSON lines, streamed.

use std::io::{self, Write};

use super::{Header, Sink, TOOL};
use crate::manifest::{HeaderLine, InputLine, Line, SampleLine, SummaryLine, WalkLine};
use crate::model::{SampleReport, Summary};
use crate::settings::Settings;

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
        self.line(&header_line(header))
    }

    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.line(&Line::Sample(Box::new(SampleLine::new(report, self.caption_text))))
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.line(&Line::Summary(SummaryLine::new(summary)))?;
        self.out.flush()
    }
}

/// The first line of a run.
pub(super) fn header_line(header: &Header<'_>) -> Line {
    Line::Header(HeaderLine::new(TOOL, header.inventory, header.profile, walk(header.settings)))
}

/// What it takes to walk the same again.
fn walk(settings: &Settings) -> WalkLine {
    WalkLine {
        inputs: settings.inputs.iter().map(|input| InputLine { path: input.name().as_str().to_owned(), list: input.is_list() }).collect(),
        follow_links: settings.walk.follow_links,
        hidden: settings.walk.hidden,
    }
}
