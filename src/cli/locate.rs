//! `walkaround locate`: which samples a training step holds, as far as that can be proved.

use std::io::{self, Write};

use anyhow::bail;
use serde::Serialize;
use walkaround::model::{Bucket, BucketTable, Member, RelPath, SampleIndex, Summary, printable};
use walkaround::sinks::{Header, Sink};
use walkaround::trainers::order::{KohyaDataset, KohyaOrder, Loader, Located, OneTrainerOrder};

use super::args::{LocateOptions, PageFormat};
use super::exit::Exit;
use super::{check, config, output};

/// Prints the samples of a step.
pub(super) fn run(options: &LocateOptions) -> anyhow::Result<Exit> {
    let resolved = config::resolve(&options.dataset)?;
    if !resolved.settings.plan.is_chosen {
        bail!("the order is a trainer's own: name it with --trainer or --config");
    }
    let mut tables = Tables::default();
    let summary = check::walk(&resolved, &mut [Box::new(&mut tables)], options.dataset.quiet)?;
    if summary.interrupted {
        return Ok(Exit::Interrupted);
    }
    let trainer = resolved.settings.profile.trainer;
    let located = match trainer {
        "kohya" => kohya(options, &tables.tables),
        "onetrainer" => onetrainer(options, &tables.tables),
        "diffusion-pipe" => Located::Unknown(
            "its order follows from the names and numbers of all files in its cache and from `grouping_keys.json`, which are not read here",
        ),
        "musubi" => Located::Unknown("it begins with the order in which the file system lists the cache, which differs between machines"),
        "ai-toolkit" => Located::Unknown("it lists files in the file system's order and shuffles with a generator that the model shares"),
        "simpletuner" => Located::Unknown("it draws from a generator that everything else in the process shares"),
        _ => Located::Unknown("files come in the file system's order, and are shuffled with a generator that the model shares"),
    };
    let answer = Answer::new(trainer, options.step, &located, &tables.paths);
    let mut out = output::stdout();
    match options.format {
        PageFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &answer).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        PageFormat::Text => text(&mut out, &answer)?,
    }
    out.flush()?;
    Ok(Exit::Clean)
}

/// sd-scripts: batches follow from the seed; which of them comes when, only from the seed of the sampler.
fn kohya(options: &LocateOptions, tables: &[BucketTable]) -> Located {
    let Some(seed) = options.seed else {
        return Located::Unknown("without --seed sd-scripts seeds itself differently in each run; give the seed of the run");
    };
    let loader = Loader { workers: options.workers, persistent: options.persistent_workers };
    let datasets = tables.iter().map(|table| KohyaDataset { buckets: by_size(table), batch_size: table.batch_size }).collect();
    KohyaOrder::new(datasets, KohyaOrder::dataset_seed(seed), loader).locate(options.step, options.accumulation, options.sampler_seed)
}

/// `OneTrainer`: everything follows from the place of one module, which has to be told.
fn onetrainer(options: &LocateOptions, tables: &[BucketTable]) -> Located {
    let mut first_seen: Vec<&Bucket> = tables.iter().flat_map(|table| &table.buckets).collect();
    first_seen.sort_by_key(|bucket| bucket.members.iter().map(|member| member.sample).min());
    let order = OneTrainerOrder {
        buckets: first_seen.iter().map(|bucket| taken(bucket)).collect(),
        batch_size: tables.first().map_or(1, |table| table.whole),
        module: options.module,
    };
    order.locate(options.step, options.accumulation)
}

/// The samples of each bucket, as often as they are taken, buckets by width and height.
fn by_size(table: &BucketTable) -> Vec<Vec<SampleIndex>> {
    let mut buckets: Vec<&Bucket> = table.buckets.iter().collect();
    buckets.sort_by_key(|bucket| bucket.size);
    buckets.into_iter().map(taken).collect()
}

fn taken(bucket: &Bucket) -> Vec<SampleIndex> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "repeats are small, and it saturates")]
    let often = |member: &Member| std::iter::repeat_n(member.sample, member.repeats.max(0.0) as usize);
    bucket.members.iter().flat_map(often).collect()
}

/// Keeps the bucket tables of a run, and the paths.
#[derive(Debug, Default)]
struct Tables {
    paths: Vec<RelPath>,
    tables: Vec<BucketTable>,
}

impl Sink for &mut Tables {
    fn begin(&mut self, header: &Header<'_>) -> io::Result<()> {
        self.paths = header.inventory.samples.iter().map(|sample| sample.path.clone()).collect();
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.tables = summary.outlooks.iter().filter_map(|outlook| outlook.buckets.clone()).collect();
        Ok(())
    }
}

/// What is known of a step.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    trainer: &'static str,
    step: u64,
    /// `exact`, `among` (the step holds `count` of these batches), or `unknown`.
    known: &'static str,
    count: usize,
    why: Option<&'static str>,
    batches: Vec<Vec<&'a str>>,
}

impl<'a> Answer<'a> {
    fn new(trainer: &'static str, step: u64, located: &Located, paths: &'a [RelPath]) -> Self {
        let named = |batches: &[Vec<SampleIndex>]| {
            let name = |sample: &SampleIndex| paths.get(sample.0 as usize).map_or("", RelPath::as_str);
            batches.iter().map(|batch| batch.iter().map(name).collect()).collect::<Vec<Vec<&str>>>()
        };
        let (known, count, why, batches) = match located {
            Located::Exact(batches) => ("exact", batches.len(), None, named(batches)),
            Located::Among { count, batches, why } => ("among", *count, Some(*why), named(batches)),
            Located::Unknown(why) => ("unknown", 0, Some(*why), Vec::new()),
        };
        Self { trainer, step, known, count, why, batches }
    }
}

fn text(out: &mut impl Write, answer: &Answer<'_>) -> io::Result<()> {
    let Answer { trainer, step, count, batches, .. } = answer;
    match answer.why {
        None => writeln!(out, "step {step} of {trainer} holds")?,
        Some(why) if batches.is_empty() => return writeln!(out, "what step {step} of {trainer} holds cannot be known: {why}"),
        Some(why) => writeln!(out, "step {step} of {trainer} holds {count} of these {} batches: {why}", batches.len())?,
    }
    for batch in batches {
        let names: Vec<_> = batch.iter().map(|name| printable(name)).collect();
        writeln!(out, "  {}", names.join(", "))?;
    }
    Ok(())
}
