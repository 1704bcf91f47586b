//! What a PNG says of its picture before the picture: IHDR, PLTE and tRNS (PNG third edition, section 11.2 and 11.3.1).

use super::chunks::{Chunk, be16, be32};
use super::rows::Geometry;
use crate::model::{Fault, FaultKind};

/// What the samples of a pixel mean (section 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Color {
    /// Colour type 0.
    Gray,
    /// Colour type 2.
    Rgb,
    /// Colour type 3.
    Palette,
    /// Colour type 4.
    GrayAlpha,
    /// Colour type 6.
    Rgba,
}

impl Color {
    /// The colour type for IHDR's byte, if the depth is allowed with it (table 11.1).
    pub(super) fn of(depth: u8, color_type: u8) -> Option<Self> {
        match (color_type, depth) {
            (0, 1 | 2 | 4 | 8 | 16) => Some(Self::Gray),
            (2, 8 | 16) => Some(Self::Rgb),
            (3, 1 | 2 | 4 | 8) => Some(Self::Palette),
            (4, 8 | 16) => Some(Self::GrayAlpha),
            (6, 8 | 16) => Some(Self::Rgba),
            _ => None,
        }
    }

    /// Samples in a pixel.
    pub(super) fn samples(self) -> u32 {
        match self {
            Self::Gray | Self::Palette => 1,
            Self::GrayAlpha => 2,
            Self::Rgb => 3,
            Self::Rgba => 4,
        }
    }
}

/// IHDR, as far as pixels need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Bits of a sample: 1, 2, 4, 8 or 16.
    pub(super) depth: u8,
    pub(super) color: Color,
    pub(super) interlaced: bool,
}

impl Header {
    /// The header by the format's own rules.
    pub(super) fn parse(chunk: &Chunk<'_>) -> Result<Self, Fault> {
        let bad = |detail: String| Fault::at(FaultKind::BadHeader, chunk.data_at(), detail);
        if chunk.name != *b"IHDR" {
            let detail = format!("the first chunk is {} where IHDR must be", chunk.label());
            return Err(Fault::at(FaultKind::BadHeader, chunk.at, detail));
        }
        if chunk.length != 13 {
            return Err(bad(format!("IHDR has {} bytes where 13 are required", chunk.length)));
        }
        let fields = chunk.data.get(8..13).and_then(<[u8]>::first_chunk::<5>);
        let (Some(width), Some(height), Some(&[depth, color_type, compression, filter, interlace])) =
            (be32(chunk.data, 0), be32(chunk.data, 4), fields)
        else {
            return Err(Fault::at(FaultKind::Truncated, chunk.data_at(), "the file ends inside IHDR"));
        };
        if width == 0 || height == 0 {
            return Err(bad(format!("the picture is {width}x{height} pixels")));
        }
        if width > 0x7FFF_FFFF || height > 0x7FFF_FFFF {
            return Err(bad(format!("a side of {width}x{height} pixels is above the format's 2147483647")));
        }
        let Some(color) = Color::of(depth, color_type) else {
            return Err(bad(format!("colour type {color_type} with {depth} bits does not exist")));
        };
        if compression != 0 || filter != 0 || interlace > 1 {
            let detail = format!("method {compression} of compression, {filter} of filtering, {interlace} of interlacing");
            return Err(bad(format!("{detail}: one does not exist")));
        }
        Ok(Self { width, height, depth, color, interlaced: interlace == 1 })
    }

    /// The shape of the rows.
    pub(super) fn geometry(&self) -> Geometry {
        let bits = u32::from(self.depth) * self.color.samples();
        Geometry { width: self.width, height: self.height, bits, interlaced: self.interlaced }
    }

    /// Pixels of the picture.
    pub(super) fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// Palette and transparency as they stand before the image data.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables<'a> {
    /// PLTE: three bytes a colour.
    pub(super) palette: Option<&'a [u8]>,
    /// tRNS: a gray, a colour, or the palette's alphas, by colour type.
    pub(super) transparency: Option<&'a [u8]>,
}

impl<'a> Tables<'a> {
    /// Takes the chunk in, if it is one of the two.
    pub(super) fn take(&mut self, chunk: &Chunk<'a>) {
        match &chunk.name {
            b"PLTE" => self.palette = Some(chunk.data),
            b"tRNS" => self.transparency = Some(chunk.data),
            _ => {}
        }
    }

    /// The colours of the palette with their alphas; indices behind its end are black.
    pub(super) fn colors(&self) -> [[u8; 4]; 256] {
        let mut colors = [[0, 0, 0, 255]; 256];
        for (color, entry) in colors.iter_mut().zip(self.palette.unwrap_or(&[]).chunks_exact(3)) {
            color[..3].copy_from_slice(entry);
        }
        for (color, alpha) in colors.iter_mut().zip(self.transparency.unwrap_or(&[])) {
            color[3] = *alpha;
        }
        colors
    }

    /// The gray that counts as transparent.
    pub(super) fn clear_gray(&self) -> Option<u16> {
        be16(self.transparency?, 0)
    }

    /// The colour that counts as transparent.
    pub(super) fn clear_color(&self) -> Option<[u16; 3]> {
        let bytes = self.transparency?;
        Some([be16(bytes, 0)?, be16(bytes, 2)?, be16(bytes, 4)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(length: u32, data: &[u8]) -> Result<Header, Fault> {
        Header::parse(&Chunk { at: 8, length, name: *b"IHDR", data, crc: None })
    }

    #[test]
    fn the_header_is_read() {
        let parsed = header(13, &[0, 0, 0, 5, 0, 0, 0, 3, 8, 6, 0, 0, 1]).unwrap();
        assert_eq!(parsed, Header { width: 5, height: 3, depth: 8, color: Color::Rgba, interlaced: true });
        assert_eq!(parsed.geometry().bits, 32);
    }

    #[test]
    fn impossible_headers_are_refused() {
        let cases: [(&[u8], &str); 4] = [
            (&[0, 0, 0, 0, 0, 0, 0, 3, 8, 6, 0, 0, 0], "the picture is 0x3 pixels"),
            (&[0, 0, 0, 5, 0, 0, 0, 3, 4, 6, 0, 0, 0], "colour type 6 with 4 bits does not exist"),
            (&[0, 0, 0, 5, 0, 0, 0, 3, 8, 6, 0, 0, 2], "method 0 of compression, 0 of filtering, 2 of interlacing: one does not exist"),
            (&[0, 0, 0, 5, 0, 0, 0, 3], "the file ends inside IHDR"),
        ];
        for (data, detail) in cases {
            assert_eq!(header(13, data).unwrap_err().detail, detail);
        }
        assert_eq!(header(12, &[0; 12]).unwrap_err().kind, FaultKind::BadHeader);
    }
}
