//! What Pillow 13 makes of a TIFF's first directory, and whether it gets the pixels of an uncompressed one
//! (`TiffImagePlugin.py`, `_setup`; `ImageFile.py`, `load`; `RawDecode.c`).

use super::ifd::{Directory, Header, NotIntegers};
use super::layouts::Layout;
use crate::decode::lenient::{NOTHING_TO_LOAD, forgiven};
use crate::decode::reduce::share_of;
use crate::decode::{MAX_PIXELS, bomb_message, unidentified};
use crate::model::{Size, Verdict};

/// Samples of a pixel that Pillow takes at most.
const MAX_SAMPLES: i64 = 6;

/// What Pillow found out while opening.
pub(super) struct Opened {
    /// Size as stored.
    pub(super) size: Size,
    /// The tag `Compression`.
    pub(super) compression: i64,
    /// Whether samples of one kind stand together.
    planar: bool,
    layout: Layout,
    /// Parts of the picture: strips or tiles, for uncompressed data.
    parts: Vec<Part>,
}

/// What came of loading uncompressed data.
pub(super) struct RawLoad {
    /// Pillow's verdict.
    pub(super) verdict: Verdict,
    /// The same with `LOAD_TRUNCATED_IMAGES`.
    pub(super) lenient: Verdict,
    /// Share of the pixels that are not there, 0 to 1.
    pub(super) lost: f32,
}

/// A strip or tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    /// Left, top, right, bottom.
    extents: [i64; 4],
    offset: i64,
    /// Bytes from row to row; 0 for as many as a row has.
    stride: i64,
    layer: usize,
}

/// Opens the file: its description, or Pillow's refusal.
pub(super) fn open(header: &Header<'_>) -> Result<Opened, Verdict> {
    match header {
        Header::Absent => Err(unidentified()),
        Header::Unreachable => Err(Verdict::refuses_open("ValueError", "Unable to seek to frame")),
        Header::Present(directory) => set_up(directory),
    }
}

fn set_up(directory: &Directory<'_>) -> Result<Opened, Verdict> {
    if directory.has(0xBC01) {
        return Err(Verdict::refuses_open("OSError", "Windows Media Photo files not yet supported"));
    }
    let refused = |_: NotIntegers| unidentified();
    let compression = directory.integer(259, 1).map_err(refused)?;
    if !matches!(compression, 1..=8 | 32771 | 32773 | 32809 | 32946 | 34676 | 34677 | 34925 | 50000 | 50001) {
        return Err(unidentified());
    }
    let planar = directory.integer(284, 1).is_ok_and(|planar| planar == 2);
    let photometric = match directory.integers(262) {
        _ if compression == 6 => 6,
        // A list is not taken over, and the tag is then as good as absent.
        Some(Ok(values)) if values.len() == 1 => values.first().copied().unwrap_or_default(),
        Some(Err(_)) => return Err(unidentified()),
        _ => 0,
    };
    let fill_order = directory.integer(266, 1).map_err(refused)?;
    if !directory.has(256) || !directory.has(257) {
        return Err(unidentified());
    }
    let dimension = |tag| directory.integer(tag, 0).map_err(|_| Verdict::refuses_open("ValueError", "Invalid dimensions"));
    let (width, height) = (dimension(256)?, dimension(257)?);
    let layout = layout(directory, compression, photometric, fill_order, planar)?;
    if !layout.is_known(directory.big_endian) {
        return Err(unidentified());
    }
    let parts = if compression == 1 { parts(directory, width, height, planar, &layout)? } else { Vec::new() };
    if matches!(photometric, 3) && !directory.has(320) {
        return Err(unidentified());
    }
    let (Ok(wide), Ok(high)) = (u32::try_from(width), u32::try_from(height)) else { return Err(unidentified()) };
    let size = Size::new(wide, high);
    if size.pixels() == 0 {
        return Err(unidentified());
    }
    if size.pixels() > MAX_PIXELS {
        return Err(Verdict::refuses_open("DecompressionBombError", bomb_message(size.pixels())));
    }
    Ok(Opened { size, compression, planar, layout, parts })
}

fn layout(directory: &Directory<'_>, compression: i64, photometric: i64, fill_order: i64, planar: bool) -> Result<Layout, Verdict> {
    let list = |tag, default: &[i64]| match directory.integers(tag) {
        None => Ok(default.to_vec()),
        Some(values) => values.map_err(|_| unidentified()),
    };
    let mut format = list(339, &[1])?;
    if format.iter().all(|each| format.first() == Some(each)) {
        format.truncate(1);
    }
    let (mut bits, mut extra) = (list(258, &[1])?, list(338, &[])?);
    let default_samples = if compression == 6 && matches!(photometric, 2 | 6) { 3 } else { 1 };
    let mut samples = directory.integer(277, default_samples).map_err(|_| unidentified())?;
    if planar && extra.iter().max() == Some(&0) {
        bits.truncate(bits.len().saturating_sub(extra.len()));
        samples -= i64::try_from(extra.len()).unwrap_or(i64::MAX);
        extra.clear();
    }
    let count = usize::try_from(samples).ok().filter(|_| samples <= MAX_SAMPLES).ok_or_else(unidentified)?;
    if bits.len() == 1 && count > 1 {
        bits = vec![bits.first().copied().unwrap_or_default(); count];
    }
    bits.truncate(count);
    if bits.len() != count {
        return Err(unidentified());
    }
    Ok(Layout { photometric, format, fill_order, bits, extra })
}

