//! EXIF: the orientation that loaders see, and whether the block keeps its own rules.
//!
//! Two readings of one block. The orientation is found as Pillow finds it, leniently, in the first directory and then in
//! XMP; the state of the block is judged by kamadak-exif. Where the block stands in a file is the formats' affair.

use std::borrow::Cow;
use std::collections::HashSet;

use exif::{Error, Reader};

use super::cursor::{be16, be32, find, le16, le32};
use super::ifd::{Ifd, Preamble};
use crate::model::{Exif, Orientation, Probe};

/// Tag of the orientation (Exif 3.0, section 4.6.5.1.6).
pub(super) const ORIENTATION: u16 = 0x0112;
/// Tag of the pointer to the EXIF directory.
pub(super) const EXIF_POINTER: u16 = 0x8769;
/// Tag of the pointer to the GPS directory.
pub(super) const GPS_POINTER: u16 = 0x8825;
const INTEROPERABILITY_POINTER: u16 = 0xA005;

/// Most entries of all directories together. Cameras write some hundred. The limit is there because directories may
/// overlap: 64 KiB can describe hundreds of millions of entries, and kamadak-exif keeps every one.
const MAX_ENTRIES: usize = 8192;

/// Largest block that is handed to kamadak-exif, which wants a copy of it.
const MAX_BLOCK: usize = 4 << 20;

/// The metadata blocks that a file carries, as far as the orientation depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Metadata<'a> {
    /// The EXIF block, with or without "Exif\0\0" before it.
    pub(super) exif: Option<Cow<'a, [u8]>>,
    /// The XMP packet.
    pub(super) xmp: Option<Cow<'a, [u8]>>,
}

impl Metadata<'_> {
    /// Writes what the blocks say into the probe.
    pub(super) fn describe(&self, probe: &mut Probe) {
        let block = self.exif.as_deref().map(without_prefix);
        probe.exif = block.map_or(Exif::Absent, state);
        let in_xmp = || self.xmp.as_deref().and_then(orientation_of_xmp);
        probe.orientation = match block.map(orientation) {
            // Pillow's getexif() raises, and never comes to XMP.
            Some(Found::NoBlock) => None,
            Some(Found::Value(value)) => value.and_then(Orientation::new),
            Some(Found::NoTag) | None => in_xmp().and_then(Orientation::new),
        };
    }
}

/// What the first directory says of the orientation.
enum Found {
    /// The block has no preamble, so that there is no directory.
    NoBlock,
    /// There is no such tag.
    NoTag,
    /// The tag's value, where it is a number.
    Value(Option<u32>),
}

/// The block without one or two "Exif\0\0" (Pillow 13, `Image.py`, `Exif.load`).
fn without_prefix(block: &[u8]) -> &[u8] {
    let once = block.strip_prefix(b"Exif\0\0").unwrap_or(block);
    once.strip_prefix(b"Exif\0\0").unwrap_or(once)
}

fn orientation(block: &[u8]) -> Found {
    if block.is_empty() {
        return Found::NoTag;
    }
    // Pillow reads 8 bytes of preamble here, too few for the 64-bit offset of BigTIFF.
    let Some(preamble) = Preamble::read(block).filter(|preamble| !preamble.big) else { return Found::NoBlock };
    let ifd = Ifd::read(block, preamble, preamble.first, &[ORIENTATION]);
    match ifd.wanted.get(&ORIENTATION) {
        None => Found::NoTag,
        Some(entry) => Found::Value(entry.number().filter(|_| entry.is_numeric()).and_then(|value| u32::try_from(value).ok())),
    }
}

/// The orientation in an XMP packet: `tiff:Orientation="6"` or `<tiff:Orientation>6` (Pillow 13, `Image.py`, `getexif`).
pub(super) fn orientation_of_xmp(packet: &[u8]) -> Option<u32> {
    const NAME: &[u8] = b"tiff:Orientation";
    let mut rest = packet;
    while let Some(at) = find(rest, NAME) {
        rest = rest.get(at + NAME.len()..)?;
        let value = rest.strip_prefix(b"=\"").or_else(|| rest.strip_prefix(b">"));
        if let Some(digit) = value.and_then(<[u8]>::first).filter(|digit| digit.is_ascii_digit()) {
            return Some(u32::from(digit - b'0'));
        }
    }
    None
}

