//! Compressed data: whether Pillow loads it through libtiff, and what is wrong with it.
//!
//! Pillow hands the whole file to libtiff and takes strip by strip, or tile by tile, what comes back (`TiffDecode.c`). Each is
//! walked here without rebuilding its pixels; what a codec of libtiff forgives is said beside the walk of that codec.

use std::borrow::Cow;
use std::time::Instant;

use super::directory::Page;
use super::fax::{Fax, Scheme, Task};
use super::pillow::Opened;
use super::walked::{Outcome, Walked};
use super::{deflate, jpeg, lzw, old_jpeg, packbits};
use crate::decode::Limits;
use crate::model::{Fault, FaultKind, Verdict};

/// Size above which libtiff takes strips for too large for their compressed size, by a measure of its own.
const SUSPECT_BYTES: u64 = 100 << 20;

/// What is known of the compressed data of a page.
pub(super) struct Loaded {
    pub(super) verdict: Verdict,
    /// The first fault that the walk found, where the data was walked.
    pub(super) fault: Option<Fault>,
    /// Share of the picture that is lost, 0 to 1, where it can be told.
    pub(super) lost: Option<f32>,
    /// Whether all of the data was walked.
    pub(super) walked: bool,
}

/// Walks the compressed data of a page that Pillow has opened.
pub(super) fn load(bytes: &[u8], opened: &Opened, limits: &Limits) -> Loaded {
    let unwalked = |verdict| Loaded { verdict, fault: None, lost: None, walked: false };
    let Some(page) = Page::read(bytes) else { return unwalked(refused(2)) };
    if (page.width, page.height) != (opened.size.width, opened.size.height) {
        return unwalked(refused(2));
    }
    let mut walk = Walk::new(bytes, &page, opened, limits);
    match walk.check_sizes() {
        Err(code) => return unwalked(refused(code)),
        Ok(()) if walk.codec.is_none() => return unwalked(Verdict::Unknown),
        Ok(()) => {}
    }
    walk.run()
}

/// Pillow's message for the errors that its decoders number.
fn refused(code: u8) -> Verdict {
    Verdict::refuses_load("OSError", format!("decoder error -{code}"))
}

/// What unpacks strips and tiles.
enum Codec {
    Lzw,
    PackBits,
    Deflate,
    Fax(Box<Fax>),
    OldJpeg,
    Jpeg(Option<Box<jpeg::Pieces>>),
}

struct Walk<'a> {
    bytes: &'a [u8],
    page: &'a Page<'a>,
    opened: &'a Opened,
    limits: Limits,
    deadline: Instant,
    codec: Option<Codec>,
    /// Whether Pillow has libtiff convert the picture, which then forgives what is wrong inside strips.
    converted: bool,
    /// Whether JPEG data comes back in RGB.
    upsampled: bool,
    /// Planes that Pillow asks for.
    planes: u64,
}

impl<'a> Walk<'a> {
    fn new(bytes: &'a [u8], page: &'a Page<'a>, opened: &'a Opened, limits: &'a Limits) -> Self {
        let is_ycbcr = page.photometric == 6;
        let upsampled = is_ycbcr && page.compression == 7 && !page.planar;
        let bands = opened.bands();
        let codec = match page.compression {
            2 => Some(Codec::Fax(Box::new(Fax::new(Scheme::Rle { words: false })))),
            32771 => Some(Codec::Fax(Box::new(Fax::new(Scheme::Rle { words: true })))),
            3 => Some(Codec::Fax(Box::new(Fax::new(Scheme::Group3 { two_dimensional: page.fax_options & 1 == 1 })))),
            4 => Some(Codec::Fax(Box::new(Fax::new(Scheme::Group4)))),
            5 => Some(Codec::Lzw),
            6 => Some(Codec::OldJpeg),
            7 if is_ycbcr && page.planar => None,
            7 => Some(Codec::Jpeg(jpeg::Pieces::new(page, upsampled).map(Box::new))),
            8 | 32946 => Some(Codec::Deflate),
            32773 => Some(Codec::PackBits),
            _ => None,
        };
        let planes = if page.planar && bands > 1 { bands } else { 1 };
        Self {
            bytes,
            page,
            opened,
            limits: *limits,
            deadline: limits.deadline(),
            codec,
            converted: is_ycbcr && !upsampled,
            upsampled,
            planes,
        }
    }

