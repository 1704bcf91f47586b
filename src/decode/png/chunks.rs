//! A PNG's chunks (PNG third edition, section 5.3): length, name, data, CRC. What a chunk means is decided elsewhere.

use crate::model::{Fault, FaultKind};

/// The eight bytes that every PNG begins with (section 5.2).
pub(super) const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// One chunk, as far as the file goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'a> {
    /// Offset of its length field.
    pub(super) at: usize,
    /// Length of the data as the chunk says.
    pub(super) length: u32,
    /// Four bytes that should be letters.
    pub(super) name: [u8; 4],
    /// The data that the file has; shorter than `length` where the file ends.
    pub(super) data: &'a [u8],
    /// The checksum as stored; `None` where the file ends before.
    pub(super) crc: Option<u32>,
}

impl<'a> Chunk<'a> {
    /// The chunk at `at`; `None` where fewer than the eight bytes of its head are left.
    pub(super) fn read(bytes: &'a [u8], at: usize) -> Option<Self> {
        let rest = bytes.get(at..)?;
        let (head, body) = rest.split_first_chunk::<8>()?;
        let [l0, l1, l2, l3, name @ ..] = *head;
        let length = u32::from_be_bytes([l0, l1, l2, l3]);
        let wanted = usize::try_from(length).unwrap_or(usize::MAX);
        let (data, tail) = body.split_at_checked(wanted).unwrap_or((body, &[]));
        let crc = tail.first_chunk::<4>().map(|stored| u32::from_be_bytes(*stored));
        Some(Self { at, length, name, data, crc })
    }

    /// Offset of the data.
    pub(super) fn data_at(&self) -> usize {
        self.at.saturating_add(8)
    }

    /// Offset of the next chunk's length field, which may lie behind the end of the file.
    pub(super) fn next_at(&self) -> usize {
        self.at.saturating_add(12).saturating_add(usize::try_from(self.length).unwrap_or(usize::MAX))
    }

    /// Whether the file has all of its data.
    pub(super) fn has_all_data(&self) -> bool {
        u32::try_from(self.data.len()).is_ok_and(|length| length == self.length)
    }

    /// Whether the stored checksum is there and right.
    pub(super) fn crc_is_right(&self) -> bool {
        self.crc.is_some_and(|stored| stored == crc32(&[&self.name, self.data]))
    }

    /// Whether a decoder may pass over it (section 5.4: bit 5 of the first letter).
    pub(super) fn is_ancillary(&self) -> bool {
        self.name[0] & 0x20 != 0
    }

    /// Whether its name is made of letters, as it must be (section 5.3).
    pub(super) fn has_valid_name(&self) -> bool {
        self.name.iter().all(u8::is_ascii_alphabetic)
    }

    /// Whether its name is one that libpng takes: letters, of which the third is large; a small one is reserved (section 5.4).
    pub(super) fn has_unreserved_name(&self) -> bool {
        self.has_valid_name() && self.name[2] & 0x20 == 0
    }

    /// The name for a message.
    pub(super) fn label(&self) -> String {
        self.name.escape_ascii().to_string()
    }

    /// What is wrong with the chunk as a container, whatever it holds.
    pub(super) fn fault(&self) -> Option<Fault> {
        if !self.has_valid_name() {
            let detail = format!("a chunk is named \"{}\", which is no chunk name", self.label());
            return Some(Fault::at(FaultKind::Corrupt, self.at, detail));
        }
        if !self.has_all_data() || self.crc.is_none() {
            let end = self.data_at().saturating_add(self.data.len());
            let detail = format!("the file ends inside chunk {}, which claims {} bytes", self.label(), self.length);
            return Some(Fault::at(FaultKind::Truncated, end, detail));
        }
        if !self.crc_is_right() {
            let detail = format!("the checksum of chunk {} is wrong", self.label());
            return Some(Fault::at(FaultKind::Corrupt, self.at, detail));
        }
        None
    }
}

/// The chunks from an offset on, until the file ends.
pub(super) fn chunks_from(bytes: &[u8], at: usize) -> impl Iterator<Item = Chunk<'_>> {
    std::iter::successors(Chunk::read(bytes, at), |chunk| Chunk::read(bytes, chunk.next_at()))
}

/// A big-endian 32-bit number at `at`.
pub(super) fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk::<4>().map(|four| u32::from_be_bytes(*four))
}

/// A big-endian 16-bit number at `at`.
pub(super) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk::<2>().map(|two| u16::from_be_bytes(*two))
}

/// CRC-32 of the parts, one behind the other (PNG third edition, annex D).
pub(super) fn crc32(parts: &[&[u8]]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    for part in parts {
        crc.update(part);
    }
    crc.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_has_the_value_of_the_standard() {
        assert_eq!(crc32(&[b"123456789"]), 0xCBF4_3926);
        assert_eq!(crc32(&[b"IEND"]), 0xAE42_6082);
        assert_eq!(crc32(&[b"1234", b"56789"]), 0xCBF4_3926);
    }

    #[test]
    fn a_chunk_ends_where_the_file_does() {
        let chunk = Chunk::read(b"\0\0\0\x09IDATabc", 0).unwrap();
        assert_eq!((chunk.length, chunk.data, chunk.crc), (9, &b"abc"[..], None));
        assert_eq!(chunk.fault().unwrap().kind, FaultKind::Truncated);
        assert!(Chunk::read(b"\0\0\0\x09IDA", 0).is_none());
    }

    #[test]
    fn a_length_of_four_gigabytes_ends_the_walk() {
        assert_eq!(chunks_from(b"\xff\xff\xff\xffIDATabc", 0).count(), 1);
    }
}
