//! `walkaround diff`: what differs between two manifests.

use serde_json::Map;
use walkaround::manifest::{diff, settings_differences};

use super::args::{DiffOptions, PageFormat};
use super::changes::{self, Changes};
use super::exit::Exit;
use super::output;

/// Compares and says what differs.
pub(super) fn run(options: &DiffOptions) -> anyhow::Result<Exit> {
    let (mut old, mut new) = (changes::open(&options.old)?, changes::open(&options.new)?);
    let settings = settings_differences(old.header(), new.header());
    let mut head = Map::new();
    head.insert("schema".to_owned(), "walkaround.diff/1".into());
    head.insert("old".to_owned(), old.name().into());
    head.insert("new".to_owned(), new.name().into());
    head.insert("settings".to_owned(), settings.clone().into());
    let out: Box<dyn std::io::Write> = match options.format {
        PageFormat::Text => Box::new(output::terminal()),
        PageFormat::Json => Box::new(output::stdout()),
    };
    let mut answer = Changes::new(out, options.format, options.quiet, &head)?;
    diff(&mut old, &mut new, |change| answer.write(change))?;
    let is_same = answer.is_same() && settings.is_empty();
    let closing = if is_same {
        let samples = new.summary().map_or(0, |summary| summary.samples);
        format!("nothing differs in {samples} samples: a resumed run is safe")
    } else if settings.is_empty() {
        answer.tally()
    } else {
        format!("{}; settings: {}", answer.tally(), settings.join(", "))
    };
    let mut tail = Map::new();
    tail.insert("same".to_owned(), is_same.into());
    answer.finish(&closing, tail)?;
    Ok(if is_same { Exit::Clean } else { Exit::Findings })
}
