//! Units of progressive scans (T.81, annex G), but for the first AC scans, which `first` has.
//!
//! Refinement scans send a bit for each coefficient that is not zero yet, so which those are is kept; their values are not.

use super::bits::Bits;
use super::huffman::{Table, split};
use super::plane::{Plane, kept};
use super::scan::Units;

/// A component in a DC scan.
#[derive(Clone, Debug)]
pub(super) struct DcMember {
    /// Its place in the frame.
    pub(super) place: usize,
    /// Blocks of it in a unit: columns and rows.
    pub(super) blocks: (usize, usize),
    /// Its table; none in a refinement scan.
    pub(super) table: Option<Table>,
    /// Largest DC value that makes sense.
    pub(super) limit: i32,
    /// The last DC value, before it is scaled.
    pub(super) predictor: i32,
}

/// Units of a DC scan, the first or a refinement.
#[derive(Debug)]
pub(super) struct Dc<'p> {
    pub(super) planes: &'p mut [Plane],
    pub(super) members: Vec<DcMember>,
    /// Low bits that this scan does not send.
    pub(super) low: u32,
}

impl Units for Dc<'_> {
    fn decode(&mut self, bits: &mut Bits<'_>, column: usize, row: usize) -> Result<(), &'static str> {
        let mut wrong = None;
        let mut local = bits.clone();
        for member in &mut self.members {
            let Some(plane) = self.planes.get_mut(member.place) else { continue };
            let (across, down) = member.blocks;
            for y in 0..down {
                let first = (row * down + y) * plane.stride + column * across;
                for dc in plane.dc.get_mut(first..first + across).unwrap_or_default() {
                    let Some(table) = &member.table else {
                        *dc |= kept(local.take(1).cast_signed() << self.low);
                        continue;
                    };
                    if let Some(size) = table.symbol(&mut local) {
                        member.predictor = member.predictor.wrapping_add(local.take_signed(u32::from(size)));
                    } else {
                        wrong = Some("an invalid DC code");
                    }
                    let value = member.predictor.wrapping_shl(self.low);
                    if value.unsigned_abs() > member.limit.unsigned_abs() {
                        wrong = wrong.or(Some("a DC value out of range"));
                    }
                    *dc = kept(value);
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
}

/// Units of an AC scan that refines. There is one component and one block in a unit.
#[derive(Debug)]
pub(super) struct Refinement<'p> {
    pub(super) plane: &'p mut Plane,
    pub(super) table: Table,
    /// First and last coefficient, in zigzag order, 1 to 63.
    pub(super) band: (u32, u32),
    /// Blocks that are still to come without new coefficients.
    pub(super) run: u32,
}

impl Units for Refinement<'_> {
    fn decode(&mut self, bits: &mut Bits<'_>, column: usize, row: usize) -> Result<(), &'static str> {
        let place = row * self.plane.stride + column;
        let Some(significant) = self.plane.significant.get_mut(place) else { return Ok(()) };
        // A copy can be kept in registers.
        let mut local = bits.clone();
        let result = refine(significant, &mut local, &self.table, self.band, &mut self.run);
        *bits = local;
        result
    }

    fn restart(&mut self) {
        self.run = 0;
    }
}

#[inline]
fn refine(significant: &mut u64, bits: &mut Bits<'_>, table: &Table, band: (u32, u32), run: &mut u32) -> Result<(), &'static str> {
    let (mut coefficient, last) = band;
    let mut wrong = None;
    if *run == 0 {
        // Coefficients that are zero so far, from `coefficient` on.
        let mut zero = !*significant & (u64::MAX << coefficient) & (u64::MAX >> (63 - last));
        while coefficient <= last {
            // Enough for a symbol, a bit, and half a block of bits behind it.
            bits.refill();
            let symbol = table.symbol(bits);
            let (zeros, size) = split(symbol.unwrap_or(0));
            if symbol.is_none() {
                wrong = wrong.or(Some("an invalid AC code"));
            }
            if size > 0 {
                bits.skip(1);
                if size > 1 {
                    wrong = wrong.or(Some("a new coefficient of more than one bit in a refinement scan"));
                }
            } else if zeros < 15 {
                *run = (1 << zeros) + bits.take(zeros);
                break;
            }
            // The zero coefficient behind `zeros` others; those on the way that are not zero have a bit each.
            zero = without_lowest(zero, zeros);
            if zero == 0 {
                bits.skip_many(significant_from(*significant, coefficient, last));
                coefficient = last + 1;
                if size > 0 {
                    wrong = wrong.or(Some("a run past the end of a band"));
                    *significant |= 1 << coefficient.min(63);
                }
                break;
            }
            let place = zero.trailing_zeros();
            let passed = place - coefficient - zeros;
            if passed <= 32 {
                bits.skip(passed);
            } else {
                bits.skip_many(passed);
            }
            *significant |= u64::from(size > 0) << place;
            zero &= zero - 1;
            coefficient = place + 1;
        }
    }
    if *run > 0 {
        bits.skip_many(significant_from(*significant, coefficient, last));
        *run -= 1;
    }
    wrong.map_or(Ok(()), Err)
}

/// How many coefficients from `first` to `last` are not zero.
#[inline]
fn significant_from(significant: u64, first: u32, last: u32) -> u32 {
    if first > last { 0 } else { (significant >> first << (63 - last + first)).count_ones() }
}

/// The mask without its lowest `count` (0 to 15) bits.
///
/// Up to three are the rule. Those masks do not depend on `count`, so they are ready when it comes from a table, and it takes a
/// choice instead of a loop whose end is a coin toss.
#[inline]
fn without_lowest(mask: u64, count: u32) -> u64 {
    let next = |mask: u64| mask & mask.wrapping_sub(1);
    let (one, two, three) = (next(mask), next(next(mask)), next(next(next(mask))));
    let low = if count & 1 == 0 { mask } else { one };
    let high = if count & 1 == 0 { two } else { three };
    let mut rest = if count & 2 == 0 { low } else { high };
    for _ in 0..count / 4 {
        rest = next(next(next(next(rest))));
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_bits_are_taken_away() {
        let mask = 0xF0F3_0000_1234_8001;
        for count in 0..16 {
            let expected = (0..count).fold(mask, |mask: u64, _| mask & mask.wrapping_sub(1));
            assert_eq!(without_lowest(mask, count), expected, "{count}");
        }
        assert_eq!(without_lowest(0b11, 3), 0);
    }

    #[test]
    fn coefficients_are_counted_to_the_end_of_the_band() {
        assert_eq!(significant_from(u64::MAX, 1, 63), 63);
        assert_eq!(significant_from(0b1011_0110, 2, 5), 3);
        assert_eq!(significant_from(u64::MAX, 6, 5), 0);
    }
}
