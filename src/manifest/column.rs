//! A sample as one flat row, for tables: which columns there are, and what stands in them.

use super::line::{CaptionLine, DecodeLine, FaultLine, PixelsLine, PlacementLine, SampleLine};

/// What stands in one field of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing is known.
    Null,
    /// Text.
    Text(String),
    /// A whole number.
    Integer(u64),
    /// A number.
    Float(f64),
    /// Yes or no.
    Bool(bool),
}

/// What can stand in a column, besides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Float,
    /// Yes or no.
    Bool,
}

/// One column of the table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its heading: the path to the field of the line, with `_` between its parts.
    pub name: &'static str,
    /// What can stand in it.
    pub kind: ColumnKind,
    /// What stands in it for a sample.
    pub cell: fn(&SampleLine) -> Cell,
}

/// Every column, in order. A sample that several trainers were asked about has the first one's placement, by name, and its places
/// at further resolutions are left out: the JSON lines have them.
pub const COLUMNS: &[Column] = &[
    text("path", |line| line.path.clone().into()),
    integer("bytes", |line| line.bytes.into()),
    text("blake3", |line| line.blake3.clone().into()),
    text("sha256", |line| line.sha256.clone().into()),
    text("modified", |line| line.modified.clone().into()),
    text("format", |line| line.format.as_deref().into()),
    text("mode", |line| line.mode.as_deref().into()),
    integer("bit_depth", |line| line.bit_depth.map(u64::from).into()),
    integer("width", |line| line.width.map(u64::from).into()),
    integer("height", |line| line.height.map(u64::from).into()),
    integer("orientation", |line| line.orientation.map(u64::from).into()),
    integer("oriented_width", |line| line.oriented_width.map(u64::from).into()),
    integer("oriented_height", |line| line.oriented_height.map(u64::from).into()),
    integer("frames", |line| line.frames.map(u64::from).into()),
    bool("icc", |line| line.icc.into()),
    bool("alpha", |line| line.alpha.into()),
    text("decode_pillow", |line| (*line.decode.pillow).into()),
    text("decode_pillow_error", |line| line.decode.pillow_error.clone().into()),
    text("decode_pillow_lenient", |line| (*line.decode.pillow_lenient).into()),
    text("decode_opencv", |line| (*line.decode.opencv).into()),
    text("decode_strict", |line| (*line.decode.strict).into()),
    float("decode_lost", |line| line.decode.lost.map(f64::from).into()),
    text("decode_fault_kind", |line| fault(&line.decode).map(|fault| &*fault.kind).into()),
    integer("decode_fault_offset", |line| fault(&line.decode).and_then(|fault| fault.offset).into()),
    text("decode_fault_detail", |line| fault(&line.decode).map(|fault| fault.detail.as_str()).into()),
    float("pixels_mean", |line| pixels(line).map(|pixels| pixels.mean).into()),
    bool("pixels_blank", |line| pixels(line).map(|pixels| pixels.blank).into()),
    text("pixels_phash", |line| pixels(line).map(|pixels| pixels.phash.as_str()).into()),
    float("pixels_transparent", |line| pixels(line).and_then(|pixels| pixels.transparent).into()),
    text("caption_path", |line| caption(line).map(|caption| caption.path.as_str()).into()),
    integer("caption_bytes", |line| caption(line).and_then(|caption| caption.bytes).into()),
    text("caption_blake3", |line| caption(line).and_then(|caption| caption.blake3.as_deref()).into()),
    text("caption_modified", |line| caption(line).and_then(|caption| caption.modified.as_deref()).into()),
    text("caption_encoding", |line| caption(line).and_then(|caption| caption.encoding.as_deref()).into()),
    integer("caption_chars", |line| caption(line).and_then(|caption| caption.chars).into()),
    integer("caption_clip_tokens", |line| caption(line).and_then(|caption| caption.clip_tokens).into()),
    text("caption_text", |line| caption(line).and_then(|caption| caption.text.as_deref()).into()),
    text("trainer", |line| line.placements.keys().next().map(String::as_str).into()),
    text("outcome", |line| placement(line).map(|place| &*place.outcome).into()),
    text("phase", |line| placement(line).map(|place| &*place.phase).into()),
    integer("bucket_width", |line| side(placement(line).and_then(|place| place.bucket), 0)),
    integer("bucket_height", |line| side(placement(line).and_then(|place| place.bucket), 1)),
    integer("resized_width", |line| side(placement(line).and_then(|place| place.resized), 0)),
    integer("resized_height", |line| side(placement(line).and_then(|place| place.resized), 1)),
    integer("crop_left", |line| side(placement(line).and_then(|place| place.crop), 0)),
    integer("crop_top", |line| side(placement(line).and_then(|place| place.crop), 1)),
    text("findings", |line| line.findings.join(" ").into()),
];

const fn text(name: &'static str, cell: fn(&SampleLine) -> Cell) -> Column {
    Column { name, kind: ColumnKind::Text, cell }
}

const fn integer(name: &'static str, cell: fn(&SampleLine) -> Cell) -> Column {
    Column { name, kind: ColumnKind::Integer, cell }
}

const fn float(name: &'static str, cell: fn(&SampleLine) -> Cell) -> Column {
    Column { name, kind: ColumnKind::Float, cell }
}

const fn bool(name: &'static str, cell: fn(&SampleLine) -> Cell) -> Column {
    Column { name, kind: ColumnKind::Bool, cell }
}

fn fault(decode: &DecodeLine) -> Option<&FaultLine> {
    decode.fault.as_ref()
}

fn pixels(line: &SampleLine) -> Option<&PixelsLine> {
    line.pixels.as_ref()
}

fn caption(line: &SampleLine) -> Option<&CaptionLine> {
    line.caption.as_ref()
}

fn placement(line: &SampleLine) -> Option<&PlacementLine> {
    line.placements.values().next()
}

fn side(sides: Option<[u32; 2]>, at: usize) -> Cell {
    sides.and_then(|sides| sides.get(at).copied()).map(u64::from).into()
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<bool> for Cell {
    fn from(is: bool) -> Self {
        Self::Bool(is)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_heading_is_there_twice() {
        let names: BTreeSet<&str> = COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(names.len(), COLUMNS.len());
    }
}
