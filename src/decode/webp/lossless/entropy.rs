//! The coded pixels of a picture, or of one of the small pictures that steer it (RFC 9649, section 3.6 and 3.7).

use super::bits::Bits;
use super::codes::Code;
use super::groups::{Cache, Group, Groups, Literals, NOT_QUICK, QUICK, SHIFT, Tiles};

/// Pixels that a copy reaches back at most: distances end at 2^20, the first 120 of which mean near pixels.
const REACH: usize = 1 << 20;

/// Symbols of green from which on they are lengths of copies, and colours of the cache (section 3.7.3).
const FIRST_LENGTH: u32 = 256;
const COLORS: u32 = FIRST_LENGTH + 24;

/// Rows that are given out together.
pub(super) const BAND: usize = 4;

/// Distances of the first codes, as rows up and columns to the left (section 3.6.2.2).
#[rustfmt::skip]
const NEAR: [(u8, i8); 120] = [
    (1, 0), (0, 1), (1, 1), (1, -1), (2, 0), (0, 2), (2, 1), (2, -1), (1, 2), (1, -2),
    (2, 2), (2, -2), (3, 0), (0, 3), (3, 1), (3, -1), (1, 3), (1, -3), (3, 2), (3, -2),
    (2, 3), (2, -3), (4, 0), (0, 4), (4, 1), (4, -1), (1, 4), (1, -4), (3, 3), (3, -3),
    (4, 2), (4, -2), (2, 4), (2, -4), (5, 0), (4, 3), (4, -3), (3, 4), (3, -4), (0, 5),
    (5, 1), (5, -1), (1, 5), (1, -5), (5, 2), (5, -2), (2, 5), (2, -5), (4, 4), (4, -4),
    (5, 3), (5, -3), (3, 5), (3, -5), (6, 0), (0, 6), (6, 1), (6, -1), (1, 6), (1, -6),
    (6, 2), (6, -2), (2, 6), (2, -6), (5, 4), (5, -4), (4, 5), (4, -5), (6, 3), (6, -3),
    (3, 6), (3, -6), (7, 0), (0, 7), (7, 1), (7, -1), (5, 5), (5, -5), (1, 7), (1, -7),
    (6, 4), (6, -4), (4, 6), (4, -6), (7, 2), (7, -2), (2, 7), (2, -7), (7, 3), (7, -3),
    (3, 7), (3, -7), (6, 5), (6, -5), (5, 6), (5, -6), (0, 8), (7, 4), (7, -4), (4, 7),
    (4, -7), (1, 8), (2, 8), (6, 6), (6, -6), (3, 8), (7, 5), (7, -5), (5, 7), (5, -7),
    (4, 8), (7, 6), (7, -6), (6, 7), (6, -7), (5, 8), (7, 7), (7, -7), (6, 8), (7, 8),
];

/// Everything that pixels are coded with.
#[derive(Debug)]
pub(super) struct Coding {
    pub(super) tiles: Tiles,
    pub(super) groups: Groups,
    pub(super) cache: Option<Cache>,
}

/// The pixels that copies can reach, and those that are not given out yet: whole rows, the oldest of which are written over.
#[derive(Debug)]
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u32>,
    /// The place of the next pixel, and where its row begins in `pixels`.
    x: usize,
    y: usize,
    row: usize,
}

impl Canvas {
    /// Pixels that a canvas for a picture of this size holds.
    pub(super) fn pixels(width: usize, height: usize) -> usize {
        let reached = REACH.div_ceil(width.max(1)).saturating_add(BAND);
        height.min(reached).next_multiple_of(BAND).saturating_mul(width)
    }

