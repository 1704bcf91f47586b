//! The bucket table of a dataset, as text, JSON lines or CSV. Other reports of the run are left to other sinks.

mod lines;
mod text;

use std::io::{self, Write};

use super::{Header, Sink};
use crate::model::{BucketTable, RelPath, SampleIndex, Summary};

/// How the table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketFormat {
    /// For a person.
    Text,
    /// A JSON object for each bucket, with the paths of its samples.
    JsonLines,
    /// A line for each bucket, with a heading.
    Csv,
}

/// What of it is written.
#[derive(Clone, Copy, Debug)]
pub struct BucketOptions {
    /// How.
    pub format: BucketFormat,
    /// Whether the text lists every sample.
    pub verbose: bool,
    /// Whether buckets are ranked by the memory that a batch of them takes, instead of by area.
    pub rank_memory: bool,
}

/// Writes the bucket tables at the end of a run.
#[derive(Debug)]
pub struct Buckets<W> {
    out: W,
    options: BucketOptions,
    paths: Vec<RelPath>,
}

impl<W: Write> Buckets<W> {
    /// Tables that are written to `out`.
    pub fn new(out: W, options: BucketOptions) -> Self {
        Self { out, options, paths: Vec::new() }
    }
}

impl<W: Write> Sink for Buckets<W> {
    fn begin(&mut self, header: &Header<'_>) -> io::Result<()> {
        self.paths = header.inventory.samples.iter().map(|sample| sample.path.clone()).collect();
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let tables: Vec<&BucketTable> = summary.outlooks.iter().filter_map(|outlook| outlook.buckets.as_ref()).collect();
        let names = Names(&self.paths);
        match self.options.format {
            BucketFormat::Text => tables.iter().try_for_each(|table| text::write(&mut self.out, table, names, self.options))?,
            BucketFormat::JsonLines => tables.iter().try_for_each(|table| lines::json(&mut self.out, table, names))?,
            BucketFormat::Csv => lines::csv(&mut self.out, &tables, names)?,
        }
        self.out.flush()
    }
}

/// Paths of samples by their number.
#[derive(Clone, Copy)]
struct Names<'a>(&'a [RelPath]);

impl<'a> Names<'a> {
    fn of(self, sample: SampleIndex) -> &'a str {
        self.0.get(sample.0 as usize).map_or("", RelPath::as_str)
    }
}
