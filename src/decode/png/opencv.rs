//! What OpenCV 5.0.0 does with a PNG (`imdecode`, unchanged): its own walk up to the image data, then libpng 1.6.
//!
//! Learnt from `modules/imgcodecs/src/grfmt_png.cpp`, from libpng's rules, and by measuring. Frames are in `animation`.

use std::time::Instant;

use super::animation;
use super::chunks::{Chunk, SIGNATURE, be32, chunks_from};
use super::header::{Color, Header};
use super::scan::{PictureEnd, Scan, StreamTail};
use crate::model::{CRASH, Verdict};

/// Pixels above which OpenCV refuses (`OPENCV_IO_MAX_IMAGE_PIXELS`).
const MAX_PIXELS: u64 = 1 << 30;

/// Pixels of a side above which libpng refuses (`PNG_USER_WIDTH_MAX`).
const MAX_SIDE: u32 = 1_000_000;

/// Bytes of an ancillary chunk above which both refuse (`PNG_USER_CHUNK_MALLOC_MAX`).
const MAX_CHUNK: u32 = 8_000_000;

/// The verdict; `header` is the strictly read one, `scan` what its image data gave, if it was read.
pub(super) fn verdict(bytes: &[u8], header: Option<&Header>, scan: Option<&Scan<'_>>, deadline: Instant) -> Verdict {
    match examine(bytes, header, scan, deadline) {
        Ok(()) => Verdict::Ok,
        Err(Trouble::Refused(message)) => Verdict::refuses_load("error", message),
        Err(Trouble::Crash(what)) => {
            Verdict::refuses_load(CRASH, format!("SIGSEGV: {what} in the first frame of an animation behind a picture of its own"))
        }
        Err(Trouble::NotRead) => Verdict::Unknown,
    }
}

/// Why there is no picture.
pub(super) enum Trouble {
    /// OpenCV returns none.
    Refused(String),
    /// OpenCV takes its process with it.
    Crash(&'static str),
    /// Not known here.
    NotRead,
}

pub(super) fn refused<T>(message: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Refused(message.into()))
}

fn examine(bytes: &[u8], header: Option<&Header>, scan: Option<&Scan<'_>>, deadline: Instant) -> Result<(), Trouble> {
    if !bytes.starts_with(&SIGNATURE) {
        return refused("no PNG signature");
    }
    let (first, animation) = walk_to_data(bytes)?;
    let Some(header) = header else { return refused("the header is not valid") };
    if header.width > MAX_SIDE || header.height > MAX_SIDE || header.pixels() > MAX_PIXELS {
        return refused(format!("{}x{} pixels are above the limit", header.width, header.height));
    }
    let mut has_palette = false;
    for chunk in chunks_from(bytes, SIGNATURE.len()).take_while(|chunk| chunk.at != first.at) {
        let is_header = chunk.at == SIGNATURE.len();
        check_chunk(&chunk, header, is_header)?;
        if chunk.name == *b"fcTL" && !frame_is_valid(&chunk, Some(header)) {
            return refused("a frame outside the picture");
        }
        if chunk.name == *b"IEND" {
            return refused("IEND before the image data");
        }
        if chunk.name == *b"PLTE" && std::mem::replace(&mut has_palette, true) {
            return refused("a second PLTE");
        }
    }
    if header.color == Color::Palette && !has_palette {
        return refused("no PLTE before the image data");
    }
    let Some(scan) = scan.filter(|scan| scan.end != PictureEnd::TimedOut) else { return Err(Trouble::NotRead) };
    if let Some(Animation { has_frame }) = animation {
        return animation::examine(bytes, header, &first, has_frame, deadline);
    }
    match scan.end {
        PictureEnd::Complete => {}
        PictureEnd::TimedOut => return Err(Trouble::NotRead),
        PictureEnd::StreamEnds | PictureEnd::NoData(_) => return refused("not enough image data"),
        PictureEnd::BadFilter(_) => return refused("bad adaptive filter value"),
        PictureEnd::Broken => return refused("the compressed data is broken"),
    }
    match scan.tail {
        // libpng looks for the end of the stream, and takes another chunk for a want of data.
        Some(StreamTail::Missing) => return refused("not enough image data"),
        Some(StreamTail::WrongChecksum | StreamTail::Broken) if scan.breaks_in_last_slice => {
            return refused("the compressed data is broken behind the picture");
        }
        _ => {}
    }
    for chunk in chunks_from(bytes, first.at) {
        if chunk.name == *b"IDAT" {
            if !chunk.crc_is_right() {
                return refused("wrong checksum of IDAT");
            }
            continue;
        }
        check_chunk(&chunk, header, false)?;
        if chunk.name == *b"PLTE" && header.color == Color::Palette {
            return refused("PLTE behind the image data");
        }
        if chunk.name == *b"IEND" {
            return Ok(());
        }
    }
    refused("no IEND")
}

