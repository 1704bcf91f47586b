//! The manifest as CSV, streamed: a row a sample, without header and summary. For spreadsheets and data frames; only the JSON
//! lines can be read back.

use std::io::{self, Write};

use super::spreadsheet::harmless;
use super::{Header, Sink};
use crate::manifest::{COLUMNS, Cell, SampleLine};
use crate::model::{SampleReport, Summary};

/// Writes the manifest's columns, a row as soon as a sample is known.
#[derive(Debug)]
pub struct ManifestCsv<W: Write> {
    out: csv::Writer<W>,
    caption_text: bool,
}

impl<W: Write> ManifestCsv<W> {
    /// A table that is written to `out`, with the captions' text if asked.
    pub fn new(out: W, caption_text: bool) -> Self {
        Self { out: csv::Writer::from_writer(out), caption_text }
    }
}

impl<W: Write> Sink for ManifestCsv<W> {
    fn begin(&mut self, _: &Header<'_>) -> io::Result<()> {
        Ok(self.out.write_record(COLUMNS.iter().map(|column| column.name))?)
    }

    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        let line = SampleLine::new(report, self.caption_text);
        Ok(self.out.write_record(COLUMNS.iter().map(|column| field((column.cell)(&line))))?)
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.out.flush()
    }
}

fn field(cell: Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Text(text) => harmless(text),
        Cell::Integer(number) => number.to_string(),
        Cell::Float(number) => number.to_string(),
        Cell::Bool(is) => is.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_becomes_text_and_a_number_stays_one() {
        for (cell, wanted) in [
            (Cell::from("=HYPERLINK(1)"), "'=HYPERLINK(1)"),
            (Cell::from("@a.png"), "'@a.png"),
            (Cell::from("a=b"), "a=b"),
            (Cell::Float(-0.5), "-0.5"),
            (Cell::Null, ""),
        ] {
            assert_eq!(field(cell), wanted);
        }
    }
}
