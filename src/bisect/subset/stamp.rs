//! What a file was when the search began, and whether it still is.

use std::fs::File;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::SubsetError;
use crate::model::RelPath;

/// What a file was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Where, relative to the dataset, in the form of [`RelPath`].
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// When it was changed, in nanoseconds since 1970; 0 where the file system does not say.
    pub modified_ns: u64,
    /// BLAKE3 of its content, in hexadecimal.
    pub blake3: String,
}

/// Reads a file once, and says what it is.
pub fn stamp(root: &Path, path: &RelPath) -> Result<Stamp, SubsetError> {
    let place = root.join(path.to_os());
    let (bytes, modified_ns) = glance(&place)?;
    Ok(Stamp { path: path.as_str().to_owned(), bytes, modified_ns, blake3: hash(&place)? })
}

/// Whether files are what they were: size and time first, and the content where only the time is another.
///
/// # Errors
///
/// [`SubsetError::Changed`], also for a file that is gone.
pub fn verify<'a>(root: &Path, stamps: impl IntoIterator<Item = &'a Stamp>) -> Result<(), SubsetError> {
    for stamp in stamps {
        let place = root.join(RelPath::from_escaped(&stamp.path).to_os());
        let same = match glance(&place) {
            Ok((bytes, modified)) => bytes == stamp.bytes && (modified == stamp.modified_ns || hash(&place)? == stamp.blake3),
            Err(SubsetError::File { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => false,
            Err(error) => return Err(error),
        };
        if !same {
            return Err(SubsetError::Changed { path: place });
        }
    }
    Ok(())
}

fn glance(place: &Path) -> Result<(u64, u64), SubsetError> {
    let metadata = place.metadata().map_err(SubsetError::file("look at", place))?;
    let since = metadata.modified().ok().and_then(|time: SystemTime| time.duration_since(UNIX_EPOCH).ok());
    Ok((metadata.len(), since.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or_default()))
}

fn hash(place: &Path) -> Result<String, SubsetError> {
    let mut hasher = blake3::Hasher::new();
    let file = File::open(place).map_err(SubsetError::file("open", place))?;
    hasher.update_reader(file).map_err(SubsetError::file("read", place))?;
    Ok(hasher.finalize().to_hex().to_string())
}
