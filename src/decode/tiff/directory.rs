//! The first directory of a TIFF as libtiff 4.7 reads it (`tif_dirread.c`, `TIFFReadDirectory`; `tif_dir.c`, `_TIFFVSetField`).
//!
//! Pillow reads compressed data through libtiff, which reads the directory anew and by other rules than Pillow's own (those
//! are in `ifd`): it refuses a directory that is cut short, and it wants the tags that say how the picture is laid out to have
//! the right type and count, while others it leaves out when they are odd.

use super::old_jpeg::Sources;

/// Entries that libtiff takes in a directory.
const MAX_ENTRIES: u64 = 4096;

/// Strips or tiles for which libtiff makes room where fewer are listed.
const MAX_UNLISTED: u64 = 1_000_000;

/// Length up to which a list of strips is short: of the lists of offsets and sizes both must be short, or neither (seen from
/// libtiff 4.7.2).
const SHORT_LIST: u64 = 4;

/// What libtiff knows of a page.
#[derive(Clone, Debug)]
pub(super) struct Page<'a> {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) samples: u16,
    pub(super) bits: u16,
    pub(super) planar: bool,
    pub(super) compression: u16,
    /// `PhotometricInterpretation`; 0 where it is absent.
    pub(super) photometric: u16,
    /// Whether the lowest bit of a byte comes first.
    pub(super) reversed: bool,
    pub(super) predictor: u16,
    pub(super) sample_format: u16,
    /// Width and height of a tile, where there are tiles.
    pub(super) tile: Option<(u32, u32)>,
    pub(super) rows_per_strip: u32,
    /// `Group3Options`.
    pub(super) fax_options: u32,
    pub(super) subsampling: (u16, u16),
    pub(super) jpeg_tables: Option<&'a [u8]>,
    pub(super) old_jpeg: Sources,
    /// Whether the numbers for the conversion of YCbCr are possible.
    pub(super) is_convertible: bool,
    /// Strips or tiles of all planes.
    pub(super) parts: u64,
    offsets: Vec<u64>,
    counts: Vec<u64>,
}

/// An entry as it stands in the file.
#[derive(Clone, Copy, Debug)]
struct Entry<'a> {
    tag: u16,
    kind: u16,
    count: u64,
    value: &'a [u8],
}

/// A file and how its numbers are written.
#[derive(Clone, Copy)]
struct File<'a> {
    bytes: &'a [u8],
    big_endian: bool,
    big_tiff: bool,
}

