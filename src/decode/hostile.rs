//! Tests that feed [`decode`](super::decode) with cut, random and lying files of every format. Nothing here is part of the
//! library.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use proptest::prelude::*;

use super::{Limits, cross_check, decode, decode_without_header, unidentified};
use crate::model::{Decoded, Exif, Fault, FaultKind, Format, Probe, Size, Strict, Verdict};

/// Formats that `image` can also write, with its name for them.
const WRITTEN: [(Format, ImageFormat); 10] = [
    (Format::Jpeg, ImageFormat::Jpeg),
    (Format::Png, ImageFormat::Png),
    (Format::WebP, ImageFormat::WebP),
    (Format::Gif, ImageFormat::Gif),
    (Format::Bmp, ImageFormat::Bmp),
    (Format::Tiff, ImageFormat::Tiff),
    (Format::Ico, ImageFormat::Ico),
    (Format::Tga, ImageFormat::Tga),
    (Format::Pnm, ImageFormat::Pnm),
    (Format::Qoi, ImageFormat::Qoi),
];

/// Eight by six pixels of a colour ramp.
fn small(format: ImageFormat) -> Vec<u8> {
    let picture = RgbImage::from_fn(8, 6, |x, y| Rgb([u8::try_from(x * 30).unwrap(), u8::try_from(y * 40).unwrap(), 90]));
    let picture = DynamicImage::ImageRgb8(picture);
    // Icons hold nothing else.
    let picture = if format == ImageFormat::Ico { picture.to_rgba8().into() } else { picture };
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).expect("a small picture can be written");
    bytes.into_inner()
}

/// A probe that knows the format only; the readers of this room find the rest themselves.
fn probe_of(format: Format) -> Probe {
    Probe {
        format,
        variant: "",
        mode: None,
        bit_depth: 8,
        size: Size::new(1, 1),
        orientation: None,
        frames: 1,
        icc: false,
        transparency: false,
        exif: Exif::Absent,
    }
}

fn decoded(bytes: &[u8], format: Format) -> Decoded {
    let limits = Limits { memory_bytes: 16 << 20, ..Limits::default() };
    decode(bytes, &probe_of(format), &limits)
}

fn kind(decoded: &Decoded) -> Option<FaultKind> {
    decoded.strict.fault().map(|fault| fault.kind)
}

#[test]
fn whole_files_are_whole() {
    for (format, name) in WRITTEN {
        let bytes = small(name);
        let decoded = decoded(&bytes, format);
        assert_eq!(decoded.strict, Strict::Whole, "{format}");
        assert!(decoded.pixels.as_ref().is_some_and(|pixels| !pixels.blank), "{format}");
        assert_eq!(cross_check(&bytes, &probe_of(format), &decoded, &Limits::default()), None, "{format}");
        if matches!(format, Format::Gif | Format::Bmp | Format::Tiff) {
            assert_eq!(decoded.pillow, Verdict::Ok, "{format}");
        }
    }
}

#[test]
fn files_cut_at_any_length_are_not_whole() {
    for (format, name) in WRITTEN {
        let bytes = small(name);
        for length in 0..bytes.len() {
            let decoded = decoded(&bytes[..length], format);
            assert_ne!(kind(&decoded), Some(FaultKind::Panic), "{format} cut to {length}: {decoded:?}");
            if matches!(format, Format::Gif | Format::Bmp | Format::Tiff) {
                assert_ne!(decoded.strict, Strict::Whole, "{format} cut to {length}");
            }
        }
    }
}

#[test]
fn a_flipped_bit_never_panics() {
    for (format, name) in WRITTEN {
        let bytes = small(name);
        for at in 0..bytes.len().min(300) {
            for bit in [0, 3, 7] {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let _ = decoded(&damaged, format);
            }
        }
    }
}

#[test]
fn too_many_pixels_are_refused_unread() {
    let probe = Probe { size: Size::new(20_000, 10_000), ..probe_of(Format::Qoi) };
    let decoded = decode(b"qoif", &probe, &Limits::default());
    let message = "Image size (200000000 pixels) exceeds limit of 178956970 pixels, could be decompression bomb DOS attack.";
    assert_eq!(decoded.pillow, Verdict::refuses_open("DecompressionBombError", message));
    assert_eq!(kind(&decoded), Some(FaultKind::TooManyPixels));
}

#[test]
fn formats_without_a_decoder_are_unknown() {
    for format in [Format::Avif, Format::Jpeg2000, Format::Psd] {
        let decoded = decoded(b"anything", format);
        assert_eq!((decoded.pillow.name(), kind(&decoded)), ("unknown", Some(FaultKind::NoDecoder)), "{format}");
    }
    for format in [Format::Heic, Format::JpegXl, Format::Svg] {
        let decoded = decoded(b"anything", format);
        assert_eq!(decoded.pillow, Verdict::refuses_open("UnidentifiedImageError", "cannot identify image file"), "{format}");
        assert_eq!(decoded.strict.name(), "unknown", "{format}");
    }
}

