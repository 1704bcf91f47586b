//! Behaviour of the whole reader, on files encoded here and on those in `tests/data/jpeg`.
//!
//! What Pillow 13.0.0 and OpenCV 5.0.0 do with each of them was recorded with the two.

use std::time::Duration;

use image::codecs::jpeg::JpegEncoder;
use image::{GrayImage, ImageEncoder, RgbImage};
use proptest::prelude::*;

use super::{Limits, read};
use crate::decode::Reading;
use crate::model::{FaultKind, Strict, Verdict};

const PROGRESSIVE: &[u8] = include_bytes!("../../../tests/data/jpeg/progressive.jpg");
const RESTARTS: &[u8] = include_bytes!("../../../tests/data/jpeg/restarts.jpg");
const CMYK: &[u8] = include_bytes!("../../../tests/data/jpeg/cmyk.jpg");
const GRAY_IN_RGB: &[u8] = include_bytes!("../../../tests/data/jpeg/gray-in-rgb.jpg");
const SUBSAMPLED: &[u8] = include_bytes!("../../../tests/data/jpeg/subsampled-17x33.jpg");
const ODD: [(&[u8], usize, usize); 6] = [
    (include_bytes!("../../../tests/data/jpeg/subsampled-1x1.jpg"), 1, 1),
    (include_bytes!("../../../tests/data/jpeg/subsampled-7x9.jpg"), 1, 2),
    (SUBSAMPLED, 3, 5),
    (include_bytes!("../../../tests/data/jpeg/progressive-1x1.jpg"), 1, 1),
    (include_bytes!("../../../tests/data/jpeg/progressive-7x9.jpg"), 1, 2),
    (include_bytes!("../../../tests/data/jpeg/progressive-17x33.jpg"), 3, 5),
];

fn read_default(bytes: &[u8]) -> Reading {
    read(bytes, &Limits::default())
}

/// A picture with so much detail that half of its data is longer than all its blocks read from zeros.
fn noise(side: u32) -> Vec<u8> {
    let mut state = 1_u32;
    let picture = RgbImage::from_fn(side, side, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [a, b, c, _] = state.to_be_bytes();
        image::Rgb([a, b, c])
    });
    encode(picture.as_raw(), side, side, image::ExtendedColorType::Rgb8)
}

fn encode(samples: &[u8], width: u32, height: u32, color: image::ExtendedColorType) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 95).write_image(samples, width, height, color).expect("it can be encoded");
    bytes
}

/// The file's first half, and what is put in place of the other.
fn half_and(bytes: &[u8], rest: &[u8]) -> Vec<u8> {
    [&bytes[..bytes.len() / 2], rest].concat()
}

fn fault_kind(reading: &Reading) -> Option<FaultKind> {
    reading.strict.fault().map(|fault| fault.kind)
}

fn lost(reading: &Reading) -> f32 {
    match &reading.strict {
        Strict::Damaged { lost: Some(lost), .. } => *lost,
        other => panic!("not damaged by a known share: {other:?}"),
    }
}

fn message(verdict: &Verdict) -> String {
    verdict.refusal().map(ToString::to_string).unwrap_or_default()
}

/// Where the segment of a marker begins.
fn find(bytes: &[u8], marker: u8) -> usize {
    bytes.windows(2).rposition(|pair| pair == [0xFF, marker]).expect("the marker is there")
}

#[test]
fn a_whole_file_is_whole_for_everybody() {
    for bytes in [&noise(64)[..], PROGRESSIVE, RESTARTS, CMYK, GRAY_IN_RGB] {
        let reading = read_default(bytes);
        assert_eq!((reading.pillow, reading.opencv, reading.strict), (Verdict::Ok, Verdict::Ok, Strict::Whole));
        assert_eq!(reading.trailing, None);
    }
}

