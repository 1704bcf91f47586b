//! The codes of ITU-T T.4 and T.6 as tables over the next bits of the data, the first bit lowest.

/// Bits that the longest code for a white run is looked up by.
pub(super) const WHITE_BITS: u32 = 12;

/// Bits that the longest code for a black run is looked up by.
pub(super) const BLACK_BITS: u32 = 13;

/// Bits that a mode of two-dimensional coding is looked up by.
pub(super) const MODE_BITS: u32 = 7;

/// What a code for a run says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// There is no such code.
    Bad,
    /// Eleven zeros: the beginning of an end-of-line code.
    EndOfLine,
    /// So many pixels, and more of the same colour.
    MakeUp(u16),
    /// So many pixels, and then the other colour.
    Last(u16),
}

/// What a code of two-dimensional coding says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Pass,
    Horizontal,
    /// The change is so many pixels right of the one above it.
    Right(u8),
    /// The change is so many pixels left of the one above it.
    Left(u8),
    Extension,
    EndOfLine,
}

/// The mode for the next seven bits, and how many of them its code has (T.6, table 1).
pub(super) fn mode(bits: u32) -> (Mode, u32) {
    match bits & 0x7F {
        bits if bits & 1 == 1 => (Mode::Right(0), 1),
        bits if bits & 7 == 0b110 => (Mode::Right(1), 3),
        bits if bits & 7 == 0b010 => (Mode::Left(1), 3),
        bits if bits & 7 == 0b100 => (Mode::Horizontal, 3),
        bits if bits & 15 == 0b1000 => (Mode::Pass, 4),
        bits if bits & 63 == 0b11_0000 => (Mode::Right(2), 6),
        bits if bits & 63 == 0b01_0000 => (Mode::Left(2), 6),
        0b110_0000 => (Mode::Right(3), 7),
        0b010_0000 => (Mode::Left(3), 7),
        0b100_0000 => (Mode::Extension, 7),
        _ => (Mode::EndOfLine, 7),
    }
}

/// The codes for runs of one colour.
pub(super) struct Codes(Vec<(Run, u8)>);

impl Codes {
    /// Codes for white runs.
    pub(super) fn white() -> Self {
        Self::new(WHITE_BITS, &WHITE, &WHITE_MAKE_UP)
    }

    /// Codes for black runs.
    pub(super) fn black() -> Self {
        Self::new(BLACK_BITS, &BLACK, &BLACK_MAKE_UP)
    }

    /// The code that the next bits begin with, and its length. A code that does not exist has no length.
    pub(super) fn get(&self, bits: u32) -> (Run, u32) {
        let found = usize::try_from(bits).ok().and_then(|bits| self.0.get(bits)).copied();
        found.map_or((Run::Bad, 0), |(run, length)| (run, length.into()))
    }

    fn new(bits: u32, last: &[(u8, u16)], make_up: &[(u8, u16)]) -> Self {
        let mut table = vec![(Run::Bad, 0); 1 << bits];
        let mut add = |(length, code): (u8, u16), run| {
            let first = usize::from(code.reverse_bits() >> (16 - u32::from(length)));
            table.iter_mut().skip(first).step_by(1 << length).for_each(|entry| *entry = (run, length));
        };
        (0..).zip(last).for_each(|(run, code)| add(*code, Run::Last(run)));
        (1..).zip(make_up.iter().chain(&LONG_MAKE_UP)).for_each(|(step, code)| add(*code, Run::MakeUp(step * 64)));
        add((11, 0), Run::EndOfLine);
        Self(table)
    }
}

/// Length and code for white runs of 0 to 63 pixels (T.4, table 2).
const WHITE: [(u8, u16); 64] = [
    (8, 0x35),
    (6, 0x7),
    (4, 0x7),
    (4, 0x8),
    (4, 0xB),
    (4, 0xC),
    (4, 0xE),
    (4, 0xF),
    (5, 0x13),
    (5, 0x14),
    (5, 0x7),
    (5, 0x8),
    (6, 0x8),
    (6, 0x3),
    (6, 0x34),
    (6, 0x35),
    (6, 0x2A),
    (6, 0x2B),
    (7, 0x27),
    (7, 0xC),
    (7, 0x8),
    (7, 0x17),
    (7, 0x3),
    (7, 0x4),
    (7, 0x28),
    (7, 0x2B),
    (7, 0x13),
    (7, 0x24),
    (7, 0x18),
    (8, 0x2),
    (8, 0x3),
    (8, 0x1A),
    (8, 0x1B),
    (8, 0x12),
    (8, 0x13),
    (8, 0x14),
    (8, 0x15),
    (8, 0x16),
    (8, 0x17),
    (8, 0x28),
    (8, 0x29),
    (8, 0x2A),
    (8, 0x2B),
    (8, 0x2C),
    (8, 0x2D),
    (8, 0x4),
    (8, 0x5),
    (8, 0xA),
    (8, 0xB),
    (8, 0x52),
    (8, 0x53),
    (8, 0x54),
    (8, 0x55),
    (8, 0x24),
    (8, 0x25),
    (8, 0x58),
    (8, 0x59),
    (8, 0x5A),
    (8, 0x5B),
    (8, 0x4A),
    (8, 0x4B),
    (8, 0x32),
    (8, 0x33),
    (8, 0x34),
];

