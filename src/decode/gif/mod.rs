//! GIF: every block and every frame's LZW stream by the rules of `GIF89a`, and the first frame as a picture.
//!
//! Pillow's verdict is a walk of its own, in `pillow`.

mod lzw;
mod pillow;

use std::time::Instant;

use super::reduce::{Layout, Reducer, share_of};
use super::{Limits, MAX_PIXELS, Picture, Reading, lenient, too_many_pixels};
use crate::model::{Fault, FaultKind, Size, Strict, Trailing, Verdict};
use lzw::{Bits, Lzw, Step};

/// Reads a GIF.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Reading {
    let pillow = pillow::verdict(bytes);
    let mut walk = Walk { bytes, at: 0, deadline: limits.deadline(), budget: limits.memory_bytes, first: None, trailing: None };
    let end = walk.run();
    let (first, trailing) = (walk.first, walk.trailing);
    let strict = match (end, &first) {
        (Err(fault), _) if fault.kind == FaultKind::TooManyPixels => Strict::Error(fault),
        (Err(fault), _) if fault.kind.blame() != crate::model::Blame::File => Strict::Unknown(fault),
        (Err(fault), Some(first)) if !first.pixels.is_empty() => Strict::Damaged { fault, lost: Some(first.lost()) },
        (Err(fault), _) => Strict::Error(fault),
        (Ok(()), Some(_)) => Strict::Whole,
        (Ok(()), None) => Strict::Error(Fault::at(FaultKind::BadHeader, bytes.len(), "there is no picture in the file")),
    };
    let picture = first.filter(|first| !first.pixels.is_empty()).and_then(|first| first.draw());
    Reading { pillow_lenient: lenient::forgiven(&pillow), pillow, opencv: Verdict::Unknown, strict, picture, trailing }
}

/// The first frame, and what is needed to draw it.
struct First {
    canvas: Size,
    frame: Frame,
    palette: Option<Vec<[u8; 3]>>,
    transparent: Option<u8>,
    /// Palette indices in the order in which they are stored.
    pixels: Vec<u8>,
}

/// Where a frame lies on the canvas.
#[derive(Clone, Copy)]
struct Frame {
    x: u32,
    y: u32,
    size: Size,
    interlaced: bool,
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    deadline: Instant,
    budget: u64,
    first: Option<First>,
    trailing: Option<Trailing>,
}

