//! Walks one scan: unit by unit, over restart markers and over damage, the way libjpeg goes on.
//!
//! What a unit is made of is known by `sequential` and `progressive`.

use std::time::Instant;

use super::bits::{Bits, End};
use super::damage::Damage;
use super::markers::{self, code};
use super::prefetch::{Dry, Prefetch};
use super::{Stop, timed_out};

/// What decodes the units of a scan.
pub(super) trait Units {
    /// Decodes one unit. Returns what is wrong with it, where that shows; the bits may be overdrawn afterwards.
    fn decode(&mut self, bits: &mut Bits<'_>, column: usize, row: usize) -> Result<(), &'static str>;

    /// Forgets what one unit hands to the next.
    fn restart(&mut self);

    /// Reads one unit as libjpeg reads it, to see whether its source runs dry; nothing is kept. Units of files that fail in any
    /// case when they end early, as all with several scans do, need not know.
    fn replay(&self, _source: &mut Prefetch<'_>) -> Result<(), Dry> {
        Ok(())
    }
}

/// Bytes before the end of a file from which libjpeg's reading is replayed, at least.
const REPLAY: usize = 4096;

/// Places from which reading can be replayed: unit and reader. The older one is taken, so that there is enough before the end.
#[derive(Clone, Debug)]
struct Checkpoints<'a> {
    older: (usize, Bits<'a>),
    newer: (usize, Bits<'a>),
}

impl<'a> Checkpoints<'a> {
    fn new(unit: usize, bits: &Bits<'a>) -> Self {
        Self { older: (unit, bits.clone()), newer: (unit, bits.clone()) }
    }

    #[inline]
    fn pass(&mut self, unit: usize, bits: &Bits<'a>) {
        if bits.position() > self.newer.1.position() + REPLAY {
            self.older = std::mem::replace(&mut self.newer, (unit, bits.clone()));
        }
    }

    /// Replays up to unit `total`; where libjpeg gives up, the first byte that it has not taken.
    fn replay<U: Units>(self, units: &U, total: usize) -> Option<usize> {
        let (unit, bits) = self.older;
        let mut source = Prefetch::new(&bits);
        for _ in unit..total {
            let before = source.position();
            if units.replay(&mut source).is_err() {
                return Some(before);
            }
        }
        None
    }
}

/// Where a scan runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course<'a> {
    /// The file.
    pub(super) bytes: &'a [u8],
    /// Offset of the entropy-coded data.
    pub(super) start: usize,
    /// Units in a row and rows of units.
    pub(super) units: (usize, usize),
    /// Units between restart markers; 0 for none.
    pub(super) interval: usize,
    /// Offset from which the file is zeros to its end, where that is so.
    pub(super) zeros_from: Option<usize>,
    /// When it must have ended.
    pub(super) deadline: Instant,
}

/// Where a scan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScanEnd {
    /// Where the next marker is to be looked for.
    pub(super) position: usize,
    /// Whole bytes before that were fetched and not used.
    pub(super) unused: usize,
}

/// Walks a scan. What is wrong goes to `damage`; an error is what ends the walk of the file.
pub(super) fn walk<U: Units>(units: &mut U, course: &Course<'_>, damage: &mut Damage) -> Result<ScanEnd, Stop> {
    let (columns, rows) = course.units;
    let total = columns.saturating_mul(rows);
    let (mut lost, mut done) = (0, 0);
    let result = walk_segments(units, course, damage, total, &mut done, &mut lost);
    if result.is_err() {
        lost += total - done;
    }
    damage.lose(lost, total);
    result
}

