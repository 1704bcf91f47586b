//! Image file directories (TIFF 6.0, section 2), read as leniently as Pillow reads them.
//!
//! Used for EXIF blocks, TIFF files and the MPF index of JPEGs. Only the entries asked for are kept, so that a directory
//! costs no more memory than its wanted entries. What the tags mean is not known here.

use std::collections::{BTreeMap, HashSet};

use super::cursor::{Order, array, part};

/// Most entries that are looked at in one directory; classic TIFF has at most 65,535.
const MAX_ENTRIES: u64 = 65_536;

/// The 8 (or 16) bytes before the directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Preamble {
    /// Byte order of everything that follows.
    pub(super) order: Order,
    /// `BigTIFF`: offsets and counts have 64 bits.
    pub(super) big: bool,
    /// Where the first directory is, in bytes from the start of the preamble.
    pub(super) first: u64,
}

impl Preamble {
    /// Reads the preamble; the two spellings with the wrong byte order are those that Pillow accepts (Pillow 13,
    /// `TiffImagePlugin.py`, `PREFIXES`).
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (order, big) = match &array::<4>(bytes, 0)? {
            b"MM\x00\x2a" | b"MM\x2a\x00" => (Order::Big, false),
            b"II\x2a\x00" | b"II\x00\x2a" => (Order::Little, false),
            b"MM\x00\x2b" => (Order::Big, true),
            b"II\x2b\x00" => (Order::Little, true),
            _ => return None,
        };
        let first = if big { order.u64(bytes, 8)? } else { u64::from(order.u32(bytes, 4)?) };
        Some(Self { order, big, first })
    }
}

/// One entry whose value lies inside the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    order: Order,
    kind: u16,
    data: &'a [u8],
}

impl<'a> Entry<'a> {
    /// The value's bytes.
    pub(super) fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The first number, where the type is an integer. Pillow takes the first of several for tags that have one.
    pub(super) fn number(&self) -> Option<u64> {
        self.number_at(0)
    }

    /// The numbers, at most `most` of them.
    pub(super) fn numbers(&self, most: usize) -> Vec<u64> {
        (0..most).map_while(|index| self.number_at(index)).collect()
    }

    fn number_at(&self, index: usize) -> Option<u64> {
        let at = index.checked_mul(unit_size(self.kind)?)?;
        match self.kind {
            1 | 6 => self.data.get(at).copied().map(u64::from),
            3 | 8 => self.order.u16(self.data, at).map(u64::from),
            4 | 9 | 13 => self.order.u32(self.data, at).map(u64::from),
            16 => self.order.u64(self.data, at),
            _ => None,
        }
    }

    /// Whether Pillow gives the value as a number: it gives bytes for BYTE, and those equal no orientation.
    pub(super) fn is_numeric(&self) -> bool {
        matches!(self.kind, 3 | 4 | 6 | 8 | 9 | 13 | 16)
    }
}

/// One directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ifd<'a> {
    /// The wanted entries, by tag. Of two with the same tag, the first counts.
    pub(super) wanted: BTreeMap<u16, Entry<'a>>,
    /// Where the next directory is; 0 for none, or where this one could not be read to its end.
    pub(super) next: u64,
    /// Whether the directory was cut short, or one of its values lies past the end.
    pub(super) broken: bool,
}

impl<'a> Ifd<'a> {
    /// Reads the directory at `at`, keeping the entries with the tags `wanted`.
    ///
    /// As in Pillow 13 (`TiffImagePlugin.py`, `ImageFileDirectory_v2.load`): an entry of unknown type is skipped, so is one
    /// whose value makes the values larger than the whole file; a value that lies past the end ends the directory.
    pub(super) fn read(bytes: &'a [u8], preamble: Preamble, at: u64, wanted: &[u16]) -> Self {
        let mut ifd = Self { wanted: BTreeMap::new(), next: 0, broken: false };
        ifd.broken = ifd.fill(bytes, preamble, at, wanted).is_none();
        ifd
    }

    /// Does the work of [`Ifd::read`]; `None` where it had to stop.
    fn fill(&mut self, bytes: &'a [u8], preamble: Preamble, at: u64, wanted: &[u16]) -> Option<()> {
        let Preamble { order, big, .. } = preamble;
        let start = usize::try_from(at).ok()?;
        let (count, mut here) = count(bytes, preamble, start)?;
        let (entry_size, inline) = if big { (20, 8) } else { (12, 4) };
        let mut seen = HashSet::new();
        let mut total: u64 = 0;
        for _ in 0..count.min(MAX_ENTRIES) {
            let entry = part(bytes, here, entry_size)?;
            here = here.checked_add(entry_size)?;
            let (tag, kind) = (order.u16(entry, 0)?, order.u16(entry, 2)?);
            let values = if big { order.u64(entry, 4)? } else { u64::from(order.u32(entry, 4)?) };
            let Some(unit) = unit_size(kind).filter(|_| !seen.contains(&tag)) else { continue };
            let Some(size) = values.checked_mul(unit as u64) else { continue };
            let data = if size <= inline {
                part(entry, entry_size - usize::try_from(inline).ok()?, usize::try_from(size).ok()?)?
            } else {
                let offset = if big { order.u64(entry, 12)? } else { u64::from(order.u32(entry, 8)?) };
                total = total.saturating_add(size);
                if total > bytes.len() as u64 {
                    self.broken = true;
                    continue;
                }
                part(bytes, usize::try_from(offset).ok()?, usize::try_from(size).ok()?)?
            };
            if data.is_empty() {
                continue;
            }
            seen.insert(tag);
            if wanted.contains(&tag) {
                self.wanted.insert(tag, Entry { order, kind, data });
            }
        }
        self.next = if big { order.u64(bytes, here)? } else { u64::from(order.u32(bytes, here)?) };
        Some(())
    }