impl<'a> Page<'a> {
    /// Reads the first directory; `None` where libtiff does not open the file.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let file = File::new(bytes)?;
        let entries = file.entries()?;
        let mut page = Self {
            width: 0,
            height: 0,
            samples: 1,
            bits: 1,
            planar: false,
            compression: 1,
            photometric: 0,
            reversed: false,
            predictor: 1,
            sample_format: 1,
            tile: None,
            rows_per_strip: u32::MAX,
            fax_options: 0,
            subsampling: (2, 2),
            jpeg_tables: None,
            old_jpeg: Sources::default(),
            is_convertible: true,
            parts: 0,
            offsets: Vec::new(),
            counts: Vec::new(),
        };
        page.take_layout(file, &entries)?;
        page.take_rest(file, &entries)?;
        page.take_parts(file, &entries)?;
        page.find_subsampling(file);
        (page.row_bytes(false)? > 0 && page.part_bytes(page.height, false)? > 0).then_some(page)
    }

    /// The tags that must be right.
    fn take_layout(&mut self, file: File<'a>, entries: &[Entry<'a>]) -> Option<()> {
        if let Some(entry) = find(entries, 277) {
            self.samples = file.short(entry).filter(|samples| *samples > 0)?;
        }
        if let Some(entry) = find(entries, 259) {
            self.compression = file.short_of_samples(entry, self.samples)?;
        }
        let (mut tile_width, mut tile_height) = (None, None);
        for entry in entries {
            match entry.tag {
                256 => self.width = file.long(entry)?,
                257 => self.height = file.long(entry)?,
                278 => self.rows_per_strip = file.long(entry).filter(|rows| *rows > 0)?,
                284 => self.planar = file.short(entry).filter(|planar| matches!(planar, 1 | 2))? == 2,
                322 => tile_width = Some(file.long(entry)?),
                323 => tile_height = Some(file.long(entry)?),
                338 => {
                    let extra = file.integers(entry)?;
                    let valid = extra.iter().all(|value| matches!(value, 0..=2 | 999));
                    (valid && extra.len() <= usize::from(self.samples)).then_some(())?;
                }
                // The depth of volumes, of pictures and of tiles.
                32997 | 32998 => _ = file.long(entry).filter(|depth| *depth > 0)?,
                _ => {}
            }
        }
        if tile_width.is_some() || tile_height.is_some() {
            self.tile = Some((tile_width.unwrap_or(0), tile_height.unwrap_or(0)));
        }
        Some(())
    }

    /// The tags that are right or left out, and a few that must be right as well.
    fn take_rest(&mut self, file: File<'a>, entries: &[Entry<'a>]) -> Option<()> {
        let mut has_colors = false;
        let (mut has_bits, mut has_photometric, mut has_samples) = (false, false, false);
        for entry in entries {
            match entry.tag {
                258 => {
                    self.bits = file.short_of_samples(entry, self.samples)?;
                    has_bits = true;
                }
                280 | 281 | 32996 => _ = file.short_of_samples(entry, self.samples)?,
                339 => self.sample_format = file.short_of_samples(entry, self.samples).filter(|format| (1..=6).contains(format))?,
                // The numbers for the smallest and largest sample are doubles, of which only the presence matters.
                340 | 341 => file.data(entry).filter(|_| entry.count == u64::from(self.samples)).map(drop)?,
                320 => {
                    let colors = 3_u64.checked_shl(self.bits.into()).filter(|_| has_bits && self.bits <= 24);
                    has_colors = colors == Some(entry.count) && file.integers(entry).is_some();
                }
                262 => {
                    if let Some(photometric) = file.short(entry) {
                        (self.photometric, has_photometric) = (photometric, true);
                    }
                }
                266 => self.reversed = file.short(entry) == Some(2),
                277 => has_samples = true,
                292 if self.compression == 3 => self.fax_options = file.long(entry).unwrap_or(0),
                317 => self.predictor = file.short(entry).unwrap_or(1),
                347 if self.compression == 7 => {
                    self.jpeg_tables = file.data(entry).filter(|data| matches!(entry.kind, 1 | 2 | 6 | 7) && !data.is_empty());
                }
                513 => self.old_jpeg.stream = file.one(entry).unwrap_or(0),
                514 => self.old_jpeg.length = file.one(entry).unwrap_or(0),
                519..=521 if (1..=3).contains(&entry.count) => {
                    let offsets = file.integers(entry).unwrap_or_default();
                    match entry.tag {
                        519 => self.old_jpeg.quantization = offsets,
                        520 => self.old_jpeg.dc = offsets,
                        _ => self.old_jpeg.ac = offsets,
                    }
                }
                // `tif_color.c` and `tif_getimage.c`, `initYCbCrConversion`.
                529 if entry.count == 3 => self.is_convertible &= file.rationals(entry).is_none_or(|luma| luma.get(1) != Some(&0.0)),
                532 if entry.count == 6 => {
                    let is_possible = |levels: Vec<f64>| levels.iter().all(|level| level.abs() < f64::from(i32::MAX - 128));
                    self.is_convertible &= file.rationals(entry).is_none_or(is_possible);
                }
                530 => {
                    if let Some([across, down]) = file.integers(entry).as_deref()
                        && let (Ok(across), Ok(down)) = (u16::try_from(*across), u16::try_from(*down))
                    {
                        self.subsampling = (across, down);
                    }
                }
                _ => {}
            }
        }
        if self.compression == 6 {
            if !has_photometric || self.photometric == 2 {
                self.photometric = 6;
            }
            if !has_bits {
                self.bits = 8;
            }
            if !has_samples && self.photometric == 6 {
                self.samples = 3;
            }
        }
        if self.photometric == 3 && !has_colors {
            self.photometric = match (self.bits >= 8, self.samples) {
                (true, 3) => 2,
                (true, _) => 1,
                (false, _) => return None,
            };
        }
        Some(())
    }

    /// Where the strips or tiles are.
    fn take_parts(&mut self, file: File<'a>, entries: &[Entry<'a>]) -> Option<()> {
        let planes = if self.planar { u64::from(self.samples) } else { 1 };
        self.parts = self.parts_of_plane().checked_mul(planes).filter(|parts| *parts > 0 && u32::try_from(*parts).is_ok())?;
        // Whichever of the two tags for a list comes last counts.
        let list = |strips: u16, tiles: u16| entries.iter().rev().find(|entry| entry.tag == strips || entry.tag == tiles);
        let numbers = |entry: &Entry<'a>| {
            let numbers = file.integers(entry)?;
            (entry.count >= self.parts || self.parts <= MAX_UNLISTED).then_some(numbers)
        };
        let offsets = list(273, 324);
        if offsets.is_none() && (self.compression != 6 || self.tile.is_some() || self.parts != 1) {
            return None;
        }
        self.offsets = offsets.map_or(Some(Vec::new()), numbers)?;
        let counts = list(279, 325);
        self.counts = counts.map_or(Some(Vec::new()), numbers)?;
        if self.compression == 6 {
            return Some(());
        }
        if let (Some(offsets), Some(counts)) = (offsets, counts)
            && (offsets.count <= SHORT_LIST) != (counts.count <= SHORT_LIST)
        {
            // libtiff calls their lengths inconsistent then, and finds no strip at all.
            (self.offsets, self.counts) = (Vec::new(), Vec::new());
        }
        let first = (self.offsets.first().copied().unwrap_or(0), self.counts.first().copied().unwrap_or(0));
        let is_bogus = self.parts == 1 && self.tile.is_none() && first.0 != 0 && first.1 == 0;
        if counts.is_none() && ((!self.planar && self.parts > 1) || (self.planar && self.parts != u64::from(self.samples))) {
            return None;
        }
        if counts.is_none() || is_bogus {
            self.estimate_counts(file, entries)?;
        }
        Some(())
    }

    /// What libtiff takes for the sizes of strips where the file does not tell: all that the directory does not use.
    fn estimate_counts(&mut self, file: File<'a>, entries: &[Entry<'a>]) -> Option<()> {
        let (head, entry_size, inline) = if file.big_tiff { (32, 20, 8) } else { (14, 12, 4) };
        let mut used = head + entries.len() as u64 * entry_size;
        for entry in entries {
            // Values of no kind count as bytes (`TIFFDataWidth`).
            let unit = if entry.kind == 0 { 1 } else { unit_size(entry.kind)? };
            let size = unit.checked_mul(entry.count)?;
            used = used.checked_add(if size > inline { size } else { 0 })?;
        }
        let size = file.bytes.len() as u64;
        let mut space = size.checked_sub(used).unwrap_or(size);
        if self.planar {
            space /= u64::from(self.samples);
        }
        let parts = usize::try_from(self.parts).ok().filter(|_| self.parts <= MAX_UNLISTED)?;
        self.counts = vec![space; parts];
        let offset = self.offsets.get(parts - 1).copied().unwrap_or(0);
        if let Some(last) = self.counts.last_mut() {
            *last = space.min(size.saturating_sub(offset));
        }
        if self.rows_per_strip == u32::MAX {
            self.rows_per_strip = self.height;
        }
        Some(())
    }

    /// Corrects the subsampling by the first strip, as libtiff does for JPEG (`tif_jpeg.c`, `JPEGFixupTagsSubsampling`).
    fn find_subsampling(&mut self, file: File<'a>) {
        if self.compression != 7 || self.photometric != 6 || self.planar || self.samples != 3 {
            return;
        }
        let (offset, count) = self.part(0);
        let data = usize::try_from(offset).ok().and_then(|start| file.bytes.get(start..)).unwrap_or_default();
        let data = data.get(..usize::try_from(count).unwrap_or(usize::MAX)).unwrap_or(data);
        if let Some(factors) = subsampling_of(data) {
            self.subsampling = factors;
        }
    }

    fn parts_of_plane(&self) -> u64 {
        match self.tile {
            Some((width, height)) if width > 0 && height > 0 => {
                u64::from(self.width.div_ceil(width)) * u64::from(self.height.div_ceil(height))
            }
            Some(_) => 0,
            None if self.rows_per_strip == u32::MAX => 1,
            None => u64::from(self.height.div_ceil(self.rows_per_strip)),
        }
    }

    /// Offset and size of a strip or tile; zeros where the lists are too short.
    pub(super) fn part(&self, index: u64) -> (u64, u64) {
        let at = |list: &[u64]| usize::try_from(index).ok().and_then(|index| list.get(index)).copied().unwrap_or(0);
        (at(&self.offsets), at(&self.counts))
    }

    /// Number of the first part of a plane.
    pub(super) fn first_part(&self, plane: u64) -> u64 {
        plane * self.parts_of_plane()
    }

    /// Bytes of a row of a strip or tile; `None` where libtiff finds none. `upsampled` says that JPEG data comes back in RGB.
    pub(super) fn row_bytes(&self, upsampled: bool) -> Option<u64> {
        let width = u64::from(self.tile.map_or(self.width, |tile| tile.0));
        let bits = u64::from(self.bits);
        if self.planar {
            return Some((width * bits).div_ceil(8));
        }
        if self.is_subsampled(upsampled) {
            let (across, down) = self.valid_subsampling()?;
            let blocks = width.div_ceil(across);
            return Some((blocks * (across * down + 2) * bits).div_ceil(8) / down);
        }
        Some((width * u64::from(self.samples) * bits).div_ceil(8))
    }

    /// Bytes of a strip of so many rows, or of a tile, whose rows are given by the directory.
    pub(super) fn part_bytes(&self, rows: u32, upsampled: bool) -> Option<u64> {
        let rows = u64::from(self.tile.map_or(rows.min(self.rows_per_strip), |tile| tile.1));
        if self.is_subsampled(upsampled) && !self.planar {
            let (across, down) = self.valid_subsampling()?;
            let width = u64::from(self.tile.map_or(self.width, |tile| tile.0));
            let line = (width.div_ceil(across) * (across * down + 2) * u64::from(self.bits)).div_ceil(8);
            return line.checked_mul(rows.div_ceil(down));
        }
        self.row_bytes(upsampled)?.checked_mul(rows)
    }

    fn is_subsampled(&self, upsampled: bool) -> bool {
        self.photometric == 6 && self.samples == 3 && !upsampled
    }

    fn valid_subsampling(&self) -> Option<(u64, u64)> {
        let valid = |factor: u16| matches!(factor, 1 | 2 | 4).then_some(u64::from(factor));
        Some((valid(self.subsampling.0)?, valid(self.subsampling.1)?))
    }
}

