//! What can be the matter with a sample, in the terms in which trainers differ.

/// What a finding is about, as far as trainers react differently to it. Checks see it, trainers say what they do then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Condition {
    // Files.
    /// Nothing can be read: no permission, a folder under an image's name, a broken link.
    Unreadable,
    /// A file of no bytes.
    EmptyFile,
    /// The content is no image, whatever the name says.
    NotAnImage,
    /// The extension is not among those that are picked up, in any case.
    ExtensionNotPickedUp,
    /// The extension is picked up in another case only.
    ExtensionInOtherCase,
    /// The extension names another format than the content has.
    ExtensionMismatch,
    /// Two images share a stem, and with it their caption and perhaps their cache.
    SharedStem,
    /// The name begins with a dot.
    Hidden,
    /// Left by an operating system: `._x.png`, `.DS_Store`, `Thumbs.db`.
    SystemFile,
    /// A folder that a program left: `.ipynb_checkpoints`, `__MACOSX`.
    JunkFolder,

    // Loading.
    /// A format that Pillow has no plug-in for.
    UnsupportedFormat,
    /// Opening fails: nothing is known of the picture, not even its size.
    RefusedAtOpen,
    /// Opening succeeds, and loading the pixels fails.
    RefusedAtLoad,
    /// More pixels than Pillow accepts: `DecompressionBombError`.
    TooManyPixels,
    /// It loads, and part of the picture is lost.
    DamagedButLoads,

    // The picture.
    /// An EXIF orientation that turns or mirrors it.
    Rotated,
    /// Transparency that hides or softens something.
    Transparent,
    /// 16 bits in each channel, in a mode that Pillow clips when it converts (`I;16`, `I`).
    DeepGray,
    /// 16 bits in each channel of a colour picture, of which Pillow keeps the high byte.
    DeepColor,
    /// CMYK.
    Cmyk,
    /// More frames than one.
    Animated,

    // Captions.
    /// There is none.
    CaptionMissing,
    /// Its file has no bytes.
    CaptionEmpty,
    /// Its file has nothing but white space.
    CaptionBlank,
    /// It is not valid UTF-8.
    CaptionNotUtf8,
    /// It begins with a byte order mark, and is valid UTF-8.
    CaptionMarked,
    /// It has several lines that are not blank.
    CaptionMultiLine,
    /// It has more tokens than the text encoder takes.
    CaptionTooLong,
    /// It cannot be read.
    CaptionUnreadable,
}

impl Condition {
    /// Whether it is about the caption.
    #[must_use]
    pub fn is_of_caption(self) -> bool {
        matches!(
            self,
            Self::CaptionMissing
                | Self::CaptionEmpty
                | Self::CaptionBlank
                | Self::CaptionNotUtf8
                | Self::CaptionMarked
                | Self::CaptionMultiLine
                | Self::CaptionTooLong
                | Self::CaptionUnreadable
        )
    }
}
