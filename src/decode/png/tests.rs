//! Whole files through [`read`](super::read): right values for each kind of damage.

use miniz_oxide::deflate::compress_to_vec_zlib;
use proptest::prelude::*;

use super::chunks::{SIGNATURE, crc32};
use super::read;
use crate::decode::{Limits, Picture, Reading};
use crate::model::{FaultKind, Stage, Strict, Verdict};

pub(super) fn chunk(name: [u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], &name, data, &crc32(&[&name, data]).to_be_bytes()].concat()
}

pub(super) fn ihdr(width: u32, height: u32, depth: u8, color_type: u8, interlace: u8) -> Vec<u8> {
    let sides = [width.to_be_bytes(), height.to_be_bytes()].concat();
    chunk(*b"IHDR", &[&sides[..], &[depth, color_type, 0, 0, interlace]].concat())
}

/// A file of the chunks given, with `rows` (filter bytes included) as its image data.
fn png(header: &[u8], before: &[Vec<u8>], rows: &[u8]) -> Vec<u8> {
    let data = chunk(*b"IDAT", &compress_to_vec_zlib(rows, 6));
    [&SIGNATURE[..], header, &before.concat(), &data, &chunk(*b"IEND", &[])].concat()
}

/// Noise of 64 x 64 gray pixels, so that a share of the file is a share of the picture.
fn noisy_rows() -> Vec<u8> {
    let mut state = 1_u32;
    let mut rows = Vec::new();
    for _ in 0..64 {
        rows.push(1);
        rows.extend((0..64).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        }));
    }
    rows
}

fn noisy() -> Vec<u8> {
    png(&ihdr(64, 64, 8, 0, 0), &[], &noisy_rows())
}

fn reading(bytes: &[u8]) -> Reading {
    read(bytes, &Limits::default())
}

fn picture(bytes: &[u8]) -> Picture {
    let reading = reading(bytes);
    assert_eq!((reading.pillow, reading.opencv, reading.strict), (Verdict::Ok, Verdict::Ok, Strict::Whole));
    reading.picture.unwrap()
}

fn refuses_load(class: &'static str, message: &str) -> Verdict {
    Verdict::refuses_load(class, message)
}

#[test]
fn a_whole_file_is_whole() {
    let picture = picture(&noisy());
    assert_eq!((picture.raster.width, picture.raster.height, picture.alpha), (64, 64, None));
}

#[test]
fn a_file_rewritten_as_text_is_corrupt() {
    let mut bytes = noisy();
    let body = bytes.split_off(8);
    let rewritten = body.iter().flat_map(|byte| if *byte == b'\n' { b"\r\n".to_vec() } else { vec![*byte] });
    bytes.extend(rewritten);
    let reading = reading(&bytes);
    assert_eq!(reading.strict.fault().unwrap().kind, FaultKind::Corrupt, "{:?}", reading.strict);
    assert_ne!(reading.pillow, Verdict::Ok);
    let all = [b"\x89PNG\r\r\n\x1a\r\n".as_slice(), &body].concat();
    assert_eq!(super::read(&all, &Limits::default()).strict.fault().unwrap().kind, FaultKind::Corrupt);
}

#[test]
fn an_unknown_filter_is_named_with_its_row_and_value() {
    let mut rows = noisy_rows();
    rows[30 * 65] = 7;
    let reading = reading(&png(&ihdr(64, 64, 8, 0, 0), &[], &rows));
    assert_eq!(reading.pillow, refuses_load("OSError", "unrecognized data stream contents when reading image file"));
    let Strict::Damaged { fault, lost } = reading.strict else { panic!("{:?}", reading.strict) };
    assert_eq!((fault.kind, fault.detail.as_str()), (FaultKind::Corrupt, "row 30 of 64 has filter 7 where 0 to 4 exist"));
    assert!((lost.unwrap() - 34.0 / 64.0).abs() < 1e-6);
}

#[test]
fn a_file_cut_short_is_truncated_and_the_lost_share_is_told() {
    let whole = noisy();
    let reading = reading(&whole[..whole.len() * 2 / 5]);
    assert_eq!(reading.pillow, refuses_load("OSError", "image file is truncated"));
    let Strict::Damaged { fault, lost } = reading.strict else { panic!("{:?}", reading.strict) };
    assert_eq!((fault.kind, fault.offset), (FaultKind::Truncated, Some((whole.len() * 2 / 5) as u64)));
    assert!((0.58..0.66).contains(&lost.unwrap()), "{lost:?}");
    assert!(reading.picture.is_some());
}

