//! Builds small files for tests: pictures drawn from a seed, encoded as asked, and spoilt.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use image::codecs::gif::GifEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, Frame, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use miniz_oxide::deflate::compress_to_vec_zlib;

/// A folder that a test fills.
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// A folder at `root`, made if it is not there.
    pub(crate) fn at(root: &Path) -> Self {
        fs::create_dir_all(root).expect("the test folder can be made");
        Self { root: root.to_owned() }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.root
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folders can be made");
        fs::write(path, bytes).expect("the file can be written");
        self
    }

    /// Writes an image and a caption of its own beside it.
    pub(crate) fn pair(&self, name: &str, image: impl AsRef<[u8]>) -> &Self {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        self.write(name, image).write(&format!("{stem}.txt"), format!("a drawing called {}", stem.replace(['/', '_'], " ")))
    }
}

/// A picture with shapes, edges and colours that differ between seeds: no two seeds are near duplicates.
pub(crate) fn picture(seed: u32, width: u32, height: u32) -> RgbImage {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let colors: Vec<[u8; 3]> = (0..7).map(|_| [(next() >> 8) as u8, (next() >> 8) as u8, (next() >> 8) as u8]).collect();
    let disks: Vec<(f32, f32, f32)> = (0..6)
        .map(|_| ((next() % 1000) as f32 / 1000.0, (next() % 1000) as f32 / 1000.0, 0.08 + (next() % 1000) as f32 / 4000.0))
        .collect();
    RgbImage::from_fn(width, height, |x, y| {
        let (u, v) = (x as f32 / width as f32, y as f32 / height as f32);
        let mut color = colors[6].map(|channel| f32::from(channel) * (0.4 + 0.6 * v));
        for (at, &(cx, cy, radius)) in disks.iter().enumerate() {
            if (u - cx).hypot(v - cy) < radius {
                color = colors[at].map(f32::from);
            }
        }
        image::Rgb(color.map(|channel| channel as u8))
    })
}

/// An image as PNG, with whatever mode it has.
pub(crate) fn png(image: &DynamicImage) -> Vec<u8> {
    encoded(image, ImageFormat::Png)
}

/// An image in a format that the `image` crate writes with its default settings.
pub(crate) fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).expect("the test image can be encoded");
    out.into_inner()
}

/// A picture of this seed as RGB PNG.
pub(crate) fn rgb_png(seed: u32, width: u32, height: u32) -> Vec<u8> {
    png(&picture(seed, width, height).into())
}

/// A picture of this seed as baseline JPEG.
pub(crate) fn jpeg(seed: u32, width: u32, height: u32, quality: u8) -> Vec<u8> {
    let mut out = Vec::new();
    let image: DynamicImage = picture(seed, width, height).into();
    JpegEncoder::new_with_quality(&mut out, quality).encode_image(&image).expect("the test image can be encoded");
    out
}

/// One PNG chunk with its right CRC.
pub(crate) fn png_chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut chunk = u32::try_from(data.len()).expect("a test chunk is small").to_be_bytes().to_vec();
    chunk.extend_from_slice(kind);
    chunk.extend_from_slice(data);
    let crc = crc32(&chunk[4..]);
    chunk.extend_from_slice(&crc.to_be_bytes());
    chunk
}

/// A PNG with a chunk put in behind IHDR.
pub(crate) fn with_png_chunk(png: &[u8], kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    // Signature (8), and IHDR: length, name, 13 bytes, CRC (25).
    let (head, rest) = png.split_at(33);
    [head, &png_chunk(kind, data), rest].concat()
}

/// A JPEG with an EXIF block of one IFD put in behind SOI, little endian: entries of (tag, type, count, value).
pub(crate) fn with_exif(jpeg: &[u8], entries: &[(u16, u16, u32, u32)]) -> Vec<u8> {
    let tiff = exif_block(entries);
    let mut app1 = vec![0xff, 0xe1];
    app1.extend_from_slice(&u16::try_from(tiff.len() + 8).expect("a test block is small").to_be_bytes());
    app1.extend_from_slice(b"Exif\0\0");
    app1.extend_from_slice(&tiff);
    [&jpeg[..2], &app1, &jpeg[2..]].concat()
}