/// White runs of 64 to 1728 pixels, in steps of 64 (T.4, table 3a).
const WHITE_MAKE_UP: [(u8, u16); 27] = [
    (5, 0x1B),
    (5, 0x12),
    (6, 0x17),
    (7, 0x37),
    (8, 0x36),
    (8, 0x37),
    (8, 0x64),
    (8, 0x65),
    (8, 0x68),
    (8, 0x67),
    (9, 0xCC),
    (9, 0xCD),
    (9, 0xD2),
    (9, 0xD3),
    (9, 0xD4),
    (9, 0xD5),
    (9, 0xD6),
    (9, 0xD7),
    (9, 0xD8),
    (9, 0xD9),
    (9, 0xDA),
    (9, 0xDB),
    (9, 0x98),
    (9, 0x99),
    (9, 0x9A),
    (6, 0x18),
    (9, 0x9B),
];

/// Black runs of 0 to 63 pixels (T.4, table 2).
const BLACK: [(u8, u16); 64] = [
    (10, 0x37),
    (3, 0x2),
    (2, 0x3),
    (2, 0x2),
    (3, 0x3),
    (4, 0x3),
    (4, 0x2),
    (5, 0x3),
    (6, 0x5),
    (6, 0x4),
    (7, 0x4),
    (7, 0x5),
    (7, 0x7),
    (8, 0x4),
    (8, 0x7),
    (9, 0x18),
    (10, 0x17),
    (10, 0x18),
    (10, 0x8),
    (11, 0x67),
    (11, 0x68),
    (11, 0x6C),
    (11, 0x37),
    (11, 0x28),
    (11, 0x17),
    (11, 0x18),
    (12, 0xCA),
    (12, 0xCB),
    (12, 0xCC),
    (12, 0xCD),
    (12, 0x68),
    (12, 0x69),
    (12, 0x6A),
    (12, 0x6B),
    (12, 0xD2),
    (12, 0xD3),
    (12, 0xD4),
    (12, 0xD5),
    (12, 0xD6),
    (12, 0xD7),
    (12, 0x6C),
    (12, 0x6D),
    (12, 0xDA),
    (12, 0xDB),
    (12, 0x54),
    (12, 0x55),
    (12, 0x56),
    (12, 0x57),
    (12, 0x64),
    (12, 0x65),
    (12, 0x52),
    (12, 0x53),
    (12, 0x24),
    (12, 0x37),
    (12, 0x38),
    (12, 0x27),
    (12, 0x28),
    (12, 0x58),
    (12, 0x59),
    (12, 0x2B),
    (12, 0x2C),
    (12, 0x5A),
    (12, 0x66),
    (12, 0x67),
];

/// Black runs of 64 to 1728 pixels, in steps of 64 (T.4, table 3a).
const BLACK_MAKE_UP: [(u8, u16); 27] = [
    (10, 0xF),
    (12, 0xC8),
    (12, 0xC9),
    (12, 0x5B),
    (12, 0x33),
    (12, 0x34),
    (12, 0x35),
    (13, 0x6C),
    (13, 0x6D),
    (13, 0x4A),
    (13, 0x4B),
    (13, 0x4C),
    (13, 0x4D),
    (13, 0x72),
    (13, 0x73),
    (13, 0x74),
    (13, 0x75),
    (13, 0x76),
    (13, 0x77),
    (13, 0x52),
    (13, 0x53),
    (13, 0x54),
    (13, 0x55),
    (13, 0x5A),
    (13, 0x5B),
    (13, 0x64),
    (13, 0x65),
];

/// Runs of either colour of 1792 to 2560 pixels, in steps of 64 (T.4, table 3b).
const LONG_MAKE_UP: [(u8, u16); 13] = [
    (11, 0x8),
    (11, 0xC),
    (11, 0xD),
    (12, 0x12),
    (12, 0x13),
    (12, 0x14),
    (12, 0x15),
    (12, 0x16),
    (12, 0x17),
    (12, 0x1C),
    (12, 0x1D),
    (12, 0x1E),
    (12, 0x1F),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of a code in the order of the data.
    fn bits(code: &str) -> u32 {
        code.chars().rev().fold(0, |bits, bit| bits << 1 | u32::from(bit == '1'))
    }

    #[test]
    fn codes_are_those_of_the_recommendation() {
        let (white, black) = (Codes::white(), Codes::black());
        assert_eq!(white.get(bits("00110101")), (Run::Last(0), 8));
        assert_eq!(white.get(bits("11011")), (Run::MakeUp(64), 5));
        assert_eq!(white.get(bits("0111") | 0b1010_0000), (Run::Last(2), 4), "what follows does not matter");
        assert_eq!(black.get(bits("0000110111")), (Run::Last(0), 10));
        assert_eq!(black.get(bits("0000001100101")), (Run::MakeUp(1728), 13));
        assert_eq!(black.get(bits("000000011111")), (Run::MakeUp(2560), 12));
        assert_eq!((white.get(0), black.get(0)), ((Run::EndOfLine, 11), (Run::EndOfLine, 11)));
        assert_eq!(white.get(bits("00000000100")), (Run::Bad, 0));
    }

    #[test]
    fn modes_are_those_of_the_recommendation() {
        assert_eq!(mode(bits("0001")), (Mode::Pass, 4));
        assert_eq!(mode(bits("001")), (Mode::Horizontal, 3));
        assert_eq!(mode(bits("0000011")), (Mode::Right(3), 7));
        assert_eq!(mode(bits("010")), (Mode::Left(1), 3));
        assert_eq!(mode(bits("0000001")), (Mode::Extension, 7));
        assert_eq!(mode(0), (Mode::EndOfLine, 7));
    }
}
