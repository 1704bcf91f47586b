//! What became of a sample: the word for it, and what changed in it. `verify` and `diff` both speak in these.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use super::facts::{caption_differences, differences};
use super::line::{CaptionLine, SampleLine};
use crate::model::RelPath;

/// What became of a sample, by the weightiest of what happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// The folder no longer has it.
    Missing,
    /// The other manifest no longer has it.
    Removed,
    /// Its file cannot be read any more.
    Unreadable,
    /// Its bytes are others.
    Changed,
    /// Its bytes are others, and everything that the manifest says of its picture is the same: size, mode, frames, mean and
    /// perceptual hash. What is left is metadata, such as EXIF, a text or a colour profile, or a change too small to see.
    Metadata,
    /// Its bytes are the same, its caption is another, has gone or has come.
    Caption,
    /// Its content lies in the same folder under another name.
    Renamed,
    /// Its content lies in another folder.
    Moved,
    /// Its content is the same; what is said of it, or what a trainer does with it, is not.
    Facts,
    /// The folder has it and the manifest has not.
    New,
    /// The other manifest has it and the first has not.
    Added,
    /// Only the date of its file, or of its caption, is another one.
    Touched,
}

impl ChangeKind {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Removed => "removed",
            Self::Unreadable => "unreadable",
            Self::Changed => "changed",
            Self::Metadata => "metadata",
            Self::Caption => "caption",
            Self::Renamed => "renamed",
            Self::Moved => "moved",
            Self::Facts => "facts",
            Self::New => "new",
            Self::Added => "added",
            Self::Touched => "touched",
        }
    }

    /// Whether the dataset is another one by it. A date is no part of a dataset.
    #[must_use]
    pub fn counts(self) -> bool {
        self != Self::Touched
    }
}

/// What became of one sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What happened.
    pub change: ChangeKind,
    /// The sample, where it is now; where it was, if it has gone.
    pub path: String,
    /// Where it was, if it is elsewhere now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// What changed, in words, one thing each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

impl Change {
    /// Something of which no more is to be said.
    #[must_use]
    pub fn new(change: ChangeKind, path: &str) -> Self {
        Self { change, path: path.to_owned(), was: None, details: Vec::new() }
    }

    /// A sample whose content lies elsewhere now.
    #[must_use]
    pub fn relocated(old: &str, new: &str, details: Vec<String>) -> Self {
        let change = if RelPath::from(old).folder() == RelPath::from(new).folder() { ChangeKind::Renamed } else { ChangeKind::Moved };
        Self { change, path: new.to_owned(), was: Some(old.to_owned()), details }
    }

    /// What became of a sample that both lines are about; `None` if nothing did.
    #[must_use]
    pub fn between(old: &SampleLine, new: &SampleLine) -> Option<Self> {
        let details = differences(old, new);
        let change = if !is_same_content(old, new) {
            if looks_same(old, new) { ChangeKind::Metadata } else { ChangeKind::Changed }
        } else if !is_same_caption(old.caption.as_ref(), new.caption.as_ref()) {
            ChangeKind::Caption
        } else if !details.is_empty() {
            ChangeKind::Facts
        } else if dates(old) != dates(new) {
            ChangeKind::Touched
        } else {
            return None;
        };
        Some(Self { details, ..Self::new(change, &new.path) })
    }
}

/// Content that could not be read is the same as other such content of its size: nothing else is known of it.
fn is_same_content(old: &SampleLine, new: &SampleLine) -> bool {
    old.blake3 == new.blake3 && old.bytes == new.bytes
}

/// Whether both are captions of the same bytes, or neither is there.
fn is_same_caption(old: Option<&CaptionLine>, new: Option<&CaptionLine>) -> bool {
    caption_differences(old, new).is_empty()
}

fn looks_same(old: &SampleLine, new: &SampleLine) -> bool {
    let picture = |line: &SampleLine| (line.format.clone(), line.mode.clone(), line.bit_depth, line.width, line.height, line.frames);
    let verdicts = |line: &SampleLine| {
        let decode = &line.decode;
        (decode.pillow.clone(), decode.opencv.clone(), decode.strict.clone())
    };
    old.pixels.is_some() && old.pixels == new.pixels && picture(old) == picture(new) && verdicts(old) == verdicts(new)
}

fn dates(line: &SampleLine) -> (Option<&str>, Option<&str>) {
    (line.modified.as_deref(), line.caption.as_ref().and_then(|caption| caption.modified.as_deref()))
}

/// A sample without a counterpart of its path.
#[derive(Clone, Copy, Debug)]
pub struct Loose<'a> {
    /// Where it is.
    pub path: &'a str,
    /// The hash of its image, if it is known.
    pub content: Option<&'a str>,
}

/// Pairs what has gone with what has come by content, each at most once: first those of one name, then in the order of their
/// paths. Gives the positions in both lists.
#[must_use]
pub fn pair_up(gone: &[Loose<'_>], come: &[Loose<'_>]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut is_gone_paired, mut is_come_paired) = (vec![false; gone.len()], vec![false; come.len()]);
    let name = |loose: &Loose<'_>| loose.path.rsplit('/').next().unwrap_or_default().to_owned();
    for by_name in [true, false] {
        let key = |loose: &Loose<'_>| Some((loose.content?.to_owned(), if by_name { name(loose) } else { String::new() }));
        let mut waiting: BTreeMap<_, VecDeque<usize>> = BTreeMap::new();
        for (at, (loose, is_paired)) in come.iter().zip(&is_come_paired).enumerate() {
            if let (false, Some(key)) = (is_paired, key(loose)) {
                waiting.entry(key).or_default().push_back(at);
            }
        }
        for ((from, loose), is_gone_paired) in gone.iter().enumerate().zip(&mut is_gone_paired) {
            if let (false, Some(key)) = (*is_gone_paired, key(loose))
                && let Some(to) = waiting.get_mut(&key).and_then(VecDeque::pop_front)
                && let Some(is_paired) = is_come_paired.get_mut(to)
            {
                (*is_gone_paired, *is_paired) = (true, true);
                pairs.push((from, to));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_finds_its_new_place_by_name_before_order() {
        let loose = |path, content| Loose { path, content: Some(content) };
        let gone = [loose("a.png", "1"), loose("b.png", "1"), loose("c.png", "2"), Loose { path: "d.png", content: None }];
        let come = [loose("x/b.png", "1"), loose("x/z.png", "1"), loose("y.png", "3"), Loose { path: "e.png", content: None }];
        assert_eq!(pair_up(&gone, &come), [(0, 1), (1, 0)]);
    }

    #[test]
    fn another_folder_is_a_move_and_another_name_is_not() {
        assert_eq!(Change::relocated("a/x.png", "a/y.png", Vec::new()).change, ChangeKind::Renamed);
        assert_eq!(Change::relocated("a/x.png", "b/x.png", Vec::new()).change, ChangeKind::Moved);
    }
}