impl Walk<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        self.at = 6;
        let screen = Size::new(self.le16()?, self.le16()?);
        let flags = self.byte()?;
        self.at += 2;
        let global = self.palette(flags)?;
        let mut transparent = None;
        loop {
            match self.byte() {
                Ok(b'!') => self.extension(&mut transparent)?,
                Ok(b',') => self.frame(screen, global.as_deref(), transparent.take())?,
                Ok(b';') => {
                    self.note_trailing();
                    return Ok(());
                }
                // Writers that end a block twice are common, and no reader minds.
                Ok(0) => {}
                Ok(other) => {
                    return Err(Fault::at(FaultKind::Corrupt, self.at - 1, format!("byte 0x{other:02x} where a block should begin")));
                }
                Err(_) => return Err(Fault::at(FaultKind::Truncated, self.at, "the data ends without a trailer")),
            }
        }
    }

    /// An extension; a graphic control extension says which index is transparent in the next frame.
    fn extension(&mut self, transparent: &mut Option<u8>) -> Result<(), Fault> {
        let label = self.byte()?;
        loop {
            let size = usize::from(self.byte()?);
            if size == 0 {
                return Ok(());
            }
            let block = self.take(size)?;
            if label == 0xF9
                && let [flags, _, _, index, ..] = block
            {
                *transparent = (flags & 1 != 0).then_some(*index);
            }
        }
    }

    fn frame(&mut self, screen: Size, global: Option<&[[u8; 3]]>, transparent: Option<u8>) -> Result<(), Fault> {
        let start = self.at - 1;
        let (x, y) = (self.le16()?, self.le16()?);
        let size = Size::new(self.le16()?, self.le16()?);
        let flags = self.byte()?;
        let local = self.palette(flags)?;
        let minimum_size = self.byte()?;
        if size.pixels() == 0 {
            return Err(Fault::at(FaultKind::BadHeader, start, format!("a frame of {size} pixels")));
        }
        let frame = Frame { x, y, size, interlaced: flags & 0x40 != 0 };
        let canvas = Size::new(screen.width.max(x + size.width), screen.height.max(y + size.height));
        if canvas.pixels() > MAX_PIXELS {
            let reading = too_many_pixels(canvas);
            return Err(reading.strict.fault().cloned().unwrap_or_else(|| Fault::new(FaultKind::TooManyPixels, "")));
        }
        if self.first.is_some() {
            return self.stream(minimum_size, size.pixels(), None);
        }
        if size.pixels() > self.budget {
            return Err(Fault::new(FaultKind::OverBudget, format!("a frame of {size} pixels is larger than the memory budget")));
        }
        // Grown as pixels come: a few bytes may claim any size.
        let mut pixels = Vec::new();
        let result = self.stream(minimum_size, size.pixels(), Some(&mut pixels));
        pixels.truncate(usize::try_from(size.pixels()).unwrap_or(usize::MAX));
        let palette = local.or_else(|| global.map(<[[u8; 3]]>::to_vec));
        self.first = Some(First { canvas, frame, palette, transparent, pixels });
        result
    }

    /// A frame's LZW stream, to the end of its sub-blocks.
    fn stream(&mut self, minimum_size: u8, wanted: u64, mut out: Option<&mut Vec<u8>>) -> Result<(), Fault> {
        let start = self.at - 1;
        let Some(mut lzw) = Lzw::new(minimum_size) else {
            return Err(Fault::at(FaultKind::Corrupt, start, format!("an LZW code size of {minimum_size}")));
        };
        let (mut filled, mut ended) = (0_u64, false);
        let mut bits = Bits::default();
        loop {
            if Instant::now() > self.deadline {
                return Err(Fault::new(FaultKind::TimedOut, "the time limit has passed"));
            }
            let block_start = self.at;
            let size = usize::from(self.byte().map_err(|_| cut(block_start, filled, wanted))?);
            if size == 0 {
                break;
            }
            // What is there of a last block still counts.
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let block = rest.get(..size).unwrap_or(rest);
            for (index, byte) in block.iter().enumerate() {
                if ended || filled >= wanted {
                    break;
                }
                bits.add(*byte);
                while let Some(code) = bits.take(lzw.code_size()) {
                    match lzw.push(code, out.as_deref_mut()) {
                        Step::Pixels(count) => filled += u64::from(count),
                        Step::Clear => {}
                        Step::End => ended = true,
                        Step::Broken => {
                            let detail = format!("an LZW code that is not in the table, after {filled} of {wanted} pixels");
                            return Err(Fault::at(FaultKind::Corrupt, self.at + index, detail));
                        }
                    }
                    if ended || filled >= wanted {
                        break;
                    }
                }
            }
            self.at += block.len();
            if block.len() < size {
                return Err(cut(self.at, filled, wanted));
            }
        }
        if filled < wanted {
            let detail = format!("the frame's data stops after {filled} of {wanted} pixels");
            return Err(Fault::at(FaultKind::Corrupt, self.at - 1, detail));
        }
        Ok(())
    }

    fn palette(&mut self, flags: u8) -> Result<Option<Vec<[u8; 3]>>, Fault> {
        if flags & 0x80 == 0 {
            return Ok(None);
        }
        let bytes = self.take(3 << ((flags & 7) + 1))?;
        Ok(Some(bytes.as_chunks::<3>().0.to_vec()))
    }

    fn note_trailing(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if !rest.is_empty() {
            let zeros = rest.iter().all(|byte| *byte == 0);
            self.trailing = Some(Trailing { offset: self.at as u64, size_bytes: rest.len() as u64, zeros });
        }
    }

    fn take(&mut self, count: usize) -> Result<&[u8], Fault> {
        let end = self.at.saturating_add(count);
        let Some(taken) = self.bytes.get(self.at..end) else {
            return Err(Fault::at(FaultKind::Truncated, self.bytes.len(), "the data ends in a block"));
        };
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        self.take(1).map(|taken| taken.first().copied().unwrap_or_default())
    }

    fn le16(&mut self) -> Result<u32, Fault> {
        Ok(u32::from(self.byte()?) | u32::from(self.byte()?) << 8)
    }
}

fn cut(at: usize, filled: u64, wanted: u64) -> Fault {
    Fault::at(FaultKind::Truncated, at, format!("the data ends after {filled} of {wanted} pixels of a frame"))
}

impl First {
    /// Share of the frame's pixels that are missing.
    fn lost(&self) -> f32 {
        let wanted = self.frame.size.pixels().max(1);
        share_of(wanted.saturating_sub(self.pixels.len() as u64), wanted)
    }