fn walk_segments<U: Units>(
    units: &mut U,
    course: &Course<'_>,
    damage: &mut Damage,
    total: usize,
    done: &mut usize,
    lost: &mut usize,
) -> Result<ScanEnd, Stop> {
    let columns = course.units.0;
    let zeros_from = course.zeros_from.unwrap_or(usize::MAX);
    let mut bits = Bits::new(course.bytes, course.start);
    let mut checkpoints = Checkpoints::new(0, &bits);
    // Whether the rest of the segment is known to be missing; libjpeg's `insufficient_data`.
    let mut dry = false;
    let mut restarts: usize = 0;
    while *done < total {
        if *done > 0 {
            if restarts.is_multiple_of(1024) && Instant::now() > course.deadline {
                return Err(timed_out());
            }
            let expected = u8::try_from(restarts % 8).unwrap_or(0);
            let (next, found) = restart(course.bytes, &bits, expected, damage)?;
            bits = next;
            dry &= !found;
            checkpoints = Checkpoints::new(*done, &bits);
            units.restart();
            restarts += 1;
        }
        let segment = if course.interval == 0 { total } else { (*done + course.interval).min(total) };
        let mut bad_from = if dry { Some(*done) } else { None };
        let (mut column, mut row) = (*done % columns, *done / columns);
        while !dry && *done < segment {
            if column == 0 && Instant::now() > course.deadline {
                return Err(timed_out());
            }
            checkpoints.pass(*done, &bits);
            let before = bits.position();
            let decoded = units.decode(&mut bits, column, row);
            if bits.overdrawn() {
                if bits.end() == Some(End::File) {
                    *lost += bad_from.map_or(0, |from| *done - from);
                    damage.truncated(course.bytes.len(), format!("the file ends in unit {} of {total}", *done + 1));
                    let at = checkpoints.replay(units, total).unwrap_or(before);
                    return Err(Stop::Starved { at });
                }
                dry = true;
                let code = course.bytes.get(bits.position() + 1).copied().unwrap_or(0);
                damage.corrupt(bits.position(), || {
                    format!("the entropy-coded data ends before all blocks: marker 0xFF{code:02X} in unit {} of {total}", *done + 1)
                });
                bad_from.get_or_insert(*done);
            } else if bad_from.is_none() {
                if let Err(what) = decoded {
                    damage.corrupt(bits.offset(), || format!("{what} in unit {} of {total}", *done + 1));
                    bad_from = Some(*done);
                } else if bits.offset() > zeros_from {
                    damage.corrupt(zeros_from, || format!("the file is zeros from unit {} of {total} to its end", *done + 1));
                    bad_from = Some(*done);
                }
            }
            *done += 1;
            column += 1;
            if column == columns {
                (column, row) = (0, row + 1);
            }
        }
        *lost += bad_from.map_or(0, |from| segment - from);
        *done = segment;
    }
    if !dry
        && markers::next(course.bytes, bits.position()).is_none()
        && let Some(at) = checkpoints.replay(units, total)
    {
        return Err(Stop::Starved { at });
    }
    Ok(ScanEnd { position: bits.position(), unused: (bits.left() / 8) as usize })
}

/// Passes the restart marker that is due, or decides what to do without it (libjpeg's `jpeg_resync_to_restart`). Returns where
/// to go on, and whether a marker was passed; if not, the segment is treated as empty.
fn restart<'a>(bytes: &'a [u8], bits: &Bits<'a>, expected: u8, damage: &mut Damage) -> Result<(Bits<'a>, bool), Stop> {
    let mut from = bits.position();
    let mut unused = (bits.left() / 8) as usize;
    loop {
        let Some(marker) = markers::next(bytes, from) else {
            damage.truncated(bytes.len(), format!("the file ends where restart marker {expected} should be"));
            return Err(Stop::Starved { at: bytes.len() });
        };
        unused += marker.skipped;
        if unused > 0 {
            damage.corrupt(marker.offset, || format!("{unused} bytes too many before restart marker {expected}"));
        }
        let ahead = marker.restart().map(|number| number.wrapping_sub(expected) & 7);
        if ahead != Some(0) {
            damage.corrupt(marker.offset, || format!("marker 0xFF{:02X} where restart marker {expected} should be", marker.code));
        }
        match ahead {
            // The next two may still come in time: treat this segment as empty.
            Some(1 | 2) => return Ok((Bits::new(bytes, marker.offset), false)),
            // A marker that came before: look further.
            Some(6 | 7) => from = marker.end(),
            Some(_) => return Ok((Bits::new(bytes, marker.end()), true)),
            None if marker.code < code::SOF0 => from = marker.end(),
            None => return Ok((Bits::new(bytes, marker.offset), false)),
        }
    }
}
