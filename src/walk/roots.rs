//! What was given: inputs become roots with the prefix of their reported paths, folders to list and files to look at.

use std::collections::BTreeSet;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use crate::model::{Inventory, Oddity, OddityKind, RelPath, Root, printable};

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A folder or a file; it must be there.
    Path(PathBuf),
    /// A list of files and folders, relative to the current folder; what is missing of it is an oddity.
    List {
        /// The list as it was typed, such as `files.txt` or `-`.
        typed: String,
        /// What stands in it; see [`parse_list`].
        paths: Vec<PathBuf>,
    },
}

impl Input {
    /// What was typed, in the form of a reported path.
    #[must_use]
    pub fn name(&self) -> RelPath {
        match self {
            Self::Path(path) => RelPath::from_os(path),
            Self::List { typed, .. } => RelPath::from_os(Path::new(typed)),
        }
    }

    /// Whether it is a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self, Self::List { .. })
    }
}

/// Why the walk could not begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// Nothing of that name, or a link that leads nowhere.
    #[error("{path} is not there")]
    NotFound {
        /// As it was typed.
        path: String,
    },
    /// A folder that may not be listed.
    #[error("{path} cannot be listed")]
    Unlistable {
        /// As it was typed.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// Something about which nothing can be learnt.
    #[error("{path} cannot be looked at")]
    Inaccessible {
        /// As it was typed.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A FIFO, socket or device.
    #[error("{path} is {what}, neither a file nor a folder")]
    NeitherFileNorFolder {
        /// As it was typed.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// The current folder, which relative paths begin at, has gone.
    #[error("the current folder cannot be found")]
    NoCurrentFolder {
        /// Why.
        source: io::Error,
    },
    /// Samples are numbered with 32 bits.
    #[error("there are more than 4294967295 samples")]
    TooManySamples,
}

/// The paths of a list: one a line, or separated by NUL bytes if there are any, as `find -print0` writes them.
///
/// A byte order mark, carriage returns before a line end, and empty lines are dropped. Bytes that are not UTF-8 stay as they
/// are where the system allows that.
///
/// ```
/// use std::path::PathBuf;
/// let paths = walkaround::walk::parse_list(b"a.png\r\nb c.png\n\n");
/// assert_eq!(paths, [PathBuf::from("a.png"), PathBuf::from("b c.png")]);
/// assert_eq!(walkaround::walk::parse_list(b"a\nb.png\0c.png\0").len(), 2);
/// ```
#[must_use]
pub fn parse_list(bytes: &[u8]) -> Vec<PathBuf> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let by_nul = bytes.contains(&0);
    bytes
        .split(|&byte| byte == if by_nul { 0 } else { b'\n' })
        .map(|line| if by_nul { line } else { line.strip_suffix(b"\r").unwrap_or(line) })
        .filter(|line| !line.is_empty())
        .map(path_from_bytes)
        .collect()
}

/// The real path of a reported path; `None` if it belongs to none of the roots.
///
/// ```
/// use std::path::PathBuf;
/// use walkaround::model::{Inventory, RelPath, Root};
/// let root = Root { typed: "set".into(), folder: PathBuf::from("/data/set"), prefix: RelPath::from("set") };
/// let inventory = Inventory { roots: vec![root], ..Inventory::default() };
/// let path = walkaround::walk::locate(&inventory, &RelPath::from("set/10_cat/a.png"));
/// assert_eq!(path, Some(PathBuf::from("/data/set/10_cat/a.png")));
/// ```
#[must_use]
pub fn locate(inventory: &Inventory, path: &RelPath) -> Option<PathBuf> {
    let (_, root, rest) = inventory.root_of(path)?;
    Some(if rest.is_empty() { root.folder.clone() } else { root.folder.join(RelPath::from_escaped(rest).to_os()) })
}

/// What the walk has to do.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) roots: Vec<Root>,
    /// Folders to list, each real folder once.
    pub(super) folders: Vec<Start>,
    /// Files that were named one by one; those that turn up in a folder are taken out.
    pub(super) singles: Vec<Single>,
    /// What was wrong with entries of lists.
    pub(super) oddities: Vec<Oddity>,
}

