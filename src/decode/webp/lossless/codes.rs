//! Prefix codes (RFC 9649, section 3.7.2): their lengths as they are written, and tables to look them up in.

use super::bits::Bits;

/// Bits of the longest code.
pub(super) const LONGEST: u32 = 15;

/// Literals of one channel.
pub(super) const LITERALS: usize = 256;

/// Codes for the lengths of copies, behind the literals in the green alphabet.
pub(super) const LENGTHS: usize = 24;

/// Codes for distances.
pub(super) const DISTANCES: usize = 40;

/// Symbols of the largest alphabet: literals, lengths, and 2^11 colours of the cache.
const MOST_SYMBOLS: usize = LITERALS + LENGTHS + (1 << 11);

/// Order in which the lengths of the codes for lengths are written.
const LENGTH_ORDER: [usize; 19] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Reads the lengths of a code's words, one a symbol of an alphabet.
#[derive(Debug)]
pub(super) struct Lengths {
    lengths: Vec<u8>,
    /// Symbols with a code word of each length.
    counts: [u32; LONGEST as usize + 1],
}

impl Lengths {
    pub(super) fn new() -> Self {
        Self { lengths: Vec::with_capacity(MOST_SYMBOLS), counts: [0; LONGEST as usize + 1] }
    }

    /// Reads the next code. `None` where it breaks the rules: a code has one word, or its words fill the tree.
    pub(super) fn read(&mut self, bits: &mut Bits<'_>, alphabet: usize) -> Option<()> {
        self.lengths.clear();
        self.lengths.resize(alphabet, 0);
        if bits.flag() {
            self.read_simple(bits)?;
        } else {
            self.read_coded(bits, alphabet)?;
        }
        self.count().filter(|()| !bits.is_overrun())
    }

    fn read_simple(&mut self, bits: &mut Bits<'_>) -> Option<()> {
        let has_second = bits.flag();
        let first_bits = if bits.flag() { 8 } else { 1 };
        *self.lengths.get_mut(bits.take(first_bits) as usize)? = 1;
        if has_second {
            *self.lengths.get_mut(bits.take(8) as usize)? = 1;
        }
        Some(())
    }

    fn read_coded(&mut self, bits: &mut Bits<'_>, alphabet: usize) -> Option<()> {
        let mut outer = Self { lengths: vec![0; LENGTH_ORDER.len()], counts: [0; LONGEST as usize + 1] };
        let written = bits.take(4) as usize + 4;
        for symbol in LENGTH_ORDER.get(..written)? {
            outer.lengths[*symbol] = u8::try_from(bits.take(3)).ok()?;
        }
        outer.count()?;
        let mut table = Vec::new();
        let code = outer.table(&mut table, 7);
        let mut left = if bits.flag() {
            let width = 2 + 2 * bits.take(3);
            let most = 2 + bits.take(width) as usize;
            if most > alphabet {
                return None;
            }
            most
        } else {
            alphabet
        };
        let (mut symbol, mut previous) = (0, 8);
        while symbol < alphabet && left > 0 {
            left -= 1;
            bits.refill();
            let (value, repeat) = match code.symbol(&table, bits) {
                length @ 0..16 => (u8::try_from(length).ok()?, 1),
                16 => (previous, 3 + bits.take(2) as usize),
                17 => (0, 3 + bits.take(3) as usize),
                _ => (0, 11 + bits.take(7) as usize),
            };
            self.lengths.get_mut(symbol..symbol.checked_add(repeat)?)?.fill(value);
            symbol += repeat;
            if value != 0 {
                previous = value;
            }
        }
        Some(())
    }

    /// Counts the words of each length, and tells whether they make a code.
    fn count(&mut self) -> Option<()> {
        self.counts = [0; LONGEST as usize + 1];
        for length in &self.lengths {
            *self.counts.get_mut(usize::from(*length))? += 1;
        }
        self.counts[0] = 0;
        let words: u32 = self.counts.iter().sum();
        let filled: u32 = (1..).zip(&self.counts[1..]).map(|(length, count)| count << (LONGEST - length)).sum();
        (words == 1 || filled == 1 << LONGEST).then_some(())
    }

    /// Bits of the longest word; none where there is one word.
    pub(super) fn longest(&self) -> u32 {
        if self.counts.iter().sum::<u32>() == 1 {
            return 0;
        }
        (1..).zip(&self.counts[1..]).filter(|(_, count)| **count > 0).map(|(length, _)| length).max().unwrap_or(0)
    }

