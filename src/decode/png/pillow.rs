//! What Pillow 13.0.0 does with a PNG: its walk over the chunks before and behind the image data.
//!
//! The rules are those of `PngImagePlugin.py` (`PngStream`, `_open`, `load_end`), `ImageFile.py` and `Image.py`. They are
//! not the format's: checksums count before the image data and nowhere else, a chunk may be out of place, and an exception
//! may come from anywhere. With `LOAD_TRUNCATED_IMAGES` checksums of ancillary chunks do not count, any four bytes are a
//! chunk's name, and what the decoder says of the data is not looked at; what follows the data can still raise, and even does where
//! the strict walk would have ended at a name. The chunk handlers are in `handlers`.

use super::chunks::{Chunk, SIGNATURE, be32, chunks_from};
use super::data::{DataEnd, FrameChunkFault, is_word};
use super::handlers::{Called, Leniency, Raised, Stream};
use super::header::Header;
use super::scan::{PictureEnd, Scan};
use crate::decode::lenient::NOTHING_TO_LOAD;
use crate::decode::{MAX_PIXELS, bomb_message};
use crate::model::Verdict;

/// What `Image.open` knows when it returns.
#[derive(Clone)]
pub(super) struct Opened<'a> {
    /// State of the chunk stream, which `load_end` goes on with.
    pub(super) stream: Stream<'a>,
    /// The first chunk of image data; `None` where IEND came first.
    pub(super) data: Option<Chunk<'a>>,
}

impl Opened<'_> {
    /// The same as it would be with `LOAD_TRUNCATED_IMAGES`.
    pub(super) fn made_lenient(mut self) -> Self {
        self.stream.leniency = Leniency::Lenient;
        self
    }

    fn is_lenient(&self) -> bool {
        self.stream.leniency == Leniency::Lenient
    }

    /// Whether it is the picture of this header in the data that begins with this chunk.
    pub(super) fn is_of(&self, header: &Header, first: Option<&Chunk<'_>>) -> bool {
        let at = |chunk: &Chunk<'_>| chunk.at;
        self.data.is_some() && self.stream.header() == Some(*header) && self.data.as_ref().map(at) == first.map(at)
    }

    /// Whether Pillow counts more than one frame.
    fn is_animated(&self) -> bool {
        // A picture of its own before the frames counts as one more.
        self.stream.frames.is_some_and(|frames| frames > 1 || self.stream.default_image)
    }
}

/// Runs `Image.open`: the chunks up to the first with image data.
pub(super) fn open(bytes: &[u8], leniency: Leniency) -> Result<Opened<'_>, Verdict> {
    let is_lenient = leniency == Leniency::Lenient;
    let unidentified = || Verdict::refuses_open("UnidentifiedImageError", "cannot identify image file");
    if !bytes.starts_with(&SIGNATURE) {
        return Err(unidentified());
    }
    let mut stream = Stream::new(leniency);
    let mut data = None;
    let mut found = false;
    let mut next_at = SIGNATURE.len();
    for chunk in chunks_from(bytes, SIGNATURE.len()) {
        next_at = chunk.next_at();
        if !is_word(&chunk.name) && !is_lenient {
            return Err(unidentified());
        }
        if let Some(Raised { class, message }) = not_ascii(&chunk.name) {
            return Err(Verdict::refuses_open(class, message));
        }
        match stream.call(&chunk) {
            Ok(Called::ImageData) => {
                data = Some(chunk);
                found = true;
            }
            Ok(Called::End) => found = true,
            Ok(Called::Read) if (is_lenient && chunk.is_ancillary()) || chunk.crc_is_right() => {}
            Ok(Called::Lost) => return Err(Verdict::Unknown),
            Ok(Called::Read) => return Err(unidentified()),
            Err(raised) if raised.means_another_format() => return Err(unidentified()),
            Err(Raised { class, message }) => return Err(Verdict::refuses_open(class, message)),
        }
        if found {
            break;
        }
    }
    if !found
        && is_lenient
        && let Some(head) = ShortHead::read(bytes, next_at)
        && let Err(Raised { class, message }) = head.call()
    {
        return Err(Verdict::refuses_open(class, message));
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
        PictureEnd::NoData(end) if opened.is_lenient() => {
            if let Err(Raised { class, message }) = data_end_forgiven(bytes, end) {
                return Verdict::refuses_load(class, message);
            }
            None
        }
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
    if let Some(message) = failed.filter(|_| !opened.is_lenient()) {
        return Verdict::refuses_load("OSError", message);
    }
    match opened.stream.convert_to_rgb() {
        Ok(()) => Verdict::Ok,
        Err(Raised { class, message }) => Verdict::refuses_load(class, message),
    }
}

