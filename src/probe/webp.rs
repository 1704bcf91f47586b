//! WebP headers: VP8, VP8L and VP8X (RFC 9649, section 2).
//!
//! The facts are those of libwebp's animation decoder, which Pillow opens every WebP with. Nothing is decoded.

use std::borrow::Cow;

use super::cursor::{array, be_sized, le16, le24, le32, part_or_rest, u8_at};
use super::exif::Metadata;
use super::header::{bad, cut, plain, sized};
use crate::model::{Fault, Format, Mode, Probe, Size};

/// VP8X flag: an alpha channel.
const ALPHA: u8 = 0x10;
/// VP8X flag: an animation.
const ANIMATION: u8 = 0x02;

/// A picture's own header, of either codec.
struct Bitstream {
    lossless: bool,
    alpha: bool,
    size: Size,
}

/// Reads the header of a WebP.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    let (first, data) = (array::<4>(bytes, 12).ok_or_else(|| cut(bytes, Format::WebP))?, bytes.get(20..).unwrap_or_default());
    match &first {
        b"VP8 " | b"VP8L" => {
            let picture = bitstream(bytes, first, 20, data)?;
            Ok(describe(picture.size, picture.alpha, picture.lossless, false))
        }
        b"VP8X" => extended(bytes, data),
        _ => Err(bad(12, "the WebP begins with none of the chunks VP8, VP8L and VP8X")),
    }
}

fn describe(size: Size, alpha: bool, lossless: bool, animated: bool) -> Probe {
    let mut probe = plain(Format::WebP, Some(if alpha { Mode::Rgba } else { Mode::Rgb }), 8, size);
    probe.variant = match (animated, lossless) {
        (true, _) => "animated",
        (false, true) => "lossless",
        (false, false) => "",
    };
    probe
}

fn extended(bytes: &[u8], header: &[u8]) -> Result<Probe, Fault> {
    let fields = || Some((u8_at(header, 0)?, le24(header, 4)? + 1, le24(header, 7)? + 1));
    let (flags, width, height) = fields().ok_or_else(|| cut(bytes, Format::WebP))?;
    let size = sized(24, width, height)?;
    let animated = flags & ANIMATION != 0;
    let (mut alpha, mut lossless, mut frames) = (flags & ALPHA != 0, false, 0_u32);
    let (mut metadata, mut icc) = (Metadata::default(), false);
    let mut picture_seen = false;
    for (kind, at, data) in chunks(bytes) {
        match &kind {
            b"ANMF" => frames = frames.saturating_add(1),
            b"ALPH" if !animated && !picture_seen => alpha = true,
            b"VP8 " | b"VP8L" if !animated && !picture_seen => {
                picture_seen = true;
                // A lossless picture's own flag counts more than that of VP8X (libwebp, `ParseHeadersInternal`).
                if let Ok(picture) = bitstream(bytes, kind, at, data)
                    && picture.lossless
                {
                    (alpha, lossless) = (picture.alpha, true);
                }
            }
            b"ICCP" => icc = true,
            b"EXIF" if metadata.exif.is_none() && !data.is_empty() => metadata.exif = Some(Cow::Borrowed(data)),
            b"XMP " if metadata.xmp.is_none() && !data.is_empty() => metadata.xmp = Some(Cow::Borrowed(data)),
            _ => {}
        }
    }
    let mut probe = describe(size, alpha, lossless, animated);
    probe.variant = match probe.variant {
        "" => "extended",
        "lossless" => "extended lossless",
        other => other,
    };
    probe.icc = icc;
    probe.frames = if animated { frames.max(1) } else { 1 };
    metadata.describe(&mut probe);
    Ok(probe)
}

/// Type, offset of the data and data of each chunk, the last one possibly cut short.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], usize, &[u8])> {
    let mut here = 12;
    std::iter::from_fn(move || {
        let (kind, length) = (array::<4>(bytes, here)?, usize::try_from(le32(bytes, here + 4)?).ok()?);
        let at = here + 8;
        here = at.checked_add(length)?.checked_add(length & 1)?;
        Some((kind, at, part_or_rest(bytes, at, length)))
    })
}

