//! Huffman tables made for walking: the length of a code and of what follows it matters more than its meaning.
//!
//! Codes of up to ten bits are found in one look; longer ones bit by bit, the way T.81 F.2.2.3 says it.

use super::bits::Bits;

/// Bits of the first look. Ten hold all frequent codes of photographs; larger tables push others out of the first cache.
pub(super) const LOOK: u32 = 10;

/// A table as it stands in the file: how many codes there are of each length, 1 to 16, and their symbols in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// Codes of length `index + 1`.
    pub(super) counts: [u8; 16],
    /// Symbols by increasing code.
    pub(super) symbols: Vec<u8>,
}

/// What a look at the next bits gives: a code's symbol and length, packed so that the table stays small.
#[derive(Clone, Copy, Debug, Default)]
struct Entry(u16);

impl Entry {
    fn new(symbol: u8, length: u32) -> Self {
        Self(u16::from(symbol) << 8 | (length & 0xFF) as u16)
    }

    /// Length of the code; 0 for a code that is longer than the look.
    fn length(self) -> u32 {
        u32::from(self.0 & 0xFF)
    }

    fn symbol(self) -> u8 {
        (self.0 >> 8) as u8
    }
}

/// A table ready for use.
#[derive(Clone, Debug)]
pub(super) struct Table {
    look: Box<[Entry; 1 << LOOK]>,
    /// Largest code of each length, -1 where there is none.
    largest: [i32; 17],
    /// What is added to a code to get the place of its symbol.
    shift: [i32; 17],
    symbols: Vec<u8>,
}

impl Table {
    /// Makes a table, or `None` where the counts are no Huffman code: too many codes of some length, or one of ones only.
    pub(super) fn new(definition: &Definition) -> Option<Self> {
        let mut table =
            Self { look: Box::new([Entry::default(); 1 << LOOK]), largest: [-1; 17], shift: [0; 17], symbols: definition.symbols.clone() };
        let (mut code, mut place) = (0_usize, 0_usize);
        for (length, &count) in (1_u32..).zip(&definition.counts) {
            let count = usize::from(count);
            if count > 0 {
                let at = usize::try_from(length).ok()?;
                *table.shift.get_mut(at)? = i32::try_from(place).ok()? - i32::try_from(code).ok()?;
                *table.largest.get_mut(at)? = i32::try_from(code + count).ok()? - 1;
            }
            for _ in 0..count {
                let symbol = *definition.symbols.get(place)?;
                if length <= LOOK {
                    let first = code << (LOOK - length);
                    table.look.get_mut(first..first + (1 << (LOOK - length)))?.fill(Entry::new(symbol, length));
                }
                code += 1;
                place += 1;
            }
            // The code of ones only is forbidden, so the next free code must still fit.
            if count > 0 && code >= 1 << length {
                return None;
            }
            code <<= 1;
        }
        Some(table)
    }

    /// Whether every symbol is a size of DC differences (0 to 15), which libjpeg insists on.
    pub(super) fn is_for_dc(&self) -> bool {
        self.symbols.iter().all(|&symbol| symbol <= 15)
    }

    /// The next symbol; `None` for bits that are no code, which use 17 bits and count as symbol 0 (`jpeg_huff_decode`).
    #[expect(clippy::inline_always, reason = "a call forces the reader into memory, in the loops that this is made for")]
    #[inline(always)]
    pub(super) fn symbol(&self, bits: &mut Bits<'_>) -> Option<u8> {
        bits.need(LOOK);
        let entry = self.entry(bits);
        if entry.length() == 0 {
            let symbol;
            (*bits, symbol) = self.long_symbol(bits.clone());
            return symbol;
        }
        bits.skip(entry.length());
        Some(entry.symbol())
    }

    #[inline]
    fn entry(&self, bits: &Bits<'_>) -> Entry {
        // A look is ten bits wide, so the index is always in the table and the test for it is optimised away.
        self.look[bits.peek(LOOK) as usize & ((1 << LOOK) - 1)]
    }

