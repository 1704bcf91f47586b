//! Rows put together four at a time, from plain data that stays where it was inflated to.
//!
//! For pictures whose rows come from top to bottom in pixels of three or four bytes, in which nothing is wrong; all others are
//! for [`rows`](super::rows).

use super::rows::{Geometry, Place, unfilter};
use super::wave::{self, ROWS, SLACK};

/// Bytes of a row above which bands are not for it: four of them would not stay in the cache.
const LONGEST: u64 = 256 << 10;

/// Rows being put together.
#[derive(Debug)]
pub(super) struct Bands {
    geometry: Geometry,
    /// Bytes of a pixel, 3 or 4.
    pixel: usize,
    width: usize,
    /// Bytes of a row without its filter byte.
    row: usize,
    /// The next row.
    y: u32,
    above: Vec<u8>,
    out: [Vec<u8>; ROWS],
}

impl Bands {
    /// Bands for such a picture, if they are for it.
    pub(super) fn new(geometry: Geometry) -> Option<Self> {
        let pixel = match geometry.bits {
            24 => 3,
            32 => 4,
            _ => return None,
        };
        if geometry.interlaced || geometry.longest_row() > LONGEST {
            return None;
        }
        let row = usize::try_from(geometry.longest_row()).ok()?;
        let blank = || vec![0; row + SLACK];
        let out = [blank(), blank(), blank(), blank()];
        Some(Self { geometry, pixel, width: row / pixel, row, y: 0, above: blank(), out })
    }

    /// Bytes of plain data from which a band is made.
    pub(super) fn bytes(&self) -> usize {
        ROWS * (self.row + 1)
    }

    /// Whether every row was seen.
    pub(super) fn is_complete(&self) -> bool {
        self.y >= self.geometry.height
    }

    /// Takes whole bands from the front of `plain`, of which `length` bytes are valid and [`SLACK`] more can be read, and the
    /// last rows one by one. Answers how many bytes were taken; `None` where a byte is no filter.
    pub(super) fn take(&mut self, plain: &[u8], length: usize, mut emit: impl FnMut(Place, &[u8])) -> Option<usize> {
        let mut taken = 0;
        loop {
            let rows = usize::try_from(self.geometry.height - self.y).unwrap_or(usize::MAX).min(ROWS);
            let wanted = rows * (self.row + 1);
            if rows == 0 || length - taken < wanted {
                return Some(taken);
            }
            self.band(plain.get(taken..taken + wanted + SLACK)?, rows)?;
            for row in self.out.iter().take(rows) {
                emit(Place { y: self.y, first: 0, stride: 1, pixels: self.geometry.width }, row.get(..self.row)?);
                self.y += 1;
            }
            // The last row of the band is the one above the next.
            if let Some(last) = self.out.get_mut(rows - 1) {
                std::mem::swap(&mut self.above, last);
            }
            taken += wanted;
        }
    }

    /// Undoes the filters of so many rows.
    fn band(&mut self, plain: &[u8], rows: usize) -> Option<()> {
        let mut filters = [0; ROWS];
        let mut raw: [&[u8]; ROWS] = [&[]; ROWS];
        for (n, (filter, raw)) in filters.iter_mut().zip(&mut raw).take(rows).enumerate() {
            let start = n * (self.row + 1);
            *filter = *plain.get(start)?;
            *raw = plain.get(start + 1..start + 1 + self.row + SLACK)?;
        }
        if filters.iter().any(|filter| *filter > 4) {
            return None;
        }
        // Without the two filters that look at two pixels, whole rows are added up faster.
        if rows < ROWS || filters.iter().all(|filter| *filter < 3) {
            return self.one_by_one(filters, &raw, rows);
        }
        match self.pixel {
            3 => wave::unfilter::<3>(filters, raw, &self.above, &mut self.out, self.width),
            _ => wave::unfilter::<4>(filters, raw, &self.above, &mut self.out, self.width),
        }
        Some(())
    }

    fn one_by_one(&mut self, filters: [u8; ROWS], raw: &[&[u8]; ROWS], rows: usize) -> Option<()> {
        let mut above = self.above.get(..self.row)?;
        for ((out, filter), raw) in self.out.iter_mut().zip(filters).zip(raw).take(rows) {
            let out = out.get_mut(..self.row)?;
            out.copy_from_slice(raw.get(..self.row)?);
            if !unfilter(filter, out, above, self.pixel) {
                return None;
            }
            above = out;
        }
        Some(())
    }
}
