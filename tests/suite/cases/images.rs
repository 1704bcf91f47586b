//! Category 1, bad image files, and the strip of category 4.

use image::{DynamicImage, ImageBuffer, Rgb, Rgba, RgbaImage};
use walkaround::model::Level;

use super::folder;
use crate::build::{jpeg, picture, png, png_chunk, rgb_png, with_exif, with_png_chunk};
use crate::support::{Found, check, check_with};

/// No finding at or above a warning names any file but these.
fn only_these_are_blamed(found: &Found, blamed: &[&str]) {
    for level in [Level::Error, Level::Warning] {
        for path in found.paths_at(level) {
            assert!(blamed.contains(&path), "{path} is blamed: {:#?}", found.brief());
        }
    }
}

// github.com/victorchall/EveryDream2trainer/issues/16: a text editor's find-and-replace went over the images.
#[test]
fn o01_line_feeds_rewritten_inside_a_png() {
    let (_guard, set) = folder();
    let whole = rgb_png(1, 256, 192);
    let mut broken = whole[..8].to_vec();
    for &byte in &whole[8..] {
        if byte == b'\n' {
            broken.push(b'\r');
        }
        broken.push(byte);
    }
    assert_ne!(broken.len(), whole.len(), "the picture has no line feed in it");
    set.pair("broken.png", broken).pair("whole.png", whole);
    let found = check_with(set.path(), &["resolution=256"]);
    assert_eq!(found.only("corrupt-image").paths, ["broken.png".into()]);
    assert_eq!(found.only("corrupt-image").level, Level::Error);
    only_these_are_blamed(&found, &["broken.png"]);
}

// github.com/bmaltais/kohya_ss/issues/2164: one PNG of a set with an impossible filter type, everything else about it valid.
#[test]
fn o02_a_filter_type_of_seven_in_a_middle_row() {
    let (_guard, set) = folder();
    for number in 0..20 {
        set.pair(&format!("{number:02}.png"), rgb_png(number + 1, 64, 64));
    }
    set.write("13.png", png_with_filter(64, 64, 32, 7));
    let found = check_with(set.path(), &["resolution=64"]);
    let finding = found.only("corrupt-image");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &["13.png".into()][..]));
    assert!(finding.message.contains('7'), "the filter type is named: {}", finding.message);
    only_these_are_blamed(&found, &["13.png"]);
}

/// A gray PNG, valid but for the filter type of one row.
fn png_with_filter(width: u32, height: u32, row: u32, filter: u8) -> Vec<u8> {
    let mut rows = Vec::new();
    for y in 0..height {
        rows.push(if y == row { filter } else { 0 });
        rows.extend((0..width).flat_map(|x| [(x * 3) as u8, (y * 3) as u8, 90]));
    }
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend_from_slice(&[8, 2, 0, 0, 0]);
    let data = miniz_oxide::deflate::compress_to_vec_zlib(&rows, 6);
    [b"\x89PNG\r\n\x1a\n".to_vec(), png_chunk(b"IHDR", &header), png_chunk(b"IDAT", &data), png_chunk(b"IEND", b"")].concat()
}

// github.com/bmaltais/kohya_ss/issues/1718: JPEGs named .png are blamed; they load, while the damaged PNG does not.
#[test]
fn o03_a_wrong_extension_is_no_error_and_hides_none() {
    let (_guard, set) = folder();
    let whole = rgb_png(4, 256, 192);
    let rewritten: Vec<u8> = whole[..8]
        .iter()
        .copied()
        .chain(whole[8..].iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }))
        .collect();
    set.pair("a.png", jpeg(1, 256, 192, 90)).pair("b.png", rewritten);
    let found = check_with(set.path(), &["resolution=256"]);
    let mismatch = found.only("extension-mismatch");
    assert_eq!((mismatch.level, mismatch.paths.as_slice()), (Level::Warning, &["a.png".into()][..]));
    assert!(mismatch.message.contains("JPEG"), "{}", mismatch.message);
    assert_eq!(found.only("corrupt-image").paths, ["b.png".into()]);
    assert_eq!(found.paths_at(Level::Error), ["b.png"]);
}

// github.com/ShivamShrirao/diffusers/issues/79: a PNG ends inside its pixel data.
#[test]
fn o04_a_png_cut_to_two_fifths() {
    let (_guard, set) = folder();
    let whole = rgb_png(1, 256, 256);
    set.pair("cut.png", &whole[..whole.len() * 2 / 5]).pair("whole.png", whole);
    let found = check_with(set.path(), &["resolution=256"]);
    let finding = found.only("truncated-image");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &["cut.png".into()][..]));
    only_these_are_blamed(&found, &["cut.png"]);
}

// github.com/bmaltais/kohya_ss/issues/3021: the processor was failing, not the data.
#[test]
fn o05_valid_images_have_no_finding_and_two_runs_the_same_hashes() {
    let (_guard, set) = folder();
    for number in 0..12 {
        set.pair(&format!("img_{number:02}.jpg"), jpeg(number + 1, 128, 128, 90));
    }
    let (first, second) = (check_with(set.path(), &["resolution=128"]), check_with(set.path(), &["resolution=128"]));
    assert!(first.findings.is_empty(), "{:#?}", first.brief());
    assert_eq!(first.summary.samples, 12);
    assert_eq!(first.summary.fingerprint, second.summary.fingerprint);
}

