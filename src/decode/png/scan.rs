//! Inflates the image data once, row by row, and notes where it ends and how: what every verdict is made from.

use std::time::Instant;

use super::data::{DataEnd, ImageData};
use super::header::{Header, Tables};
use super::picture::Painter;
use super::quick;
use super::rows::{BadFilter, Place, Rows};
use crate::decode::Picture;
use crate::decode::inflate::{Inflater, Status};

/// How the picture ends for a loader that reads no further than it must.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureEnd {
    /// With its last row.
    Complete,
    /// Before its last row, because the compressed stream ends, whole, behind an earlier row.
    StreamEnds,
    /// At a row with a byte that is no filter.
    BadFilter(BadFilter),
    /// Where the compressed stream breaks.
    Broken,
    /// Where the data ends.
    NoData(DataEnd),
    /// Nowhere: the time was up.
    TimedOut,
}

/// What follows the last byte of a complete picture in the compressed stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamTail {
    /// The end of the stream, with the right checksum.
    Whole,
    /// The end of the stream, with the wrong checksum.
    WrongChecksum,
    /// Something that is no stream.
    Broken,
    /// More data.
    Excess,
    /// Nothing: the data ends.
    Missing,
}

/// What one reading of the image data found.
pub(super) struct Scan<'a> {
    /// How the picture ends.
    pub(super) end: PictureEnd,
    /// What follows it, where it is complete.
    pub(super) tail: Option<StreamTail>,
    /// Offset of the slice of data (at most 64 KiB) in which it ends.
    pub(super) end_at: usize,
    /// Row of the picture at which it ends.
    pub(super) row: u32,
    /// Share of the pixels that were not reached, 0 to 1.
    pub(super) lost: f32,
    /// The rows that were reached.
    pub(super) picture: Option<Picture>,
    /// Whether the slice in which a complete picture ends goes on with a break: Pillow notices it there, and only there.
    pub(super) breaks_in_last_slice: bool,
    /// The data as it stood when the picture ended.
    pub(super) data: ImageData<'a>,
}

/// Reads the image data of the picture that `header` describes.
pub(super) fn scan<'a>(header: &Header, tables: &Tables<'_>, data: ImageData<'a>, deadline: Instant) -> Scan<'a> {
    scan_whole(header, tables, data.clone(), deadline).unwrap_or_else(|| scan_any(header, tables, data, deadline))
}

/// The scan of a picture in which nothing is wrong; `None` for any other.
fn scan_whole<'a>(header: &Header, tables: &Tables<'_>, mut data: ImageData<'a>, deadline: Instant) -> Option<Scan<'a>> {
    let mut painter = Painter::new(header, tables);
    let end_at = quick::read(&mut data, header.geometry(), deadline, |place, row| paint(&mut painter, place, row))?;
    Some(Scan {
        end: PictureEnd::Complete,
        tail: Some(StreamTail::Whole),
        end_at,
        row: header.height,
        lost: 0.0,
        picture: painter.and_then(Painter::finish),
        breaks_in_last_slice: false,
        data,
    })
}

fn scan_any<'a>(header: &Header, tables: &Tables<'_>, mut data: ImageData<'a>, deadline: Instant) -> Scan<'a> {
    let mut run = Run { rows: Rows::new(header.geometry()), painter: Painter::new(header, tables), inflater: Inflater::new() };
    let (end, end_at, slice_tail) = run.read_picture(&mut data, deadline);
    let mut tail = None;
    let mut breaks_in_last_slice = false;
    if end == PictureEnd::Complete {
        breaks_in_last_slice = matches!(slice_tail, Some(StreamTail::WrongChecksum | StreamTail::Broken));
        tail = Some(slice_tail.unwrap_or_else(|| run.read_tail(data.clone())));
    }
    let lost = crate::decode::reduce::share_of(header.pixels().saturating_sub(run.rows.pixels_done()), header.pixels());
    let row = run.rows.y();
    Scan { end, tail, end_at, row, lost, picture: run.painter.and_then(Painter::finish), breaks_in_last_slice, data }
}

struct Run {
    rows: Rows,
    painter: Option<Painter>,
    inflater: Inflater,
}

