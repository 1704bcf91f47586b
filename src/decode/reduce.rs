//! Rows of 8-bit samples in, a [`Picture`] out: the reduced raster, transparency and colour of one frame.
//!
//! Readers that rebuild pixels row by row feed them here and keep no picture. Memory depends on the reduction (at most
//! 128 x 128 cells, whatever the size of the picture) and on the longest row, up to 2 MiB. Rows may come in any order and may be sparse (Adam7, GIF interlace).
//! Nothing here knows of a format.

use std::ops::Range;

use super::Picture;
use super::alpha::AlphaCounter;
use crate::model::{Raster, Size};

/// Samples that a side of the raster has at least, where the picture has as many pixels; at most twice as many.
const SIDE: u32 = 64;

/// Levels by which the channels of a gray pixel may differ: a gray picture that was stored as `YCbCr` comes back with
/// rounding errors of one or two.
const GRAY_TOLERANCE: u8 = 3;

/// How the samples of a row are laid out, 8 bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Gray.
    Gray,
    /// Gray, alpha.
    GrayAlpha,
    /// Red, green, blue.
    Rgb,
    /// Red, green, blue, alpha.
    Rgba,
}

impl Layout {
    /// Bytes of one pixel.
    pub(crate) fn channels(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::GrayAlpha => 2,
            Self::Rgb => 3,
            Self::Rgba => 4,
        }
    }
}

/// Sums of the pixels that fall into one sample of the raster.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    rgb: [u64; 3],
    pixels: u64,
}

/// Sums of whole rows, sample by sample, on their way to the cells of one row of the raster: down a column many samples are
/// added at a time.
#[derive(Debug, Default)]
struct Pending {
    sums: Vec<u16>,
    rows: u16,
    cells: Range<usize>,
}

impl Pending {
    /// Rows of which the sums are not too large for 16 bits.
    const MOST: u16 = u16::MAX / 255;

    /// Samples of a row above which its sums would not stay in the cache, and might take more memory than the picture.
    const WIDEST: usize = 1 << 20;

    /// Whether another row of so many samples, for these cells, can be added.
    fn takes(&self, cells: &Range<usize>, samples: usize) -> bool {
        self.rows > 0 && self.rows < Self::MOST && self.cells == *cells && self.sums.len() == samples
    }

    fn begin(&mut self, cells: Range<usize>, samples: usize) {
        self.sums.clear();
        self.sums.resize(samples, 0);
        self.cells = cells;
    }

    fn add(&mut self, samples: &[u8]) {
        for (sum, sample) in self.sums.iter_mut().zip(samples) {
            *sum += u16::from(*sample);
        }
        self.rows += 1;
    }
}

/// Collects the rows of one frame.
#[derive(Debug)]
pub(crate) struct Reducer {
    layout: Layout,
    size: Size,
    /// The row that [`Reducer::push_row`] takes next.
    next: u32,
    /// Whether any row was taken.
    is_empty: bool,
    /// Pixels a cell takes across and down.
    step: [u32; 2],
    columns: usize,
    cells: Vec<Cell>,
    /// What of the rows taken last is not in the cells yet.
    pending: Pending,
    color_seen: bool,
    /// The first pixel, and whether any pixel is clearly another: a flat raster alone does not mean a flat picture.
    first: Option<[u8; 4]>,
    has_detail: bool,
    alpha: AlphaCounter,
}

impl Reducer {
    /// A reducer for a frame of this size; `None` where a side is zero.
    pub(crate) fn new(size: Size, layout: Layout) -> Option<Self> {
        if size.pixels() == 0 {
            return None;
        }
        let step = [(size.width / SIDE).max(1), (size.height / SIDE).max(1)];
        let columns = usize::try_from(size.width.div_ceil(step[0])).ok()?;
        let rows = usize::try_from(size.height.div_ceil(step[1])).ok()?;
        let cells = vec![Cell::default(); columns * rows];
        Some(Self {
            layout,
            size,
            next: 0,
            is_empty: true,
            step,
            columns,
            cells,
            pending: Pending::default(),
            color_seen: false,
            first: None,
            has_detail: false,
            alpha: AlphaCounter::default(),
        })
    }

