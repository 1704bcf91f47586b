//! PNG and APNG headers (PNG specification, third edition, sections 5 and 11).
//!
//! All chunks are walked, since Pillow takes EXIF from behind the image data too; checksums and image data are not read.

use std::borrow::Cow;

use super::cursor::{be32, find, part, part_or_rest, u8_at};
use super::exif::Metadata;
use super::header::{bad, cut, plain, sized};
use crate::model::{Fault, Format, Mode, Probe};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Most bytes that a text chunk may inflate to: Pillow's own limit (Pillow 13, `PngImagePlugin.py`, `MAX_TEXT_CHUNK`).
const MAX_TEXT: usize = 1 << 20;

/// Most text chunks that are inflated. Pillow refuses a file with 64 MiB of text (`MAX_TEXT_MEMORY`), and a small file can
/// hold thousands of chunks that each inflate to the limit.
const MAX_INFLATED: usize = 64;

/// Key of the text that holds EXIF as hexadecimal digits, as `ImageMagick` writes it.
const RAW_EXIF: &[u8] = b"Raw profile type exif";

struct Chunk<'a> {
    kind: [u8; 4],
    /// Offset of the data.
    at: usize,
    /// The length that the chunk states.
    length: u32,
    /// What is there of the data.
    data: &'a [u8],
}

/// Reads the header of a PNG.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    if !bytes.starts_with(SIGNATURE) {
        return Err(if SIGNATURE.starts_with(bytes) {
            cut(bytes, Format::Png)
        } else {
            bad(4, "the PNG signature is damaged, as by a transfer that converts line ends")
        });
    }
    let mut chunks = chunks(bytes);
    // Apple's CgBI chunk may stand before IHDR; Pillow goes on to IHDR whatever comes first.
    let mut private = false;
    let header = loop {
        match chunks.next() {
            Some(chunk) if &chunk.kind == b"IHDR" => break chunk,
            Some(chunk) if &chunk.kind != b"IDAT" && &chunk.kind != b"IEND" => private |= &chunk.kind == b"CgBI",
            None if bytes.len() < SIGNATURE.len() + 8 => return Err(cut(bytes, Format::Png)),
            _ => return Err(bad(SIGNATURE.len(), "the PNG has no IHDR chunk before its image data, so that it has no size")),
        }
    };
    let mut probe = read_header(bytes, &header)?;
    if private {
        probe.variant = "CgBI";
    }
    let metadata = read_chunks(chunks, &mut probe);
    metadata.describe(&mut probe);
    Ok(probe)
}

fn read_header(bytes: &[u8], header: &Chunk<'_>) -> Result<Probe, Fault> {
    let at = header.at;
    if header.length < 13 {
        return Err(bad(at - 8, format!("the PNG's IHDR chunk has {} bytes instead of 13", header.length)));
    }
    let fields = || Some((be32(header.data, 0)?, be32(header.data, 4)?, u8_at(header.data, 8)?, u8_at(header.data, 9)?));
    let (width, height, depth, colour) = fields().ok_or_else(|| cut(bytes, Format::Png))?;
    let interlace = u8_at(header.data, 12).ok_or_else(|| cut(bytes, Format::Png))?;
    let size = sized(at, width, height)?;
    // Pillow 13, `PngImagePlugin.py`, `_MODES`.
    let mode = match (depth, colour) {
        (1, 0) => Mode::Bilevel,
        (2 | 4 | 8, 0) => Mode::L,
        (16, 0) => Mode::I16,
        (8 | 16, 2) => Mode::Rgb,
        (1 | 2 | 4 | 8, 3) => Mode::P,
        (8, 4) => Mode::La,
        (16, 4) | (8 | 16, 6) => Mode::Rgba,
        _ => return Err(bad(at + 8, format!("the PNG says {depth} bits with colour type {colour}, which do not go together"))),
    };
    let mut probe = plain(Format::Png, Some(mode), depth, size);
    if interlace != 0 {
        probe.variant = "interlaced";
    }
    Ok(probe)
}

