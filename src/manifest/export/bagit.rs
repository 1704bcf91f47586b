//! A bag of BagIt 1.0 (RFC 8493) that holds no payload: `fetch.txt` names every file of the dataset by a `file:` URL.
//!
//! Such a bag is completed by fetching, or by putting the dataset, or a link to it, into the bag as its folder `data`; then every
//! file is checked against `manifest-sha256.txt`. Files of the dataset that the manifest does not know are no part of the bag.

use std::fmt::Write as _;
use std::io::{BufRead, Write};
use std::path::Path;

use super::{Dataset, ExportError, Exported, each_sum, lacks, plain};
use crate::manifest::Reader;
use crate::model::{RelPath, printable};

/// `bagit.txt`.
pub const BAGIT: &str = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";

/// `bag-info.txt` for what was exported of a payload of so many bytes in so many files.
#[must_use]
pub fn bag_info(name: &str, fingerprint: &str, payload_bytes: u64, files: u64) -> String {
    let name = printable(name);
    format!(
        "External-Identifier: {name}\nBag-Software-Agent: walkaround\nPayload-Oxum: {payload_bytes}.{files}\nExternal-Description: image dataset with the walkaround fingerprint {fingerprint}\n"
    )
}

/// Writes `manifest-sha256.txt` and `fetch.txt`; gives what was exported, and bytes and number of the payload's files.
///
/// # Errors
///
/// A caption whose bytes the manifest does not hold: a bag without it would be another dataset.
pub fn bagit<R: BufRead>(
    manifest: &mut Reader<R>,
    dataset: Dataset<'_>,
    sums: &mut dyn Write,
    fetch: &mut dyn Write,
) -> Result<(Exported, u64, u64), ExportError> {
    let (mut bytes, mut files) = (0_u64, 0_u64);
    let exported = each_sum(manifest, |sum| {
        let name = escape(&plain(sum.path)?);
        writeln!(sums, "{}  data/{name}", sum.sha256)?;
        let url = file_url(&dataset.root.join(RelPath::from_escaped(sum.path).to_os()))?;
        writeln!(fetch, "{url} {} data/{name}", sum.bytes)?;
        bytes = bytes.saturating_add(sum.bytes);
        files += 1;
        Ok(())
    })?;
    if exported.captions_left_out > 0 {
        return Err(lacks("bytes of the caption", "a sample", "--sha256 --caption-text"));
    }
    sums.flush()?;
    fetch.flush()?;
    Ok((exported, bytes, files))
}

/// Line ends, and the percent signs that mark them, are written as `%0A`, `%0D` and `%25` (RFC 8493, 2.1.3).
fn escape(name: &str) -> String {
    name.replace('%', "%25").replace('\n', "%0A").replace('\r', "%0D")
}

/// A file as URL (RFC 8089).
fn file_url(path: &Path) -> Result<String, ExportError> {
    let text = path.to_str().ok_or_else(|| ExportError::NotText(printable(&path.to_string_lossy()).into_owned()))?;
    let text = if cfg!(windows) { format!("/{}", text.replace('\\', "/")) } else { text.to_owned() };
    let mut url = "file://".to_owned();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => url.push(char::from(byte)),
            byte => {
                // A string takes all text.
                let _ = write!(url, "%{byte:02X}");
            }
        }
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_as_the_rfc_says() {
        assert_eq!(escape("100%\n.png"), "100%25%0A.png");
        assert_eq!(file_url(Path::new("/a b/ä%.png")).expect("the path is text"), "file:///a%20b/%C3%A4%25.png");
    }
}