/// A folder to list.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// Where it is.
    pub(super) folder: PathBuf,
    /// The same without links.
    pub(super) real: PathBuf,
    /// What reported paths begin with.
    pub(super) prefix: RelPath,
}

/// A file that was named.
#[derive(Clone, Debug)]
pub(super) struct Single {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Where it really is, but for the last part, which may be a link.
    pub(super) real: PathBuf,
    /// Its path in reports.
    pub(super) reported: RelPath,
}

impl Plan {
    pub(super) fn of(inputs: &[Input]) -> Result<Self, WalkError> {
        let mut plan = Self::default();
        let alone = inputs.len() == 1;
        for input in inputs {
            match input {
                Input::Path(path) => plan.add_path(path, alone)?,
                Input::List { typed, paths } => plan.add_list(typed, paths)?,
            }
        }
        // The same folder spelt twice is listed once, as it was typed first.
        let mut seen = BTreeSet::new();
        plan.folders.retain(|start| seen.insert(start.real.clone()));
        let mut seen = BTreeSet::new();
        plan.singles.retain(|single| seen.insert(single.real.clone()));
        Ok(plan)
    }

    fn add_path(&mut self, path: &Path, alone: bool) -> Result<(), WalkError> {
        let typed = printable(&path.to_string_lossy()).into_owned();
        let metadata = fs::metadata(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => WalkError::NotFound { path: typed.clone() },
            _ => WalkError::Inaccessible { path: typed.clone(), source },
        })?;
        let unlistable = |source| WalkError::Unlistable { path: typed.clone(), source };
        let whole = std::path::absolute(path).map_err(|source| WalkError::NoCurrentFolder { source })?;
        if metadata.is_dir() {
            fs::read_dir(path).map_err(unlistable)?;
            let real = fs::canonicalize(path).map_err(unlistable)?;
            let prefix = if alone { RelPath::from("") } else { RelPath::from_os(path) };
            self.add_root(Root { typed, folder: whole.clone(), prefix: prefix.clone() });
            self.folders.push(Start { folder: whole, real, prefix });
        } else if metadata.is_file() {
            let Some((folder, name)) = whole.parent().zip(whole.file_name()) else { return Err(WalkError::NotFound { path: typed }) };
            let real = fs::canonicalize(folder).map_err(unlistable)?.join(name);
            let prefix = match path.parent() {
                Some(parent) if !alone => RelPath::from_os(parent),
                _ => RelPath::from(""),
            };
            let reported = RelPath::from_os(Path::new(name)).below(prefix.as_str());
            self.add_root(Root { typed, folder: folder.to_owned(), prefix });
            self.singles.push(Single { path: whole, real, reported });
        } else {
            let what = special(metadata.file_type()).unwrap_or("something unknown");
            return Err(WalkError::NeitherFileNorFolder { path: typed, what });
        }
        Ok(())
    }

    fn add_list(&mut self, typed: &str, paths: &[PathBuf]) -> Result<(), WalkError> {
        let here = std::path::absolute(".").map_err(|source| WalkError::NoCurrentFolder { source })?;
        self.add_root(Root { typed: typed.to_owned(), folder: here.clone(), prefix: RelPath::from("") });
        let mut last = RealFolder::default();
        for path in paths {
            let reported = RelPath::from_os(path);
            let whole = here.join(path);
            if let Err(kind) = self.add_listed(&whole, &reported, &mut last) {
                self.oddities.push(Oddity { path: reported, kind });
            }
        }
        Ok(())
    }

    fn add_listed(&mut self, whole: &Path, reported: &RelPath, last: &mut RealFolder) -> Result<(), OddityKind> {
        let unreadable = |error: io::Error| OddityKind::Unreadable(error.to_string());
        let metadata = match fs::metadata(whole) {
            Ok(metadata) => metadata,
            Err(_) if whole.is_symlink() => return Err(super::links::why_broken(whole)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Err(OddityKind::NotFound);
            }
            Err(error) => return Err(unreadable(error)),
        };
        if metadata.is_dir() {
            let real = fs::canonicalize(whole).map_err(unreadable)?;
            self.folders.push(Start { folder: whole.to_owned(), real, prefix: reported.clone() });
        } else if let Some(what) = special(metadata.file_type()) {
            return Err(OddityKind::Special(what));
        } else if let Some((folder, name)) = whole.parent().zip(whole.file_name()) {
            let real = last.of(folder).map_err(unreadable)?.join(name);
            self.singles.push(Single { path: whole.to_owned(), real, reported: reported.clone() });
        }
        Ok(())
    }

    /// Many files of one folder, as a shell's `*` gives them, are one root.
    fn add_root(&mut self, root: Root) {
        let is_known = self.roots.last().is_some_and(|last| last.folder == root.folder && last.prefix == root.prefix);
        if !is_known {
            self.roots.push(root);
        }
    }
}

