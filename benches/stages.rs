//! How long each stage takes on one image or caption, for comparison between two versions of this program.

#![expect(clippy::cast_possible_truncation, reason = "a picture is drawn with numbers that fit")]

use std::hint::black_box;
use std::io::Cursor;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use image::{DynamicImage, ImageFormat, RgbImage};
use walkaround::captions::{self, Tokenizers};
use walkaround::decode::{self, Limits};
use walkaround::probe;

/// A picture that compresses about as a photo does: soft shapes with grain.
fn picture(width: u32, height: u32) -> DynamicImage {
    let mut state = 1_u32;
    RgbImage::from_fn(width, height, |x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = (state >> 28) as u8;
        image::Rgb([(x * 255 / width) as u8 ^ grain, (y * 255 / height) as u8 ^ grain, ((x + y) / 16) as u8 ^ grain])
    })
    .into()
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    picture(1024, 1024).write_to(&mut out, format).expect("the picture can be encoded");
    out.into_inner()
}

fn images(criterion: &mut Criterion) {
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP, ImageFormat::Gif, ImageFormat::Bmp, ImageFormat::Tiff] {
        let bytes = encoded(format);
        let header = probe::probe(&bytes).expect("the picture has a header");
        let mut group = criterion.benchmark_group(format!("{format:?}"));
        group.throughput(Throughput::Elements(1024 * 1024));
        group.bench_function("probe", |bencher| bencher.iter(|| probe::probe(black_box(&bytes))));
        group.bench_function("decode", |bencher| bencher.iter(|| decode::decode(black_box(&bytes), &header, &Limits::default())));
        group.finish();
    }
}

fn texts(criterion: &mut Criterion) {
    let tokenizers = Tokenizers::new();
    let text = "a photo of a cat, sitting, window light, 35mm, film grain, ".repeat(4);
    criterion
        .bench_function("caption", |bencher| bencher.iter(|| captions::read(&"a.txt".into(), black_box(text.as_bytes()), &tokenizers)));
}

criterion_group!(stages, images, texts);
criterion_main!(stages);
