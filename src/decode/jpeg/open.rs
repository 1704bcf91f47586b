//! What Pillow's own parser makes of the header, before libjpeg sees the file.
//!
//! Pillow 13, `JpegImagePlugin.py`: `_open` and the handlers of its marker table. It walks to the first scan header and is
//! stricter than libjpeg in some places and blind in others.

use super::markers::{code, u16_at};
use crate::decode::{MAX_PIXELS, bomb_message};
use crate::model::{Refusal, Stage};

/// What is known once Pillow has opened a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// It found a frame and a scan.
    Picture,
    /// It found a frame and no scan: the file opens and cannot be loaded.
    Header,
}

/// Why the parser gives up.
enum Failure {
    /// `SyntaxError`, `IndexError` or `struct.error`: Pillow tries other formats and then says that it knows none.
    Unidentified,
    /// The file ends in a segment.
    Truncated,
}

/// Opens a file as Pillow does, up to the check of its size.
pub(super) fn open(bytes: &[u8]) -> Result<Opened, Refusal> {
    let mut header = Header { bytes, at: 3, frame: None, profile: None };
    let opened = if bytes.starts_with(&[0xFF, code::SOI, 0xFF]) { header.parse() } else { Err(Failure::Unidentified) };
    let refuse = |class: &'static str, message: String| Refusal { class: class.into(), message, stage: Stage::Open };
    let unidentified = || refuse("UnidentifiedImageError", "cannot identify image file".into());
    let opened = opened.map_err(|failure| match failure {
        Failure::Unidentified => unidentified(),
        Failure::Truncated => refuse("OSError", "Truncated File Read".into()),
    })?;
    let Some((width, height)) = header.frame.filter(|&(width, height)| width > 0 && height > 0) else { return Err(unidentified()) };
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MAX_PIXELS {
        return Err(refuse("DecompressionBombError", bomb_message(pixels)));
    }
    Ok(opened)
}

struct Header<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Width and height by the last frame header.
    frame: Option<(u16, u16)>,
    /// Of the pieces of a colour profile since the last frame header, the one that sorts first.
    profile: Option<&'a [u8]>,
}

impl<'a> Header<'a> {
    fn parse(&mut self) -> Result<Opened, Failure> {
        // The parser holds the byte it looks at; the third of the file is the first of a marker.
        let mut marker = true;
        loop {
            let Some(byte) = self.next() else { return Ok(Opened::Header) };
            if !marker {
                marker = byte == 0xFF;
                continue;
            }
            match byte {
                0xFF => continue,
                0 => {}
                code::SOF0..=code::COM => {
                    self.handle(byte)?;
                    if byte == code::SOS {
                        return Ok(Opened::Picture);
                    }
                }
                _ => return Err(Failure::Unidentified),
            }
            marker = false;
        }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn handle(&mut self, marker: u8) -> Result<(), Failure> {
        match marker {
            code::JPG | code::RST0..=code::EOI | 0xF0..=0xFD => return Ok(()),
            _ => {}
        }
        let body = self.body()?;
        let valid = match marker {
            code::DHT | code::DAC | code::SOS | code::DNL | code::DRI | 0xDF | code::COM => true,
            code::DQT => quantization_is_valid(body),
            code::SOF0..=code::SOF15 | code::DHP => self.frame(body).is_some(),
            _ => self.application(marker, body),
        };
        if valid { Ok(()) } else { Err(Failure::Unidentified) }
    }

    fn body(&mut self) -> Result<&'a [u8], Failure> {
        let length = u16_at(self.bytes, self.at).ok_or(Failure::Unidentified)?;
        let start = self.at + 2;
        let end = start + usize::from(length).saturating_sub(2);
        self.at = end;
        self.bytes.get(start..end).ok_or(Failure::Truncated)
    }

    fn frame(&mut self, body: &[u8]) -> Option<()> {
        self.frame = Some((u16_at(body, 3)?, u16_at(body, 1)?));
        let (precision, layers) = (*body.first()?, *body.get(5)?);
        // The number of pieces is the 14th byte of the first one.
        let profile_is_valid = self.profile.take().is_none_or(|piece| piece.len() > 13);
        let whole_entries = (body.len() - 6).is_multiple_of(3);
        (precision == 8 && matches!(layers, 1 | 3 | 4) && profile_is_valid && whole_entries).then_some(())
    }

    fn application(&mut self, marker: u8, body: &'a [u8]) -> bool {
        match marker {
            code::APP0 if body.starts_with(b"JFIF") => body.len() >= 7,
            code::APP14 if body.starts_with(b"Adobe") => body.len() >= 7,
            code::APP13 if body.starts_with(b"Photoshop 3.0\0") => resources_are_valid(body),
            code::APP2 if body.starts_with(b"ICC_PROFILE\0") => {
                self.profile = Some(self.profile.map_or(body, |first| first.min(body)));
                true
            }
            _ => true,
        }
    }
}

fn quantization_is_valid(mut body: &[u8]) -> bool {
    while let Some((&head, rest)) = body.split_first() {
        let length = if head >> 4 == 0 { 64 } else { 128 };
        let Some(rest) = rest.get(length..) else { return false };
        body = rest;
    }
    true
}

/// Whether Pillow survives a Photoshop segment: of all that can be missing at its end, only the length byte of a name raises
/// an `IndexError`, which is not caught there.
fn resources_are_valid(body: &[u8]) -> bool {
    let mut at = 14;
    while body.get(at..).is_some_and(|rest| rest.starts_with(b"8BIM")) {
        at += 4;
        if u16_at(body, at).is_none() {
            return true;
        }
        at += 2;
        let Some(&name) = body.get(at) else { return false };
        at += 1 + usize::from(name);
        at += at & 1;
        let Some(size) = body.get(at..).and_then(<[u8]>::first_chunk::<4>).map(|size| u32::from_be_bytes(*size)) else { return true };
        at = at.saturating_add(4).saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
        at = at.saturating_add(at & 1);
    }
    true
}
