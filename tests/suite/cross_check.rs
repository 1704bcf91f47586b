//! `--pixels` decodes every picture a second time, through the `image` crate. Here the two paths are held against each other,
//! over pictures made in the test, the corpus where it is present, and damaged copies of both: whatever they disagree about
//! that is not listed fails.

#![expect(clippy::disallowed_methods, reason = "the corpus is read")]

use std::collections::BTreeMap;

use walkaround::inspect;
use walkaround::settings::Settings;

use crate::build::{animated_png, gif, jpeg, opaque_rgba_png, palette_png, picture, rgb_png, rgb16_png};
use crate::corpus::shared;

/// What the two paths may disagree about: format as the probe has it, a part of the disagreement, and why it is right.
const ALLOWED: [(&str, &str, &str); 13] = [
    ("BMP", "failed to fill whole buffer", "the padding of the last row may be missing, and holds nothing"),
    ("BMP", "Corrupt RLE data", "a run past the end of its row is cut off, as Pillow does; every pixel is there"),
    ("BMP", "More than one plane", "the number of planes means nothing, and Pillow does not look at it"),
    ("BMP", "Missing 16-bit bitfield mask", "a channel may have no bits"),
    ("BMP", "for top-down image", "run lengths from the top are unusual, and every pixel is there"),
    ("GIF", "no color table available", "without a palette the indices are levels of gray, as Pillow takes them"),
    ("JPEG", "12 bits of precision", "12 bits a sample are valid; `image` does not know them"),
    ("JPEG", "length for App14 segment", "a segment of metadata is short, which libjpeg does not mind"),
    ("TIFF", "a decoder panicked", "`image` 0.25 panics on tiles of planar data"),
    ("TIFF", "inconsistent sizes encountered", "lists of strips may be longer than the picture, for libtiff"),
    ("TIFF", "invalid code in LZW stream", "libtiff knows an older order of bits, and forgives codes behind the last row"),
    ("TIFF", "Decode Error", "fax data that libtiff resumes after an error of a row"),
    ("TIFF", "failed to fill whole buffer", "fax data in another order of bits, which `image` does not reverse"),
];

/// Pictures made here, by name.
fn made() -> Vec<(String, Vec<u8>)> {
    let encoded = |format| {
        let mut out = std::io::Cursor::new(Vec::new());
        picture(5, 90, 70).write_to(&mut out, format).expect("the test image can be encoded");
        out.into_inner()
    };
    let files = [
        ("a.jpg", jpeg(1, 90, 70, 85)),
        ("b.png", rgb_png(2, 90, 70)),
        ("c.png", rgb16_png(3, 40, 30)),
        ("d.png", opaque_rgba_png(4, 50)),
        ("e.png", palette_png(60, true)),
        ("f.png", animated_png(6, 40, 0)),
        ("g.gif", gif(&[7, 8], 50)),
        ("h.webp", encoded(image::ImageFormat::WebP)),
        ("i.bmp", encoded(image::ImageFormat::Bmp)),
        ("j.tif", encoded(image::ImageFormat::Tiff)),
    ];
    files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect()
}

/// The file itself and what may become of it: cut, its end zeroed, bits flipped, with bytes behind it.
fn damaged(bytes: &[u8], seed: usize) -> Vec<(String, Vec<u8>)> {
    let length = bytes.len();
    let mut copies = vec![("whole".to_owned(), bytes.to_vec()), ("tail".to_owned(), [bytes, b"<html>"].concat())];
    for percent in [25, 60, 95] {
        let keep = length * percent / 100;
        copies.push((format!("cut {percent} %"), bytes[..keep].to_vec()));
        copies.push((format!("zeros from {percent} %"), [&bytes[..keep], &vec![0; length - keep]].concat()));
    }
    copies.push(("without the last byte".to_owned(), bytes[..length.saturating_sub(1)].to_vec()));
    for flip in 0..6 {
        // Any spread will do that does not change.
        let at = (seed * 7919 + flip * 104_729) % length.max(1);
        let mut copy = bytes.to_vec();
        if let Some(byte) = copy.get_mut(at) {
            *byte ^= 1 << (flip % 8);
        }
        copies.push((format!("bit {} of byte {at} flipped", flip % 8), copy));
    }
    copies
}

#[test]
fn full_decoding_and_our_readers_agree_but_for_what_is_listed() {
    let mut settings = Settings::new(Vec::new());
    settings.limits.pixels = true;
    let mut files = made();
    if let Some(edge) = shared("corpus/edge") {
        let mut paths: Vec<_> = std::fs::read_dir(edge).expect("the corpus can be listed").flatten().map(|entry| entry.path()).collect();
        paths.sort();
        files.extend(paths.into_iter().filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), std::fs::read(&path).ok()?))));
    }
    let (mut counts, mut wrong, mut all) = (BTreeMap::<&str, u32>::new(), Vec::new(), 0);
    for (seed, (name, bytes)) in files.iter().enumerate() {
        // Of the corpus, every file as it is, and damaged copies of a few: small ones, for time's sake.
        let is_spoilt = seed < 10 || (seed % 9 == 0 && bytes.len() < 50_000);
        let copies = damaged(bytes, seed);
        for (damage, copy) in copies.iter().take(if is_spoilt { copies.len() } else { 1 }) {
            let report = inspect(name, copy, None, &settings);
            all += 1;
            let Some(disagreement) = &report.facts.decoded.disagreement else { continue };
            let format = report.facts.probe.as_ref().map_or("", |probe| probe.format.name());
            match ALLOWED.iter().find(|(allowed, part, _)| *allowed == format && disagreement.contains(part)) {
                Some((_, _, reason)) => *counts.entry(reason).or_default() += 1,
                None => wrong.push(format!("{format} {name}, {damage}: {disagreement}")),
            }
        }
    }
    println!("{all} files, allowed disagreements: {counts:#?}");
    assert!(all >= 100, "only {all} files");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
