//! The headers of a BMP, read once by the format's rules and judged as Pillow judges them.

use crate::decode::unidentified;
use crate::model::{Fault, FaultKind, Size, Verdict};

/// Run lengths for 8 bits a pixel.
pub(super) const RLE8: u32 = 1;
/// Run lengths for 4 bits a pixel.
pub(super) const RLE4: u32 = 2;
/// Channels by masks.
pub(super) const BITFIELDS: u32 = 3;

/// Masks of 32-bit pixels that Pillow 13 knows: red, green, blue, alpha (`BmpImagePlugin.py`, `SUPPORTED`).
const MASKS_32: [[u32; 4]; 8] = [
    [0xFF_0000, 0xFF00, 0xFF, 0],
    [0xFF00_0000, 0xFF_0000, 0xFF00, 0],
    [0xFF00_0000, 0xFF00, 0xFF, 0],
    [0xFF00_0000, 0xFF_0000, 0xFF00, 0xFF],
    [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000],
    [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000],
    [0xFF00_0000, 0xFF00, 0xFF, 0xFF_0000],
    [0, 0, 0, 0],
];

/// The same for 24 and 16 bits, without alpha.
const MASKS_24: [[u32; 3]; 1] = [[0xFF_0000, 0xFF00, 0xFF]];
const MASKS_16: [[u32; 3]; 2] = [[0xF800, 0x7E0, 0x1F], [0x7C00, 0x3E0, 0x1F]];

/// What the headers say.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// Bytes of the second header, which tells its version.
    pub(super) version_size: u32,
    /// Pixels in a row.
    pub(super) width: u64,
    /// Rows; up to 2^32 where the header has nonsense.
    pub(super) height: u64,
    /// Whether the first stored row is the top one.
    pub(super) top_down: bool,
    /// Bits of a pixel.
    pub(super) bits: u16,
    /// Kind of compression.
    pub(super) compression: u32,
    /// Masks of red, green, blue and alpha, with [`BITFIELDS`].
    pub(super) masks: [u32; 4],
    /// Palette entries that the header promises.
    pub(super) palette_entries: u64,
    /// Palette entries that are there.
    pub(super) palette_read: usize,
    /// Where the palette begins.
    pub(super) palette_offset: usize,
    /// Whether the palette is a ramp of grays, which makes Pillow ignore it and unpack by another rule.
    pub(super) gray: bool,
    /// Where the pixels begin, as Pillow looks for them.
    pub(super) data_offset: usize,
    /// Pillow's refusal, where it does not open the file although the header could be read.
    pub(super) pillow_open: Option<Verdict>,
}

