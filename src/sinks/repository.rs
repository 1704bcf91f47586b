//! Paths as a build server wants them: relative to where the program was started, which is the repository's checkout.

use std::fmt::Write as _;
use std::path::Path;

use super::Header;
use crate::model::{Place, RelPath};

/// Turns reported paths into paths that begin where the program was started.
#[derive(Clone, Debug, Default)]
pub(super) struct Repository {
    /// The single root as it was typed; empty if reported paths begin with their root anyway.
    root: String,
}

impl Repository {
    pub(super) fn new(header: &Header<'_>) -> Self {
        let root = match header.inventory.roots.as_slice() {
            [single] if single.prefix.as_str().is_empty() => root(Path::new(&single.typed), &single.folder),
            _ => String::new(),
        };
        Self { root }
    }

    /// The path with `/` between its parts; characters that cannot be shown stay as they are.
    ///
    /// A finding with a place is about a configuration, whose path begins there already.
    pub(super) fn path(&self, path: &RelPath, place: Option<Place>) -> String {
        let path = path.to_os().to_string_lossy().replace('\\', "/");
        match self.root.trim_end_matches('/') {
            "" | "." => path,
            _ if place.is_some() => path,
            root => format!("{root}/{path}"),
        }
    }

    /// The path as a URI reference (RFC 3986), its bytes escaped where they have to be.
    pub(super) fn uri(&self, path: &RelPath, place: Option<Place>) -> String {
        let path = self.path(path, place);
        let mut uri = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
        for byte in path.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
                _ => {
                    let _ = write!(uri, "%{byte:02X}");
                }
            }
        }
        uri
    }
}

/// The folder that paths of this root begin below, relative to where the program was started: what was typed, the folder of a file
/// that was typed, and nothing for a list.
fn root(typed: &Path, folder: &Path) -> String {
    let candidates = [Some(typed), typed.parent()];
    let is_it = |candidate: &&Path| candidate.starts_with("..") || folder.ends_with(RelPath::from_os(candidate).to_os());
    candidates
        .into_iter()
        .flatten()
        .find(is_it)
        .map_or_else(String::new, |found| RelPath::from_os(found).to_os().to_string_lossy().replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_where_the_program_was_started() {
        let root = |typed: &str, folder: &str| root(Path::new(typed), Path::new(folder));
        assert_eq!(root("data/set", "/work/data/set"), "data/set");
        assert_eq!(root("./set/", "/work/set"), "set");
        assert_eq!(root(".", "/work/set"), "");
        assert_eq!(root("set/a.png", "/work/set"), "set");
        assert_eq!(root("../set", "/set"), "../set");
        assert_eq!(root("files.txt", "/work"), "");
    }

    #[test]
    fn uris_escape_what_is_not_unreserved() {
        let repository = Repository { root: "my set".to_owned() };
        assert_eq!(repository.uri(&RelPath::from("conf/a.toml"), Some(Place::START)), "conf/a.toml");
        assert_eq!(repository.uri(&RelPath::from("a#1 ü.png"), None), "my%20set/a%231%20%C3%BC.png");
    }
}