/// What `load` raises where there is no picture to load because IEND came first.
pub(super) fn nothing_to_load() -> Verdict {
    Verdict::refuses_load("OSError", NOTHING_TO_LOAD)
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

/// What a lenient load raises all the same of data that ends too early: what the handler of a frame's chunk raises.
fn data_end_forgiven(bytes: &[u8], end: DataEnd) -> Result<(), Raised> {
    match end {
        // The handler reads it past, and then the decoder is given all the rest of the file.
        DataEnd::BadFrameChunk { at, fault: FrameChunkFault::Short } => {
            let is_whole = Chunk::read(bytes, at).is_some_and(|chunk| chunk.has_all_data());
            if is_whole { Ok(()) } else { Err(Raised::cut()) }
        }
        DataEnd::BadFrameChunk { fault, .. } => Err(Raised::from(fault)),
        DataEnd::OtherChunk(_) | DataEnd::BadName(_) | DataEnd::AtBorder(_) | DataEnd::InsideChunk(_) => Ok(()),
    }
}

/// Runs `load_end`: the chunks behind the image data, up to IEND or the next frame. Checksums are not looked at.
fn load_end<'a>(bytes: &'a [u8], opened: &mut Opened<'a>, last: &Chunk<'a>) -> Result<(), Raised> {
    let (animated, is_lenient) = (opened.is_animated(), opened.is_lenient());
    let mut next_at = last.next_at();
    for chunk in chunks_from(bytes, next_at) {
        next_at = chunk.next_at();
        let is_name = if is_lenient { chunk.name.is_ascii() } else { is_word(&chunk.name) };
        if !is_name || chunk.name == *b"IEND" || (animated && chunk.name == *b"fcTL") {
            return Ok(());
        }
        if opened.stream.call(&chunk)? == Called::ImageData && !chunk.has_all_data() {
            return if is_lenient { Ok(()) } else { Err(Raised::cut()) };
        }
    }
    match ShortHead::read(bytes, next_at) {
        Some(head) if is_lenient && head.name.is_ascii() => head.call(),
        _ => Ok(()),
    }
}

/// The last bytes of a file, where they hold a chunk's length and not its whole name; a lenient walk takes that for a name.
struct ShortHead<'a> {
    length: u32,
    name: &'a [u8],
}

impl<'a> ShortHead<'a> {
    fn read(bytes: &'a [u8], at: usize) -> Option<Self> {
        let name = bytes.get(at.checked_add(4)?..).filter(|name| name.len() < 4)?;
        Some(Self { length: be32(bytes, at)?, name })
    }

    /// What comes of calling its handler, which there is none of, and then reading its data.
    fn call(&self) -> Result<(), Raised> {
        match not_ascii(self.name) {
            Some(raised) => Err(raised),
            None if self.length > 0 => Err(Raised::cut()),
            None => Ok(()),
        }
    }
}

/// What Python raises when a name that is not ASCII is made into the name of a handler.
fn not_ascii(name: &[u8]) -> Option<Raised> {
    let (position, byte) = name.iter().enumerate().find(|(_, byte)| !byte.is_ascii())?;
    let message = format!("'ascii' codec can't decode byte 0x{byte:02x} in position {position}: ordinal not in range(128)");
    Some(Raised::new("UnicodeDecodeError", message))
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
