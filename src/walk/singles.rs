//! Files that were named one by one, and the captions that lie beside them.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::names::{NameClass, classify, strip_caption};
use super::pairing::Entry;
use super::roots::{Plan, Single, special};
use super::{Found, WalkOptions};
use crate::model::{FileIdentity, Oddity, OddityKind, RelPath};

/// Looks at the files of the plan. Each folder that holds some is listed once, for their captions: looking for every name
/// that a caption may have would cost a dozen calls a file.
pub(super) fn walk_singles(plan: &Plan, options: &WalkOptions, found: &mut Found) {
    let mut folders: BTreeMap<(&Path, &str), Vec<&Single>> = BTreeMap::new();
    for single in &plan.singles {
        let Some(folder) = single.path.parent() else { continue };
        folders.entry((folder, single.reported.folder())).or_default().push(single);
    }
    for ((folder, reported), singles) in folders {
        let mut has_image = false;
        for single in &singles {
            found.files += 1;
            has_image |= add(&single.path, single.reported.clone(), &options.caption_extension, found);
        }
        if has_image {
            add_captions(folder, reported, &singles, options, found);
        }
    }
}

/// Adds a file; says whether it may be an image.
fn add(path: &Path, reported: RelPath, caption_extension: &str, found: &mut Found) -> bool {
    let class = classify(reported.name(), caption_extension);
    match class {
        NameClass::System(kind) => found.oddities.push(Oddity { path: reported, kind: OddityKind::SystemFile(kind) }),
        NameClass::Other => {}
        class => match fs::metadata(path) {
            // Asked behind the link: what is no file is never opened, since a FIFO would hang whoever reads it.
            Ok(metadata) if !metadata.is_file() => {
                let what = if metadata.is_dir() { "a folder" } else { special(metadata.file_type()).unwrap_or("something unknown") };
                found.oddities.push(Oddity { path: reported, kind: OddityKind::Special(what) });
            }
            Ok(metadata) => {
                found.entries.push(Entry {
                    path: reported,
                    size_bytes: metadata.len(),
                    modified: metadata.modified().ok(),
                    identity: FileIdentity::of(&metadata),
                    class,
                });
                return matches!(class, NameClass::Image(_) | NameClass::Unknown);
            }
            Err(error) => found.oddities.push(Oddity { path: reported, kind: OddityKind::Unreadable(error.to_string()) }),
        },
    }
    false
}

/// Adds the captions of these files from their folder, unless they were named themselves.
fn add_captions(folder: &Path, reported: &str, singles: &[&Single], options: &WalkOptions, found: &mut Found) {
    let stems: HashSet<&str> = singles.iter().map(|single| single.reported.stem()).collect();
    let named: HashSet<&str> = singles.iter().map(|single| single.reported.name()).collect();
    let listing = match fs::read_dir(folder) {
        Ok(listing) => listing,
        Err(error) => {
            let kind = OddityKind::Unreadable(error.to_string());
            return found.oddities.push(Oddity { path: RelPath::from(reported), kind });
        }
    };
    let mut captions: Vec<(RelPath, PathBuf)> = Vec::new();
    for entry in listing.flatten() {
        let path = RelPath::from_os(Path::new(&entry.file_name()));
        let stem = match classify(path.name(), &options.caption_extension) {
            NameClass::Caption => strip_caption(path.name(), &options.caption_extension),
            NameClass::CaptionLike => Some(path.stem()),
            _ => None,
        };
        let may_be_read = entry.file_type().is_ok_and(|kind| kind.is_file() || (kind.is_symlink() && options.follow_links));
        if may_be_read && stem.is_some_and(|stem| stems.contains(stem)) && !named.contains(path.name()) {
            captions.push((path, entry.path()));
        }
    }
    captions.sort_unstable();
    for (name, path) in captions {
        found.files += 1;
        add(&path, name.below(reported), &options.caption_extension, found);
    }
}
