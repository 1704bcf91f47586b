//! `walkaround cache`, and which cache a run uses.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use etcetera::BaseStrategy as _;
use serde_json::json;
use walkaround::cache::Cache;
use walkaround::walk::Input;

use super::args::{CacheAction, CacheOptions, CachePlace, PageFormat};
use super::exit::Exit;
use super::output;

/// Names the folder where no argument does.
const VARIABLE: &str = "WALKAROUND_CACHE_DIR";

/// Looks at the cache, or empties it.
pub(super) fn run(options: &CacheOptions) -> anyhow::Result<Exit> {
    match &options.action {
        CacheAction::Stat { place, format } => stat(place, *format)?,
        CacheAction::Clear { place } => {
            let folder = folder(place)?;
            // Nothing is made for the sake of being emptied.
            if folder.is_dir() {
                Cache::open(&folder).and_then(|cache| cache.clear()).with_context(|| failed(&folder))?;
            }
        }
    }
    Ok(Exit::Clean)
}

fn stat(place: &CachePlace, format: PageFormat) -> anyhow::Result<()> {
    let folder = folder(place)?;
    let stat =
        if folder.is_dir() { Some(Cache::open(&folder).and_then(|cache| cache.stat()).with_context(|| failed(&folder))?) } else { None };
    let (entries, bytes) = stat.as_ref().map_or((0, 0), |stat| (stat.entries, stat.bytes));
    let day = |time| humantime::format_rfc3339_seconds(time).to_string().chars().take(10).collect::<String>();
    let [oldest, newest] =
        [stat.as_ref().and_then(|stat| stat.oldest), stat.as_ref().and_then(|stat| stat.newest)].map(|time| time.map(day));
    let mut out = output::stdout();
    match format {
        PageFormat::Text => {
            writeln!(out, "folder       {}", folder.display())?;
            writeln!(out, "entries      {entries}")?;
            writeln!(out, "bytes        {bytes}")?;
            if let (Some(oldest), Some(newest)) = (oldest, newest) {
                writeln!(out, "last used    {oldest} to {newest}")?;
            }
        }
        PageFormat::Json => {
            let folder = folder.display().to_string();
            let page = json!({ "folder": folder, "entries": entries, "bytes": bytes, "oldest_use": oldest, "newest_use": newest });
            serde_json::to_writer_pretty(&mut out, &page).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(())
}

/// The cache of a run. One that cannot be used costs time only, so that is a note; one inside of the dataset is an error where
/// it was asked for by name.
pub(super) fn open(place: &CachePlace, inputs: &[Input]) -> anyhow::Result<Option<Cache>> {
    let folder = match folder(place) {
        Ok(folder) => folder,
        Err(error) => {
            note(&format!("{error:#}"));
            return Ok(None);
        }
    };
    if lies_in(&folder, inputs) {
        if place.cache_dir.is_some() {
            bail!("`{}` belongs to the dataset, which is never written to; name a place outside it", folder.display());
        }
        note(&format!("`{}` belongs to the dataset", folder.display()));
        return Ok(None);
    }
    match Cache::open(&folder) {
        Ok(cache) => Ok(Some(cache)),
        Err(error) => {
            note(&error.to_string());
            Ok(None)
        }
    }
}

/// Says why a run does without its cache, or with part of it.
pub(super) fn note(trouble: &str) {
    let _ = writeln!(anstream::stderr(), "the cache is not used, or not in full: {trouble}");
}

fn failed(folder: &Path) -> String {
    format!("failed to open the cache in `{}`", folder.display())
}

fn folder(place: &CachePlace) -> anyhow::Result<PathBuf> {
    let named = place.cache_dir.clone().map(PathBuf::into_os_string).or_else(|| std::env::var_os(VARIABLE));
    let folder = match named.filter(|named: &OsString| !named.is_empty()) {
        Some(named) => PathBuf::from(named),
        None => etcetera::choose_base_strategy()
            .map_err(|_| anyhow!("there is no home folder; name a place with --cache-dir"))?
            .cache_dir()
            .join("walkaround"),
    };
    Ok(std::path::absolute(folder)?)
}

/// Whether a folder, which need not be there, lies in what is looked at.
fn lies_in(folder: &Path, inputs: &[Input]) -> bool {
    let real = real(folder);
    inputs.iter().any(|input| match input {
        Input::Path(path) => path.canonicalize().is_ok_and(|path| real.starts_with(path)),
        // A list may name a million files, which are not looked up for this.
        Input::List { paths, .. } => paths.iter().any(|path| std::path::absolute(path).is_ok_and(|path| real.starts_with(path))),
    })
}

/// Where a path really leads, as far as it is there.
fn real(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|there| Some(there.canonicalize().ok()?.join(path.strip_prefix(there).ok()?)))
        .unwrap_or_else(|| path.to_owned())
}