fn find<'e, 'a>(entries: &'e [Entry<'a>], tag: u16) -> Option<&'e Entry<'a>> {
    entries.iter().find(|entry| entry.tag == tag)
}

/// The sampling factors that a JPEG stream's frame header has, where TIFF has the same.
fn subsampling_of(data: &[u8]) -> Option<(u16, u16)> {
    let mut at = 0;
    loop {
        at += data.get(at..)?.iter().position(|byte| *byte == 0xFF)?;
        at += data.get(at..)?.iter().position(|byte| *byte != 0xFF)?;
        let marker = *data.get(at)?;
        at += 1;
        let body = data.get(at..)?;
        let length = || body.first_chunk::<2>().map(|pair| usize::from(u16::from_be_bytes(*pair)));
        match marker {
            0xD8 => {}
            0xFE | 0xE0..=0xEF | 0xDB | 0xDA | 0xC4 | 0xDD => at += length().filter(|length| *length >= 2)?,
            0xC0..=0xC2 | 0xC9 | 0xCA => {
                let [_, _, _, _, _, _, _, _, _, luma, _, _, second, _, _, third, ..] = body else { return None };
                let (across, down) = (luma >> 4, luma & 15);
                let valid = length() == Some(17) && *second == 0x11 && *third == 0x11;
                return (valid && matches!(across, 1 | 2 | 4) && matches!(down, 1 | 2 | 4)).then_some((across.into(), down.into()));
            }
            _ => return None,
        }
    }
}