    /// A canvas for a picture whose sides are not zero.
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, height, pixels: vec![0; Self::pixels(width, height)], x: 0, y: 0, row: 0 }
    }

    /// A canvas that holds the whole picture.
    pub(super) fn whole(width: usize, height: usize) -> Self {
        Self { width, height, pixels: vec![0; width.saturating_mul(height)], x: 0, y: 0, row: 0 }
    }

    /// The pixels of a canvas that holds the whole picture.
    pub(super) fn into_pixels(self) -> Vec<u32> {
        self.pixels
    }

    /// Reads all pixels. `give` gets the rows, [`BAND`] at a time, and answers `None` to end. `None` where the data breaks a rule
    /// or ends.
    pub(super) fn read(
        &mut self,
        bits: &mut Bits<'_>,
        coding: &mut Coding,
        mut give: impl FnMut(usize, &[u32]) -> Option<()>,
    ) -> Option<()> {
        let Coding { tiles, groups, cache } = coding;
        while self.y < self.height {
            let (number, end) = tiles.at(self.x, self.y);
            let (group, quick) = (groups.codes.get(number)?, groups.literals.get(number)?);
            let row = self.pixels.get_mut(self.row..self.row + self.width)?;
            let run = row.get_mut(self.x..end.min(self.width))?;
            let (count, symbol) = if group.has_alpha {
                literals::<true>(bits, &groups.tables, group, quick, run)
            } else {
                literals::<false>(bits, &groups.tables, group, quick, run)
            };
            if let Some(cache) = cache {
                run.iter().take(count).for_each(|color| cache.insert(*color));
            }
            if bits.is_overrun() {
                return None;
            }
            self.advance(count, &mut give)?;
            let Some(symbol) = symbol else { continue };
            let code = symbol.saturating_sub(FIRST_LENGTH);
            if code < COLORS - FIRST_LENGTH {
                let length = number_of(bits, code);
                bits.refill();
                let code = group.distance.symbol(&groups.tables, bits);
                let distance = number_of(bits, code);
                self.copy(distance, length, cache.as_mut(), &mut give)?;
            } else {
                let cache = cache.as_mut()?;
                let color = cache.get(symbol - COLORS)?;
                cache.insert(color);
                *self.pixels.get_mut(self.row + self.x)? = color;
                self.advance(1, &mut give)?;
            }
        }
        (!bits.is_overrun()).then_some(())
    }

    /// Goes on by pixels that end in this row.
    #[inline]
    fn advance(&mut self, count: usize, give: &mut impl FnMut(usize, &[u32]) -> Option<()>) -> Option<()> {
        self.x += count;
        if self.x < self.width {
            return Some(());
        }
        self.x = 0;
        self.y += 1;
        self.row += self.width;
        let rows = match self.y % BAND {
            0 => BAND,
            rows if self.y == self.height => rows,
            _ => 0,
        };
        if rows > 0 {
            give(self.y - rows, self.pixels.get(self.row - rows * self.width..self.row)?)?;
        }
        if self.row == self.pixels.len() {
            self.row = 0;
        }
        Some(())
    }

    /// Repeats pixels. `None` where they are before the first one, or run over the last.
    fn copy(
        &mut self,
        code: usize,
        mut length: usize,
        mut cache: Option<&mut Cache>,
        give: &mut impl FnMut(usize, &[u32]) -> Option<()>,
    ) -> Option<()> {
        let position = self.y * self.width + self.x;
        let distance = match NEAR.get(code - 1) {
            Some((up, left)) => {
                (usize::from(*up) * self.width).checked_add_signed(isize::from(*left)).map_or(1, |distance| distance.max(1))
            }
            None => code - NEAR.len(),
        };
        if distance > position || length > self.width * self.height - position {
            return None;
        }
        while length > 0 {
            let to = self.row + self.x;
            let from = if distance <= to { to - distance } else { self.pixels.len() + to - distance };
            let count = length.min(self.width - self.x).min(self.pixels.len() - from);
            if from < to && distance < count {
                // What is repeated is longer with every round.
                let mut done = distance;
                self.pixels.copy_within(from..to, to);
                while done < count {
                    let next = done.min(count - done);
                    self.pixels.copy_within(to..to + next, to + done);
                    done += next;
                }
            } else {
                self.pixels.copy_within(from..from + count, to);
            }
            if let Some(cache) = &mut cache {
                self.pixels.get(to..to + count)?.iter().for_each(|color| cache.insert(*color));
            }
            length -= count;
            self.advance(count, give)?;
        }
        Some(())
    }
}

