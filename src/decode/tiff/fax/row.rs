//! Rows of fax data: one after the other, as libtiff expands them (`tif_fax3.h`).

use super::Task;
use super::codes::{BLACK_BITS, Codes, MODE_BITS, Mode, Run, WHITE_BITS, mode};

/// The codes for runs of both colours.
pub(super) struct Tables {
    pub(super) white: Codes,
    pub(super) black: Codes,
}

/// Why the rows end early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The data ends, or says that it does.
    Data,
    /// The row has more runs than there is room for.
    Room,
}

/// The rows of a strip or tile.
pub(super) struct Rows<'a> {
    tables: &'a Tables,
    bits: Bits<'a>,
    /// Pixels of a row.
    width: i64,
    /// Runs of this row, white first, and of the row above.
    runs: Vec<i64>,
    above: Vec<i64>,
    /// Runs that there is room for.
    room: usize,
    /// Pixels that are known, and those of them that belong to a run whose end is not reached.
    known: i64,
    open: i64,
    /// The next change in the row above that matters, and the run behind it.
    change: i64,
    behind: usize,
    /// Whether the zeros of an end-of-line code have been taken.
    eol: bool,
    /// What is wrong with this row.
    fault: Option<&'static str>,
    /// Whether something was wrong with the row before, of which codes may be left.
    was_bad: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn new(task: &Task<'a>, room: usize, tables: &'a Tables) -> Self {
        let width = i64::from(task.width);
        Self {
            tables,
            bits: Bits { data: task.data, at: 0, first: task.at, reversed: task.reversed, buffer: 0, count: 0 },
            width,
            runs: Vec::new(),
            above: vec![width, 0],
            room,
            known: 0,
            open: 0,
            change: 0,
            behind: 0,
            eol: false,
            fault: None,
            was_bad: false,
        }
    }

    /// Bytes of data that were taken.
    pub(super) fn position(&self) -> usize {
        self.bits.at
    }

    /// What is wrong with the row that was just taken.
    pub(super) fn take_fault(&mut self) -> Option<&'static str> {
        self.was_bad = self.fault.is_some();
        self.fault.take()
    }

    /// A row of runs, and the bits up to the next whole byte or word.
    pub(super) fn rle(&mut self, words: bool) -> Result<(), End> {
        self.begin();
        self.expand_runs()?;
        self.clip();
        self.bits.align(words);
        Ok(())
    }

    /// Passes an end-of-line code; false where the data has none any more, though there are bits left.
    pub(super) fn find_eol(&mut self) -> Result<bool, End> {
        self.begin();
        while !self.eol && self.bits.need(11)? && self.bits.peek(11) != 0 {
            if !self.was_bad {
                self.fault = Some("there is something between two rows");
            }
            self.bits.skip(1);
        }
        loop {
            match self.bits.need(8) {
                Err(_) => return Ok(false),
                Ok(_) if self.bits.peek(8) != 0 => break,
                Ok(_) => self.bits.skip(8),
            }
        }
        while self.bits.peek(1) == 0 {
            self.bits.skip(1);
        }
        self.bits.skip(1);
        self.eol = false;
        Ok(true)
    }

    /// A row of T.4, behind its end-of-line code.
    pub(super) fn group3(&mut self, two_dimensional: bool) -> Result<(), End> {
        if !two_dimensional {
            self.begin();
            self.expand_runs()?;
            self.clip();
            return Ok(());
        }
        self.bits.need(1)?;
        let has_runs_only = self.bits.take(1) == 1;
        self.begin();
        if has_runs_only {
            self.expand_runs()?;
        } else {
            self.expand_changes()?;
        }
        self.clip();
        self.end_reference()
    }

    /// A row of T.6.
    pub(super) fn group4(&mut self) -> Result<(), End> {
        self.begin();
        self.expand_changes()?;
        if self.eol {
            self.fault = None;
            return Err(End::Data);
        }
        self.clip();
        self.end_reference()
    }

    fn begin(&mut self) {
        self.runs.clear();
        (self.known, self.open) = (0, 0);
        (self.change, self.behind) = (self.above.first().copied().unwrap_or(0), 1);
    }

    /// Makes the row the reference of the next one.
    fn end_reference(&mut self) -> Result<(), End> {
        self.push(0)?;
        std::mem::swap(&mut self.runs, &mut self.above);
        Ok(())
    }

    fn push(&mut self, pixels: i64) -> Result<(), End> {
        if self.runs.len() >= self.room {
            return Err(End::Room);
        }
        self.runs.push(self.open.saturating_add(pixels));
        self.known = self.known.saturating_add(pixels);
        self.open = 0;
        Ok(())
    }

    /// Brings the runs to the width of the row.
    fn complete(&mut self) -> Result<(), End> {
        if self.open != 0 {
            self.push(0)?;
        }
        if self.known == self.width {
            return Ok(());
        }
        self.fault.get_or_insert("the runs do not add up to the width");
        while self.known > self.width
            && let Some(run) = self.runs.pop()
        {
            self.known = self.known.saturating_sub(run);
        }
        self.known = self.known.max(0);
        if self.known < self.width {
            if self.runs.len() % 2 == 1 {
                self.push(0)?;
            }
            self.push(self.width - self.known)?;
        }
        Ok(())
    }

    /// What the drawing of the row does to its runs: those that are too long are cut.
    fn clip(&mut self) {
        let mut drawn = 0;
        for run in &mut self.runs {
            if drawn + *run > self.width || *run < 0 {
                *run = self.width - drawn;
            }
            drawn += *run;
        }
    }

    /// The run of one colour; false for a code that does not exist.
    fn run(&mut self, black: bool) -> Result<Result<(), Run>, End> {
        let (codes, bits) = if black { (&self.tables.black, BLACK_BITS) } else { (&self.tables.white, WHITE_BITS) };
        loop {
            self.bits.need(bits)?;
            let (run, length) = codes.get(self.bits.peek(bits));
            self.bits.skip(length);
            match run {
                Run::Last(pixels) => return self.push(pixels.into()).map(Ok),
                Run::MakeUp(pixels) => {
                    self.known = self.known.saturating_add(pixels.into());
                    self.open = self.open.saturating_add(pixels.into());
                }
                Run::Bad | Run::EndOfLine => return Ok(Err(run)),
            }
        }
    }

    /// A row of runs.
    fn expand_runs(&mut self) -> Result<(), End> {
        let result = self.runs_of_row();
        self.end_of_row(result)
    }

    fn runs_of_row(&mut self) -> Result<(), End> {
        loop {
            for black in [false, true] {
                match self.run(black)? {
                    Ok(()) => {}
                    Err(Run::EndOfLine) => {
                        self.eol = true;
                        return Ok(());
                    }
                    Err(_) => {
                        self.fault = Some("there is a bad code");
                        return Ok(());
                    }
                }
                if self.known >= self.width {
                    return Ok(());
                }
            }
            if self.runs.ends_with(&[0, 0]) {
                self.runs.truncate(self.runs.len() - 2);
            }
        }
    }

    /// A row of changes.
    fn expand_changes(&mut self) -> Result<(), End> {
        let result = self.changes_of_row();
        self.end_of_row(result)
    }

    fn end_of_row(&mut self, result: Result<(), End>) -> Result<(), End> {
        if result == Err(End::Room) {
            return result;
        }
        if result.is_err() {
            // An early end is told elsewhere.
            let fault = self.fault;
            self.complete()?;
            self.fault = fault;
            return result;
        }
        self.complete()
    }

    fn changes_of_row(&mut self) -> Result<(), End> {
        while self.known < self.width {
            if self.runs.len() >= self.room {
                return Err(End::Room);
            }
            self.bits.need(MODE_BITS)?;
            let (mode, length) = mode(self.bits.peek(MODE_BITS));
            self.bits.skip(length);
            match mode {
                Mode::Pass => {
                    self.find_change()?;
                    self.change = self.change.saturating_add(self.next_above()?);
                    self.open = self.open.saturating_add(self.change.saturating_sub(self.known));
                    self.known = self.change;
                    self.change = self.change.saturating_add(self.next_above()?);
                }
                Mode::Horizontal => {
                    let black = self.runs.len() % 2 == 1;
                    for black in [black, !black] {
                        if self.run(black)?.is_err() {
                            self.fault = Some("there is a bad code");
                            return Ok(());
                        }
                    }
                    self.find_change()?;
                }
                Mode::Right(pixels) => {
                    self.find_change()?;
                    self.push(self.change.saturating_sub(self.known).saturating_add(pixels.into()))?;
                    self.change = self.change.saturating_add(self.next_above()?);
                }
                Mode::Left(pixels) => {
                    self.find_change()?;
                    let pixels = i64::from(pixels);
                    if self.change < self.known.saturating_add(pixels) {
                        self.fault = Some("a change lies before the one before it");
                        return Ok(());
                    }
                    self.push(self.change.saturating_sub(self.known).saturating_sub(pixels))?;
                    self.behind = self.behind.saturating_sub(1);
                    self.change = self.change.saturating_sub(self.above.get(self.behind).copied().unwrap_or(0));
                }
                Mode::Extension => {
                    self.runs.push(self.width - self.known);
                    self.fault = Some("there is uncompressed data");
                    return Ok(());
                }
                Mode::EndOfLine => {
                    self.runs.push(self.width - self.known);
                    self.bits.need(4)?;
                    if self.bits.take(4) != 0 {
                        self.fault = Some("there is a bad code");
                    }
                    self.eol = true;
                    return Ok(());
                }
            }
        }
        if self.open != 0 {
            if self.open.saturating_add(self.known) < self.width {
                self.bits.need(1)?;
                if self.bits.peek(1) == 0 {
                    self.fault = Some("there is a bad code");
                    return Ok(());
                }
                self.bits.skip(1);
            }
            self.push(0)?;
        }
        Ok(())
    }

    /// Finds the first change of the right colour in the row above that lies right of what is known.
    fn find_change(&mut self) -> Result<(), End> {
        while !self.runs.is_empty() && self.change <= self.known && self.change < self.width {
            self.change = self.change.saturating_add(self.next_above()?).saturating_add(self.next_above()?);
        }
        Ok(())
    }

    fn next_above(&mut self) -> Result<i64, End> {
        if self.behind >= self.room {
            return Err(End::Room);
        }
        let run = self.above.get(self.behind).copied().unwrap_or(0);
        self.behind += 1;
        Ok(run)
    }
}

