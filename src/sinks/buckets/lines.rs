//! The bucket table for machines: JSON lines and CSV.

use std::io::{self, Write};

use serde::Serialize;

use super::super::spreadsheet::harmless;
use super::Names;
use crate::model::{Bucket, BucketTable};

/// A bucket, or what has none.
#[derive(Debug, Serialize)]
struct BucketLine<'a> {
    trainer: &'static str,
    /// The dataset's folder; empty for a single one.
    folder: &'a str,
    /// Width and height; null for samples that have no bucket.
    bucket: Option<[u32; 2]>,
    /// Number of the resolution, from 0.
    resolution: usize,
    pixels: u64,
    /// Different images.
    images: usize,
    /// Images in a pass, repeats counted.
    taken: u64,
    batch_size: u32,
    batches: u64,
    /// Images of a pass that fill no batch and are left out.
    dropped: u64,
    /// Images that are taken again to fill the last batch.
    filled: u64,
    /// Whether the run stops because the bucket is too small.
    stops: bool,
    /// Largest share that is cut away from one of them, 0 to 1.
    largest_crop: f64,
    /// Largest factor that one of them is scaled by.
    largest_scale: f64,
    /// What the trainer raises for samples that have no bucket.
    error: Option<&'a str>,
    paths: Vec<&'a str>,
}

impl<'a> BucketLine<'a> {
    fn new(table: &'a BucketTable, bucket: &Bucket, names: Names<'a>) -> Self {
        Self {
            trainer: table.trainer,
            folder: &table.folder,
            bucket: Some([bucket.size.width, bucket.size.height]),
            resolution: bucket.resolution,
            pixels: bucket.size.pixels(),
            images: bucket.members.len(),
            taken: bucket.taken,
            batch_size: table.batch_size,
            batches: bucket.batches,
            dropped: bucket.dropped,
            filled: bucket.filled,
            stops: bucket.stops,
            largest_crop: rounded(bucket.largest_crop()),
            largest_scale: rounded(bucket.largest_scale()),
            error: None,
            paths: bucket.members.iter().map(|member| names.of(member.sample)).collect(),
        }
    }

    /// The samples of a table that have no bucket for the same reason.
    fn unplaced(table: &'a BucketTable, error: &'a str, names: Names<'a>) -> Self {
        let paths: Vec<&str> =
            table.unplaced.iter().filter(|(_, unplaced)| unplaced.error == error).map(|(sample, _)| names.of(*sample)).collect();
        Self {
            trainer: table.trainer,
            folder: &table.folder,
            bucket: None,
            resolution: 0,
            pixels: 0,
            images: paths.len(),
            taken: 0,
            batch_size: table.batch_size,
            batches: 0,
            dropped: 0,
            filled: 0,
            stops: false,
            largest_crop: 0.0,
            largest_scale: 0.0,
            error: Some(error),
            paths,
        }
    }
}

/// Four decimals are more than anybody needs, and look the same everywhere.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn all<'a>(table: &'a BucketTable, names: Names<'a>) -> Vec<BucketLine<'a>> {
    let mut errors: Vec<&str> = table.unplaced.iter().map(|(_, unplaced)| &*unplaced.error).collect();
    errors.sort_unstable();
    errors.dedup();
    let buckets = table.buckets.iter().map(|bucket| BucketLine::new(table, bucket, names));
    buckets.chain(errors.into_iter().map(|error| BucketLine::unplaced(table, error, names))).collect()
}

/// Writes a line for each bucket, largest first, and one for each reason why samples have none.
pub(super) fn json(out: &mut impl Write, table: &BucketTable, names: Names<'_>) -> io::Result<()> {
    for line in all(table, names) {
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes all tables under one heading.
pub(super) fn csv(out: &mut impl Write, tables: &[&BucketTable], names: Names<'_>) -> io::Result<()> {
    const HEADING: [&str; 15] = [
        "trainer",
        "folder",
        "width",
        "height",
        "resolution",
        "images",
        "taken",
        "batch_size",
        "batches",
        "dropped",
        "filled",
        "stops",
        "largest_crop",
        "largest_scale",
        "error",
    ];
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(HEADING)?;
    for line in tables.iter().flat_map(|table| all(table, names)) {
        let [width, height] = line.bucket.map_or([String::new(), String::new()], |sides| sides.map(|side| side.to_string()));
        writer.write_record([
            line.trainer.to_owned(),
            harmless(line.folder.to_owned()),
            width,
            height,
            line.resolution.to_string(),
            line.images.to_string(),
            line.taken.to_string(),
            line.batch_size.to_string(),
            line.batches.to_string(),
            line.dropped.to_string(),
            line.filled.to_string(),
            line.stops.to_string(),
            line.largest_crop.to_string(),
            line.largest_scale.to_string(),
            harmless(line.error.unwrap_or_default().to_owned()),
        ])?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn a_folder_is_no_formula() {
        assert_eq!(["=1+1", "-a", "a=b"].map(str::to_owned).map(harmless), ["'=1+1", "'-a", "a=b"]);
    }
}