    /// How samples must be laid out.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Takes row `y`; rows outside the frame and samples beyond its width are ignored.
    pub(crate) fn row(&mut self, y: u32, samples: &[u8]) {
        let Some(cells) = self.cells_of_row(y) else { return };
        let width = usize::try_from(self.size.width).unwrap_or(usize::MAX);
        let samples = samples.get(..width.saturating_mul(self.layout.channels())).unwrap_or(samples);
        if samples.len() > Pending::WIDEST {
            return self.sparse_row(y, 0, 1, samples);
        }
        if !self.pending.takes(&cells, samples.len()) {
            self.settle();
            self.pending.begin(cells, samples.len());
        }
        self.pending.add(samples);
        self.look_at(samples);
    }

    /// Brings what is pending into the cells.
    fn settle(&mut self) {
        let step = usize::try_from(self.step[0]).unwrap_or(usize::MAX).saturating_mul(self.layout.channels());
        let cells = self.cells.get_mut(self.pending.cells.clone()).unwrap_or_default();
        for (cell, sums) in cells.iter_mut().zip(self.pending.sums.chunks(step)) {
            add_sums(cell, sums, self.pending.rows, self.layout);
        }
        self.pending.rows = 0;
    }

    /// Takes the row below the one that this took last, the top row first.
    pub(crate) fn push_row(&mut self, samples: &[u8]) {
        self.row(self.next, samples);
        self.next = self.next.saturating_add(1);
    }

    /// Takes the pixels of row `y` that stand at `first`, `first + stride`, and so on: part of a row, or of a pass.
    pub(crate) fn sparse_row(&mut self, y: u32, first: u32, stride: u32, samples: &[u8]) {
        let Some(cells) = self.cells_of_row(y) else { return };
        let (step, layout, stride) = (self.step[0], self.layout, stride.max(1));
        let channels = layout.channels();
        let row = &mut self.cells[cells];
        let mut x = first;
        let mut rest = samples;
        while !rest.is_empty() && x < self.size.width {
            // As many pixels as fall into the cell of the first of them.
            let cell_end = (x / step).saturating_add(1).saturating_mul(step).min(self.size.width);
            let pixels = cell_end.saturating_sub(x).div_ceil(stride);
            let bytes = usize::try_from(pixels).unwrap_or(usize::MAX).saturating_mul(channels);
            let (run, behind) = rest.split_at(bytes.min(rest.len()));
            if let Some(cell) = usize::try_from(x / step).ok().and_then(|column| row.get_mut(column)) {
                add_run(cell, run, layout);
            }
            x = x.saturating_add(pixels.saturating_mul(stride));
            rest = behind;
        }
        self.look_at(samples);
    }

    /// The picture, from the rows that were taken, or `None` if there was none; parts that no row covered are black, as
    /// loaders leave them.
    pub(crate) fn finish(mut self) -> Option<Picture> {
        if self.is_empty {
            return None;
        }
        self.settle();
        let luma = self.cells.iter().map(|cell| cell_luma(cell, self.layout)).collect::<Vec<_>>();
        let height = luma.len() / self.columns.max(1);
        let (alpha, colorless) = match self.layout {
            Layout::Gray => (None, None),
            Layout::GrayAlpha => (Some(()), None),
            Layout::Rgb => (None, Some(!self.color_seen)),
            Layout::Rgba => (Some(()), Some(!self.color_seen)),
        };
        let pixels = self.size.pixels();
        let raster = Raster { width: self.columns, height, luma };
        Some(Picture { raster, alpha: alpha.map(|()| self.alpha.finish(pixels)), colorless, has_detail: self.has_detail })
    }

    fn cells_of_row(&self, y: u32) -> Option<Range<usize>> {
        if y >= self.size.height {
            return None;
        }
        let start = usize::try_from(y / self.step[1]).ok()?.checked_mul(self.columns)?;
        let range = start..start.checked_add(self.columns)?;
        (range.end <= self.cells.len()).then_some(range)
    }