/// Reads what follows IHDR. Pillow opens a file up to the first image data; of what comes behind, only metadata counts.
fn read_chunks<'a>(chunks: impl Iterator<Item = Chunk<'a>>, probe: &mut Probe) -> Metadata<'a> {
    let mut metadata = Metadata::default();
    let (mut raw_exif, mut inflater) = (None, Inflater { left: MAX_INFLATED });
    let (mut animation, mut animations, mut first_is_a_frame, mut in_header) = (None, 0_u32, false, true);
    for chunk in chunks {
        match &chunk.kind {
            b"IDAT" | b"fdAT" if in_header => {
                in_header = false;
                if let Some(frames) = animation {
                    // An IDAT without fcTL before it is a picture for viewers without animation; Pillow counts it.
                    probe.frames = if first_is_a_frame { frames } else { frames.saturating_add(1) };
                    probe.variant = "APNG";
                }
            }
            b"acTL" if in_header && chunk.length >= 8 => {
                animations = animations.saturating_add(1);
                animation = be32(chunk.data, 0).filter(|frames| animations == 1 && (1..=0x8000_0000).contains(frames));
            }
            b"fcTL" if in_header => first_is_a_frame = true,
            b"tRNS" if in_header => probe.transparency |= !chunk.data.is_empty(),
            b"iCCP" if in_header => probe.icc = true,
            b"eXIf" => metadata.exif = Some(Cow::Borrowed(chunk.data)),
            b"tEXt" => {
                raw_exif = text(chunk.data).and_then(unhex).or(raw_exif);
                // Pillow keeps text with this key as bytes, since older writers put the block there.
                metadata.exif = chunk.data.strip_prefix(b"exif\0").map(Cow::Borrowed).or(metadata.exif);
            }
            b"zTXt" => raw_exif = compressed_text(chunk.data, &mut inflater).and_then(|value| unhex(&value)).or(raw_exif),
            b"iTXt" => metadata.xmp = xmp(chunk.data, &mut inflater).or(metadata.xmp),
            b"IEND" => break,
            _ => {}
        }
    }
    metadata.exif = metadata.exif.or(raw_exif.map(Cow::Owned));
    metadata
}

/// The chunks from the signature on, until one is cut off or its type is none.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = Chunk<'_>> {
    let mut here = SIGNATURE.len();
    std::iter::from_fn(move || {
        let (length, kind) = (be32(bytes, here)?, super::cursor::array::<4>(bytes, here + 4)?);
        if !kind.iter().all(u8::is_ascii_alphanumeric) {
            return None;
        }
        let at = here + 8;
        let stated = usize::try_from(length).ok()?;
        here = at.checked_add(stated)?.checked_add(4)?;
        Some(Chunk { kind, at, length, data: part_or_rest(bytes, at, stated) })
    })
}

/// The value of a tEXt chunk whose key is that of raw EXIF.
fn text(data: &[u8]) -> Option<&[u8]> {
    data.strip_prefix(RAW_EXIF)?.strip_prefix(b"\0")
}

/// The same of a zTXt chunk.
fn compressed_text(data: &[u8], inflater: &mut Inflater) -> Option<Vec<u8>> {
    inflater.inflate(text(data)?.strip_prefix(b"\0")?)
}

/// Inflates text, some times and up to some size.
struct Inflater {
    left: usize,
}

impl Inflater {
    fn inflate(&mut self, compressed: &[u8]) -> Option<Vec<u8>> {
        self.left = self.left.checked_sub(1)?;
        miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(compressed, MAX_TEXT).ok()
    }
}

/// The XMP packet in an iTXt chunk (XMP specification, part 3, section 1.1.5).
fn xmp<'a>(data: &'a [u8], inflater: &mut Inflater) -> Option<Cow<'a, [u8]>> {
    let rest = data.strip_prefix(b"XML:com.adobe.xmp\0")?;
    let (compressed, method) = (u8_at(rest, 0)?, u8_at(rest, 1)?);
    let rest = rest.get(2..)?;
    let rest = rest.get(find(rest, b"\0")? + 1..)?;
    let packet = rest.get(find(rest, b"\0")? + 1..)?;
    match (compressed, method) {
        (0, _) => Some(Cow::Borrowed(packet)),
        (_, 0) => inflater.inflate(packet).map(Cow::Owned),
        _ => None,
    }
}

/// The bytes of a raw profile: three lines of name and length, then hexadecimal digits in lines.
fn unhex(profile: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        profile.split(|byte| *byte == b'\n').skip(3).flatten().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    digits.chunks(2).map(|pair| Some(value(*pair.first()?)? << 4 | value(*pair.get(1)?)?)).collect()
}

