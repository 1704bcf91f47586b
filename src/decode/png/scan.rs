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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use miniz_oxide::deflate::compress_to_vec_zlib;

    use super::super::chunks::SIGNATURE;
    use super::super::header::Color;
    use super::super::strict;
    use super::super::tests::{chunk, ihdr};
    use super::*;

    /// Rows of soft shapes with grain, each with another filter.
    fn rows(header: &Header) -> Vec<u8> {
        let row_bytes = usize::try_from(header.geometry().longest_row()).unwrap();
        let mut state = 7_u32;
        let mut rows = Vec::new();
        for y in 0..header.height {
            rows.push(u8::try_from(y * 3 % 5).unwrap());
            rows.extend((0..row_bytes).map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state.to_be_bytes()[0] / 16
            }));
        }
        rows
    }

    /// A file with its image data in chunks of the lengths given, the last of them as often as needed.
    fn file(depth: u8, color: u8, size: (u32, u32), stream: &[u8], lengths: &[usize]) -> Vec<u8> {
        let mut bytes = [&SIGNATURE[..], &ihdr(size.0, size.1, depth, color, 0)].concat();
        let (mut rest, mut n) = (stream, 0);
        while !rest.is_empty() {
            let (part, behind) = rest.split_at(lengths[n.min(lengths.len() - 1)].min(rest.len()));
            bytes.extend(chunk(*b"IDAT", part));
            (rest, n) = (behind, n + 1);
        }
        bytes.extend(chunk(*b"IEND", &[]));
        bytes
    }

    /// Whether the quick way had an answer; it must be the other's.
    fn agree(bytes: &[u8]) -> bool {
        let opening = strict::open(bytes);
        let (Ok(header), Some(first)) = (&opening.header, opening.data) else { return false };
        let data = || ImageData::new(bytes, first, None);
        let deadline = Instant::now() + Duration::from_secs(60);
        let Some(quick) = scan_whole(header, &opening.tables, data(), deadline) else { return false };
        let thorough = scan_any(header, &opening.tables, data(), deadline);
        assert_eq!((quick.end, quick.tail, quick.end_at, quick.row), (thorough.end, thorough.tail, thorough.end_at, thorough.row));
        assert_eq!((quick.lost, quick.breaks_in_last_slice), (thorough.lost, thorough.breaks_in_last_slice));
        assert_eq!((quick.picture, quick.data.chunk().at), (thorough.picture, thorough.data.chunk().at));
        true
    }

    /// Colour types and depths, and sides: with and without whole bands, rows longer than the window and a band included.
    const KINDS: [(u8, u8); 7] = [(8, 2), (8, 6), (8, 0), (16, 2), (4, 0), (8, 4), (16, 6)];
    const SIZES: [(u32, u32); 7] = [(1, 1), (2, 9), (5, 4), (61, 33), (300, 211), (90_000, 5), (30_000, 6)];

    #[test]
    fn what_is_whole_is_read_the_quick_way_and_alike() {
        for (depth, color) in KINDS {
            for (width, height) in SIZES {
                let header = Header { width, height, depth, color: Color::of(depth, color).unwrap(), interlaced: false };
                let stream = compress_to_vec_zlib(&rows(&header), 6);
                assert!(
                    agree(&file(depth, color, (width, height), &stream, &[usize::MAX])),
                    "{width}x{height}, {depth} bits, type {color}"
                );
                let mut quick = 0;
                for lengths in
                    [&[1, 1, 1, 1, 1, 1, 5000][..], &[7, 900, 40, 9000], &[65_536], &[stream.len() - 4, 4], &[stream.len() / 2, usize::MAX]]
                {
                    quick += u32::from(agree(&file(depth, color, (width, height), &stream, lengths)));
                }
                assert!(quick > 0 || stream.len() < 100, "{width}x{height}, {depth} bits, type {color}");
            }
        }
    }

    #[test]
    fn what_is_not_whole_is_left_to_the_other() {
        let header = Header { width: 61, height: 33, depth: 8, color: Color::Rgb, interlaced: false };
        let plain = rows(&header);
        let stream = |plain: &[u8]| compress_to_vec_zlib(plain, 6);
        let file = |stream: &[u8]| file(8, 2, (61, 33), stream, &[usize::MAX]);
        let whole = stream(&plain);
        assert!(!agree(&file(&stream(&plain[..plain.len() - 1]))), "a byte is missing");
        assert!(!agree(&file(&stream(&[&plain[..], &[0]].concat()))), "a byte too many");
        assert!(!agree(&file(&whole[..whole.len() - 1])), "the checksum is cut");
        let mut filter = plain.clone();
        filter[184 * 32] = 5;
        assert!(!agree(&file(&stream(&filter))), "an unknown filter in the last row");
        // The rows end in one slice and the stream in the next: Pillow stops at the first.
        let cut = whole.len() - 4;
        assert!(!agree(
            &[&SIGNATURE[..], &ihdr(61, 33, 8, 2, 0), &chunk(*b"IDAT", &whole[..cut]), &chunk(*b"IDAT", &whole[cut..])].concat()
        ));
        let (mut left, bits) = (0, whole.len() * 8);
        for bit in (0..bits).step_by(5) {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            left += usize::from(!agree(&file(&bytes)));
        }
        // What fills the last byte, and lengths of codes that are not used, mean nothing.
        assert!(left * 5 > bits - 60, "{left} of every fifth of {bits}");
    }
}
