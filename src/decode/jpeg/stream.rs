//! JPEG streams inside other files: pieces of a picture that share their tables, as TIFF has them (TIFF Technical Note 2).

use super::Stop;
use super::frame::Frame;
use super::markers::{self, Tables, code};
use super::{verdict, walk};
use crate::decode::Limits;
use crate::model::Strict;

/// The tables that pieces of a picture share. Like libjpeg, it keeps those of each piece for the next one.
pub(in crate::decode) struct Stream {
    tables: Tables,
}

/// What libjpeg makes of a piece, given a source that ends every stream with an end marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode) enum Ending {
    /// All rows come, whole or not.
    Rows,
    /// A fatal error.
    Refused,
    /// Not known here.
    Unknown,
}

/// A piece of a picture.
pub(in crate::decode) struct Piece {
    /// What its frame header says, if it has one.
    frame: Option<Frame>,
    pub(in crate::decode) ending: Ending,
    /// Whether the header was taken and the first scan begun.
    pub(in crate::decode) has_scan: bool,
    pub(in crate::decode) strict: Strict,
}

impl Stream {
    /// Reads a stream of tables only, if there is one; `None` where it is no such stream.
    pub(in crate::decode) fn new(tables: Option<&[u8]>) -> Option<Self> {
        Some(Self { tables: tables.map_or(Some(Tables::default()), read_tables)? })
    }

    /// Walks a piece.
    pub(in crate::decode) fn walk(&mut self, bytes: &[u8], limits: &Limits) -> Piece {
        let mut walk = walk::walk_after(std::mem::take(&mut self.tables), bytes, limits);
        let ending = match &walk.stop {
            Some(Stop::NoDecoder(_) | Stop::Limit(_) | Stop::Arithmetic(_)) => Ending::Unknown,
            _ if walk.tables_first => Ending::Refused,
            None => Ending::Rows,
            Some(Stop::Starved { .. }) if walk.scans > 0 => Ending::Rows,
            // libtiff does not mind a fatal error behind the last row (`JPEGDecode`).
            Some(Stop::Refused { .. }) if walk.rows_done => Ending::Rows,
            Some(Stop::Starved { .. } | Stop::Refused { .. }) => Ending::Refused,
        };
        let strict = verdict::strict(&walk, bytes.len());
        self.tables = std::mem::take(&mut walk.tables);
        Piece { frame: walk.frame, ending, has_scan: walk.scans > 0, strict }
    }
}

impl Piece {
    /// Width and height in pixels.
    pub(in crate::decode) fn size(&self) -> Option<(usize, usize)> {
        self.frame.as_ref().map(|frame| frame.size)
    }

    /// Bits of a sample.
    pub(in crate::decode) fn precision(&self) -> Option<u8> {
        self.frame.as_ref().map(|frame| frame.precision)
    }

    /// Sampling factors of each component.
    pub(in crate::decode) fn factors(&self) -> Vec<(usize, usize)> {
        self.frame.iter().flat_map(|frame| &frame.components).map(|component| component.factors).collect()
    }
}

/// Reads tables from a source that gives end markers for ever once its bytes are used up, as libtiff's does: a table that is
/// cut short is filled with them.
fn read_tables(bytes: &[u8]) -> Option<Tables> {
    let bytes = &[bytes, &[0xFF, code::EOI].repeat(1 << 15)].concat();
    let mut tables = Tables::default();
    let mut at = if bytes.starts_with(&[0xFF, code::SOI]) { 2 } else { return None };
    while let Some(marker) = markers::next(bytes, at) {
        match marker.code {
            code::EOI => break,
            code::RST0..=code::RST7 | code::TEM => at = marker.end(),
            code::DHT | code::DQT | code::DRI | code::DAC | code::DNL | code::COM | code::APP0..=code::APP15 => {
                let (body, end) = markers::segment(bytes, marker, false).ok()?;
                tables.take(marker.code, body, marker.offset).ok()?;
                at = end;
            }
            _ => return None,
        }
    }
    Some(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quantization table of ones.
    fn tables() -> Vec<u8> {
        [&[0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0][..], &[1; 64], &[0xFF, 0xD9]].concat()
    }

    #[test]
    fn tables_are_read_and_filled_where_they_are_cut() {
        assert!(Stream::new(None).is_some());
        for length in 7..tables().len() {
            let stream = Stream::new(Some(&tables()[..length])).expect("it begins like a stream");
            assert!(stream.tables.quantization[0].is_some(), "{length}");
        }
        assert!(Stream::new(Some(b"no stream")).is_none());
        assert!(Stream::new(Some(&[0xFF, 0xD8, 0xFF, 0xC2, 0, 2])).is_none(), "a frame is no table");
    }

    #[test]
    fn a_piece_without_a_frame_is_refused() {
        let mut stream = Stream::new(Some(&tables())).expect("they are tables");
        for bytes in [&[][..], &[0xFF, 0xD8, 0xFF, 0xD9], b"noise"] {
            let piece = stream.walk(bytes, &Limits::default());
            assert_eq!((piece.ending, piece.has_scan, piece.size()), (Ending::Refused, false, None));
        }
    }
}
