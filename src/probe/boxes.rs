//! The boxes of ISO base media files, JPEG 2000 and JPEG XL (ISO/IEC 14496-12, section 4.2).

use super::cursor::{array, be32, be64, part_or_rest};

/// One box that was found.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    /// Four letters.
    pub(super) kind: [u8; 4],
    /// Offset of the contents from the start of the bytes that were searched.
    pub(super) at: usize,
    /// The contents, or what is there of them.
    pub(super) data: &'a [u8],
}

/// The boxes that follow each other in `bytes`; the walk ends at the first whose size makes no sense.
pub(super) fn boxes(bytes: &[u8]) -> impl Iterator<Item = Found<'_>> + Clone {
    let mut here = 0_usize;
    std::iter::from_fn(move || {
        let (size, kind) = (be32(bytes, here)?, array::<4>(bytes, here + 4)?);
        let (header, size) = match size {
            0 => (8, bytes.len() - here),
            1 => (16, usize::try_from(be64(bytes, here + 8)?).ok()?),
            size => (8, usize::try_from(size).ok()?),
        };
        let at = here + header;
        let length = size.checked_sub(header)?;
        here = here.checked_add(size)?;
        Some(Found { kind, at, data: part_or_rest(bytes, at, length) })
    })
}

/// The contents of the first box of this kind.
pub(super) fn first(bytes: &[u8], kind: [u8; 4]) -> Option<&[u8]> {
    boxes(bytes).find(|found| found.kind == kind).map(|found| found.data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_all_kinds_are_followed_and_bad_ones_end_the_walk() {
        let bytes = b"\0\0\0\x09aaaa1\0\0\0\x01bbbb\0\0\0\0\0\0\0\x112\0\0\0\0cccc345";
        let found: Vec<_> = boxes(bytes).map(|found| (found.kind, found.data.to_vec())).collect();
        assert_eq!(found, [(*b"aaaa", b"1".to_vec()), (*b"bbbb", b"2".to_vec()), (*b"cccc", b"345".to_vec())]);
        assert_eq!(boxes(b"\0\0\0\x07aaaa\0\0\0\x08bbbb").count(), 0);
        assert_eq!(boxes(b"\0\0\0\x01aaaa\xff\xff\xff\xff\xff\xff\xff\xff").count(), 1);
    }
}
