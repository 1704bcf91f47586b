//! The manifest: what the dataset is, one JSON line a sample, `walkaround.manifest/1`.
//!
//! The types of the lines live here (`line`), apart from the types that rooms work with, so that the format does not change
//! when those do; `fill` makes one from the other, and `read` reads them back. `change` and `facts`
//! say what differs between two lines, `diff` between two manifests; `column` makes
//! rows of samples, and `export` other programs' files of manifests. Writing is a sink's work. May use `model` only.

mod change;
mod column;
mod diff;
pub mod export;
mod facts;
mod fill;
mod fingerprint;
mod line;
mod read;

pub use change::{Change, ChangeKind, Loose, pair_up};
pub use column::{COLUMNS, Cell, Column, ColumnKind};
pub use diff::{DiffError, diff};
pub use facts::{caption_differences, differences, settings_differences};
pub use fill::date;
pub use fingerprint::Fingerprint;
pub use line::{
    CaptionLine, DecodeLine, FaultLine, HeaderLine, InputLine, Line, PixelsLine, PlaceLine, PlacementLine, SampleLine, SettingsLine,
    SummaryLine, WalkLine, WitnessLine, Word, schema,
};
pub use read::{ReadError, ReadErrorKind, Reader};

/// The schema id in the first line.
pub const SCHEMA: &str = "walkaround.manifest/1";
