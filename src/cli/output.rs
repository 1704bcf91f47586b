//! Where reports go: opened before the walk, never into the dataset, and put in place only when they are whole.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use tempfile::NamedTempFile;
use walkaround::walk::Input;

/// What nothing may be written into or over: the dataset, and the list that names it.
#[derive(Debug, Default)]
pub(super) struct Protected {
    /// Folders, with all that is below them.
    folders: BTreeSet<PathBuf>,
    /// Files that were named one by one, without extension: their captions and caches belong to them.
    stems: BTreeSet<PathBuf>,
    list: Option<PathBuf>,
}

impl Protected {
    /// What the inputs cover, and the file that they were listed in.
    pub(super) fn new(inputs: &[Input], list: Option<&Path>) -> Self {
        let mut protected = Self { list: list.and_then(|list| list.canonicalize().ok()), ..Self::default() };
        for input in inputs {
            match input {
                Input::Path(path) => protected.cover(path),
                Input::List { paths, .. } => paths.iter().for_each(|path| protected.cover(path)),
            }
        }
        protected
    }

    fn cover(&mut self, path: &Path) {
        if let Ok(real) = path.canonicalize() {
            if real.is_dir() {
                self.folders.insert(real);
            } else {
                self.stems.insert(real.with_extension(""));
            }
        }
    }

    /// Whether a file at this real path would lie in it or replace part of it.
    fn holds(&self, real: &Path) -> bool {
        self.list.as_deref() == Some(real)
            || self.stems.contains(&real.with_extension(""))
            || real.ancestors().any(|folder| self.folders.contains(folder))
    }
}

/// A file that a report is written to.
pub(super) struct Output {
    path: PathBuf,
    place: Place,
}

/// How it gets there.
enum Place {
    /// Written beside its place, and moved there at the end: a broken-off run leaves the old file as it was.
    Beside(NamedTempFile),
    /// Written straight into what is there: a device, a pipe, a terminal.
    Into(File),
}

impl Output {
    /// Opens an output, which must not lie inside the dataset.
    pub(super) fn open(path: &Path, protected: &Protected) -> anyhow::Result<Self> {
        let failed = || format!("failed to open `{}` for writing", path.display());
        // A link is followed to the file that it stands for.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = folder_of(&target).canonicalize().with_context(failed)?;
        let real = folder.join(target.file_name().unwrap_or(OsStr::new("")));
        if protected.holds(&real) {
            bail!("`{}` belongs to the dataset, which is never written to; name a place outside it", path.display());
        }
        let place = match fs::metadata(&target) {
            Ok(found) if found.is_dir() => bail!("{}: it is a folder", failed()),
            Ok(found) if !found.is_file() => Place::Into(OpenOptions::new().write(true).open(&target).with_context(failed)?),
            found => {
                let rights = found.ok().map(|found| found.permissions());
                if rights.as_ref().is_some_and(fs::Permissions::readonly) {
                    bail!("{}: it is read-only", failed());
                }
                Place::Beside(temporary(&folder, rights).with_context(failed)?)
            }
        };
        Ok(Self { path: real, place })
    }

    /// Whether both are the same file.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        self.path == other.path
    }

    /// A stream into it.
    pub(super) fn writer(&self) -> anyhow::Result<BufWriter<File>> {
        Ok(BufWriter::new(self.file()?))
    }

    /// A stream into it that takes styles away.
    pub(super) fn plain_writer(&self) -> anyhow::Result<impl Write + use<>> {
        Ok(BufWriter::new(anstream::StripStream::new(self.file()?)))
    }

    fn file(&self) -> anyhow::Result<File> {
        let file = match &self.place {
            Place::Beside(temporary) => temporary.reopen(),
            Place::Into(file) => file.try_clone(),
        };
        file.with_context(|| format!("failed to open `{}` for writing", self.path.display()))
    }

    /// Moves it into its place.
    pub(super) fn keep(self) -> anyhow::Result<()> {
        match self.place {
            Place::Beside(temporary) => {
                temporary
                    .persist(&self.path)
                    .map_err(|error| error.error)
                    .with_context(|| format!("failed to write `{}`", self.path.display()))?;
            }
            Place::Into(_) => {}
        }
        Ok(())
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file beside its later place, with the rights of the file it replaces or the usual ones.
fn temporary(folder: &Path, rights: Option<fs::Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".walkaround-");
    if let Some(rights) = rights {
        builder.permissions(rights);
    } else {
        with_usual_rights(&mut builder);
    }
    builder.tempfile_in(folder)
}

/// Gives a temporary file, which is private otherwise, the rights of a new file, of which the system takes the umask away.
#[cfg(unix)]
fn with_usual_rights(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn with_usual_rights(_: &mut tempfile::Builder<'_, '_>) {}

/// Standard output without styles, for machine formats.
pub(super) fn stdout() -> impl Write {
    BufWriter::new(io::stdout().lock())
}

/// Standard output for a person: styles are taken away where it is no terminal, or where the user wants none.
pub(super) fn terminal() -> impl Write {
    BufWriter::new(anstream::AutoStream::auto(io::stdout()))
}

/// A stream whose reader may leave: what is written afterwards goes nowhere, so that the other outputs of the run are finished.
pub(super) struct Forgiving<W> {
    out: W,
    is_closed: bool,
}

impl<W: Write> Forgiving<W> {
    /// Forgives `out` that its reader leaves.
    pub(super) fn new(out: W) -> Self {
        Self { out, is_closed: false }
    }

    fn forgive(&mut self, result: io::Result<()>) -> io::Result<()> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            other => other,
        }
    }
}

impl<W: Write> Write for Forgiving<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_closed {
            let result = self.out.write_all(bytes);
            self.forgive(result)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let result = self.out.flush();
        self.forgive(result)
    }
}
