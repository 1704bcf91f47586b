//! What differs between two manifests, sample by sample: a merge of both, sorted as they are.

use std::cmp::Ordering;
use std::io::{self, BufRead};

use thiserror::Error;

use super::change::{Change, ChangeKind, Loose, pair_up};
use super::facts::differences;
use super::line::SampleLine;
use super::read::{ReadError, Reader};

/// Why two manifests could not be compared to the end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DiffError {
    /// One of them cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// What differs could not be written.
    #[error("failed to write the differences: {0}")]
    Output(#[from] io::Error),
}

/// Tells `emit` of every difference: first what changed in its place, in the order of the paths, then what is elsewhere, then
/// what was removed and what was added.
///
/// Holds one line of each manifest, and those lines that have no counterpart of their path, without the captions' text.
pub fn diff<A: BufRead, B: BufRead>(
    old: &mut Reader<A>,
    new: &mut Reader<B>,
    mut emit: impl FnMut(&Change) -> io::Result<()>,
) -> Result<(), DiffError> {
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    let (mut left, mut right) = (old.next().transpose()?, new.next().transpose()?);
    loop {
        let order = match (&left, &right) {
            (Some(left), Some(right)) => left.path.cmp(&right.path),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        match order {
            Ordering::Less => {
                gone.extend(left.take().map(without_text));
                left = old.next().transpose()?;
            }
            Ordering::Greater => {
                come.extend(right.take().map(without_text));
                right = new.next().transpose()?;
            }
            Ordering::Equal => {
                if let Some(change) = left.as_ref().zip(right.as_ref()).and_then(|(left, right)| Change::between(left, right)) {
                    emit(&change)?;
                }
                (left, right) = (old.next().transpose()?, new.next().transpose()?);
            }
        }
    }
    unpaired(&gone, &come, emit).map_err(DiffError::Output)
}

/// Tells of samples that have no counterpart of their path.
fn unpaired(gone: &[SampleLine], come: &[SampleLine], mut emit: impl FnMut(&Change) -> io::Result<()>) -> io::Result<()> {
    let pairs = pair_up(&loose(gone), &loose(come));
    let (mut is_paired_from, mut is_paired_to) = (vec![false; gone.len()], vec![false; come.len()]);
    for (from, to) in pairs {
        if let (Some(old), Some(new), Some(is_from), Some(is_to)) =
            (gone.get(from), come.get(to), is_paired_from.get_mut(from), is_paired_to.get_mut(to))
        {
            (*is_from, *is_to) = (true, true);
            emit(&Change::relocated(&old.path, &new.path, differences(old, new)))?;
        }
    }
    let unpaired = |lines: &[SampleLine], is_paired: &[bool], kind| -> Vec<Change> {
        lines.iter().zip(is_paired).filter(|(_, is_paired)| !**is_paired).map(|(line, _)| Change::new(kind, &line.path)).collect()
    };
    let removed = unpaired(gone, &is_paired_from, ChangeKind::Removed);
    let added = unpaired(come, &is_paired_to, ChangeKind::Added);
    removed.iter().chain(&added).try_for_each(emit)
}

fn loose(lines: &[SampleLine]) -> Vec<Loose<'_>> {
    lines.iter().map(|line| Loose { path: &line.path, content: line.blake3.as_deref() }).collect()
}

fn without_text(mut line: SampleLine) -> SampleLine {
    if let Some(caption) = &mut line.caption {
        caption.text = None;
    }
    line
}
