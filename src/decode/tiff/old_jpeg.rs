//! Old-style JPEG in TIFF (compression 6; TIFF 6.0, section 22): a stream that is whole, or its tables in tags of their own.
//!
//! Such data only comes to Pillow converted by libtiff, which forgives all that is wrong behind the header: it loads where the
//! header can be put together (`tif_ojpeg.c`, `OJPEGReadHeaderInfo` and `OJPEGWriteHeaderInfo`). Pages of more than one strip or
//! tile are left open here.

use super::directory::Page;
use super::walked::{Outcome, Walked};
use crate::decode::Limits;
use crate::decode::jpeg::Stream;
use crate::model::{Fault, FaultKind, Strict};

/// Where the parts of a stream are (the tags `JPEGInterchangeFormat` to `JPEGACTables`).
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    /// Offset of a stream with its header; 0 for none.
    pub(super) stream: u64,
    /// Its length; 0 where the file does not tell.
    pub(super) length: u64,
    /// Offsets of the quantization tables, one for each component.
    pub(super) quantization: Vec<u64>,
    /// Offsets of the Huffman tables for DC values.
    pub(super) dc: Vec<u64>,
    /// Offsets of the Huffman tables for AC values.
    pub(super) ac: Vec<u64>,
}

/// Walks the only strip or tile of a page.
pub(super) fn walk(bytes: &[u8], page: &Page<'_>, limits: &Limits) -> Walked {
    let unknown = |what: &str| Walked::unknown(Fault::new(FaultKind::NoDecoder, what));
    if page.parts != 1 || page.samples != 3 {
        return unknown("old-style JPEG in several parts is not walked");
    }
    let (at, data) = source(bytes, page);
    if data.is_empty() {
        return Walked::absent(bytes.len());
    }
    let (start, stream) = if data.first() == Some(&0xFF) {
        match header_is_taken(data, page) {
            Some(true) => (at, data.to_vec()),
            Some(false) => return Walked::broken(0, 1, at, "the header of the old-style JPEG data is malformed"),
            None => return unknown("old-style JPEG with an odd header is not walked"),
        }
    } else {
        let Some(mut stream) = header_of_tables(bytes, page) else {
            return Walked::broken(0, 1, at, "a table of the old-style JPEG data is missing");
        };
        let header = stream.len();
        stream.extend_from_slice(data);
        (at.wrapping_sub(header), stream)
    };
    let Some(mut tables) = Stream::new(None) else { return unknown("there are no tables") };
    let piece = tables.walk(&stream, limits);
    let outcome = if piece.has_scan { Outcome::Taken } else { Outcome::Refused };
    let moved = |fault: Fault| Fault { offset: fault.offset.map(|offset| offset.wrapping_add(start as u64)), ..fault };
    match piece.strict {
        Strict::Whole => Walked { outcome, ..Walked::whole() },
        Strict::Damaged { fault, lost } => Walked { outcome, fault: Some(moved(fault)), lost },
        Strict::Error(fault) => Walked { outcome, fault: Some(moved(fault)), lost: Some(1.0) },
        Strict::Unknown(fault) => Walked { outcome: Outcome::Unknown, fault: Some(fault), lost: None },
    }
}

/// The bytes that libtiff reads first, and where they begin: the stream if there is one, else the strip, to the end of the
/// file at most.
fn source<'a>(bytes: &'a [u8], page: &Page<'_>) -> (usize, &'a [u8]) {
    let sources = &page.old_jpeg;
    let stream = usize::try_from(sources.stream).ok().filter(|start| (1..bytes.len()).contains(start));
    let (start, length) = match stream {
        Some(start) => (start, if sources.length == 0 { u64::MAX } else { sources.length }),
        None => (usize::try_from(page.part(0).0).unwrap_or(usize::MAX), page.part(0).1),
    };
    let rest = bytes.get(start..).unwrap_or_default();
    (start, rest.get(..usize::try_from(length).unwrap_or(usize::MAX)).unwrap_or(rest))
}

/// Width and height of the picture that the stream holds: all rows of tiles are one picture.
fn stream_size(page: &Page<'_>) -> (u32, u32) {
    match page.tile {
        Some((width, height)) => (width, page.height.next_multiple_of(height.max(1))),
        None => (page.width, page.height),
    }
}