/// The last folder that was asked for and where it really is: the files of a list mostly come folder by folder, and finding
/// out takes several calls to the system.
#[derive(Debug, Default)]
struct RealFolder {
    folder: PathBuf,
    real: PathBuf,
}

impl RealFolder {
    fn of(&mut self, folder: &Path) -> io::Result<&Path> {
        if self.real.as_os_str().is_empty() || self.folder != folder {
            self.real = fs::canonicalize(folder)?;
            folder.clone_into(&mut self.folder);
        }
        Ok(&self.real)
    }
}

/// What it is, if it is neither a file nor a folder nor a link.
#[cfg(unix)]
pub(super) fn special(kind: FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt as _;

    if kind.is_fifo() {
        Some("a FIFO")
    } else if kind.is_socket() {
        Some("a socket")
    } else if kind.is_block_device() {
        Some("a block device")
    } else if kind.is_char_device() {
        Some("a character device")
    } else {
        None
    }
}

/// What it is, if it is neither a file nor a folder nor a link.
#[cfg(not(unix))]
pub(super) fn special(kind: FileType) -> Option<&'static str> {
    if kind.is_file() || kind.is_dir() || kind.is_symlink() { None } else { Some("a special file") }
}

#[cfg(unix)]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;

    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_names_the_root() {
        let root = |folder: &str, prefix: &str| Root { typed: prefix.to_owned(), folder: folder.into(), prefix: prefix.into() };
        let inventory = Inventory { roots: vec![root("/here", ""), root("/here/a", "a"), root("/", "/")], ..Inventory::default() };
        for (reported, real) in [("a/b.png", "/here/a/b.png"), ("ab.png", "/here/ab.png"), ("a", "/here/a"), ("/x/y.png", "/x/y.png")] {
            assert_eq!(locate(&inventory, &RelPath::from(reported)), Some(PathBuf::from(real)), "{reported}");
        }
    }

    #[test]
    fn a_path_of_no_root_is_not_located() {
        let root = Root { typed: "a".to_owned(), folder: "/a".into(), prefix: "a".into() };
        let inventory = Inventory { roots: vec![root], ..Inventory::default() };
        assert_eq!(locate(&inventory, &RelPath::from("ab/c.png")), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_list_keeps_bytes_that_are_not_utf8() {
        use std::os::unix::ffi::OsStrExt as _;

        let paths = parse_list(b"\xef\xbb\xbfcaf\xe9.png\nb.png");
        assert_eq!(paths[0].as_os_str().as_bytes(), b"caf\xe9.png");
        assert_eq!(paths.len(), 2);
    }
}
