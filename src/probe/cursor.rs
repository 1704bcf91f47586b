//! Reading numbers at an offset of bytes that nobody vouches for.
//!
//! Every function answers `None` where the bytes end too early, so that no reader slices or indexes by itself. What a
//! missing number means is the reader's affair. Uses nothing of this crate.

/// The `length` bytes at `at`.
pub(super) fn part(bytes: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(length)?)
}

/// What is there of the `length` bytes at `at`; empty where `at` lies behind the end.
pub(super) fn part_or_rest(bytes: &[u8], at: usize, length: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.get(..length).unwrap_or(rest)
}

/// The `N` bytes at `at`.
pub(super) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    part(bytes, at, N)?.try_into().ok()
}

/// 8 bits.
pub(super) fn u8_at(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).copied()
}

/// 16 bits, big endian.
pub(super) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_be_bytes)
}

/// 32 bits, big endian.
pub(super) fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_be_bytes)
}

/// 64 bits, big endian.
pub(super) fn be64(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_be_bytes)
}

/// 16 bits, little endian.
pub(super) fn le16(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_le_bytes)
}

/// 24 bits, little endian.
pub(super) fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(|[a, b, c]: [u8; 3]| u32::from_le_bytes([a, b, c, 0]))
}

/// 32 bits, little endian.
pub(super) fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

/// An unsigned number of 0 to 8 bytes, big endian; ISO-BMFF has fields whose width is a field.
pub(super) fn be_sized(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    if width > 8 {
        return None;
    }
    Some(part(bytes, at, width)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// Where `needle` stands in `bytes`. Linear for the short needles used here.
pub(super) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

/// Byte order, where the file chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// "MM".
    Big,
    /// "II".
    Little,
}

impl Order {
    /// 16 bits in this order.
    pub(super) fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        match self {
            Self::Big => be16(bytes, at),
            Self::Little => le16(bytes, at),
        }
    }

    /// 32 bits in this order.
    pub(super) fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        match self {
            Self::Big => be32(bytes, at),
            Self::Little => le32(bytes, at),
        }
    }

    /// 64 bits in this order.
    pub(super) fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        match self {
            Self::Big => be64(bytes, at),
            Self::Little => array(bytes, at).map(u64::from_le_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_behind_the_end_are_none_and_do_not_overflow() {
        assert_eq!(be32(&[1, 2, 3], 0), None);
        assert_eq!(part(&[1, 2, 3], usize::MAX, 2), None);
        assert_eq!(part_or_rest(&[1, 2, 3], 2, usize::MAX), [3]);
        assert_eq!(be_sized(&[1, 2, 3], 0, 9), None);
    }

    #[test]
    fn orders_differ() {
        assert_eq!(Order::Big.u16(&[1, 2], 0), Some(0x0102));
        assert_eq!(Order::Little.u16(&[1, 2], 0), Some(0x0201));
        assert_eq!(le24(&[1, 2, 3], 0), Some(0x03_0201));
        assert_eq!(be_sized(&[1, 2, 3], 0, 3), Some(0x01_0203));
    }
}