/// Reads the header of a lossy (RFC 6386, section 9.1) or lossless (RFC 9649, section 3.4) picture at `at`.
fn bitstream(bytes: &[u8], kind: [u8; 4], at: usize, data: &[u8]) -> Result<Bitstream, Fault> {
    let short = || cut(bytes, Format::WebP);
    if &kind == b"VP8L" {
        if u8_at(data, 0).ok_or_else(short)? != 0x2F {
            return Err(bad(at, "the lossless picture in the WebP lacks its signature byte"));
        }
        let bits = le32(data, 1).ok_or_else(short)?;
        let size = sized(at + 1, (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)?;
        return Ok(Bitstream { lossless: true, alpha: bits >> 28 & 1 == 1, size });
    }
    let start = be_sized(data, 3, 3).ok_or_else(short)?;
    if start != 0x9D_012A {
        return Err(bad(at + 3, "the lossy picture in the WebP lacks its start code"));
    }
    let (width, height) = (le16(data, 6).ok_or_else(short)?, le16(data, 8).ok_or_else(short)?);
    Ok(Bitstream { lossless: false, alpha: false, size: sized(at + 6, width & 0x3FFF, height & 0x3FFF)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FaultKind, Orientation};

    fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
        let mut bytes = [&kind[..], &u32::try_from(data.len()).unwrap().to_le_bytes(), data].concat();
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        bytes
    }

    fn webp(chunks: &[Vec<u8>]) -> Vec<u8> {
        let body = chunks.concat();
        [&b"RIFF"[..], &u32::try_from(body.len() + 4).unwrap().to_le_bytes(), b"WEBP", &body].concat()
    }

    fn vp8x(flags: u8) -> Vec<u8> {
        chunk(*b"VP8X", &[flags, 0, 0, 0, 9, 0, 0, 19, 0, 0])
    }

    fn vp8l(alpha: bool) -> Vec<u8> {
        let bits: u32 = 9 | 19 << 14 | u32::from(alpha) << 28;
        chunk(*b"VP8L", &[&[0x2F][..], &bits.to_le_bytes()].concat())
    }

    fn vp8() -> Vec<u8> {
        chunk(*b"VP8 ", &[0, 0, 0, 0x9D, 0x01, 0x2A, 10, 0, 20, 0])
    }

    #[test]
    fn the_three_kinds_have_the_same_size_and_their_own_mode() {
        for (bytes, mode, variant) in [
            (webp(&[vp8()]), Mode::Rgb, ""),
            (webp(&[vp8l(false)]), Mode::Rgb, "lossless"),
            (webp(&[vp8l(true)]), Mode::Rgba, "lossless"),
            (webp(&[vp8x(ALPHA), chunk(*b"ALPH", &[0]), vp8()]), Mode::Rgba, "extended"),
            (webp(&[vp8x(ALPHA), vp8l(false)]), Mode::Rgb, "extended lossless"),
            (webp(&[vp8x(ALPHA | ANIMATION)]), Mode::Rgba, "animated"),
        ] {
            let probe = probe(&bytes).expect("a header");
            assert_eq!((probe.mode, probe.variant, probe.size), (Some(mode), variant, Size::new(10, 20)));
        }
    }

    #[test]
    fn frames_profile_and_orientation_are_found() {
        let exif = b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x05\0\0\0\0\0\0\0";
        let anmf = chunk(*b"ANMF", &[0; 16]);
        let probe = probe(&webp(&[vp8x(ANIMATION), chunk(*b"ICCP", &[0]), anmf.clone(), anmf, chunk(*b"EXIF", exif)]));
        let probe = probe.expect("a header");
        assert_eq!((probe.frames, probe.icc, probe.orientation.map(Orientation::value)), (2, true, Some(5)));
    }

    #[test]
    fn bad_headers_say_where() {
        let fault = |bytes: &[u8]| probe(bytes).map(|_| ()).map_err(|fault| (fault.kind, fault.offset));
        assert_eq!(fault(b"RIFF\0\0\0\0WEBP"), Err((FaultKind::Truncated, Some(12))));
        assert_eq!(fault(&webp(&[chunk(*b"JUNK", &[])])), Err((FaultKind::BadHeader, Some(12))));
        assert_eq!(fault(&webp(&[chunk(*b"VP8L", &[1, 2, 3, 4, 5])])), Err((FaultKind::BadHeader, Some(20))));
        assert_eq!(fault(&webp(&[chunk(*b"VP8 ", &[0; 10])])), Err((FaultKind::BadHeader, Some(23))));
    }
}
