//! Formats whose header is one small table: Photoshop documents and QOI.

use super::cursor::{be16, be32, u8_at};
use super::header::{bad, cut, plain, sized};
use crate::model::{Fault, Format, Mode, Probe};

/// Reads the header of a Photoshop document (Adobe Photoshop File Formats Specification, "File Header Section"); modes
/// are those of Pillow 13 (`PsdImagePlugin.py`, `MODES`).
pub(super) fn probe_psd(bytes: &[u8]) -> Result<Probe, Fault> {
    let fields = || Some((be16(bytes, 4)?, be16(bytes, 12)?, be32(bytes, 14)?, be32(bytes, 18)?, be16(bytes, 22)?, be16(bytes, 24)?));
    let (version, channels, height, width, bits, colours) = fields().ok_or_else(|| cut(bytes, Format::Psd))?;
    let size = sized(14, width, height)?;
    let mode = match (colours, bits) {
        _ if version != 1 => None,
        (0, 1) => Some(Mode::Bilevel),
        (0 | 1 | 7 | 8, 8) => Some(Mode::L),
        (2, 8) => Some(Mode::P),
        (3, 8) => Some(if channels == 4 { Mode::Rgba } else { Mode::Rgb }),
        (4, 8) => Some(Mode::Cmyk),
        (9, 8) => Some(Mode::Lab),
        _ => None,
    };
    let mut probe = plain(Format::Psd, mode, u8::try_from(bits).unwrap_or(0), size);
    probe.variant = if version == 1 { "" } else { "PSB" };
    Ok(probe)
}

/// Reads the header of a QOI (QOI specification 1.0, "Data Format").
pub(super) fn probe_qoi(bytes: &[u8]) -> Result<Probe, Fault> {
    let fields = || Some((be32(bytes, 4)?, be32(bytes, 8)?, u8_at(bytes, 12)?, u8_at(bytes, 13)?));
    let (width, height, channels, _) = fields().ok_or_else(|| cut(bytes, Format::Qoi))?;
    let mode = match channels {
        3 => Mode::Rgb,
        4 => Mode::Rgba,
        _ => return Err(bad(12, format!("the QOI says that it has {channels} channels, not 3 or 4"))),
    };
    Ok(plain(Format::Qoi, Some(mode), 8, sized(4, width, height)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FaultKind, Size};

    fn psd(version: u8, channels: u8, bits: u8, colours: u8) -> Vec<u8> {
        let mut bytes = b"8BPS\0".to_vec();
        bytes.extend([version, 0, 0, 0, 0, 0, 0, 0, channels, 0, 0, 0, 4, 0, 0, 0, 3, 0, bits, 0, colours]);
        bytes
    }

    #[test]
    fn photoshop_modes_follow_pillow() {
        assert_eq!(probe_psd(&psd(1, 3, 8, 3)).map(|probe| (probe.mode, probe.size)), Ok((Some(Mode::Rgb), Size::new(3, 4))));
        assert_eq!(probe_psd(&psd(1, 4, 8, 3)).map(|probe| probe.mode), Ok(Some(Mode::Rgba)));
        assert_eq!(probe_psd(&psd(1, 3, 16, 3)).map(|probe| probe.mode), Ok(None));
        assert_eq!(probe_psd(&psd(2, 3, 8, 3)).map(|probe| probe.variant), Ok("PSB"));
    }

    #[test]
    fn qoi_has_three_or_four_channels() {
        let qoi = |channels| [&b"qoif\0\0\0\x03\0\0\0\x04"[..], &[channels, 0]].concat();
        assert_eq!(probe_qoi(&qoi(4)).map(|probe| (probe.mode, probe.transparency)), Ok((Some(Mode::Rgba), true)));
        assert_eq!(probe_qoi(&qoi(5)).map_err(|fault| fault.kind), Err(FaultKind::BadHeader));
        assert_eq!(probe_qoi(b"qoif\0").map_err(|fault| fault.kind), Err(FaultKind::Truncated));
    }
}