/// A length or a distance, from its code (section 3.6.2.2).
fn number_of(bits: &mut Bits<'_>, code: u32) -> usize {
    if code < 4 {
        return code as usize + 1;
    }
    let extra = (code - 2) >> 1;
    let offset = (2 + (code & 1)) << extra;
    (offset + bits.take(extra) + 1) as usize
}

/// Takes literals until the run is full, or a symbol comes that is none; answers how many, and the symbol.
fn literals<const ALPHA: bool>(
    bits: &mut Bits<'_>,
    tables: &[u32],
    group: &Group,
    [green, red, blue]: &Literals,
    run: &mut [u32],
) -> (usize, Option<u32>) {
    // A copy that stays in registers, since nobody gets a reference to it.
    let mut here = *bits;
    let mut end = (run.len(), None);
    for (count, pixel) in run.iter_mut().enumerate() {
        here.refill();
        let (first, length) = look(green, group.green, tables, here);
        here.consume(length);
        if first >= FIRST_LENGTH {
            end = (count, Some(first));
            break;
        }
        let (second, length) = look(red, group.red, tables, here);
        here.consume(length);
        let (third, length) = look(blue, group.blue, tables, here);
        here.consume(length);
        *pixel = group.fixed_alpha | second << 16 | first << 8 | third;
        if ALPHA {
            here.refill();
            let (alpha, length) = group.alpha.peek(tables, here.peek());
            here.consume(length);
            *pixel |= alpha << 24;
        }
    }
    *bits = here;
    end
}

/// The next symbol, and a number whose [`SHIFT`] lowest bits are the length of its word, from the table of short literals or, if it is not there, from the others.
#[inline]
fn look(quick: &[u16; 1 << QUICK], code: Code, tables: &[u32], bits: Bits<'_>) -> (u32, u32) {
    let entry = quick[(bits.peek() & ((1 << QUICK) - 1)) as usize];
    if entry == NOT_QUICK { code.peek(tables, bits.peek()) } else { (u32::from(entry >> SHIFT), u32::from(entry)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_reach_back_around_the_ring() {
        let (width, height) = (1001, 3000);
        let mut canvas = Canvas::new(width, height);
        assert!(canvas.pixels.len() >= REACH && canvas.pixels.len() < width * height);
        let (mut wanted, mut rows_seen, mut number) = (Vec::<u32>::new(), 0, 0);
        let far = REACH - NEAR.len();
        while canvas.y < height {
            let position = wanted.len();
            let left = width * height - position;
            // Rows of new numbers first, then copies: from afar, from near, and longer than the distance.
            let (distance, length) = match number % 4 {
                _ if position < far => (0, width - canvas.x),
                0 => (far, 4096),
                1 => (3, 1000),
                2 => (far - number % 1999, 17),
                _ => (0, width - canvas.x),
            };
            let length = length.min(left);
            number += 1;
            for n in 0..length {
                let value = if distance == 0 { u32::try_from(position + n).unwrap() } else { wanted[position + n - distance] };
                wanted.push(value);
            }
            let mut give = |first: usize, rows: &[u32]| {
                assert_eq!(first, rows_seen);
                rows_seen += rows.len() / width;
                assert!(rows == &wanted[first * width..][..rows.len()], "rows from {first}");
                Some(())
            };
            if distance == 0 {
                canvas.pixels[canvas.row + canvas.x..][..length].copy_from_slice(&wanted[position..]);
                canvas.advance(length, &mut give).unwrap();
            } else {
                canvas.copy(distance + NEAR.len(), length, None, &mut give).unwrap();
            }
        }
        assert_eq!(rows_seen, height);
    }

    #[test]
    fn copies_from_before_the_first_pixel_and_over_the_last_are_refused() {
        let mut canvas = Canvas::new(10, 2);
        let mut give = |_: usize, _: &[u32]| Some(());
        assert_eq!(canvas.copy(NEAR.len() + 1, 1, None, &mut give), None);
        canvas.advance(5, &mut give).unwrap();
        assert_eq!(canvas.copy(NEAR.len() + 6, 1, None, &mut give), None);
        assert_eq!(canvas.copy(NEAR.len() + 5, 16, None, &mut give), None);
        assert_eq!(canvas.copy(NEAR.len() + 5, 15, None, &mut give), Some(()));
    }
}