/// An EXIF block of one IFD, little endian, without the `Exif\0\0` of JPEG.
pub(crate) fn exif_block(entries: &[(u16, u16, u32, u32)]) -> Vec<u8> {
    let mut tiff = b"II*\0\x08\0\0\0".to_vec();
    tiff.extend_from_slice(&u16::try_from(entries.len()).expect("a test block is small").to_le_bytes());
    for (tag, kind, count, value) in entries {
        tiff.extend_from_slice(&tag.to_le_bytes());
        tiff.extend_from_slice(&kind.to_le_bytes());
        tiff.extend_from_slice(&count.to_le_bytes());
        tiff.extend_from_slice(&value.to_le_bytes());
    }
    tiff.extend_from_slice(&[0; 4]);
    tiff
}

/// CRC-32 of PNG (ISO 3309), bit by bit.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0_u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

/// A picture of this seed with 16 bits a channel, as RGB PNG.
pub(crate) fn rgb16_png(seed: u32, width: u32, height: u32) -> Vec<u8> {
    png(&DynamicImage::from(picture(seed, width, height)).into_rgb16().into())
}

/// A picture of this seed with alpha 0 around an opaque square, and `hidden` as the colour below.
pub(crate) fn cut_out_png(seed: u32, side: u32, hidden: [u8; 3]) -> Vec<u8> {
    let picture = picture(seed, side, side);
    let image = RgbaImage::from_fn(side, side, |x, y| {
        let is_inside = (side / 4..side * 3 / 4).contains(&x) && (side / 4..side * 3 / 4).contains(&y);
        let [red, green, blue] = if is_inside { picture.get_pixel(x, y).0 } else { hidden };
        Rgba([red, green, blue, if is_inside { 255 } else { 0 }])
    });
    png(&image.into())
}

/// A picture of this seed with an alpha channel that is opaque everywhere, as PNG.
pub(crate) fn opaque_rgba_png(seed: u32, side: u32) -> Vec<u8> {
    png(&DynamicImage::from(picture(seed, side, side)).into_rgba8().into())
}

/// A picture of one colour as PNG, with a square of another colour in it if its side is not 0.
pub(crate) fn plain_png(side: u32, color: [u8; 3], square: u32, square_color: [u8; 3]) -> Vec<u8> {
    png(&RgbImage::from_fn(side, side, |x, y| Rgb(if x < square && y < square { square_color } else { color })).into())
}

/// A PNG of any depth and colour type from its rows, each with its filter byte; `chunks` stand before the data.
pub(crate) fn raw_png(size: (u32, u32), depth: u8, color: u8, chunks: &[(&[u8; 4], &[u8])], rows: &[u8]) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let sides = [size.0.to_be_bytes(), size.1.to_be_bytes()].concat();
    out.extend(png_chunk(b"IHDR", &[&sides[..], &[depth, color, 0, 0, 0]].concat()));
    for (kind, data) in chunks {
        out.extend(png_chunk(kind, data));
    }
    out.extend(png_chunk(b"IDAT", &compress_to_vec_zlib(rows, 6)));
    out.extend(png_chunk(b"IEND", &[]));
    out
}

/// An animated PNG of one frame behind a picture of its own; `filter` begins the rows of the frame.
pub(crate) fn animated_png(seed: u32, side: u32, filter: u8) -> Vec<u8> {
    let still = rgb_png(seed, side, side);
    let mut rows = rgb_rows(seed + 1, side, side);
    rows.chunks_mut(side as usize * 3 + 1).for_each(|row| row[0] = filter);
    let [zero, one, edge] = [0_u32, 1, side].map(u32::to_be_bytes);
    // Number, width, height, left, top; shown for a tenth of a second.
    let control = [&zero[..], &edge, &edge, &zero, &zero, &[0, 1, 0, 10, 0, 0]].concat();
    let data = [&one[..], &compress_to_vec_zlib(&rows, 6)].concat();
    let (before_end, end) = still.split_at(still.len() - 12);
    let animated = [before_end, &png_chunk(b"fcTL", &control), &png_chunk(b"fdAT", &data), end].concat();
    with_png_chunk(&animated, b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0])
}