#[test]
fn text_that_inflates_too_far_is_too_large() {
    let text = [b"Comment\0\0".as_slice(), &compress_to_vec_zlib(&vec![b' '; 1_200_000], 6)].concat();
    let refusal = "Decompressed data too large for PngImagePlugin.MAX_TEXT_CHUNK";
    let before = reading(&png(&ihdr(64, 64, 8, 0, 0), &[chunk(*b"zTXt", &text)], &noisy_rows()));
    assert_eq!(before.pillow, Verdict::refuses_open("ValueError", refusal));
    assert_eq!(before.opencv, Verdict::Ok);
    assert_eq!(before.strict.fault().unwrap().kind, FaultKind::MetadataTooLarge);
    let mut bytes = noisy();
    let end = bytes.len() - 12;
    bytes.splice(end..end, chunk(*b"zTXt", &text));
    assert_eq!(reading(&bytes).pillow, refuses_load("ValueError", refusal));
    let profile = [b"icc\0\0".as_slice(), &compress_to_vec_zlib(&vec![b' '; 1_200_000], 6)].concat();
    let before = reading(&png(&ihdr(64, 64, 8, 0, 0), &[chunk(*b"iCCP", &profile)], &noisy_rows()));
    assert_eq!(before.pillow, Verdict::refuses_open("ValueError", refusal));
}

#[test]
fn a_wrong_checksum_of_the_data_loads_and_is_damage() {
    let mut bytes = noisy();
    let crc = bytes.len() - 13;
    bytes[crc] ^= 1;
    let reading = reading(&bytes);
    assert_eq!(reading.pillow, Verdict::Ok);
    assert_eq!(reading.opencv.name(), "error");
    let Strict::Damaged { fault, lost } = reading.strict else { panic!() };
    assert_eq!((fault.kind, fault.offset, lost), (FaultKind::Corrupt, Some(33), Some(0.0)));
}

#[test]
fn a_wrong_checksum_of_a_text_is_refused_on_opening() {
    let mut text = chunk(*b"tEXt", b"Comment\0hello");
    *text.last_mut().unwrap() ^= 1;
    let reading = reading(&png(&ihdr(64, 64, 8, 0, 0), &[text], &noisy_rows()));
    assert_eq!(reading.pillow, Verdict::refuses_open("UnidentifiedImageError", "cannot identify image file"));
    assert_eq!(reading.opencv, Verdict::Ok);
    assert_eq!(reading.strict.name(), "damaged");
}

#[test]
fn a_lenient_load_takes_what_is_there() {
    let text = [&chunk(*b"tEXt", b"k\0v")[..11], b"X\0\0\0"].concat();
    let wrong_text = reading(&png(&ihdr(2, 2, 8, 0, 0), &[text], &[0; 6]));
    assert_eq!((wrong_text.pillow.name(), wrong_text.pillow_lenient), ("error", Verdict::Ok));
    let cut = reading(&noisy()[..noisy().len() / 2]);
    assert_eq!((cut.pillow.name(), cut.pillow_lenient), ("error", Verdict::Ok));
    // Where the strict walk ends at a name that is none, the lenient one looks for the chunk's data.
    let whole = png(&ihdr(2, 2, 8, 0, 0), &[], &[0; 6]);
    let odd_end = reading(&[&whole[..whole.len() - 12], b"\0\0\0\x09a b c"].concat());
    assert_eq!((odd_end.pillow, odd_end.pillow_lenient), (Verdict::Ok, refuses_load("OSError", "Truncated File Read")));
    let no_name = reading(&[&whole[..33], b"\0\0\0\0\xe7bcd"].concat());
    assert_eq!(no_name.pillow_lenient.refusal().map(|refusal| refusal.class.as_ref()), Some("UnicodeDecodeError"));
}