    /// Appends the tables of the code that was read to `tables`, the first for at most `root` bits.
    pub(super) fn table(&self, tables: &mut Vec<u32>, root: u32) -> Code {
        let longest = self.longest();
        let root = root.min(longest);
        let start = tables.len();
        let code = Code { start, mask: (1 << root) - 1, root };
        tables.resize(start + (1 << root), 0);
        // Words are given out by length, and by symbol among those of one length (section 3.7.2.1, as in deflate).
        let mut next = [0_u32; LONGEST as usize + 2];
        for length in 1..=LONGEST as usize {
            next[length + 1] = (next[length] + self.counts[length]) << 1;
        }
        let mut long: Vec<Word> = Vec::new();
        for (symbol, length) in (0_u32..).zip(&self.lengths).filter(|(_, length)| **length > 0) {
            if longest == 0 {
                tables[start] = entry(symbol, 0);
                return code;
            }
            let next = &mut next[usize::from(*length)];
            let length = u32::from(*length);
            let bits = next.reverse_bits() >> (32 - length);
            *next += 1;
            if length > root {
                long.push(Word { bits, length, symbol });
                continue;
            }
            for place in tables[start..].iter_mut().skip(bits as usize).step_by(1 << length) {
                *place = entry(symbol, length);
            }
        }
        long.sort_by_key(|word| word.length);
        code.append_long(tables, &long);
        code
    }
}

/// A word that is longer than the first table takes.
#[derive(Clone, Copy, Debug)]
struct Word {
    /// Its bits, the first lowest.
    bits: u32,
    length: u32,
    symbol: u32,
}

/// Mark of an entry that leads to another table.
const LONG: u32 = 1 << 31;

/// An entry of a table: the symbol, and the bits of its word in the lowest byte.
fn entry(symbol: u32, length: u32) -> u32 {
    symbol << 8 | length
}

/// Where the tables of a code are among the tables of a picture.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Code {
    pub(super) start: usize,
    /// Bits that the first table looks at, as a mask and as a number.
    pub(super) mask: u64,
    pub(super) root: u32,
}

impl Code {
    /// Tables for words longer than the first table takes, one for all that begin alike. Words come in the order of the code, so
    /// those stand together, the longest last.
    fn append_long(self, tables: &mut Vec<u32>, words: &[Word]) {
        let first = |word: &Word| low(u64::from(word.bits) & self.mask);
        for alike in words.chunk_by(|one, other| first(one) == first(other)) {
            let [.., last] = alike else { continue };
            let (bits, second) = (last.length - self.root, tables.len());
            tables[self.start + first(last)] = LONG | u32::try_from(second - self.start).unwrap_or(0) << 8 | bits;
            tables.resize(second + (1 << bits), 0);
            for word in alike {
                let length = word.length - self.root;
                for place in tables[second..].iter_mut().skip((word.bits >> self.root) as usize).step_by(1 << length) {
                    *place = entry(word.symbol, length);
                }
            }
        }
    }

    /// The entry that the next bits lead to in the first table.
    #[inline]
    pub(super) fn entry(self, tables: &[u32], bits: u64) -> u32 {
        tables.get(self.start + low(bits & self.mask)).copied().unwrap_or(0)
    }

    /// The symbol that the next bits begin with, and how many of them it takes.
    #[inline]
    pub(super) fn peek(self, tables: &[u32], bits: u64) -> (u32, u32) {
        let entry = self.entry(tables, bits);
        if entry & LONG == 0 {
            return (entry >> 8, entry & 0xFF);
        }
        let second = self.start + ((entry & !LONG) >> 8) as usize;
        let rest = (bits >> self.root) & ((1 << (entry & 0xFF)) - 1);
        let entry = tables.get(second + low(rest)).copied().unwrap_or(0);
        (entry >> 8, self.root + (entry & 0xFF))
    }

    /// Takes a symbol, whose word must be loaded.
    #[inline]
    pub(super) fn symbol(self, tables: &[u32], bits: &mut Bits<'_>) -> u32 {
        let (symbol, length) = self.peek(tables, bits.peek());
        bits.consume(length);
        symbol
    }
}

/// A number of a few bits as an index.
#[inline]
pub(super) fn low(bits: u64) -> usize {
    (bits & 0xFFFF) as usize
}
