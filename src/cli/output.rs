//! Where reports go: opened before the walk, and put in place only when they are whole.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use tempfile::NamedTempFile;

/// A file that is written beside its place and moved there at the end.
pub(super) struct Output {
    temporary: NamedTempFile,
    path: PathBuf,
}

impl Output {
    /// Opens an output, which must not lie inside the dataset: that is never written to.
    pub(super) fn open(path: &Path, roots: &[PathBuf]) -> anyhow::Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let real = folder.canonicalize().with_context(|| format!("failed to open `{}` for writing", path.display()))?;
        if let Some(root) = roots.iter().find(|root| root.is_dir() && root.canonicalize().is_ok_and(|root| real.starts_with(root))) {
            bail!("`{}` lies inside the dataset `{}`, which is never written to; name a place outside it", path.display(), root.display());
        }
        if path.is_dir() {
            bail!("failed to open `{}` for writing: it is a folder", path.display());
        }
        let temporary = with_usual_rights(tempfile::Builder::new().prefix(".walkaround-"))
            .tempfile_in(&real)
            .with_context(|| format!("failed to open `{}` for writing", path.display()))?;
        Ok(Self { temporary, path: path.to_owned() })
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
        self.temporary.reopen().with_context(|| format!("failed to open `{}` for writing", self.path.display()))
    }

    /// Moves it into its place.
    pub(super) fn keep(self) -> anyhow::Result<()> {
        self.temporary.persist(&self.path).with_context(|| format!("failed to write `{}`", self.path.display()))?;
        Ok(())
    }
}

/// Rights of a new file, of which the system takes the user's umask away.
#[cfg(unix)]
fn with_usual_rights<'a, 'b>(builder: &'a mut tempfile::Builder<'b, 'b>) -> &'a mut tempfile::Builder<'b, 'b> {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(std::fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn with_usual_rights<'a, 'b>(builder: &'a mut tempfile::Builder<'b, 'b>) -> &'a mut tempfile::Builder<'b, 'b> {
    builder
}

/// Standard output without styles, for machine formats.
pub(super) fn stdout() -> impl Write {
    BufWriter::new(io::stdout().lock())
}

/// Standard output for a person: styles are taken away where it is no terminal, or where the user wants none.
pub(super) fn terminal() -> impl Write {
    BufWriter::new(anstream::AutoStream::auto(io::stdout()))
}
