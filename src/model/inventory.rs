//! Everything the walk found: samples, what belongs to them, and what does not belong there.

use std::path::PathBuf;

use super::{RelPath, Sample, SideFile};

/// A folder, file or list that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// As it was typed.
    pub typed: String,
    /// Folder that the paths of this root are relative to.
    pub folder: PathBuf,
    /// What reported paths of this root begin with: empty for a single root.
    pub prefix: RelPath,
}

/// Files that an operating system or a program leaves in folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SystemFileKind {
    /// `._name`: macOS metadata beside a file on foreign file systems.
    AppleDouble,
    /// `.DS_Store`: folder settings of the macOS Finder.
    DsStore,
    /// `Thumbs.db`, `ehthumbs.db`: thumbnails of Windows.
    ThumbsDb,
    /// `desktop.ini`: folder settings of Windows.
    DesktopIni,
}

impl SystemFileKind {
    /// Name for a message.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::AppleDouble => "AppleDouble companions of macOS (._*)",
            Self::DsStore => "folder settings of macOS (.DS_Store)",
            Self::ThumbsDb => "thumbnail caches of Windows (Thumbs.db)",
            Self::DesktopIni => "folder settings of Windows (desktop.ini)",
        }
    }
}

/// What is odd about an entry that is no sample.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OddityKind {
    /// A file that a system left there.
    SystemFile(SystemFileKind),
    /// A folder that a program left there (`__MACOSX`, `.ipynb_checkpoints`, `@eaDir`, `.git` ...), with how many files it
    /// holds and how many of them are named as images; it is not walked for samples. `AppleDouble` files in it are not
    /// counted here: they are oddities of their own.
    JunkFolder {
        /// Files below it.
        files: u64,
        /// Files below it that are named as images.
        images: u64,
    },
    /// A FIFO, socket or device; what it is, in words. It is never opened.
    Special(&'static str),
    /// A link whose target is not there; the target.
    BrokenLink(String),
    /// A link that leads back to a folder above itself; the target.
    LinkLoop(String),
    /// A link that was not followed because nobody asked for it; the target.
    SkippedLink(String),
    /// A link that leads out of the root; the target.
    OutsideLink(String),
    /// A file or folder that could not be listed or read; the reason.
    Unreadable(String),
    /// A hidden file that is named as an image, which was left out.
    HiddenImage,
    /// A path in a list that is not there.
    NotFound,
}

/// An entry that is no sample, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// Where it is.
    pub path: RelPath,
    /// What it is.
    pub kind: OddityKind,
}

/// A folder with samples directly in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Where it is; empty for the root.
    pub path: RelPath,
    /// Samples directly in it, going by their names.
    pub images: u64,
}

/// Everything the walk found, sorted by path.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// What was given.
    pub roots: Vec<Root>,
    /// Files that are named as images, and files of unknown name that may be images, numbered in order.
    pub samples: Vec<Sample>,
    /// Caption files, by their extension, that no sample claims.
    pub orphan_captions: Vec<SideFile>,
    /// Files that are, or nearly are, named as metadata files, and JSON files that belong to no image.
    pub metadata: Vec<SideFile>,
    /// Entries that are no samples, and why.
    pub oddities: Vec<Oddity>,
    /// Folders with images in them.
    pub folders: Vec<Folder>,
    /// Number of all files seen.
    pub files: u64,
}

impl Inventory {
    /// The root that a reported path belongs to, with its number, and the rest of the path; of roots in each other the inner one.
    #[must_use]
    pub fn root_of<'a>(&self, path: &'a RelPath) -> Option<(usize, &Root, &'a str)> {
        let roots = self.roots.iter().enumerate();
        let holding = roots.filter_map(|(number, root)| Some((number, root, path.below_prefix(root.prefix.as_str())?)));
        holding.max_by_key(|(_, root, _)| root.prefix.as_str().len())
    }

    /// A reported path from its root on; as it stands if it belongs to none.
    #[must_use]
    pub fn inside<'a>(&self, path: &'a RelPath) -> &'a str {
        self.root_of(path).map_or(path.as_str(), |(_, _, rest)| rest)
    }
}
