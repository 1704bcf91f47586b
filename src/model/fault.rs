//! Why a stage failed on one file. Data, not an exception: a fault becomes a finding.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Who has to act when a fault is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The file system: permissions, I/O errors.
    FileSystem,
    /// The file's bytes.
    File,
    /// A limit, ours or the loader's.
    Limit,
    /// There is no decoder for this here.
    MissingCodec,
    /// This program or a library it uses.
    OurBug,
}

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FaultKind {
    /// The file could not be opened or read.
    Unreadable,
    /// The file has no bytes.
    Empty,
    /// The content is no image.
    NotAnImage,
    /// The header contradicts itself or the format's rules.
    BadHeader,
    /// The data ends before the picture does.
    Truncated,
    /// The data is there and wrong: a bad checksum, an impossible code, a broken stream.
    Corrupt,
    /// An ancillary block is larger than the loader accepts.
    MetadataTooLarge,
    /// More pixels than the loader accepts.
    TooManyPixels,
    /// More memory than the budget of this run.
    OverBudget,
    /// Decoding took longer than the time limit of this run.
    TimedOut,
    /// A valid feature of the format that no decoder here handles.
    NoDecoder,
    /// A library panicked on the file.
    Panic,
}

impl FaultKind {
    /// The kind as reports spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Empty => "empty",
            Self::NotAnImage => "not-an-image",
            Self::BadHeader => "bad-header",
            Self::Truncated => "truncated",
            Self::Corrupt => "corrupt",
            Self::MetadataTooLarge => "metadata-too-large",
            Self::TooManyPixels => "too-many-pixels",
            Self::OverBudget => "over-budget",
            Self::TimedOut => "timed-out",
            Self::NoDecoder => "no-decoder",
            Self::Panic => "panic",
        }
    }

    /// Who has to act.
    #[must_use]
    pub fn blame(self) -> Blame {
        match self {
            Self::Unreadable => Blame::FileSystem,
            Self::Empty | Self::NotAnImage | Self::BadHeader | Self::Truncated | Self::Corrupt => Blame::File,
            Self::MetadataTooLarge | Self::TooManyPixels | Self::OverBudget | Self::TimedOut => Blame::Limit,
            Self::NoDecoder => Blame::MissingCodec,
            Self::Panic => Blame::OurBug,
        }
    }
}

/// Why a stage failed on one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// Offset in bytes from the start of the file, where one place is to blame.
    pub offset: Option<u64>,
    /// What was seen and what was expected: lower case, no final period.
    pub detail: String,
}

impl Fault {
    /// A fault without a place.
    #[must_use]
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self { kind, offset: None, detail: detail.into() }
    }

    /// A fault at a byte offset from the start of the file.
    #[must_use]
    pub fn at(kind: FaultKind, offset: usize, detail: impl Into<String>) -> Self {
        Self { kind, offset: Some(offset as u64), detail: detail.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)?;
        match self.offset {
            Some(offset) => write!(f, " (at byte {offset})"),
            None => Ok(()),
        }
    }
}
