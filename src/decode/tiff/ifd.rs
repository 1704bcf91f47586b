//! The first image file directory of a TIFF, read as Pillow 13 reads it (`TiffImagePlugin.py`, `ImageFileDirectory_v2.load`).
//!
//! Pillow forgives a lot here: a directory that is cut short keeps the tags before the cut, and a tag whose data is not
//! there is left out. Values stay in the file and are decoded when they are asked for.

use std::collections::BTreeMap;

/// Byte order and offset size.
#[derive(Clone, Copy)]
struct Layout {
    big_endian: bool,
    big_tiff: bool,
}

/// The tags of a directory.
pub(super) struct Directory<'a> {
    /// Whether numbers have their highest byte first.
    pub(super) big_endian: bool,
    tags: BTreeMap<u16, Tag<'a>>,
}

#[derive(Clone, Copy)]
struct Tag<'a> {
    kind: u16,
    data: &'a [u8],
}

/// What the header leads to.
pub(super) enum Header<'a> {
    /// No directory that Pillow would look for.
    Absent,
    /// A directory at an offset that no file can have.
    Unreachable,
    /// The first directory.
    Present(Directory<'a>),
}

/// Reads the header and the first directory.
pub(super) fn read(bytes: &[u8]) -> Header<'_> {
    let Some(layout) = layout(bytes) else { return Header::Absent };
    let first = if layout.big_tiff { layout.uint(bytes, 8, 8) } else { layout.uint(bytes, 4, 4) };
    match first {
        None | Some(0) => Header::Absent,
        Some(offset) if offset >= 1 << 63 => Header::Unreachable,
        Some(offset) => Header::Present(directory(bytes, layout, usize::try_from(offset).unwrap_or(usize::MAX))),
    }
}

fn layout(bytes: &[u8]) -> Option<Layout> {
    let magic = bytes.first_chunk::<4>()?;
    let big_endian = match magic {
        b"II\x2a\0" | b"II\0\x2a" | b"II\x2b\0" => false,
        b"MM\0\x2a" | b"MM\x2a\0" | b"MM\0\x2b" => true,
        _ => return None,
    };
    // Pillow looks at the third byte only, so a big-endian BigTIFF is read as if it were none.
    Some(Layout { big_endian, big_tiff: magic[2] == 0x2b })
}

fn directory(bytes: &[u8], layout: Layout, start: usize) -> Directory<'_> {
    let mut directory = Directory { big_endian: layout.big_endian, tags: BTreeMap::new() };
    let (count_size, entry_size, inline) = if layout.big_tiff { (8, 20, 8) } else { (2, 12, 4) };
    let Some(count) = layout.uint(bytes, start, count_size) else { return directory };
    let entries = bytes.get(start.saturating_add(count_size)..).unwrap_or_default().chunks_exact(entry_size);
    let mut total = 0_u64;
    for entry in entries.take(usize::try_from(count).unwrap_or(usize::MAX)) {
        let (Some(tag), Some(kind)) = (layout.uint(entry, 0, 2), layout.uint(entry, 2, 2)) else { break };
        let (Ok(tag), Ok(kind)) = (u16::try_from(tag), u16::try_from(kind)) else { break };
        if directory.tags.contains_key(&tag) {
            continue;
        }
        let Some(unit) = unit_size(kind) else { continue };
        let Some(items) = layout.uint(entry, 4, inline) else { break };
        let size = items.saturating_mul(unit);
        let value = entry.get(4 + inline..).unwrap_or_default();
        let data = if size > inline as u64 {
            let Some(offset) = layout.uint(value, 0, inline) else { break };
            if offset >= 1 << 63 {
                continue;
            }
            total = total.saturating_add(size);
            if total > bytes.len() as u64 {
                continue;
            }
            let (offset, size) = (usize::try_from(offset).unwrap_or(usize::MAX), usize::try_from(size).unwrap_or(usize::MAX));
            // Data that is not there ends the directory.
            let Some(data) = bytes.get(offset..offset.saturating_add(size)) else { break };
            data
        } else {
            value.get(..usize::try_from(size).unwrap_or(usize::MAX)).unwrap_or_default()
        };
        if !data.is_empty() {
            directory.tags.insert(tag, Tag { kind, data });
        }
    }
    directory
}

impl Layout {
    fn uint(self, bytes: &[u8], at: usize, size: usize) -> Option<u64> {
        let chunk = bytes.get(at..at.checked_add(size)?)?;
        let fold = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(if self.big_endian { chunk.iter().fold(0, fold) } else { chunk.iter().rev().fold(0, fold) })
    }
}

/// Bytes of one value; `None` for kinds that Pillow skips.
fn unit_size(kind: u16) -> Option<u64> {
    match kind {
        1 | 2 | 6 | 7 => Some(1),
        3 | 8 => Some(2),
        4 | 9 | 11 | 13 => Some(4),
        5 | 10 | 12 | 16 => Some(8),
        _ => None,
    }
}

impl Directory<'_> {
    /// Whether the tag is there.
    pub(super) fn has(&self, tag: u16) -> bool {
        self.tags.contains_key(&tag)
    }

    /// The tag's values, if it is there: `Err` where they are no integers.
    pub(super) fn integers(&self, tag: u16) -> Option<Result<Vec<i64>, NotIntegers>> {
        let Tag { kind, data } = *self.tags.get(&tag)?;
        let (unit, signed) = match kind {
            3 => (2, false),
            4 | 13 => (4, false),
            16 => (8, false),
            6 => (1, true),
            8 => (2, true),
            9 => (4, true),
            _ => return Some(Err(NotIntegers)),
        };
        let layout = Layout { big_endian: self.big_endian, big_tiff: false };
        let values = data.chunks_exact(unit).map(|chunk| {
            let value = layout.uint(chunk, 0, unit).unwrap_or_default();
            let unused = 64 - 8 * unit;
            if signed { (value << unused).cast_signed() >> unused } else { i64::try_from(value).unwrap_or(i64::MAX) }
        });
        Some(Ok(values.collect()))
    }

    /// The first of the tag's values; the default where the tag is absent.
    pub(super) fn integer(&self, tag: u16, default: i64) -> Result<i64, NotIntegers> {
        match self.integers(tag) {
            None => Ok(default),
            Some(values) => values?.first().copied().ok_or(NotIntegers),
        }
    }
}

/// A tag that should hold integers holds something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotIntegers;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_is_cut_keeps_what_came_before() {
        let mut file = b"II\x2a\0\x08\0\0\0\x02\0".to_vec();
        file.extend([0, 1, 3, 0, 1, 0, 0, 0, 7, 0, 0, 0]);
        file.extend([1, 1, 3, 0, 1, 0]);
        let Header::Present(directory) = read(&file) else { panic!("there is a directory") };
        assert_eq!(directory.integer(256, 0), Ok(7));
        assert!(!directory.has(257));
    }

    #[test]
    fn sizes_that_lie_take_no_memory() {
        let mut file = b"MM\0\x2a\0\0\0\x08\xff\xff".to_vec();
        file.extend([1, 17, 0, 4, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]);
        let Header::Present(directory) = read(&file) else { panic!("there is a directory") };
        assert!(!directory.has(273));
    }
}
