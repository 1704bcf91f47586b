//! `walkaround verify`: whether a dataset still is what a manifest says.

use serde_json::{Map, json};
use walkaround::pipeline::{self, Revisit, Watch};

use super::args::{PageFormat, VerifyOptions};
use super::changes::{self, Changes};
use super::exit::Exit;
use super::progress::Progress;
use super::{interrupt, output};

/// Compares and says what differs.
pub(super) fn run(options: &VerifyOptions) -> anyhow::Result<Exit> {
    let mut manifest = changes::open(&options.manifest)?;
    let listed = if Revisit::needs_paths(manifest.header()) { changes::paths(&options.manifest)? } else { Vec::new() };
    let mut revisit = Revisit::new(manifest.header(), options.root.as_deref(), &listed)?;
    if let Some(threads) = options.threads {
        revisit.settings.threads = threads;
    }
    let cancel = interrupt::listen()?;
    let progress = Progress::new(options.quiet);
    let watch: &dyn Watch = match &progress {
        Some(progress) => progress,
        None => &(),
    };
    let found = pipeline::verify(&mut manifest, &revisit, options.full, watch, &cancel)?;
    drop(progress);

    let mut head = Map::new();
    head.insert("schema".to_owned(), "walkaround.verify/1".into());
    head.insert("manifest".to_owned(), manifest.name().into());
    head.insert("full".to_owned(), options.full.into());
    let out: Box<dyn std::io::Write> = match options.format {
        PageFormat::Text => Box::new(output::terminal()),
        PageFormat::Json => Box::new(output::stdout()),
    };
    let mut answer = Changes::new(out, options.format, options.quiet, &head)?;
    found.changes.iter().try_for_each(|change| answer.write(change))?;
    let is_same = answer.is_same() && !found.interrupted;
    let recorded = manifest.summary().map(|summary| summary.fingerprint.clone());
    let closing = if found.interrupted {
        format!("interrupted; of what was looked at, {}", answer.tally())
    } else if is_same {
        let dates = match answer.touched() {
            0 => String::new(),
            touched => format!(" ({touched} with another date)"),
        };
        let looked = if options.full { "every file was read" } else { "files of the same size and date were not read; --full reads them" };
        format!("the dataset is as the manifest says: {} samples{dates}, fingerprint {}; {looked}", found.samples, found.fingerprint)
    } else {
        format!("{}; fingerprint {}, was {}", answer.tally(), found.fingerprint, recorded.as_deref().unwrap_or("unknown"))
    };
    let mut tail = Map::new();
    tail.insert("same".to_owned(), is_same.into());
    tail.insert("samples".to_owned(), found.samples.into());
    tail.insert("interrupted".to_owned(), found.interrupted.into());
    tail.insert("fingerprint".to_owned(), json!({"manifest": recorded, "dataset": (!found.interrupted).then_some(found.fingerprint)}));
    answer.finish(&closing, tail)?;
    Ok(match (found.interrupted, is_same) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Clean,
        (false, false) => Exit::Findings,
    })
}