    /// Pillow's and libtiff's checks before the first strip; the number of Pillow's error where one fails.
    fn check_sizes(&self) -> Result<(), u8> {
        let page = self.page;
        if self.converted {
            // Converting has to know the layout (`tif_getimage.c`, `PickContigCase` and `PickSeparateCase`).
            let factors = page.subsampling;
            let is_known = if page.planar { factors == (1, 1) } else { !matches!(factors, (1 | 2, 4)) };
            return if page.bits == 8 && page.samples == 3 && is_known && page.is_convertible { Ok(()) } else { Err(2) };
        }
        if self.planes > 1 && !matches!(page.bits, 8 | 16) {
            return Err(2);
        }
        let size = page.part_bytes(page.height, self.upsampled).unwrap_or(0);
        let row = page.row_bytes(self.upsampled).unwrap_or(0);
        let bits = self.opened.raw_mode_bits(self.upsampled);
        if let Some((width, height)) = page.tile {
            let room = (u64::from(height) * bits / self.planes).div_ceil(8).saturating_mul(width.into());
            let too_large = size >= i32::MAX as u64 || i32::try_from(width).is_err() || i32::try_from(height).is_err();
            return if size == 0 || row == 0 || row > size {
                Err(2)
            } else if too_large {
                Err(9)
            } else if size > room {
                Err(2)
            } else {
                Ok(())
            };
        }
        let rows = if page.rows_per_strip == u32::MAX { page.height } else { page.rows_per_strip };
        if i32::try_from(rows).is_err() || size >= i32::MAX as u64 {
            return Err(9);
        }
        let own_row = (u64::from(page.width) * bits / self.planes).div_ceil(8);
        if size > own_row.saturating_mul(rows.into()) || row == 0 || own_row > row { Err(2) } else { Ok(()) }
    }

