//! CCITT fax coding (ITU-T T.4 and T.6; compressions 2, 3, 4 and 32771): the runs of every row, without their pixels.
//!
//! What is damaged is what breaks the rules of the recommendations. What libtiff takes is another matter, and it is followed
//! row by row (`tif_fax3.c`, `tif_fax3.h`): it goes on behind bad codes, fills short rows with white, and fails only where the data
//! ends too early, where the codes of a row outgrow its memory, or where T.6 data holds no row at all.

mod codes;
mod row;

use std::time::Instant;

use super::walked::{Outcome, Walked};
use crate::decode::reduce::share_of;
use crate::model::{Fault, FaultKind};
use row::{End, Rows, Tables};

/// Rows between two looks at the clock.
const ROWS_BETWEEN_LOOKS: u64 = 512;

/// Bad rows from which libtiff 4.7 may refuse to read on, and nobody needs to know how many more there are.
const MANY_BAD_ROWS: u64 = 8192;

/// How the rows are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Rows of runs that begin at whole bytes, or at whole words.
    Rle { words: bool },
    /// T.4: rows behind end-of-line codes, of runs only or each of either kind.
    Group3 { two_dimensional: bool },
    /// T.6: rows of changes against the row above.
    Group4,
}

/// A strip or tile to walk.
pub(super) struct Task<'a> {
    pub(super) data: &'a [u8],
    /// Where the data lies in the file.
    pub(super) at: usize,
    pub(super) width: u32,
    pub(super) rows: u64,
    /// Whether the lowest bit of a byte comes first.
    pub(super) reversed: bool,
    /// Bytes that may be held.
    pub(super) memory: u64,
    pub(super) deadline: Instant,
}

/// A walker for the strips of a picture, which remembers that an earlier one had no end-of-line codes.
pub(super) struct Fax {
    scheme: Scheme,
    without_eol: bool,
    tables: Tables,
}

impl Fax {
    pub(super) fn new(scheme: Scheme) -> Self {
        Self { scheme, without_eol: false, tables: Tables { white: codes::Codes::white(), black: codes::Codes::black() } }
    }

    /// Walks a strip, or a tile, where libtiff does not mind an early end (`tif_read.c`, `TIFFReadEncodedTile`).
    pub(super) fn walk(&mut self, task: &Task<'_>, is_tile: bool) -> Walked {
        let two_dimensional = matches!(self.scheme, Scheme::Group4 | Scheme::Group3 { two_dimensional: true });
        let room = (u64::from(task.width) + 1).next_multiple_of(32) * if two_dimensional { 2 } else { 1 };
        if room.saturating_mul(8) > task.memory {
            let detail = format!("reading takes {} bytes, above the budget of {}", room * 8, task.memory);
            return Walked::unknown(Fault::new(FaultKind::OverBudget, detail));
        }
        let Ok(room) = usize::try_from(room) else { return Walked::timed_out() };
        let (mut row, mut bad, mut first_bad) = (0_u64, 0_u64, None);
        let mut rows = Rows::new(task, room, &self.tables);
        let end = loop {
            if row == task.rows || bad >= MANY_BAD_ROWS {
                break None;
            }
            if row.is_multiple_of(ROWS_BETWEEN_LOOKS) && Instant::now() > task.deadline {
                return Walked::timed_out();
            }
            let step = match self.scheme {
                Scheme::Rle { words } => rows.rle(words),
                Scheme::Group3 { two_dimensional } => {
                    let found = if self.without_eol { Ok(true) } else { rows.find_eol() };
                    if found == Ok(false) {
                        // libtiff begins anew with the data, though not with the rows.
                        self.without_eol = true;
                        first_bad.get_or_insert((task.at, "a row does not begin with an end-of-line code".to_owned()));
                        bad += 1;
                        rows = Rows::new(task, room, &self.tables);
                        continue;
                    }
                    found.and_then(|_| rows.group3(two_dimensional))
                }
                Scheme::Group4 => rows.group4(),
            };
            if let Some(what) = rows.take_fault() {
                bad += 1;
                first_bad.get_or_insert((task.at + rows.position(), format!("{what} in row {row} of the strip or tile")));
            }
            match step {
                Ok(()) => row += 1,
                Err(end) => break Some(end),
            }
        };
        let outcome = match end {
            _ if bad >= MANY_BAD_ROWS => Outcome::Unknown,
            None => Outcome::Taken,
            Some(_) if is_tile => Outcome::Taken,
            Some(End::Data) if self.scheme == Scheme::Group4 && row > 0 => Outcome::Taken,
            Some(End::Data | End::Room) => Outcome::Refused,
        };
        self.found(task, outcome, end, row, bad, first_bad)
    }

