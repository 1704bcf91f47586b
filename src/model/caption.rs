//! What is known of one caption file.

use serde::{Deserialize, Deserializer, Serialize};

use super::{Content, ContentHash, Fault, RelPath};

/// By another name, for serde takes a `&str` for a part of what it reads from.
type Word = &'static str;

/// How a caption's bytes are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// Valid UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, little endian.
    Utf16Le,
    /// UTF-16, big endian.
    Utf16Be,
    /// Text in an older encoding; the name is a guess, as the Encoding Standard spells it (`windows-1252`, `GBK`).
    Legacy(#[serde(deserialize_with = "known_encoding")] Word),
    /// No text at all, but this.
    Binary(Content),
}

impl Encoding {
    /// The name as manifests spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Legacy(name) => name,
            Self::Binary(_) => "binary",
        }
    }
}

fn known_encoding<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    let name = <&str>::deserialize(deserializer)?;
    let known = encoding_rs::Encoding::for_label(name.as_bytes()).map(encoding_rs::Encoding::name).filter(|known| *known == name);
    known.ok_or_else(|| serde::de::Error::custom("no encoding is called so"))
}

/// Where and how a caption breaks UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvalidText {
    /// Offset in bytes of the first byte that is not UTF-8.
    pub offset: u64,
    /// That byte and up to three behind it that belong to the broken sequence.
    pub bytes: Vec<u8>,
    /// How many broken sequences there are.
    pub count: u64,
}

/// Text that was read as Windows-1252 once and written again as UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mojibake {
    /// What stands there, such as `Ã¤`.
    pub seen: String,
    /// What was meant, such as `ä`.
    pub meant: String,
    /// How many such places there are.
    pub count: u64,
}

/// A character that does not belong into a caption, and how often it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspectCharacter {
    /// The character.
    pub character: char,
    /// Offset in characters of the first.
    pub first: u64,
    /// How many.
    pub count: u64,
}

/// How lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineEnding {
    /// There is no line end.
    None,
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
    /// `\r`.
    Cr,
    /// More than one kind.
    Mixed,
}

/// One caption file, read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Caption {
    /// Where it is. Not part of what is encoded, since a caption is the same elsewhere.
    #[serde(skip)]
    pub path: RelPath,
    /// Its size.
    pub size_bytes: u64,
    /// Hash of its bytes. Not part of what is encoded, since encoded facts are found by it.
    #[serde(skip)]
    pub content: ContentHash,
    /// How its bytes are to be read.
    pub encoding: Encoding,
    /// Whether it begins with a byte order mark, of any encoding.
    pub has_bom: bool,
    /// Where it breaks UTF-8, if it does; also for UTF-16 and binary content.
    pub invalid: Option<InvalidText>,
    /// The text without byte order mark, read in [`Caption::encoding`]; `None` for binary content, and once nobody needs it.
    pub text: Option<String>,
    /// Characters of the text, surrounding white space not counted.
    pub chars: u64,
    /// Lines that hold more than white space.
    pub lines: u64,
    /// How lines end.
    pub line_ending: LineEnding,
    /// Length in tokens of the CLIP text encoder (openai/clip-vit-large-patch14), without the two special tokens.
    pub clip_tokens: Option<u64>,
    /// Length in tokens of the tokenizer that the settings name, with its special tokens.
    pub t5_tokens: Option<u64>,
    /// NUL and other control characters but for line ends and tabs.
    pub controls: Vec<SuspectCharacter>,
    /// Zero-width, bidirectional and non-breaking characters.
    pub invisibles: Vec<SuspectCharacter>,
    /// Text in the wrong encoding twice.
    pub mojibake: Option<Mojibake>,
}

impl Caption {
    /// A file of 0 bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size_bytes == 0
    }

    /// A file with bytes, none of which is text: white space, or only a byte order mark.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        !self.is_empty() && self.chars == 0 && !matches!(self.encoding, Encoding::Binary(_))
    }
}

/// The caption of one sample.
#[derive(Clone, Debug, PartialEq)]
pub enum CaptionFacts {
    /// There is no file of that name.
    Missing,
    /// The file is there and could not be read.
    Unreadable(RelPath, Fault),
    /// The file was read.
    Read(Box<Caption>),
}

impl CaptionFacts {
    /// The caption, where it was read.
    #[must_use]
    pub fn read(&self) -> Option<&Caption> {
        match self {
            Self::Read(caption) => Some(caption),
            Self::Missing | Self::Unreadable(..) => None,
        }
    }
}