#[test]
fn the_picture_is_the_mean_of_each_block() {
    let picture = GrayImage::from_fn(40, 24, |x, y| image::Luma([u8::try_from(40 * (x / 8) + 20 * (y / 8)).expect("it is below 256")]));
    let reading = read_default(&encode(picture.as_raw(), 40, 24, image::ExtendedColorType::L8));
    let raster = reading.picture.expect("there is a picture").raster;
    assert_eq!((raster.width, raster.height), (5, 3));
    for (place, &level) in raster.luma.iter().enumerate() {
        let expected = 40 * (place % 5) + 20 * (place / 5);
        assert!(usize::from(level).abs_diff(expected) <= 2, "block {place}: {level}, not {expected}");
    }
}

#[test]
fn odd_sizes_with_subsampling_are_whole() {
    for (bytes, width, height) in ODD {
        let reading = read_default(bytes);
        assert_eq!((reading.pillow, reading.strict), (Verdict::Ok, Strict::Whole));
        let raster = reading.picture.expect("there is a picture").raster;
        assert_eq!((raster.width, raster.height, raster.luma.len()), (width, height, width * height));
    }
}

#[test]
fn progressive_and_baseline_give_the_same_picture() {
    for (baseline, progressive) in ODD[..3].iter().zip(&ODD[3..]) {
        assert_eq!(read_default(baseline.0).picture, read_default(progressive.0).picture);
    }
    assert_eq!(read_default(PROGRESSIVE).picture, read_default(RESTARTS).picture);
}

#[test]
fn inks_and_stored_red_green_blue_become_gray() {
    for bytes in [CMYK, GRAY_IN_RGB] {
        let raster = read_default(bytes).picture.expect("there is a picture").raster;
        assert!(raster.luma.iter().all(|&level| level.abs_diff(200) <= 1), "{:?}", raster.luma);
    }
}

#[test]
fn pictures_without_colour_are_seen() {
    let gray = RgbImage::from_fn(32, 32, |x, _| image::Rgb([u8::try_from(x * 8).expect("it is below 256"); 3]));
    let gray = encode(gray.as_raw(), 32, 32, image::ExtendedColorType::Rgb8);
    let colorless = |bytes: &[u8]| read_default(bytes).picture.expect("there is a picture").colorless;
    assert_eq!(colorless(&gray), Some(true));
    assert_eq!(colorless(GRAY_IN_RGB), Some(true));
    assert_eq!(colorless(PROGRESSIVE), Some(false));
    assert_eq!(colorless(CMYK), None);
}

#[test]
fn a_missing_last_byte_is_an_error_that_costs_nothing() {
    for (bytes, left) in [(SUBSAMPLED, Some(1)), (RESTARTS, Some(50)), (PROGRESSIVE, None), (&noise(64)[..], None)] {
        let reading = read_default(&bytes[..bytes.len() - 1]);
        assert_eq!(fault_kind(&reading), Some(FaultKind::Truncated));
        assert!(lost(&reading) <= 0.0);
        assert!(message(&reading.pillow).starts_with("OSError: image file is truncated ("), "{}", message(&reading.pillow));
        if let Some(left) = left {
            assert_eq!(message(&reading.pillow), format!("OSError: image file is truncated ({left} bytes not processed)"));
        }
        assert_eq!(reading.opencv.name(), "error");
    }
}

#[test]
fn half_a_baseline_file_and_zeros_load_and_are_damaged() {
    let whole = noise(128);
    let reading = read_default(&half_and(&whole, &vec![0; whole.len() / 2]));
    assert_eq!((reading.pillow.name(), reading.opencv.name()), ("ok", "ok"));
    assert_eq!(fault_kind(&reading), Some(FaultKind::Corrupt));
    assert_eq!(reading.strict.fault().and_then(|fault| fault.offset), Some(whole.len() as u64 / 2));
    assert!((0.4..0.6).contains(&lost(&reading)), "{}", lost(&reading));
}

#[test]
fn half_a_baseline_file_and_an_end_marker_load_and_are_damaged() {
    let whole = noise(128);
    let reading = read_default(&half_and(&whole, &[0xFF, 0xD9]));
    assert_eq!((reading.pillow.name(), reading.opencv.name()), ("ok", "ok"));
    assert_eq!(fault_kind(&reading), Some(FaultKind::Corrupt));
    assert!((0.4..0.6).contains(&lost(&reading)), "{}", lost(&reading));
}

