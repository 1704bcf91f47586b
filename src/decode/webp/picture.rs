//! From what libwebp decodes to a [`Picture`].

use super::libwebp::{Decoded, Form};
use crate::decode::Picture;
use crate::decode::reduce::{Layout, Reducer};
use crate::model::{Raster, Size};

/// Samples that a side of the raster has at least, where the picture has as many pixels.
const SIDE: u32 = 64;

/// The size that a lossy picture without alpha is averaged to while it is decoded: at least 64 samples a side, at most
/// twice that, where the picture has as many pixels.
pub(super) fn scaled_form(width: u32, height: u32) -> Form {
    let reduced = |side: u32| side.div_ceil((side / SIDE).max(1));
    Form::Scaled { width: reduced(width), height: reduced(height) }
}

/// The picture of what was decoded; `None` of nothing.
pub(super) fn picture(decoded: &Decoded, has_alpha: bool) -> Option<Picture> {
    if !decoded.rgba.is_empty() {
        return rgba_picture(decoded, has_alpha);
    }
    if decoded.alpha.is_empty() { Some(scaled_picture(decoded)) } else { yuva_picture(decoded) }
}

/// Luma as it is in RGB: libwebp's is in video range.
fn full_range(luma: u8) -> u8 {
    let above = u32::from(luma.saturating_sub(16));
    u8::try_from((above * 255 + 109) / 219).unwrap_or(u8::MAX)
}

/// Whether chroma is gray but for a level of rounding.
fn is_gray(chroma: u8) -> bool {
    (127..=129).contains(&chroma)
}

fn scaled_picture(decoded: &Decoded) -> Picture {
    let seen = decoded.rows.saturating_mul(decoded.width);
    let luma = decoded.luma.iter().enumerate().map(|(n, luma)| if n < seen { full_range(*luma) } else { 0 }).collect();
    let colorless = decoded.chroma.iter().flatten().all(|chroma| is_gray(*chroma));
    let raster = Raster { width: decoded.width, height: decoded.height, luma };
    Picture { raster, alpha: None, colorless: Some(colorless), has_detail: false }
}

fn rgba_picture(decoded: &Decoded, has_alpha: bool) -> Option<Picture> {
    let (width, height) = (u32::try_from(decoded.width).ok()?, u32::try_from(decoded.height).ok()?);
    let mut reducer = Reducer::new(Size::new(width, height), Layout::Rgba)?;
    for (y, row) in (0_u32..).zip(decoded.rgba.chunks_exact(decoded.width.checked_mul(4)?).take(decoded.rows)) {
        reducer.row(y, row);
    }
    let picture = reducer.finish()?;
    Some(Picture { alpha: picture.alpha.filter(|_| has_alpha), ..picture })
}

fn yuva_picture(decoded: &Decoded) -> Option<Picture> {
    let (width, height) = (u32::try_from(decoded.width).ok()?, u32::try_from(decoded.height).ok()?);
    let mut reducer = Reducer::new(Size::new(width, height), Layout::Rgba)?;
    let [u, v] = &decoded.chroma;
    let mut row = Vec::with_capacity(decoded.width.checked_mul(4)?);
    let planes = decoded.luma.chunks_exact(decoded.width).zip(decoded.alpha.chunks_exact(decoded.width));
    for (index, (luma, alpha)) in planes.take(decoded.rows).enumerate() {
        let start = (index / 2).checked_mul(decoded.chroma_width())?;
        let (u, v) = (u.get(start..)?, v.get(start..)?);
        row.clear();
        for (x, (luma, alpha)) in luma.iter().zip(alpha).enumerate() {
            let (Some(u), Some(v)) = (u.get(x / 2), v.get(x / 2)) else { break };
            row.extend_from_slice(&rgb(*luma, *u, *v));
            row.push(*alpha);
        }
        reducer.row(u32::try_from(index).ok()?, &row);
    }
    let colorless = decoded.chroma.iter().flatten().all(|chroma| is_gray(*chroma));
    Some(Picture { colorless: Some(colorless), ..reducer.finish()? })
}

/// A pixel in RGB (ITU-R BT.601, video range, in 1/1024).
fn rgb(luma: u8, u: u8, v: u8) -> [u8; 3] {
    let (luma, u, v) = ((i32::from(luma) - 16) * 1192, i32::from(u) - 128, i32::from(v) - 128);
    let level = |sum: i32| u8::try_from((sum + 512).clamp(0, 255 << 10) >> 10).unwrap_or(u8::MAX);
    [level(luma + 1634 * v), level(luma - 401 * u - 832 * v), level(luma + 2066 * u)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn video_range_becomes_full_range() {
        assert_eq!([0, 16, 126, 235, 255].map(full_range), [0, 0, 128, 255, 255]);
        assert_eq!(rgb(235, 128, 128), [255, 255, 255]);
        assert_eq!(rgb(82, 90, 240), [255, 1, 0]);
    }

    #[test]
    fn rasters_have_64_to_128_samples_a_side() {
        for side in [1, 63, 64, 65, 127, 128, 1000, 16_383] {
            let Form::Scaled { width, .. } = scaled_form(side, 1) else { panic!() };
            assert!(width == side || (64..=128).contains(&width), "{side}: {width}");
        }
    }
}
