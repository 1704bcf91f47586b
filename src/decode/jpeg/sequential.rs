//! Units of baseline and extended sequential scans: DC values are kept, AC coefficients are passed.

use super::bits::Bits;
use super::huffman::Table;
use super::pass::Passer;
use super::plane::{Plane, kept};
use super::prefetch::{Dry, Prefetch};
use super::scan::Units;

/// A component in a scan.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Its place in the frame.
    pub(super) place: usize,
    /// Blocks of it in a unit: columns and rows.
    pub(super) blocks: (usize, usize),
    /// Its DC table.
    pub(super) dc: Table,
    /// Its AC table.
    pub(super) ac: Passer,
    /// Largest DC value that makes sense.
    pub(super) limit: i32,
    /// The last DC value.
    pub(super) predictor: i32,
}

/// Units of a sequential scan.
#[derive(Debug)]
pub(super) struct Sequential<'p> {
    pub(super) planes: &'p mut [Plane],
    pub(super) members: Vec<Member>,
}

impl Units for Sequential<'_> {
    #[inline]
    fn decode(&mut self, bits: &mut Bits<'_>, column: usize, row: usize) -> Result<(), &'static str> {
        let mut wrong = None;
        // A copy can be kept in registers.
        let mut local = bits.clone();
        for member in &mut self.members {
            let Some(plane) = self.planes.get_mut(member.place) else { continue };
            let (across, down) = member.blocks;
            for y in 0..down {
                let first = (row * down + y) * plane.stride + column * across;
                for dc in plane.dc.get_mut(first..first + across).unwrap_or_default() {
                    if let Some(size) = member.dc.symbol(&mut local) {
                        member.predictor = member.predictor.wrapping_add(local.take_signed(u32::from(size)));
                    } else {
                        wrong = Some("an invalid DC code");
                    }
                    if member.predictor.unsigned_abs() > member.limit.unsigned_abs() {
                        wrong = wrong.or(Some("a DC value out of range"));
                    }
                    *dc = kept(member.predictor);
                    if let Err(what) = member.ac.pass_block(&mut local) {
                        wrong = wrong.or(Some(what));
                    }
                }
            }
        }
        *bits = local;
        wrong.map_or(Ok(()), Err)
    }

    fn restart(&mut self) {
        for member in &mut self.members {
            member.predictor = 0;
        }
    }

    fn replay(&self, source: &mut Prefetch<'_>) -> Result<(), Dry> {
        for member in &self.members {
            for _ in 0..member.blocks.0 * member.blocks.1 {
                let size = source.symbol(&member.dc)?;
                source.pass(u32::from(size))?;
                let mut coefficient = 1;
                while coefficient < 64 {
                    let symbol = source.symbol(member.ac.table())?;
                    match (symbol >> 4, symbol & 15) {
                        (15, 0) => coefficient += 16,
                        (_, 0) => break,
                        (zeros, size) => {
                            coefficient += u32::from(zeros) + 1;
                            source.pass(u32::from(size))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
