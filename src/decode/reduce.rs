//! Rows of pixels in, a reduced [`Picture`] out, in memory that does not grow with the picture's height.
//!
//! Readers that rebuild pixels push them row by row. Reduction is by whole boxes, so no sample is weighted or rounded
//! before the end, and the result depends neither on threads nor on the platform's floating point.

use std::collections::BTreeMap;

use super::Picture;
use crate::model::{AlphaFacts, Raster, Size};

/// Samples a side that a raster has at most.
///
/// Boxes are the smallest that stay below it, so a longer side still has at least half as many; the perceptual hash
/// wants 64 (two for each of its 32 cells), and blankness wants small details not to vanish.
const MAX_SIDE: u32 = 256;

/// Levels by which the channels of a gray pixel may differ: a gray picture that was stored as `YCbCr` comes back with
/// rounding errors of one or two.
const GRAY_TOLERANCE: u8 = 3;

/// Hidden colours that are counted one by one; later ones are ignored, as the commonest has nearly always been seen.
const HIDDEN_COLORS: usize = 1024;

/// What the bytes of a row are, eight bits a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Samples {
    /// One byte a pixel.
    Gray,
    /// Gray and alpha.
    GrayAlpha,
    /// Red, green, blue.
    Rgb,
    /// Red, green, blue, alpha (straight, not multiplied in).
    Rgba,
}

impl Samples {
    /// Bytes of a pixel.
    pub(crate) fn channels(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::GrayAlpha => 2,
            Self::Rgb => 3,
            Self::Rgba => 4,
        }
    }
}

/// Reduces rows to a picture. See the module's documentation.
pub(crate) struct Reducer {
    samples: Samples,
    width: usize,
    /// Sides of a box.
    step: (usize, usize),
    /// Sums over the current row of boxes: red, green, blue.
    sums: Vec<[u64; 3]>,
    rows_in_box: usize,
    luma: Vec<u8>,
    rows: usize,
    colorless: bool,
    alpha: AlphaCount,
}

impl Reducer {
    /// A reducer for a picture of `size`, whose rows are made of `samples`.
    pub(crate) fn new(size: Size, samples: Samples) -> Self {
        let step = |side: u32| usize::try_from(side.div_ceil(MAX_SIDE).max(1)).unwrap_or(usize::MAX);
        let width = usize::try_from(size.width).unwrap_or(usize::MAX);
        let step = (step(size.width), step(size.height));
        Self {
            samples,
            width,
            step,
            sums: vec![[0; 3]; width.div_ceil(step.0)],
            rows_in_box: 0,
            luma: Vec::new(),
            rows: 0,
            colorless: true,
            alpha: AlphaCount::default(),
        }
    }

    /// Takes the next row from the top. Pixels beyond the picture's width are ignored; a row that is too short counts as
    /// black where it ends.
    pub(crate) fn push_row(&mut self, row: &[u8]) {
        let row = row.get(..self.width.saturating_mul(self.samples.channels())).unwrap_or(row);
        match self.samples {
            Samples::Gray => self.add(row.as_chunks::<1>().0, |[gray]| [*gray; 3]),
            Samples::GrayAlpha => {
                let pixels = row.as_chunks::<2>().0;
                self.add(pixels, |[gray, _]| [*gray; 3]);
                for [gray, alpha] in pixels {
                    self.alpha.add(*alpha, [*gray; 3]);
                }
            }
            Samples::Rgb => {
                let pixels = row.as_chunks::<3>().0;
                self.add(pixels, |pixel| *pixel);
                self.look_for_color(pixels.iter().copied());
            }
            Samples::Rgba => {
                let pixels = row.as_chunks::<4>().0;
                self.add(pixels, |[red, green, blue, _]| [*red, *green, *blue]);
                self.look_for_color(pixels.iter().map(|[red, green, blue, _]| [*red, *green, *blue]));
                for [red, green, blue, alpha] in pixels {
                    self.alpha.add(*alpha, [*red, *green, *blue]);
                }
            }
        }
        self.rows += 1;
        self.rows_in_box += 1;
        if self.rows_in_box == self.step.1 {
            self.close_box();
        }
    }

    /// The picture made of the rows that were pushed, however many; `None` if there was none.
    pub(crate) fn finish(mut self) -> Option<Picture> {
        if self.rows_in_box > 0 {
            self.close_box();
        }
        let width = self.sums.len();
        if width == 0 || self.luma.is_empty() {
            return None;
        }
        let raster = Raster { width, height: self.luma.len() / width, luma: self.luma };
        let (has_alpha, has_color) = match self.samples {
            Samples::Gray => (false, false),
            Samples::GrayAlpha => (true, false),
            Samples::Rgb => (false, true),
            Samples::Rgba => (true, true),
        };
        Some(Picture { raster, alpha: has_alpha.then(|| self.alpha.facts()), colorless: has_color.then_some(self.colorless) })
    }

    fn add<const N: usize>(&mut self, pixels: &[[u8; N]], color: impl Fn(&[u8; N]) -> [u8; 3]) {
        for (sum, pixels) in self.sums.iter_mut().zip(pixels.chunks(self.step.0)) {
            // A box is at most 2^32 / 256 pixels wide, so a row of it fits in 32 bits.
            let mut row = [0_u32; 3];
            for pixel in pixels {
                row.iter_mut().zip(color(pixel)).for_each(|(sum, sample)| *sum += u32::from(sample));
            }
            sum.iter_mut().zip(row).for_each(|(sum, row)| *sum += u64::from(row));
        }
    }

    fn look_for_color(&mut self, mut pixels: impl Iterator<Item = [u8; 3]>) {
        let is_gray = |[red, green, blue]: [u8; 3]| red.max(green).max(blue) - red.min(green).min(blue) <= GRAY_TOLERANCE;
        self.colorless = self.colorless && pixels.all(is_gray);
    }

