//! Whole files through [`read`](super::read).
//!
//! The files are 16 x 16 pixels, made by libwebp 1.6 through Pillow 13.

use proptest::prelude::*;

use super::read;
use crate::decode::{Limits, Picture, Reading};
use crate::model::{FaultKind, Strict, Verdict};

/// Lossy: the left half blue (20, 20, 220), the right half red (200, 40, 40).
const LOSSY: &str = "524946463c0000005745425056503820300000007001009d012a1000100002804225a0027401400000fef0b7fffea3c97fecac7c46fffb2b076f\
                     557ffd26ca7bec800000";

/// Lossy, all gray 128.
const GRAY: &str = "52494646240000005745425056503820180000005001009d012a1000100002804225a40004740000e4400000";

/// Lossy with alpha: the left half opaque green, the right half transparent red.
const LOSSY_ALPHA: &str = "524946466800000057454250565038580a000000100000000f00000f0000414c50480f00000001101210fe9f9664352226c0247f010056503820\
                           320000001002009d012a1000100002804225a00274ba01f801f88003c800fedeabfff004c7fea6fc1ee9ed6fffb767aa6d75fdb00000";

/// The same, lossless.
const LOSSLESS_ALPHA: &str = "5249464626000000574542505650384c190000002f0fc003100f30fffb1ff31f2ac482c9fca5bb3388e87fe40200";

/// Two frames; the first is as `LOSSY`.
const ANIMATED: &str = "52494646ac00000057454250565038580a000000020000000f00000f0000414e494d06000000000000000000414e4d4648000000000000000000\
                        0f00000f00000000000256503820300000007001009d012a1000100002804225a0027401400000fef0b7fffea3c97fecac7c46fffb2b076f557f\
                        fd26ca7bec800000414e4d46300000000000000000000f00000f00000000000056503820180000003401009d012a1000100000004225a4000370\
                        00fef9a64000";

fn file(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks_exact(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn reading(bytes: &[u8]) -> Reading {
    read(bytes, &Limits::default())
}

fn picture(hex: &str) -> Picture {
    let reading = reading(&file(hex));
    assert_eq!((reading.pillow, reading.opencv, reading.strict), (Verdict::Ok, Verdict::Ok, Strict::Whole));
    assert_eq!(reading.trailing, None);
    reading.picture.unwrap()
}

fn near(luma: u8, expected: u8) -> bool {
    luma.abs_diff(expected) <= 6
}

#[test]
fn a_lossy_picture_has_its_luma_and_no_alpha() {
    for hex in [LOSSY, ANIMATED] {
        let picture = picture(hex);
        assert_eq!((picture.raster.width, picture.raster.height), (16, 16));
        // 0.299 * 20 + 0.587 * 20 + 0.114 * 220 = 43; 0.299 * 200 + 0.701 * 40 = 88.
        assert!(near(picture.raster.luma[2], 43) && near(picture.raster.luma[13], 88), "{:?}", picture.raster.luma);
        assert_eq!((picture.alpha, picture.colorless), (None, Some(false)));
    }
}

#[test]
fn gray_without_color_is_told() {
    let picture = picture(GRAY);
    assert!(picture.raster.luma.iter().all(|luma| near(*luma, 128)), "{:?}", picture.raster.luma);
    assert_eq!(picture.colorless, Some(true));
}

#[test]
fn hidden_red_is_seen() {
    for (hex, tolerance) in [(LOSSLESS_ALPHA, 0), (LOSSY_ALPHA, 12)] {
        let alpha = picture(hex).alpha.unwrap();
        assert_eq!((alpha.transparent, alpha.partial, alpha.hidden), (0.5, 0.0, 0.5));
        let [red, green, blue] = alpha.hidden_color.unwrap();
        assert!(red >= 255 - tolerance && green <= tolerance && blue <= tolerance, "{:?}", alpha.hidden_color);
    }
}

#[test]
fn a_file_cut_short_is_truncated() {
    let whole = file(LOSSY);
    let reading = reading(&whole[..50]);
    assert_eq!(reading.pillow, Verdict::refuses_open("OSError", "could not create decoder object"));
    assert_eq!(reading.strict.fault().unwrap().kind, FaultKind::Truncated);
    assert_eq!(reading.strict.fault().unwrap().offset, Some(50));
}

#[test]
fn bytes_behind_the_container_are_trailing() {
    let bytes = [file(LOSSY), b"<html>".to_vec()].concat();
    let reading = reading(&bytes);
    assert_eq!((reading.pillow, reading.strict), (Verdict::Ok, Strict::Whole));
    let trailing = reading.trailing.unwrap();
    assert_eq!((trailing.offset, trailing.size_bytes, trailing.zeros), (68, 6, false));
}

#[test]
fn a_lying_canvas_is_refused_by_the_limit_and_the_budget() {
    let mut bytes = file(LOSSLESS_ALPHA);
    // 16384 x 16384, the most that VP8L can say.
    bytes[21..25].copy_from_slice(&[0xFF, 0xFF, 0xFF, 0x1F]);
    let refused = reading(&bytes);
    assert_eq!(refused.pillow.refusal().unwrap().class, "DecompressionBombError");
    assert_eq!(refused.strict.fault().unwrap().kind, FaultKind::TooManyPixels);
    let small = Limits { memory_bytes: 1 << 20, ..Limits::default() };
    assert_eq!(read(&file(LOSSLESS_ALPHA), &small).strict, Strict::Whole);
    // A kilobyte of pixels, as they come, is within the budget; what libwebp would take to say what is wrong is not.
    let mut broken = file(LOSSLESS_ALPHA);
    broken[25] = 0xFF;
    let reading = read(&broken, &small);
    assert_eq!((reading.strict.fault().unwrap().kind, reading.pillow), (FaultKind::OverBudget, Verdict::Unknown));
    assert_eq!(read(&file(LOSSY), &Limits { memory_bytes: 1 << 20, ..Limits::default() }).strict, Strict::Whole);
}

#[test]
fn a_picture_without_pixels_is_an_error() {
    let mut bytes = file(LOSSY);
    bytes[26..30].fill(0);
    let reading = reading(&bytes);
    assert_eq!((reading.strict.name(), reading.pillow.name(), reading.opencv.name()), ("error", "error", "error"));
}

#[test]
fn every_length_is_survived_and_none_but_the_whole_is_whole() {
    for hex in [LOSSY, LOSSY_ALPHA, LOSSLESS_ALPHA, ANIMATED] {
        let whole = file(hex);
        for length in 0..whole.len() {
            let reading = reading(&whole[..length]);
            assert_ne!(reading.strict, Strict::Whole, "{length} of {}", whole.len());
            assert_ne!(reading.pillow, Verdict::Ok, "{length} of {}", whole.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn flipped_bits_never_panic(which in 0..4_usize, flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..6)) {
        let mut bytes = file([LOSSY, LOSSY_ALPHA, LOSSLESS_ALPHA, ANIMATED][which]);
        for (index, bit) in flips {
            let at = index.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        // A canvas of 16384 pixels a side is valid and costs a second; nothing is learnt from it here.
        let _ = read(&bytes, &Limits { memory_bytes: 1 << 26, ..Limits::default() });
    }
}
