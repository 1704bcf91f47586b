//! The walk through a whole file: segment by segment, scan by scan, to the end marker or to whatever stops it.
//!
//! It does what libjpeg-turbo 3 does with a source that has no more bytes than the file, because that is what Pillow and
//! OpenCV use; what libjpeg forgives is noted as damage on the way.

use std::time::Instant;

use super::damage::Damage;
use super::first::{First, Leaps};
use super::frame::{ARITHMETIC, Frame, Process, ScanHeader};
use super::huffman::{Definition, Table};
use super::markers::{self, Marker, Tables, code};
use super::pass::Passer;
use super::plane::Plane;
use super::progressive::{Dc, DcMember, Refinement};
use super::scan::{self, Course, ScanEnd};
use super::sequential::{Member, Sequential};
use super::{Behind, Limits, Stop};
use crate::model::{Fault, FaultKind};

/// Zero bytes at the end of a file that make a tail: fewer can end an encoder's data by chance.
const ZERO_TAIL: usize = 64;

/// What was found on a walk.
#[derive(Debug)]
pub(super) struct Walk {
    /// The frame, once its header was read.
    pub(super) frame: Option<Frame>,
    /// What is kept of each component, once the first scan has begun.
    pub(super) planes: Vec<Plane>,
    /// What tables and application segments have said.
    pub(super) tables: Tables,
    /// What libjpeg forgives.
    pub(super) damage: Damage,
    /// What ended the walk; `None` for the end marker.
    pub(super) stop: Option<Stop>,
    /// Offset behind the end marker, or where the walk ended.
    pub(super) end: usize,
    /// Whether every row had been handed out when the walk ended, so that nothing later matters to a loader. Only files of
    /// one scan are handed out while they are read.
    pub(super) rows_done: bool,
    /// Scans that were begun.
    pub(super) scans: usize,
    /// Bytes of entropy-coded data in all scans.
    pub(super) coded_bytes: usize,
    /// Whether the picture is in a second stream behind one that only holds tables.
    pub(super) tables_first: bool,
}

/// Walks a file.
pub(super) fn walk(bytes: &[u8], limits: &Limits) -> Walk {
    walk_after(Tables::default(), bytes, limits)
}

/// Walks a stream for which tables were sent before.
pub(super) fn walk_after(tables: Tables, bytes: &[u8], limits: &Limits) -> Walk {
    let mut walker = Walker {
        bytes,
        memory: limits.memory_bytes,
        deadline: limits.deadline(),
        zeros_from: zero_tail(bytes),
        at: 0,
        unused: 0,
        found: Walk {
            frame: None,
            planes: Vec::new(),
            tables,
            damage: Damage::default(),
            stop: None,
            end: 0,
            rows_done: false,
            scans: 0,
            coded_bytes: 0,
            tables_first: false,
        },
    };
    walker.found.stop = walker.run().err();
    walker.found.end = walker.at;
    walker.found
}

struct Walker<'a> {
    bytes: &'a [u8],
    memory: u64,
    deadline: Instant,
    zeros_from: Option<usize>,
    at: usize,
    /// Bytes that the last scan fetched and did not use.
    unused: usize,
    found: Walk,
}

