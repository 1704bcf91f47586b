//! What trainers will do with the dataset: a line for each where none was chosen, and for the chosen one what it does silently.

use std::io::{self, Write};

use super::super::words::counted;
use super::{BOLD, DIM};
use crate::model::{BucketTable, Outlook, Summary, printable};

/// Writes the section; nothing if no trainer was asked, or there is no sample.
pub(super) fn write(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let Some(first) = summary.outlooks.first().filter(|_| summary.samples > 0) else { return Ok(()) };
    if first.buckets.is_some() {
        summary.outlooks.iter().try_for_each(|outlook| chosen(out, outlook))
    } else {
        every(out, &summary.outlooks)
    }
}

/// A line for each trainer at its own defaults.
fn every(out: &mut impl Write, outlooks: &[Outlook]) -> io::Result<()> {
    writeln!(out, "{BOLD}by trainer{BOLD:#}  {DIM}at their own defaults; --trainer NAME says more{DIM:#}")?;
    let widest = outlooks.iter().map(|outlook| outlook.trainer.len()).max().unwrap_or(0);
    for outlook in outlooks {
        writeln!(out, "  {:widest$}  {}", outlook.trainer, counts(outlook))?;
    }
    writeln!(out)
}

/// What the chosen trainer does with one dataset.
fn chosen(out: &mut impl Write, outlook: &Outlook) -> io::Result<()> {
    let place = if outlook.folder.is_empty() { String::new() } else { format!(" with {}", printable(&outlook.folder)) };
    writeln!(out, "{BOLD}{}{BOLD:#}{place}  {DIM}as of {}{DIM:#}  {}", outlook.trainer, outlook.version, counts(outlook))?;
    if let Some(table) = &outlook.buckets {
        writeln!(out, "  {}", batches(table))?;
    }
    if !outlook.silent.is_empty() {
        writeln!(out, "  without a word:")?;
    }
    for act in &outlook.silent {
        let (one, several) = act.what.words();
        let words = if act.samples == 1 { one } else { several };
        let example = printable(act.example.as_str());
        match act.samples {
            1 => writeln!(out, "    1 image {words}: {example}")?,
            many => writeln!(out, "    {many} images {words}, such as {example}")?,
        }
    }
    writeln!(out)
}

fn counts(outlook: &Outlook) -> String {
    let trained = outlook.train + outlook.distort;
    let mut parts = vec![match outlook.distort {
        0 => format!("{trained} train"),
        distorted => format!("{trained} train, {distorted} of them not as they look"),
    }];
    let stop = if outlook.stop == 1 { "stops the run" } else { "stop the run" };
    let others = [(outlook.skip, "skipped"), (outlook.replace, "replaced"), (outlook.stop, stop)];
    parts.extend(others.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    parts.join(", ")
}

fn batches(table: &BucketTable) -> String {
    let left_out = match (table.dropped(), table.rotates) {
        (0, _) => String::new(),
        (dropped, true) => format!("; {dropped} left out of each, others every time"),
        (dropped, false) => format!("; {dropped} never trained on"),
    };
    format!(
        "{}, {} of {}, {} an epoch{left_out}",
        counted(table.buckets.len() as u64, "bucket"),
        counted(table.batches(), "batch"),
        table.batch_size,
        counted(table.steps, "step"),
    )
}
