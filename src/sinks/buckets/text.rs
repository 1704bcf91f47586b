//! The bucket table for a person: a line with a bar for each bucket, and what takes the most memory.

use std::cmp::Reverse;
use std::io::{self, Write};

use anstyle::Style;

use super::super::words::{counted, megapixels};
use super::{BucketOptions, Names};
use crate::model::{Bucket, BucketTable, printable};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Columns of the longest bar.
const BAR: u64 = 24;

/// Names that stand for a longer list.
const LISTED: usize = 4;

/// Writes one table.
pub(super) fn write(out: &mut impl Write, table: &BucketTable, names: Names<'_>, options: BucketOptions) -> io::Result<()> {
    let place = if table.folder.is_empty() { String::new() } else { format!(" {}", printable(&table.folder)) };
    writeln!(out, "{BOLD}{}{BOLD:#}{place}  {DIM}batches of {}{DIM:#}", table.trainer, table.batch_size)?;
    if table.buckets.is_empty() {
        writeln!(out, "  no image has a bucket")?;
    } else if options.rank_memory {
        rank(out, table, names, options.verbose)?;
    } else {
        rows(out, table, names, options.verbose)?;
        peak(out, table, names)?;
    }
    unplaced(out, table, names, options.verbose)?;
    writeln!(out)
}

fn rows(out: &mut impl Write, table: &BucketTable, names: Names<'_>, verbose: bool) -> io::Result<()> {
    let most = table.buckets.iter().map(|bucket| bucket.taken).max().unwrap_or(0).max(1);
    writeln!(
        out,
        "  {DIM}{:>11} {:>8} {:>7} {:>7} {:>8} {:>6} {:>7}{DIM:#}",
        "bucket", "MP", "images", "batches", "left out", "crop", "scale"
    )?;
    for bucket in &table.buckets {
        let bar = "#".repeat(usize::try_from((bucket.taken * BAR).div_ceil(most)).unwrap_or(0));
        write!(
            out,
            "  {:>11} {:>8.2} {:>7} {:>7} {:>8} {:>4.0} % {:>6.2}x  {bar}",
            bucket.size.to_string(),
            megapixels(bucket.size.pixels()),
            bucket.taken,
            bucket.batches,
            bucket.dropped,
            bucket.largest_crop() * 100.0,
            bucket.largest_scale(),
        )?;
        writeln!(out, "{}", remark(bucket))?;
        if verbose {
            for member in &bucket.members {
                writeln!(out, "      {DIM}{} as{DIM:#} {}", member.size, printable(names.of(member.sample)))?;
            }
        }
    }
    writeln!(out, "  {}, {} steps an epoch, {} images left out", counted(table.batches(), "batch"), table.steps, table.dropped())
}

fn remark(bucket: &Bucket) -> &'static str {
    if bucket.stops {
        "  too small: the run stops"
    } else if bucket.has_vanished() {
        "  never trained on"
    } else if bucket.size.short_side() == 0 {
        "  no pixels"
    } else {
        ""
    }
}

/// The bucket that decides how much memory is needed.
fn peak(out: &mut impl Write, table: &BucketTable, names: Names<'_>) -> io::Result<()> {
    let trained = table.buckets.iter().filter(|bucket| bucket.batches > 0);
    let Some(largest) = trained.max_by_key(|bucket| memory(table, bucket)) else { return Ok(()) };
    writeln!(
        out,
        "  memory peak: {} ({:.2} MP in a batch), {}",
        largest.size,
        megapixels(memory(table, largest)),
        listed(largest.members.iter().map(|member| names.of(member.sample)))
    )
}

/// Buckets by the pixels of a batch, with what the peak falls to without each and those above it.
fn rank(out: &mut impl Write, table: &BucketTable, names: Names<'_>, verbose: bool) -> io::Result<()> {
    let mut ranked: Vec<&Bucket> = table.buckets.iter().filter(|bucket| bucket.batches > 0).collect();
    ranked.sort_by_key(|bucket| (Reverse(memory(table, bucket)), Reverse(bucket.size.width)));
    let peak = ranked.first().map_or(0, |bucket| memory(table, bucket));
    writeln!(out, "  {DIM}{:>11} {:>12} {:>7}  without it and those above{DIM:#}", "bucket", "MP a batch", "images")?;
    for (at, bucket) in ranked.iter().enumerate() {
        let left = ranked.get(at + 1).map_or(0, |next| memory(table, next));
        let saved = if peak == 0 { 0.0 } else { 100.0 - megapixels(left) / megapixels(peak) * 100.0 };
        let members = bucket.members.iter().map(|member| names.of(member.sample));
        let paths = if verbose { members.map(|name| printable(name).into_owned()).collect::<Vec<_>>().join(", ") } else { listed(members) };
        writeln!(
            out,
            "  {:>11} {:>12.2} {:>7}  peak {:.2} MP, {saved:.0} % less: {paths}",
            bucket.size.to_string(),
            megapixels(memory(table, bucket)),
            bucket.taken,
            megapixels(left),
        )?;
    }
    Ok(())
}

/// Pixels of the largest batch of a bucket.
fn memory(table: &BucketTable, bucket: &Bucket) -> u64 {
    let fills = bucket.filled > 0 || bucket.taken >= table.batch_size.into();
    bucket.size.pixels().saturating_mul(if fills { table.batch_size.into() } else { bucket.taken })
}

fn unplaced(out: &mut impl Write, table: &BucketTable, names: Names<'_>, verbose: bool) -> io::Result<()> {
    if table.unplaced.is_empty() {
        return Ok(());
    }
    writeln!(out, "  without a bucket: {}", table.unplaced.len())?;
    let limit = if verbose { usize::MAX } else { LISTED };
    for (sample, unplaced) in table.unplaced.iter().take(limit) {
        writeln!(out, "    {}: {}", printable(names.of(*sample)), printable(&unplaced.error))?;
    }
    match table.unplaced.len().saturating_sub(limit) {
        0 => Ok(()),
        more => writeln!(out, "    {DIM}... and {more} more; -v lists all{DIM:#}"),
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<_> = names.map(printable).collect();
    let shown = all.iter().take(LISTED).map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    match all.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