/// A directory of `entries` at offset 8: tag, kind, count, value; and the offset of the next one.
fn tiff(entries: &[(u16, u16, u32, u32)], next: u32) -> Vec<u8> {
    let mut bytes = b"II\x2a\0\x08\0\0\0".to_vec();
    bytes.extend(u16::try_from(entries.len()).unwrap().to_le_bytes());
    for (tag, kind, count, value) in entries {
        bytes.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
        bytes.extend([count.to_le_bytes(), value.to_le_bytes()].concat());
    }
    bytes.extend(next.to_le_bytes());
    bytes
}

#[test]
fn directories_that_loop_end() {
    let entries = [(256, 3, 1, 1), (257, 3, 1, 1), (258, 3, 1, 8), (262, 3, 1, 1), (273, 4, 1, 8), (277, 3, 1, 1), (279, 4, 1, 1)];
    let own_offset = tiff(&entries, 8);
    assert_eq!(decoded(&own_offset, Format::Tiff).pillow, Verdict::Ok);
    // Sub-directories that name each other.
    let nested = tiff(&[&entries[..], &[(330, 4, 1, 8), (0x8769, 4, 1, 8)]].concat(), 8);
    assert_eq!(decoded(&nested, Format::Tiff).pillow, Verdict::Ok);
}

#[test]
fn a_tiff_that_lies_about_its_size_meets_a_limit() {
    let side = 12_000;
    let bytes =
        tiff(&[(256, 4, 1, side), (257, 4, 1, side), (258, 3, 1, 8), (262, 3, 1, 1), (273, 4, 1, 8), (277, 3, 1, 1), (279, 4, 1, 4)], 0);
    let decoded = decoded(&bytes, Format::Tiff);
    assert_eq!(kind(&decoded), Some(FaultKind::OverBudget));
    assert_eq!(decoded.pillow.refusal().map(|refusal| refusal.class.as_ref()), Some("OSError"));
    for (width, height) in [(0, 5), (5, 0)] {
        let bytes = tiff(&[(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (262, 3, 1, 1), (273, 4, 1, 8)], 0);
        assert_eq!(super::decode(&bytes, &probe_of(Format::Tiff), &Limits::default()).pillow.name(), "error");
    }
}

/// First bytes that lead a reader into each format.
const MAGICS: [(Format, &[u8]); 13] = [
    (Format::Jpeg, b"\xff\xd8\xff\xdb"),
    (Format::Png, b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x08"),
    (Format::WebP, b"RIFF\x40\0\0\0WEBPVP8 "),
    (Format::Gif, b"GIF89a\x08\0\x08\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x08\0\x08\0"),
    (Format::Gif, b"GIF87a"),
    (Format::Bmp, b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x08\0\0\0\x08\0\0\0\x01\0"),
    (Format::Bmp, b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x08\0\0\0\x08\0\0\0\x01\0\x08\0\x01\0\0\0"),
    (Format::Tiff, b"II\x2a\0\x08\0\0\0\x07\0\0\x01\x03\0\x01\0\0\0\x08\0\0\0\x01\x01\x03\0\x01\0\0\0\x08\0\0\0"),
    (Format::Tiff, b"II\x2b\0\x08\0\0\0\x10\0\0\0\0\0\0\0"),
    (Format::Ico, b"\0\0\x01\0\x01\0"),
    (Format::Tga, b"\0\0\x0a"),
    (Format::Pnm, b"P6 8 8 255\n"),
    (Format::Qoi, b"qoif\0\0\0\x08\0\0\0\x08"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_bytes_never_panic(which in 0..MAGICS.len(), rest in prop::collection::vec(any::<u8>(), 0..400)) {
        let (format, magic) = MAGICS[which];
        let _ = decoded(&[magic, &rest].concat(), format);
    }

    #[test]
    fn random_headers_never_panic(which in 0..WRITTEN.len(), at in 0_usize..120, noise in prop::collection::vec(any::<u8>(), 1..12)) {
        let (format, name) = WRITTEN[which];
        let mut bytes = small(name);
        let start = at % bytes.len();
        bytes.iter_mut().skip(start).zip(&noise).for_each(|(byte, noise)| *byte = *noise);
        let _ = decoded(&bytes, format);
    }
}

#[test]
fn what_pillow_has_other_plugins_for_is_not_judged() {
    let fault = Fault::new(FaultKind::NotAnImage, "");
    let pillow = |bytes: &[u8]| decode_without_header(bytes, &fault, &Limits::default()).pillow;
    assert_eq!(pillow(b"DDS \x7C\0\0\0"), Verdict::Unknown);
    assert_eq!(pillow(b"#define w 8\n#define h 8\n"), Verdict::Unknown);
    assert_eq!(pillow(b"<html>404</html>"), unidentified());
}
