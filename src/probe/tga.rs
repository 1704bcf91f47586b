//! Truevision TGA headers (TGA 2.0 specification, section "TGA image header").
//!
//! The format has no signature; a file counts as TGA if every field of its header makes sense, or if it has the footer
//! of version 2 and the fields that Pillow 13 looks at do (`TgaImagePlugin.py`).

use super::cursor::{le16, u8_at};
use super::header::{bad, cut, plain, sized};
use super::sniff::zero16;
use crate::model::{Fault, Format, Mode, Probe};

const FOOTER: &[u8] = b"TRUEVISION-XFILE.\0";

/// Whether the file ends with the footer of TGA 2.0.
pub(super) fn has_footer(bytes: &[u8]) -> bool {
    bytes.len() >= 18 + FOOTER.len() && bytes.ends_with(FOOTER)
}

/// Whether every field of the header makes sense.
pub(super) fn looks_like_tga(head: &[u8]) -> bool {
    let Some(&[_, palette, kind, ..]) = head.get(..18) else { return false };
    let (depth, flags) = (u8_at(head, 16).unwrap_or(0), u8_at(head, 17).unwrap_or(0));
    let colours = match palette {
        0 => zero16(head, 3) && zero16(head, 5) && u8_at(head, 7) == Some(0),
        1 => !zero16(head, 5) && matches!(u8_at(head, 7), Some(15 | 16 | 24 | 32)),
        _ => false,
    };
    let pixels = match kind {
        1 | 9 => palette == 1 && matches!(depth, 8 | 16),
        2 | 10 => matches!(depth, 15 | 16 | 24 | 32),
        3 | 11 => matches!(depth, 8 | 16),
        _ => false,
    };
    let alpha = matches!((depth, flags & 0x0F), (_, 0) | (8 | 16 | 32, 8) | (16, 1));
    colours && pixels && alpha && flags & 0xC0 == 0 && !zero16(head, 12) && !zero16(head, 14)
}

/// Reads the header of a TGA.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    let fields = || Some((u8_at(bytes, 1)?, u8_at(bytes, 2)?, le16(bytes, 12)?, le16(bytes, 14)?, u8_at(bytes, 16)?, u8_at(bytes, 17)?));
    let (palette, kind, width, height, depth, _) = fields().ok_or_else(|| cut(bytes, Format::Tga))?;
    let size = sized(12, width, height)?;
    let mode = match (kind, depth) {
        (3 | 11, 1) => Mode::Bilevel,
        (3 | 11, 16) => Mode::La,
        (1 | 9, _) if palette != 0 => Mode::P,
        (1 | 3 | 9 | 11, _) => Mode::L,
        (2 | 10, 24) => Mode::Rgb,
        (2 | 10, _) => Mode::Rgba,
        _ => return Err(bad(2, format!("the TGA says that its picture is of kind {kind}, which is none"))),
    };
    // Pillow reads no other depths.
    let mode = matches!(depth, 1 | 8 | 16 | 24 | 32).then_some(mode);
    let channel = match (kind, depth) {
        (2 | 10, 15 | 16) => 5,
        _ => depth.min(8),
    };
    let mut probe = plain(Format::Tga, mode, channel, size);
    probe.variant = if kind >= 9 { "RLE" } else { "" };
    Ok(probe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FaultKind, Size};
    use crate::probe;

    fn tga(kind: u8, depth: u8, flags: u8) -> Vec<u8> {
        vec![0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 6, 0, depth, flags]
    }

    #[test]
    fn modes_follow_pillow() {
        for (kind, depth, mode) in [(2, 24, Mode::Rgb), (10, 32, Mode::Rgba), (3, 8, Mode::L), (11, 16, Mode::La)] {
            let probe = probe::probe(&tga(kind, depth, 0)).expect("a header");
            assert_eq!((probe.format, probe.mode, probe.size), (Format::Tga, Some(mode), Size::new(5, 6)));
        }
    }

    #[test]
    fn an_implausible_header_needs_the_footer() {
        let odd = tga(2, 24, 0xC0);
        assert_eq!(probe::probe(&odd).map_err(|fault| fault.kind), Err(FaultKind::NotAnImage));
        let with_footer = [&odd[..], FOOTER].concat();
        assert_eq!(probe::probe(&with_footer).map(|probe| probe.format), Ok(Format::Tga));
    }
}