impl Run {
    /// Reads until the picture ends. Answers how, in which slice, and what follows a complete picture within that slice.
    fn read_picture(&mut self, data: &mut ImageData<'_>, deadline: Instant) -> (PictureEnd, usize, Option<StreamTail>) {
        let mut stream_over = false;
        let mut opening = Opening::default();
        let mut at = data.chunk().data_at();
        loop {
            let mut slice = match data.next_slice() {
                Ok((slice, offset)) => {
                    at = offset;
                    slice
                }
                Err(end) => return (PictureEnd::NoData(end), at, None),
            };
            opening.take(slice);
            let mut gave = false;
            while !stream_over {
                if Instant::now() >= deadline {
                    return (PictureEnd::TimedOut, at, None);
                }
                let (status, given) = match self.step(&mut slice, usize::MAX) {
                    Ok(step) => step,
                    Err(bad) => return (PictureEnd::BadFilter(bad), at, None),
                };
                gave |= given > 0;
                if self.rows.is_complete() {
                    // Full output alone does not say that there is more of it.
                    let status = if status == Status::WantsOutput { self.inflater.step(&mut slice, 0).1 } else { status };
                    return (PictureEnd::Complete, at, tail_of(status));
                }
                match status {
                    Status::WantsInput => break,
                    Status::WantsOutput => {}
                    // zlib reports the end of the stream together with the row that it completes, and Pillow then takes
                    // the picture for complete; reported alone, it goes on looking for data (`ZipDecode.c`).
                    Status::Done if gave && self.rows.is_at_row_start() => return (PictureEnd::StreamEnds, at, None),
                    Status::Done => stream_over = true,
                    // zlib asks for a preset dictionary instead of refusing, and Pillow looks for more data.
                    Status::Broken if opening.wants_dictionary() => stream_over = true,
                    Status::WrongChecksum | Status::Broken => return (PictureEnd::Broken, at, None),
                }
            }
        }
    }

    /// One step of the decompressor, its output made into rows.
    fn step(&mut self, slice: &mut &[u8], limit: usize) -> Result<(Status, usize), BadFilter> {
        let limit = limit.min(self.rows.bytes_left());
        let (given, status) = self.inflater.step(slice, limit);
        let painter = &mut self.painter;
        self.rows.push(given, |place, row| paint(painter, place, row))?;
        Ok((status, given.len()))
    }

    /// What follows the picture in later slices.
    fn read_tail(&mut self, mut data: ImageData<'_>) -> StreamTail {
        while let Ok((mut slice, _)) = data.next_slice() {
            if let Some(tail) = tail_of(self.inflater.step(&mut slice, 0).1) {
                return tail;
            }
        }
        StreamTail::Missing
    }
}

fn paint(painter: &mut Option<Painter>, place: Place, row: &[u8]) {
    if let Some(painter) = painter {
        painter.paint(place, row);
    }
}

/// What a step without room for output says of what follows the picture; `None` where it does not say.
fn tail_of(status: Status) -> Option<StreamTail> {
    match status {
        Status::WantsInput => None,
        Status::WantsOutput => Some(StreamTail::Excess),
        Status::Done => Some(StreamTail::Whole),
        Status::WrongChecksum => Some(StreamTail::WrongChecksum),
        Status::Broken => Some(StreamTail::Broken),
    }
}

/// The first two bytes of the stream (RFC 1950, section 2.2).
#[derive(Default)]
struct Opening {
    bytes: [u8; 2],
    seen: usize,
}

impl Opening {
    fn take(&mut self, slice: &[u8]) {
        for &byte in slice {
            let Some(place) = self.bytes.get_mut(self.seen) else { return };
            *place = byte;
            self.seen += 1;
        }
    }

    /// Whether they are valid and announce a preset dictionary.
    fn wants_dictionary(&self) -> bool {
        let [method, flags] = self.bytes;
        let valid = method & 0x0F == 8 && method >> 4 <= 7 && u16::from_be_bytes(self.bytes).is_multiple_of(31);
        self.seen == 2 && valid && flags & 0x20 != 0
    }
}
