//! Reads single bits of entropy-coded data.
//!
//! Knows byte stuffing and where the data ends, and nothing of codes or blocks. Behind the end it hands out zero bits, as
//! decoders do, and remembers that it did.

/// What ended a stretch of entropy-coded data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// A marker; [`Bits::position`] is at its 0xFF.
    Marker,
    /// The end of the file.
    File,
}

/// A reader of bits, most significant first, that drops the zero byte stuffed behind a 0xFF (T.81, F.1.2.3).
#[derive(Clone, Debug)]
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// The next byte to fetch.
    at: usize,
    /// Bits fetched and not used, from the top.
    buffer: u64,
    /// How many bits of `buffer` may be used, zeros behind the end included.
    held: u32,
    /// How many of the bits that were ever held are zeros behind the end.
    padded: u32,
    end: Option<End>,
}

impl<'a> Bits<'a> {
    /// Bits a [`refill`](Self::refill) makes available, at least.
    pub(super) const REFILLED: u32 = 56;

    /// Starts at a byte.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, buffer: 0, held: 0, padded: 0, end: None }
    }

    /// Where the next byte will be fetched; at the marker when one ended the data.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Offset of the byte that holds the next bit, within a byte or two: stuffed bytes that are held are not counted.
    pub(super) fn offset(&self) -> usize {
        self.at.saturating_sub((self.held.saturating_sub(self.padded) / 8) as usize)
    }

    /// What ended the data, once its end was met.
    pub(super) fn end(&self) -> Option<End> {
        self.end
    }

    /// Whether more bits were used than there are.
    #[inline]
    pub(super) fn overdrawn(&self) -> bool {
        self.padded > self.held
    }

    /// Real bits that are held and not used.
    pub(super) fn left(&self) -> u32 {
        self.held.saturating_sub(self.padded)
    }

    /// Makes sure that at least `bits` (at most [`Self::REFILLED`]) are held.
    #[inline]
    pub(super) fn need(&mut self, bits: u32) {
        if self.held < bits {
            self.refill();
        }
    }

    /// Makes sure that at least [`Self::REFILLED`] bits are held.
    ///
    /// Where a loop needs bits each time, this is better than [`need`](Self::need): whether there are few is a coin toss that
    /// branch prediction loses.
    #[inline]
    pub(super) fn refill(&mut self) {
        // Whole words without 0xFF are most of the data: one load instead of eight bytes with two tests each. At a marker and
        // at the end of the file there is none.
        if let Some(word) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            let word = u64::from_be_bytes(*word);
            if !has_marker_byte(word) {
                self.buffer |= word >> self.held;
                let fetched = (63 - self.held) / 8;
                self.at += fetched as usize;
                self.held += fetched * 8;
                return;
            }
        }
        if self.held < Self::REFILLED {
            *self = self.clone().refilled_slowly();
        }
    }

    /// By value, so that in a loop a reader can live in registers: one whose address is handed out cannot.
    #[cold]
    #[inline(never)]
    fn refilled_slowly(mut self) -> Self {
        // The fast path may have left bits of a byte below those that count; they are fetched again here.
        self.buffer &= !(u64::MAX >> self.held);
        while self.held < Self::REFILLED {
            let Some(byte) = self.fetch() else {
                self.padded += Self::REFILLED - self.held;
                self.held = Self::REFILLED;
                break;
            };
            self.buffer |= u64::from(byte) << (Self::REFILLED - self.held);
            self.held += 8;
        }
        self
    }

    /// The next byte of data, without stuffing; any number of 0xFF before a zero counts as one, as libjpeg has it.
    pub(super) fn fetch(&mut self) -> Option<u8> {
        if self.end.is_some() {
            return None;
        }
        let Some(&byte) = self.bytes.get(self.at) else {
            self.end = Some(End::File);
            return None;
        };
        if byte != 0xFF {
            self.at += 1;
            return Some(byte);
        }
        let fill = self.bytes.get(self.at..).unwrap_or_default().iter().take_while(|&&byte| byte == 0xFF).count();
        match self.bytes.get(self.at + fill) {
            Some(0) => {
                self.at += fill + 1;
                Some(0xFF)
            }
            Some(_) => {
                self.at += fill - 1;
                self.end = Some(End::Marker);
                None
            }
            None => {
                self.at = self.bytes.len();
                self.end = Some(End::File);
                None
            }
        }
    }

    /// The next `count` bits (1 to 32), without using them; they must be held.
    #[inline]
    pub(super) fn peek(&self, count: u32) -> u32 {
        // The topmost 32 bits hold all that can be asked for.
        let top = (self.buffer >> 32) as u32;
        top >> (32 - count)
    }

    /// Uses `count` bits (0 to 63); they must be held.
    #[inline]
    pub(super) fn skip(&mut self, count: u32) {
        self.buffer <<= count;
        self.held -= count;
    }

    /// The next of the bits that are held, without fetching any.
    pub(super) fn take_held(&mut self) -> bool {
        let bit = self.peek(1) != 0;
        self.skip(1);
        bit
    }

    /// The next `count` bits (0 to 16) as a number.
    #[inline]
    pub(super) fn take(&mut self, count: u32) -> u32 {
        if count == 0 {
            return 0;
        }
        self.need(count);
        let value = self.peek(count);
        self.skip(count);
        value
    }

    /// The next `count` bits (0 to 16) as a difference (T.81, F.2.2.1, EXTEND).
    #[inline]
    pub(super) fn take_signed(&mut self, count: u32) -> i32 {
        if count == 0 {
            return 0;
        }
        let value = self.take(count).cast_signed();
        if value < 1 << (count - 1) { value - (1 << count) + 1 } else { value }
    }

    /// Uses `count` bits, any number.
    pub(super) fn skip_many(&mut self, mut count: u32) {
        while count > 0 {
            let step = count.min(32);
            self.need(step);
            self.skip(step);
            count -= step;
        }
    }
}

