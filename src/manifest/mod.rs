//! The manifest: what the dataset is, one JSON line a sample, `walkaround.manifest/1`.
//!
//! The types of the lines live here (`line`), apart from the types that rooms work with, so that the format does not change
//! when those do; `fill` makes one from the other, and `read` reads them back. Writing is a sink's work. May use `model` only.

mod fill;
mod fingerprint;
mod line;
mod read;

pub use fill::date;
pub use fingerprint::Fingerprint;
pub use line::{
    CaptionLine, DecodeLine, FaultLine, HeaderLine, InputLine, Line, PixelsLine, PlaceLine, PlacementLine, SampleLine, SettingsLine,
    SummaryLine, WalkLine, WitnessLine, Word, schema,
};
pub use read::{ReadError, ReadErrorKind, Reader};

/// The schema id in the first line.
pub const SCHEMA: &str = "walkaround.manifest/1";