// github.com/bmaltais/kohya_ss/issues/2641: above Pillow's pixel limit.
#[test]
fn o06_more_pixels_than_pillow_takes() {
    let (_guard, set) = folder();
    let mut header = [20000_u32.to_be_bytes(), 19438_u32.to_be_bytes()].concat();
    header.extend_from_slice(&[8, 0, 0, 0, 0]);
    let stub = miniz_oxide::deflate::compress_to_vec_zlib(&[0; 100], 6);
    let huge = [b"\x89PNG\r\n\x1a\n".to_vec(), png_chunk(b"IHDR", &header), png_chunk(b"IDAT", &stub), png_chunk(b"IEND", b"")].concat();
    set.pair("bomb.png", huge).pair("large.png", gray_png(12000, 8200));
    let found = check(set.path());
    let levels: Vec<(&str, Level)> = found.of("too-many-pixels").iter().map(|finding| (finding.paths[0].as_str(), finding.level)).collect();
    assert_eq!(levels, [("bomb.png", Level::Error), ("large.png", Level::Warning)], "{:#?}", found.brief());
    assert_eq!(found.paths_at(Level::Error), ["bomb.png"]);
}

/// A gray PNG of a slow gradient, written row by row so that even a large one is made quickly.
fn gray_png(width: u32, height: u32) -> Vec<u8> {
    let mut rows = Vec::new();
    for y in 0..height {
        rows.push(0);
        rows.extend((0..width).map(|x| ((x >> 6) + (y >> 6)) as u8));
    }
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend_from_slice(&[8, 0, 0, 0, 0]);
    let data = miniz_oxide::deflate::compress_to_vec_zlib(&rows, 1);
    [b"\x89PNG\r\n\x1a\n".to_vec(), png_chunk(b"IHDR", &header), png_chunk(b"IDAT", &data), png_chunk(b"IEND", b"")].concat()
}

// github.com/bmaltais/kohya_ss/issues/817: a compressed text chunk inflates above 1 MiB.
#[test]
fn o07_a_text_chunk_that_inflates_too_far() {
    let (_guard, set) = folder();
    let text = miniz_oxide::deflate::compress_to_vec_zlib(&vec![b'w'; 1_200_000], 9);
    let chunk = [&b"workflow\0\0"[..], &text].concat();
    set.pair("a.png", with_png_chunk(&rgb_png(1, 64, 64), b"zTXt", &chunk)).pair("b.png", rgb_png(2, 64, 64));
    let found = check_with(set.path(), &["resolution=64"]);
    let finding = found.only("metadata-too-large");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &["a.png".into()][..]));
    assert!(found.samples[0].facts.decoded.pillow.refusal().is_some_and(|refusal| refusal.class == "ValueError"));
    only_these_are_blamed(&found, &["a.png"]);
}

// github.com/kohya-ss/sd-scripts/issues/1269: colours under transparency come to light.
#[test]
fn o08_colours_hidden_under_transparency() {
    let (_guard, set) = folder();
    let hidden = RgbaImage::from_fn(64, 64, |x, y| {
        if (16..48).contains(&x) && (16..48).contains(&y) { Rgba([0, 0, 255, 255]) } else { Rgba([255, 0, 0, 0]) }
    });
    let opaque = RgbaImage::from_fn(64, 64, |x, y| Rgba([(x * 4) as u8, (y * 4) as u8, 20, 255]));
    set.pair("hidden.png", png(&hidden.into())).pair("opaque.png", png(&opaque.into()));
    let found = check_with(set.path(), &["resolution=64"]);
    let finding = found.only("alpha-hidden-color");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Warning, &["hidden.png".into()][..]));
    assert!(finding.message.contains("75"), "three quarters are transparent: {}", finding.message);
    assert!(found.paths_at(Level::Error).is_empty());
    only_these_are_blamed(&found, &["hidden.png"]);
}

// github.com/kohya-ss/sd-scripts/issues/1316: EXIF orientation is ignored.
#[test]
fn o09_a_photo_that_only_exif_turns() {
    let (_guard, set) = folder();
    set.pair("turned.jpg", with_exif(&jpeg(1, 400, 300, 90), &[(0x112, 3, 1, 6)]));
    set.pair("upright.jpg", with_exif(&jpeg(2, 400, 300, 90), &[(0x112, 3, 1, 1)]));
    let found = check_with(set.path(), &["resolution=400"]);
    let finding = found.only("exif-orientation");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Warning, &["turned.jpg".into()][..]));
    for value in ["6", "400x300", "300x400"] {
        assert!(finding.message.contains(value), "{}", finding.message);
    }
    only_these_are_blamed(&found, &["turned.jpg"]);
}