    /// The first number of the entry with this tag.
    pub(super) fn number(&self, tag: u16) -> Option<u64> {
        self.wanted.get(&tag)?.number()
    }
}

/// Where the directory behind the one at `at` is, without looking at the entries; `None` where the table is cut short.
pub(super) fn next_of(bytes: &[u8], preamble: Preamble, at: u64) -> Option<u64> {
    let (count, entries) = count(bytes, preamble, usize::try_from(at).ok()?)?;
    let entry_size: u64 = if preamble.big { 20 } else { 12 };
    let link = usize::try_from(count.checked_mul(entry_size)?).ok()?.checked_add(entries)?;
    if preamble.big { preamble.order.u64(bytes, link) } else { preamble.order.u32(bytes, link).map(u64::from) }
}

/// Number of entries of the directory at `start`, and where they begin.
fn count(bytes: &[u8], preamble: Preamble, start: usize) -> Option<(u64, usize)> {
    if preamble.big {
        Some((preamble.order.u64(bytes, start)?, start.checked_add(8)?))
    } else {
        Some((u64::from(preamble.order.u16(bytes, start)?), start.checked_add(2)?))
    }
}

/// Bytes of one value of a type (TIFF 6.0, page 15; `BigTIFF`); `None` for types that do not exist.
fn unit_size(kind: u16) -> Option<usize> {
    match kind {
        1 | 2 | 6 | 7 => Some(1),
        3 | 8 => Some(2),
        4 | 9 | 11 | 13 => Some(4),
        5 | 10 | 12 | 16 => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A big-endian block with one directory of 12-byte entries.
    fn block(entries: &[[u8; 12]]) -> Vec<u8> {
        let mut bytes = b"MM\0\x2a\0\0\0\x08".to_vec();
        bytes.extend(u16::try_from(entries.len()).unwrap().to_be_bytes());
        bytes.extend(entries.iter().flatten());
        bytes.extend([0; 4]);
        bytes
    }

    const ORIENTATION: [u8; 12] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0];
    const PAST_THE_END: [u8; 12] = [0x01, 0x0f, 0, 2, 0, 0, 0, 9, 0xff, 0, 0, 0];
    const UNKNOWN_TYPE: [u8; 12] = [0x01, 0x0f, 0, 99, 0xff, 0, 0, 9, 0xff, 0, 0, 0];
    const LARGER_THAN_THE_FILE: [u8; 12] = [0x01, 0x0f, 0, 2, 0xff, 0, 0, 9, 0, 0, 0, 8];

    fn orientation(entries: &[[u8; 12]]) -> (Option<u64>, bool) {
        let bytes = block(entries);
        let preamble = Preamble::read(&bytes).expect("a preamble");
        let ifd = Ifd::read(&bytes, preamble, preamble.first, &[0x112]);
        (ifd.number(0x112), ifd.broken)
    }

    #[test]
    fn entries_are_found_where_pillow_finds_them() {
        assert_eq!(orientation(&[ORIENTATION]), (Some(6), false));
        assert_eq!(orientation(&[ORIENTATION, PAST_THE_END]), (Some(6), true));
        assert_eq!(orientation(&[PAST_THE_END, ORIENTATION]), (None, true));
        assert_eq!(orientation(&[UNKNOWN_TYPE, ORIENTATION]), (Some(6), false));
        assert_eq!(orientation(&[LARGER_THAN_THE_FILE, ORIENTATION]).0, Some(6));
    }

    #[test]
    fn the_first_of_two_entries_counts() {
        let mut second = ORIENTATION;
        second[9] = 3;
        assert_eq!(orientation(&[ORIENTATION, second]).0, Some(6));
    }

    #[test]
    fn a_directory_behind_the_end_is_empty_and_broken() {
        let bytes = block(&[ORIENTATION]);
        let preamble = Preamble::read(&bytes).expect("a preamble");
        let ifd = Ifd::read(&bytes, preamble, 1 << 40, &[0x112]);
        assert!(ifd.wanted.is_empty() && ifd.broken);
        assert_eq!(next_of(&bytes, preamble, 8), Some(0));
        assert_eq!(next_of(&bytes, preamble, u64::MAX), None);
    }
}
