//! LZW as GIF has it (`GIF89a`, appendix F): codes in, pixels or only their number out.
//!
//! The rules for odd streams are Pillow's (`GifDecode.c`), which browsers share where they agree among themselves.

/// Entries that a table holds; codes have at most 12 bits.
const ENTRIES: usize = 4096;

/// What a code did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It stands for this many pixels.
    Pixels(u32),
    /// It starts the table afresh.
    Clear,
    /// It ends the stream.
    End,
    /// It is not in the table.
    Broken,
}

/// The table and the code that came before.
pub(super) struct Lzw {
    clear: u16,
    first_size: u32,
    /// Bits of the next code.
    size: u32,
    next: u16,
    /// The code before, and the first pixel that it stood for; `None` after a clear code.
    previous: Option<(u16, u8)>,
    table: Vec<Entry>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    prefix: u16,
    suffix: u8,
    first: u8,
    length: u16,
}

impl Lzw {
    /// A decoder for the given minimum code size; `None` above 12, which no decoder takes.
    pub(super) fn new(minimum_size: u8) -> Option<Self> {
        if minimum_size > 12 {
            return None;
        }
        let clear = 1_u16 << minimum_size;
        let first_size = u32::from(minimum_size) + 1;
        Some(Self { clear, first_size, size: first_size, next: clear + 2, previous: None, table: vec![Entry::default(); ENTRIES] })
    }

    /// Bits of the code that comes next.
    pub(super) fn code_size(&self) -> u32 {
        self.size
    }

    /// Takes a code; its pixels are appended to `out`, if there is one.
    pub(super) fn push(&mut self, code: u16, out: Option<&mut Vec<u8>>) -> Step {
        if code == self.clear {
            (self.size, self.next, self.previous) = (self.first_size, self.clear + 2, None);
            return Step::Clear;
        }
        if code == self.clear + 1 {
            return Step::End;
        }
        let Some((previous, first)) = self.previous else {
            if code > self.clear {
                return Step::Broken;
            }
            let [pixel, _] = code.to_le_bytes();
            self.previous = Some((code, pixel));
            if let Some(out) = out {
                out.push(pixel);
            }
            return Step::Pixels(1);
        };
        if code > self.next {
            return Step::Broken;
        }
        // A code that is just being defined is the string before and its own first pixel.
        let (known, extra) = if code == self.next { (previous, 1) } else { (code, 0) };
        let Some(entry) = self.entry(known) else { return Step::Broken };
        if let Some(out) = out {
            self.write(known, out);
            if extra == 1 {
                out.push(first);
            }
        }
        let first_now = entry.first;
        let before = self.entry(previous);
        if let (Some(slot), Some(before)) = (self.table.get_mut(usize::from(self.next)), before) {
            *slot = Entry { prefix: previous, suffix: first_now, first: before.first, length: before.length.saturating_add(1) };
            if self.size < 12 && u32::from(self.next) == (1 << self.size) - 1 {
                self.size += 1;
            }
            self.next += 1;
        }
        self.previous = Some((code, first_now));
        Step::Pixels(u32::from(entry.length) + extra)
    }

    fn entry(&self, code: u16) -> Option<Entry> {
        if code < self.clear {
            let [pixel, _] = code.to_le_bytes();
            return Some(Entry { prefix: 0, suffix: pixel, first: pixel, length: 1 });
        }
        // The string of a code that was defined by itself is remembered under its own number by then.
        self.table.get(usize::from(code)).copied()
    }

    fn write(&self, code: u16, out: &mut Vec<u8>) {
        let start = out.len();
        let mut code = code;
        while let Some(entry) = self.entry(code) {
            out.push(entry.suffix);
            if code < self.clear {
                break;
            }
            code = entry.prefix;
        }
        if let Some(string) = out.get_mut(start..) {
            string.reverse();
        }
    }
}

/// Bits collected from bytes, the lowest first.
#[derive(Default)]
pub(super) struct Bits {
    buffer: u32,
    count: u32,
}

impl Bits {
    /// The next `size` bits, if that many are there.
    pub(super) fn take(&mut self, size: u32) -> Option<u16> {
        if self.count < size {
            return None;
        }
        let code = u16::try_from(self.buffer & ((1 << size) - 1)).ok()?;
        self.buffer >>= size;
        self.count -= size;
        Some(code)
    }

    /// Adds a byte. There is room for it as long as `take` is asked first, with at most 13 bits.
    pub(super) fn add(&mut self, byte: u8) {
        self.buffer |= u32::from(byte) << self.count;
        self.count += 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(codes: &[u16]) -> (Vec<u8>, u32, Step) {
        let mut lzw = Lzw::new(2).expect("2 is a code size");
        let (mut out, mut count, mut last) = (Vec::new(), 0, Step::Clear);
        for code in codes {
            last = lzw.push(*code, Some(&mut out));
            if let Step::Pixels(more) = last {
                count += more;
            }
        }
        (out, count, last)
    }

    #[test]
    fn strings_are_built_and_counted() {
        // 1, then 6 = "11" (being defined), then 7 = "111" (being defined), then 6 = "11".
        let (out, count, last) = pixels(&[4, 1, 6, 7, 6, 5]);
        assert_eq!(out, [1; 8]);
        assert_eq!((count, last), (8, Step::End));
        let (out, ..) = pixels(&[4, 0, 1, 2, 6, 7, 5]);
        assert_eq!(out, [0, 1, 2, 0, 1, 1, 2]);
    }

    #[test]
    fn a_code_beyond_the_table_is_broken() {
        assert_eq!(pixels(&[4, 1, 7]).2, Step::Broken);
        assert_eq!(pixels(&[4, 6]).2, Step::Broken);
        assert!(Lzw::new(13).is_none());
    }
}