    /// Stops looking once there is detail, which is in the first rows of nearly every picture.
    fn look_for_detail(&mut self, samples: &[u8]) {
        if self.has_detail {
            return;
        }
        // Alpha counts as well: a shape may be drawn in it alone.
        let channels = self.layout.channels();
        let first = *self.first.get_or_insert_with(|| {
            let mut pixel = [0; 4];
            pixel.iter_mut().zip(samples).take(channels).for_each(|(kept, sample)| *kept = *sample);
            pixel
        });
        let differs = |pixel: &[u8]| pixel.iter().zip(first).any(|(sample, first)| sample.abs_diff(first) > DETAIL_LEVELS);
        self.has_detail = samples.chunks_exact(channels).any(differs);
    }

    fn look_at(&mut self, samples: &[u8]) {
        self.is_empty = false;
        self.look_for_detail(samples);
        match self.layout {
            Layout::Gray => {}
            Layout::GrayAlpha => {
                for pixel in samples.chunks_exact(2) {
                    self.alpha.count([pixel[0]; 3], pixel[1]);
                }
            }
            Layout::Rgb => {
                if !self.color_seen {
                    self.color_seen = samples.chunks_exact(3).any(has_color);
                }
            }
            Layout::Rgba => {
                if !self.color_seen {
                    self.color_seen = samples.chunks_exact(4).any(has_color);
                }
                // Rows without transparency are the rule, and one pass over the alpha bytes tells.
                if samples.chunks_exact(4).all(|pixel| pixel[3] == 255) {
                    return;
                }
                for pixel in samples.chunks_exact(4) {
                    self.alpha.count([pixel[0], pixel[1], pixel[2]], pixel[3]);
                }
            }
        }
    }
}

/// Levels from the first pixel from which on a pixel is clearly another.
const DETAIL_LEVELS: u8 = 8;

/// Whether the channels of a pixel, red, green and blue first, differ by more than rounding makes them.
fn has_color(pixel: &[u8]) -> bool {
    let [red, green, blue, ..] = *pixel else { return false };
    red.max(green).max(blue) - red.min(green).min(blue) > GRAY_TOLERANCE
}

/// Adds sums over so many rows to `cell`.
fn add_sums(cell: &mut Cell, sums: &[u16], rows: u16, layout: Layout) {
    let channels = layout.channels();
    let colors = if channels < 3 { 1 } else { 3 };
    for pixel in sums.chunks_exact(channels) {
        for (total, sum) in cell.rgb.iter_mut().zip(pixel.iter().take(colors)) {
            *total += u64::from(*sum);
        }
    }
    cell.pixels += (sums.len() / channels) as u64 * u64::from(rows);
}

/// Adds the pixels of `run` to `cell`. Gray is summed in the first channel only.
fn add_run(cell: &mut Cell, run: &[u8], layout: Layout) {
    match layout {
        Layout::Gray => {
            cell.rgb[0] += run.iter().map(|&sample| u64::from(sample)).sum::<u64>();
            cell.pixels += run.len() as u64;
        }
        Layout::GrayAlpha => add_pixels::<2, 1>(cell, run),
        Layout::Rgb => add_pixels::<3, 3>(cell, run),
        Layout::Rgba => add_pixels::<4, 3>(cell, run),
    }
}

fn add_pixels<const CHANNELS: usize, const COLORS: usize>(cell: &mut Cell, run: &[u8]) {
    // A run is at most 2^26 pixels (a side of 2^32 in 64 cells), so that 64-bit sums are safe and 32-bit ones are not.
    let mut sums = [0_u64; 3];
    for pixel in run.chunks_exact(CHANNELS) {
        for channel in 0..COLORS {
            sums[channel] += u64::from(pixel[channel]);
        }
    }
    for (total, sum) in cell.rgb.iter_mut().zip(sums) {
        *total += sum;
    }
    cell.pixels += (run.len() / CHANNELS) as u64;
}

/// Mean luma of a cell (ITU-R BT.601 weights in 16 bits, as Pillow's `Convert.c` rounds them).
fn cell_luma(cell: &Cell, layout: Layout) -> u8 {
    if cell.pixels == 0 {
        return 0;
    }
    let mean = match layout {
        Layout::Gray | Layout::GrayAlpha => (cell.rgb[0] + cell.pixels / 2) / cell.pixels,
        Layout::Rgb | Layout::Rgba => {
            let [red, green, blue] = cell.rgb.map(u128::from);
            let weighted = red * 19_595 + green * 38_470 + blue * 7_471;
            let pixels = u128::from(cell.pixels) << 16;
            u64::try_from((weighted + pixels / 2) / pixels).unwrap_or(255)
        }
    };
    u8::try_from(mean).unwrap_or(255)
}