#[test]
fn half_a_file_is_truncated() {
    let whole = noise(128);
    let reading = read_default(&half_and(&whole, &[]));
    assert_eq!((reading.pillow.name(), reading.opencv.name()), ("error", "error"));
    assert_eq!(fault_kind(&reading), Some(FaultKind::Truncated));
    assert!((0.4..0.6).contains(&lost(&reading)), "{}", lost(&reading));
}

#[test]
fn half_a_progressive_file_loads_with_an_end_marker_only() {
    let zeros = read_default(&half_and(PROGRESSIVE, &vec![0; 100_000]));
    assert_eq!(message(&zeros.pillow), "OSError: image file is truncated (0 bytes not processed)");
    assert_eq!((zeros.opencv.name(), zeros.strict.name()), ("error", "damaged"));
    let ended = read_default(&half_and(PROGRESSIVE, &[0xFF, 0xD9]));
    assert_eq!((ended.pillow.name(), ended.opencv.name(), ended.strict.name()), ("ok", "ok", "damaged"));
}

#[test]
fn a_progressive_file_cut_between_scans_is_not_whole() {
    let last_scan = find(PROGRESSIVE, 0xDA);
    // The tables of the last scan stand before it and do no harm.
    let reading = read_default(&[&PROGRESSIVE[..last_scan], &[0xFF, 0xD9]].concat());
    assert_eq!((reading.pillow.name(), reading.opencv.name()), ("ok", "ok"));
    assert!(matches!(&reading.strict, Strict::Damaged { lost: None, fault } if fault.kind == FaultKind::Corrupt), "{:?}", reading.strict);
}

#[test]
fn a_missing_restart_marker_costs_its_neighbourhood() {
    let at = find(RESTARTS, 0xD2);
    let reading = read_default(&[&RESTARTS[..at], &RESTARTS[at + 2..]].concat());
    assert_eq!((reading.pillow.name(), reading.opencv.name()), ("ok", "ok"));
    assert_eq!(fault_kind(&reading), Some(FaultKind::Corrupt));
    let doubled = read_default(&[&RESTARTS[..at], &RESTARTS[at..at + 2], &RESTARTS[at..]].concat());
    assert_eq!((doubled.pillow.name(), doubled.strict.name()), ("ok", "damaged"));
}

#[test]
fn a_missing_segment_between_restart_markers_is_seen() {
    let (from, to) = (find(RESTARTS, 0xD1), find(RESTARTS, 0xD2));
    let reading = read_default(&[&RESTARTS[..from], &RESTARTS[to..]].concat());
    assert_eq!((reading.pillow.name(), fault_kind(&reading)), ("ok", Some(FaultKind::Corrupt)));
    assert!(lost(&reading) > 0.0 && lost(&reading) < 0.5, "{}", lost(&reading));
}

#[test]
fn bytes_behind_the_end_are_trailing() {
    let reading = read_default(&[PROGRESSIVE, &[0; 5]].concat());
    assert_eq!(reading.strict, Strict::Whole);
    let trailing = reading.trailing.expect("there are bytes behind the end");
    assert_eq!((trailing.offset, trailing.size_bytes, trailing.zeros), (PROGRESSIVE.len() as u64, 5, true));
    // An index of further pictures right behind the start marker makes them part of the file.
    let index = [&PROGRESSIVE[..2], &[0xFF, 0xE2, 0, 6], b"MPF\0", &PROGRESSIVE[2..], PROGRESSIVE].concat();
    assert_eq!(read_default(&index).trailing, None);
}

#[test]
fn twelve_bits_are_whole_and_no_loader_takes_them() {
    let mut bytes = SUBSAMPLED.to_vec();
    let frame = find(&bytes, 0xC0);
    bytes[frame + 1] = 0xC1;
    bytes[frame + 4] = 12;
    let reading = read_default(&bytes);
    assert_eq!(message(&reading.pillow), "UnidentifiedImageError: cannot identify image file");
    assert_eq!((reading.opencv.name(), reading.strict), ("error", Strict::Whole));
}

