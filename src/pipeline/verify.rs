//! Whether a dataset still is what a manifest says: walks it again and compares, on worker threads.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::io::BufRead;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering as Memory};
use std::vec::IntoIter;

use rayon::ThreadPoolBuilder;
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};
use thiserror::Error;

use super::budget::Budget;
use super::inspect::Inspector;
use super::{Watch, read};
use crate::manifest::{
    CaptionLine, Change, ChangeKind, Fingerprint, HeaderLine, Loose, ReadError, Reader, SampleLine, caption_differences, date, pair_up,
};
use crate::model::{CaptionFacts, ContentHash, Inventory, NamedAs, RelPath, Sample, SampleFacts, SideFile};
use crate::settings::Settings;
use crate::walk::{self, Input, WalkError};

/// Why a dataset could not be compared with its manifest.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The dataset is not there.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The manifest cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Paths that stay where they are cannot be looked for elsewhere.
    #[error("`{0}` is given as a whole path in the manifest of several roots, and cannot be found below another root")]
    WholePath(String),
    /// The worker threads could not be started.
    #[error("failed to start the worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Where the dataset of a manifest is, and how it is walked.
#[derive(Debug)]
pub struct Revisit {
    /// What to walk, and with which options. Threads and memory may be set.
    pub settings: Settings,
    /// What samples' paths begin with in the walk and not in the manifest.
    prefix: RelPath,
}

impl Revisit {
    /// The dataset of a manifest: the roots as they were typed, from the current folder on, or below `root`. A single folder
    /// may be called otherwise than it was: `root` is that folder itself.
    ///
    /// `listed` are the paths of the samples, which stand for a list of files where there was one.
    ///
    /// # Errors
    ///
    /// Several roots that were given as whole paths cannot lie below `root`.
    pub fn new(header: &HeaderLine, root: Option<&Path>, listed: &[String]) -> Result<Self, VerifyError> {
        let walk = header.walk.clone().unwrap_or_default();
        let typed: Vec<PathBuf> = if walk.inputs.is_empty() {
            header.roots.iter().map(PathBuf::from).collect()
        } else {
            walk.inputs.iter().map(|input| RelPath::from_escaped(&input.path).to_os()).collect()
        };
        let is_list = walk.inputs.iter().any(|input| input.list);
        let mut prefix = RelPath::from("");
        let inputs = match (root, typed.as_slice()) {
            (None, _) if is_list => vec![list(listed, Path::new(""))],
            (Some(root), _) if is_list => {
                prefix = RelPath::from_os(root);
                vec![list(listed, root)]
            }
            (None, typed) => typed.iter().cloned().map(Input::Path).collect(),
            (Some(root), [_]) => vec![Input::Path(root.to_owned())],
            (Some(root), typed) => {
                if let Some(whole) = typed.iter().find(|path| path.is_absolute()) {
                    return Err(VerifyError::WholePath(RelPath::from_os(whole).printable().into_owned()));
                }
                prefix = RelPath::from_os(root);
                typed.iter().map(|path| Input::Path(root.join(path))).collect()
            }
        };
        let mut settings = Settings::new(inputs);
        settings.walk.caption_extension.clone_from(&header.settings.caption_extension);
        settings.walk.follow_links = walk.follow_links;
        settings.walk.hidden = walk.hidden;
        Ok(Self { settings, prefix })
    }

    /// Whether the paths of all samples must be known beforehand.
    #[must_use]
    pub fn needs_paths(header: &HeaderLine) -> bool {
        header.walk.as_ref().is_some_and(|walk| walk.inputs.iter().any(|input| input.list))
    }
}

fn list(paths: &[String], root: &Path) -> Input {
    let paths = paths.iter().map(|path| root.join(RelPath::from_escaped(path).to_os())).collect();
    Input::List { typed: "-".to_owned(), paths }
}

