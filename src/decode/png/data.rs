//! The compressed image data of one frame, cut into the slices that Pillow would feed to its decoder.
//!
//! Errors of the decompressor come at slices, and what comes behind the picture in the same slice counts for Pillow where
//! the same in a later one does not, so the slices have to be Pillow's (13.0.0, `PngImagePlugin.py` `load_read`, and
//! `ImageFile.py` `MAXBLOCK`).

use super::chunks::{Chunk, be32};

/// Bytes that Pillow asks for at a time.
const SLICE: usize = 65_536;

/// Why there is no more image data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataEnd {
    /// Another chunk follows, at this offset.
    OtherChunk(usize),
    /// What follows, at this offset, has no name that Pillow takes for one.
    BadName(usize),
    /// The file ends at this offset: in a chunk's last slice, at its border, or in the first four bytes of the next.
    AtBorder(usize),
    /// The file ends at this offset, with more than a slice of the chunk to come.
    InsideChunk(usize),
    /// An fdAT chunk, at this offset, is too short for its number, which `missing` says, or has the wrong number.
    BadFrameChunk { at: usize, fault: FrameChunkFault },
}

/// What is wrong with an fdAT chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameChunkFault {
    /// It claims fewer than four bytes.
    Short,
    /// The file ends before its number does.
    Cut,
    /// Its number does not follow the last.
    Sequence,
}

/// Image data being read.
#[derive(Clone, Debug)]
pub(super) struct ImageData<'a> {
    bytes: &'a [u8],
    chunk: Chunk<'a>,
    /// Data of the chunk not yet given.
    rest: &'a [u8],
    /// Bytes of the chunk not yet given, as it claims.
    left: usize,
    /// Number of the last fcTL or fdAT.
    sequence: Option<u32>,
}

impl<'a> ImageData<'a> {
    /// The data that begins with `first`, an IDAT, or an fdAT whose number was seen to be right and is in `sequence`.
    pub(super) fn new(bytes: &'a [u8], first: Chunk<'a>, sequence: Option<u32>) -> Self {
        let mut data = Self { bytes, chunk: first, rest: &[], left: 0, sequence };
        data.enter(first);
        data
    }

    /// The next slice, never empty, and its offset.
    pub(super) fn next_slice(&mut self) -> Result<(&'a [u8], usize), DataEnd> {
        while self.left == 0 {
            self.enter_next()?;
        }
        let wanted = self.left.min(SLICE);
        let (slice, rest) = self.rest.split_at(wanted.min(self.rest.len()));
        let at = self.bytes.len().min(self.chunk.next_at().saturating_sub(4)).saturating_sub(self.rest.len());
        self.left -= wanted;
        self.rest = rest;
        if slice.is_empty() { Err(DataEnd::InsideChunk(self.bytes.len())) } else { Ok((slice, at)) }
    }

    /// The chunk that the last slice came from.
    pub(super) fn chunk(&self) -> &Chunk<'a> {
        &self.chunk
    }

    /// Number of the last fcTL or fdAT.
    pub(super) fn sequence(&self) -> Option<u32> {
        self.sequence
    }

    fn enter(&mut self, chunk: Chunk<'a>) {
        let skipped = if chunk.name == *b"fdAT" { 4 } else { 0 };
        self.rest = chunk.data.get(skipped..).unwrap_or(&[]);
        self.left = usize::try_from(chunk.length).unwrap_or(usize::MAX).saturating_sub(skipped);
        self.chunk = chunk;
    }

    fn enter_next(&mut self) -> Result<(), DataEnd> {
        let at = self.chunk.next_at();
        let Some(chunk) = Chunk::read(self.bytes, at) else {
            // Four bytes make a length, and Pillow looks at the name, short as it is, next.
            let has_length = self.bytes.len() >= at.saturating_add(4);
            return Err(if has_length { DataEnd::BadName(at) } else { DataEnd::AtBorder(self.bytes.len()) });
        };
        match &chunk.name {
            b"IDAT" | b"DDAT" => {}
            b"fdAT" => self.check_frame_chunk(&chunk).map_err(|fault| DataEnd::BadFrameChunk { at, fault })?,
            name if is_word(name) => return Err(DataEnd::OtherChunk(at)),
            _ => return Err(DataEnd::BadName(at)),
        }
        self.enter(chunk);
        Ok(())
    }

    fn check_frame_chunk(&mut self, chunk: &Chunk<'_>) -> Result<(), FrameChunkFault> {
        self.sequence = Some(next_frame_chunk(self.sequence, chunk)?);
        Ok(())
    }
}

/// The number of an fdAT chunk, which must follow the last number.
pub(super) fn next_frame_chunk(last: Option<u32>, chunk: &Chunk<'_>) -> Result<u32, FrameChunkFault> {
    if chunk.length < 4 {
        return Err(FrameChunkFault::Short);
    }
    let number = be32(chunk.data, 0).ok_or(FrameChunkFault::Cut)?;
    if last.is_some() && last == number.checked_sub(1) { Ok(number) } else { Err(FrameChunkFault::Sequence) }
}

/// Whether Pillow takes the four bytes for a chunk's name (`is_cid`: the regular expression `\w` four times, on bytes).
pub(super) fn is_word(name: &[u8]) -> bool {
    name.len() == 4 && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(name: [u8; 4], data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap();
        [&length.to_be_bytes()[..], &name, data, &[0; 4]].concat()
    }

    fn slices(bytes: &[u8]) -> (Vec<(usize, usize)>, DataEnd) {
        let mut data = ImageData::new(bytes, Chunk::read(bytes, 0).unwrap(), None);
        let mut seen = Vec::new();
        loop {
            match data.next_slice() {
                Ok((slice, at)) => seen.push((at, slice.len())),
                Err(end) => return (seen, end),
            }
        }
    }

    #[test]
    fn slices_stop_at_chunks_and_at_64_kib() {
        let file = [chunk(*b"IDAT", &vec![1; 70_000]), chunk(*b"IDAT", &[]), chunk(*b"IDAT", &[2; 5]), chunk(*b"IEND", &[])].concat();
        let third = 70_012 + 12;
        let (seen, end) = slices(&file);
        assert_eq!(seen, [(8, 65_536), (65_544, 4_464), (third + 8, 5)]);
        assert_eq!(end, DataEnd::OtherChunk(third + 17));
    }

    #[test]
    fn the_ends_of_the_file_are_told_apart() {
        let file = chunk(*b"IDAT", &[1; 10]);
        assert_eq!(slices(&file[..12]).1, DataEnd::AtBorder(12));
        let long = chunk(*b"IDAT", &vec![1; 140_000]);
        assert_eq!(slices(&long[..8 + 65_536]).1, DataEnd::InsideChunk(8 + 65_536));
        assert_eq!(slices(&file[..20]).1, DataEnd::AtBorder(20));
        assert_eq!(slices(&[&file[..], &[0, 0, 0]].concat()).1, DataEnd::AtBorder(25));
        assert_eq!(slices(&[&file[..], &[0, 0, 0, 0, b'I']].concat()).1, DataEnd::BadName(22));
        assert_eq!(slices(&[&file[..], b"\0\0\0\0ab\x01d"].concat()).1, DataEnd::BadName(22));
    }
}
