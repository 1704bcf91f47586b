//! Windows icons and cursors: the largest picture of the directory, as Pillow 13 takes it (`IcoImagePlugin.py`).

use super::cursor::{le16, le32, part, u8_at};
use super::header::{bad, cut, plain, sized};
use super::{bmp, png};
use crate::model::{Fault, Format, Mode, Probe};

/// One entry of the directory.
struct Entry {
    width: u32,
    height: u32,
    bits: u16,
    offset: usize,
}

/// Whether the bytes are an icon or cursor; the signature is three small numbers, so that the first entry must fit too.
pub(super) fn looks_like_ico(head: &[u8]) -> bool {
    if !(head.starts_with(&[0, 0, 1, 0]) || head.starts_with(&[0, 0, 2, 0])) {
        return false;
    }
    let Some(count @ 1..=256) = le16(head, 4) else { return false };
    // With less than a directory entry in sight, the count must do.
    let Some(offset) = le32(head, 18) else { return head.len() < 22 };
    u8_at(head, 9) == Some(0) && offset >= 6 + 16 * u32::from(count)
}

/// Reads the directory of an icon, and the header of its largest picture.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    let count = le16(bytes, 4).ok_or_else(|| cut(bytes, Format::Ico))?;
    let mut largest: Option<Entry> = None;
    for index in 0..usize::from(count) {
        let entry = entry(bytes, 6 + 16 * index).ok_or_else(|| cut(bytes, Format::Ico))?;
        let rank = |entry: &Entry| (entry.width * entry.height, entry.bits);
        if largest.as_ref().is_none_or(|best| rank(&entry) > rank(best)) {
            largest = Some(entry);
        }
    }
    let entry = largest.ok_or_else(|| bad(4, "the icon's directory has no entries"))?;
    let cursor = part(bytes, 0, 4) == Some(&[0, 0, 2, 0]);
    let mut probe = if let Some(inner) = png::probe_inside(bytes, entry.offset) {
        plain(Format::Ico, inner.mode, inner.bit_depth, inner.size)
    } else {
        // Pillow adds the mask as alpha; the bitmap's height counts picture and mask.
        let dib = bmp::read(bytes, entry.offset);
        let (width, height) = dib.map_or((entry.width, u64::from(entry.height)), |dib| (dib.width, dib.height / 2));
        plain(Format::Ico, Some(Mode::Rgba), 8, sized(entry.offset.saturating_add(4), width, height)?)
    };
    probe.variant = if cursor { "cursor" } else { "" };
    Ok(probe)
}

fn entry(bytes: &[u8], at: usize) -> Option<Entry> {
    // 0 stands for 256.
    let side = |at: usize| u8_at(bytes, at).map(|side| if side == 0 { 256 } else { u32::from(side) });
    Some(Entry {
        width: side(at)?,
        height: side(at + 1)?,
        bits: le16(bytes, at + 6)?,
        offset: usize::try_from(le32(bytes, at + 12)?).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FaultKind, Size};

    fn ico(entries: &[(u8, u8)]) -> Vec<u8> {
        let mut bytes = vec![0, 0, 1, 0, u8::try_from(entries.len()).unwrap(), 0];
        for (width, height) in entries {
            bytes.extend([*width, *height, 0, 0, 1, 0, 32, 0, 9, 0, 0, 0, 0xff, 0xff, 0, 0]);
        }
        bytes
    }

    #[test]
    fn the_largest_entry_counts_and_zero_is_256() {
        assert_eq!(probe(&ico(&[(16, 16), (48, 32), (32, 32)])).map(|probe| probe.size), Ok(Size::new(48, 32)));
        assert_eq!(probe(&ico(&[(16, 16), (0, 0)])).map(|probe| probe.size), Ok(Size::new(256, 256)));
    }

    #[test]
    fn an_icon_is_told_from_a_tga() {
        assert!(looks_like_ico(&ico(&[(16, 16)])));
        assert!(!looks_like_ico(&[0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 24, 0, 0, 0, 0, 0]));
    }

    #[test]
    fn a_directory_that_is_cut_or_empty_is_a_fault() {
        assert_eq!(probe(&ico(&[(16, 16)])[..20]).map_err(|fault| fault.kind), Err(FaultKind::Truncated));
        assert_eq!(probe(&ico(&[])).map_err(|fault| fault.kind), Err(FaultKind::BadHeader));
    }
}
