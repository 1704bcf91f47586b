//! Checksums as GNU coreutils' `sha256sum` writes and checks them: `sha256sum -c FILE` in the dataset's root.
//!
//! Captions are part of it where the manifest holds their text and the text gives the very bytes of the file.

use std::io::{BufRead, Write};

use super::{ExportError, Exported, each_sum};
use crate::manifest::Reader;
use crate::model::RelPath;

pub(super) fn write<R: BufRead>(manifest: &mut Reader<R>, out: &mut dyn Write) -> Result<Exported, ExportError> {
    each_sum(manifest, |sum| {
        let name = os_bytes(sum.path);
        let escaped = escape(&name);
        // A backslash before the hash says that the name is escaped (coreutils manual, md5sum).
        let mark: &[u8] = if escaped == name { b"" } else { b"\\" };
        for part in [mark, sum.sha256.as_bytes(), b"  ", &escaped, b"\n"] {
            out.write_all(part)?;
        }
        Ok(())
    })
}

fn escape(name: &[u8]) -> Vec<u8> {
    name.iter()
        .flat_map(|byte| match byte {
            b'\\' => &b"\\\\"[..],
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            byte => std::slice::from_ref(byte),
        })
        .copied()
        .collect()
}

/// The name as the file system has it.
#[cfg(unix)]
fn os_bytes(path: &str) -> Vec<u8> {
    use std::os::unix::ffi::OsStringExt as _;

    RelPath::from_escaped(path).to_os().into_os_string().into_vec()
}

#[cfg(not(unix))]
fn os_bytes(path: &str) -> Vec<u8> {
    RelPath::from_escaped(path).to_os().to_string_lossy().replace('\\', "/").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_and_line_ends_are_escaped_and_nothing_else() {
        assert_eq!(escape(b"a\\b\nc\rd \xff.png"), b"a\\\\b\\nc\\rd \xff.png");
    }
}
