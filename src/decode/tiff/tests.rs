//! Tests of the whole reader, on files made here. Every verdict was seen from Pillow 13.

use std::io::Cursor;

use image::{GrayImage, ImageFormat, Luma};
use proptest::prelude::*;

use super::read;
use crate::decode::{Limits, Reading};
use crate::model::{FaultKind, Stage, Strict, Verdict};

/// A page of 8 bits gray or 1 bit, in strips: the directory first, and the data behind it.
struct Page {
    width: u32,
    height: u32,
    bits: u32,
    compression: u32,
    rows: u32,
    strips: Vec<Vec<u8>>,
    /// Tags of one number, which replace what would be there.
    tags: Vec<(u16, u32)>,
}

impl Page {
    fn new(compression: u32, strip: Vec<u8>) -> Self {
        Self { width: 16, height: 16, bits: 8, compression, rows: 16, strips: vec![strip], tags: Vec::new() }
    }

    fn with(mut self, tag: u16, value: u32) -> Self {
        self.tags.push((tag, value));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut tags =
            vec![(256, self.width), (257, self.height), (258, self.bits), (259, self.compression), (262, 1), (277, 1), (278, self.rows)];
        for (tag, value) in &self.tags {
            tags.retain(|(known, _)| known != tag);
            tags.push((*tag, *value));
        }
        let count = u32::try_from(self.strips.len()).unwrap();
        let lists = 8 + 2 + 12 * u32::try_from(tags.len() + 2).unwrap() + 4;
        let mut data = lists + if count > 1 { 8 * count } else { 0 };
        let (mut offsets, mut sizes) = (Vec::new(), Vec::new());
        for strip in &self.strips {
            let size = u32::try_from(strip.len()).unwrap();
            offsets.push(data);
            sizes.push(size);
            data += size;
        }
        let mut entries: Vec<(u16, u32, u32)> = tags.into_iter().map(|(tag, value)| (tag, 1, value)).collect();
        for (tag, list, at) in [(273, &offsets, lists), (279, &sizes, lists + 4 * count)] {
            entries.push((tag, count, if count > 1 { at } else { list[0] }));
        }
        entries.sort_unstable();
        let mut bytes = b"II\x2a\0\x08\0\0\0".to_vec();
        bytes.extend(u16::try_from(entries.len()).unwrap().to_le_bytes());
        for (tag, count, value) in entries {
            bytes.extend([&tag.to_le_bytes()[..], &4_u16.to_le_bytes(), &count.to_le_bytes(), &value.to_le_bytes()].concat());
        }
        bytes.extend([0; 4]);
        if count > 1 {
            bytes.extend(offsets.iter().chain(&sizes).flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(self.strips.concat());
        bytes
    }
}

fn reading(bytes: &[u8]) -> Reading {
    read(bytes, &Limits { memory_bytes: 64 << 20, ..Limits::default() })
}

fn decoder_error() -> Verdict {
    Verdict::refuses_load("OSError", "decoder error -2")
}

/// Literals of nine bits between a clear and an end code, for up to 250 bytes.
fn lzw(bytes: &[u8]) -> Vec<u8> {
    let codes = std::iter::once(256).chain(bytes.iter().map(|byte| u16::from(*byte))).chain([257]);
    let bits: Vec<u8> = codes.flat_map(|code| (0..9).rev().map(move |bit| u8::from(code >> bit & 1 == 1))).collect();
    bits.chunks(8).map(|chunk| (0..8).fold(0, |byte, place| byte << 1 | chunk.get(place).copied().unwrap_or(0))).collect()
}

fn packbits(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(128).flat_map(|run| std::iter::once(u8::try_from(run.len() - 1).unwrap()).chain(run.iter().copied())).collect()
}

fn ramp(length: usize) -> Vec<u8> {
    (0..length).map(|place| u8::try_from(place * 7 % 251).unwrap()).collect()
}

fn jpeg(width: u32, height: u32) -> Vec<u8> {
    let picture = GrayImage::from_fn(width, height, |x, y| Luma([u8::try_from((x * 9 + y * 5) % 256).unwrap()]));
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Jpeg).expect("it can be written");
    bytes.into_inner()
}

/// One page of each compression that is walked, all of it there.
fn pages() -> Vec<Page> {
    let group4 = Page { bits: 1, ..Page::new(4, vec![0xFF, 0xFF, 0, 0x10, 0x01]) };
    let two_strips = Page { rows: 8, strips: vec![lzw(&ramp(128)), lzw(&ramp(128))], ..Page::new(5, Vec::new()) };
    vec![
        two_strips,
        Page::new(32773, packbits(&ramp(256))),
        Page::new(8, miniz_oxide::deflate::compress_to_vec_zlib(&ramp(256), 6)).with(317, 2),
        Page::new(7, jpeg(16, 16)),
        group4,
    ]
}

#[test]
fn whole_pages_are_whole() {
    for page in pages() {
        let reading = reading(&page.bytes());
        assert_eq!((reading.pillow, reading.strict), (Verdict::Ok, Strict::Whole), "compression {}", page.compression);
    }
}

#[test]
fn pages_cut_at_any_length_are_refused() {
    for page in pages() {
        let whole = page.bytes();
        for length in 0..whole.len() {
            let reading = reading(&whole[..length]);
            let refusal = reading.pillow.refusal().unwrap_or_else(|| panic!("compression {} at {length}", page.compression));
            assert!(refusal.stage == Stage::Open || refusal.message == "decoder error -2", "{refusal}");
            assert_ne!(reading.strict, Strict::Whole, "compression {} at {length}", page.compression);
        }
    }
}

#[test]
fn strips_that_unpack_to_too_little_are_refused() {
    let half = [
        Page::new(5, lzw(&ramp(128))),
        Page::new(32773, packbits(&ramp(128))),
        Page::new(8, miniz_oxide::deflate::compress_to_vec_zlib(&ramp(128), 6)),
    ];
    for page in half {
        let reading = reading(&page.bytes());
        assert_eq!(reading.pillow, decoder_error(), "compression {}", page.compression);
        let Strict::Damaged { fault, lost } = reading.strict else { panic!("{:?}", reading.strict) };
        assert_eq!((fault.kind, lost), (FaultKind::Truncated, Some(0.5)));
    }
}

#[test]
fn what_libtiff_forgives_loads_and_is_damage() {
    let mut cut = jpeg(16, 16);
    cut.truncate(cut.len() - 6);
    let fax = Page { bits: 1, ..Page::new(4, vec![0xF0, 0x01, 0x00, 0x10]) };
    for page in [Page::new(7, cut), fax] {
        let reading = reading(&page.bytes());
        assert_eq!(reading.pillow, Verdict::Ok, "compression {}", page.compression);
        let Strict::Damaged { lost, .. } = reading.strict else { panic!("{:?}", reading.strict) };
        assert!(lost.is_some_and(|lost| lost > 0.0), "{lost:?}");
    }
}

#[test]
fn streams_of_another_size_are_refused_where_they_do_not_fit() {
    assert_eq!(reading(&Page::new(7, jpeg(8, 8)).bytes()).pillow, Verdict::Ok, "smaller");
    assert_eq!(reading(&Page::new(7, jpeg(16, 24)).bytes()).pillow, Verdict::Ok, "a last strip that is taller");
    assert_eq!(reading(&Page::new(7, jpeg(24, 16)).bytes()).pillow, decoder_error(), "wider");
    assert_eq!(reading(&Page::new(7, b"no jpeg".to_vec()).bytes()).pillow, decoder_error());
}

#[test]
fn the_directory_must_please_libtiff() {
    let page = || Page::new(32773, packbits(&ramp(256)));
    assert_eq!(reading(&page().with(279, 0).bytes()).pillow, Verdict::Ok, "of two sizes the first counts, and 0 is estimated");
    assert_eq!(reading(&page().with(284, 7).bytes()).pillow, decoder_error(), "no such planar configuration");
    assert_eq!(reading(&page().with(278, 0).bytes()).pillow, decoder_error(), "no rows in a strip");
    assert_eq!(reading(&page().with(317, 9).bytes()).pillow, Verdict::Ok, "PackBits has no predictor");
    assert_eq!(reading(&Page::new(5, lzw(&ramp(256))).with(317, 9).bytes()).pillow, decoder_error(), "no such predictor");
}

#[test]
fn lying_sizes_cost_nothing() {
    for compression in [2, 3, 4, 5, 6, 7, 8, 32771, 32773, 34925] {
        for (width, height, rows, bits) in [
            (13_000, 13_000, 13_000, 8),
            (170_000_000, 1, 1, 1),
            (1, 170_000_000, 1, 1),
            (1, 170_000_000, u32::MAX, 1),
            (60_000, 2900, 1, 1),
        ] {
            let page = Page { width, height, bits, rows, ..Page::new(compression, vec![0x55; 40]) };
            let reading = reading(&page.bytes());
            assert_ne!(reading.strict, Strict::Whole, "compression {compression}, {width} x {height}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn flipped_bits_never_panic(which in 0..5_usize, flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..6)) {
        let mut bytes = pages()[which].bytes();
        for (index, bit) in flips {
            let at = index.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        let _ = reading(&bytes);
    }

    #[test]
    fn noise_in_strips_never_panics(compression in prop::sample::select(vec![2, 3, 4, 5, 6, 7, 8, 32771, 32773]), noise in prop::collection::vec(any::<u8>(), 1..300), bits in prop::sample::select(vec![1, 8]), options in 0..3_u32) {
        let page = Page { bits, rows: 5, strips: vec![noise.clone(), noise.clone(), noise.clone(), noise], ..Page::new(compression, Vec::new()) };
        let _ = reading(&page.with(292, options).bytes());
    }
}
