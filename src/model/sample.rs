//! One training item as the walk finds it: names and sizes, nothing from inside a file.

use std::time::SystemTime;

use super::{Format, RelPath};

/// Number of a sample in the sorted order of the walk; every output is ordered by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleIndex(pub u32);

/// What tells a file from another one that lies in its place with the same size and time of change, where the file system
/// says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    /// The device.
    pub device: u64,
    /// The inode on it.
    pub inode: u64,
    /// When the inode was changed last, in nanoseconds since 1970: unlike the time of change of the content, nobody can set it.
    pub changed_ns: i128,
}

impl FileIdentity {
    /// The identity of a file.
    #[cfg(unix)]
    #[must_use]
    pub fn of(metadata: &std::fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;

        let changed_ns = i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
        Some(Self { device: metadata.dev(), inode: metadata.ino(), changed_ns })
    }

    /// The identity of a file: not to be had without opening it.
    #[cfg(not(unix))]
    #[must_use]
    pub fn of(_: &std::fs::Metadata) -> Option<Self> {
        None
    }
}

/// A file that belongs to a sample or to the dataset: a caption, a metadata file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideFile {
    /// Where it is.
    pub path: RelPath,
    /// Its size.
    pub size_bytes: u64,
    /// When it was changed.
    pub modified: Option<SystemTime>,
    /// What tells it from another file in its place.
    pub identity: Option<FileIdentity>,
}

/// What a file's name says that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedAs {
    /// An image of this format.
    Image(Format),
    /// Nothing that the walk knows; it becomes a sample only if its content is an image.
    Unknown,
}

/// One training item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its number.
    pub index: SampleIndex,
    /// The image.
    pub path: RelPath,
    /// The image's size.
    pub size_bytes: u64,
    /// When the image was changed.
    pub modified: Option<SystemTime>,
    /// What tells the image from another file in its place.
    pub identity: Option<FileIdentity>,
    /// What its name says that it is.
    pub named_as: NamedAs,
    /// The caption file of the same stem with the extension of the settings.
    pub caption: Option<SideFile>,
    /// Extensions, without dot, of other files of the same stem that look like captions.
    pub other_captions: Vec<Box<str>>,
}
