//! Pillow 13.0.0's chunk handlers (`PngImagePlugin.py`, `PngStream.chunk_*`), as far as they can refuse a file or change
//! what is loaded.

use super::chunks::{Chunk, be32};
use super::data::next_frame_chunk;
use super::header::{Color, Header, Tables};
use crate::decode::inflate::{Extent, inflate_within};

/// Bytes that one compressed text or profile may inflate to (`MAX_TEXT_CHUNK`).
pub(super) const MAX_TEXT_CHUNK: u64 = 1 << 20;

/// Characters that all text chunks may have together (`MAX_TEXT_MEMORY`).
pub(super) const MAX_TEXT_MEMORY: u64 = 64 << 20;

/// Whether `ImageFile.LOAD_TRUNCATED_IMAGES` is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Leniency {
    /// It is not.
    #[default]
    Strict,
    /// It is.
    Lenient,
}

/// What a handler did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// Read its chunk.
    Read,
    /// Found image data.
    ImageData,
    /// Found IEND.
    End,
    /// Read past the next chunk's length, so that nobody knows here what comes next.
    Lost,
}

/// A Python exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Raised {
    pub(super) class: &'static str,
    pub(super) message: String,
}

impl Raised {
    pub(super) fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self { class, message: message.into() }
    }

    /// What `_safe_read` raises where the file ends too early.
    pub(super) fn cut() -> Self {
        Self::new("OSError", "Truncated File Read")
    }

    /// Whether `Image.open` takes the exception to mean that the file is of another format.
    pub(super) fn means_another_format(&self) -> bool {
        matches!(self.class, "SyntaxError" | "IndexError" | "TypeError" | "KeyError" | "EOFError" | "error")
    }
}