/// Rows of a picture of this seed as 8-bit RGB, each behind the filter byte 0.
pub(crate) fn rgb_rows(seed: u32, width: u32, height: u32) -> Vec<u8> {
    let image = picture(seed, width, height);
    image.rows().flat_map(|row| std::iter::once(0).chain(row.flat_map(|pixel| pixel.0))).collect()
}

/// A PNG with a header for this size and data for its first row only, if that is short.
pub(crate) fn png_of_size(width: u32, height: u32, depth: u8, color: u8) -> Vec<u8> {
    raw_png((width, height), depth, color, &[], &[0; 64])
}

/// A picture with a palette of four colours as PNG, its first colour transparent if asked.
pub(crate) fn palette_png(side: u32, transparent: bool) -> Vec<u8> {
    let row = |y: u32| std::iter::once(0).chain((0..side).map(move |x| u8::from(x * 4 < side * 3) + u8::from(y * 3 > side) * 2));
    let rows: Vec<u8> = (0..side).flat_map(row).collect();
    let palette: &[u8] = &[250, 240, 200, 20, 60, 160, 200, 30, 40, 30, 120, 50];
    let chunks: &[(&[u8; 4], &[u8])] = if transparent { &[(b"PLTE", palette), (b"tRNS", &[0])] } else { &[(b"PLTE", palette)] };
    raw_png((side, side), 8, 3, chunks, &rows)
}

/// A GIF with one frame for each seed.
pub(crate) fn gif(seeds: &[u32], side: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let frames = seeds.iter().map(|&seed| Frame::new(DynamicImage::from(picture(seed, side, side)).into_rgba8()));
    GifEncoder::new(&mut out).encode_frames(frames).expect("the test animation can be encoded");
    out
}

/// A HEIC with its header and no picture: brand, one primary item, and its size.
pub(crate) fn heic_header(width: u32, height: u32) -> Vec<u8> {
    let boxed = |kind: &[u8; 4], parts: &[&[u8]]| -> Vec<u8> {
        let data = parts.concat();
        [&u32::try_from(data.len() + 8).expect("a test box is small").to_be_bytes()[..], kind, &data].concat()
    };
    let extents = boxed(b"ispe", &[&[0; 4], &width.to_be_bytes(), &height.to_be_bytes()]);
    // One item (number 1) with one property (the first).
    let association = boxed(b"ipma", &[&[0; 4], &[0, 0, 0, 1], &[0, 1], &[1, 1]]);
    let properties = boxed(b"iprp", &[&boxed(b"ipco", &[&extents]), &association]);
    let handler = boxed(b"hdlr", &[&[0; 8], b"pict", &[0; 13]]);
    let primary = boxed(b"pitm", &[&[0; 4], &[0, 1]]);
    let brands = boxed(b"ftyp", &[b"heic", &[0; 4], b"mif1heic"]);
    [brands, boxed(b"meta", &[&[0; 4], &handler, &primary, &properties]), boxed(b"mdat", &[&[0; 16]])].concat()
}

/// The data of a `zTXt` chunk whose text inflates to this many bytes.
pub(crate) fn compressed_text(size_bytes: usize) -> Vec<u8> {
    [b"workflow\0\0", &compress_to_vec_zlib(&vec![b'n'; size_bytes], 9)[..]].concat()
}

/// A picture in CMYK as JPEG; `tests/data/README.md` says how it was made.
pub(crate) const CMYK_JPEG: &[u8] = include_bytes!("../data/cmyk.jpg");