/// `part` of `whole`, 0 to 1; 0 of nothing is 0.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a share for reports; seven digits are plenty")]
pub(crate) fn share_of(part: u64, whole: u64) -> f32 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64) as f32 }
}

#[cfg(test)]
mod tests {
    use super::{Layout, Reducer};
    use crate::model::Size;

    #[test]
    fn small_pictures_keep_every_pixel() {
        let mut reducer = Reducer::new(Size::new(2, 1), Layout::Rgb).unwrap();
        reducer.row(0, &[255, 0, 0, 255, 255, 255]);
        let picture = reducer.finish().unwrap();
        assert_eq!((picture.raster.width, picture.raster.height), (2, 1));
        assert_eq!(picture.raster.luma, [76, 255]);
        assert_eq!(picture.colorless, Some(false));
        assert_eq!(picture.alpha, None);
    }

    #[test]
    fn large_pictures_are_averaged_in_boxes() {
        let mut reducer = Reducer::new(Size::new(1000, 130), Layout::Gray).unwrap();
        for y in 0..130 {
            reducer.row(y, &[if y % 2 == 0 { 10 } else { 30 }; 1000]);
        }
        let raster = reducer.finish().unwrap().raster;
        assert_eq!((raster.width, raster.height), (67, 65));
        assert!(raster.luma.iter().all(|&luma| luma == 20));
    }

    #[test]
    fn hidden_colors_are_counted_and_black_is_none() {
        let mut reducer = Reducer::new(Size::new(4, 1), Layout::Rgba).unwrap();
        reducer.row(0, &[255, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 128, 1, 2, 3, 255]);
        let alpha = reducer.finish().unwrap().alpha.unwrap();
        assert_eq!((alpha.transparent, alpha.partial, alpha.hidden), (0.5, 0.25, 0.25));
        assert_eq!(alpha.hidden_color, Some([255, 0, 0]));
    }

    #[test]
    fn sparse_rows_land_where_they_belong() {
        let mut reducer = Reducer::new(Size::new(4, 1), Layout::Gray).unwrap();
        reducer.sparse_row(0, 1, 2, &[10, 20, 99]);
        reducer.sparse_row(7, 0, 1, &[1]);
        assert_eq!(reducer.finish().unwrap().raster.luma, [0, 10, 0, 20]);
    }

    #[test]
    fn detail_that_the_raster_cannot_show_is_noticed() {
        let rows = |pixel: fn(u32, u32) -> u8| {
            let mut reducer = Reducer::new(Size::new(512, 512), Layout::Gray).unwrap();
            (0..512).for_each(|y| reducer.push_row(&(0..512).map(|x| pixel(x, y)).collect::<Vec<_>>()));
            reducer.finish().unwrap()
        };
        let checks = rows(|x, y| if (x / 2 + y / 2) % 2 == 0 { 0 } else { 255 });
        assert!(checks.has_detail && checks.raster.luma.iter().all(|luma| (126..=128).contains(luma)));
        assert!(!rows(|x, _| 100 + u8::try_from(x % 3).unwrap()).has_detail);
    }

    #[test]
    fn channels_a_level_apart_are_no_color() {
        let mut reducer = Reducer::new(Size::new(2, 1), Layout::Rgb).unwrap();
        reducer.push_row(&[100, 101, 99, 5, 5, 7]);
        assert_eq!(reducer.finish().unwrap().colorless, Some(true));
    }

    #[test]
    fn missing_rows_are_black_and_no_rows_are_no_picture() {
        let mut reducer = Reducer::new(Size::new(2, 3), Layout::Gray).unwrap();
        reducer.push_row(&[5, 5]);
        assert_eq!(reducer.finish().unwrap().raster.luma, [5, 5, 0, 0, 0, 0]);
        assert!(Reducer::new(Size::new(2, 2), Layout::Gray).unwrap().finish().is_none());
    }

    #[test]
    fn a_frame_without_pixels_has_no_reducer() {
        assert!(Reducer::new(Size::new(0, 5), Layout::Gray).is_none());
    }
}
