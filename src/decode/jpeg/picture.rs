//! The reduced picture: one sample for each 8x8 block, from its DC value, in gray.

use super::frame::{Component, Frame};
use super::markers::Tables;
use super::plane::Plane;
use crate::decode::reading::Picture;
use crate::model::Raster;

/// What the components mean (libjpeg's `default_decompress_parms`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    /// The first component is luma, and others are not looked at.
    Gray,
    /// Luma and chroma.
    YCbCr,
    /// Red, green, blue.
    Rgb,
    /// Four inks, inverted, as Adobe's programs store them and Pillow takes them.
    Cmyk,
    /// Inks turned to luma and chroma, and black.
    Ycck,
}

impl Space {
    fn of(frame: &Frame, tables: &Tables) -> Self {
        let ids: Vec<u8> = frame.components.iter().map(|component| component.id).collect();
        match (ids.as_slice(), tables.adobe) {
            ([_, _, _], Some(0)) | ([b'R', b'G', b'B'], None) if !tables.jfif => Self::Rgb,
            ([_, _, _], _) => Self::YCbCr,
            ([_, _, _, _], None | Some(0)) => Self::Cmyk,
            ([_, _, _, _], Some(_)) => Self::Ycck,
            _ => Self::Gray,
        }
    }
}

/// A component's samples.
struct Samples<'a> {
    component: &'a Component,
    plane: &'a Plane,
    precision: u8,
}

impl Samples<'_> {
    /// The sample at a place in the grid of another component that is `columns` x `rows` large, 0 to 255.
    fn at(&self, (column, row): (usize, usize), (columns, rows): (usize, usize)) -> u8 {
        let (own_columns, own_rows) = self.component.blocks;
        let (x, y) = if (own_columns, own_rows) == (columns, rows) {
            (column, row)
        } else {
            (column * own_columns / columns.max(1), row * own_rows / rows.max(1))
        };
        self.level(self.plane.dc.get(y * self.plane.stride + x).copied().unwrap_or(0))
    }

    /// The mean of a block with this DC value: an eighth of it above the middle (T.81, A.3.3).
    fn level(&self, dc: i16) -> u8 {
        let sum = i32::from(dc) * i32::from(self.plane.quantization.unwrap_or(0));
        let level = if self.precision > 8 { (sum + 16_384 + 64) >> 7 } else { (sum + 1024 + 4) >> 3 };
        u8::try_from(level.clamp(0, 255)).unwrap_or(u8::MAX)
    }

    /// Whether no block is further than one level from the middle.
    fn is_neutral(&self) -> bool {
        let (columns, rows) = self.component.blocks;
        let mut lines = self.plane.dc.chunks(self.plane.stride.max(1)).take(rows);
        lines.all(|line| line.iter().take(columns).all(|&dc| self.level(dc).abs_diff(128) <= 1))
    }
}

/// The reduced picture; `None` where the frame has no component.
pub(super) fn reduced(frame: &Frame, tables: &Tables, planes: &[Plane]) -> Option<Picture> {
    let samples: Vec<Samples<'_>> =
        frame.components.iter().zip(planes).map(|(component, plane)| Samples { component, plane, precision: frame.precision }).collect();
    let grid = samples.first()?.component.blocks;
    let (width, height) = grid;
    if width == 0 || height == 0 {
        return None;
    }
    let space = Space::of(frame, tables);
    let mut luma = Vec::with_capacity(width.checked_mul(height)?);
    for row in 0..height {
        for column in 0..width {
            let sample = |place: usize| samples.get(place).map_or(0, |samples| samples.at((column, row), grid));
            luma.push(match space {
                Space::Gray | Space::YCbCr => sample(0),
                Space::Rgb => gray(sample(0), sample(1), sample(2)),
                Space::Cmyk => scaled(gray(sample(0), sample(1), sample(2)), sample(3)),
                Space::Ycck => scaled(255 - sample(0), sample(3)),
            });
        }
    }
    Some(Picture { raster: Raster { width, height, luma }, alpha: None, colorless: colorless(space, &samples), has_detail: false })
}

/// Whether a picture with colour channels has no colour in its DC values.
fn colorless(space: Space, samples: &[Samples<'_>]) -> Option<bool> {
    let known = samples.iter().all(|samples| samples.plane.quantization.is_some());
    match (space, samples) {
        (Space::YCbCr, [_, blue, red]) if known => Some(blue.is_neutral() && red.is_neutral()),
        (Space::Rgb, [red, green, blue]) if known && red.component.blocks == green.component.blocks => {
            let grid = red.component.blocks;
            let same = |place| {
                let (r, g, b) = (red.at(place, grid), green.at(place, grid), blue.at(place, grid));
                r.abs_diff(g) <= 1 && g.abs_diff(b) <= 1
            };
            Some((0..grid.1).all(|row| (0..grid.0).all(|column| same((column, row)))))
        }
        _ => None,
    }
}

/// Luma of a colour (ITU-R BT.601), in integers as Pillow's `convert("L")` computes it.
fn gray(red: u8, green: u8, blue: u8) -> u8 {
    let sum = u32::from(red) * 19_595 + u32::from(green) * 38_470 + u32::from(blue) * 7_471 + 0x8000;
    u8::try_from(sum >> 16).unwrap_or(u8::MAX)
}

/// A level darkened by inverted black ink.
fn scaled(level: u8, black: u8) -> u8 {
    u8::try_from((u32::from(level) * u32::from(black) + 127) / 255).unwrap_or(u8::MAX)
}