/// The size and the facts of a PNG that stands inside another file, at `at`.
pub(super) fn probe_inside(bytes: &[u8], at: usize) -> Option<Probe> {
    let inner = bytes.get(at..).filter(|_| part(bytes, at, SIGNATURE.len()) == Some(SIGNATURE))?;
    probe(inner).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Exif, FaultKind, Orientation, Size};

    fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
        [&u32::try_from(data.len()).unwrap().to_be_bytes()[..], &kind, data, &[0; 4]].concat()
    }

    fn ihdr(depth: u8, colour: u8) -> Vec<u8> {
        chunk(*b"IHDR", &[0, 0, 0, 5, 0, 0, 0, 7, depth, colour, 0, 0, 0])
    }

    fn png(chunks: &[Vec<u8>]) -> Vec<u8> {
        [SIGNATURE, &chunks.concat()].concat()
    }

    const EXIF: &[u8] = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x08\0\0\0\0\0\0";

    #[test]
    fn modes_follow_pillows_table() {
        for (depth, colour, mode) in [
            (1, 0, Mode::Bilevel),
            (4, 0, Mode::L),
            (16, 0, Mode::I16),
            (16, 2, Mode::Rgb),
            (4, 3, Mode::P),
            (8, 4, Mode::La),
            (16, 4, Mode::Rgba),
            (8, 6, Mode::Rgba),
        ] {
            let probe = probe(&png(&[ihdr(depth, colour)])).expect("a header");
            assert_eq!((probe.mode, probe.bit_depth, probe.size), (Some(mode), depth, Size::new(5, 7)));
            assert_eq!(probe.transparency, colour >= 4);
        }
    }

    #[test]
    fn a_transparent_colour_counts_before_the_image_data_only() {
        let (trns, idat) = (chunk(*b"tRNS", &[0, 0]), chunk(*b"IDAT", &[]));
        assert!(probe(&png(&[ihdr(8, 0), trns.clone(), idat.clone()])).is_ok_and(|probe| probe.transparency));
        assert!(probe(&png(&[ihdr(8, 0), idat, trns])).is_ok_and(|probe| !probe.transparency));
    }

    #[test]
    fn exif_is_found_before_and_behind_the_image_data_and_as_text() {
        let mut hex = b"Raw profile type exif\0\nexif\n      26\n".to_vec();
        hex.extend(EXIF.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()));
        let text = [b"exif\0Exif\0\0", EXIF].concat();
        for exif in [chunk(*b"eXIf", EXIF), chunk(*b"tEXt", &hex), chunk(*b"tEXt", &text)] {
            for chunks in [[ihdr(8, 2), exif.clone(), chunk(*b"IDAT", &[])], [ihdr(8, 2), chunk(*b"IDAT", &[]), exif]] {
                let probe = probe(&png(&chunks)).expect("a header");
                assert_eq!((probe.orientation.map(Orientation::value), probe.exif), (Some(8), Exif::Read));
            }
        }
    }

    #[test]
    fn frames_are_counted_as_pillow_counts_them() {
        let actl = |frames: u8| chunk(*b"acTL", &[0, 0, 0, frames, 0, 0, 0, 0]);
        let (fctl, idat) = (chunk(*b"fcTL", &[0; 26]), chunk(*b"IDAT", &[]));
        let frames = |chunks: &[Vec<u8>]| probe(&png(chunks)).expect("a header").frames;
        assert_eq!(frames(&[ihdr(8, 2), actl(3), fctl.clone(), idat.clone()]), 3);
        assert_eq!(frames(&[ihdr(8, 2), actl(3), idat.clone(), fctl.clone()]), 4);
        assert_eq!(frames(&[ihdr(8, 2), actl(0), fctl.clone(), idat.clone()]), 1);
        assert_eq!(frames(&[ihdr(8, 2), actl(3), actl(3), fctl, idat.clone()]), 1);
        assert_eq!(frames(&[ihdr(8, 2), idat, actl(3)]), 1);
    }

    #[test]
    fn xmp_is_read_plain_and_compressed_and_bombs_end_soon() {
        let packet = b"<x tiff:Orientation=\"6\"/>";
        let itxt = |flag: u8, packet: &[u8]| chunk(*b"iTXt", &[&b"XML:com.adobe.xmp\0"[..], &[flag, 0, 0, 0], packet].concat());
        let deflated = |bytes: &[u8]| miniz_oxide::deflate::compress_to_vec_zlib(bytes, 6);
        for xmp in [itxt(0, packet), itxt(1, &deflated(packet))] {
            assert_eq!(probe(&png(&[ihdr(8, 2), xmp])).map(|probe| probe.orientation), Ok(Orientation::new(6)));
        }
        let bomb = itxt(1, &deflated(&vec![b'x'; MAX_TEXT]));
        let begin = std::time::Instant::now();
        assert!(probe(&[png(&[ihdr(8, 2)]), bomb.repeat(5000)].concat()).is_ok());
        assert!(begin.elapsed().as_secs() < 5);
    }

    #[test]
    fn bad_headers_say_where() {
        let fault = |bytes: &[u8]| probe(bytes).map(|_| ()).map_err(|fault| (fault.kind, fault.offset));
        assert_eq!(fault(&png(&[ihdr(3, 0)])), Err((FaultKind::BadHeader, Some(24))));
        assert_eq!(fault(&png(&[chunk(*b"IHDR", &[0; 13])])), Err((FaultKind::BadHeader, Some(16))));
        assert_eq!(fault(&png(&[chunk(*b"IHDR", &[0; 5])])), Err((FaultKind::BadHeader, Some(8))));
        assert_eq!(fault(&png(&[chunk(*b"IDAT", &[])])), Err((FaultKind::BadHeader, Some(8))));
        assert_eq!(fault(b"\x89PNG\n\x1a\n"), Err((FaultKind::BadHeader, Some(4))));
        assert_eq!(fault(SIGNATURE), Err((FaultKind::Truncated, Some(8))));
    }
}