/// What a dataset is, compared with its manifest.
#[derive(Debug)]
pub struct Verification {
    /// What became of samples, in the order of their paths; samples of which nothing became are left out.
    pub changes: Vec<Change>,
    /// Samples that are there now.
    pub samples: u64,
    /// The fingerprint of the dataset as it is now. Files that were not read count with the manifest's hashes.
    pub fingerprint: String,
    /// Whether part of the dataset was not looked at.
    pub interrupted: bool,
}

/// Compares a dataset with its manifest.
///
/// A file of the size and the date that the manifest says is taken for unchanged, unless `full` has every file read. What a
/// changed image has become is worked out with the settings' defaults; nothing is taken from a cache.
///
/// # Errors
///
/// What cannot be walked at all, and a manifest that cannot be read to its end. Files that cannot be read are changes.
pub fn verify<R: BufRead + Send>(
    manifest: &mut Reader<R>,
    revisit: &Revisit,
    full: bool,
    watch: &dyn Watch,
    cancel: &AtomicBool,
) -> Result<Verification, VerifyError> {
    let settings = &revisit.settings;
    let inventory = walk::walk(&settings.inputs, &settings.walk)?;
    watch.walked(inventory.samples.len() as u64, inventory.samples.iter().map(|sample| sample.size_bytes).sum());
    let worker = Worker {
        inventory: &inventory,
        prefix: revisit.prefix.as_str(),
        inspector: Inspector::new(settings),
        files: Budget::new(settings.memory_bytes - settings.decoding_bytes()),
        decoding: Budget::new(settings.decoding_bytes()),
        full,
        watch,
    };
    let samples: Vec<&Sample> = inventory.samples.iter().collect();
    let mut failure = None;
    let both = Both { manifest, old: None, samples: samples.into_iter().peekable(), prefix: worker.prefix, failure: &mut failure, cancel };
    let pool = ThreadPoolBuilder::new().num_threads(settings.threads.get()).build()?;
    let mut seen: Vec<Seen> = pool.install(|| both.par_bridge().filter_map(|pair| worker.see(pair)).collect());
    if let Some(error) = failure {
        return Err(error.into());
    }
    watch.closing();
    seen.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(conclude(seen, cancel.load(Memory::Relaxed)))
}

/// A sample of the manifest, of the walk, or of both.
type Pair<'a> = (Option<Box<SampleLine>>, Option<&'a Sample>);

/// The manifest and the walk, merged by path.
struct Both<'a, R> {
    manifest: &'a mut Reader<R>,
    /// A line that waits for its turn.
    old: Option<Box<SampleLine>>,
    samples: Peekable<IntoIter<&'a Sample>>,
    prefix: &'a str,
    failure: &'a mut Option<ReadError>,
    cancel: &'a AtomicBool,
}

impl<'a, R: BufRead> Iterator for Both<'a, R> {
    type Item = Pair<'a>;

    fn next(&mut self) -> Option<Pair<'a>> {
        if self.cancel.load(Memory::Relaxed) || self.failure.is_some() {
            return None;
        }
        if self.old.is_none() {
            match self.manifest.next().transpose() {
                Ok(line) => self.old = line.map(Box::new),
                Err(error) => {
                    *self.failure = Some(error);
                    return None;
                }
            }
        }
        let order = match (&self.old, self.samples.peek()) {
            (Some(old), Some(sample)) => old.path.as_str().cmp(below(&sample.path, self.prefix)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        Some(match order {
            Ordering::Less => (self.old.take(), None),
            Ordering::Greater => (None, self.samples.next()),
            Ordering::Equal => (self.old.take(), self.samples.next()),
        })
    }
}

/// A path of the walk as the manifest spells it.
fn below<'a>(path: &'a RelPath, prefix: &str) -> &'a str {
    path.below_prefix(prefix).unwrap_or(path.as_str())
}

/// What was seen of a sample.
#[derive(Debug)]
struct Seen {
    path: String,
    /// The hash of its image: as it is now, or as it was, if it has gone.
    content: Option<String>,
    /// The hash of its caption, likewise.
    caption: Option<String>,
    place: Place,
    change: Option<Change>,
}

/// Which of the two know a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Gone,
    Come,
    Both,
}

