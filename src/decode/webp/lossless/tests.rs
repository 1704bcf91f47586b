//! Whole pictures, against libwebp.
//!
//! The files in `tests/lossless_webp` are ramps, random colours and noise made with numpy and written by libwebp 1.6 through
//! Pillow 13 (`lossless=True, exact=True`, methods 0 to 6): palettes of 1, 2, 4 and 16 colours, a cache of colours, two groups of
//! codes, alpha, and in `fractal.webp` nearly all predictors.

use std::io::Cursor;
use std::time::{Duration, Instant};

use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use proptest::prelude::*;

use super::super::libwebp::{self, Form};
use super::{Header, read};

const FILES: [(&str, &[u8]); 10] = [
    ("palette1", include_bytes!("../../../../tests/lossless_webp/palette1.webp")),
    ("palette2", include_bytes!("../../../../tests/lossless_webp/palette2.webp")),
    ("palette4", include_bytes!("../../../../tests/lossless_webp/palette4.webp")),
    ("palette16", include_bytes!("../../../../tests/lossless_webp/palette16.webp")),
    ("packed_predicted", include_bytes!("../../../../tests/lossless_webp/packed_predicted.webp")),
    ("ramp", include_bytes!("../../../../tests/lossless_webp/ramp.webp")),
    ("cache", include_bytes!("../../../../tests/lossless_webp/cache.webp")),
    ("two_groups", include_bytes!("../../../../tests/lossless_webp/two_groups.webp")),
    ("alpha", include_bytes!("../../../../tests/lossless_webp/alpha.webp")),
    ("fractal", include_bytes!("../../../../tests/lossless_webp/fractal.webp")),
];

const BUDGET: u64 = 64 << 20;

/// Red, green, blue and alpha of all pixels as this reader has them.
fn ours(data: &[u8]) -> Option<Vec<u8>> {
    let mut header = Header::read(data)?;
    let mut pixels = Vec::new();
    header.rows(BUDGET, Instant::now() + Duration::from_secs(60), |row| {
        for pixel in row {
            let [blue, green, red, alpha] = pixel.to_le_bytes();
            pixels.extend([red, green, blue, alpha]);
        }
    })?;
    Some(pixels)
}

/// The same as libwebp has them; `None` where it refuses.
fn theirs(data: &[u8]) -> Option<Vec<u8>> {
    let features = libwebp::features(data).ok()?;
    let (decoded, result) = libwebp::decode(data, (features.width, features.height), Form::Rgba);
    result.ok().map(|()| decoded.rgba)
}

/// The chunk of the picture: of these files the only one.
fn chunk(file: &[u8]) -> &[u8] {
    assert_eq!(&file[12..16], b"VP8L");
    &file[12..]
}

/// Good news must be true.
fn agree(data: &[u8]) -> bool {
    ours(data).is_none_or(|pixels| theirs(data).is_some_and(|wanted| wanted == pixels))
}

#[test]
fn whole_pictures_are_read_as_libwebp_reads_them() {
    for (name, file) in FILES {
        let pixels = ours(chunk(file));
        assert!(pixels.is_some(), "{name} was not read");
        assert!(pixels == theirs(chunk(file)), "{name} has other pixels");
    }
}

#[test]
fn pictures_of_another_encoder_come_out_as_they_went_in() {
    for (width, height) in [(1, 1), (7, 3), (100, 40), (3, 700), (2000, 9)] {
        let picture = RgbaImage::from_fn(width, height, |x, y| {
            let noise = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)) >> 7;
            Rgba([x / 3, y + noise % 5, noise, 255 - (x ^ y) % 3].map(|value| u8::try_from(value % 256).unwrap()))
        });
        for picture in [DynamicImage::ImageRgba8(picture.clone()), DynamicImage::from(picture).to_rgb8().into()] {
            let mut file = Cursor::new(Vec::new());
            picture.write_to(&mut file, ImageFormat::WebP).unwrap();
            assert!(ours(chunk(file.get_ref())) == Some(picture.to_rgba8().into_raw()), "{width}x{height}");
        }
    }
}

#[test]
fn a_picture_with_more_pixels_than_are_kept_is_read() {
    let picture = image::RgbImage::from_fn(16_383, 90, |x, y| {
        let noise = (x + 1).wrapping_mul(2_654_435_761).wrapping_mul(y % 20 + 1) >> 9;
        image::Rgb([noise, noise >> 8, noise >> 16].map(|value| u8::try_from(value % 256).unwrap()))
    });
    let mut file = Cursor::new(Vec::new());
    DynamicImage::from(picture).write_to(&mut file, ImageFormat::WebP).unwrap();
    let pixels = ours(chunk(file.get_ref()));
    assert!(pixels.is_some() && pixels == theirs(chunk(file.get_ref())));
}

#[test]
fn no_part_of_a_picture_is_a_picture() {
    for (name, file) in FILES {
        let data = chunk(file);
        // The chunk may be padded by a byte, which is not missed.
        let length = 8 + u32::from_le_bytes(data[4..8].try_into().unwrap()) as usize;
        for length in 0..length {
            assert!(ours(&data[..length]).is_none(), "{name} of {length} bytes");
            // And one that says so itself.
            if let Some(left) = length.checked_sub(8) {
                let mut short = data[..length].to_vec();
                short[4..8].copy_from_slice(&u32::try_from(left).unwrap().to_le_bytes());
                assert!(agree(&short), "{name} of {length} bytes");
            }
        }
    }
}

#[test]
fn a_limit_ends_the_reading() {
    let data = chunk(FILES[9].1);
    let later = Instant::now() + Duration::from_secs(60);
    assert!(read(data, BUDGET, later).is_some());
    assert!(read(data, 10_000, later).is_none());
    assert!(read(data, BUDGET, Instant::now()).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn damage_is_never_taken_for_good_news(which in 0..FILES.len(), flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..4)) {
        let mut data = chunk(FILES[which].1).to_vec();
        for (index, bit) in flips {
            // The size stays, for it costs time; it is the first four bytes behind the signature.
            let at = 13 + index.index(data.len() - 13);
            data[at] ^= 1 << bit;
        }
        prop_assert!(agree(&data));
    }
}
