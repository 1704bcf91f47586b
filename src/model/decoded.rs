//! What decoders do with an image's bytes: a verdict for each, and the facts that need pixels.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Fault;

/// Pixels above which Pillow refuses an image with `DecompressionBombError` (Pillow 13, `Image.py`,
/// `_decompression_bomb_check`: twice `MAX_IMAGE_PIXELS`).
pub const MAX_PIXELS: u64 = 178_956_970;

/// Pixels above which Pillow warns (`MAX_IMAGE_PIXELS`, 1 GiB / 4 / 3).
pub const WARN_PIXELS: u64 = 89_478_485;

/// Class of a [`Refusal`] by a loader that takes its whole process with it.
pub const CRASH: &str = "crash";

/// Where a loader gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// While reading the header (`Image.open` in Pillow).
    Open,
    /// While reading the pixels (`load` or `convert` in Pillow).
    Load,
}

/// How a loader refuses a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Exception class, such as `OSError` or `UnidentifiedImageError`; `error` for a loader without classes.
    pub class: Cow<'static, str>,
    /// The loader's message, without the file's name.
    pub message: String,
    /// Where it happens.
    pub stage: Stage,
}

impl Refusal {
    /// Whether the class belongs to `OSError`'s family, which is all that some trainers catch (sd-scripts 48d368fa,
    /// `library/train_util.py` 2948-2961).
    #[must_use]
    pub fn is_os_error(&self) -> bool {
        matches!(self.class.as_ref(), "OSError" | "UnidentifiedImageError" | "FileNotFoundError" | "PermissionError")
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

/// What one loader does with the bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It returns a picture, whole or not.
    Ok,
    /// It refuses.
    Error(Refusal),
    /// Not known here; never a guess.
    Unknown,
}

impl Verdict {
    /// The verdict as manifests spell it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error(_) => "error",
            Self::Unknown => "unknown",
        }
    }

    /// The refusal, if it is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Error(refusal) => Some(refusal),
            Self::Ok | Self::Unknown => None,
        }
    }

    /// A refusal while the header is read.
    #[must_use]
    pub fn refuses_open(class: &'static str, message: impl Into<String>) -> Self {
        Self::Error(Refusal { class: Cow::Borrowed(class), message: message.into(), stage: Stage::Open })
    }

    /// A refusal while the pixels are read.
    #[must_use]
    pub fn refuses_load(class: &'static str, message: impl Into<String>) -> Self {
        Self::Error(Refusal { class: Cow::Borrowed(class), message: message.into(), stage: Stage::Load })
    }
}

/// What reading the file by the format's own rules finds, whatever any loader forgives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Strict {
    /// Every bit of the picture is there and valid.
    Whole,
    /// Part of the picture is there.
    Damaged {
        /// The first thing that is wrong.
        fault: Fault,
        /// Share of the picture that is lost, 0 to 1, where it can be told.
        lost: Option<f32>,
    },
    /// No picture can be had.
    Error(Fault),
    /// There is no strict reader for this here, or a limit stopped it; the fault says which.
    Unknown(Fault),
}

impl Strict {
    /// The verdict as manifests spell it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Whole => "ok",
            Self::Damaged { .. } => "damaged",
            Self::Error(_) => "error",
            Self::Unknown(_) => "unknown",
        }
    }

    /// The first thing that is wrong.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Whole => None,
            Self::Damaged { fault, .. } | Self::Error(fault) | Self::Unknown(fault) => Some(fault),
        }
    }
}

/// A reduced picture in gray, row by row, from which blankness, brightness and the perceptual hash are computed.
///
/// Readers make it at whatever reduction comes cheaply (1/8 for JPEG); both sides are at least 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    /// Samples in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Luma (ITU-R BT.601), 0 to 255, `width * height` samples.
    pub luma: Vec<u8>,
}

/// How transparent a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlphaFacts {
    /// Share of pixels that are fully transparent, 0 to 1.
    pub transparent: f32,
    /// Share of pixels that are partly transparent, 0 to 1; alpha from 250 on counts as opaque, for nobody sees the difference.
    pub partial: f32,
    /// Share of pixels that are fully transparent and hide a colour other than black, which a loader that drops alpha
    /// brings to light, 0 to 1.
    pub hidden: f32,
    /// The commonest hidden colour, red, green and blue.
    pub hidden_color: Option<[u8; 3]>,
}

impl AlphaFacts {
    /// Whether every pixel is opaque.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.transparent <= 0.0 && self.partial <= 0.0
    }
}

/// Differing bits up to which two perceptual hashes ([`PixelFacts::phash`]) mean the same picture.
///
/// Measured on 48 camera and stock photos, of which one is wholly black and left out. Saved again as JPEG of quality 50 or 85:
/// 0 to 2 bits; scaled to 512 or 640 pixels of width as PNG or WebP: 0 to 6; at half or a quarter of the size as JPEG: 0 to 4,
/// and 8 for three of 94. Between different photos (1,075 pairs): 18 at least, 32 in the middle.
pub const NEAR_DUPLICATE_BITS: u32 = 8;

/// Facts that need pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PixelFacts {
    /// Mean luma of the picture, 0 to 255.
    pub mean: f32,
    /// Whether the picture has one colour only, but for noise of a few levels.
    pub blank: bool,
    /// Perceptual hash of the picture as a person sees it (EXIF orientation applied); compare by the number of differing
    /// bits with [`NEAR_DUPLICATE_BITS`]. A picture without structure has a hash of its exact samples, so that flat
    /// pictures are near each other only when they are the same.
    pub phash: u64,
    /// Transparency, where the format can have it and it was looked at.
    pub alpha: Option<AlphaFacts>,
    /// Whether a picture with colour channels has no colour in it.
    pub colorless: Option<bool>,
}

/// What decoding one image found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decoded {
    /// Pillow 13: open, load, convert to RGB.
    pub pillow: Verdict,
    /// The same with `ImageFile.LOAD_TRUNCATED_IMAGES` set, as some programs set it for the whole process (data-juicer is one):
    /// what it then loads may be part of a picture.
    pub pillow_lenient: Verdict,
    /// OpenCV 5: `imdecode` unchanged.
    pub opencv: Verdict,
    /// Our own reading by the format's rules.
    pub strict: Strict,
    /// Facts from pixels, where there were any.
    pub pixels: Option<PixelFacts>,
    /// Bytes behind the end of the picture that belong to nothing, and where they begin.
    pub trailing: Option<Trailing>,
    /// What full decoding to pixels says otherwise, if it was asked for.
    pub disagreement: Option<String>,
}

/// Bytes behind the end of the picture that belong to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trailing {
    /// Offset of the first.
    pub offset: u64,
    /// How many.
    pub size_bytes: u64,
    /// Whether they are all zero.
    pub zeros: bool,
}

impl Decoded {
    /// What is known of a file that was not decoded, for the reason given.
    #[must_use]
    pub fn undecided(fault: Fault) -> Self {
        Self {
            pillow: Verdict::Unknown,
            pillow_lenient: Verdict::Unknown,
            opencv: Verdict::Unknown,
            strict: Strict::Unknown(fault),
            pixels: None,
            trailing: None,
            disagreement: None,
        }
    }
}