// github.com/ostris/ai-toolkit/pull/107: a picture far below the training size.
#[test]
fn o10_an_image_with_a_side_below_one_bucket_step() {
    let (_guard, set) = folder();
    for number in 0..10 {
        set.pair(&format!("{number}.jpg"), jpeg(number + 1, 1024, 1024, 80));
    }
    set.pair("tiny.jpg", jpeg(30, 122, 63, 90));
    let found = check_with(set.path(), &["resolution=1024"]);
    let finding = found.only("too-small");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &["tiny.jpg".into()][..]));
    only_these_are_blamed(&found, &["tiny.jpg"]);
}

// github.com/the-database/traiNNer-redux/issues/298: 16-bit PNGs in an 8-bit set.
#[test]
fn o11_two_sixteen_bit_images_in_a_set_of_ten() {
    let (_guard, set) = folder();
    for number in 0..8 {
        set.pair(&format!("{number}.png"), rgb_png(number + 1, 64, 64));
    }
    for number in 8..10 {
        let small = picture(number + 1, 64, 64);
        let deep: ImageBuffer<Rgb<u16>, Vec<u16>> =
            ImageBuffer::from_fn(64, 64, |x, y| Rgb(small.get_pixel(x, y).0.map(|value| u16::from(value) * 257)));
        set.pair(&format!("{number}.png"), png(&DynamicImage::ImageRgb16(deep)));
    }
    let found = check_with(set.path(), &["resolution=64"]);
    let deep = found.paths_of("sixteen-bit-image");
    assert_eq!(deep, ["8.png", "9.png"]);
    assert!(found.of("sixteen-bit-image").iter().all(|finding| finding.level == Level::Warning));
    let mixed = found.only("mixed-modes");
    assert!(mixed.message.contains('8') && mixed.message.contains("16"), "{}", mixed.message);
    assert!(found.paths_at(Level::Error).is_empty(), "{:#?}", found.brief());
}

// github.com/replicate/lora-training/issues/2: HEIC photos from a phone, with and without their own name.
#[test]
fn o12_heic_under_its_own_name_and_under_another() {
    let (_guard, set) = folder();
    let heic = [&b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"[..], &[0; 200]].concat();
    set.pair("IMG_1.heic", &heic).pair("IMG_2.jpg", &heic).pair("IMG_3.jpg", jpeg(1, 64, 64, 90));
    let found = check_with(set.path(), &["resolution=64"]);
    let mut levels: Vec<(&str, Level)> =
        found.of("unsupported-format").iter().map(|finding| (finding.paths[0].as_str(), finding.level)).collect();
    levels.sort_unstable();
    assert_eq!(levels, [("IMG_1.heic", Level::Warning), ("IMG_2.jpg", Level::Error)], "{:#?}", found.brief());
    assert!(found.of("unsupported-format").iter().all(|finding| finding.message.contains("HEIC")));
    let orphans = found.paths_of("orphan-caption");
    assert!(orphans.contains(&"IMG_1.txt"), "{:#?}", found.brief());
    assert_eq!(found.paths_at(Level::Error), ["IMG_2.jpg"], "{:#?}", found.brief());
}

// github.com/bchao1/Anime-Face-Dataset/issues/3: JPEGs of 0 bytes.
#[test]
fn o13_an_image_of_zero_bytes_takes_its_caption_with_it() {
    let (_guard, set) = folder();
    for number in 0..5 {
        set.pair(&format!("{number}.jpg"), jpeg(number + 1, 64, 64, 90));
    }
    set.pair("empty.jpg", b"");
    let found = check_with(set.path(), &["resolution=64"]);
    let finding = found.only("zero-byte-file");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &["empty.jpg".into()][..]));
    assert!(found.of("corrupt-image").is_empty() && found.of("truncated-image").is_empty() && found.of("not-an-image").is_empty());
    let orphans = found.paths_of("orphan-caption");
    assert_eq!(orphans, ["empty.txt"]);
}

// github.com/2U1/Qwen-VL-Series-Finetune/issues/133: a strip stops a run.
#[test]
fn o14_a_strip_of_two_hundred_and_twenty_seven_to_one() {
    let (_guard, set) = folder();
    set.pair("strip.png", rgb_png(1, 2048, 9)).pair("square.png", rgb_png(2, 256, 256));
    let found = check_with(set.path(), &["resolution=256"]);
    let finding = found.only("extreme-aspect");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Warning, &["strip.png".into()][..]));
    assert!(finding.message.contains("227.6"), "{}", finding.message);
}

// github.com/horovod/horovod/issues/333: "Corrupt EXIF data. Expecting to read 4 bytes but only got 0."
#[test]
fn o15_broken_exif_is_for_information() {
    let (_guard, set) = folder();
    // XResolution (RATIONAL) whose value lies 64 KiB behind the block.
    set.pair("a.jpg", with_exif(&jpeg(1, 64, 64, 90), &[(0x11a, 5, 1, 0x0001_0000)]));
    let found = check_with(set.path(), &["resolution=64"]);
    assert_eq!(found.only("malformed-exif").level, Level::Info);
    only_these_are_blamed(&found, &[]);
}