/// Whether the block keeps its own rules.
fn state(block: &[u8]) -> Exif {
    if block.is_empty() {
        return Exif::Malformed("the block is empty".to_owned());
    }
    if let Err(words) = survey(block) {
        return Exif::Malformed(words);
    }
    if block.len() > MAX_BLOCK {
        return Exif::Read;
    }
    match Reader::new().continue_on_error(true).read_raw(block.to_vec()) {
        Ok(_) => Exif::Read,
        Err(Error::PartialResult(partial)) => {
            let (_, errors) = partial.into_inner();
            errors.iter().find_map(words).map_or(Exif::Read, Exif::Malformed)
        }
        Err(error) => words(&error).map_or(Exif::Read, Exif::Malformed),
    }
}

/// kamadak-exif's complaint in words for users; `None` for what does no harm.
fn words(error: &Error) -> Option<String> {
    let complaint = error.to_string();
    Some(
        match complaint.as_str() {
            // A link behind the EXIF directory leads nowhere that anybody looks.
            "Unexpected next IFD" => return None,
            "Truncated field value" => "the value of an entry lies past the end of the block",
            "Truncated IFD count" => "a directory lies past the end of the block",
            "Truncated IFD" | "Truncated next IFD offset" => "a directory is cut short",
            "Already visited IFD detected" => "a directory leads back to one that was read already",
            "Limit the IFD count to 8" => "more than 8 directories follow each other",
            "Invalid entry count" => "an entry says that it has an impossible number of values",
            "Invalid pointer" => "the pointer to a directory is no offset",
            "Invalid TIFF byte order" | "Invalid forty two" | "Truncated TIFF header" => "the block does not begin with a TIFF header",
            _ => return Some(complaint.to_lowercase()),
        }
        .to_owned(),
    )
}

