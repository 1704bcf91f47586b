//! How `verify` and `diff` print what became of samples: a line each, or one JSON object.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Map, Value};
use walkaround::manifest::{Change, ChangeKind, ReadError, Reader, SampleLine};
use walkaround::model::printable;

use super::args::PageFormat;

/// Opens a manifest and reads its header.
pub(super) fn open(path: &Path) -> anyhow::Result<Reader<BufReader<File>>> {
    let name = printable(&path.to_string_lossy()).into_owned();
    let file = File::open(path).with_context(|| format!("failed to open the manifest `{name}`"))?;
    Ok(Reader::new(name, BufReader::new(file))?)
}

/// The paths of all samples of a manifest.
pub(super) fn paths(manifest: &Path) -> anyhow::Result<Vec<String>> {
    let path = |line: Result<SampleLine, ReadError>| line.map(|line| line.path);
    Ok(open(manifest)?.map(path).collect::<Result<_, _>>()?)
}

/// Writes changes as they come, and counts them.
pub(super) struct Changes<W> {
    out: W,
    format: PageFormat,
    quiet: bool,
    counts: BTreeMap<ChangeKind, u64>,
}

impl<W: Write> Changes<W> {
    /// Begins an answer; `head` is what the JSON object says before its changes.
    pub(super) fn new(mut out: W, format: PageFormat, quiet: bool, head: &Map<String, Value>) -> io::Result<Self> {
        if format == PageFormat::Json {
            let head = serde_json::to_string(head)?;
            write!(out, "{},\"changes\":[", head.strip_suffix('}').unwrap_or(&head))?;
        }
        Ok(Self { out, format, quiet, counts: BTreeMap::new() })
    }

    /// One change.
    pub(super) fn write(&mut self, change: &Change) -> io::Result<()> {
        match self.format {
            PageFormat::Json => {
                self.out.write_all(if self.counts.is_empty() { b"\n" } else { b",\n" })?;
                serde_json::to_writer(&mut self.out, change)?;
            }
            // Dates are no part of a dataset, and after a copy those of all files differ: their number is enough.
            PageFormat::Text if self.quiet || !change.change.counts() => {}
            PageFormat::Text => {
                write!(self.out, "{:<10} {}", change.change.name(), printable(&change.path))?;
                if let Some(was) = &change.was {
                    write!(self.out, ", was {}", printable(was))?;
                }
                if !change.details.is_empty() {
                    write!(self.out, ": {}", printable(&change.details.join(", ")))?;
                }
                self.out.write_all(b"\n")?;
            }
        }
        *self.counts.entry(change.change).or_default() += 1;
        Ok(())
    }

    /// Whether nothing has changed that makes it another dataset.
    pub(super) fn is_same(&self) -> bool {
        !self.counts.keys().any(|kind| kind.counts())
    }

    /// Samples of which only the date is another one.
    pub(super) fn touched(&self) -> u64 {
        self.counts.get(&ChangeKind::Touched).copied().unwrap_or(0)
    }

    /// What changed how often, such as `3 samples differ: 1 missing, 2 new`.
    pub(super) fn tally(&self) -> String {
        let counting = || self.counts.iter().filter(|(kind, _)| kind.counts());
        let total: u64 = counting().map(|(_, count)| count).sum();
        let parts: Vec<String> = counting().map(|(kind, count)| format!("{count} {}", kind.name())).collect();
        let (noun, verb) = if total == 1 { ("sample", "differs") } else { ("samples", "differ") };
        if parts.is_empty() { "no sample differs".to_owned() } else { format!("{total} {noun} {verb}: {}", parts.join(", ")) }
    }

    /// Ends the answer: with this line in text, with these fields in JSON.
    pub(super) fn finish(mut self, closing: &str, mut tail: Map<String, Value>) -> io::Result<()> {
        match self.format {
            PageFormat::Text => writeln!(self.out, "{closing}")?,
            PageFormat::Json => {
                let counts: Map<String, Value> =
                    self.counts.iter().map(|(kind, count)| (kind.name().to_owned(), (*count).into())).collect();
                tail.insert("counts".to_owned(), counts.into());
                let tail = serde_json::to_string(&tail)?;
                let end = if self.counts.is_empty() { "" } else { "\n" };
                writeln!(self.out, "{end}],{}", tail.strip_prefix('{').unwrap_or(&tail))?;
            }
        }
        self.out.flush()
    }
}
