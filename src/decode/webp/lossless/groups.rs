//! Groups of prefix codes (RFC 9649, section 3.7.2.2): five codes that belong together, and a table that gives red and blue of
//! a pixel at one look.

use super::bits::Bits;
use super::codes::{Code, DISTANCES, LENGTHS, LITERALS, Lengths, low};

/// Bits that the first table of each code looks at.
const ROOT: u32 = 8;

/// Bits that the tables of [`Literals`] look at.
pub(super) const QUICK: u32 = 9;

/// Bits of an entry that a machine looks at when it shifts 64 bits, so that none need be masked for it.
pub(super) const SHIFT: u32 = 6;

/// The entry of a table of [`Literals`] for what is no literal, or longer than the table takes.
pub(super) const NOT_QUICK: u16 = u16::MAX;

/// Tables for the literals of green, red and blue with short words: the value, and in the [`SHIFT`] lowest bits the length of its
/// word.
///
/// They are small, since each tile has others, and few words are longer.
pub(super) type Literals = [[u16; 1 << QUICK]; 3];

/// All groups of a picture.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) tables: Vec<u32>,
    pub(super) codes: Vec<Group>,
    /// As many as there are groups.
    pub(super) literals: Vec<Literals>,
}

/// The codes of a group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// Literals of green, lengths of copies, colours of the cache.
    pub(super) green: Code,
    pub(super) red: Code,
    pub(super) blue: Code,
    pub(super) alpha: Code,
    pub(super) distance: Code,
    /// Whether alpha takes bits of its own.
    pub(super) has_alpha: bool,
    /// Alpha, in the place that it has in a pixel, where it takes none.
    pub(super) fixed_alpha: u32,
}

impl Groups {
    /// Reads `written` groups, and keeps those for which `keep` says so. `None` where a code is not valid, or where tables would
    /// take more than `budget` bytes.
    pub(super) fn read(
        bits: &mut Bits<'_>,
        written: usize,
        cache: usize,
        keep: impl Fn(usize) -> bool,
        budget: &mut usize,
    ) -> Option<Self> {
        let mut lengths = Lengths::new();
        let mut all = Self { tables: Vec::new(), codes: Vec::new(), literals: Vec::new() };
        let alphabets = [LITERALS + LENGTHS + cache, LITERALS, LITERALS, LITERALS, DISTANCES];
        for number in 0..written {
            let is_kept = keep(number);
            let mut codes = [Code::default(); 5];
            for (place, alphabet) in codes.iter_mut().zip(alphabets) {
                lengths.read(bits, alphabet)?;
                if is_kept {
                    *place = lengths.table(&mut all.tables, ROOT);
                }
            }
            if is_kept {
                let [green, red, blue, alpha, distance] = codes;
                let has_alpha = alpha.root > 0;
                let fixed_alpha = if has_alpha { 0 } else { alpha.entry(&all.tables, 0) >> 8 << 24 };
                all.codes.push(Group { green, red, blue, alpha, distance, has_alpha, fixed_alpha });
                all.literals.push([green, red, blue].map(|code| quick(code, &all.tables)));
                if all.held() > *budget {
                    return None;
                }
            }
        }
        *budget = budget.saturating_sub(all.held());
        Some(all)
    }

    /// Bytes that tables take.
    fn held(&self) -> usize {
        self.tables.len() * size_of::<u32>() + self.literals.len() * (size_of::<Literals>() + size_of::<Group>())
    }
}

/// The table of a code's short literals.
fn quick(code: Code, tables: &[u32]) -> [u16; 1 << QUICK] {
    let mut quick = [NOT_QUICK; 1 << QUICK];
    for (place, bits) in quick.iter_mut().zip(0_u64..) {
        let (symbol, length) = code.peek(tables, bits);
        if length <= QUICK && (symbol as usize) < LITERALS {
            *place = u16::try_from(symbol << SHIFT | length).unwrap_or(NOT_QUICK);
        }
    }
    quick
}

/// Which group each tile of a picture uses.
#[derive(Debug)]
pub(super) struct Tiles {
    /// Groups, row by row; none where there is one for all.
    groups: Vec<u16>,
    across: usize,
    /// Sides of a tile are 2 to the power of this.
    bits: u32,
}

impl Tiles {
    pub(super) fn one() -> Self {
        Self { groups: Vec::new(), across: 0, bits: 31 }
    }

    pub(super) fn new(groups: Vec<u16>, across: usize, bits: u32) -> Self {
        Self { groups, across, bits }
    }

    /// The group for a pixel, and where the tile ends.
    #[inline]
    pub(super) fn at(&self, x: usize, y: usize) -> (usize, usize) {
        let column = x >> self.bits;
        let group = self.groups.get((y >> self.bits) * self.across + column).map_or(0, |group| usize::from(*group));
        (group, (column + 1) << self.bits)
    }
}

/// The colours seen last (section 3.6.3), as many as a power of two.
#[derive(Debug)]
pub(super) struct Cache {
    colors: Vec<u32>,
    shift: u32,
}

impl Cache {
    /// A cache of 2 to the power of `bits` colours.
    pub(super) fn new(bits: u32) -> Self {
        Self { colors: vec![0; 1 << bits], shift: 32 - bits }
    }

    #[inline]
    pub(super) fn insert(&mut self, color: u32) {
        let key = color.wrapping_mul(0x1E35_A7BD) >> self.shift;
        if let Some(place) = self.colors.get_mut(low(u64::from(key))) {
            *place = color;
        }
    }

    pub(super) fn get(&self, key: u32) -> Option<u32> {
        self.colors.get(key as usize).copied()
    }
}
