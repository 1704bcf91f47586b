//! JPEG: a walk over every marker and every entropy-coded bit, without rebuilding the picture.
//!
//! Whether a JPEG loads, and how much of it is there, is decided by its markers and its Huffman codes alone; the transform
//! behind them cannot fail. So the walk decodes no coefficient but the DC values, which make a picture at an eighth of the
//! size, and passes the rest by its length in bits.
//!
//! - `bits` reads bits, `huffman` codes, `markers` segments, `frame` frame and scan headers.
//! - `pass` passes the coefficients of sequential blocks, fast. `sequential`, `first` and `progressive` know what a unit of a
//!   scan is made of, `scan` walks all units over restart markers and damage, `walk` the whole file. `damage` collects what is
//!   wrong, `plane` what is kept; `prefetch` replays how libjpeg reads the end of a file that has none.
//! - `open` is Pillow's own parser, which has its say before libjpeg; `verdict` turns all this into what loaders say;
//!   `picture` makes the reduced picture. `stream` walks the pieces of JPEG data that other formats hold.
//!
//! Arithmetic coding and lossless files are recognised and not walked.

mod bits;
mod damage;
mod first;
mod frame;
mod huffman;
mod markers;
mod open;
mod pass;
mod picture;
mod plane;
mod prefetch;
mod progressive;
mod scan;
mod sequential;
mod stream;
mod verdict;
mod walk;

#[cfg(test)]
mod tests;

pub(super) use stream::{Ending, Piece, Stream};

use super::limits::Limits;
use super::reading::Reading;
use crate::model::{Fault, FaultKind};

/// Bits that a block takes on average up to which blocks hold nothing but their mean: a DC difference of 0 and the end of the
/// block are six bits in the tables of ITU-T T.81 annex K, and small differences between blocks add a few.
const PLAIN_BLOCK_BITS: u64 = 10;

/// Reads a JPEG file. The caller has seen that it begins like one.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Reading {
    let walk = walk::walk(bytes, limits);
    let frame = walk.frame.as_ref().filter(|_| walk.scans > 0);
    let picture = frame.and_then(|frame| {
        let mut picture = picture::reduced(frame, &walk.tables, &walk.planes)?;
        // A block costs about six bits where nothing in it differs from its mean, and AC codes are longer than that.
        picture.has_detail = walk.coded_bytes as u64 * 8 > frame.padded_blocks().saturating_mul(PLAIN_BLOCK_BITS);
        Some(picture)
    });
    let opened = open::open(bytes);
    Reading {
        pillow: verdict::pillow(&opened, &walk, bytes.len()),
        pillow_lenient: verdict::pillow_lenient(&opened),
        opencv: verdict::opencv(&walk),
        strict: verdict::strict(&walk, bytes.len()),
        picture,
        trailing: verdict::trailing(&walk, bytes),
    }
}

/// What ends a walk before the end marker.
#[derive(Clone, Debug, PartialEq)]
enum Stop {
    /// The file has no more bytes. `at` is the first byte that libjpeg has not taken, within a few.
    Starved { at: usize },
    /// libjpeg calls it a fatal error.
    Refused { at: usize, what: String },
    /// A valid process that is not walked here.
    NoDecoder(String),
    /// A scan in arithmetic coding, which is not walked either.
    Arithmetic(Behind),
    /// A limit of this run.
    Limit(Fault),
}

/// What stands behind a scan in arithmetic coding that holds the whole picture.
///
/// Every bit string is valid there, and libjpeg takes zeros for what is missing before a marker, so this decides what loaders
/// say (jdarith.c of libjpeg-turbo 3: `get_byte` reads on until a marker, and gives up where the source has run dry).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    /// The end marker.
    End,
    /// Nothing: the file ends in the scan.
    Nothing,
    /// Another marker, zeros that may be part of the scan or not, or it is one scan of several.
    Other,
}

impl Stop {
    fn refused(at: usize, what: impl Into<String>) -> Self {
        Self::Refused { at, what: what.into() }
    }
}

fn timed_out() -> Stop {
    Stop::Limit(Fault::new(FaultKind::TimedOut, "decoding took longer than the limit"))
}
