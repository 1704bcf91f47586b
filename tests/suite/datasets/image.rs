//! Sample datasets of family I.

use image::DynamicImage;

use super::Recipe;
use crate::build::{
    CMYK_JPEG, animated_png, compressed_text, cut_out_png, gif, heic_header, jpeg, opaque_rgba_png, palette_png, picture, plain_png, png,
    png_of_size, raw_png, rgb_png, rgb_rows, rgb16_png, with_exif, with_png_chunk,
};

const ORIENTATION: u16 = 0x0112;
const MAKE: u16 = 0x010f;
const ASCII: u16 = 2;
const SHORT: u16 = 3;

pub(super) fn recipes() -> Vec<Recipe> {
    [damage(), limits_and_sizes(), metadata(), colors(), whole_sets()].into_iter().flatten().collect()
}

fn damage() -> Vec<Recipe> {
    vec![
        Recipe::new(
            "truncated-image",
            |folder| {
                let whole = rgb_png(1, 96, 96);
                folder.pair("cut.png", &whole[..whole.len() * 2 / 5]).pair("whole.png", rgb_png(2, 96, 96));
            },
            |folder| {
                // Only IEND is missing: Pillow loads that.
                let whole = rgb_png(1, 96, 96);
                folder.pair("no_iend.png", &whole[..whole.len() - 12]).pair("whole.png", rgb_png(2, 96, 96));
            },
        ),
        Recipe::new(
            "corrupt-image",
            |folder| {
                let mut rows = rgb_rows(1, 96, 96);
                // The filter byte of a row in the middle.
                rows[48 * (1 + 3 * 96)] = 7;
                folder
                    .pair("filter.png", raw_png((96, 96), 8, 2, &[], &rows))
                    .pair("line_feeds.png", with_crlf(&rgb_png(3, 96, 96)))
                    .pair("whole.png", rgb_png(2, 96, 96));
            },
            |folder| {
                // The checksum of IDAT is wrong: Pillow loads that. The last 12 bytes are IEND, and 4 before them the checksum.
                let mut png = rgb_png(1, 96, 96);
                let at = png.len() - 13;
                png[at] ^= 0xff;
                folder.pair("checksum.png", png);
            },
        ),
        Recipe::new(
            "damaged-but-loads",
            |folder| {
                let whole = jpeg(1, 96, 96, 80);
                folder.pair("half.jpg", [&whole[..whole.len() / 2], &[0xff, 0xd9]].concat()).pair("whole.jpg", jpeg(2, 96, 96, 80));
            },
            |folder| {
                folder.pair("tail.jpg", [&jpeg(1, 96, 96, 80)[..], &[0; 64]].concat());
            },
        ),
        Recipe::new(
            "unsupported-format",
            |folder| {
                folder
                    .pair("IMG_1.heic", heic_header(400, 300))
                    .pair("IMG_2.jpg", heic_header(400, 300))
                    .pair("whole.jpg", jpeg(1, 96, 96, 80));
            },
            |folder| {
                folder.pair("renamed.jpg", rgb_png(1, 96, 96)).pair("empty.heic", "");
            },
        ),
        Recipe::new(
            "undecided-image",
            |folder| {
                // Two rows of 8 bytes a pixel are more than the memory that one image is given.
                folder.pair("row.png", png_of_size(150_000_000, 1, 16, 6));
            },
            |folder| {
                folder.pair("row.png", png(&picture(1, 20_000, 1).into()));
            },
        ),
        Recipe::new(
            "trailing-data",
            |folder| {
                folder.pair("tail.png", [&rgb_png(1, 96, 96)[..], b"PK\x03\x04 something else"].concat());
            },
            |folder| {
                folder.pair("text.png", with_png_chunk(&rgb_png(1, 96, 96), b"tEXt", b"Comment\0part of the file"));
            },
        ),
    ]
}

fn limits_and_sizes() -> Vec<Recipe> {
    vec![
        Recipe::new(
            "too-many-pixels",
            |folder| {
                folder
                    .pair("refused.png", png_of_size(20_000, 19_438, 8, 0))
                    .pair("warned.png", raw_png((12_000, 8_200), 1, 0, &[], &vec![0; 8_200 * (1 + 12_000 / 8)]));
            },
            |folder| {
                folder.pair("large.png", png_of_size(9_000, 9_000, 8, 0));
            },
        ),
        Recipe::new(
            "metadata-too-large",
            |folder| {
                folder.pair("workflow.png", with_png_chunk(&rgb_png(1, 64, 64), b"zTXt", &compressed_text(1_200_000)));
            },
            |folder| {
                folder.pair("workflow.png", with_png_chunk(&rgb_png(1, 64, 64), b"zTXt", &compressed_text(1_000_000)));
            },
        ),
        Recipe::new(
            "extreme-aspect",
            |folder| {
                folder.pair("strip.png", rgb_png(1, 2048, 9)).pair("normal.png", rgb_png(2, 96, 96));
            },
            |folder| {
                folder.pair("wide.png", rgb_png(1, 512, 64));
            },
        ),
        Recipe::new(
            "too-small",
            |folder| {
                folder.pair("thumbnail.jpg", jpeg(1, 122, 63, 80)).pair("small.jpg", jpeg(2, 256, 256, 60));
            },
            |folder| {
                folder.pair("quarter.jpg", jpeg(1, 512, 512, 60));
            },
        ),
        Recipe::new(
            "size-outlier",
            |folder| {
                for seed in 0..10 {
                    folder.pair(&format!("{seed:02}.jpg"), jpeg(seed, 256, 256, 50));
                }
                folder.pair("thumbnail.jpg", jpeg(10, 32, 32, 80));
            },
            |folder| {
                // A sixteenth of the others' pixels.
                for seed in 0..10 {
                    folder.pair(&format!("{seed:02}.jpg"), jpeg(seed, 256, 256, 50));
                }
                folder.pair("small.jpg", jpeg(10, 64, 64, 80));
            },
        ),
    ]
}

