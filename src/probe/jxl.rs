//! JPEG XL headers: the size and the first fields of the image metadata (ISO/IEC 18181-1, annexes B and D; boxes:
//! 18181-2). Stock Pillow 13 does not read the format, so that there is no mode.

use std::borrow::Cow;

use super::boxes::boxes;
use super::cursor::u8_at;
use super::exif::Metadata;
use super::header::{bad, cut, plain, sized};
use crate::model::{Fault, Format, Orientation, Probe, Size};

/// Most bytes of the codestream that are read.
const MAX_HEADER: usize = 256;

/// Reads the header of a JPEG XL, bare or boxed.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    if bytes.starts_with(&[0xFF, 0x0A]) {
        return codestream(bytes, bytes);
    }
    let (mut stream, mut metadata) = (Vec::new(), Metadata::default());
    for found in boxes(bytes) {
        // A partial codestream box begins with its number.
        let part = match &found.kind {
            b"jxlc" => found.data,
            b"jxlp" => found.data.get(4..).unwrap_or_default(),
            b"Exif" => {
                // The block begins behind a 32-bit offset.
                metadata.exif = found.data.get(4..).map(Cow::Borrowed);
                continue;
            }
            _ => continue,
        };
        if stream.len() < MAX_HEADER {
            stream.extend(part.iter().take(MAX_HEADER));
        }
    }
    if !stream.starts_with(&[0xFF, 0x0A]) {
        return Err(if stream.len() < 2 { cut(bytes, Format::JpegXl) } else { bad(12, "the JPEG XL's codestream lacks its signature") });
    }
    let mut probe = codestream(bytes, &stream)?;
    // Decoders go by the codestream's orientation; that of EXIF is for other programs.
    let orientation = probe.orientation;
    metadata.describe(&mut probe);
    probe.orientation = orientation;
    if probe.variant.is_empty() {
        probe.variant = "boxed";
    }
    Ok(probe)
}

fn codestream(bytes: &[u8], stream: &[u8]) -> Result<Probe, Fault> {
    let mut bits = Bits { bytes: stream, at: 16 };
    let (width, height) = bits.size().ok_or_else(|| cut(bytes, Format::JpegXl))?;
    let mut probe = plain(Format::JpegXl, None, 0, sized(2, width, height)?);
    // What comes behind the size is worth having, not worth failing for.
    if let Some(about) = bits.about() {
        (probe.orientation, probe.bit_depth, probe.transparency) = (about.orientation, about.bit_depth, about.alpha);
        probe.variant = if about.animated { "animated" } else { "" };
    }
    Ok(probe)
}

/// The first fields of `ImageMetadata`.
struct About {
    orientation: Option<Orientation>,
    bit_depth: u8,
    animated: bool,
    alpha: bool,
}

