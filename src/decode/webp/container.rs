//! The RIFF container of a WebP (RFC 9649, section 2): its size, its chunks, and what lies behind it.

use crate::model::{Fault, FaultKind, Trailing};

/// One chunk, as far as the file goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'a> {
    /// Offset of its name.
    pub(super) at: usize,
    pub(super) name: [u8; 4],
    /// Length of its data as it says.
    pub(super) length: u32,
    /// The data that the file has.
    pub(super) data: &'a [u8],
}

impl<'a> Chunk<'a> {
    fn read(bytes: &'a [u8], at: usize) -> Option<Self> {
        let (head, body) = bytes.get(at..)?.split_first_chunk::<8>()?;
        let [n0, n1, n2, n3, length @ ..] = *head;
        let length = u32::from_le_bytes(length);
        let wanted = usize::try_from(length).unwrap_or(usize::MAX);
        Some(Self { at, name: [n0, n1, n2, n3], length, data: body.get(..wanted).unwrap_or(body) })
    }

    /// Offset behind the data and its padding to an even length.
    fn next_at(&self) -> usize {
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        self.at.saturating_add(8).saturating_add(length).saturating_add(length % 2)
    }

    fn is_cut(&self) -> bool {
        u32::try_from(self.data.len()).unwrap_or(u32::MAX) < self.length
    }
}

/// Whether the file begins as a WebP does.
pub(super) fn has_signature(bytes: &[u8]) -> bool {
    bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP")
}

/// Offset behind the container, as its header says.
fn end_of_riff(bytes: &[u8]) -> Option<usize> {
    let size = u32::from_le_bytes(*bytes.get(4..)?.first_chunk::<4>()?);
    let size = usize::try_from(size).ok()?;
    size.checked_add(8)?.checked_add(size % 2)
}

/// The chunks of the container, until the file ends.
pub(super) fn chunks(bytes: &[u8]) -> impl Iterator<Item = Chunk<'_>> {
    let end = end_of_riff(bytes).unwrap_or(0).min(bytes.len());
    let inside = bytes.get(..end).unwrap_or(&[]);
    std::iter::successors(Chunk::read(inside, 12), move |chunk| Chunk::read(inside, chunk.next_at()))
}

/// The first thing that is wrong with the container, whatever the picture is.
pub(super) fn fault(bytes: &[u8]) -> Option<Fault> {
    if !has_signature(bytes) {
        let is_cut = b"RIFF".starts_with(bytes.get(..4).unwrap_or(bytes)) && bytes.len() < 12;
        let kind = if is_cut { FaultKind::Truncated } else { FaultKind::NotAnImage };
        return Some(Fault::at(kind, bytes.len().min(12), "there is no RIFF header of a WebP"));
    }
    let end = end_of_riff(bytes).unwrap_or(usize::MAX);
    for chunk in chunks(bytes) {
        let name = chunk.name.escape_ascii();
        if chunk.is_cut() && end > bytes.len() {
            let detail = format!("the file ends inside chunk \"{name}\", which claims {} bytes", chunk.length);
            return Some(Fault::at(FaultKind::Truncated, bytes.len(), detail));
        }
        if chunk.is_cut() {
            let detail = format!("chunk \"{name}\" claims {} bytes, more than its container has", chunk.length);
            return Some(Fault::at(FaultKind::Corrupt, chunk.at, detail));
        }
    }
    if end > bytes.len() {
        let detail = format!("the header promises {end} bytes and the file has {}", bytes.len());
        return Some(Fault::at(FaultKind::Truncated, bytes.len(), detail));
    }
    None
}

/// Bytes behind the container.
pub(super) fn trailing(bytes: &[u8]) -> Option<Trailing> {
    let end = end_of_riff(bytes).filter(|_| has_signature(bytes))?;
    let rest = bytes.get(end..).filter(|rest| !rest.is_empty())?;
    let zeros = rest.iter().all(|byte| *byte == 0);
    Some(Trailing { offset: end as u64, size_bytes: rest.len() as u64, zeros })
}

/// Size that the first chunk claims, as Pillow 13 looks it up before it decodes (`WebPImagePlugin.py`, `_get_size`).
pub(super) fn claimed_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let le16 = |at: usize| bytes.get(at..)?.first_chunk::<2>().map(|two| u32::from(u16::from_le_bytes(*two)));
    let le24 = |at: usize| bytes.get(at..)?.first_chunk::<3>().map(|b| u32::from_le_bytes([b[0], b[1], b[2], 0]));
    match bytes.get(12..16)? {
        b"VP8 " if bytes.len() >= 30 && bytes.get(23..26)? == b"\x9d\x01\x2a" => Some((le16(26)? & 0x3FFF, le16(28)? & 0x3FFF)),
        b"VP8X" if bytes.len() >= 30 => Some((le24(24)? + 1, le24(27)? + 1)),
        b"VP8L" if bytes.get(20)? == &0x2F => {
            let bits = u32::from_le_bytes(*bytes.get(21..)?.first_chunk::<4>()?);
            Some(((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn riff(body: &[u8]) -> Vec<u8> {
        let size = u32::try_from(body.len() + 4).unwrap().to_le_bytes();
        [b"RIFF", &size[..], b"WEBP", body].concat()
    }

    #[test]
    fn chunks_are_padded_to_even_lengths() {
        let file = riff(b"EXIF\x03\0\0\0abc\0XMP \x02\0\0\0de");
        let seen: Vec<_> = chunks(&file).map(|chunk| (chunk.name, chunk.data.to_vec())).collect();
        assert_eq!(seen, [(*b"EXIF", b"abc".to_vec()), (*b"XMP ", b"de".to_vec())]);
        assert_eq!(fault(&file), None);
    }

    #[test]
    fn a_short_file_and_a_lying_chunk_are_told_apart() {
        let file = riff(b"EXIF\x04\0\0\0abcd");
        assert_eq!(fault(&file[..file.len() - 1]).unwrap().kind, FaultKind::Truncated);
        assert_eq!(fault(&riff(b"EXIF\xff\0\0\0abcd")).unwrap().kind, FaultKind::Corrupt);
        assert_eq!(fault(b"RIF").unwrap().kind, FaultKind::Truncated);
        assert_eq!(fault(b"RIFFxxxxWAVE").unwrap().kind, FaultKind::NotAnImage);
    }

    #[test]
    fn what_is_behind_the_container_is_trailing() {
        let file = [&riff(b"EXIF\x02\0\0\0ab")[..], b"\0\0"].concat();
        let trailing = trailing(&file).unwrap();
        assert_eq!((trailing.offset, trailing.size_bytes, trailing.zeros), (22, 2, true));
    }
}
