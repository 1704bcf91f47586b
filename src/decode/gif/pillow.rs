//! What Pillow 13 does with a GIF: `GifImagePlugin.py` up to the first frame, and `GifDecode.c` for its pixels.
//!
//! Pillow reads no further than the first frame when an image is opened and loaded. It is loose about blocks (any byte
//! between them is skipped, and the end of a frame's data is not looked for), so this walk shares nothing with the strict
//! one but LZW.

use super::lzw::{Bits, Lzw, Step};
use crate::decode::{MAX_PIXELS, bomb_message, unidentified};
use crate::model::Verdict;

/// Bytes that Pillow reads at a time (`ImageFile.MAXBLOCK`).
const READ: usize = 64 * 1024;

/// Open, load, convert.
pub(super) fn verdict(bytes: &[u8]) -> Verdict {
    match open(bytes) {
        Ok(frame) => load(bytes, &frame).err().unwrap_or(Verdict::Ok),
        Err(Failure::Unidentified) => unidentified(),
        Err(Failure::Bomb(pixels)) => Verdict::refuses_open("DecompressionBombError", bomb_message(pixels)),
    }
}

enum Failure {
    Unidentified,
    Bomb(u64),
}

struct Frame {
    width: u32,
    height: u32,
    bits: u8,
    data: usize,
}

/// Python's file object: reads come back short at the end.
struct File<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> File<'a> {
    fn read(&mut self, count: usize) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let read = rest.get(..count).unwrap_or(rest);
        self.at += read.len();
        read
    }

    fn byte(&mut self) -> Option<u8> {
        self.read(1).first().copied()
    }

    /// A sub-block; `None` at a terminator or the end.
    fn data(&mut self) -> Option<&'a [u8]> {
        let size = self.byte().filter(|size| *size > 0)?;
        Some(self.read(usize::from(size)))
    }

    fn skip_data(&mut self) {
        while self.data().is_some_and(|block| !block.is_empty()) {}
    }
}

fn open(bytes: &[u8]) -> Result<Frame, Failure> {
    let mut file = File { bytes, at: 0 };
    let screen = file.read(13);
    let (mut width, mut height) = (le16(screen, 6)?, le16(screen, 8)?);
    let flags = *screen.get(10).ok_or(Failure::Unidentified)?;
    if flags & 0x80 != 0 {
        screen.get(11).ok_or(Failure::Unidentified)?;
        file.read(3 << ((flags & 7) + 1));
    }
    loop {
        match file.byte().ok_or(Failure::Unidentified)? {
            b';' => return Err(Failure::Unidentified),
            b'!' => extension(&mut file)?,
            b',' => break,
            _ => {}
        }
    }
    let descriptor = file.read(9);
    let (x, y) = (le16(descriptor, 0)?, le16(descriptor, 2)?);
    let (frame_width, frame_height) = (le16(descriptor, 4)?, le16(descriptor, 6)?);
    let pixels = |width: u32, height: u32| u64::from(width.max(1)) * u64::from(height.max(1));
    if x + frame_width > width || y + frame_height > height {
        (width, height) = (width.max(x + frame_width), height.max(y + frame_height));
        if pixels(width, height) > MAX_PIXELS {
            return Err(Failure::Bomb(pixels(width, height)));
        }
    }
    let flags = *descriptor.get(8).ok_or(Failure::Unidentified)?;
    if flags & 0x80 != 0 {
        file.read(3 << ((flags & 7) + 1));
    }
    let bits = file.byte().ok_or(Failure::Unidentified)?;
    if width == 0 || height == 0 {
        return Err(Failure::Unidentified);
    }
    if pixels(width, height) > MAX_PIXELS {
        return Err(Failure::Bomb(pixels(width, height)));
    }
    Ok(Frame { width: frame_width, height: frame_height, bits, data: file.at })
}

fn extension(file: &mut File<'_>) -> Result<(), Failure> {
    let label = file.byte();
    let block = file.data();
    match (label.ok_or(Failure::Unidentified)?, block) {
        (0xF9, Some(block)) => {
            let flags = *block.first().ok_or(Failure::Unidentified)?;
            if flags & 1 != 0 {
                block.get(3).ok_or(Failure::Unidentified)?;
            }
            le16(block, 1)?;
        }
        // A comment stops at its first empty block, the others go on until the next.
        (0xFE, block) => {
            if block.is_some_and(|block| !block.is_empty()) {
                file.skip_data();
            }
            return Ok(());
        }
        (0xFF, Some(block)) if block.starts_with(b"NETSCAPE2.0") => {
            file.data();
        }
        _ => {}
    }
    file.skip_data();
    Ok(())
}

fn load(bytes: &[u8], frame: &Frame) -> Result<(), Verdict> {
    if frame.width == 0 || frame.height == 0 {
        return Err(Verdict::refuses_load("ValueError", "tile cannot extend outside image"));
    }
    let refuses = |message: String| Verdict::refuses_load("OSError", message);
    let broken = || refuses("broken data stream when reading image file".to_owned());
    let mut source = Source { bytes, at: frame.data, end: frame.data, block: 0, bits: Bits::default() };
    source.read_on().map_err(&refuses)?;
    let mut lzw = Lzw::new(frame.bits).ok_or_else(|| refuses("codec configuration error when reading image file".to_owned()))?;
    let wanted = u64::from(frame.width) * u64::from(frame.height);
    let mut filled = 0;
    while filled < wanted {
        let Some(code) = source.code(lzw.code_size()) else {
            source.read_on().map_err(&refuses)?;
            continue;
        };
        match lzw.push(code, None) {
            Step::Pixels(count) => filled += u64::from(count),
            Step::Clear => {}
            // The decoder returns, and is called again with what comes next in the file.
            Step::End => source.read_on().map_err(&refuses)?,
            Step::Broken => return Err(broken()),
        }
    }
    Ok(())
}

/// The bytes as `ImageFile.load` feeds them to the decoder.
struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    block: u8,
    bits: Bits,
}

impl Source<'_> {
    fn read_on(&mut self) -> Result<(), String> {
        if self.end >= self.bytes.len() {
            return Err(format!("image file is truncated ({} bytes not processed)", self.end - self.at.min(self.end)));
        }
        self.end = self.end.saturating_add(READ).min(self.bytes.len());
        Ok(())
    }

    /// The next code; `None` where the block that holds it has not been read in full.
    fn code(&mut self, size: u32) -> Option<u16> {
        loop {
            if let Some(code) = self.bits.take(size) {
                return Some(code);
            }
            let byte = *self.bytes.get(self.at)?;
            if self.block > 0 {
                self.block -= 1;
                self.bits.add(byte);
            } else {
                if self.at >= self.end || self.end - self.at < usize::from(byte) + 1 {
                    return None;
                }
                self.block = byte;
            }
            self.at += 1;
        }
    }
}

fn le16(bytes: &[u8], at: usize) -> Result<u32, Failure> {
    let chunk = bytes.get(at..).and_then(|rest| rest.first_chunk()).ok_or(Failure::Unidentified)?;
    Ok(u32::from(u16::from_le_bytes(*chunk)))
}
