//! One training item as the walk finds it: names and sizes, nothing from inside a file.

use std::time::SystemTime;

use super::{Format, RelPath};

/// Number of a sample in the sorted order of the walk; every output is ordered by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleIndex(pub u32);

/// A file that belongs to a sample or to the dataset: a caption, a metadata file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideFile {
    /// Where it is.
    pub path: RelPath,
    /// Its size.
    pub size_bytes: u64,
    /// When it was changed.
    pub modified: Option<SystemTime>,
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
    /// What its name says that it is.
    pub named_as: NamedAs,
    /// The caption file of the same stem with the extension of the settings.
    pub caption: Option<SideFile>,
    /// Extensions, without dot, of other files of the same stem that look like captions.
    pub other_captions: Vec<Box<str>>,
}
