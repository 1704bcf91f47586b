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
    fn replay<U: Units>(&self, units: &U, total: usize) -> Option<usize> {
        let (unit, bits) = &self.older;
        let mut source = Prefetch::new(bits);
        for _ in *unit..total {
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
    let bits = Bits::new(course.bytes, course.start);
    let checkpoints = Checkpoints::new(0, &bits);
    let total = course.units.0.saturating_mul(course.units.1);
    let mut run = Run { units, course, damage, bits, checkpoints, total, done: 0, lost: 0, dry: false };
    let result = run.segments();
    let lost = run.lost + if result.is_err() { total - run.done } else { 0 };
    damage.lose(lost, total);
    result
}

/// A walk through a scan under way.
struct Run<'a, 'w, U> {
    units: &'w mut U,
    course: &'w Course<'a>,
    damage: &'w mut Damage,
    bits: Bits<'a>,
    checkpoints: Checkpoints<'a>,
    /// Units of the scan, those that were passed, and those of them that are lost.
    total: usize,
    done: usize,
    lost: usize,
    /// Whether the rest of the segment is known to be missing; libjpeg's `insufficient_data`.
    dry: bool,
}

impl<U: Units> Run<'_, '_, U> {
    fn segments(&mut self) -> Result<ScanEnd, Stop> {
        let interval = if self.course.interval == 0 { self.total } else { self.course.interval };
        let mut restarts: usize = 0;
        while self.done < self.total {
            if self.done > 0 {
                if restarts.is_multiple_of(1024) {
                    self.look_at_the_clock()?;
                }
                self.restart(u8::try_from(restarts % 8).unwrap_or(0))?;
                restarts += 1;
            }
            self.segment(self.done.saturating_add(interval).min(self.total))?;
        }
        if !self.dry
            && markers::next(self.course.bytes, self.bits.position()).is_none()
            && let Some(at) = self.checkpoints.replay(self.units, self.total)
        {
            return Err(Stop::Starved { at });
        }
        Ok(ScanEnd { position: self.bits.position(), unused: (self.bits.left() / 8) as usize })
    }

    fn look_at_the_clock(&self) -> Result<(), Stop> {
        if Instant::now() > self.course.deadline { Err(timed_out()) } else { Ok(()) }
    }

    /// Decodes units up to `end`, or as many as there are.
    fn segment(&mut self, end: usize) -> Result<(), Stop> {
        let columns = self.course.units.0;
        let zeros_from = self.course.zeros_from.unwrap_or(usize::MAX);
        let mut bad_from = self.dry.then_some(self.done);
        let (mut column, mut row) = (self.done % columns, self.done / columns);
        while !self.dry && self.done < end {
            if column == 0 {
                self.look_at_the_clock()?;
            }
            self.checkpoints.pass(self.done, &self.bits);
            let before = self.bits.position();
            let decoded = self.units.decode(&mut self.bits, column, row);
            let place = || format!("unit {} of {}", self.done + 1, self.total);
            if self.bits.overdrawn() {
                let at = self.bits.position();
                if self.bits.end() == Some(End::File) {
                    self.damage.truncated(self.course.bytes.len(), format!("the file ends in {}", place()));
                    self.lost += bad_from.map_or(0, |from| self.done - from);
                    return Err(Stop::Starved { at: self.checkpoints.replay(self.units, self.total).unwrap_or(before) });
                }
                self.damage.corrupt(at, || {
                    let code = self.course.bytes.get(at + 1).copied().unwrap_or(0);
                    format!("the entropy-coded data ends before all blocks: marker 0xFF{code:02X} in {}", place())
                });
                bad_from.get_or_insert(self.done);
                self.dry = true;
            } else if bad_from.is_none() {
                if let Err(what) = decoded {
                    self.damage.corrupt(self.bits.offset(), || format!("{what} in {}", place()));
                    bad_from = Some(self.done);
                } else if self.bits.offset() > zeros_from {
                    self.damage.corrupt(zeros_from, || format!("the file is zeros from {} to its end", place()));
                    bad_from = Some(self.done);
                }
            }
            self.done += 1;
            column += 1;
            if column == columns {
                (column, row) = (0, row + 1);
            }
        }
        self.lost += bad_from.map_or(0, |from| end - from);
        self.done = end;
        Ok(())
    }

    /// Passes the restart marker that is due, or decides what to do without it (libjpeg's `jpeg_resync_to_restart`).
    fn restart(&mut self, expected: u8) -> Result<(), Stop> {
        let bytes = self.course.bytes;
        let mut from = self.bits.position();
        let mut unused = (self.bits.left() / 8) as usize;
        self.units.restart();
        let next = loop {
            let Some(marker) = markers::next(bytes, from) else {
                self.damage.truncated(bytes.len(), format!("the file ends where restart marker {expected} should be"));
                return Err(Stop::Starved { at: bytes.len() });
            };
            unused += marker.skipped;
            if unused > 0 {
                self.damage.corrupt(marker.offset, || format!("{unused} bytes too many before restart marker {expected}"));
            }
            let ahead = marker.restart().map(|number| number.wrapping_sub(expected) & 7);
            if ahead != Some(0) {
                self.damage.corrupt(marker.offset, || format!("marker 0xFF{:02X} where restart marker {expected} should be", marker.code));
            }
            match ahead {
                // One that came before, or no marker at all: look further.
                Some(6 | 7) => from = marker.end(),
                None if marker.code < code::SOF0 => from = marker.end(),
                // One of the next two, or one of another kind: this segment is missing, and the marker is kept for its turn.
                Some(1 | 2) | None => break marker.offset,
                Some(_) => {
                    self.dry = false;
                    break marker.end();
                }
            }
        };
        self.bits = Bits::new(bytes, next);
        self.checkpoints = Checkpoints::new(self.done, &self.bits);
        Ok(())
    }
}