struct Worker<'a> {
    inventory: &'a Inventory,
    prefix: &'a str,
    inspector: Inspector<'a>,
    files: Budget,
    decoding: Budget,
    full: bool,
    watch: &'a dyn Watch,
}

impl Worker<'_> {
    fn see(&self, pair: Pair<'_>) -> Option<Seen> {
        match pair {
            (Some(old), Some(sample)) => {
                self.watch.started(&sample.path);
                let seen = self.compare(*old, sample);
                self.watch.finished(&sample.path, sample.size_bytes);
                Some(seen)
            }
            (Some(old), None) => {
                let caption = old.caption.and_then(|caption| caption.blake3);
                Some(Seen { path: old.path, content: old.blake3, caption, place: Place::Gone, change: None })
            }
            (None, Some(sample)) => self.come(sample),
            (None, None) => None,
        }
    }

    /// A sample that the manifest does not know; `None` for a file of unknown name that turns out to be no image.
    fn come(&self, sample: &Sample) -> Option<Seen> {
        let path = walk::locate(self.inventory, &sample.path);
        if sample.named_as == NamedAs::Unknown && path.as_deref().is_some_and(read::is_no_image) {
            return None;
        }
        self.watch.started(&sample.path);
        let hash = |path: Option<&Path>, size, limit| {
            let _held = self.files.take(size);
            read::whole(path, limit).ok().map(|bytes| blake3::hash(&bytes).to_hex().to_string())
        };
        let content = hash(path.as_deref(), sample.size_bytes, self.files.total());
        let caption = sample
            .caption
            .as_ref()
            .and_then(|file| hash(walk::locate(self.inventory, &file.path).as_deref(), file.size_bytes, read::MAX_CAPTION));
        self.watch.finished(&sample.path, sample.size_bytes);
        Some(Seen { path: below(&sample.path, self.prefix).to_owned(), content, caption, place: Place::Come, change: None })
    }

    fn compare(&self, old: SampleLine, sample: &Sample) -> Seen {
        let mut new = old.clone();
        new.modified = sample.modified.and_then(date);
        let mut trouble = None;
        let is_as_dated = old.bytes == sample.size_bytes && old.blake3.is_some() && new.modified.is_some() && old.modified == new.modified;
        if self.full || !is_as_dated {
            trouble = self.image(sample, &old, &mut new);
        }
        new.caption = sample.caption.as_ref().and_then(|file| self.caption(file, old.caption.as_ref()));
        let change = match trouble {
            Some(trouble) => {
                let mut change = Change::new(ChangeKind::Unreadable, &old.path);
                change.details.push(trouble);
                change.details.extend(caption_differences(old.caption.as_ref(), new.caption.as_ref()));
                Some(change)
            }
            None => Change::between(&old, &new),
        };
        let caption = new.caption.and_then(|caption| caption.blake3);
        Seen { path: old.path, content: new.blake3, caption, place: Place::Both, change }
    }

    /// Reads the image, and brings the line up to date if it is another one. Says why it cannot be read, if it could be before.
    fn image(&self, sample: &Sample, old: &SampleLine, new: &mut SampleLine) -> Option<String> {
        let _held = self.files.take(sample.size_bytes);
        let bytes = match read::whole(walk::locate(self.inventory, &sample.path).as_deref(), self.files.total()) {
            Ok(bytes) => bytes,
            Err(fault) => {
                (new.bytes, new.blake3) = (sample.size_bytes, None);
                return old.blake3.is_some().then(|| fault.to_string());
            }
        };
        let content = ContentHash(*blake3::hash(&bytes).as_bytes());
        if old.blake3.as_deref() != Some(content.to_string().as_str()) {
            let facts = self.inspector.image(Ok(&bytes), Some(content), |bytes| self.decoding.take(bytes));
            let report = self.inspector.judge(SampleFacts::new(sample.clone(), facts, CaptionFacts::Missing));
            let line = SampleLine::new(&report, false);
            // What the trainer does with it is nothing that the folder holds, and its settings are not known here.
            let placements = std::mem::take(&mut new.placements);
            *new = SampleLine { path: old.path.clone(), bytes: bytes.len() as u64, placements, ..line };
        }
        None
    }

    /// The caption as it is now.
    fn caption(&self, file: &SideFile, old: Option<&CaptionLine>) -> Option<CaptionLine> {
        let modified = file.modified.and_then(date);
        let is_as_dated = |old: &&CaptionLine| {
            old.blake3.is_some() && old.bytes == Some(file.size_bytes) && modified.is_some() && old.modified == modified
        };
        if let Some(old) = old.filter(|_| !self.full).filter(is_as_dated) {
            return Some(old.clone());
        }
        let _held = self.files.take(file.size_bytes);
        let bytes = read::whole(walk::locate(self.inventory, &file.path).as_deref(), read::MAX_CAPTION);
        let hash = bytes.as_ref().ok().map(|bytes| blake3::hash(bytes).to_hex().to_string());
        if let Some(old) = old.filter(|old| hash.is_some() && old.blake3 == hash) {
            // A manifest without dates of captions cannot tell that one has changed.
            let modified = old.modified.is_some().then_some(modified).flatten();
            return Some(CaptionLine { modified, ..old.clone() });
        }
        let facts = self.inspector.caption(&file.path, bytes.as_deref().map_err(Clone::clone));
        CaptionLine::new(&facts, file.modified, false)
    }
}