/// The bits of the data, the first lowest.
struct Bits<'a> {
    data: &'a [u8],
    /// Bytes that were taken.
    at: usize,
    /// Where the data lies in the file.
    first: usize,
    /// Whether the lowest bit of a byte comes first.
    reversed: bool,
    buffer: u32,
    count: u32,
}

impl Bits<'_> {
    /// Sees to it that there are so many bits, 16 at most: behind the last byte zeros follow as long as one bit is left.
    fn need(&mut self, bits: u32) -> Result<bool, End> {
        while self.count < bits {
            let Some(byte) = self.data.get(self.at) else {
                if self.count == 0 {
                    return Err(End::Data);
                }
                self.count = bits;
                break;
            };
            self.at += 1;
            self.buffer |= u32::from(if self.reversed { *byte } else { byte.reverse_bits() }) << self.count;
            self.count += 8;
        }
        Ok(true)
    }

    fn peek(&self, bits: u32) -> u32 {
        self.buffer & ((1 << bits) - 1)
    }

    fn skip(&mut self, bits: u32) {
        self.count = self.count.saturating_sub(bits);
        self.buffer >>= bits;
    }

    fn take(&mut self, bits: u32) -> u32 {
        let value = self.peek(bits);
        self.skip(bits);
        value
    }

    fn align(&mut self, words: bool) {
        self.skip(self.count % if words { 16 } else { 8 });
        if words && self.count == 0 && (self.first + self.at) % 2 == 1 {
            self.at += 1;
        }
    }
}
