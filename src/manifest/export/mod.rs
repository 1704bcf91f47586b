//! A manifest in the forms that other programs read, one small file each.
//!
//! Nothing is read but the manifest: what a form needs and the manifest lacks is an error that says how to write the manifest
//! again. Every sample is exported, whatever was found in it; check the dataset for that.

mod bagit;
mod croissant;
mod huggingface;
mod kohya;
mod musubi;
mod sha256sums;

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::Path;

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

pub use bagit::{BAGIT, bag_info, bagit};

use super::line::{CaptionLine, SampleLine};
use super::read::{ReadError, Reader};
use crate::model::{ContentHash, RelPath, printable};

/// A form that is one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Checksums as GNU `sha256sum` writes them.
    Sha256Sums,
    /// `metadata.jsonl` of the imagefolder of Hugging Face `datasets`.
    HfMetadata,
    /// `metadata.csv` of the same.
    HfCsv,
    /// The metadata JSON of sd-scripts.
    KohyaMetadata,
    /// The JSON lines of musubi-tuner.
    MusubiJsonl,
    /// Croissant 1.1, as JSON-LD.
    Croissant,
}

/// Where the dataset is, and what it is called.
#[derive(Clone, Copy, Debug)]
pub struct Dataset<'a> {
    /// The folder that the samples' paths begin at, as a whole path.
    pub root: &'a Path,
    /// Its name.
    pub name: &'a str,
}

/// Why a manifest could not be exported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The form could not be written.
    #[error("failed to write the export: {0}")]
    Output(#[from] io::Error),
    /// The manifest lacks what the form needs.
    #[error("the manifest has no {what} of `{path}`; write it again with `walkaround manifest {flag}`")]
    Lacks {
        /// What is missing.
        what: &'static str,
        /// Of which file.
        path: String,
        /// What makes the manifest hold it.
        flag: &'static str,
    },
    /// A file that could not be read when the manifest was written.
    #[error("`{0}` could not be read when the manifest was written, so that nothing is known of its content")]
    Unread(String),
    /// A name that the form cannot hold.
    #[error("`{0}` is no UTF-8, which this form cannot hold")]
    NotText(String),
}

/// What was exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Samples.
    pub samples: u64,
    /// Captions that are left out, since the manifest does not hold their bytes. Only checksums leave captions out.
    pub captions_left_out: u64,
}

/// Writes a manifest in another form.
pub fn export<R: BufRead>(
    manifest: &mut Reader<R>,
    form: Form,
    dataset: Dataset<'_>,
    out: &mut dyn Write,
) -> Result<Exported, ExportError> {
    let exported = match form {
        Form::Sha256Sums => sha256sums::write(manifest, out),
        Form::HfMetadata => huggingface::json_lines(manifest, out),
        Form::HfCsv => huggingface::csv(manifest, out),
        Form::KohyaMetadata => kohya::write(manifest, out),
        Form::MusubiJsonl => musubi::write(manifest, dataset, out),
        Form::Croissant => croissant::write(manifest, dataset, out),
    }?;
    out.flush()?;
    Ok(exported)
}

/// A path of the manifest as text without escapes, with `/` between its parts.
fn plain(path: &str) -> Result<String, ExportError> {
    let os = RelPath::from_escaped(path).to_os();
    let text = os.into_os_string().into_string().map_err(|_| ExportError::NotText(printable(path).into_owned()))?;
    Ok(if cfg!(windows) { text.replace('\\', "/") } else { text })
}

/// The SHA-256 of a sample's image.
fn sha256(sample: &SampleLine) -> Result<&str, ExportError> {
    match (&sample.sha256, &sample.blake3) {
        (Some(hash), _) => Ok(hash),
        (None, Some(_)) => Err(lacks("SHA-256", &sample.path, "--sha256")),
        (None, None) => Err(ExportError::Unread(printable(&sample.path).into_owned())),
    }
}

/// The text of a sample's caption; `None` if it has none.
fn text(sample: &SampleLine) -> Result<Option<&str>, ExportError> {
    match &sample.caption {
        None => Ok(None),
        Some(CaptionLine { text: Some(text), .. }) => Ok(Some(text)),
        Some(caption) if caption.blake3.is_none() || caption.encoding.as_deref() == Some("binary") => {
            Err(ExportError::Unread(printable(&caption.path).into_owned()))
        }
        Some(caption) => Err(lacks("text", &caption.path, "--caption-text")),
    }
}

fn lacks(what: &'static str, path: &str, flag: &'static str) -> ExportError {
    ExportError::Lacks { what, path: printable(path).into_owned(), flag }
}

/// A file with its SHA-256.
struct Sum<'a> {
    path: &'a str,
    sha256: String,
    bytes: u64,
}

/// Tells of every image and caption with its checksum, in the order of the samples. A caption that two images share comes once.
fn each_sum<R: BufRead>(
    manifest: &mut Reader<R>,
    mut tell: impl FnMut(&Sum<'_>) -> Result<(), ExportError>,
) -> Result<Exported, ExportError> {
    let (mut exported, mut captions) = (Exported::default(), BTreeSet::new());
    for sample in manifest {
        let sample = sample?;
        tell(&Sum { path: &sample.path, sha256: sha256(&sample)?.to_owned(), bytes: sample.bytes })?;
        exported.samples += 1;
        let Some(caption) = &sample.caption else { continue };
        if !captions.insert(caption.path.clone()) {
            continue;
        }
        match caption_bytes(caption) {
            Some(bytes) => {
                let sha256 = ContentHash(Sha256::digest(&bytes).into()).to_string();
                tell(&Sum { path: &caption.path, sha256, bytes: bytes.len() as u64 })?;
            }
            None => exported.captions_left_out += 1,
        }
    }
    Ok(exported)
}

/// The bytes of a caption file out of its text: what has the right BLAKE3 hash is what was in the file.
fn caption_bytes(caption: &CaptionLine) -> Option<Vec<u8>> {
    let text = caption.text.as_deref()?;
    let utf8 = || text.as_bytes().to_vec();
    let with_mark = || [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let little = || ['\u{feff}'].into_iter().chain(text.chars()).collect::<String>().encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big = || ['\u{feff}'].into_iter().chain(text.chars()).collect::<String>().encode_utf16().flat_map(u16::to_be_bytes).collect();
    let ways: [&dyn Fn() -> Vec<u8>; 4] = [&utf8, &with_mark, &little, &big];
    let is_it = |bytes: &Vec<u8>| caption.blake3.as_deref() == Some(blake3::hash(bytes).to_hex().as_str());
    ways.into_iter().map(|way| way()).find(is_it)
}

/// Writes a value and a line end.
fn json_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}