/// Whether libtiff takes the segments before the data; `None` where that is not known here.
fn header_is_taken(data: &[u8], page: &Page<'_>) -> Option<bool> {
    let (wide, high) = stream_size(page);
    let (mut at, mut has_frame) = (0, false);
    loop {
        if data.get(at) != Some(&0xFF) {
            // What is no marker ends the header.
            return has_frame.then_some(false);
        }
        let Some(fill) = data.get(at..)?.iter().position(|byte| *byte != 0xFF) else { return Some(false) };
        let marker = *data.get(at + fill)?;
        at += fill + 1;
        if marker == 0xD8 {
            continue;
        }
        let Some(length) = data.get(at..).and_then(<[u8]>::first_chunk::<2>).map(|pair| usize::from(u16::from_be_bytes(*pair))) else {
            return Some(false);
        };
        let Some(body) = data.get(at + 2..at + length.max(2)) else { return Some(false) };
        match marker {
            0xFE | 0xE0..=0xEF | 0xDD | 0xDB | 0xC4 if length >= 2 => {}
            0xC0 | 0xC1 if has_frame => return Some(false),
            0xC0 | 0xC1 => {
                let [8, h1, h2, w1, w2, 3, _, luma, _, _, second, _, _, third, _] = *body else { return Some(false) };
                let (height, width) = (u32::from(u16::from_be_bytes([h1, h2])), u32::from(u16::from_be_bytes([w1, w2])));
                if (height < page.height && height < high) || (width < page.width && width < wide) || width > wide {
                    return Some(false);
                }
                let is_usual = matches!(luma, 0x11 | 0x21 | 0x12 | 0x22 | 0x41 | 0x42 | 0x44) && second == 0x11 && third == 0x11;
                is_usual.then_some(())?;
                has_frame = true;
            }
            0xDA => return has_frame.then_some(true),
            _ => return Some(false),
        }
        at += length;
    }
}

/// The header that libtiff makes of tables in tags; `None` where one is missing.
fn header_of_tables(bytes: &[u8], page: &Page<'_>) -> Option<Vec<u8>> {
    let sources = &page.old_jpeg;
    let mut header = vec![0xFF, 0xD8];
    let quantization = place_tables(&sources.quantization, |number, at| {
        header.extend([0xFF, 0xDB, 0, 67, number]);
        header.extend(bytes.get(at..at.checked_add(64)?)?);
        Some(())
    })?;
    let mut huffman = |offsets: &[u64], class: u8| {
        place_tables(offsets, |number, at| {
            let counts = bytes.get(at..at.checked_add(16)?)?;
            let symbols = counts.iter().map(|count| usize::from(*count)).sum::<usize>();
            let table = bytes.get(at..at.checked_add(16 + symbols)?)?;
            header.extend([0xFF, 0xC4]);
            header.extend(u16::try_from(19 + symbols).ok()?.to_be_bytes());
            header.push(class << 4 | number);
            header.extend(table);
            Some(())
        })
    };
    let (dc, ac) = (huffman(&sources.dc, 0)?, huffman(&sources.ac, 1)?);
    let (width, height) = stream_size(page);
    let (across, down) = page.subsampling;
    let luma = u8::try_from(across << 4 | down).ok()?;
    header.extend([0xFF, 0xC0, 0, 17, 8]);
    header.extend(u16::try_from(height).ok()?.to_be_bytes());
    header.extend(u16::try_from(width).ok()?.to_be_bytes());
    header.extend([3, 0, luma, quantization[0], 1, 0x11, quantization[1], 2, 0x11, quantization[2]]);
    header.extend([0xFF, 0xDA, 0, 12, 3, 0, dc[0] << 4 | ac[0], 1, dc[1] << 4 | ac[1], 2, dc[2] << 4 | ac[2], 0, 63, 0]);
    Some(header)
}

/// Has a table for each of three components written; the number of each component's table. A component without an offset of
/// its own has the table of the one before.
fn place_tables(offsets: &[u64], mut write: impl FnMut(u8, usize) -> Option<()>) -> Option<[u8; 3]> {
    let mut numbers = [0; 3];
    let mut before = None;
    for (component, number) in (0_u8..).zip(&mut numbers) {
        let offset = offsets.get(usize::from(component)).copied().filter(|offset| *offset != 0);
        *number = match (offset, before) {
            (Some(offset), before) if before.is_none_or(|(last, _)| last != offset) => {
                write(component, usize::try_from(offset).ok()?)?;
                component
            }
            (_, Some((_, number))) => number,
            (_, None) => return None,
        };
        before = offset.map(|offset| (offset, *number)).or(before);
    }
    Some(numbers)
}
