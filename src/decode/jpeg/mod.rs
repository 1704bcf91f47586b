//! JPEG: a walk over every marker and every entropy-coded bit, without rebuilding the picture.
//!
//! Whether a JPEG loads, and how much of it is there, is decided by its markers and its Huffman codes alone; the transform
//! behind them cannot fail. So the walk decodes no coefficient but the DC values, which make a picture at an eighth of the
//! size, and passes the rest by its length in bits.
//!
//! - `bits` reads bits, `huffman` codes, `markers` segments, `frame` frame and scan headers.
//! - `pass` passes the coefficients of sequential blocks, fast. `sequential` and `progressive` know what a unit of a scan is made of, `scan` walks all units over restart markers and
//!   damage, `walk` the whole file. `damage` collects what is wrong, `plane` what is kept;
//!   `prefetch` replays how libjpeg reads the end of a file that has none.
//! - `open` is Pillow's own parser, which has its say before libjpeg; `verdict` turns all this into what loaders say;
//!   `picture` makes the reduced picture.
//!
//! Arithmetic coding and lossless files are recognised and not walked.

mod bits;
mod damage;
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
mod verdict;
mod walk;

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod tests;

use super::limits::Limits;
use super::reading::Reading;
use crate::model::{Fault, FaultKind};

/// Reads a JPEG file. The caller has seen that it begins like one.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Reading {
    let walk = walk::walk(bytes, limits);
    let frame = walk.frame.as_ref().filter(|_| walk.scans > 0);
    let picture = frame.and_then(|frame| picture::reduced(frame, &walk.tables, &walk.planes));
    Reading {
        pillow: verdict::pillow(open::open(bytes), &walk, bytes.len()),
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
    /// A limit of this run.
    Limit(Fault),
}

impl Stop {
    fn refused(at: usize, what: impl Into<String>) -> Self {
        Self::Refused { at, what: what.into() }
    }
}

fn timed_out() -> Stop {
    Stop::Limit(Fault::new(FaultKind::TimedOut, "decoding took longer than the limit"))
}