/// Bits from the lowest of each byte on.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: u32) -> Option<u32> {
        (0..count).try_fold(0, |number, index| {
            let byte = u8_at(self.bytes, self.at / 8)?;
            let bit = u32::from(byte >> (self.at % 8) & 1);
            self.at += 1;
            Some(number | bit << index)
        })
    }

    fn flag(&mut self) -> Option<bool> {
        self.take(1).map(|bit| bit == 1)
    }

    /// `U32`: two bits choose a constant and a number of bits to add to it.
    fn choice(&mut self, choices: [(u32, u32); 4]) -> Option<u32> {
        let (constant, count) = *choices.get(usize::try_from(self.take(2)?).ok()?)?;
        self.take(count)?.checked_add(constant)
    }

    /// `SizeHeader`: width and height.
    fn size(&mut self) -> Option<(u64, u64)> {
        let small = self.flag()?;
        let side = |bits: &mut Self| {
            Some(u64::from(if small { (bits.take(5)? + 1) * 8 } else { bits.choice([(1, 9), (1, 13), (1, 18), (1, 30)])? }))
        };
        let height = side(self)?;
        let width = match self.take(3)? {
            1 => height,
            2 => height * 12 / 10,
            3 => height * 4 / 3,
            4 => height * 3 / 2,
            5 => height * 16 / 9,
            6 => height * 5 / 4,
            7 => height * 2,
            _ => side(self)?,
        };
        Some((width, height))
    }

    fn about(&mut self) -> Option<About> {
        let mut about = About { orientation: None, bit_depth: 8, animated: false, alpha: false };
        if self.flag()? {
            return Some(about);
        }
        if self.flag()? {
            about.orientation = Orientation::new(self.take(3)? + 1);
            if self.flag()? {
                self.size()?;
            }
            if self.flag()? {
                self.preview()?;
            }
            about.animated = self.flag()?;
            if about.animated {
                self.choice([(100, 0), (1000, 0), (1, 10), (1, 30)])?;
                self.choice([(1, 0), (1001, 0), (1, 8), (1, 10)])?;
                self.choice([(0, 0), (0, 3), (0, 16), (0, 32)])?;
                self.flag()?;
            }
        }
        about.bit_depth = self.bit_depth()?;
        self.flag()?;
        if self.choice([(0, 0), (1, 0), (2, 4), (1, 12)])? > 0 {
            // The first extra channel: all defaults means 8-bit alpha, else the type comes first, where 0 is alpha.
            about.alpha = self.flag()? || self.choice([(0, 0), (1, 0), (2, 4), (18, 6)])? == 0;
        }
        Some(about)
    }

    fn bit_depth(&mut self) -> Option<u8> {
        let float = self.flag()?;
        let depth = self.choice(if float { [(32, 0), (16, 0), (24, 0), (1, 6)] } else { [(8, 0), (10, 0), (12, 0), (1, 6)] })?;
        if float {
            self.take(4)?;
        }
        u8::try_from(depth).ok()
    }

    /// `PreviewHeader`, which is read only to get behind it.
    fn preview(&mut self) -> Option<Size> {
        let eighths = self.flag()?;
        let side = |bits: &mut Self| {
            if eighths { bits.choice([(16, 0), (32, 0), (1, 5), (33, 9)]) } else { bits.choice([(1, 6), (65, 8), (321, 10), (1345, 12)]) }
        };
        let height = side(self)?;
        let width = if self.take(3)? == 0 { side(self)? } else { height };
        Some(Size::new(width, height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FaultKind;

    /// Bits given as (value, count), after the signature.
    fn stream(fields: &[(u32, u32)]) -> Vec<u8> {
        let bits: Vec<u8> = fields.iter().flat_map(|(value, count)| (0..*count).map(move |bit| u8::from(value >> bit & 1 == 1))).collect();
        let packed = bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |number, bit| number << 1 | bit));
        [0xFF, 0x0A].into_iter().chain(packed).chain([0; 8]).collect()
    }

    #[test]
    fn small_and_large_sizes_and_ratios_are_read() {
        let size = |fields: &[(u32, u32)]| probe(&stream(fields)).map(|probe| probe.size);
        assert_eq!(size(&[(1, 1), (31, 5), (5, 3), (1, 1)]), Ok(Size::new(455, 256)));
        assert_eq!(size(&[(0, 1), (1, 2), (999, 13), (0, 3), (0, 2), (299, 9), (1, 1)]), Ok(Size::new(300, 1000)));
    }

    #[test]
    fn orientation_depth_and_alpha_are_read() {
        let fields = [(1, 1), (0, 5), (1, 3), (0, 1), (1, 1), (5, 3), (0, 3), (0, 1), (1, 2), (1, 1), (1, 2), (1, 1)];
        let probe = probe(&stream(&fields)).expect("a header");
        assert_eq!((probe.orientation.map(Orientation::value), probe.bit_depth, probe.transparency), (Some(6), 10, true));
    }

    #[test]
    fn boxes_lead_to_the_codestream() {
        let inner = stream(&[(1, 1), (0, 5), (1, 3), (1, 1)]);
        let size = u32::try_from(inner.len() + 8).unwrap().to_be_bytes();
        let boxed = [&b"\0\0\0\x0CJXL \r\n\x87\n"[..], &size, b"jxlc", &inner].concat();
        assert_eq!(probe(&boxed).map(|probe| (probe.size, probe.variant)), Ok((Size::new(8, 8), "boxed")));
        assert_eq!(probe(&boxed[..12]).map_err(|fault| fault.kind), Err(FaultKind::Truncated));
    }
}