fn metadata() -> Vec<Recipe> {
    vec![
        Recipe::new(
            "exif-orientation",
            |folder| {
                folder.pair("turned.jpg", with_exif(&jpeg(1, 400, 300, 60), &[(ORIENTATION, SHORT, 1, 6)]));
            },
            |folder| {
                folder.pair("upright.jpg", with_exif(&jpeg(1, 400, 300, 60), &[(ORIENTATION, SHORT, 1, 1)]));
                folder.pair("impossible.jpg", with_exif(&jpeg(2, 400, 300, 60), &[(ORIENTATION, SHORT, 1, 9)]));
            },
        ),
        Recipe::new(
            "malformed-exif",
            |folder| {
                // The text of the entry lies past the end of the block.
                folder.pair("past.jpg", with_exif(&jpeg(1, 96, 96, 80), &[(MAKE, ASCII, 100, 0xffff)]));
            },
            |folder| {
                folder.pair("good.jpg", with_exif(&jpeg(1, 96, 96, 80), &[(MAKE, ASCII, 4, u32::from_le_bytes(*b"abc\0"))]));
            },
        ),
        Recipe::new(
            "animated-image",
            |folder| {
                folder.pair("two.gif", gif(&[1, 2], 64));
            },
            |folder| {
                folder.pair("one.gif", gif(&[1], 64));
            },
        ),
        Recipe::new(
            "decoder-crash",
            |folder| {
                folder.pair("bad_frame.png", animated_png(1, 64, 9));
            },
            |folder| {
                folder.pair("good_frame.png", animated_png(1, 64, 0));
            },
        ),
    ]
}

fn colors() -> Vec<Recipe> {
    vec![
        Recipe::new(
            "alpha-hidden-color",
            |folder| {
                folder.pair("red_below.png", cut_out_png(1, 64, [255, 0, 0]));
            },
            |folder| {
                folder.pair("opaque.png", opaque_rgba_png(1, 64)).pair("black_below.png", cut_out_png(2, 64, [0, 0, 0]));
            },
        ),
        Recipe::new(
            "transparent-image",
            |folder| {
                folder.pair("black_below.png", cut_out_png(1, 64, [0, 0, 0])).pair("opaque.png", opaque_rgba_png(2, 64));
            },
            |folder| {
                // What hides a colour is alpha-hidden-color.
                folder.pair("red_below.png", cut_out_png(1, 64, [255, 0, 0])).pair("rgb.png", rgb_png(2, 64, 64));
            },
        ),
        Recipe::new(
            "blank-image",
            |folder| {
                folder.pair("white.png", plain_png(96, [255; 3], 0, [0; 3]));
            },
            |folder| {
                folder.pair("square.png", plain_png(96, [255; 3], 32, [200, 40, 40]));
            },
        ),
        Recipe::new(
            "cmyk-image",
            |folder| {
                folder.pair("print.jpg", CMYK_JPEG);
            },
            |folder| {
                folder.pair("screen.jpg", jpeg(1, 64, 64, 60));
            },
        ),
        Recipe::new(
            "palette-image",
            |folder| {
                folder.pair("palette.png", palette_png(64, false)).pair("transparent.png", palette_png(96, true));
            },
            |folder| {
                // A palette that is only proposed, to screens with few colours.
                folder.pair("proposed.png", with_png_chunk(&rgb_png(1, 64, 64), b"PLTE", &[0, 0, 0, 255, 255, 255]));
            },
        ),
        Recipe::new(
            "grayscale-image",
            |folder| {
                let gray = DynamicImage::from(picture(1, 96, 96)).into_luma8();
                folder
                    .pair("gray.png", png(&gray.clone().into()))
                    .pair("gray_in_rgb.png", png(&DynamicImage::from(gray).into_rgb8().into()));
            },
            |folder| {
                folder.pair("red_square.png", plain_png(96, [128; 3], 48, [220, 30, 30]));
            },
        ),
        Recipe::new(
            "sixteen-bit-image",
            |folder| {
                let gray = DynamicImage::from(picture(1, 96, 96)).into_luma16();
                folder.pair("gray.png", png(&gray.into())).pair("color.png", rgb16_png(2, 64, 64));
            },
            |folder| {
                folder.pair("eight.png", with_png_chunk(&rgb_png(1, 64, 64), b"sBIT", &[8, 8, 8]));
            },
        ),
    ]
}

fn whole_sets() -> Vec<Recipe> {
    vec![Recipe::new(
        "mixed-modes",
        |folder| {
            for seed in 0..8 {
                folder.pair(&format!("{seed}.png"), rgb_png(seed, 64, 64));
            }
            folder.pair("deep_1.png", rgb16_png(8, 64, 64)).pair("deep_2.png", rgb16_png(9, 64, 64));
        },
        |folder| {
            // A palette is colour with 8 bits as well.
            folder.pair("rgb.png", rgb_png(1, 64, 64)).pair("palette.png", palette_png(64, false));
        },
    )]
}

/// The bytes behind the signature as an editor leaves them that makes line ends those of Windows.
fn with_crlf(png: &[u8]) -> Vec<u8> {
    let (signature, rest) = png.split_at(8);
    let rest = rest.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] });
    signature.iter().copied().chain(rest).collect()
}
