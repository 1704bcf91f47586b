//! What the readers of all formats share: a [`Probe`] with the plain values, and the faults that every header can have.

use crate::model::{Exif, Fault, FaultKind, Format, Mode, Probe, Size};

/// A probe of a still, opaque picture without metadata; readers change what they know better. A bit depth above 64 is
/// none that exists, and becomes 0: the header does not say.
pub(super) fn plain(format: Format, mode: Option<Mode>, bit_depth: u8, size: Size) -> Probe {
    Probe {
        format,
        variant: "",
        mode,
        bit_depth: if bit_depth <= 64 { bit_depth } else { 0 },
        size,
        orientation: None,
        frames: 1,
        icc: false,
        transparency: mode.is_some_and(Mode::has_alpha),
        exif: Exif::Absent,
    }
}

/// The size that a header states at byte `at`; no side may be zero, as in Pillow 13 (`ImageFile.py`, `__init__`).
pub(super) fn sized(at: usize, width: impl Into<u64>, height: impl Into<u64>) -> Result<Size, Fault> {
    let (width, height) = (width.into(), height.into());
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(short), Ok(high)) if short > 0 && high > 0 => Ok(Size::new(short, high)),
        (Ok(_), Ok(_)) => Err(bad(at, format!("the header says {width}x{height} pixels, and neither side may be 0"))),
        _ => Err(bad(at, format!("the header says {width}x{height} pixels, more than any loader accepts"))),
    }
}

/// A header that breaks its format's rules at byte `at`.
pub(super) fn bad(at: usize, detail: impl Into<String>) -> Fault {
    Fault::at(FaultKind::BadHeader, at, detail)
}

/// A file that ends inside its header.
pub(super) fn cut(bytes: &[u8], format: Format) -> Fault {
    Fault::at(FaultKind::Truncated, bytes.len(), format!("the file ends inside the {format} header, after {} bytes", bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_of_zero_is_a_bad_header_with_its_place() {
        let fault = sized(16, 0_u32, 7_u32).unwrap_err();
        assert_eq!((fault.kind, fault.offset), (FaultKind::BadHeader, Some(16)));
        assert_eq!(sized(0, u64::MAX, 1_u32).unwrap_err().kind, FaultKind::BadHeader);
        assert_eq!(sized(0, 3_u32, 4_u32), Ok(Size::new(3, 4)));
    }
}