impl<'a> File<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let (big_endian, big_tiff) = match bytes.first_chunk::<4>()? {
            b"II\x2a\0" => (false, false),
            b"MM\0\x2a" => (true, false),
            b"II\x2b\0" => (false, true),
            b"MM\0\x2b" => (true, true),
            _ => return None,
        };
        let file = Self { bytes, big_endian, big_tiff };
        (!big_tiff || (file.uint(bytes, 4, 2)? == 8 && file.uint(bytes, 6, 2)? == 0)).then_some(file)
    }

    /// The entries of the first directory, each tag once.
    fn entries(self) -> Option<Vec<Entry<'a>>> {
        let (start, count_size, entry_size, inline) = if self.big_tiff { (8, 8, 20, 8) } else { (4, 2, 12, 4) };
        let start = usize::try_from(self.uint(self.bytes, start, inline)?).ok()?;
        let count = self.uint(self.bytes, start, count_size).filter(|count| (1..=MAX_ENTRIES).contains(count))?;
        let first = start.checked_add(count_size)?;
        let list = self.bytes.get(first..first.checked_add(usize::try_from(count).ok()? * entry_size)?)?;
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for raw in list.chunks_exact(entry_size) {
            let (tag, kind) = (u16::try_from(self.uint(raw, 0, 2)?).ok()?, u16::try_from(self.uint(raw, 2, 2)?).ok()?);
            if seen.insert(tag) {
                entries.push(Entry { tag, kind, count: self.uint(raw, 4, inline)?, value: raw.get(4 + inline..)? });
            }
        }
        Some(entries)
    }

    /// The bytes of an entry's values, if they are there.
    fn data(self, entry: &Entry<'a>) -> Option<&'a [u8]> {
        let size = usize::try_from(unit_size(entry.kind)?.checked_mul(entry.count)?).ok()?;
        if let Some(data) = entry.value.get(..size) {
            return Some(data);
        }
        let offset = usize::try_from(self.uint(entry.value, 0, entry.value.len())?).ok()?;
        self.bytes.get(offset..offset.checked_add(size)?)
    }

    /// The values of an entry, all of them integers and none negative.
    fn integers(self, entry: &Entry<'a>) -> Option<Vec<u64>> {
        let unit = usize::try_from(unit_size(entry.kind)?).ok()?;
        let signed = match entry.kind {
            1 | 3 | 4 | 16 => false,
            7 if entry.count == 1 => false,
            6 | 8 | 9 | 17 => true,
            _ => return None,
        };
        let values = self.data(entry)?.chunks_exact(unit).map(|chunk| {
            let value = self.uint(chunk, 0, unit)?;
            (!signed || value >> (8 * unit - 1) == 0).then_some(value)
        });
        values.collect()
    }

    /// The values of an entry of fractions.
    fn rationals(self, entry: &Entry<'a>) -> Option<Vec<f64>> {
        let values = self.data(entry).filter(|_| entry.kind == 5)?.chunks_exact(8).map(|chunk| {
            let half = |at| self.uint(chunk, at, 4).and_then(|half| u32::try_from(half).ok()).map_or(0.0, f64::from);
            let (above, below) = (half(0), half(4));
            if below > 0.0 { above / below } else { 0.0 }
        });
        Some(values.collect())
    }

    fn one(self, entry: &Entry<'a>) -> Option<u64> {
        self.integers(entry).filter(|_| entry.count == 1)?.first().copied()
    }

    fn short(self, entry: &Entry<'a>) -> Option<u16> {
        self.one(entry).and_then(|value| u16::try_from(value).ok())
    }

    fn long(self, entry: &Entry<'a>) -> Option<u32> {
        self.one(entry).and_then(|value| u32::try_from(value).ok())
    }

    /// One value, or as many as there are samples and all the same.
    fn short_of_samples(self, entry: &Entry<'a>, samples: u16) -> Option<u16> {
        if entry.count == 1 {
            return self.short(entry);
        }
        let values = self.integers(entry)?;
        let values = values.get(..samples.into())?;
        let first = *values.first()?;
        values.iter().all(|value| *value == first).then(|| u16::try_from(first).ok())?
    }

    fn uint(self, bytes: &[u8], at: usize, size: usize) -> Option<u64> {
        let chunk = bytes.get(at..at.checked_add(size)?)?;
        let fold = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(if self.big_endian { chunk.iter().fold(0, fold) } else { chunk.iter().rev().fold(0, fold) })
    }
}

/// Bytes of one value (TIFF 6.0, section 2, and `BigTIFF`); `None` for kinds that do not exist.
fn unit_size(kind: u16) -> Option<u64> {
    match kind {
        1 | 2 | 6 | 7 => Some(1),
        3 | 8 => Some(2),
        4 | 9 | 11 | 13 => Some(4),
        5 | 10 | 12 | 16..=18 => Some(8),
        _ => None,
    }
}
