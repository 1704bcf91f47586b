//! What Pillow 13.0.0 does with a PNG: its walk over the chunks before and behind the image data.
//!
//! The rules are those of `PngImagePlugin.py` (`PngStream`, `_open`, `load_end`), `ImageFile.py` and `Image.py`. They are
//! not the format's: checksums count before the image data and nowhere else, a chunk may be out of place, and an exception
//! may come from anywhere. The chunk handlers are in `handlers`.

use super::chunks::{Chunk, SIGNATURE, chunks_from};
use super::data::{DataEnd, FrameChunkFault, is_word};
use super::handlers::{Called, Raised, Stream};
use super::scan::{PictureEnd, Scan};
use crate::decode::{MAX_PIXELS, bomb_message};
use crate::model::Verdict;

/// What `Image.open` knows when it returns.
pub(super) struct Opened<'a> {
    /// State of the chunk stream, which `load_end` goes on with.
    pub(super) stream: Stream<'a>,
    /// The first chunk of image data; `None` where IEND came first.
    pub(super) data: Option<Chunk<'a>>,
}

impl Opened<'_> {
    /// Whether Pillow counts more than one frame.
    fn is_animated(&self) -> bool {
        // A picture of its own before the frames counts as one more.
        self.stream.frames.is_some_and(|frames| frames > 1 || self.stream.default_image)
    }
}

/// Runs `Image.open`: the chunks up to the first with image data.
pub(super) fn open(bytes: &[u8]) -> Result<Opened<'_>, Verdict> {
    let unidentified = || Verdict::refuses_open("UnidentifiedImageError", "cannot identify image file");
    if !bytes.starts_with(&SIGNATURE) {
        return Err(unidentified());
    }
    let mut stream = Stream::default();
    let mut data = None;
    let mut found = false;
    for chunk in chunks_from(bytes, SIGNATURE.len()) {
        if !is_word(&chunk.name) {
            return Err(unidentified());
        }
        match stream.call(&chunk) {
            Ok(Called::ImageData) => {
                data = Some(chunk);
                found = true;
            }
            Ok(Called::End) => found = true,
            Ok(Called::Read) if chunk.crc_is_right() => {}
            Ok(Called::Read) => return Err(unidentified()),
            Err(raised) if raised.means_another_format() => return Err(unidentified()),
            Err(Raised { class, message }) => return Err(Verdict::refuses_open(class, message)),
        }
        if found {
            break;
        }
    }
    if !found || stream.mode().is_none() || stream.width == 0 || stream.height == 0 {
        return Err(unidentified());
    }
    let pixels = u128::from(stream.width) * u128::from(stream.height);
    if pixels > u128::from(MAX_PIXELS) {
        return Err(Verdict::refuses_open("DecompressionBombError", bomb_message(pixels)));
    }
    stream.end_open();
    Ok(Opened { stream, data })
}

/// Runs `load` and `convert("RGB")` on a file that was opened; `scan` has read the image data of [`Opened::data`].
pub(super) fn load<'a>(bytes: &'a [u8], opened: &mut Opened<'a>, scan: &Scan<'a>) -> Verdict {
    if opened.stream.palette_is_too_long() {
        return Verdict::refuses_load("ValueError", "invalid palette size");
    }
    let failed = match scan.end {
        PictureEnd::TimedOut => return Verdict::Unknown,
        PictureEnd::NoData(end) => return data_end_verdict(bytes, end),
        PictureEnd::Complete if scan.breaks_in_last_slice => Some("broken data stream when reading image file"),
        PictureEnd::Complete | PictureEnd::StreamEnds => None,
        PictureEnd::BadFilter(_) => Some("unrecognized data stream contents when reading image file"),
        PictureEnd::Broken => Some("broken data stream when reading image file"),
    };
    // What follows the data is read before the decoder's answer is looked at.
    opened.stream.sequence = scan.data.sequence();
    if let Err(Raised { class, message }) = load_end(bytes, opened, scan.data.chunk()) {
        return Verdict::refuses_load(class, message);
    }
    if let Some(message) = failed {
        return Verdict::refuses_load("OSError", message);
    }
    match opened.stream.convert_to_rgb() {
        Ok(()) => Verdict::Ok,
        Err(Raised { class, message }) => Verdict::refuses_load(class, message),
    }
}

/// What `load` raises where there is no picture to load because IEND came first.
pub(super) fn nothing_to_load() -> Verdict {
    Verdict::refuses_load("OSError", "cannot load this image")
}

/// What comes of data that ends too early.
fn data_end_verdict(bytes: &[u8], end: DataEnd) -> Verdict {
    match end {
        DataEnd::AtBorder(_) => Verdict::refuses_load("OSError", "image file is truncated"),
        // The decoder takes all that it is given, so that nothing is ever left unprocessed.
        DataEnd::OtherChunk(_) | DataEnd::InsideChunk(_) => {
            Verdict::refuses_load("OSError", "image file is truncated (0 bytes not processed)")
        }
        DataEnd::BadName(at) => {
            let name_at = at.saturating_add(4).min(bytes.len());
            let name = bytes.get(name_at..bytes.len().min(name_at.saturating_add(4))).unwrap_or(&[]);
            Verdict::refuses_load("SyntaxError", format!("broken PNG file (chunk {})", python_bytes(name)))
        }
        DataEnd::BadFrameChunk { fault, .. } => {
            let Raised { class, message } = Raised::from(fault);
            Verdict::refuses_load(class, message)
        }
    }
}

/// Runs `load_end`: the chunks behind the image data, up to IEND or the next frame. Checksums are not looked at.
fn load_end<'a>(bytes: &'a [u8], opened: &mut Opened<'a>, last: &Chunk<'a>) -> Result<(), Raised> {
    let animated = opened.is_animated();
    for chunk in chunks_from(bytes, last.next_at()) {
        if !is_word(&chunk.name) || chunk.name == *b"IEND" || (animated && chunk.name == *b"fcTL") {
            break;
        }
        if opened.stream.call(&chunk)? == Called::ImageData && !chunk.has_all_data() {
            return Err(Raised::cut());
        }
    }
    Ok(())
}

impl From<FrameChunkFault> for Raised {
    fn from(fault: FrameChunkFault) -> Self {
        match fault {
            FrameChunkFault::Short => Self::new("ValueError", "APNG contains truncated fDAT chunk"),
            FrameChunkFault::Cut => Self::cut(),
            FrameChunkFault::Sequence => Self::new("SyntaxError", "APNG contains frame sequence errors"),
        }
    }
}

/// The bytes as Python prints them.
pub(super) fn python_bytes(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    let mut text = format!("b{quote}");
    for &byte in bytes {
        // Writing to a string does not fail.
        let _ = match byte {
            b'\t' => write!(text, "\\t"),
            b'\n' => write!(text, "\\n"),
            b'\r' => write!(text, "\\r"),
            b'\\' => write!(text, "\\\\"),
            b'\'' if quote == '\'' => write!(text, "\\'"),
            b' '..=b'~' => write!(text, "{}", char::from(byte)),
            _ => write!(text, "\\x{byte:02x}"),
        };
    }
    text.push(quote);
    text
}

#[cfg(test)]
mod tests {
    use super::python_bytes;

    #[test]
    fn bytes_are_spelt_as_python_does() {
        assert_eq!(python_bytes(b"\0'a\n\xe7\\"), r#"b"\x00'a\n\xe7\\""#);
        assert_eq!(python_bytes(b"'\""), r#"b'\'"'"#);
    }
}
