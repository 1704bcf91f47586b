//! P103: a path or name at or beyond the length that systems allow.

use std::collections::HashMap;

use crate::checks::component::{below_root, files, level_where};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Inventory, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports files whose whole path has 260 characters or more, and names so long that a cache file beside the image could not
    /// be named after it. The first is information where paths may be longer, which is everywhere but on Windows.
    ///
    /// ## Why it matters
    /// Windows opens paths of up to 259 characters unless a registry setting and the program allow more; beyond that the file is
    /// "not found" although it is listed. Names have at most 255 bytes on Linux, and trainers append to them: sd-scripts
    /// (48d368fa) writes `<name>_1024x1024_sdxl.npz`, so the run stops while latents are cached.
    ///
    /// ## Example
    /// A picture saved under the whole prompt that made it.
    ///
    /// ## What to do
    /// Shorten the name, or move the dataset to a shorter path.
    P103 "path-too-long", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

/// Characters of a path on Windows, its end mark included (Microsoft, "Maximum Path Length Limitation").
const MAX_PATH: usize = 260;
/// Bytes of a name on Linux (`NAME_MAX`).
const NAME_MAX: usize = 255;
/// Longest of what sd-scripts and musubi-tuner put behind a stem: `_1024x1024_f2k4b.safetensors`.
const CACHE_SUFFIX: usize = 28;

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let (mut paths, mut longest) = (Vec::new(), 0);
    let mut folders: HashMap<&str, usize> = HashMap::new();
    for file in files(facts) {
        let folder = *folders.entry(file.folder()).or_insert_with(|| whole_length(facts.inventory, file.folder()));
        let length = folder + 1 + utf16_length(file.name());
        if length >= MAX_PATH {
            longest = longest.max(length);
            paths.push(file.clone());
        }
    }
    if !paths.is_empty() {
        let number = paths.len();
        let message = format!(
            "{number} {} of {MAX_PATH} characters or more, the longest of {longest}: Windows opens up to {}",
            if number == 1 { "path" } else { "paths" },
            MAX_PATH - 1
        );
        out.report_all(paths, message)
            .level(level_where(cfg!(windows)))
            .evidence("longest", longest)
            .evidence("limit", MAX_PATH - 1)
            .means(Outcome::Stop, Phase::DatasetScan, "on Windows opening raises FileNotFoundError for a file that is listed")
            .help("shorten the names, or move the dataset to a shorter path");
    }

    let (mut names, mut longest) = (Vec::new(), 0);
    for line in facts.samples {
        let bytes = RelPath::from(line.path.stem()).to_os().as_os_str().len();
        if bytes + CACHE_SUFFIX > NAME_MAX {
            longest = longest.max(bytes);
            names.push(line.path.clone());
        }
    }
    if !names.is_empty() {
        let number = names.len();
        let message = format!(
            "{number} {} longer than {} bytes, the longest of {longest}: with what trainers append for caches it passes {NAME_MAX}",
            if number == 1 { "name is" } else { "names are" },
            NAME_MAX - CACHE_SUFFIX
        );
        out.report_all(names, message)
            .evidence("longest", longest)
            .evidence("limit", NAME_MAX - CACHE_SUFFIX)
            .means(Outcome::Stop, Phase::Caching, "writing the cache file raises \"File name too long\"")
            .help("shorten the names, captions along with their images");
    }
}

/// Length of a folder's absolute path in UTF-16 units, as Windows counts.
fn whole_length(inventory: &Inventory, folder: &str) -> usize {
    let folder = RelPath::from(folder);
    let rest = below_root(inventory, &folder);
    let prefix = folder.as_str().strip_suffix(rest).unwrap_or_default().trim_end_matches('/');
    let root = inventory.roots.iter().find(|root| root.prefix.as_str().trim_end_matches('/') == prefix);
    let root = root.map_or(0, |root| root.folder.to_string_lossy().encode_utf16().count());
    if rest.is_empty() { root } else { root + 1 + utf16_length(rest) }
}

fn utf16_length(path: &str) -> usize {
    RelPath::from(path).to_os().to_string_lossy().encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy, rooted};
    use crate::model::Level;

    #[test]
    fn the_root_counts() {
        // 8 for the root, 1 for the separator, and the path below it.
        let name = |length: usize| format!("{}/{}.png", "d".repeat(100), "n".repeat(length - 9 - 105));
        assert!(findings_in(&CHECK, &[healthy(&name(259))], rooted("/data/ab")).is_empty());
        let findings = findings_in(&CHECK, &[healthy(&name(260))], rooted("/data/ab"));
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].paths.len(), &findings[0].evidence["longest"]), (2, &260.into()));
        assert_eq!(findings[0].level, if cfg!(windows) { Level::Warning } else { Level::Info });
    }

    #[test]
    fn a_name_without_room_for_its_cache_is_reported() {
        let findings = findings_in(&CHECK, &[healthy(&format!("{}.png", "ä".repeat(114)))], rooted("/"));
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].level, &findings[0].evidence["longest"]), (Level::Warning, &228.into()));
        assert!(findings_in(&CHECK, &[healthy(&format!("{}.png", "n".repeat(227)))], rooted("/")).is_empty());
    }
}
