//! How far ahead libjpeg reads, replayed at the end of a file.
//!
//! With a source that runs dry, libjpeg refills 57 bits at a time and stops when it cannot, even where the bits that it holds
//! would do. So a file that only lacks its end marker fails to load as a rule, and loads now and then. Walking does not need
//! this; it is replayed over the last few kilobytes of files that end without a marker (jdhuff.c and jdhuff.h of libjpeg-turbo
//! 3: `HUFF_DECODE`, `jpeg_fill_bit_buffer`, `jpeg_huff_decode`).

use super::bits::{Bits, End};
use super::huffman::Table;

/// Bits that a refill must reach.
const REFILL: u32 = 57;

/// libjpeg's source has run dry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dry;

/// libjpeg's bit buffer.
#[derive(Clone, Debug)]
pub(super) struct Prefetch<'a> {
    feed: Bits<'a>,
    /// Bits held, at the low end.
    buffer: u128,
    level: u32,
}

impl<'a> Prefetch<'a> {
    /// Goes on where another reader stands. How many bits libjpeg held there is not known, but after a few hundred refills
    /// that no longer matters: refills fall between codes, and once two fall together all later ones do.
    pub(super) fn new(bits: &Bits<'a>) -> Self {
        let (mut feed, mut buffer) = (bits.clone(), 0);
        let level = feed.left().min(64);
        for _ in 0..level {
            buffer = buffer << 1 | u128::from(feed.take_held());
        }
        Self { feed, buffer, level }
    }

    /// The next byte that libjpeg has not taken.
    pub(super) fn position(&self) -> usize {
        self.feed.position()
    }

    fn need(&mut self, bits: u32) -> Result<(), Dry> {
        if self.level >= bits {
            return Ok(());
        }
        while self.level < REFILL {
            match self.feed.fetch() {
                Some(byte) => {
                    self.buffer = self.buffer << 8 | u128::from(byte);
                    self.level += 8;
                }
                None if self.feed.end() == Some(End::File) => return Err(Dry),
                // At a marker zeros follow.
                None => {
                    self.buffer <<= REFILL - self.level;
                    self.level = REFILL;
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, bits: u32) -> u32 {
        self.level -= bits;
        let value = self.buffer >> self.level & ((1 << bits) - 1);
        u32::try_from(value).unwrap_or(u32::MAX)
    }

    /// Reads a symbol: a look at eight bits, then bit by bit.
    pub(super) fn symbol(&mut self, table: &Table) -> Result<u8, Dry> {
        self.need(8)?;
        let byte = u32::try_from(self.buffer >> (self.level - 8) & 0xFF).unwrap_or(0);
        if let Some((symbol, length)) = (1..=8).find_map(|length| Some((table.find(byte >> (8 - length), length)?, length))) {
            self.level -= length;
            return Ok(symbol);
        }
        self.need(9)?;
        let mut code = self.take(9);
        for length in 9..=16 {
            if let Some(symbol) = table.find(code, length) {
                return Ok(symbol);
            }
            self.need(1)?;
            code = code << 1 | self.take(1);
        }
        Ok(0)
    }

    /// Passes the bits behind a symbol.
    pub(super) fn pass(&mut self, bits: u32) -> Result<(), Dry> {
        self.need(bits)?;
        self.level -= bits;
        Ok(())
    }
}