impl Header {
    /// Reads the headers; a failure comes with Pillow's verdict.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, (Verdict, Fault)> {
        let cut = |at: usize| (unidentified(), Fault::at(FaultKind::Truncated, at, "the data ends in the header"));
        let data_offset = le32(bytes, 10).ok_or_else(|| cut(bytes.len()))?;
        let version_size = le32(bytes, 14).ok_or_else(|| cut(bytes.len()))?;
        let end = 14_usize.saturating_add(index(version_size.max(4)));
        if bytes.len() < end {
            let pillow = Verdict::refuses_open("OSError", "Truncated File Read");
            return Err((
                pillow,
                Fault::at(FaultKind::Truncated, bytes.len(), format!("the data ends in a header of {version_size} bytes")),
            ));
        }
        let mut header = match version_size {
            12 => Self::core(bytes),
            40 | 52 | 56 | 64 | 108 | 124 => Self::info(bytes, version_size),
            _ => {
                let pillow = Verdict::refuses_open("OSError", format!("Unsupported BMP header type ({version_size})"));
                return Err((pillow, Fault::at(FaultKind::BadHeader, 14, format!("a header of {version_size} bytes is not known"))));
            }
        }
        .ok_or_else(|| cut(bytes.len()))?;
        header.palette_offset = end;
        if header.compression == BITFIELDS {
            header.read_masks(bytes, end).ok_or_else(|| cut(bytes.len()))?;
        }
        header.finish(bytes, data_offset);
        Ok(header)
    }

    /// The 12 bytes of OS/2 1.x.
    fn core(bytes: &[u8]) -> Option<Self> {
        Some(Self { width: u64::from(le16(bytes, 18)?), height: u64::from(le16(bytes, 20)?), bits: le16(bytes, 24)?, ..Self::empty(12) })
    }

    /// The longer headers, which share their beginning.
    fn info(bytes: &[u8], version_size: u32) -> Option<Self> {
        let height = u64::from(le32(bytes, 22)?);
        // Pillow looks at the highest byte only; the height is a signed number.
        let top_down = *bytes.get(25)? == 0xFF;
        Some(Self {
            width: u64::from(le32(bytes, 18)?),
            height: if top_down { (1 << 32) - height } else { height },
            top_down,
            bits: le16(bytes, 28)?,
            compression: le32(bytes, 30)?,
            palette_entries: u64::from(le32(bytes, 46)?),
            ..Self::empty(version_size)
        })
    }

    fn empty(version_size: u32) -> Self {
        Self {
            version_size,
            width: 0,
            height: 0,
            top_down: false,
            bits: 0,
            compression: 0,
            masks: [0; 4],
            palette_entries: 0,
            palette_read: 0,
            palette_offset: 0,
            gray: false,
            data_offset: 0,
            pillow_open: None,
        }
    }

    /// Masks are part of headers of 52 bytes and more, and stand behind shorter ones.
    fn read_masks(&mut self, bytes: &[u8], end: usize) -> Option<()> {
        let channels = if self.version_size >= 56 { 4 } else { 3 };
        for (channel, mask) in self.masks.iter_mut().take(channels).enumerate() {
            *mask = le32(bytes, 54 + 4 * channel)?;
        }
        if self.version_size < 52 {
            self.palette_offset = end.saturating_add(12);
        }
        Some(())
    }

    /// What follows from the fields, in Pillow's order.
    fn finish(&mut self, bytes: &[u8], data_offset: u32) {
        let entry = if self.version_size == 12 { 3 } else { 4 };
        if self.palette_entries == 0 {
            self.palette_entries = 1_u64.checked_shl(u32::from(self.bits)).unwrap_or(u64::MAX);
        }
        let palette_bytes = usize::try_from(self.palette_entries.saturating_mul(entry)).unwrap_or(usize::MAX);
        let mut offset = index(data_offset);
        // A file whose pixel offset points at the palette.
        if data_offset == 14 + self.version_size && self.bits <= 8 {
            offset = offset.saturating_add(palette_bytes);
        }
        self.pillow_open = self.pillow_refusal();
        let mut position = self.palette_offset;
        if matches!(self.bits, 1 | 4 | 8) && self.palette_entries <= 65536 {
            let palette = bytes.get(self.palette_offset..).unwrap_or_default();
            let palette = palette.get(..palette_bytes).unwrap_or(palette);
            self.gray = is_gray(palette, index_u64(entry), self.palette_entries);
            self.palette_read = palette.len() / index_u64(entry);
            position = position.saturating_add(palette.len());
        }
        self.data_offset = if offset == 0 { position } else { offset };
    }

    fn pillow_refusal(&self) -> Option<Verdict> {
        let refuses = |message: String| Some(Verdict::refuses_open("OSError", message));
        if !matches!(self.bits, 1 | 4 | 8 | 16 | 24 | 32) {
            return refuses(format!("Unsupported BMP pixel depth ({})", self.bits));
        }
        let [red, green, blue, _] = self.masks;
        let known = match (self.compression, self.bits) {
            (BITFIELDS, 32) => MASKS_32.contains(&self.masks),
            (BITFIELDS, 24) => MASKS_24.contains(&[red, green, blue]),
            (BITFIELDS, 16) => MASKS_16.contains(&[red, green, blue]),
            (BITFIELDS, _) => false,
            (0 | RLE8 | RLE4, _) => true,
            (compression, _) => return refuses(format!("Unsupported BMP compression ({compression})")),
        };
        if !known {
            return refuses("Unsupported BMP bitfields layout".to_owned());
        }
        if self.bits <= 8 && self.palette_entries > 65536 {
            return refuses(format!("Unsupported BMP Palette size ({})", self.palette_entries));
        }
        None
    }

    /// The picture's size, if it is one.
    pub(super) fn size(&self) -> Option<Size> {
        let (width, height) = (u32::try_from(self.width).ok()?, u32::try_from(self.height).ok()?);
        (width > 0 && height > 0).then_some(Size::new(width, height))
    }

    /// Number of pixels.
    pub(super) fn pixels(&self) -> u128 {
        u128::from(self.width) * u128::from(self.height)
    }

    /// Bytes from one stored row to the next: a multiple of four.
    pub(super) fn stride(&self) -> u64 {
        (self.width * u64::from(self.bits)).div_ceil(32) * 4
    }

    /// The end of the file as the headers name it: its size, or the end of the colour profile of the longest header.
    pub(super) fn named_end(&self, bytes: &[u8]) -> u64 {
        let size = le32(bytes, 2).map(u64::from).filter(|size| *size <= bytes.len() as u64).unwrap_or_default();
        let profile = if self.version_size == 124 {
            let (offset, length) = (le32(bytes, 126).unwrap_or_default(), le32(bytes, 130).unwrap_or_default());
            if offset == 0 { 0 } else { 14 + u64::from(offset) + u64::from(length) }
        } else {
            0
        };
        size.max(profile)
    }

    /// Bits of a pixel as Pillow unpacks it: a gray ramp makes it forget how the pixels are stored.
    pub(super) fn pillow_bits(&self) -> u16 {
        match (self.bits, self.gray) {
            (1 | 4 | 8, true) if self.palette_entries <= 2 => 1,
            (1 | 4 | 8, true) => 8,
            (bits, _) => bits,
        }
    }
}

/// Whether the palette is black and white, or entry n is gray n for every entry.
fn is_gray(palette: &[u8], entry: usize, entries: u64) -> bool {
    let entries = index_u64(entries);
    palette.len() >= (entries.saturating_sub(1)).saturating_mul(entry).saturating_add(3)
        && palette.chunks(entry).take(entries).enumerate().all(|(position, color)| {
            let gray = if entries == 2 && position == 1 { 255 } else { position & 0xFF };
            color.iter().take(3).all(|channel| usize::from(*channel) == gray)
        })
}

fn le16(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|chunk| u16::from_le_bytes(*chunk))
}

fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}

fn index(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

fn index_u64(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