/// Whether one of the eight bytes is 0xFF.
#[inline]
fn has_marker_byte(word: u64) -> bool {
    let inverse = !word;
    inverse.wrapping_sub(0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_bytes(bytes: &[u8]) -> (Vec<u32>, Option<End>, usize) {
        let mut bits = Bits::new(bytes, 0);
        let mut read = Vec::new();
        loop {
            let byte = bits.take(8);
            if bits.overdrawn() {
                return (read, bits.end(), bits.position());
            }
            read.push(byte);
        }
    }

    #[test]
    fn stuffed_zeros_are_dropped_and_a_marker_ends_the_data() {
        let (read, end, position) = all_bytes(&[1, 0xFF, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0xFF, 0xFF, 0xD9, 11]);
        assert_eq!(read, [1, 0xFF, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!((end, position), (Some(End::Marker), 13));
    }

    #[test]
    fn a_word_without_marker_bytes_is_read_like_single_bytes() {
        let bytes: Vec<u8> = (0..200).collect();
        let (read, end, _) = all_bytes(&bytes);
        assert_eq!(read, (0..200).collect::<Vec<_>>());
        assert_eq!(end, Some(End::File));
    }

    #[test]
    fn zeros_follow_the_end_and_are_remembered() {
        let mut bits = Bits::new(&[0xAB], 0);
        assert_eq!(bits.take(8), 0xAB);
        assert!(!bits.overdrawn());
        assert_eq!(bits.take(16), 0);
        assert!(bits.overdrawn());
        bits.skip_many(500);
        assert!(bits.overdrawn());
    }

    #[test]
    fn differences_have_a_sign() {
        let mut bits = Bits::new(&[0b0101_1011, 0b1000_0000], 0);
        assert_eq!((bits.take_signed(1), bits.take_signed(2), bits.take_signed(3)), (-1, 2, 6));
    }

    #[test]
    fn marker_bytes_are_found_anywhere_in_a_word() {
        for position in 0..8 {
            assert!(has_marker_byte(0xFF << (8 * position)));
            assert!(has_marker_byte(!(0x01 << (8 * ((position + 1) % 8)))));
        }
        assert!(!has_marker_byte(0x7FFE_FEFE_8001_00FE));
        assert!(!has_marker_byte(0));
    }
}