fn loose<'a>(seen: &[&'a Seen]) -> Vec<Loose<'a>> {
    seen.iter().map(|seen| Loose { path: &seen.path, content: seen.content.as_deref() }).collect()
}

/// Pairs what has gone with what has come, and adds up.
fn conclude(mut seen: Vec<Seen>, interrupted: bool) -> Verification {
    let of = |place| move |seen: &&Seen| seen.place == place;
    let gone: Vec<&Seen> = seen.iter().filter(of(Place::Gone)).collect();
    let come: Vec<&Seen> = seen.iter().filter(of(Place::Come)).collect();
    let mut relocated: Vec<Change> = Vec::new();
    for (from, to) in pair_up(&loose(&gone), &loose(&come)) {
        if let (Some(from), Some(to)) = (gone.get(from), come.get(to)) {
            let details = match (&from.caption, &to.caption) {
                (from, to) if from == to => Vec::new(),
                (Some(_), None) => vec!["caption has gone".to_owned()],
                (None, Some(_)) => vec!["caption is new".to_owned()],
                _ => vec!["caption has another text".to_owned()],
            };
            relocated.push(Change::relocated(&from.path, &to.path, details));
        }
    }
    let mut fingerprint = Fingerprint::new();
    let mut samples = 0;
    let bytes = |hash: &Option<String>| hash.as_deref().and_then(|hash| blake3::Hash::from_hex(hash).ok());
    for seen in seen.iter().filter(|seen| seen.place != Place::Gone) {
        let (image, caption) = (bytes(&seen.content), bytes(&seen.caption));
        fingerprint.add(&seen.path, image.as_ref().map(blake3::Hash::as_bytes), caption.as_ref().map(blake3::Hash::as_bytes));
        samples += 1;
    }
    let is_relocated: BTreeSet<&str> =
        relocated.iter().flat_map(|change| [Some(change.path.as_str()), change.was.as_deref()]).flatten().collect();
    let mut changes: Vec<Change> = Vec::new();
    for seen in &mut seen {
        match seen.place {
            Place::Gone if !is_relocated.contains(seen.path.as_str()) => changes.push(Change::new(ChangeKind::Missing, &seen.path)),
            Place::Come if !is_relocated.contains(seen.path.as_str()) => changes.push(Change::new(ChangeKind::New, &seen.path)),
            _ => changes.extend(seen.change.take()),
        }
    }
    changes.extend(relocated);
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    // What was not looked at has neither gone nor come.
    if interrupted {
        changes.retain(|change| !matches!(change.change, ChangeKind::Missing | ChangeKind::New));
    }
    Verification { changes, samples, fingerprint: fingerprint.finish(), interrupted }
}
