//! GIF headers and the blocks behind them (`GIF89a` specification, sections 18 to 26).
//!
//! Blocks are walked as Pillow 13 walks them (`GifImagePlugin.py`, `GifImageFile._seek`) to count frames; no LZW is read.

use super::cursor::{le16, part_or_rest, u8_at};
use super::header::{cut, plain, sized};
use crate::model::{Fault, Format, Mode, Probe};

/// What a frame's image descriptor and the extensions before it say.
struct Frame {
    right: u32,
    bottom: u32,
    /// Whether the local palette, where there is one, is more than the gray ramp.
    local_palette: Option<bool>,
    transparent: bool,
}

/// Reads the header of a GIF.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    let screen = || Some((le16(bytes, 6)?, le16(bytes, 8)?, u8_at(bytes, 10)?, u8_at(bytes, 12)?));
    let (width, height, flags, _) = screen().ok_or_else(|| cut(bytes, Format::Gif))?;
    let (mut at, mut coloured) = (13, false);
    if flags & 0x80 != 0 {
        let palette = part_or_rest(bytes, at, palette_size(flags));
        coloured = is_coloured(palette);
        at += palette_size(flags);
    }
    let (mut first, mut frames) = (None, 0_u32);
    while let Some(frame) = next_frame(bytes, &mut at, frames == 0) {
        frames = frames.saturating_add(1);
        first.get_or_insert(frame);
    }
    // A first frame that reaches over the edge makes the picture larger, in Pillow and in browsers.
    let (mut wide, mut high) = (u32::from(width), u32::from(height));
    let mut transparent = false;
    if let Some(frame) = first {
        (wide, high) = (wide.max(frame.right), high.max(frame.bottom));
        coloured = frame.local_palette.unwrap_or(coloured);
        transparent = frame.transparent;
    }
    let depth = (flags & 7) + 1;
    let mut probe = plain(Format::Gif, Some(if coloured { Mode::P } else { Mode::L }), depth, sized(6, wide, high)?);
    probe.variant = if frames > 1 { "animated" } else { "" };
    probe.frames = frames.max(1);
    probe.transparency = transparent;
    Ok(probe)
}

fn palette_size(flags: u8) -> usize {
    3 << ((flags & 7) + 1)
}

/// Whether a palette is more than the gray ramp 0, 1, 2 ...; Pillow opens a GIF with the ramp as mode L.
fn is_coloured(palette: &[u8]) -> bool {
    palette.chunks(3).enumerate().any(|(index, rgb)| rgb.iter().any(|channel| usize::from(*channel) != index))
}

/// The next frame at or behind `at`, which is moved behind its data; `None` at the end.
///
/// `is_first` says that no frame came before; extensions are then read a little differently.
fn next_frame(bytes: &[u8], at: &mut usize, is_first: bool) -> Option<Frame> {
    let mut transparent = false;
    loop {
        let introducer = u8_at(bytes, *at)?;
        *at += 1;
        match introducer {
            b';' => return None,
            b'!' => {
                let label = u8_at(bytes, *at)?;
                *at += 1;
                let block = sub_block(bytes, at);
                match label {
                    0xFE if block.is_empty() => continue,
                    0xF9 if !block.is_empty() => transparent |= u8_at(block, 0)? & 1 == 1,
                    0xFF if is_first && block.starts_with(b"NETSCAPE2.0") => {
                        sub_block(bytes, at);
                    }
                    _ => {}
                }
                // Pillow reads on here even if the block was the terminator, and so takes what follows for more blocks.
                skip_blocks(bytes, at);
            }
            b',' => {
                let edge = |low: usize, extent: usize| Some(u32::from(le16(bytes, low)?) + u32::from(le16(bytes, extent)?));
                let (right, bottom) = (edge(*at, *at + 4)?, edge(*at + 2, *at + 6)?);
                let flags = u8_at(bytes, *at + 8)?;
                *at += 9;
                let mut local_palette = None;
                if flags & 0x80 != 0 {
                    local_palette = Some(is_coloured(part_or_rest(bytes, *at, palette_size(flags))));
                    *at += palette_size(flags);
                }
                // The smallest code size; without it there is no frame.
                u8_at(bytes, *at)?;
                *at += 1;
                skip_blocks(bytes, at);
                return Some(Frame { right, bottom, local_palette, transparent });
            }
            _ => {}
        }
    }
}

/// The data sub-block at `at`, which is moved behind it; empty for the terminator.
fn sub_block<'a>(bytes: &'a [u8], at: &mut usize) -> &'a [u8] {
    let length = usize::from(u8_at(bytes, *at).unwrap_or(0));
    let block = part_or_rest(bytes, at.saturating_add(1), length);
    *at += 1 + length;
    block
}

/// Moves behind data sub-blocks and their terminator.
fn skip_blocks(bytes: &[u8], at: &mut usize) {
    while !sub_block(bytes, at).is_empty() {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FaultKind, Size};

    /// A screen of 4x3 with a two-colour palette.
    fn screen(second: [u8; 3]) -> Vec<u8> {
        [&b"GIF89a\x04\0\x03\0\x80\0\0\0\0\0"[..], &second].concat()
    }

    fn frame(width: u8) -> Vec<u8> {
        vec![b',', 1, 0, 0, 0, width, 0, 3, 0, 0, 2, 1, 0x44, 0]
    }

    const TRANSPARENT: [u8; 8] = [b'!', 0xF9, 4, 1, 0, 0, 0, 0];

    #[test]
    fn frames_and_transparency_are_found() {
        let gif = [screen([9, 9, 9]), TRANSPARENT.to_vec(), frame(3), frame(3), vec![b';'], frame(3)].concat();
        let probe = probe(&gif).expect("a header");
        assert_eq!((probe.frames, probe.transparency, probe.mode, probe.variant), (2, true, Some(Mode::P), "animated"));
        assert_eq!((probe.size, probe.bit_depth), (Size::new(4, 3), 1));
    }

    #[test]
    fn the_gray_ramp_is_mode_l() {
        let probe = probe(&[screen([1, 1, 1]), frame(3), vec![b';']].concat()).expect("a header");
        assert_eq!((probe.mode, probe.transparency), (Some(Mode::L), false));
    }

    #[test]
    fn a_first_frame_over_the_edge_makes_the_picture_larger() {
        assert_eq!(probe(&[screen([9, 9, 9]), frame(9)].concat()).map(|probe| probe.size), Ok(Size::new(10, 3)));
    }

    #[test]
    fn a_screen_without_pixels_is_a_bad_header() {
        assert_eq!(probe(b"GIF89a\0\0\0\0\0\0\0").map_err(|fault| fault.kind), Err(FaultKind::BadHeader));
        assert_eq!(probe(b"GIF89a\x01\0").map_err(|fault| fault.kind), Err(FaultKind::Truncated));
    }
}
