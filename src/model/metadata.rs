//! What is known of one metadata file: captions for many images in one place.

use super::RelPath;

/// Which loader reads the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MetadataKind {
    /// `metadata.jsonl` of the `datasets` imagefolder loader.
    JsonLines,
    /// `metadata.csv` of the `datasets` imagefolder loader.
    Csv,
    /// `metadata.parquet` of the `datasets` imagefolder loader; recognised, not read.
    Parquet,
    /// One JSON object keyed by image path, as sd-scripts reads with `in_json`.
    KohyaJson,
    /// JSON lines with `image_path`, as sd-scripts reads with `in_json`.
    KohyaJsonLines,
    /// A JSON list of conversations with images, as fine-tuning of vision language models reads.
    Conversations,
}

impl MetadataKind {
    /// Words for a message.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::JsonLines => "imagefolder metadata.jsonl",
            Self::Csv => "imagefolder metadata.csv",
            Self::Parquet => "imagefolder metadata.parquet",
            Self::KohyaJson => "sd-scripts metadata JSON",
            Self::KohyaJsonLines => "sd-scripts metadata JSON lines",
            Self::Conversations => "conversations JSON",
        }
    }

    /// Whether the `datasets` imagefolder loader reads it.
    #[must_use]
    pub fn is_imagefolder(self) -> bool {
        matches!(self, Self::JsonLines | Self::Csv | Self::Parquet)
    }
}

/// The caption of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptionCell {
    /// The file has no caption column.
    Absent,
    /// Null, or text that pandas reads as null (`NA`, `null`, `None`, empty ...); what stood there.
    Null(String),
    /// A caption of so many characters.
    Text {
        /// Characters.
        chars: u64,
    },
    /// Something else than text; its JSON type.
    Wrong(&'static str),
}

/// One row of a metadata file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataRow {
    /// Line of the row in the file, from 1; for a JSON object or list, the number of the entry from 1.
    pub line: u64,
    /// Image names as written.
    pub files: FileNames,
    /// The caption.
    pub caption: CaptionCell,
}

/// The image names of one row. Nearly every row has one, which takes no list around it: rows are kept by the million.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileNames {
    /// One name.
    One(Box<str>),
    /// None or several.
    Several(Box<[Box<str>]>),
}

impl FileNames {
    /// The names in the order of the row.
    #[must_use]
    pub fn as_slice(&self) -> &[Box<str>] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

impl From<Vec<String>> for FileNames {
    fn from(names: Vec<String>) -> Self {
        let mut names: Vec<Box<str>> = names.into_iter().map(String::into_boxed_str).collect();
        match names.pop() {
            Some(name) if names.is_empty() => Self::One(name),
            last => {
                names.extend(last);
                Self::Several(names.into_boxed_slice())
            }
        }
    }
}

/// What is wrong inside a metadata file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MetadataFaultKind {
    /// It cannot be parsed.
    Parse,
    /// A key or a column that must be there is not.
    MissingKey,
    /// A value has another type than the loader expects.
    WrongType,
    /// A path that the loader refuses: absolute, `..`, or an address.
    ForbiddenPath,
    /// Another encoding than UTF-8.
    Encoding,
    /// A key stands twice in one object; the last one counts.
    DuplicateKey,
    /// It could not be read.
    Unreadable,
    /// It is larger than a limit of this run, so that it, or the rest of it, was not read.
    AboveLimit,
}

/// One thing that is wrong inside a metadata file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataFault {
    /// The kind.
    pub kind: MetadataFaultKind,
    /// Line, from 1; 0 for the file as a whole.
    pub line: u64,
    /// Column in characters, from 1; 0 if no column is meant.
    pub column: u64,
    /// Number of the record from 0, where the file is a list of records.
    pub record: Option<u64>,
    /// What was seen and what was expected: lower case, no final period.
    pub detail: String,
}

/// One metadata file, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataFacts {
    /// Where it is.
    pub path: RelPath,
    /// Which loader reads it.
    pub kind: MetadataKind,
    /// Its rows, in order.
    pub rows: Vec<MetadataRow>,
    /// What is wrong with it.
    pub faults: Vec<MetadataFault>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_rows_stay_small() {
        for names in [&[][..], &["a"], &["a", "b", "c"]] {
            let kept = FileNames::from(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
            assert_eq!(kept.as_slice().iter().map(AsRef::as_ref).collect::<Vec<&str>>(), names);
            assert_eq!(matches!(kept, FileNames::One(_)), names.len() == 1);
        }
        assert!(size_of::<MetadataRow>() <= 56, "{}", size_of::<MetadataRow>());
    }
}