#[test]
fn opencv_refuses_damage_in_the_first_stream_of_an_animation_and_dies_of_it_in_the_second() {
    let control = chunk(*b"fcTL", &[&[0; 4][..], &[0, 0, 0, 2], &[0, 0, 0, 2], &[0; 8], &[0, 1, 0, 1, 0, 0]].concat());
    let animation = chunk(*b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]);
    let (good, bad) = ([0; 6], [0, 1, 2, 9, 3, 4]);
    let frame = |rows: &[u8]| chunk(*b"fdAT", &[&[0, 0, 0, 1], &miniz_oxide::deflate::compress_to_vec_zlib(rows, 6)[..]].concat());
    let opencv = |before: &[Vec<u8>], rows: &[u8], behind: &[Vec<u8>]| {
        let file = png(&ihdr(2, 2, 8, 0, 0), before, rows);
        let (data, end) = file.split_at(file.len() - 12);
        reading(&[data, &behind.concat(), end].concat()).opencv.refusal().map(|refusal| refusal.class.to_string())
    };
    let first = [animation.clone(), control.clone()];
    assert_eq!(opencv(&first, &good, &[]), None);
    assert_eq!(opencv(&first, &bad, &[]), Some("error".to_owned()));
    let behind = |rows: &[u8]| [control.clone(), frame(rows)];
    assert_eq!(opencv(std::slice::from_ref(&animation), &good, &behind(&good)), None);
    assert_eq!(opencv(std::slice::from_ref(&animation), &good, &behind(&bad)), Some("crash".to_owned()));
    assert_eq!(opencv(&[animation], &bad, &behind(&good)), Some("error".to_owned()));
}

#[test]
fn a_missing_end_loads_in_pillow_only() {
    let bytes = noisy();
    let reading = reading(&bytes[..bytes.len() - 12]);
    assert_eq!((reading.pillow, reading.opencv.name()), (Verdict::Ok, "error"));
    let Strict::Damaged { fault, lost } = reading.strict else { panic!() };
    assert_eq!((fault.kind, lost), (FaultKind::Truncated, Some(0.0)));
}

#[test]
fn what_follows_the_end_is_trailing() {
    let bytes = noisy();
    let end = bytes.len() as u64;
    let trailing = reading(&[&bytes[..], &[0; 9]].concat()).trailing.unwrap();
    assert_eq!((trailing.offset, trailing.size_bytes, trailing.zeros), (end, 9, true));
    assert_eq!(reading(&bytes).trailing, None);
}

#[test]
fn few_bits_are_scaled_to_white() {
    assert_eq!(picture(&png(&ihdr(3, 1, 1, 0, 0), &[], &[0, 0b1010_0000])).raster.luma, [255, 0, 255]);
    assert_eq!(picture(&png(&ihdr(3, 1, 2, 0, 0), &[], &[0, 0b0001_1100])).raster.luma, [0, 85, 255]);
    assert_eq!(picture(&png(&ihdr(3, 1, 4, 0, 0), &[], &[0, 0x08, 0xF0])).raster.luma, [0, 136, 255]);
}

#[test]
fn sixteen_bits_keep_their_high_byte() {
    let rgb = picture(&png(&ihdr(1, 1, 16, 2, 0), &[], &[0, 200, 1, 200, 2, 200, 3]));
    assert_eq!((rgb.raster.luma, rgb.colorless), (vec![200], Some(true)));
    let clear = chunk(*b"tRNS", &[0, 5, 0, 6, 0, 7]);
    let rows = [0, 0, 5, 0, 6, 0, 7, 0, 5, 0, 6, 0, 8];
    let alpha = picture(&png(&ihdr(2, 1, 16, 2, 0), &[clear], &rows)).alpha.unwrap();
    assert!((alpha.transparent - 0.5).abs() < 1e-6);
}

#[test]
fn a_palette_is_looked_up_with_its_alphas() {
    let before = [chunk(*b"PLTE", &[255, 0, 0, 0, 255, 0, 0, 0, 255]), chunk(*b"tRNS", &[0, 128])];
    let picture = picture(&png(&ihdr(4, 1, 2, 3, 0), &before, &[0, 0b0001_1000]));
    assert_eq!(picture.raster.luma, [76, 150, 29, 76]);
    let alpha = picture.alpha.unwrap();
    assert_eq!((alpha.transparent, alpha.partial, alpha.hidden), (0.5, 0.25, 0.5));
    assert_eq!((alpha.hidden_color, picture.colorless), (Some([255, 0, 0]), Some(false)));
}

#[test]
fn colors_under_alpha_zero_are_seen() {
    let rows: Vec<u8> = std::iter::once(0).chain([[255, 0, 0, 0], [255, 0, 0, 0], [0, 0, 0, 0], [9, 9, 9, 255]].concat()).collect();
    let alpha = picture(&png(&ihdr(4, 1, 8, 6, 0), &[], &rows)).alpha.unwrap();
    assert_eq!((alpha.transparent, alpha.hidden, alpha.hidden_color), (0.75, 0.5, Some([255, 0, 0])));
}

