//! Reading a PNG by the format's own rules: the first thing that is wrong, and what share of the picture it costs.

use super::chunks::{Chunk, SIGNATURE, chunks_from};
use super::data::DataEnd;
use super::handlers::{MAX_TEXT_CHUNK, MAX_TEXT_MEMORY};
use super::header::{Color, Header, Tables};
use super::scan::{PictureEnd, Scan, StreamTail};
use crate::model::{Fault, FaultKind, Refusal, Strict, Trailing};

/// The chunks before the image data, read by the format's rules.
pub(super) struct Opening<'a> {
    /// IHDR, or why there is none.
    pub(super) header: Result<Header, Fault>,
    /// PLTE and tRNS.
    pub(super) tables: Tables<'a>,
    /// The first IDAT.
    pub(super) data: Option<Chunk<'a>>,
}

/// Reads up to the first IDAT.
pub(super) fn open(bytes: &[u8]) -> Opening<'_> {
    let mut tables = Tables::default();
    let mut header = Err(Fault::at(FaultKind::Truncated, bytes.len(), "the file ends before IHDR"));
    let mut data = None;
    for (index, chunk) in chunks_from(bytes, SIGNATURE.len()).enumerate() {
        if index == 0 {
            header = Header::parse(&chunk);
        }
        if chunk.name == *b"IDAT" {
            data = Some(chunk);
            break;
        }
        tables.take(&chunk);
    }
    if !bytes.starts_with(&SIGNATURE) {
        header = Err(signature_fault(bytes));
    }
    Opening { header, tables, data }
}

/// What is wrong with the first eight bytes.
fn signature_fault(bytes: &[u8]) -> Fault {
    if SIGNATURE.starts_with(bytes) {
        return Fault::at(FaultKind::Truncated, bytes.len(), "the file ends inside the signature");
    }
    if bytes.starts_with(b"\x89PNG\n") || bytes.starts_with(b"\x89PNG\r\r\n") {
        let detail = "the signature's line end was rewritten: the file went through a text conversion";
        return Fault::at(FaultKind::Corrupt, 4, detail);
    }
    Fault::at(FaultKind::NotAnImage, 0, "there is no PNG signature")
}

/// The verdict on a file whose header is good and whose image data was read.
pub(super) fn verdict(bytes: &[u8], opening: &Opening<'_>, header: &Header, scan: Option<&Scan<'_>>, raised: Option<&Refusal>) -> Strict {
    let Some(scan) = scan else {
        let container = walk_faults(bytes).next();
        let missing = Fault::at(FaultKind::Truncated, bytes.len(), "the file has no image data");
        return Strict::Error(container.unwrap_or(missing));
    };
    if let Some(fault) = picture_fault(bytes, header, scan) {
        if fault.kind == FaultKind::TimedOut {
            return Strict::Unknown(fault);
        }
        return Strict::Damaged { fault, lost: Some(scan.lost) };
    }
    let palette = (header.color == Color::Palette && opening.tables.palette.is_none())
        .then(|| Fault::at(FaultKind::BadHeader, scan.data.chunk().at, "a picture with a palette has no PLTE before its data"));
    let metadata = raised.filter(|raised| raised.class == "ValueError" && is_too_large(raised)).map(metadata_fault);
    let fault = palette.or(metadata).or_else(|| walk_faults(bytes).next()).or_else(|| tail_fault(scan));
    fault.map_or(Strict::Whole, |fault| Strict::Damaged { fault, lost: Some(0.0) })
}

fn is_too_large(raised: &Refusal) -> bool {
    raised.message.contains("MAX_TEXT")
}

fn metadata_fault(raised: &Refusal) -> Fault {
    let detail = if raised.message.contains("MAX_TEXT_MEMORY") {
        format!("the text chunks hold more than {MAX_TEXT_MEMORY} characters together")
    } else {
        format!("a compressed text or profile inflates to more than {MAX_TEXT_CHUNK} bytes")
    };
    Fault::new(FaultKind::MetadataTooLarge, detail)
}

