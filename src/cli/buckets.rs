//! `walkaround buckets`: the bucket table of a dataset, or where bare sizes go.

use std::fs;
use std::io::{self, Read as _, Write};
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::Serialize;
use walkaround::model::{Placement, Size, Unplaced};
use walkaround::sinks::{BucketFormat, BucketOptions, Buckets, Sink};
use walkaround::trainers::Trainer;

use super::args::{BucketsOptions, TableFormat};
use super::exit::Exit;
use super::{check, config, output};

/// Prints the table.
pub(super) fn run(options: &BucketsOptions) -> anyhow::Result<Exit> {
    if let Some(sizes) = &options.sizes {
        return answer(options, sizes);
    }
    let resolved = config::resolve(&options.dataset)?;
    if !resolved.settings.plan.is_chosen {
        bail!("buckets are a trainer's own: name it with --trainer");
    }
    let table = BucketOptions {
        format: match options.format {
            TableFormat::Text => BucketFormat::Text,
            TableFormat::Jsonl => BucketFormat::JsonLines,
            TableFormat::Csv => BucketFormat::Csv,
        },
        verbose: options.dataset.verbose,
        rank_memory: options.rank_memory,
    };
    let file = check::open(options.output.as_deref(), &resolved)?;
    let mut sinks: Vec<Box<dyn Sink>> = vec![match &file {
        Some(file) => Box::new(Buckets::new(file.plain_writer()?, table)),
        None if table.format == BucketFormat::Text => Box::new(Buckets::new(output::terminal(), table)),
        None => Box::new(Buckets::new(output::stdout(), table)),
    }];
    let summary = check::walk(&resolved, &mut sinks, options.dataset.quiet)?;
    drop(sinks);
    if let Some(file) = file {
        file.keep()?;
    }
    // A table is no judgement.
    Ok(if summary.interrupted { Exit::Interrupted } else { Exit::Clean })
}

/// Where a bare size goes: a line of `--sizes --format jsonl`.
#[derive(Debug, Serialize)]
struct Answer {
    size: [u32; 2],
    bucket: Option<[u32; 2]>,
    resized: Option<[u32; 2]>,
    crop: Option<[u32; 2]>,
    error: Option<String>,
    /// The same at the other resolutions, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Self>,
}

impl Answer {
    fn new(trainer: &dyn Trainer, size: Size) -> Self {
        let mut answers = (0..trainer.resolutions().count()).map(|resolution| Self::of(size, trainer.place(size, resolution)));
        let first = answers.next();
        let others = answers.collect();
        let nowhere = || Self::of(size, Err(Unplaced::stops("the trainer has no resolution")));
        Self { others, ..first.unwrap_or_else(nowhere) }
    }

    fn of(size: Size, placed: Result<Placement, Unplaced>) -> Self {
        let sides = |size: Size| [size.width, size.height];
        let (bucket, resized, crop, error) = match placed {
            Ok(Placement { bucket, resized, crop }) => (Some(sides(bucket)), Some(sides(resized)), Some(crop), None),
            Err(unplaced) => (None, None, None, Some(unplaced.error.into_owned())),
        };
        Self { size: sides(size), bucket, resized, crop, error, others: Vec::new() }
    }

    fn cells(&self) -> [String; 5] {
        let pair = |pair: Option<[u32; 2]>, between: &str| pair.map_or_else(String::new, |[a, b]| format!("{a}{between}{b}"));
        [
            pair(Some(self.size), "x"),
            pair(self.bucket, "x"),
            pair(self.resized, "x"),
            pair(self.crop, ","),
            self.error.clone().unwrap_or_default(),
        ]
    }
}

fn answer(options: &BucketsOptions, sizes: &Path) -> anyhow::Result<Exit> {
    let trainer = config::trainer(&options.dataset)?;
    if trainer.about().name == "generic" {
        bail!("buckets are a trainer's own: name it with --trainer");
    }
    let mut text = String::new();
    let name = if sizes.as_os_str() == "-" {
        io::stdin().lock().read_to_string(&mut text).context("failed to read sizes from standard input")?;
        "standard input".to_owned()
    } else {
        fs::File::open(sizes)
            .and_then(|mut file| file.read_to_string(&mut text))
            .with_context(|| format!("failed to read `{}`", sizes.display()))?;
        sizes.display().to_string()
    };
    let mut asked = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Some(size) = parse(line.trim()) else {
            bail!("{name}, line {}: `{}` is no size such as 1024x768", number + 1, line.trim());
        };
        asked.push(size);
    }
    let file = options.output.as_deref().map(|path| output::Output::open(path, &output::Protected::default())).transpose()?;
    let mut out: Box<dyn Write> = match &file {
        Some(file) => Box::new(file.plain_writer()?),
        None => Box::new(output::stdout()),
    };
    let answers = asked.into_iter().map(|size| Answer::new(&*trainer, size));
    match options.format {
        TableFormat::Jsonl => {
            for answer in answers {
                serde_json::to_writer(&mut out, &answer).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
            }
        }
        TableFormat::Csv => {
            let mut writer = csv::Writer::from_writer(&mut out);
            writer.write_record(["size", "bucket", "resized", "crop", "error"]).map_err(io::Error::from)?;
            for answer in answers.flat_map(flat) {
                writer.write_record(answer.cells()).map_err(io::Error::from)?;
            }
            writer.flush()?;
        }
        TableFormat::Text => {
            for answer in answers.flat_map(flat) {
                let [size, bucket, resized, crop, error] = answer.cells();
                if error.is_empty() {
                    writeln!(out, "{size:>11} -> {bucket:>11}  scaled to {resized:>11}, cropped from {crop}")?;
                } else {
                    writeln!(out, "{size:>11} -> {error}")?;
                }
            }
        }
    }
    out.flush()?;
    drop(out);
    if let Some(file) = file {
        file.keep()?;
    }
    Ok(Exit::Clean)
}

fn flat(mut answer: Answer) -> Vec<Answer> {
    let others = std::mem::take(&mut answer.others);
    std::iter::once(answer).chain(others).collect()
}

/// A size such as `1024x768`. No picture has a side of 0.
fn parse(line: &str) -> Option<Size> {
    let (width, height) = line.split_once(['x', 'X'])?;
    let side = |side: &str| side.trim().parse().ok().filter(|&side: &u32| side > 0);
    Some(Size::new(side(width)?, side(height)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_sides_from_one_pixel_on() {
        assert_eq!(parse("1024x768"), Some(Size::new(1024, 768)));
        assert_eq!(parse("1 X 2"), Some(Size::new(1, 2)));
        assert!(["0x5", "12", "axb", "1x2x3", "-1x4", "4294967296x1"].iter().all(|line| parse(line).is_none()));
    }
}
