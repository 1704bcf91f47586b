//! Reads files into memory, and says in a fault why one could not be read.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::SystemTime;

use crate::cache::Stamp;
use crate::captions::metadata as metadata_files;
use crate::model::{Content, Fault, FaultKind, FileIdentity, Inventory, MetadataFacts, MetadataFault, MetadataFaultKind, RelPath};
use crate::probe;
use crate::walk;

/// Bytes above which a caption file is not read.
pub(super) const MAX_CAPTION: u64 = 16 << 20;

/// Bytes above which a metadata file is not read.
const MAX_METADATA: u64 = 512 << 20;

/// All bytes of a file, if there are no more than `limit`.
pub(super) fn whole(path: Option<&Path>, limit: u64) -> Result<Vec<u8>, Fault> {
    stamped(path, limit).map(|(bytes, _)| bytes)
}

/// The same, with the file's stamp, if it did not change while it was read and cannot have changed since without its stamp telling.
pub(super) fn stamped(path: Option<&Path>, limit: u64) -> Result<(Vec<u8>, Option<Stamp>), Fault> {
    let path = path.ok_or_else(|| Fault::new(FaultKind::Unreadable, "the path leads nowhere"))?;
    let unreadable = |verb: &str, error: &io::Error| Fault::new(FaultKind::Unreadable, format!("failed to {verb}: {error}"));
    let now = SystemTime::now();
    let file = File::open(path).map_err(|error| unreadable("open", &error))?;
    let metadata = file.metadata().map_err(|error| unreadable("open", &error))?;
    if !metadata.is_file() {
        return Err(Fault::new(FaultKind::Unreadable, "it is no longer a regular file"));
    }
    if metadata.len() > limit {
        return Err(Fault::new(FaultKind::OverBudget, format!("the file has {} bytes, above this run's limit of {limit}", metadata.len())));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0).saturating_add(1));
    // The file may grow while it is read.
    (&file).take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| unreadable("read", &error))?;
    if bytes.len() as u64 > limit {
        return Err(Fault::new(FaultKind::OverBudget, format!("the file has grown above this run's limit of {limit} bytes")));
    }
    let before = stamp(&metadata);
    let stamp = file.metadata().ok().and_then(|after| stamp(&after)).filter(|after| Some(*after) == before && !after.is_racy(now));
    Ok((bytes, stamp))
}

fn stamp(metadata: &Metadata) -> Option<Stamp> {
    Stamp::new(metadata.len(), metadata.modified().ok(), FileIdentity::of(metadata))
}

/// Whether a file of unknown name begins like something else than an image. What cannot be read may be one.
pub(super) fn is_no_image(path: &Path) -> bool {
    let mut head = Vec::with_capacity(probe::SNIFF_BYTES);
    File::open(path).is_ok_and(|file| file.take(probe::SNIFF_BYTES as u64).read_to_end(&mut head).is_ok())
        && !matches!(probe::sniff(&head), Content::Image(_))
}

/// Every metadata file of the dataset, read.
pub(super) fn metadata(inventory: &Inventory) -> Vec<MetadataFacts> {
    inventory
        .metadata
        .iter()
        .filter_map(|file| match whole(walk::locate(inventory, &file.path).as_deref(), MAX_METADATA) {
            Ok(bytes) => metadata_files::read(&file.path, &bytes),
            Err(fault) => unread(&file.path, &fault),
        })
        .collect()
}

/// A metadata file that could not be read; a file that only looks like one by chance is nobody's concern.
fn unread(path: &RelPath, fault: &Fault) -> Option<MetadataFacts> {
    let kind = if fault.kind == FaultKind::OverBudget { MetadataFaultKind::AboveLimit } else { MetadataFaultKind::Unreadable };
    let fault = MetadataFault { kind, line: 0, column: 0, record: None, detail: fault.to_string() };
    Some(MetadataFacts { path: path.clone(), kind: metadata_files::kind_of(path.name())?, rows: Vec::new(), faults: vec![fault] })
}