/// What keeps rows of the picture away.
fn picture_fault(bytes: &[u8], header: &Header, scan: &Scan<'_>) -> Option<Fault> {
    let place = format!("in row {} of {}", scan.row, header.height);
    let fault = match scan.end {
        PictureEnd::Complete => return None,
        PictureEnd::TimedOut => Fault::at(FaultKind::TimedOut, scan.end_at, format!("the time limit was reached {place}")),
        PictureEnd::StreamEnds => Fault::at(FaultKind::Truncated, scan.end_at, format!("the compressed stream ends {place}")),
        PictureEnd::BadFilter(bad) => {
            let detail = format!("row {} of {} has filter {} where 0 to 4 exist", bad.y, header.height, bad.value);
            Fault::at(FaultKind::Corrupt, scan.end_at, detail)
        }
        PictureEnd::Broken => Fault::at(FaultKind::Corrupt, scan.end_at, format!("the compressed data is broken {place}")),
        PictureEnd::NoData(end) => match end {
            DataEnd::AtBorder(at) | DataEnd::InsideChunk(at) => Fault::at(FaultKind::Truncated, at, format!("the file ends {place}")),
            DataEnd::OtherChunk(at) => Fault::at(FaultKind::Truncated, at, format!("the image data ends {place}")),
            DataEnd::BadName(at) => Fault::at(FaultKind::Corrupt, at, format!("something that is no chunk follows the image data {place}")),
            DataEnd::BadFrameChunk { at, .. } => Fault::at(FaultKind::Corrupt, at, format!("a frame's data follows out of order {place}")),
        },
    };
    // A wrong checksum of the data before this place, or a file rewritten as text, is the cause; this is the consequence.
    let cause = walk_faults(bytes).next().filter(|cause| cause.kind == FaultKind::Corrupt);
    let is_earlier = |cause: &Fault| cause.offset < fault.offset && !matches!(scan.end, PictureEnd::BadFilter(_));
    Some(cause.filter(is_earlier).filter(|_| fault.kind != FaultKind::TimedOut).unwrap_or(fault))
}

/// What is wrong with the compressed stream behind a picture that is all there.
fn tail_fault(scan: &Scan<'_>) -> Option<Fault> {
    let (kind, detail) = match scan.tail? {
        StreamTail::Whole => return None,
        StreamTail::WrongChecksum => (FaultKind::Corrupt, "the checksum of the image data is wrong"),
        StreamTail::Broken => (FaultKind::Corrupt, "the compressed data is broken behind the last row"),
        StreamTail::Excess => (FaultKind::Corrupt, "the compressed data goes on behind the last row"),
        StreamTail::Missing => (FaultKind::Truncated, "the compressed stream has no end"),
    };
    Some(Fault::at(kind, scan.end_at, detail))
}

/// What is wrong with chunks, in the order of the file, as far as IEND.
fn walk_faults(bytes: &[u8]) -> impl Iterator<Item = Fault> + '_ {
    let mut at = SIGNATURE.len();
    let mut over = false;
    std::iter::from_fn(move || {
        while !over {
            let Some(chunk) = Chunk::read(bytes, at) else {
                over = true;
                return Some(Fault::at(FaultKind::Truncated, bytes.len(), "the file ends without IEND"));
            };
            at = chunk.next_at();
            over = chunk.name == *b"IEND";
            if let Some(fault) = chunk.fault() {
                // Behind a name that is none there is nothing that could be told apart.
                over |= !chunk.has_valid_name() || fault.kind == FaultKind::Truncated;
                return Some(fault);
            }
        }
        None
    })
}

/// Bytes behind IEND.
pub(super) fn trailing(bytes: &[u8]) -> Option<Trailing> {
    let end = chunks_from(bytes, SIGNATURE.len()).take_while(Chunk::has_valid_name).find(|chunk| chunk.name == *b"IEND")?;
    let rest = bytes.get(end.next_at()..).filter(|rest| !rest.is_empty())?;
    let zeros = rest.iter().all(|byte| *byte == 0);
    Some(Trailing { offset: end.next_at() as u64, size_bytes: rest.len() as u64, zeros })
}
