//! `walkaround export`: a manifest in the form that another program reads.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use walkaround::manifest::HeaderLine;
use walkaround::manifest::export::{self, Dataset, Exported, Form};
use walkaround::model::RelPath;
use walkaround::pipeline::Revisit;

use super::args::{ExportForm, ExportOptions};
use super::changes;
use super::exit::Exit;
use super::output::{self, Output, Protected};

/// Exports.
pub(super) fn run(options: &ExportOptions) -> anyhow::Result<Exit> {
    let mut manifest = changes::open(&options.manifest)?;
    let root = root(options, manifest.header())?;
    let protected = protected(options, manifest.header())?;
    let name = match &options.name {
        Some(name) => name.clone(),
        None => root.file_name().map_or_else(|| "dataset".to_owned(), |name| name.to_string_lossy().into_owned()),
    };
    let dataset = Dataset { root: &root, name: &name };
    let form = match options.to {
        ExportForm::Sha256sums => Form::Sha256Sums,
        ExportForm::HfMetadata => Form::HfMetadata,
        ExportForm::HfCsv => Form::HfCsv,
        ExportForm::KohyaMetadata => Form::KohyaMetadata,
        ExportForm::MusubiJsonl => Form::MusubiJsonl,
        ExportForm::Croissant => Form::Croissant,
        ExportForm::Bagit => {
            bag(options, &protected, dataset)?;
            return Ok(Exit::Clean);
        }
    };
    let exported = match &options.output {
        Some(path) => {
            let file = Output::open(path, &protected)?;
            let exported = export::export(&mut manifest, form, dataset, &mut file.writer()?)?;
            file.keep()?;
            exported
        }
        None => export::export(&mut manifest, form, dataset, &mut output::stdout())?,
    };
    say(&exported);
    Ok(Exit::Clean)
}

/// Makes the folder of a bag, which must not be there yet, and its files.
fn bag(options: &ExportOptions, protected: &Protected, dataset: Dataset<'_>) -> anyhow::Result<()> {
    let Some(folder) = &options.output else { bail!("a bag is a folder: name it with -o") };
    // Whatever is wrong with the manifest shows before anything is made.
    let mut manifest = changes::open(&options.manifest)?;
    export::bagit(&mut manifest, dataset, &mut std::io::sink(), &mut std::io::sink())?;
    let fingerprint = manifest.summary().map(|summary| summary.fingerprint.clone()).unwrap_or_default();
    // Opened and dropped: says whether this is a place that may be written to.
    drop(Output::open(folder, protected)?);
    fs::create_dir(folder).with_context(|| format!("failed to make the folder `{}`", folder.display()))?;
    let open = |name: &str| Output::open(&folder.join(name), protected);
    let (sums, fetch) = (open("manifest-sha256.txt")?, open("fetch.txt")?);
    let mut manifest = changes::open(&options.manifest)?;
    let (exported, bytes, files) = export::bagit(&mut manifest, dataset, &mut sums.writer()?, &mut fetch.writer()?)?;
    sums.keep()?;
    fetch.keep()?;
    let info = export::bag_info(dataset.name, &fingerprint, bytes, files);
    for (name, text) in [("bag-info.txt", info.as_str()), ("bagit.txt", export::BAGIT)] {
        let file = open(name)?;
        file.writer()?.write_all(text.as_bytes()).with_context(|| format!("failed to write `{name}`"))?;
        file.keep()?;
    }
    say(&exported);
    Ok(())
}

/// What may not be written into: the dataset and the manifest.
fn protected(options: &ExportOptions, header: &HeaderLine) -> anyhow::Result<Protected> {
    let listed = if Revisit::needs_paths(header) { changes::paths(&options.manifest)? } else { Vec::new() };
    let revisit = Revisit::new(header, options.root.as_deref(), &listed)?;
    Ok(Protected::new(&revisit.settings.inputs, Some(&options.manifest)))
}

/// The folder that the samples' paths begin at, as a whole path.
fn root(options: &ExportOptions, header: &HeaderLine) -> anyhow::Result<PathBuf> {
    let walk = header.walk.clone().unwrap_or_default();
    let root = match (&options.root, walk.inputs.as_slice(), header.roots.as_slice()) {
        (Some(root), ..) => root.clone(),
        (None, [only], _) if !only.list => {
            let path = RelPath::from_escaped(&only.path).to_os();
            // The paths of a single file begin at its folder.
            if path.is_file() { path.parent().unwrap_or(Path::new("")).to_owned() } else { path }
        }
        (None, [], [only]) => PathBuf::from(only),
        // Of several roots and of lists, they begin at the folder that the program was started in.
        (None, ..) => PathBuf::new(),
    };
    let root = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root };
    let whole = root.canonicalize().or_else(|_| std::path::absolute(&root));
    whole.with_context(|| format!("failed to find `{}`", root.display()))
}

/// What was exported, on stderr.
fn say(exported: &Exported) {
    let mut message = format!("{} samples", exported.samples);
    if exported.captions_left_out > 0 {
        let _ = write!(
            message,
            ", without {} captions, whose bytes the manifest does not hold; `walkaround manifest --caption-text` adds them",
            exported.captions_left_out
        );
    }
    // A closed stderr is no reason to fail.
    let _ = writeln!(anstream::stderr(), "{message}");
}