/// State of `PngStream`.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream<'a> {
    pub(super) leniency: Leniency,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Bits of a sample and what they mean; `None` before a valid IHDR.
    pixel: Option<(u8, Color)>,
    interlaced: bool,
    /// Palette and transparency.
    pub(super) tables: Tables<'a>,
    /// Frames that acTL promises.
    pub(super) frames: Option<u32>,
    /// Whether a picture stands before the frames.
    pub(super) default_image: bool,
    /// Number of the last fcTL or fdAT.
    pub(super) sequence: Option<u32>,
    /// Left, top, width and height of the frame that fcTL announced.
    region: Option<[u32; 4]>,
    text_memory: u64,
    /// Bytes of the palette that the image was opened with.
    image_palette: Option<usize>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(leniency: Leniency) -> Self {
        Self { leniency, ..Self::default() }
    }

    /// Bits of a sample and what they mean, as Pillow's mode would say.
    pub(super) fn mode(&self) -> Option<(u8, Color)> {
        self.pixel
    }

    /// The picture that Pillow decodes: the frame, if one was announced. `None` where it has no pixels.
    pub(super) fn header(&self) -> Option<Header> {
        let (depth, color) = self.pixel?;
        let [_, _, width, height] = self.region.unwrap_or([0, 0, self.width, self.height]);
        Some(Header { width, height, depth, color, interlaced: self.interlaced }).filter(|header| header.pixels() > 0)
    }

    /// Calls the handler of a chunk.
    pub(super) fn call(&mut self, chunk: &Chunk<'a>) -> Result<Called, Raised> {
        match &chunk.name {
            b"IDAT" => return self.image_data(chunk, false),
            b"fdAT" if chunk.length < 4 && self.is_lenient() => {}
            b"fdAT" => {
                self.sequence = Some(next_frame_chunk(self.sequence, chunk)?);
                return self.image_data(chunk, true);
            }
            b"IEND" => return Ok(Called::End),
            _ => {}
        }
        if !chunk.has_all_data() {
            return Err(Raised::cut());
        }
        if let Some(message) = self.too_short(chunk) {
            return if self.is_lenient() { Ok(Called::Read) } else { Err(Raised::new("ValueError", message)) };
        }
        match &chunk.name {
            b"IHDR" => {
                self.header_chunk(chunk.data)?;
            }
            b"PLTE" if self.is_palette() => self.tables.palette = Some(chunk.data),
            b"tRNS" => self.transparency(chunk),
            b"iCCP" => self.profile(chunk.data)?,
            b"tEXt" => self.text(chunk.data)?,
            b"zTXt" => self.compressed_text(chunk.data)?,
            b"iTXt" => self.international_text(chunk.data)?,
            b"acTL" => self.animation(chunk.data),
            b"fcTL" => self.frame(chunk.data)?,
            _ => {}
        }
        Ok(Called::Read)
    }

    fn is_lenient(&self) -> bool {
        self.leniency == Leniency::Lenient
    }

    /// What a handler says of a chunk that has fewer bytes than it must have, unless it is lenient.
    fn too_short(&self, chunk: &Chunk<'_>) -> Option<&'static str> {
        let (least, message) = match &chunk.name {
            b"IHDR" => (13, "Truncated IHDR chunk"),
            b"tRNS" => (self.least_transparency(), "Truncated tRNS chunk"),
            b"gAMA" => (4, "Truncated gAMA chunk"),
            b"cHRM" => (32, "Truncated cHRM chunk"),
            b"sRGB" => (1, "Truncated sRGB chunk"),
            b"pHYs" => (9, "Truncated pHYs chunk"),
            b"acTL" => (8, "APNG contains truncated acTL chunk"),
            b"fcTL" => (26, "APNG contains truncated fcTL chunk"),
            _ => return None,
        };
        (chunk.length < least).then_some(message)
    }

    fn is_palette(&self) -> bool {
        self.pixel.is_some_and(|(_, color)| color == Color::Palette)
    }

    fn header_chunk(&mut self, data: &[u8]) -> Result<(), Raised> {
        self.width = be32(data, 0).unwrap_or(0);
        self.height = be32(data, 4).unwrap_or(0);
        if let Some(&[depth, color_type, _, filter, interlace]) = data.get(8..13).and_then(<[u8]>::first_chunk::<5>) {
            if let Some(color) = Color::of(depth, color_type) {
                self.pixel = Some((depth, color));
            }
            self.interlaced |= interlace != 0;
            if filter != 0 {
                return Err(Raised::new("SyntaxError", "unknown filter category"));
            }
        }
        Ok(())
    }

    fn image_data(&mut self, chunk: &Chunk<'a>, numbered: bool) -> Result<Called, Raised> {
        if self.region.is_none() && self.frames.is_some() {
            self.default_image = true;
        }
        if self.pixel.is_some() {
            return Ok(Called::ImageData);
        }
        // The handler fails for want of a mode, and the chunk then counts as unknown and is read past. Of a numbered one
        // the number was read already, so that the checksum is looked for four bytes too late.
        match chunk.has_all_data() {
            true if numbered && self.is_lenient() => Ok(Called::Lost),
            true if numbered => Err(Raised::new("SyntaxError", "broken PNG file (bad header checksum in b'fdAT')")),
            true => Ok(Called::Read),
            false => Err(Raised::cut()),
        }
    }

    fn least_transparency(&self) -> u32 {
        match self.pixel {
            Some((_, Color::Gray)) => 2,
            Some((_, Color::Rgb)) => 6,
            _ => 0,
        }
    }

    fn transparency(&mut self, chunk: &Chunk<'a>) {
        // Not 16 bits of gray and alpha, nor RGBA: their modes are none of those that the handler knows.
        if matches!(self.pixel, Some((_, Color::Palette | Color::Gray | Color::Rgb))) {
            self.tables.transparency = Some(chunk.data);
        }
    }

    fn animation(&mut self, data: &[u8]) {
        match be32(data, 0) {
            _ if self.frames.is_some() => self.frames = None,
            Some(frames @ 1..=0x8000_0000) => self.frames = Some(frames),
            _ => {}
        }
    }

    fn frame(&mut self, data: &[u8]) -> Result<(), Raised> {
        let field = |at| be32(data, at).unwrap_or(0);
        let number = field(0);
        let expected = self.sequence.map_or(Some(0), |last| last.checked_add(1));
        if expected != Some(number) {
            return Err(Raised::new("SyntaxError", "APNG contains frame sequence errors"));
        }
        self.sequence = Some(number);
        let [width, height, left, top] = [4, 8, 12, 16].map(field);
        let fits = |start: u32, side: u32, whole: u32| u64::from(start) + u64::from(side) <= u64::from(whole);
        if !fits(left, width, self.width) || !fits(top, height, self.height) {
            return Err(Raised::new("SyntaxError", "APNG contains invalid frames"));
        }
        self.region = Some([left, top, width, height]);
        Ok(())
    }

    fn text(&mut self, data: &[u8]) -> Result<(), Raised> {
        let (key, value) = split_at_zero(data).unwrap_or((data, &[]));
        if key.is_empty() { Ok(()) } else { self.count_text(value.len() as u64) }
    }

    fn compressed_text(&mut self, data: &[u8]) -> Result<(), Raised> {
        let (key, value) = split_at_zero(data).unwrap_or((data, &[]));
        if let Some(method) = value.first().filter(|method| **method != 0) {
            return Err(Raised::new("SyntaxError", format!("Unknown compression method {method} in zTXt chunk")));
        }
        let length = self.inflated(value.get(1..).unwrap_or(&[]), |_| ())?.unwrap_or(0);
        if key.is_empty() { Ok(()) } else { self.count_text(length) }
    }

    fn international_text(&mut self, data: &[u8]) -> Result<(), Raised> {
        let Some((_, rest)) = split_at_zero(data) else { return Ok(()) };
        let Some((&[compressed, method], rest)) = rest.split_first_chunk::<2>() else { return Ok(()) };
        let Some((language, rest)) = split_at_zero(rest) else { return Ok(()) };
        let Some((key, value)) = split_at_zero(rest) else { return Ok(()) };
        if compressed != 0 && method != 0 {
            return Ok(());
        }
        let mut plain = Vec::new();
        let value = if compressed == 0 {
            value
        } else if self.inflated(value, |part| plain.extend_from_slice(part))?.is_some() {
            &plain
        } else {
            return Ok(());
        };
        let texts = [language, key, value].map(std::str::from_utf8);
        let [Ok(_), Ok(_), Ok(value)] = texts else { return Ok(()) };
        self.count_text(value.chars().count() as u64)
    }

    /// `chunk_iCCP`.
    fn profile(&self, data: &[u8]) -> Result<(), Raised> {
        // Without a zero the method is looked for at the beginning, as Python's `find` answers -1.
        let method_at = data.iter().position(|byte| *byte == 0).map_or(0, |zero| zero + 1);
        match data.get(method_at) {
            None => Err(Raised::new("IndexError", "index out of range")),
            Some(0) => self.inflated(data.get(method_at + 1..).unwrap_or(&[]), |_| ()).map(|_| ()),
            Some(method) => Err(Raised::new("SyntaxError", format!("Unknown compression method {method} in iCCP chunk"))),
        }
    }

    /// `_safe_zlib_decompress`: bytes that the data inflates to, `None` where it is broken, or too large for a lenient handler.
    fn inflated(&self, data: &[u8], take: impl FnMut(&[u8])) -> Result<Option<u64>, Raised> {
        match inflate_within(data, MAX_TEXT_CHUNK, take) {
            Extent::Bytes(length) => Ok(Some(length)),
            Extent::Broken => Ok(None),
            Extent::TooLarge if self.is_lenient() => Ok(None),
            Extent::TooLarge => Err(Raised::new("ValueError", "Decompressed data too large for PngImagePlugin.MAX_TEXT_CHUNK")),
        }
    }

    fn count_text(&mut self, characters: u64) -> Result<(), Raised> {
        self.text_memory = self.text_memory.saturating_add(characters);
        if self.text_memory > MAX_TEXT_MEMORY {
            let message = format!("Too much memory used in text chunks: {}>MAX_TEXT_MEMORY", self.text_memory);
            return Err(Raised::new("ValueError", message));
        }
        Ok(())
    }

    /// Ends the part that `Image.open` reads: the image has the palette seen so far, and gets no other.
    pub(super) fn end_open(&mut self) {
        self.image_palette = self.tables.palette.map(<[u8]>::len);
    }

    /// Whether Pillow refuses the palette for its length (`_imaging.c`, `_putpalette`: more than 256 whole colours).
    pub(super) fn palette_is_too_long(&self) -> bool {
        self.is_palette() && self.image_palette.is_some_and(|bytes| bytes / 3 > 256)
    }

    /// Whether the frame that fcTL announced has no pixels, which the decoder refuses.
    pub(super) fn frame_is_empty(&self) -> bool {
        self.region.is_some_and(|[_, _, width, height]| width == 0 || height == 0)
    }

    /// What the end of `load`, and `convert("RGB")` after it, raise of a picture that was decoded.
    pub(super) fn convert_to_rgb(&self) -> Result<(), Raised> {
        let takes_palette = matches!(self.pixel, Some((_, Color::Palette) | (2 | 4 | 8, Color::Gray) | (8, Color::GrayAlpha)));
        if self.image_palette.is_some() && !takes_palette {
            return Err(Raised::new("ValueError", "unrecognized image mode"));
        }
        if self.is_palette() && self.image_palette.is_none() && self.tables.transparency.is_some_and(is_one_entry) {
            return Err(Raised::new("AssertionError", ""));
        }
        Ok(())
    }
}