#[test]
fn what_is_behind_a_sequential_arithmetic_scan_decides() {
    let mut bytes = SUBSAMPLED.to_vec();
    let frame = find(&bytes, 0xC0);
    bytes[frame + 1] = 0xC9;
    let whole = read_default(&bytes);
    assert_eq!((whole.pillow, whole.opencv, whole.strict.name()), (Verdict::Ok, Verdict::Ok, "unknown"));
    let cut = read_default(&bytes[..bytes.len() - 2]);
    assert_eq!(message(&cut.pillow), "OSError: broken data stream when reading image file");
    bytes.truncate(bytes.len() - 2);
    bytes.extend([0; 100]);
    assert_eq!(read_default(&bytes).pillow, Verdict::Unknown);
}

#[test]
fn processes_that_are_not_walked_are_unknown() {
    for marker in [0xC3, 0xCA] {
        let mut bytes = SUBSAMPLED.to_vec();
        let frame = find(&bytes, 0xC0);
        bytes[frame + 1] = marker;
        let reading = read_default(&bytes);
        assert_eq!((reading.pillow, reading.opencv, reading.strict.name()), (Verdict::Unknown, Verdict::Unknown, "unknown"));
    }
    let mut bytes = SUBSAMPLED.to_vec();
    let frame = find(&bytes, 0xC0);
    bytes[frame + 1] = 0xC5;
    assert_eq!(message(&read_default(&bytes).pillow), "OSError: broken data stream when reading image file");
}

#[test]
fn a_header_that_lies_about_the_size_is_refused_without_cost() {
    let mut bytes = SUBSAMPLED.to_vec();
    let frame = find(&bytes, 0xC0);
    bytes[frame + 5..frame + 9].copy_from_slice(&[0x80, 0, 0x80, 0]);
    let reading = read(&bytes, &Limits { memory_bytes: 1 << 20, ..Limits::default() });
    assert!(message(&reading.pillow).starts_with("DecompressionBombError: Image size (1073741824 pixels)"));
    assert_eq!(fault_kind(&reading), Some(FaultKind::OverBudget));
    bytes[frame + 5..frame + 9].copy_from_slice(&[0, 0, 0, 17]);
    let reading = read_default(&bytes);
    assert_eq!(
        (message(&reading.pillow).as_str(), fault_kind(&reading)),
        ("UnidentifiedImageError: cannot identify image file", Some(FaultKind::BadHeader))
    );
}

#[test]
fn the_time_limit_stops_the_walk() {
    let reading = read(&noise(64), &Limits { time: Duration::ZERO, ..Limits::default() });
    assert_eq!((reading.pillow.clone(), fault_kind(&reading)), (Verdict::Unknown, Some(FaultKind::TimedOut)));
}

#[test]
fn every_length_of_a_file_can_be_read() {
    for whole in [&noise(24)[..], PROGRESSIVE, RESTARTS, CMYK] {
        for length in 0..whole.len() {
            let reading = read_default(&whole[..length]);
            assert_ne!(reading.strict.name(), "ok", "cut to {length}");
            assert_ne!(reading.pillow, Verdict::Unknown, "cut to {length}");
        }
    }
}

proptest! {
    #[test]
    fn damage_anywhere_never_panics(file in 0..4_usize, flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), cut in any::<prop::sample::Index>()) {
        let mut bytes = [PROGRESSIVE, RESTARTS, CMYK, SUBSAMPLED][file].to_vec();
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let limits = Limits { memory_bytes: 1 << 24, time: Duration::from_secs(2), ..Limits::default() };
        read(&bytes, &limits);
        bytes.truncate(cut.index(bytes.len()));
        read(&bytes, &limits);
    }

    #[test]
    fn bytes_of_any_kind_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        bytes.splice(0..0, SUBSAMPLED[..find(SUBSAMPLED, 0xDA) + 14].iter().copied());
        read_default(&bytes);
    }
}