    fn run(&mut self) -> Loaded {
        let (mut verdict, mut first, mut lost, mut total) = (Verdict::Ok, None, Some(0.0), 0.0);
        let (columns, lines) = self.grid();
        let mut unknown = false;
        for plane in 0..self.planes {
            for line in 0..lines {
                for column in 0..columns {
                    let rows = self.rows_of(line);
                    let walked = if Instant::now() > self.deadline {
                        Walked::timed_out()
                    } else {
                        self.part(self.page.first_part(plane) + line * columns + column, rows)
                    };
                    // Where libtiff converts, only the data of the first part of a row of them must be there.
                    let outcome = match walked.outcome {
                        Outcome::Refused if self.converted && !self.is_needed(column, &walked) => Outcome::Taken,
                        outcome => outcome,
                    };
                    unknown |= outcome == Outcome::Unknown;
                    if outcome == Outcome::Refused {
                        verdict = refused(2);
                    }
                    let weight = f64::from(rows);
                    total += weight;
                    lost = lost.zip(walked.lost).map(|(lost, more)| lost + weight * f64::from(more));
                    first = first.or(walked.fault);
                    if first.as_ref().is_some_and(|fault| fault.kind == FaultKind::TimedOut) {
                        return Loaded { verdict: Verdict::Unknown, fault: first, lost: None, walked: false };
                    }
                }
            }
        }
        if unknown && verdict == Verdict::Ok {
            verdict = Verdict::Unknown;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a share needs no more digits")]
        let lost = lost.map(|lost| (lost / f64::max(total, 1.0)) as f32);
        Loaded { verdict, fault: first, lost, walked: !unknown }
    }

    /// Whether a part that libtiff is to convert has to be read: only the first of a line, and only up to its codec's start.
    fn is_needed(&self, column: u64, walked: &Walked) -> bool {
        column == 0 && (walked.is_absent() || matches!(self.codec, Some(Codec::OldJpeg)))
    }

    /// Columns and lines of strips or tiles in a plane.
    fn grid(&self) -> (u64, u64) {
        match self.page.tile {
            Some((width, height)) => (self.page.width.div_ceil(width.max(1)).into(), self.page.height.div_ceil(height.max(1)).into()),
            None => (1, self.page.height.div_ceil(self.page.rows_per_strip).into()),
        }
    }

    /// Rows of a strip or tile of this line.
    fn rows_of(&self, line: u64) -> u32 {
        if let Some((_, height)) = self.page.tile {
            return height;
        }
        let rows = u64::from(self.page.rows_per_strip);
        u32::try_from(u64::from(self.page.height).saturating_sub(line * rows).min(rows)).unwrap_or(u32::MAX)
    }

    fn part(&mut self, index: u64, rows: u32) -> Walked {
        let page = self.page;
        if matches!(self.codec, Some(Codec::OldJpeg)) {
            self.limits.time = self.deadline.saturating_duration_since(Instant::now());
            return old_jpeg::walk(self.bytes, page, &self.limits);
        }
        let wanted = page.part_bytes(rows, self.upsampled).unwrap_or(0);
        let largest = page.part_bytes(page.height, self.upsampled).unwrap_or(0);
        let (offset, mut count) = page.part(index);
        if count > 1 << 20 && (count - 4096) / 10 > largest {
            count = largest * 10 + 4096;
        }
        let Some((at, data)) = data_at(self.bytes, offset, count) else { return Walked::absent(self.bytes.len()) };
        if index >= page.parts {
            return Walked::absent(at);
        }
        let is_coded_by_order = matches!(self.codec, Some(Codec::Fax(_) | Codec::Jpeg(_)));
        let data = if page.reversed && !is_coded_by_order {
            Cow::Owned(data.iter().map(|byte| byte.reverse_bits()).collect::<Vec<u8>>())
        } else {
            Cow::Borrowed(data)
        };
        if matches!(self.codec, Some(Codec::Lzw | Codec::Deflate)) && !predictor_is_valid(page) {
            return Walked::broken(0, 1, at, format!("there is no predictor {} for {} bits", page.predictor, page.bits));
        }
        self.limits.time = self.deadline.saturating_duration_since(Instant::now());
        let deadline = self.deadline;
        let mut walked = match &mut self.codec {
            Some(Codec::Lzw) => lzw::walk(&data, wanted, at),
            Some(Codec::PackBits) => packbits::walk(&data, wanted, at),
            Some(Codec::Deflate) => deflate::walk(&data, wanted, at, deadline),
            Some(Codec::Jpeg(pieces)) => jpeg::walk(pieces.as_deref_mut(), page, &data, rows, index, at, &self.limits),
            Some(Codec::Fax(fax)) => {
                if page.bits != 1 || (page.samples != 1 && !page.planar) {
                    return Walked::broken(0, 1, at, "fax data has one bit and one sample");
                }
                let task = Task {
                    data: &data,
                    at,
                    width: page.tile.map_or(page.width, |tile| tile.0),
                    rows: rows.into(),
                    reversed: page.reversed,
                    memory: self.limits.memory_bytes,
                    deadline,
                };
                fax.walk(&task, page.tile.is_some())
            }
            None | Some(Codec::OldJpeg) => {
                Walked::unknown(Fault::new(FaultKind::NoDecoder, "there is no decoder for this compression here"))
            }
        };
        if largest > SUSPECT_BYTES && walked.outcome == Outcome::Taken && count < largest / 100 {
            walked.outcome = Outcome::Unknown;
        }
        walked
    }
}

/// The data of a strip or tile, and where it begins; `None` where it is empty or not all there.
fn data_at(bytes: &[u8], offset: u64, count: u64) -> Option<(usize, &[u8])> {
    let at = usize::try_from(offset).ok()?;
    let data = bytes.get(at..at.checked_add(usize::try_from(count).ok()?)?)?;
    (!data.is_empty()).then_some((at, data))
}

/// Whether libtiff has the predictor for such samples (`tif_predict.c`, `PredictorSetup`).
fn predictor_is_valid(page: &Page<'_>) -> bool {
    match page.predictor {
        1 => true,
        2 => matches!(page.bits, 8 | 16 | 32 | 64),
        3 => page.sample_format == 3 && matches!(page.bits, 16 | 24 | 32 | 64),
        _ => false,
    }
}
