//! Bits of a lossless picture, the lowest of each byte first (RFC 9649, section 3.2).

/// Reads bits. Behind the end of the data it gives zeros, and remembers that it did.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits<'a> {
    data: &'a [u8],
    /// Where in the data the next byte to load is.
    at: usize,
    /// Bits that are loaded; above them, bits of the byte at `at`, or zeros.
    buffer: u64,
    /// Bits of `buffer` that are loaded.
    loaded: u32,
    /// Bits that were loaded from behind the end.
    invented: u32,
}

impl<'a> Bits<'a> {
    /// Bits that there are after [`Bits::refill`].
    pub(super) const FULL: u32 = 56;

    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0, buffer: 0, loaded: 0, invented: 0 }
    }

    /// Makes sure that there are at least [`Bits::FULL`] bits.
    #[inline]
    pub(super) fn refill(&mut self) {
        // What is loaded is never more than 63 bits: whole bytes are added while there is room for them.
        if let Some(eight) = self.data.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            self.buffer |= u64::from_le_bytes(*eight) << self.loaded;
            self.at += ((63 - self.loaded) >> 3) as usize;
            self.loaded |= Self::FULL;
        } else {
            // A copy, so that no reader need be in memory for the sake of its last bytes.
            *self = self.refilled_at_end();
        }
    }

    #[cold]
    #[inline(never)]
    fn refilled_at_end(mut self) -> Self {
        while self.loaded < Self::FULL {
            if let Some(byte) = self.data.get(self.at) {
                // The bits may be there already, above what counts as loaded, and are the same.
                self.buffer |= u64::from(*byte) << self.loaded;
                self.at += 1;
            } else {
                self.invented = self.invented.saturating_add(8);
            }
            self.loaded += 8;
        }
        self
    }

    /// The bits that come next, the first lowest; those behind what is loaded are not to be looked at.
    #[inline]
    pub(super) fn peek(&self) -> u64 {
        self.buffer
    }

    /// Leaves as many bits behind as the six lowest bits of `count` say, at most those that are loaded.
    #[inline]
    pub(super) fn consume(&mut self, count: u32) {
        self.buffer >>= count & 63;
        self.loaded = self.loaded.wrapping_sub(count & 63);
    }

    /// Takes `count` bits, at most 32.
    pub(super) fn take(&mut self, count: u32) -> u32 {
        if self.loaded < count {
            self.refill();
        }
        let value = self.buffer & ((1 << count) - 1);
        self.consume(count);
        u32::try_from(value).unwrap_or(u32::MAX)
    }

    /// Takes a bit that says yes or no.
    pub(super) fn flag(&mut self) -> bool {
        self.take(1) == 1
    }

    /// Whether more bits were taken than there are.
    #[inline]
    pub(super) fn is_overrun(&self) -> bool {
        self.loaded < self.invented
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_lowest_first_across_bytes() {
        let mut bits = Bits::new(&[0b1010_0110, 0b0000_0001, 0xFF]);
        assert_eq!((bits.take(3), bits.take(6), bits.take(7)), (0b110, 0b1_10100, 0));
        assert_eq!((bits.take(8), bits.is_overrun()), (0xFF, false));
        assert_eq!((bits.take(1), bits.is_overrun()), (0, true));
    }

    #[test]
    fn every_bit_of_a_long_run_comes_once() {
        let data: Vec<u8> = (0..200).map(|n: u8| n.wrapping_mul(151)).collect();
        let wanted: Vec<u32> = data.iter().flat_map(|byte| (0..8).map(move |bit| u32::from(byte >> bit) & 1)).collect();
        for step in 1..=32 {
            let mut bits = Bits::new(&data);
            let mut seen = Vec::new();
            while seen.len() + step <= wanted.len() {
                let value = bits.take(u32::try_from(step).unwrap());
                seen.extend((0..step).map(|bit| (value >> bit) & 1));
            }
            assert!(!bits.is_overrun());
            assert_eq!(seen, wanted[..seen.len()], "{step}");
        }
    }
}