fn parts(directory: &Directory<'_>, width: i64, height: i64, planar: bool, layout: &Layout) -> Result<Vec<Part>, Verdict> {
    let integers = |values: Option<Result<Vec<i64>, NotIntegers>>| values.and_then(Result::ok).ok_or_else(unidentified);
    let (mut offsets, w, h) = if directory.has(273) {
        (integers(directory.integers(273))?, width, directory.integer(278, height).map_err(|_| unidentified())?)
    } else if directory.has(324) {
        let offsets = integers(directory.integers(324))?;
        let side = |tag| {
            let side = if directory.has(tag) { directory.integer(tag, 0) } else { Err(NotIntegers) };
            side.map_err(|_| Verdict::refuses_open("ValueError", "Invalid tile dimensions"))
        };
        (offsets, side(322)?, side(323)?)
    } else {
        return Err(unidentified());
    };
    if w == width && h == height && !planar {
        offsets = offsets.split_off(offsets.len().saturating_sub(1));
    }
    let row = i64::try_from(layout.pixel_bits()).unwrap_or(i64::MAX);
    // Pillow divides by the samples that the photometric interpretation asks for, and takes the layer as a character
    // of its raw mode; more layers than characters is an IndexError.
    let samples = layout.bits.len().max(1);
    let (mut x, mut y, mut layer) = (0_i64, 0_i64, 0_usize);
    let mut parts = Vec::with_capacity(offsets.len());
    for offset in offsets {
        let mut stride = if x.saturating_add(w) > width { w.saturating_mul(row) / 8 } else { 0 };
        if planar {
            if layer >= samples {
                return Err(unidentified());
            }
            stride /= i64::try_from(samples).unwrap_or(1);
        }
        let extents = [x, y, x.saturating_add(w).min(width), y.saturating_add(h).min(height)];
        parts.push(Part { extents, offset, stride, layer });
        x = x.saturating_add(w);
        if x >= width {
            (x, y) = (0, y.saturating_add(h));
            if y >= height {
                y = 0;
                layer += 1;
            }
        }
    }
    Ok(parts)
}

impl Opened {
    /// Whether the data is stored as it is.
    pub(super) fn is_raw(&self) -> bool {
        self.compression == 1
    }

    /// Bits of a pixel as Pillow expects them from libtiff (`_setup`, the choice of a raw mode).
    pub(super) fn raw_mode_bits(&self, upsampled: bool) -> u64 {
        match self.layout.photometric {
            6 if upsampled => 24,
            6 => 32,
            _ => self.layout.pixel_bits(),
        }
    }

    /// Bands of the picture that Pillow makes.
    pub(super) fn bands(&self) -> u64 {
        self.layout.bands()
    }

    /// Loads uncompressed data.
    pub(super) fn load_raw(&self, bytes: &[u8]) -> RawLoad {
        if self.planar && self.layout.bits.iter().any(|bits| *bits != 8) {
            return RawLoad { verdict: Verdict::Unknown, lenient: Verdict::Unknown, lost: 0.0 };
        }
        if self.parts.is_empty() {
            let verdict = Verdict::refuses_load("OSError", NOTHING_TO_LOAD);
            return RawLoad { lenient: verdict.clone(), verdict, lost: 1.0 };
        }
        let mut parts = self.parts.clone();
        parts.sort_by_key(|part| part.offset);
        // Of neighbours that differ in their offset only, the last one counts.
        parts.reverse();
        parts.dedup_by_key(|part| (part.extents, part.stride, part.layer));
        parts.reverse();
        let bits = if self.planar { 8 } else { self.layout.pixel_bits() };
        let (mut verdict, mut lenient) = (Verdict::Ok, Verdict::Ok);
        let (mut present, mut wanted) = (0_u64, 0_u64);
        for part in &parts {
            let (found, all, result) = self.load_part(bytes, part, bits);
            present += found;
            wanted += all;
            let Err(refusal) = result else { continue };
            // What one part is forgiven for, a later one may not be.
            if lenient == Verdict::Ok {
                lenient = forgiven(&refusal);
            }
            if verdict == Verdict::Ok {
                verdict = refusal;
            }
        }
        RawLoad { verdict, lenient, lost: share_of(wanted.saturating_sub(present), wanted) }
    }

    /// Rows that are there, rows that should be, and Pillow's verdict on the part.
    fn load_part(&self, bytes: &[u8], part: &Part, bits: u64) -> (u64, u64, Result<(), Verdict>) {
        let [left, top, right, bottom] = part.extents;
        let (width, rows) = (u64::try_from(right - left).unwrap_or(0), u64::try_from(bottom - top).unwrap_or(0));
        if width == 0 || rows == 0 || right > i64::from(self.size.width) || bottom > i64::from(self.size.height) {
            return (0, rows, Err(Verdict::refuses_load("ValueError", "tile cannot extend outside image")));
        }
        let line = width.saturating_mul(bits).div_ceil(8);
        let stride = match u64::try_from(part.stride) {
            Ok(0) | Err(_) => line,
            Ok(stride) => stride,
        };
        let Some(padding) = stride.checked_sub(line) else {
            return (0, rows, Err(Verdict::refuses_load("OSError", "codec configuration error when reading image file")));
        };
        let available = usize::try_from(part.offset).ok().and_then(|offset| bytes.get(offset..)).map_or(0, |data| data.len() as u64);
        if available >= stride.saturating_mul(rows).saturating_sub(padding) {
            return (rows, rows, Ok(()));
        }
        let rest = available % stride.max(1);
        let unprocessed = if rest >= line { rest - line } else { rest };
        let message = format!("image file is truncated ({unprocessed} bytes not processed)");
        (available.saturating_add(padding) / stride.max(1), rows, Err(Verdict::refuses_load("OSError", message)))
    }
}