    /// The canvas with the frame on it; what the frame leaves free has the transparent index, or else the first one, as
    /// Pillow fills it.
    fn draw(&self) -> Option<Picture> {
        let layout = if self.transparent.is_some() { Layout::Rgba } else { Layout::Rgb };
        let mut reducer = Reducer::new(self.canvas, layout)?;
        let blank = self.transparent.unwrap_or_default();
        let width = usize::try_from(self.frame.size.width).ok()?;
        let (left, canvas_width) = (usize::try_from(self.frame.x).ok()?, usize::try_from(self.canvas.width).ok()?);
        let mut row = Vec::new();
        for y in 0..self.canvas.height {
            row.clear();
            let stored = y.checked_sub(self.frame.y).filter(|y| *y < self.frame.size.height).and_then(|y| self.stored(y, width));
            let stored = stored.unwrap_or_default();
            let before = if stored.is_empty() { 0 } else { left };
            let after = canvas_width.saturating_sub(before + stored.len());
            let indices = std::iter::repeat_n(blank, before).chain(stored.iter().copied()).chain(std::iter::repeat_n(blank, after));
            for index in indices {
                row.extend(self.color(index));
                if self.transparent.is_some() {
                    row.push(if self.transparent == Some(index) { 0 } else { u8::MAX });
                }
            }
            reducer.push_row(&row);
        }
        reducer.finish()
    }

    /// Row `y` of the frame: all of it that is there.
    fn stored(&self, y: u32, width: usize) -> Option<&[u8]> {
        let position = if self.frame.interlaced { deinterlaced(y, self.frame.size.height) } else { y };
        let start = usize::try_from(position).ok()?.checked_mul(width)?;
        let rest = self.pixels.get(start..)?;
        Some(rest.get(..width).unwrap_or(rest))
    }

    fn color(&self, index: u8) -> [u8; 3] {
        match &self.palette {
            Some(palette) => palette.get(usize::from(index)).copied().unwrap_or_default(),
            None => [index; 3],
        }
    }
}

/// Where row `y` of an interlaced frame is stored (`GIF89a`, appendix E): four passes, which begin at rows 0, 4, 2 and 1.
fn deinterlaced(y: u32, height: u32) -> u32 {
    let before = |first: u32, step: u32| height.saturating_sub(first).div_ceil(step);
    match y % 8 {
        0 => y / 8,
        4 => before(0, 8) + y / 8,
        2 | 6 => before(0, 8) + before(4, 8) + y / 4,
        _ => before(0, 8) + before(4, 8) + before(2, 4) + y / 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two by two pixels in black and white, and an end.
    const SMALL: &[u8] = b"GIF89a\x02\0\x02\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x02\0\x02\0\0\x02\x03\x44\x02\x05\0;";

    #[test]
    fn a_whole_file_is_whole() {
        let reading = read(SMALL, &Limits::default());
        assert_eq!((reading.pillow, reading.strict, reading.trailing), (Verdict::Ok, Strict::Whole, None));
        assert!(reading.picture.is_some());
    }

    #[test]
    fn every_cut_is_seen() {
        for length in 6..SMALL.len() {
            let reading = read(&SMALL[..length], &Limits::default());
            assert_ne!(reading.strict, Strict::Whole, "{length}");
            let kind = reading.strict.fault().map(|fault| fault.kind);
            assert_eq!(kind, Some(FaultKind::Truncated), "{length}");
        }
        let Strict::Damaged { lost, .. } = read(&SMALL[..SMALL.len() - 1], &Limits::default()).strict else { panic!("damaged") };
        assert_eq!(lost, Some(0.0));
    }

    #[test]
    fn bytes_behind_the_trailer_are_told() {
        let reading = read(&[SMALL, b"\0\0"].concat(), &Limits::default());
        let offset = SMALL.len() as u64;
        assert_eq!(reading.trailing, Some(Trailing { offset, size_bytes: 2, zeros: true }));
    }

    #[test]
    fn a_huge_canvas_is_refused_before_memory_is_taken() {
        let mut file = SMALL.to_vec();
        file[6..10].fill(0xFF);
        let reading = read(&file, &Limits::default());
        assert_eq!(reading.pillow.refusal().map(|refusal| refusal.class.as_ref()), Some("DecompressionBombError"));
        assert_eq!(reading.strict.fault().map(|fault| fault.kind), Some(FaultKind::TooManyPixels));
    }

    #[test]
    fn a_frame_without_area_is_no_picture() {
        let mut file = SMALL.to_vec();
        file[24] = 0;
        let reading = read(&file, &Limits::default());
        assert_eq!(reading.strict.fault().map(|fault| fault.kind), Some(FaultKind::BadHeader));
    }

    #[test]
    fn interlaced_rows_find_their_place() {
        let stored: Vec<_> = (0..10).map(|y| deinterlaced(y, 10)).collect();
        // Stored order is 0 8, 4, 2 6, 1 3 5 7 9.
        assert_eq!(stored, [0, 5, 3, 6, 2, 7, 4, 8, 1, 9]);
    }
}
