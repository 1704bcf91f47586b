//! Units of first AC scans of progressive files (T.81, G.1.2.2): which coefficients are not zero is kept, their values are passed.
//!
//! Measured in processor time on one core of a Xeon, progressive mosaics of photographs, 105 megapixels, the whole file with its
//! refinement scans: 118 MP/s with a look for each coefficient, 133 with leaps.

use super::bits::Bits;
use super::huffman::{LOOK, Table, split};
use super::plane::Plane;
use super::scan::Units;

/// Bits of a look.
const WIDE: u32 = 11;

/// What a look at the next bits passes: as many whole coefficients as it holds, with the bits behind their codes, up to an end
/// of block; or one whose bits reach over the end of the look. No bits where not even one code is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Leap {
    /// Which of the coefficients passed are not zero, the next one in the lowest bit.
    significant: u32,
    bits: u8,
    coefficients: u8,
    ends: bool,
}

/// The code of an AC scan made for leaping.
#[derive(Debug)]
pub(super) struct Leaps {
    leaps: Box<[Leap; 1 << WIDE]>,
    table: Table,
}

impl Leaps {
    /// Prepares a table.
    pub(super) fn new(table: Table) -> Self {
        let mut leaps = Box::new([Leap::default(); 1 << WIDE]);
        for (pattern, leap) in (0_u32..).zip(leaps.iter_mut()) {
            *leap = Self::leap(&table, pattern).unwrap_or_default();
        }
        Self { leaps, table }
    }

    fn leap(table: &Table, pattern: u32) -> Option<Leap> {
        let (mut used, mut coefficients, mut significant, mut ends) = (0, 0, 0, false);
        while used < WIDE && !ends {
            let rest = pattern << used & ((1 << WIDE) - 1);
            let Some((symbol, length)) = table.short(rest >> (WIDE - LOOK)).filter(|(_, length)| used + length <= WIDE) else { break };
            match split(symbol) {
                (zeros, size) if size > 0 => {
                    let fits = used == 0 || used + length + size <= WIDE;
                    if !fits || coefficients + zeros >= u32::BITS {
                        break;
                    }
                    used += length + size;
                    significant |= 1 << (coefficients + zeros);
                    coefficients += zeros + 1;
                }
                (15, _) => (used, coefficients) = (used + length, coefficients + 16),
                (0, _) => (used, ends) = (used + length, true),
                // The length of a run of blocks follows.
                _ => break,
            }
        }
        let (bits, coefficients) = (u8::try_from(used).ok()?, u8::try_from(coefficients).ok()?);
        Some(Leap { significant, bits, coefficients, ends })
    }
}

/// Units of a first AC scan. There is one component and one block in a unit.
#[derive(Debug)]
pub(super) struct First<'p> {
    pub(super) plane: &'p mut Plane,
    pub(super) leaps: Leaps,
    /// First and last coefficient, in zigzag order, 1 to 63.
    pub(super) band: (u32, u32),
    /// Blocks that are still to come without coefficients.
    pub(super) run: u32,
}

impl Units for First<'_> {
    fn decode(&mut self, bits: &mut Bits<'_>, column: usize, row: usize) -> Result<(), &'static str> {
        if self.run > 0 {
            self.run -= 1;
            return Ok(());
        }
        let place = row * self.plane.stride + column;
        let Some(kept) = self.plane.significant.get_mut(place) else { return Ok(()) };
        // A copy can be kept in registers.
        let mut local = bits.clone();
        let result = self.leaps.block(&mut local, self.band, kept, &mut self.run);
        *bits = local;
        result
    }

    fn restart(&mut self) {
        self.run = 0;
    }
}

impl Leaps {
    #[inline]
    fn block(&self, bits: &mut Bits<'_>, band: (u32, u32), kept: &mut u64, run: &mut u32) -> Result<(), &'static str> {
        let (mut coefficient, last) = band;
        let mut significant = *kept;
        let result = loop {
            bits.refill();
            // A leap uses 26 bits at most, so that a refill lasts for two.
            for _ in 0..2 {
                // A look is eleven bits wide, so the index is always in the table and the test for it is optimised away.
                let leap = self.leaps[bits.peek(WIDE) as usize & ((1 << WIDE) - 1)];
                let next = coefficient + u32::from(leap.coefficients);
                if leap.bits == 0 || next > last {
                    break;
                }
                significant |= u64::from(leap.significant) << coefficient;
                bits.skip(u32::from(leap.bits));
                coefficient = next;
                if leap.ends {
                    *kept = significant;
                    return Ok(());
                }
            }
            // One symbol: where a code is long, where a run of blocks begins, and at the end of the band, behind which a leap
            // could go on into the next block.
            bits.refill();
            let symbol = self.table.symbol(bits);
            let (zeros, size) = split(symbol.unwrap_or(0));
            if size > 0 {
                coefficient += zeros;
                bits.need(size);
                bits.skip(size);
                significant |= 1 << coefficient.min(63);
            } else if zeros == 15 {
                coefficient += 15;
            } else {
                *run = (1 << zeros) - 1 + bits.take(zeros);
                break if symbol.is_none() { Err("an invalid AC code") } else { Ok(()) };
            }
            coefficient += 1;
            if coefficient > last {
                break if coefficient > last + 1 { Err("a run past the end of a band") } else { Ok(()) };
            }
        };
        *kept = significant;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::super::huffman::{Definition, standard};
    use super::*;

    fn leaps(definition: &Definition) -> Leaps {
        Leaps::new(Table::new(definition).expect("it is a code"))
    }

    fn block(leaps: &Leaps, bytes: &[u8], band: (u32, u32)) -> (Result<(), &'static str>, u64, u32, u32) {
        let (mut bits, mut kept, mut run) = (Bits::new(bytes, 0), 0, 0);
        let result = leaps.block(&mut bits, band, &mut kept, &mut run);
        (result, kept, run, bits.left())
    }

    #[test]
    fn coefficients_are_kept_where_they_stand() {
        let leaps = leaps(&standard(true, 0).expect("it is a standard table"));
        // 00 and a bit: the next coefficient. 1100 and a bit: one zero, then a coefficient, of one bit. 1010: end of block.
        assert_eq!(leaps.leaps[0b001_0001_0101], Leap { significant: 0b11, bits: 10, coefficients: 2, ends: true });
        assert_eq!(block(&leaps, &[0b0011_1001, 0b1010_0000], (1, 63)), (Ok(()), 0b1010, 0, 4));
    }

    #[test]
    fn a_leap_does_not_go_into_the_next_block() {
        let leaps = leaps(&standard(true, 0).expect("it is a standard table"));
        // Two coefficients fill the band of two; what follows belongs to the next block.
        let (result, kept, run, left) = block(&leaps, &[0b0010_0110, 0b1000_0000], (1, 2));
        assert_eq!((result, kept, run, left), (Ok(()), 0b110, 0, 10));
    }

    #[test]
    fn a_run_of_blocks_is_counted_and_runs_past_the_end_are_wrong() {
        let mut counts = [0; 16];
        counts[1] = 3;
        // 00: a coefficient behind fifteen zeros; 01: a run of 4 to 7 blocks; 10: sixteen zeros.
        let leaps = leaps(&Definition { counts, symbols: vec![0xF1, 0x20, 0xF0] });
        assert_eq!(block(&leaps, &[0b0110_0000], (1, 63)), (Ok(()), 0, 5, 4));
        assert_eq!(block(&leaps, &[0b1010_1010], (1, 63)).0, Err("a run past the end of a band"));
        assert_eq!(block(&leaps, &[0b0010_0000], (1, 16)).1, 1 << 16);
    }
}