    fn found(&self, task: &Task<'_>, outcome: Outcome, end: Option<End>, row: u64, bad: u64, first_bad: Option<(usize, String)>) -> Walked {
        let early = end.is_some().then(|| {
            let what = format!("the fax data ends after {row} of {} rows", task.rows);
            Fault::at(FaultKind::Truncated, task.at + task.data.len(), what)
        });
        let fault = match first_bad {
            Some((at, what)) => Some(Fault::at(FaultKind::Corrupt, at, what)),
            None => early,
        };
        // Behind a bad row of T.6 nothing stands where it should, which rows are right can only be told in T.4 data of runs.
        let lost = match (&fault, self.scheme) {
            (None, _) => Some(0.0),
            (Some(_), Scheme::Group4 | Scheme::Group3 { two_dimensional: true }) if bad > 0 => None,
            _ => Some(share_of((task.rows.saturating_sub(row) + bad).min(task.rows), task.rows)),
        };
        Walked { outcome, fault, lost }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn walk(scheme: Scheme, data: &[u8], width: u32, rows: u64) -> Walked {
        let deadline = Instant::now() + Duration::from_secs(60);
        let task = Task { data, at: 1000, width, rows, reversed: false, memory: 1 << 20, deadline };
        Fax::new(scheme).walk(&task, false)
    }

    /// Bytes of a string of bits.
    fn bytes(bits: &str) -> Vec<u8> {
        let bits: Vec<u8> = bits.bytes().filter(|byte| *byte != b' ').map(|byte| byte - b'0').collect();
        bits.chunks(8).map(|chunk| (0..8).fold(0, |byte, place| byte << 1 | chunk.get(place).copied().unwrap_or(0))).collect()
    }

    #[test]
    fn white_rows_of_group_4_are_a_bit_each() {
        let data = bytes("1111 000000000001 000000000001");
        assert_eq!(walk(Scheme::Group4, &data, 40, 4), Walked::whole());
        let early = walk(Scheme::Group4, &data, 40, 9);
        assert_eq!((early.outcome, early.lost), (Outcome::Taken, Some(5.0 / 9.0)));
        assert_eq!(early.fault.map(|fault| fault.kind), Some(FaultKind::Truncated));
        assert_eq!(walk(Scheme::Group4, &[], 40, 1).outcome, Outcome::Refused);
    }

    #[test]
    fn changes_follow_the_row_above() {
        // Horizontal: 2 white, 3 black, then to the end; the same again; one to the right and one to the left.
        let data = bytes("001 0111 10 1  1 1 1  011 010 1");
        assert_eq!(walk(Scheme::Group4, &data, 10, 3), Walked::whole());
        // A row that is too long.
        let long = walk(Scheme::Group4, &bytes("001 10011 11 1"), 6, 1);
        assert_eq!((long.outcome, long.fault.and_then(|fault| fault.offset).is_some()), (Outcome::Taken, true));
    }

    #[test]
    fn rows_of_group_3_need_their_end_of_line_codes() {
        let row = "000000000001 1000 11 1000";
        let data = bytes(&[row, row, row].concat());
        let scheme = Scheme::Group3 { two_dimensional: false };
        assert_eq!(walk(scheme, &data, 8, 3), Walked::whole());
        // libtiff reads data that has run out of end-of-line codes again, as if it had none.
        let short = walk(scheme, &data, 8, 6);
        assert_eq!((short.outcome, short.fault.is_some()), (Outcome::Taken, true));
        // The first row has a bad code, which costs that row only.
        let bad = bytes(&["000000000001 000000001111", row, row].concat());
        let found = walk(scheme, &bad, 8, 3);
        assert_eq!((found.outcome, found.lost), (Outcome::Taken, Some(1.0 / 3.0)));
    }

    #[test]
    fn rows_of_runs_begin_at_bytes() {
        let data = bytes("1000 11 1000 000000 1000 11 1000 000000");
        assert_eq!(walk(Scheme::Rle { words: false }, &data, 8, 2), Walked::whole());
        // What is left of the last byte is taken for the beginning of a row.
        assert_eq!(walk(Scheme::Rle { words: false }, &data[..2], 8, 2).outcome, Outcome::Taken);
        assert_eq!(walk(Scheme::Rle { words: false }, &data[..2], 8, 3).outcome, Outcome::Refused);
    }

    #[test]
    fn wide_rows_meet_the_budget_and_noise_ends() {
        let wide = walk(Scheme::Group4, &[0xFF], 100_000_000, 1);
        assert_eq!(wide.fault.map(|fault| fault.kind), Some(FaultKind::OverBudget));
        let mut state = 3_u32;
        let noise: Vec<u8> = (0..5000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state.to_be_bytes()[0]
            })
            .collect();
        for scheme in [Scheme::Rle { words: true }, Scheme::Group3 { two_dimensional: true }, Scheme::Group4] {
            for width in [1, 7, 64, 1728] {
                assert!(walk(scheme, &noise, width, 700).fault.is_some());
            }
        }
    }
}