    fn close_box(&mut self) {
        let (width, step) = (self.width, self.step.0);
        for (index, sum) in self.sums.iter_mut().enumerate() {
            let columns = step.min(width - index * step);
            let pixels = (columns * self.rows_in_box) as u64;
            let [red, green, blue] = *sum;
            let luma = (299 * red + 587 * green + 114 * blue + 500 * pixels) / (1000 * pixels);
            self.luma.push(u8::try_from(luma).unwrap_or(u8::MAX));
            *sum = [0; 3];
        }
        self.rows_in_box = 0;
    }
}

/// Counts pixels by their alpha.
#[derive(Default)]
struct AlphaCount {
    pixels: u64,
    transparent: u64,
    partial: u64,
    hidden: u64,
    hidden_colors: BTreeMap<[u8; 3], u64>,
    /// The latest hidden colour and how often it came in a row, so that the map is asked once a run.
    run: Option<([u8; 3], u64)>,
}

impl AlphaCount {
    fn add(&mut self, alpha: u8, color: [u8; 3]) {
        self.pixels += 1;
        match alpha {
            u8::MAX => {}
            0 => {
                self.transparent += 1;
                if color != [0; 3] {
                    self.hidden += 1;
                    self.add_hidden(color);
                }
            }
            _ => self.partial += 1,
        }
    }

    fn add_hidden(&mut self, color: [u8; 3]) {
        match &mut self.run {
            Some((known, count)) if *known == color => *count += 1,
            _ => {
                self.end_run();
                self.run = Some((color, 1));
            }
        }
    }

    fn end_run(&mut self) {
        let Some((color, count)) = self.run.take() else { return };
        if self.hidden_colors.len() < HIDDEN_COLORS || self.hidden_colors.contains_key(&color) {
            *self.hidden_colors.entry(color).or_default() += count;
        }
    }

    fn facts(mut self) -> AlphaFacts {
        self.end_run();
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a share is told to a few digits")]
        let share = |count: u64| (count as f64 / self.pixels.max(1) as f64) as f32;
        AlphaFacts {
            transparent: share(self.transparent),
            partial: share(self.partial),
            hidden: share(self.hidden),
            hidden_color: self.hidden_colors.iter().max_by_key(|(_, count)| **count).map(|(color, _)| *color),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(size: (u32, u32), samples: Samples, pixel: impl Fn(u32, u32) -> Vec<u8>) -> Picture {
        let mut reducer = Reducer::new(Size::new(size.0, size.1), samples);
        for y in 0..size.1 {
            reducer.push_row(&(0..size.0).flat_map(|x| pixel(x, y)).collect::<Vec<_>>());
        }
        reducer.finish().expect("rows were pushed")
    }

    #[test]
    fn small_pictures_keep_every_pixel() {
        let picture = reduced((3, 2), Samples::Gray, |x, y| vec![u8::try_from(10 * y + x).unwrap()]);
        assert_eq!(picture.raster, Raster { width: 3, height: 2, luma: vec![0, 1, 2, 10, 11, 12] });
        assert_eq!((picture.alpha, picture.colorless), (None, None));
    }

    #[test]
    fn large_pictures_have_between_64_and_256_samples_a_side() {
        for side in [64, 255, 256, 257, 511, 513, 1000, 4001] {
            let raster = reduced((side, 300), Samples::Gray, |_, _| vec![7]).raster;
            assert!((64..=256).contains(&raster.width), "{side} became {}", raster.width);
            assert_eq!(raster.height, 150);
            assert!(raster.luma.iter().all(|luma| *luma == 7), "{side}");
        }
    }

    #[test]
    fn boxes_are_means_in_bt601() {
        let picture = reduced((512, 1), Samples::Rgb, |x, _| if x % 2 == 0 { vec![255, 0, 0] } else { vec![0, 0, 255] });
        // (0.299 + 0.114) * 255 / 2 = 52.66
        assert!(picture.raster.luma.iter().all(|luma| *luma == 53));
        assert_eq!(picture.colorless, Some(false));
    }

    #[test]
    fn channels_a_level_apart_are_no_colour() {
        assert_eq!(reduced((4, 4), Samples::Rgb, |_, _| vec![100, 101, 99]).colorless, Some(true));
    }

    #[test]
    fn hidden_colours_are_counted() {
        let picture = reduced((10, 10), Samples::Rgba, |x, y| match (x, y) {
            (0, _) => vec![9, 8, 7, 0],
            (1, 0) => vec![200, 0, 0, 0],
            (2, _) => vec![0, 0, 0, 0],
            (3, _) => vec![1, 1, 1, 128],
            _ => vec![255, 255, 255, 255],
        });
        let alpha = picture.alpha.expect("there is an alpha channel");
        assert!((alpha.transparent - 0.21).abs() < 1e-6);
        assert!((alpha.partial - 0.1).abs() < 1e-6);
        assert!((alpha.hidden - 0.11).abs() < 1e-6);
        assert_eq!(alpha.hidden_color, Some([9, 8, 7]));
    }

    #[test]
    fn missing_rows_are_left_out() {
        let mut reducer = Reducer::new(Size::new(2, 1000), Samples::Gray);
        reducer.push_row(&[5, 5]);
        assert_eq!(reducer.finish().map(|picture| picture.raster), Some(Raster { width: 2, height: 1, luma: vec![5, 5] }));
        assert!(Reducer::new(Size::new(2, 2), Samples::Gray).finish().is_none());
        assert!(Reducer::new(Size::new(0, 0), Samples::Rgba).finish().is_none());
    }
}
