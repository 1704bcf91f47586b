//! How long each stage takes on one image or caption, for comparison between two versions of this program.

#![expect(clippy::cast_possible_truncation, reason = "a picture is drawn with numbers that fit")]

use std::hint::black_box;
use std::io::Cursor;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use image::{DynamicImage, ImageFormat, RgbImage};
use walkaround::captions::{self, Tokenizers};
use walkaround::checks;
use walkaround::decode::{self, Limits};
use walkaround::probe;
use walkaround::settings::Settings;
use walkaround::sinks::{Json, Manifest, Sink};
use walkaround::walk::{self, Input};

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

/// Listing and pairing a folder of 2,000 pairs, per file.
fn walking(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for number in 0..2000 {
        for extension in ["jpg", "txt"] {
            let name = format!("{}_set/{number:05}.{extension}", number % 10);
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("a folder can be made");
            std::fs::File::create(path).expect("a file can be made");
        }
    }
    let settings = Settings::new(vec![Input::Path(folder.path().to_owned())]);
    let mut group = criterion.benchmark_group("walk");
    group.throughput(Throughput::Elements(4000));
    group.bench_function("4000 files", |bencher| bencher.iter(|| walk::walk(&settings.inputs, &settings.walk)));
    group.finish();
}

/// Checks, and the two machine formats, on one sample with its findings.
fn reports(criterion: &mut Criterion) {
    let bytes = encoded(ImageFormat::Jpeg);
    let settings = Settings::new(Vec::new());
    let report = walkaround::inspect("10_cat/001.png", &bytes, Some(b"a photo of a cat"), &settings);
    criterion.bench_function("checks of a sample", |bencher| {
        bencher.iter(|| checks::check_sample(black_box(&report.facts), &settings.profile));
    });
    criterion.bench_function("JSON of a sample", |bencher| {
        let mut sink = Json::new(std::io::sink());
        bencher.iter(|| sink.sample(black_box(&report)));
    });
    criterion.bench_function("manifest line", |bencher| {
        let mut sink = Manifest::new(std::io::sink(), false);
        bencher.iter(|| sink.sample(black_box(&report)));
    });
}

criterion_group!(stages, images, texts, walking, reports);
criterion_main!(stages);
