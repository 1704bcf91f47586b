//! The manifest: what the dataset is, one JSON line a sample, `walkaround.manifest/1`.
//!
//! The types of the lines live here, apart from the types that rooms work with, so that the format does not change when
//! those do. Writing is a sink's work. May use `model` only.

mod line;

pub use line::{
    CaptionLine, DecodeLine, FaultLine, HeaderLine, Line, PixelsLine, PlacementLine, SampleLine, SettingsLine, SummaryLine, schema,
};

/// The schema id in the first line.
pub const SCHEMA: &str = "walkaround.manifest/1";
