//! Facts read from an image's header.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::{Format, Mode};

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

impl Size {
    /// A size from its two sides.
    #[must_use]
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    /// Number of pixels.
    #[must_use]
    pub fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// The shorter side.
    #[must_use]
    pub fn short_side(self) -> u32 {
        self.width.min(self.height)
    }

    /// The longer side.
    #[must_use]
    pub fn long_side(self) -> u32 {
        self.width.max(self.height)
    }

    /// The sides exchanged.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { width: self.height, height: self.width }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// EXIF orientation, tag 0x0112, 1 to 8 (Exif 3.0, section 4.6.5.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Orientation(u8);

impl Orientation {
    /// The orientation for a tag's value; values outside 1 to 8 mean nothing and loaders ignore them.
    #[must_use]
    pub fn new(value: u32) -> Option<Self> {
        u8::try_from(value).ok().filter(|value| (1..=8).contains(value)).map(Self)
    }

    /// The tag's value, 1 to 8.
    #[must_use]
    pub fn value(self) -> u8 {
        self.0
    }

    /// Whether the stored picture is shown as it is stored.
    #[must_use]
    pub fn is_upright(self) -> bool {
        self.0 == 1
    }

    /// Whether width and height change places when the orientation is applied.
    #[must_use]
    pub fn swaps_sides(self) -> bool {
        self.0 >= 5
    }

    /// What a viewer does with the stored picture.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self.0 {
            2 => "mirrored left to right",
            3 => "turned by 180 degrees",
            4 => "mirrored top to bottom",
            5 => "mirrored and turned by 90 degrees anticlockwise",
            6 => "turned by 90 degrees clockwise",
            7 => "mirrored and turned by 90 degrees clockwise",
            8 => "turned by 90 degrees anticlockwise",
            _ => "shown as stored",
        }
    }
}

/// What was found of EXIF.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exif {
    /// No EXIF block.
    Absent,
    /// A block that could be read; the orientation is in [`Probe::orientation`].
    Read,
    /// A block that breaks its own rules; what is wrong with it, in words.
    Malformed(String),
}

/// By another name, for serde takes a `&str` for a part of what it reads from.
type Word = &'static str;

/// What the header of an image says, as the loader would see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Format by content.
    pub format: Format,
    /// Variant of the format in words, such as "progressive", "lossless", "BigTIFF"; empty for the plain kind.
    #[serde(deserialize_with = "known_variant")]
    pub variant: Word,
    /// Mode as Pillow opens it; `None` where Pillow has no such mode or the header does not say.
    pub mode: Option<Mode>,
    /// Bits per channel as stored (1 to 64); 0 where the header does not say.
    pub bit_depth: u8,
    /// Size as stored, before EXIF orientation; of the first frame or canvas.
    pub size: Size,
    /// EXIF orientation, where a valid one is present.
    pub orientation: Option<Orientation>,
    /// Frames or pages that loaders count; at least 1.
    pub frames: u32,
    /// Whether an ICC profile is embedded.
    pub icc: bool,
    /// Whether the picture can be transparent: an alpha channel, or a transparent colour or palette entry.
    pub transparency: bool,
    /// State of the EXIF block.
    pub exif: Exif,
}

/// Every [`Probe::variant`] there is: encoded facts with another one are not understood.
const VARIANTS: [&str; 40] = [
    "",
    "extended",
    "extended lossless",
    "progressive",
    "lossless",
    "arithmetic",
    "arithmetic progressive",
    "arithmetic lossless",
    "arithmetic hierarchical",
    "hierarchical",
    "CMYK",
    "extended CMYK",
    "progressive CMYK",
    "lossless CMYK",
    "arithmetic CMYK",
    "arithmetic progressive CMYK",
    "arithmetic lossless CMYK",
    "YCCK",
    "extended YCCK",
    "progressive YCCK",
    "lossless YCCK",
    "arithmetic YCCK",
    "arithmetic progressive YCCK",
    "arithmetic lossless YCCK",
    "PAM",
    "CgBI",
    "interlaced",
    "APNG",
    "sequence",
    "animated",
    "RLE",
    "JPEG inside",
    "PNG inside",
    "OS/2",
    "DIB",
    "boxed",
    "PSB",
    "cursor",
    "BigTIFF",
    "JP2",
];

fn known_variant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    let text = <&str>::deserialize(deserializer)?;
    VARIANTS.into_iter().find(|known| *known == text).ok_or_else(|| serde::de::Error::custom("no variant of a format is called so"))
}

impl Probe {
    /// Size after EXIF orientation: what a person sees.
    #[must_use]
    pub fn oriented_size(&self) -> Size {
        if self.orientation.is_some_and(Orientation::swaps_sides) { self.size.turned() } else { self.size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_to_eight_is_an_orientation() {
        assert!(Orientation::new(0).is_none());
        assert!(Orientation::new(9).is_none());
        assert!(Orientation::new(6).is_some_and(Orientation::swaps_sides));
        assert!(Orientation::new(3).is_some_and(|o| !o.swaps_sides()));
    }
}