    /// A symbol that is not found in one look. The reader is passed by value for the reason given at `Bits`.
    #[cold]
    #[inline(never)]
    pub(super) fn long_symbol<'a>(&self, mut bits: Bits<'a>) -> (Bits<'a>, Option<u8>) {
        bits.need(17);
        for length in LOOK + 1..=16 {
            if let Some(symbol) = self.find(bits.peek(length), length) {
                bits.skip(length);
                return (bits, Some(symbol));
            }
        }
        bits.skip(17);
        (bits, None)
    }

    /// The symbol and the length of the code that `bits` (at least ten) begin with, if it is one of up to ten bits.
    pub(super) fn short(&self, bits: u32) -> Option<(u8, u32)> {
        let entry = self.look.get(bits as usize).filter(|entry| entry.length() > 0)?;
        Some((entry.symbol(), entry.length()))
    }

    /// The symbol of a code, given that no shorter code begins it.
    pub(super) fn find(&self, code: u32, length: u32) -> Option<u8> {
        let length = usize::try_from(length).ok()?;
        let code = i32::try_from(code).ok().filter(|code| self.largest.get(length).is_some_and(|largest| code <= largest))?;
        let place = usize::try_from(code + self.shift.get(length)?).ok()?;
        self.symbols.get(place).copied()
    }
}

/// The two halves of an AC symbol: zeros before a coefficient, or what kind of an end it is, and the coefficient's size in bits.
pub(super) fn split(symbol: u8) -> (u32, u32) {
    (u32::from(symbol >> 4), u32::from(symbol & 15))
}

/// The tables that Motion JPEG leaves out: T.81, tables K.3 to K.6, for luma and chroma. libjpeg-turbo puts them in where a
/// sequential file defines none.
pub(super) fn standard(ac: bool, number: usize) -> Option<Definition> {
    let (counts, symbols): ([u8; 16], Vec<u8>) = match (ac, number) {
        (false, 0) => ([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], (0..12).collect()),
        (false, 1) => ([0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], (0..12).collect()),
        (true, 0) => (
            [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D],
            with_the_rest(&[
                0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14, 0x32,
                0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72, 0x82,
            ]),
        ),
        (true, 1) => (
            [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77],
            with_the_rest(&[
                0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22, 0x32, 0x81,
                0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1, 0x0A, 0x16, 0x24, 0x34,
                0xE1, 0x25, 0xF1,
            ]),
        ),
        _ => return None,
    };
    Some(Definition { counts, symbols })
}

/// The symbols given, then all others that a baseline AC code can have, in order: that is how both standard tables end.
fn with_the_rest(first: &[u8]) -> Vec<u8> {
    let rest = (0_u8..16).flat_map(|run| (1_u8..=10).map(move |size| run << 4 | size)).filter(|symbol| !first.contains(symbol));
    first.iter().copied().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_tables_have_as_many_symbols_as_codes() {
        for (ac, number, expected) in [(false, 0, 12), (false, 1, 12), (true, 0, 162), (true, 1, 162)] {
            let definition = standard(ac, number).expect("it is a standard table");
            assert_eq!(definition.symbols.len(), expected);
            assert_eq!(definition.counts.iter().map(|&count| usize::from(count)).sum::<usize>(), expected);
            assert!(Table::new(&definition).is_some());
        }
        assert_eq!(standard(true, 1).map(|table| table.symbols[43..48].to_vec()), Some(vec![0x17, 0x18, 0x19, 0x1A, 0x26]));
        assert!(standard(false, 2).is_none());
    }

    #[test]
    fn codes_of_every_length_are_found() {
        // One code of each length: 0, 10, 110, ...; the symbol is the length.
        let table = Table::new(&Definition { counts: [1; 16], symbols: (1..=16).collect() }).expect("it is a code");
        for length in 1..=16_u32 {
            let code = u64::MAX.checked_shl(65 - length).unwrap_or(0).to_be_bytes();
            let stuffed: Vec<u8> = code.iter().flat_map(|&byte| if byte == 0xFF { vec![byte, 0] } else { vec![byte] }).collect();
            assert_eq!(table.symbol(&mut Bits::new(&stuffed, 0)).map(u32::from), Some(length));
        }
        let mut bits = Bits::new(&[0xFF, 0, 0xFF, 0, 0xFF, 0], 0);
        assert_eq!(table.symbol(&mut bits), None);
        assert_eq!(bits.left(), 7);
    }

    #[test]
    fn what_is_no_code_is_refused() {
        let mut counts = [0; 16];
        counts[0] = 2;
        assert!(Table::new(&Definition { counts, symbols: vec![1, 2] }).is_none());
        assert!(Table::new(&Definition { counts: [0; 16], symbols: Vec::new() }).is_some());
    }
}
