//! JPEG in TIFF (compression 7): strips and tiles are JPEG streams that share their tables.
//!
//! The checks of a stream against the directory are libtiff's (`tif_jpeg.c`, `JPEGPreDecode`).

use super::directory::Page;
use super::walked::{Outcome, Walked};
use crate::decode::Limits;
use crate::decode::jpeg::{Ending, Piece, Stream};
use crate::model::{Fault, Strict};

/// The streams of a page.
pub(super) struct Pieces {
    stream: Stream,
    /// Sampling factors that the first component must have.
    factors: (usize, usize),
}

impl Pieces {
    /// Reads the tables; `None` where they are no tables, which libtiff refuses.
    pub(super) fn new(page: &Page<'_>, is_ycbcr: bool) -> Option<Self> {
        let (across, down) = page.subsampling;
        let factors = if is_ycbcr { (across.into(), down.into()) } else { (1, 1) };
        Some(Self { stream: Stream::new(page.jpeg_tables)?, factors })
    }
}

/// Walks a strip or tile of so many rows. `at` is where the data lies in the file.
pub(super) fn walk(pieces: Option<&mut Pieces>, page: &Page<'_>, data: &[u8], rows: u32, index: u64, at: usize, limits: &Limits) -> Walked {
    let Some(pieces) = pieces else { return Walked::broken(0, 1, at, "the tag JPEGTables holds no tables") };
    let piece = pieces.stream.walk(data, limits);
    let mismatch = mismatch(&piece, pieces.factors, page, rows, index);
    let outcome = match piece.ending {
        _ if mismatch.is_some() => Outcome::Refused,
        Ending::Rows => Outcome::Taken,
        Ending::Refused => Outcome::Refused,
        Ending::Unknown => Outcome::Unknown,
    };
    let moved = |fault: Fault| Fault { offset: fault.offset.map(|offset| offset.saturating_add(at as u64)), ..fault };
    if let Some(what) = mismatch {
        return Walked { outcome, ..Walked::broken(0, 1, at, what) };
    }
    match piece.strict {
        Strict::Whole => Walked { outcome, ..Walked::whole() },
        Strict::Damaged { fault, lost } => Walked { outcome, fault: Some(moved(fault)), lost },
        Strict::Error(fault) => Walked { outcome, fault: Some(moved(fault)), lost: Some(1.0) },
        Strict::Unknown(fault) => Walked { outcome, fault: Some(moved(fault)), lost: None },
    }
}

/// Where the stream contradicts the directory in a way that libtiff refuses.
fn mismatch(piece: &Piece, factors: (usize, usize), page: &Page<'_>, rows: u32, index: u64) -> Option<String> {
    let (width, height) = piece.size()?;
    let (wide, high) = match page.tile {
        Some((wide, high)) => (u64::from(wide), u64::from(high)),
        None => (u64::from(page.width), u64::from(rows)),
    };
    let is_last = page.tile.is_none() && (index + 1).is_multiple_of(page.first_part(1).max(1));
    let taller = height as u64 > high && !(is_last && width as u64 == wide);
    if width as u64 > wide || taller {
        return Some(format!("the JPEG stream has {width}x{height} pixels, where {wide}x{high} are expected"));
    }
    let found = piece.factors();
    let samples = if page.planar { 1 } else { usize::from(page.samples) };
    if found.len() != samples {
        return Some(format!("the JPEG stream has {} components, where {samples} are expected", found.len()));
    }
    let precision = piece.precision().map(u16::from);
    if precision != Some(page.bits) {
        return Some(format!("the JPEG stream does not have {} bits a sample", page.bits));
    }
    let expected = |place| if place == 0 && !page.planar { factors } else { (1, 1) };
    found
        .iter()
        .enumerate()
        .any(|(place, factors)| *factors != expected(place))
        .then(|| "the JPEG stream has other sampling factors than expected".to_owned())
}
