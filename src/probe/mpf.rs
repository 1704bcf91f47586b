//! The multi-picture index of a JPEG (CIPA DC-007, section 5): how many pictures the file holds.

use super::cursor::Order;
use super::ifd::{Ifd, Preamble};

/// Tag "Number of Images".
const NUMBER_OF_IMAGES: u16 = 0xB001;
/// Tag "MP Entry": 16 bytes for each picture.
const MP_ENTRIES: u16 = 0xB002;
/// Bits of an entry's attribute that name the picture's format; 0 is JPEG.
const PICTURE_FORMAT: u32 = 0x0700_0000;

/// Number of pictures that an MPF segment's data (behind "MPF\0") lists; `None` where Pillow finds the index malformed and
/// takes the file for a plain JPEG (Pillow 13, `JpegImagePlugin.py`, `_getmp`).
pub(super) fn pictures(data: &[u8]) -> Option<u32> {
    let preamble = Preamble::read(data).filter(|preamble| !preamble.big)?;
    let ifd = Ifd::read(data, preamble, preamble.first, &[NUMBER_OF_IMAGES, MP_ENTRIES]);
    let count = u32::try_from(ifd.number(NUMBER_OF_IMAGES)?).ok()?;
    let entries = ifd.wanted.get(&MP_ENTRIES)?.data();
    let listed = entries.get(..usize::try_from(count).ok()?.checked_mul(16)?)?;
    // Pillow looks at the four bytes after "MM" to tell the order of the entries, and misses the wrong spelling.
    let order = if data.starts_with(b"MM\x00\x2a") { Order::Big } else { Order::Little };
    let all_jpeg = listed.chunks_exact(16).all(|entry| order.u32(entry, 0).is_some_and(|attribute| attribute & PICTURE_FORMAT == 0));
    all_jpeg.then_some(count)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An index of `count` pictures.
    pub(in crate::probe) fn index(count: u8) -> Vec<u8> {
        let mut data = b"MM\0\x2a\0\0\0\x08\0\x02".to_vec();
        data.extend([0xB0, 0x01, 0, 4, 0, 0, 0, 1, 0, 0, 0, count]);
        data.extend([0xB0, 0x02, 0, 7, 0, 0, 0, 16 * count, 0, 0, 0, 38]);
        data.extend([0; 4]);
        data.extend(vec![0; 16 * usize::from(count)]);
        data
    }

    #[test]
    fn pictures_are_counted() {
        assert_eq!(pictures(&index(2)), Some(2));
    }

    #[test]
    fn an_index_with_too_few_entries_or_another_picture_format_is_none() {
        let mut data = index(3);
        data.truncate(data.len() - 1);
        assert_eq!(pictures(&data), None);
        let mut data = index(3);
        data[38] = 1;
        assert_eq!(pictures(&data), None);
        assert_eq!(pictures(b"nothing"), None);
    }
}
