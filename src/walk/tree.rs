//! Lists folders: every entry below a root becomes a file to pair, an oddity, or nothing but a count.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::names::{NameClass, classify, is_hidden, is_junk_folder};
use super::pairing::Entry;
use super::roots::{Plan, Start, special};
use super::{Found, WalkOptions, links};
use crate::model::{FileIdentity, Oddity, OddityKind, RelPath, SystemFileKind};

/// How often one folder is listed through links. Folders whose links lead to each other several times over would be
/// listed a number of times that grows exponentially with their depth; real datasets share a folder between a few concepts.
const MAX_VISITS_BY_LINK: u32 = 16;

/// Lists all folders of the plan. Files that were also named one by one are taken out of the plan.
pub(super) fn walk_folders(plan: &mut Plan, options: &WalkOptions, found: &mut Found) {
    let singles: HashSet<PathBuf> = plan.singles.iter().map(|single| single.real.clone()).collect();
    let mut listing =
        Listing { options, found, roots: plan.folders.iter().map(|start| start.real.clone()).collect(), singles, visits: HashMap::new() };
    for start in &plan.folders {
        listing.walk(start);
    }
    let left = listing.singles;
    plan.singles.retain(|single| left.contains(&single.real));
}

struct Listing<'a> {
    options: &'a WalkOptions,
    found: &'a mut Found,
    /// Real paths of all roots: one below another is left to itself.
    roots: HashSet<PathBuf>,
    /// Real paths of files that were named and have not turned up yet.
    singles: HashSet<PathBuf>,
    /// How often a folder was reached by a link.
    visits: HashMap<PathBuf, u32>,
}

/// A junk folder that is being counted.
struct Junk {
    depth: usize,
    path: RelPath,
    files: u64,
    images: u64,
}

/// What to do with a folder.
#[derive(PartialEq, Eq)]
enum Descend {
    Yes,
    No,
}