/// Whether the alphas of a palette are one transparent entry among opaque ones, which Pillow keeps as an index (the
/// regular expression `^\xff*\x00\xff*$`, whose `$` also stands before a line end).
fn is_one_entry(alphas: &[u8]) -> bool {
    let alphas = alphas.strip_suffix(b"\n").unwrap_or(alphas);
    let (before, rest) = alphas.split_at(alphas.iter().take_while(|alpha| **alpha == 255).count());
    before.len() < alphas.len() && rest.iter().enumerate().all(|(n, alpha)| *alpha == if n == 0 { 0 } else { 255 })
}

/// What stands before and behind the first zero byte.
fn split_at_zero(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let zero = data.iter().position(|byte| *byte == 0)?;
    Some((data.get(..zero)?, data.get(zero + 1..)?))
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec_zlib;

    use super::*;

    fn call(stream: &mut Stream<'static>, name: [u8; 4], data: Vec<u8>) -> Result<Called, Raised> {
        let data: &'static [u8] = Vec::leak(data);
        stream.call(&Chunk { at: 8, length: u32::try_from(data.len()).unwrap(), name, data, crc: None })
    }

    #[test]
    fn text_may_inflate_to_one_mebibyte() {
        let text = |length: usize| [b"k\0\0", &compress_to_vec_zlib(&vec![b'a'; length], 6)[..]].concat();
        assert_eq!(call(&mut Stream::default(), *b"zTXt", text(1 << 20)), Ok(Called::Read));
        let raised = call(&mut Stream::default(), *b"zTXt", text((1 << 20) + 1)).unwrap_err();
        assert_eq!(raised.message, "Decompressed data too large for PngImagePlugin.MAX_TEXT_CHUNK");
    }

    #[test]
    fn all_text_together_may_be_64_mebibytes() {
        let mut stream = Stream::default();
        let packed = [b"k\0\0", &compress_to_vec_zlib(&vec![b'a'; 1 << 20], 6)[..]].concat();
        for _ in 0..64 {
            assert_eq!(call(&mut stream, *b"zTXt", packed.clone()), Ok(Called::Read));
        }
        let raised = call(&mut stream, *b"tEXt", b"k\0a".to_vec()).unwrap_err();
        assert_eq!(raised.message, "Too much memory used in text chunks: 67108865>MAX_TEXT_MEMORY");
    }

    #[test]
    fn a_profile_without_a_name_ends_in_an_index_error() {
        assert_eq!(call(&mut Stream::default(), *b"iCCP", Vec::new()).unwrap_err().class, "IndexError");
        assert_eq!(call(&mut Stream::default(), *b"iCCP", b"x\0\0broken".to_vec()), Ok(Called::Read));
    }

    #[test]
    fn frames_are_numbered_from_zero() {
        let mut stream = Stream { width: 4, height: 4, ..Stream::default() };
        let frame = |number: u32, side: u32| {
            [number, side, 4, 0, 0].iter().flat_map(|field| field.to_be_bytes()).chain([0; 6]).collect::<Vec<u8>>()
        };
        assert_eq!(call(&mut stream, *b"fcTL", frame(1, 4)).unwrap_err().message, "APNG contains frame sequence errors");
        assert_eq!(call(&mut stream, *b"fcTL", frame(0, 4)), Ok(Called::Read));
        assert_eq!(call(&mut stream, *b"fcTL", frame(1, 5)).unwrap_err().message, "APNG contains invalid frames");
    }
}