#[test]
fn interlaced_and_plain_give_the_same_picture() {
    // 4 x 4 gray of 10 * y + x; passes 1, 4, 5, 6 and 7 of Adam7 have pixels in a picture of this size.
    let value = |x: u8, y: u8| 10 * y + x;
    let plain: Vec<u8> = (0..4).flat_map(|y| std::iter::once(0).chain((0..4).map(move |x| value(x, y)))).collect();
    let passes: [(&[u8], &[u8]); 5] = [(&[0], &[0]), (&[2], &[0]), (&[0, 2], &[2]), (&[1, 3], &[0, 2]), (&[0, 1, 2, 3], &[1, 3])];
    let mut woven = Vec::new();
    for (columns, rows) in passes {
        for y in rows {
            woven.push(0);
            woven.extend(columns.iter().map(|x| value(*x, *y)));
        }
    }
    assert_eq!(picture(&png(&ihdr(4, 4, 8, 0, 1), &[], &woven)), picture(&png(&ihdr(4, 4, 8, 0, 0), &[], &plain)));
}

#[test]
fn sixty_thousand_squared_is_refused_by_the_limit() {
    for depth in [1, 8] {
        let rows = vec![0; 10_000];
        let reading = reading(&png(&ihdr(60_000, 60_000, depth, 0, 0), &[], &rows));
        let refusal = reading.pillow.refusal().unwrap();
        assert_eq!((refusal.class.as_ref(), refusal.stage), ("DecompressionBombError", Stage::Open));
        assert!(refusal.message.starts_with("Image size (3600000000 pixels) exceeds limit of 178956970 pixels"));
        assert_eq!(reading.strict.fault().unwrap().kind, FaultKind::TooManyPixels);
        assert_eq!(reading.opencv.name(), "error");
    }
}

#[test]
fn a_lying_header_costs_nothing() {
    let reading = reading(&png(&ihdr(30_000_000, 1, 16, 6, 0), &[], &[0; 100]));
    assert_eq!(reading.pillow.name(), "error");
    assert_eq!(reading.strict.fault().unwrap().kind, FaultKind::Truncated);
    let small = Limits { memory_bytes: 1 << 26, ..Limits::default() };
    let refused = read(&png(&ihdr(30_000_000, 1, 16, 6, 0), &[], &[0; 100]), &small);
    assert_eq!(refused.strict.fault().unwrap().kind, FaultKind::OverBudget);
}

#[test]
fn a_picture_without_pixels_has_a_bad_header() {
    let reading = reading(&png(&ihdr(0, 5, 8, 0, 0), &[], &[0; 5]));
    assert_eq!(reading.pillow, Verdict::refuses_open("UnidentifiedImageError", "cannot identify image file"));
    assert_eq!(reading.strict.fault().unwrap().kind, FaultKind::BadHeader);
}

#[test]
fn time_runs_out() {
    let limits = Limits { time: std::time::Duration::ZERO, ..Limits::default() };
    let reading = read(&noisy(), &limits);
    let Strict::Unknown(fault) = reading.strict else { panic!("{:?}", reading.strict) };
    assert_eq!((fault.kind, reading.pillow, reading.opencv), (FaultKind::TimedOut, Verdict::Unknown, Verdict::Unknown));
}

#[test]
fn every_length_is_survived_and_none_but_the_whole_is_whole() {
    let before = [chunk(*b"PLTE", &[255, 0, 0]), chunk(*b"tRNS", &[0]), chunk(*b"tEXt", b"k\0v")];
    let files = [noisy(), png(&ihdr(9, 9, 1, 3, 1), &before, &[0; 64]), png(&ihdr(3, 2, 16, 6, 0), &[], &[0; 50])];
    for whole in files {
        for length in 0..whole.len() {
            let reading = reading(&whole[..length]);
            assert_ne!(reading.strict, Strict::Whole, "{length} of {}", whole.len());
            assert_ne!(reading.opencv, Verdict::Ok, "{length} of {}", whole.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn flipped_bits_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..6)) {
        let mut bytes = noisy();
        for (index, bit) in flips {
            let at = index.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        let _ = reading(&bytes);
    }

    #[test]
    fn chunks_in_any_order_never_panic(names in prop::collection::vec(0..8_usize, 0..8), data in prop::collection::vec(any::<u8>(), 0..40)) {
        let known = [b"IHDR", b"PLTE", b"tRNS", b"acTL", b"fcTL", b"fdAT", b"iTXt", b"IDAT"];
        let before: Vec<_> = names.iter().map(|name| chunk(*known[*name], &data)).collect();
        let _ = reading(&png(&ihdr(5, 5, 8, 3, 1), &before, &[0; 50]));
    }
}
