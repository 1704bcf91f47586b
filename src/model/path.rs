//! Paths as reports show them: relative to the root that was given, `/` between the parts, and nothing lost.

use std::borrow::Cow;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::{Serialize, Serializer};

/// A path below a root, with `/` separators on every system.
///
/// Names that are not valid Unicode keep every byte: a byte that does not belong to UTF-8 is written `\xHH`, and so that this
/// can be read back, a backslash that is part of a name is written `\\`. (On Windows a lone surrogate is shown replaced, and
/// such a file cannot be opened by its reported path.)
/// Control characters are kept as they are; they are escaped where a path is printed for a person
/// ([`RelPath::printable`]).
///
/// ```
/// use walkaround::model::RelPath;
/// let path = RelPath::from_os(std::path::Path::new("10_cat/a.b.png"));
/// assert_eq!(path.as_str(), "10_cat/a.b.png");
/// assert_eq!((path.folder(), path.name(), path.stem(), path.extension()), ("10_cat", "a.b.png", "a.b", "png"));
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Box<str>);

impl RelPath {
    /// The path as reported for `path`, as a rule a relative one; `.` parts are dropped.
    #[must_use]
    pub fn from_os(path: &Path) -> Self {
        let mut text = String::new();
        for component in path.components() {
            if matches!(component, Component::CurDir) {
                continue;
            }
            if !text.is_empty() && !text.ends_with('/') && !matches!(component, Component::RootDir) {
                text.push('/');
            }
            match component {
                Component::RootDir => text.push('/'),
                other => escape_name(other.as_os_str(), &mut text),
            }
        }
        Self(text.into_boxed_str())
    }

    /// A path from text that already has this type's form, such as a line of a manifest.
    #[must_use]
    pub fn from_escaped(text: &str) -> Self {
        Self(text.into())
    }

    /// The path in the form the operating system wants: the exact inverse of [`RelPath::from_os`].
    #[must_use]
    pub fn to_os(&self) -> PathBuf {
        unescape(&self.0)
    }

    /// The escaped text: what reports and manifests hold.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder part, empty for a file at the root.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The last part.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&*self.0, |(_, name)| name)
    }

    /// The name without its last extension, as Python's `os.path.splitext` cuts it: `.hidden` has none.
    #[must_use]
    pub fn stem(&self) -> &str {
        split_name(self.name()).0
    }

    /// The path without its last extension: what an image and its caption share.
    #[must_use]
    pub fn without_extension(&self) -> &str {
        let extension = self.extension();
        if extension.is_empty() { &self.0 } else { &self.0[..self.0.len() - extension.len() - 1] }
    }

    /// The last extension without its dot and in its own case; empty if there is none.
    #[must_use]
    pub fn extension(&self) -> &str {
        split_name(self.name()).1
    }

    /// This path below `folder`; an empty path stands for the folder itself.
    #[must_use]
    pub fn below(&self, folder: &str) -> Self {
        match (folder, self.as_str()) {
            ("", own) => Self(own.into()),
            (folder, "") => Self(folder.into()),
            (folder, own) => Self(format!("{}/{own}", folder.trim_end_matches('/')).into()),
        }
    }

    /// What is left of the path behind a prefix of whole parts, such as the prefix of its root: empty for the prefix itself,
    /// `None` for a path that does not lie below it.
    ///
    /// ```
    /// use walkaround::model::RelPath;
    /// let path = RelPath::from("a/b.png");
    /// assert_eq!((path.below_prefix("a"), path.below_prefix(""), path.below_prefix("a/b")), (Some("b.png"), Some("a/b.png"), None));
    /// ```
    #[must_use]
    pub fn below_prefix(&self, prefix: &str) -> Option<&str> {
        let rest = self.0.strip_prefix(prefix)?;
        if prefix.is_empty() || prefix.ends_with('/') || rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// The path with control and bidirectional characters escaped, safe to print on a terminal.
    #[must_use]
    pub fn printable(&self) -> Cow<'_, str> {
        printable(&self.0)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.printable())
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl From<&str> for RelPath {
    fn from(text: &str) -> Self {
        Self::from_escaped(text)
    }
}

impl Serialize for RelPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Text with control, line-breaking and bidirectional characters as `\u{…}`, for terminals and messages.
///
/// ```
/// assert_eq!(walkaround::model::printable("a\u{202e}gpj.exe\n"), "a\\u{202e}gpj.exe\\n");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_unprintable(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// Characters that move the cursor, break the line, or reorder or hide what stands beside them.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Splits a name at its last dot; leading dots belong to the stem.
fn split_name(name: &str) -> (&str, &str) {
    let visible = name.trim_start_matches('.');
    match visible.rfind('.') {
        Some(dot) => {
            let dot = name.len() - visible.len() + dot;
            (&name[..dot], &name[dot + 1..])
        }
        None => (name, ""),
    }
}

#[cfg(unix)]
fn escape_name(name: &std::ffi::OsStr, out: &mut String) {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;

    for chunk in name.as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            if character == '\\' {
                out.push('\\');
            }
            out.push(character);
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
}

#[cfg(not(unix))]
fn escape_name(name: &std::ffi::OsStr, out: &mut String) {
    // A lone surrogate is the only thing that cannot be told here without the Windows-only calls; it is shown replaced.
    out.push_str(&name.to_string_lossy());
}

#[cfg(unix)]
fn unescape(text: &str) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;

    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        match (byte, rest) {
            (b'\\', [b'\\', ..]) => {
                out.push(b'\\');
                at += 2;
            }
            (b'\\', [b'x', high, low, ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                out.push(hex_digit(*high) << 4 | hex_digit(*low));
                at += 4;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(out))
}

#[cfg(unix)]
fn hex_digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

#[cfg(not(unix))]
fn unescape(text: &str) -> PathBuf {
    PathBuf::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_not_utf8_survive_the_round_trip() {
        use std::os::unix::ffi::OsStrExt as _;

        for raw in [&b"a\xff.png"[..], b"caf\xe9/x.jpg", b"back\\slash.png", b"tricky\\xFF.png", "ä/b.png".as_bytes()] {
            let path = Path::new(std::ffi::OsStr::from_bytes(raw));
            let shown = RelPath::from_os(path);
            assert_eq!(shown.to_os(), path, "{shown:?}");
        }
        assert_eq!(RelPath::from_os(Path::new(std::ffi::OsStr::from_bytes(b"a\xff.png"))).as_str(), "a\\xFF.png");
    }

    #[test]
    fn names_split_like_python_splitext() {
        for (name, stem, extension) in [
            ("a.png", "a", "png"),
            ("b.c.png", "b.c", "png"),
            (".hidden", ".hidden", ""),
            ("..x.png", "..x", "png"),
            ("a.", "a", ""),
            ("noext", "noext", ""),
        ] {
            let path = RelPath::from(name);
            assert_eq!((path.stem(), path.extension()), (stem, extension), "{name}");
        }
    }

    #[test]
    fn a_prefix_is_made_of_whole_parts() {
        for (path, prefix, rest) in [
            ("a/b/c.png", "a/b", Some("c.png")),
            ("a/bc.png", "a/b", None),
            ("a/b", "a/b", Some("")),
            ("a", "", Some("a")),
            ("/x/y.png", "/", Some("x/y.png")),
            ("b/a", "a", None),
        ] {
            assert_eq!(RelPath::from(path).below_prefix(prefix), rest, "{path} below {prefix:?}");
        }
    }

    #[test]
    fn current_folder_parts_are_dropped() {
        assert_eq!(RelPath::from_os(Path::new("./a/./b.png")).as_str(), "a/b.png");
    }
}
