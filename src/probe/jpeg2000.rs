//! JPEG 2000 headers: the boxes of JP2, or the bare codestream (ISO/IEC 15444-1, annexes A and I).
//!
//! Modes follow Pillow 13 (`Jpeg2KImagePlugin.py`).

use super::boxes::{boxes, first};
use super::cursor::{be16, be32, u8_at};
use super::header::{bad, cut, plain, sized};
use crate::model::{Fault, Format, Mode, Probe};

/// Colour space number of CMYK in a `colr` box.
const CMYK: u32 = 12;

/// Reads the header of a JPEG 2000.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    if bytes.starts_with(&[0xFF, 0x4F, 0xFF, 0x51]) {
        return codestream(bytes).ok_or_else(|| cut(bytes, Format::Jpeg2000))?;
    }
    let Some(header) = boxes(bytes).find(|found| &found.kind == b"jp2h") else {
        let whole = boxes(bytes).last().is_some_and(|last| &last.kind == b"jp2c");
        return Err(if whole { bad(12, "the JPEG 2000 has no header box before its codestream") } else { cut(bytes, Format::Jpeg2000) });
    };
    let mut probe = header_box(header.data, header.at).ok_or_else(|| cut(bytes, Format::Jpeg2000))??;
    probe.variant = "JP2";
    Ok(probe)
}

/// Reads the SIZ segment of a codestream.
fn codestream(bytes: &[u8]) -> Option<Result<Probe, Fault>> {
    let field = |index: usize| be32(bytes, 8 + 4 * index);
    let (width, height) = (field(0)?.saturating_sub(field(2)?), field(1)?.saturating_sub(field(3)?));
    let (components, depth) = (be16(bytes, 40)?, (u8_at(bytes, 42)? & 0x7F).saturating_add(1));
    Some(sized(8, width, height).map(|size| plain(Format::Jpeg2000, mode_of(components, depth), depth, size)))
}

/// Reads the boxes in the header box, which stands at `at`.
fn header_box(header: &[u8], at: usize) -> Option<Result<Probe, Fault>> {
    let ihdr = first(header, *b"ihdr")?;
    let (height, width, components) = (be32(ihdr, 0)?, be32(ihdr, 4)?, be16(ihdr, 8)?);
    // 255 says that the components differ; the bits are then in a box of their own.
    let stored = u8_at(ihdr, 10)?;
    let depth = if stored == 0xFF { u8_at(first(header, *b"bpcc").unwrap_or_default(), 0).unwrap_or(7) } else { stored };
    let depth = (depth & 0x7F).saturating_add(1);
    // The first byte of `colr` says whether a number or a profile follows.
    let colours = |data: &[u8]| be32(data, 3).filter(|_| u8_at(data, 0) == Some(1));
    let mut mode = mode_of(components, depth);
    for found in boxes(header) {
        mode = match (&found.kind, mode) {
            (b"colr", Some(Mode::Rgba)) if colours(found.data) == Some(CMYK) => Some(Mode::Cmyk),
            (b"pclr", Some(Mode::L)) => Some(Mode::P),
            (b"pclr", Some(Mode::La)) => Some(Mode::Pa),
            _ => mode,
        };
    }
    let size = match sized(at + 8, width, height) {
        Ok(size) => size,
        Err(fault) => return Some(Err(fault)),
    };
    let mut probe = plain(Format::Jpeg2000, mode, depth, size);
    probe.icc = boxes(header).any(|found| &found.kind == b"colr" && matches!(u8_at(found.data, 0), Some(2 | 3)));
    Some(Ok(probe))
}

fn mode_of(components: u16, depth: u8) -> Option<Mode> {
    match components {
        1 => Some(if depth > 8 { Mode::I16 } else { Mode::L }),
        2 => Some(Mode::La),
        3 => Some(Mode::Rgb),
        4 => Some(Mode::Rgba),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FaultKind, Size};

    fn boxed(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
        [&u32::try_from(data.len() + 8).unwrap().to_be_bytes()[..], &kind, data].concat()
    }

    fn jp2(components: u8, bits: u8, more: &[u8]) -> Vec<u8> {
        let ihdr = boxed(*b"ihdr", &[0, 0, 0, 7, 0, 0, 0, 9, 0, components, bits - 1, 7, 0, 0]);
        [boxed(*b"jP  ", b"\r\n\x87\n"), boxed(*b"jp2h", &[&ihdr, more].concat())].concat()
    }

    #[test]
    fn boxes_give_size_and_mode() {
        assert_eq!(probe(&jp2(3, 8, &[])).map(|probe| (probe.size, probe.mode)), Ok((Size::new(9, 7), Some(Mode::Rgb))));
        assert_eq!(probe(&jp2(1, 12, &[])).map(|probe| (probe.bit_depth, probe.mode)), Ok((12, Some(Mode::I16))));
        let cmyk = boxed(*b"colr", &[1, 0, 0, 0, 0, 0, 12]);
        assert_eq!(probe(&jp2(4, 8, &cmyk)).map(|probe| probe.mode), Ok(Some(Mode::Cmyk)));
        assert_eq!(probe(&jp2(3, 8, &boxed(*b"colr", &[2, 0, 0]))).map(|probe| probe.icc), Ok(true));
    }

    #[test]
    fn a_codestream_gives_the_size_without_its_offset() {
        let mut bytes = vec![0xFF, 0x4F, 0xFF, 0x51, 0, 41, 0, 0];
        for side in [20_u32, 30, 4, 5, 0, 0, 0, 0] {
            bytes.extend(side.to_be_bytes());
        }
        bytes.extend([0, 3, 7, 1, 1]);
        assert_eq!(probe(&bytes).map(|probe| (probe.size, probe.mode)), Ok((Size::new(16, 25), Some(Mode::Rgb))));
        assert_eq!(probe(&bytes[..30]).map_err(|fault| fault.kind), Err(FaultKind::Truncated));
    }
}
