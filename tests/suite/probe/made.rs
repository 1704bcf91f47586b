//! Every format that the `image` crate writes, and the eight orientations.

use image::{DynamicImage, ImageFormat};
use walkaround::model::{Content, Exif, Format, Mode, Orientation, Size};
use walkaround::probe::{probe, sniff};

use crate::build::{encoded, picture};

/// Small files of every format that can be made here, with the mode each should have.
pub(super) fn files() -> Vec<(Format, Option<Mode>, Vec<u8>)> {
    let rgb = DynamicImage::ImageRgb8(picture(7, 13, 9));
    let rgba = DynamicImage::ImageRgba8(rgb.to_rgba8());
    let gray = DynamicImage::ImageLuma8(rgb.to_luma8());
    let gray16 = DynamicImage::ImageLuma16(rgb.to_luma16());
    vec![
        (Format::Png, Some(Mode::Rgb), encoded(&rgb, ImageFormat::Png)),
        (Format::Png, Some(Mode::Rgba), encoded(&rgba, ImageFormat::Png)),
        (Format::Png, Some(Mode::I16), encoded(&gray16, ImageFormat::Png)),
        (Format::Jpeg, Some(Mode::Rgb), encoded(&rgb, ImageFormat::Jpeg)),
        (Format::Jpeg, Some(Mode::L), encoded(&gray, ImageFormat::Jpeg)),
        (Format::Gif, Some(Mode::P), encoded(&rgba, ImageFormat::Gif)),
        (Format::Bmp, Some(Mode::Rgb), encoded(&rgb, ImageFormat::Bmp)),
        (Format::Bmp, Some(Mode::L), encoded(&gray, ImageFormat::Bmp)),
        (Format::Tiff, Some(Mode::Rgb), encoded(&rgb, ImageFormat::Tiff)),
        (Format::Tiff, Some(Mode::I16), encoded(&gray16, ImageFormat::Tiff)),
        (Format::WebP, Some(Mode::Rgb), encoded(&rgb, ImageFormat::WebP)),
        (Format::WebP, Some(Mode::Rgba), encoded(&rgba, ImageFormat::WebP)),
        (Format::Ico, Some(Mode::Rgba), encoded(&rgba, ImageFormat::Ico)),
        (Format::Tga, Some(Mode::Rgb), encoded(&rgb, ImageFormat::Tga)),
        // The encoder writes PAM, which stock Pillow does not read.
        (Format::Pnm, None, encoded(&rgb, ImageFormat::Pnm)),
        (Format::Qoi, Some(Mode::Rgba), encoded(&rgba, ImageFormat::Qoi)),
    ]
}

#[test]
fn files_of_every_encoder_are_probed() {
    for (format, mode, bytes) in files() {
        assert_eq!(sniff(&bytes), Content::Image(format));
        let probe = probe(&bytes).unwrap_or_else(|fault| panic!("{format}: {fault}"));
        assert_eq!((probe.format, probe.mode, probe.size, probe.frames), (format, mode, Size::new(13, 9), 1), "{format}");
        assert_eq!(probe.transparency, mode.is_some_and(Mode::has_alpha), "{format}");
    }
}

#[test]
fn the_eight_orientations_are_read_from_jpeg_png_and_webp() {
    for value in 1..=8_u8 {
        let block = [b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".as_slice(), &[value, 0, 0, 0, 0, 0, 0]].concat();
        let app1 = [b"\xFF\xE1\0\x22Exif\0\0".as_slice(), &block].concat();
        let chunk = [b"\0\0\0\x1AeXIf".as_slice(), &block, &[0; 4]].concat();
        let vp8x = [b"VP8X\x0A\0\0\0\x08\0\0\0\x0C\0\0\x08\0\0".as_slice(), b"EXIF\x1A\0\0\0", &block].concat();
        for (format, at, block) in [(Format::Jpeg, 2, app1), (Format::Png, 33, chunk), (Format::WebP, 12, vp8x)] {
            let (_, _, mut bytes) = files().into_iter().find(|(made, _, _)| *made == format).expect("the format is made");
            bytes.splice(at..at, block);
            let probe = probe(&bytes).unwrap_or_else(|fault| panic!("{format}: {fault}"));
            assert_eq!((probe.orientation.map(Orientation::value), &probe.exif), (Some(value), &Exif::Read), "{format}");
            assert_eq!(probe.size, Size::new(13, 9));
            assert_eq!(probe.oriented_size() == Size::new(9, 13), value >= 5);
        }
    }
}
