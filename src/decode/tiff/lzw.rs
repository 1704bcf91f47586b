//! LZW as TIFF has it (TIFF 6.0, section 13): how many bytes a strip or tile unpacks to. No byte is rebuilt.
//!
//! The rules for odd streams are libtiff's (`tif_lzw.c`): a stream begins with a clear code, and what is behind the last byte
//! that is wanted is not looked at. Streams in the order of bits that libtiff wrote before 1988 begin with a clear code of
//! that order.

use super::walked::Walked;

const CLEAR: u16 = 256;
const END: u16 = 257;
const FIRST: u16 = 258;

/// Longest code in bits.
const MAX_BITS: u32 = 12;

/// Entries that libtiff has room for; the codes for those above 4095 cannot be said.
const ENTRIES: u16 = 4095 + 1024;

/// Unpacks until `wanted` bytes are there. `at` is where the data lies in the file.
pub(super) fn walk(data: &[u8], wanted: u64, at: usize) -> Walked {
    let mut table = Table { lengths: vec![0; usize::from(ENTRIES)], next: None, previous: 0, bits: 9 };
    let old = matches!(data, [0, second, ..] if second & 1 == 1);
    let mut codes = Codes { data, at: 0, buffer: 0, count: 0, lowest_first: old };
    let mut got = 0_u64;
    while got < wanted {
        let Some(code) = codes.next(table.bits) else {
            return Walked::short(got, wanted, at + data.len(), "the LZW data has no end");
        };
        if code == CLEAR {
            (table.next, table.bits) = (Some(FIRST), 9);
            table.previous = 0;
            continue;
        }
        if code == END {
            return Walked::short(got, wanted, at + codes.at, "the LZW data ends early");
        }
        let Some(length) = table.take(code, old) else {
            return Walked::broken(got, wanted, at + codes.at, format!("LZW code {code} is not in the table"));
        };
        got = got.saturating_add(u64::from(length));
    }
    Walked::whole()
}

struct Table {
    /// Bytes that a code stands for.
    lengths: Vec<u32>,
    /// The code that is defined next; `None` before the first clear code and once the table is full.
    next: Option<u16>,
    /// Length of the string before; 0 behind a clear code.
    previous: u32,
    bits: u32,
}

impl Table {
    fn take(&mut self, code: u16, old: bool) -> Option<u32> {
        let next = self.next?;
        if self.previous == 0 {
            self.previous = 1;
            return (code < CLEAR).then_some(1);
        }
        if code > next {
            return None;
        }
        *self.lengths.get_mut(usize::from(next))? = self.previous.saturating_add(1);
        // Codes get longer one entry before they must, but for the old order.
        let last = (1_u16 << self.bits) - if old { 1 } else { 2 };
        self.next = Some(next + 1).filter(|next| *next < ENTRIES);
        if next + 1 > last {
            self.bits = (self.bits + 1).min(MAX_BITS);
        }
        self.previous = if code < CLEAR { 1 } else { self.lengths.get(usize::from(code)).copied()? };
        Some(self.previous)
    }
}

struct Codes<'a> {
    data: &'a [u8],
    /// Bytes that were taken.
    at: usize,
    buffer: u32,
    count: u32,
    lowest_first: bool,
}

impl Codes<'_> {
    fn next(&mut self, bits: u32) -> Option<u16> {
        while self.count < bits {
            let byte = u32::from(*self.data.get(self.at)?);
            self.at += 1;
            self.buffer = if self.lowest_first { self.buffer | byte << self.count } else { self.buffer << 8 | byte };
            self.count += 8;
        }
        self.count -= bits;
        let mask = (1 << bits) - 1;
        let code = if self.lowest_first { self.buffer & mask } else { self.buffer >> self.count & mask };
        if self.lowest_first {
            self.buffer >>= bits;
        }
        u16::try_from(code).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::tiff::walked::Outcome;

    fn packed(codes: &[u16]) -> Vec<u8> {
        let bits: Vec<bool> = codes.iter().flat_map(|code| (0..9).rev().map(move |bit| code >> bit & 1 == 1)).collect();
        bits.chunks(8).map(|chunk| chunk.iter().enumerate().fold(0, |byte, (place, bit)| byte | u8::from(*bit) << (7 - place))).collect()
    }

    #[test]
    fn strings_are_counted() {
        // "a", then "aa" (being defined), then "aaa": six bytes.
        let data = packed(&[CLEAR, 97, 258, 259, END]);
        assert_eq!(walk(&data, 6, 0).outcome, Outcome::Taken);
        let short = walk(&data, 12, 100);
        assert_eq!((short.outcome, short.lost), (Outcome::Refused, Some(0.5)));
        assert_eq!(short.fault.and_then(|fault| fault.offset), Some(100 + data.len() as u64));
    }

    #[test]
    fn a_stream_begins_with_a_clear_code() {
        assert_eq!(walk(&packed(&[97, 98, END]), 2, 0).outcome, Outcome::Refused);
        assert_eq!(walk(&packed(&[CLEAR, 258]), 2, 0).outcome, Outcome::Refused);
        assert_eq!(walk(&packed(&[CLEAR, 97, 260]), 9, 0).outcome, Outcome::Refused);
        assert_eq!(walk(&[], 1, 0).outcome, Outcome::Refused);
    }

    #[test]
    fn the_old_order_is_known_by_its_clear_code() {
        // 256, 97 and 98 in nine bits each, the lowest first.
        let value: u32 = 256 | 97 << 9 | 98 << 18;
        assert_eq!(walk(&value.to_le_bytes(), 2, 0).outcome, Outcome::Taken);
    }

    #[test]
    fn a_full_table_needs_a_clear_code() {
        // Two hundred thousand literals at the pace of growing codes, with no clear code: more entries than there is room for.
        assert_eq!(walk(&vec![0x80; 1 << 20], 1 << 30, 0).outcome, Outcome::Refused);
    }
}