/// Walks the directories that kamadak-exif would walk and adds up their entries, so that what it keeps is bounded.
fn survey(block: &[u8]) -> Result<(), String> {
    let little = block.starts_with(b"II");
    let u16_at = |at: usize| if little { le16(block, at) } else { be16(block, at) };
    let u32_at = |at: usize| if little { le32(block, at) } else { be32(block, at) };
    let mut open: Vec<u32> = u32_at(4).into_iter().collect();
    let mut seen = HashSet::new();
    let mut entries = 0_usize;
    while let Some(offset) = open.pop() {
        if !seen.insert(offset) {
            continue;
        }
        let Some(start) = usize::try_from(offset).ok().filter(|start| *start < block.len()) else { continue };
        let fits = (block.len() - start).saturating_sub(2) / 12;
        let count = usize::from(u16_at(start).unwrap_or(0)).min(fits);
        entries = entries.saturating_add(count);
        if entries > MAX_ENTRIES {
            return Err(format!("the directories have more than {MAX_ENTRIES} entries together"));
        }
        for entry in (0..count).map(|index| start + 2 + index * 12) {
            if matches!(u16_at(entry), Some(EXIF_POINTER | GPS_POINTER | INTEROPERABILITY_POINTER)) {
                if (u16_at(entry + 2), u32_at(entry + 4)) != (Some(4), Some(1)) {
                    return Err("the pointer to a directory is no offset".to_owned());
                }
                open.extend(u32_at(entry + 8));
            }
        }
        open.extend(u32_at(start + 2 + count * 12).filter(|next| *next != 0));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::model::{Format, Size};
    use crate::probe::header::plain;

    /// A little-endian block with these entries (tag, type, count, value) and this link.
    fn block(entries: &[(u16, u16, u32, u32)], next: u32) -> Vec<u8> {
        let mut bytes = b"II\x2a\0\x08\0\0\0".to_vec();
        bytes.extend(u16::try_from(entries.len()).unwrap().to_le_bytes());
        for (tag, kind, count, value) in entries {
            bytes.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
            bytes.extend([count.to_le_bytes(), value.to_le_bytes()].concat());
        }
        bytes.extend(next.to_le_bytes());
        bytes
    }

    fn read(exif: Option<&[u8]>, xmp: Option<&[u8]>) -> (Option<u8>, Exif) {
        let mut probe = plain(Format::Jpeg, None, 8, Size::new(1, 1));
        Metadata { exif: exif.map(Cow::Borrowed), xmp: xmp.map(Cow::Borrowed) }.describe(&mut probe);
        (probe.orientation.map(Orientation::value), probe.exif)
    }

    #[test]
    fn the_eight_orientations_are_read_and_others_are_none() {
        for value in 0..=9 {
            let expected = u8::try_from(value).ok().filter(|value| (1..=8).contains(value));
            assert_eq!(read(Some(&block(&[(ORIENTATION, 3, 1, value)], 0)), None), (expected, Exif::Read), "{value}");
        }
    }

    #[test]
    fn the_prefix_may_stand_once_or_twice() {
        let block = block(&[(ORIENTATION, 3, 1, 6)], 0);
        for prefix in [&b""[..], b"Exif\0\0", b"Exif\0\0Exif\0\0"] {
            assert_eq!(read(Some(&[prefix, &block].concat()), None), (Some(6), Exif::Read));
        }
    }

    #[test]
    fn a_bad_entry_behind_the_orientation_does_not_hide_it() {
        let (orientation, exif) = read(Some(&block(&[(ORIENTATION, 3, 1, 8), (0x010f, 2, 40, 9000)], 0)), None);
        assert_eq!(orientation, Some(8));
        assert_eq!(exif, Exif::Malformed("the value of an entry lies past the end of the block".to_owned()));
    }

    #[test]
    fn loops_and_wild_pointers_are_malformed_and_end() {
        let looped = block(&[(ORIENTATION, 3, 1, 3)], 8);
        assert_eq!(read(Some(&looped), None), (Some(3), Exif::Malformed("a directory leads back to one that was read already".to_owned())));
        let wild = block(&[(ORIENTATION, 3, 1, 3), (EXIF_POINTER, 4, 1, 0xffff_0000)], 0);
        assert_eq!(read(Some(&wild), None), (Some(3), Exif::Malformed("a directory lies past the end of the block".to_owned())));
        let no_offset = block(&[(EXIF_POINTER, 2, 4, 0)], 0);
        assert_eq!(read(Some(&no_offset), None).1, Exif::Malformed("the pointer to a directory is no offset".to_owned()));
    }

    #[test]
    fn overlapping_directories_cost_neither_time_nor_memory() {
        let entries: Vec<_> = (0..5000).map(|index| (EXIF_POINTER, 4, 1, 8 + 2 * index)).collect();
        let begin = Instant::now();
        let (_, exif) = read(Some(&block(&entries, 0)), None);
        assert_eq!(exif, Exif::Malformed("the directories have more than 8192 entries together".to_owned()));
        assert!(begin.elapsed().as_secs() < 2);
    }

    #[test]
    fn a_zero_denominator_is_no_fault() {
        let mut bytes = block(&[(0x011a, 5, 1, 26)], 0);
        bytes.extend([72, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(read(Some(&bytes), None).1, Exif::Read);
    }

    #[test]
    fn xmp_speaks_where_exif_is_silent() {
        let packet = b"<x tiff:Orientation=\"\" tiff:Orientation=\"6\">";
        assert_eq!(read(None, Some(packet)), (Some(6), Exif::Absent));
        assert_eq!(read(None, Some(b"<tiff:Orientation>8<")), (Some(8), Exif::Absent));
        assert_eq!(read(Some(&block(&[(ORIENTATION, 3, 1, 3)], 0)), Some(packet)).0, Some(3));
        assert_eq!(read(Some(&block(&[(0x011a, 3, 1, 3)], 0)), Some(packet)).0, Some(6));
        assert_eq!(read(Some(b"no block at all"), Some(packet)).0, None);
    }

    #[test]
    fn a_block_that_is_none_is_malformed() {
        assert!(matches!(read(Some(b""), None).1, Exif::Malformed(_)));
        assert!(matches!(read(Some(b"garbage!garbage"), None).1, Exif::Malformed(_)));
    }
}