/// What acTL and fcTL say before the image data.
#[derive(Clone, Copy)]
struct Animation {
    has_frame: bool,
}

/// OpenCV's own walk (`PngDecoder::readHeader`): the first IDAT, and the animation if there is more than one frame.
fn walk_to_data(bytes: &[u8]) -> Result<(Chunk<'_>, Option<Animation>), Trouble> {
    let mut frames = 1;
    let mut has_frame = false;
    for (index, chunk) in chunks_from(bytes, SIGNATURE.len()).enumerate() {
        if !reads_chunk(&chunk) || (index == 0 && chunk.name != *b"IHDR") {
            return refused(format!("chunk {} cannot be read", chunk.label()));
        }
        match &chunk.name {
            b"IDAT" => return Ok((chunk, (frames > 1).then_some(Animation { has_frame }))),
            b"acTL" => {
                frames = be32(chunk.data, 0).unwrap_or(0);
                if frames == 0 {
                    return refused("an animation of no frames");
                }
            }
            b"fcTL" => {
                if !frame_is_valid(&chunk, None) {
                    return refused("a frame with unknown operations");
                }
                has_frame = true;
            }
            _ => {}
        }
    }
    refused("no image data")
}

/// Whether OpenCV's walk gets past the chunk (`PngDecoder::read_chunk`).
pub(super) fn reads_chunk(chunk: &Chunk<'_>) -> bool {
    let length_is_right = match &chunk.name {
        b"IHDR" => chunk.length == 13,
        b"acTL" => chunk.length == 8,
        b"fcTL" => chunk.length == 26,
        b"bKGD" => matches!(chunk.length, 1 | 2 | 6),
        b"fdAT" | b"IDAT" | b"IEND" | b"PLTE" | b"tEXt" | b"tRNS" => true,
        _ => chunk.length <= MAX_CHUNK - 12,
    };
    // A name of zeros is what its reader says when it fails.
    length_is_right && chunk.name != [0; 4] && chunk.has_all_data() && chunk.crc.is_some()
}

/// Whether an fcTL's operations exist, and its frame lies within the picture, if that is asked.
pub(super) fn frame_is_valid(chunk: &Chunk<'_>, header: Option<&Header>) -> bool {
    let operations = matches!((chunk.data.get(24), chunk.data.get(25)), (Some(0..=2), Some(0..=1)));
    let inside = header.is_none_or(|header| {
        let field = |at| u64::from(be32(chunk.data, at).unwrap_or(0));
        field(12) + field(4) <= u64::from(header.width) && field(16) + field(8) <= u64::from(header.height)
    });
    operations && inside
}

/// What libpng refuses of a chunk outside the image data.
fn check_chunk(chunk: &Chunk<'_>, header: &Header, is_header: bool) -> Result<(), Trouble> {
    let name = chunk.label();
    if !chunk.has_unreserved_name() || chunk.length > 0x7FFF_FFFF {
        return refused(format!("invalid chunk {name}"));
    }
    if !chunk.has_all_data() || chunk.crc.is_none() {
        return refused(format!("the file ends inside chunk {name}"));
    }
    if chunk.is_ancillary() {
        // A wrong checksum costs the chunk, not the picture.
        return if chunk.length > MAX_CHUNK { refused(format!("chunk {name} is too large")) } else { Ok(()) };
    }
    let known = match &chunk.name {
        b"IHDR" => is_header,
        b"PLTE" => header.color != Color::Palette || (3..=768).contains(&chunk.length) && chunk.length.is_multiple_of(3),
        b"IEND" => true,
        _ => false,
    };
    if !known {
        return refused(format!("chunk {name} is invalid or out of place"));
    }
    // IEND's checksum is read and not compared; a palette that the picture does not need counts as ancillary.
    let is_optional = chunk.name == *b"IEND" || (chunk.name == *b"PLTE" && header.color != Color::Palette);
    if !is_optional && !chunk.crc_is_right() {
        return refused(format!("wrong checksum of {name}"));
    }
    Ok(())
}