impl Listing<'_> {
    fn walk(&mut self, start: &Start) {
        let mut junk: Option<Junk> = None;
        // Depth of the hidden folder that the walk is in.
        let mut hidden: Option<usize> = None;
        let mut entries = WalkDir::new(&start.folder).min_depth(1).follow_links(self.options.follow_links).sort_by_file_name().into_iter();
        while let Some(next) = entries.next() {
            let depth = next.as_ref().map_or_else(walkdir::Error::depth, DirEntry::depth);
            if let Some(done) = junk.take_if(|junk| depth <= junk.depth) {
                self.finish_junk(done);
            }
            hidden = hidden.filter(|folder| depth > *folder);
            let entry = match next {
                Ok(entry) => entry,
                Err(error) => {
                    // What cannot be read inside of a junk folder does not matter to anybody.
                    if junk.is_none() {
                        self.add_error(&error, start);
                    }
                    continue;
                }
            };
            let path = reported(entry.path(), start);
            let descend = if let Some(junk) = &mut junk {
                self.count_junk(junk, &entry, path)
            } else if entry.file_type().is_dir() {
                let name = path.name();
                if is_junk_folder(name) && !entry.path_is_symlink() {
                    junk = Some(Junk { depth, path, files: 0, images: 0 });
                    Descend::Yes
                } else {
                    if is_hidden(name) && !self.options.hidden && hidden.is_none() {
                        hidden = Some(depth);
                    }
                    self.enter(&entry, path, start)
                }
            } else {
                self.add_file(&entry, path, start, hidden.is_some());
                Descend::Yes
            };
            if descend == Descend::No && entry.file_type().is_dir() {
                entries.skip_current_dir();
            }
        }
        if let Some(junk) = junk {
            self.finish_junk(junk);
        }
    }

    /// Counts what lies in a junk folder. Its `AppleDouble` files are oddities of their own, so that those of an archive
    /// made on macOS, half of which lie in `__MACOSX`, make one finding.
    fn count_junk(&mut self, junk: &mut Junk, entry: &DirEntry, path: RelPath) -> Descend {
        if entry.file_type().is_dir() {
            return if entry.path_is_symlink() { Descend::No } else { Descend::Yes };
        }
        self.found.files += 1;
        match classify(path.name(), &self.options.caption_extension) {
            NameClass::System(kind @ SystemFileKind::AppleDouble) => self.add_oddity(path, OddityKind::SystemFile(kind)),
            class => {
                junk.files += 1;
                junk.images += u64::from(matches!(class, NameClass::Image(_)));
            }
        }
        Descend::Yes
    }

    fn finish_junk(&mut self, junk: Junk) {
        self.add_oddity(junk.path, OddityKind::JunkFolder { files: junk.files, images: junk.images });
    }

    /// Decides whether a folder is listed: not if it is a root of its own, or a link that was followed too often.
    fn enter(&mut self, entry: &DirEntry, path: RelPath, start: &Start) -> Descend {
        if self.roots.len() == 1 && !entry.path_is_symlink() {
            return Descend::Yes;
        }
        let Ok(real) = fs::canonicalize(entry.path()) else { return Descend::Yes };
        if entry.path_is_symlink() {
            let visits = self.visits.entry(real.clone()).or_default();
            *visits += 1;
            if *visits > MAX_VISITS_BY_LINK {
                self.add_oddity(path, OddityKind::SkippedLink(links::target(entry.path())));
                return Descend::No;
            }
            if !real.starts_with(&start.real) {
                self.add_oddity(path, OddityKind::OutsideLink(links::target(entry.path())));
            }
            return Descend::Yes;
        }
        if self.roots.contains(&real) && real != start.real { Descend::No } else { Descend::Yes }
    }

    fn add_file(&mut self, entry: &DirEntry, path: RelPath, start: &Start, is_in_hidden: bool) {
        self.found.files += 1;
        if let Some(what) = special(entry.file_type()) {
            return self.add_oddity(path, OddityKind::Special(what));
        }
        if entry.path_is_symlink() {
            if !self.options.follow_links {
                return self.add_oddity(path, links::why_skipped(entry.path(), &start.real));
            }
            if let kind @ OddityKind::OutsideLink(_) = links::why_skipped(entry.path(), &start.real) {
                self.add_oddity(path.clone(), kind);
            }
        }
        let class = classify(path.name(), &self.options.caption_extension);
        let is_left_out = !self.options.hidden && (is_in_hidden || is_hidden(path.name()));
        match class {
            NameClass::System(kind) => self.add_oddity(path, OddityKind::SystemFile(kind)),
            NameClass::Image(_) if is_left_out => self.add_oddity(path, OddityKind::HiddenImage),
            NameClass::Other => {}
            _ if is_left_out => {}
            class => match entry.metadata() {
                Ok(metadata) => {
                    if !self.singles.is_empty()
                        && let Ok(below) = entry.path().strip_prefix(&start.folder)
                    {
                        self.singles.remove(&start.real.join(below));
                    }
                    self.found.entries.push(Entry {
                        path,
                        size_bytes: metadata.len(),
                        modified: metadata.modified().ok(),
                        identity: FileIdentity::of(&metadata),
                        class,
                    });
                }
                Err(error) => self.add_error(&error, start),
            },
        }
    }

    fn add_error(&mut self, error: &walkdir::Error, start: &Start) {
        let place = error.path().unwrap_or(&start.folder);
        let kind = if error.loop_ancestor().is_some() {
            OddityKind::LinkLoop(links::target(place))
        } else if place.is_symlink() && fs::metadata(place).is_err() {
            self.found.files += 1;
            links::why_broken(place)
        } else {
            OddityKind::Unreadable(error.io_error().map_or_else(|| error.to_string(), ToString::to_string))
        };
        self.add_oddity(reported(place, start), kind);
    }

    fn add_oddity(&mut self, path: RelPath, kind: OddityKind) {
        self.found.oddities.push(Oddity { path, kind });
    }
}

fn reported(path: &Path, start: &Start) -> RelPath {
    RelPath::from_os(path.strip_prefix(&start.folder).unwrap_or(path)).below(start.prefix.as_str())
}