impl Walker<'_> {
    fn run(&mut self) -> Result<(), Stop> {
        self.start_of_image()?;
        loop {
            let Some(marker) = markers::next(self.bytes, self.at) else {
                let fill = self.bytes.iter().rev().take_while(|&&byte| byte == 0xFF).count();
                return Err(Stop::Starved { at: self.bytes.len() - fill });
            };
            self.note_leftovers(marker);
            self.at = marker.end();
            match marker.code {
                code::SOI => return Err(Stop::refused(marker.offset, "a second start marker")),
                code::EOI if self.found.scans > 0 => return Ok(()),
                code::EOI if self.found.frame.is_some() => {
                    return Err(Stop::refused(marker.offset, "the file has a frame header and no scan"));
                }
                code::EOI => {
                    self.found.tables_first = true;
                    self.start_of_image()?;
                }
                code::RST0..=code::RST7 | code::TEM => {}
                code::SOF0..=code::SOF15 if !matches!(marker.code, code::DHT | code::JPG | code::DAC) => self.frame(marker)?,
                code::SOS => self.scan(marker)?,
                code::DHT | code::DQT | code::DRI | code::DAC | code::DNL | code::COM | code::APP0..=code::APP15 => {
                    let (body, end) = markers::segment(self.bytes, marker, self.found.frame.is_some())?;
                    self.found.tables.take(marker.code, body, marker.offset)?;
                    self.at = end;
                }
                other => return Err(Stop::refused(marker.offset, format!("marker 0xFF{other:02X} is reserved"))),
            }
        }
    }

    fn start_of_image(&mut self) -> Result<(), Stop> {
        let tables = &mut self.found.tables;
        (tables.adobe, tables.jfif, tables.restart_interval) = (None, false, 0);
        match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<2>) {
            Some([0xFF, code::SOI]) => {
                self.at += 2;
                Ok(())
            }
            Some(_) => Err(Stop::refused(self.at, "there is no start marker")),
            None => Err(Stop::Starved { at: self.at }),
        }
    }

    /// Notes bytes between the last block of a scan and the marker behind it: the scan was not what the encoder wrote.
    fn note_leftovers(&mut self, marker: Marker) {
        let leftovers = self.unused + marker.skipped;
        if self.found.scans > 0 && leftovers > 0 {
            self.found
                .damage
                .corrupt_somewhere(marker.offset - marker.skipped, || format!("{leftovers} bytes of data are left behind the last block"));
        }
        self.unused = 0;
    }

    fn frame(&mut self, marker: Marker) -> Result<(), Stop> {
        let (body, end) = markers::segment(self.bytes, marker, self.found.frame.is_some())?;
        let frame = Frame::parse(marker.code, body, marker.offset)?;
        if self.found.frame.is_some() {
            return Err(Stop::refused(marker.offset, "a second frame header"));
        }
        self.found.frame = Some(frame);
        self.at = end;
        Ok(())
    }

    fn scan(&mut self, marker: Marker) -> Result<(), Stop> {
        let (body, end) = markers::segment(self.bytes, marker, self.found.frame.is_some())?;
        let Some(mut frame) = self.found.frame.take() else {
            return Err(Stop::refused(marker.offset, "a scan without a frame header"));
        };
        let result = self.scan_of(marker, &mut frame, body, end);
        self.found.frame = Some(frame);
        result
    }

    fn scan_of(&mut self, marker: Marker, frame: &mut Frame, body: &[u8], end: usize) -> Result<(), Stop> {
        let header = ScanHeader::parse(body, frame, marker.offset)?;
        if self.found.scans == 0 && frame.process == Process::Other(ARITHMETIC) {
            frame.set_up(marker.offset)?;
            header.quantization(frame, &self.found.tables, marker.offset)?;
            return Err(Stop::Arithmetic(self.behind(frame, &header, end)));
        }
        if self.found.scans == 0 {
            self.first_scan(marker, frame)?;
        } else if self.found.rows_done {
            return Err(Stop::refused(marker.offset, "a second scan, where one holds the whole picture"));
        }
        header.check(frame, marker.offset)?;
        for (place, entry) in header.quantization(frame, &self.found.tables, marker.offset)? {
            if let Some(plane) = self.found.planes.get_mut(place) {
                plane.quantization.get_or_insert(entry);
                // What of the scan is missing is measured while it is walked.
                plane.complete |= header.completes(frame.process);
            }
        }
        self.at = end;
        let course = Course {
            bytes: self.bytes,
            start: end,
            units: header.units(frame),
            interval: usize::from(self.found.tables.restart_interval),
            zeros_from: self.zeros_from,
            deadline: self.deadline,
        };
        let start = end;
        let end = match frame.process {
            Process::Progressive => self.progressive(frame, &header, &course, marker.offset)?,
            _ => self.sequential(frame, &header, &course, marker.offset)?,
        };
        self.found.coded_bytes += end.position.saturating_sub(start);
        (self.at, self.unused) = (end.position, end.unused);
        self.found.rows_done = frame.process == Process::Sequential && header.members.len() == frame.components.len();
        Ok(())
    }

    /// What stands behind the scan whose data begins at `start`.
    fn behind(&self, frame: &Frame, header: &ScanHeader, start: usize) -> Behind {
        let is_whole = header.members.len() == frame.components.len() && self.found.tables.restart_interval == 0;
        match markers::next(self.bytes, start) {
            Some(Marker { code: code::EOI, .. }) if is_whole => Behind::End,
            None if is_whole && self.zeros_from.is_none() => Behind::Nothing,
            _ => Behind::Other,
        }
    }

    /// What libjpeg does once, when the first scan begins; `scans` is counted here and by nobody else before data is read.
    fn first_scan(&mut self, marker: Marker, frame: &mut Frame) -> Result<(), Stop> {
        frame.set_up(marker.offset)?;
        if let Process::Other(name) = frame.process {
            return Err(Stop::NoDecoder(format!("{name} is not walked")));
        }
        if !frame.can_be_upsampled() {
            return Err(Stop::refused(marker.offset, "sampling factors that do not divide each other"));
        }
        let progressive = frame.process == Process::Progressive;
        let needed = frame.padded_blocks().saturating_mul(Plane::bytes_per_block(progressive) + 1);
        if needed > self.memory {
            let what = format!("{needed} bytes are needed, where {} are allowed", self.memory);
            return Err(Stop::Limit(Fault::new(FaultKind::OverBudget, what)));
        }
        self.found.planes = frame.components.iter().map(|component| Plane::new(component, progressive)).collect();
        if !progressive {
            self.found.tables.add_standard();
        }
        Ok(())
    }

    fn sequential(&mut self, frame: &Frame, header: &ScanHeader, course: &Course<'_>, at: usize) -> Result<ScanEnd, Stop> {
        let mut members = Vec::with_capacity(header.members.len());
        for &(place, dc, ac) in &header.members {
            members.push(Member {
                place,
                blocks: blocks_in_unit(frame, header, place),
                dc: table(&self.found.tables.dc, dc, true, at)?,
                ac: Passer::new(table(&self.found.tables.ac, ac, false, at)?),
                limit: self.dc_limit(frame, place),
                predictor: 0,
            });
        }
        self.found.scans += 1;
        let mut units = Sequential { planes: &mut self.found.planes, members };
        scan::walk(&mut units, course, &mut self.found.damage)
    }

    fn progressive(&mut self, frame: &Frame, header: &ScanHeader, course: &Course<'_>, at: usize) -> Result<ScanEnd, Stop> {
        let low = u32::from(header.approximation.1);
        let refines = header.approximation.0 != 0;
        if header.band.0 > 0 {
            let &[(member, _, ac)] = header.members.as_slice() else { return Err(Stop::refused(at, "an AC scan of several components")) };
            let table = table(&self.found.tables.ac, ac, false, at)?;
            self.found.scans += 1;
            let Some(plane) = self.found.planes.get_mut(member) else { return Err(Stop::refused(at, "a scan without a component")) };
            let band = (u32::from(header.band.0), u32::from(header.band.1));
            let damage = &mut self.found.damage;
            return if refines {
                scan::walk(&mut Refinement { plane, table, band, run: 0 }, course, damage)
            } else {
                scan::walk(&mut First { plane, leaps: Leaps::new(table), band, run: 0 }, course, damage)
            };
        }
        let mut members = Vec::with_capacity(header.members.len());
        for &(place, dc, _) in &header.members {
            members.push(DcMember {
                place,
                blocks: blocks_in_unit(frame, header, place),
                table: if refines { None } else { Some(table(&self.found.tables.dc, dc, true, at)?) },
                limit: self.dc_limit(frame, place),
                predictor: 0,
            });
        }
        self.found.scans += 1;
        scan::walk(&mut Dc { planes: &mut self.found.planes, members, low }, course, &mut self.found.damage)
    }

    fn dc_limit(&self, frame: &Frame, place: usize) -> i32 {
        self.found.planes.get(place).map_or(i32::MAX, |plane| plane.dc_limit(frame.precision))
    }
}

/// Columns and rows of a component's blocks in a unit: one where it is alone in the scan.
fn blocks_in_unit(frame: &Frame, header: &ScanHeader, place: usize) -> (usize, usize) {
    match (header.members.len(), frame.components.get(place)) {
        (2.., Some(component)) => component.factors,
        _ => (1, 1),
    }
}

/// A table ready for use, if it is defined and valid (libjpeg's `jpeg_make_d_derived_tbl`).
fn table(definitions: &[Option<Definition>], number: usize, dc: bool, at: usize) -> Result<Table, Stop> {
    let kind = if dc { "DC" } else { "AC" };
    let definition = definitions.get(number).and_then(Option::as_ref);
    let definition = definition.ok_or_else(|| Stop::refused(at, format!("{kind} table {number} is not defined")))?;
    let table = Table::new(definition).filter(|table| !dc || table.is_for_dc());
    table.ok_or_else(|| Stop::refused(at, format!("{kind} table {number} is no Huffman code")))
}

/// Offset from which the file is zeros to its end, where they are many.
fn zero_tail(bytes: &[u8]) -> Option<usize> {
    let zeros = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
    (zeros >= ZERO_TAIL).then(|| bytes.len() - zeros)
}
