//! What a file holds, decided by its bytes: image formats, colour modes, and what else turns up where images should be.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An image format, recognised by content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Format {
    /// JPEG (ISO/IEC 10918-1).
    Jpeg,
    /// JPEG with more pictures behind the first (CIPA DC-007); loaders take the first.
    Mpo,
    /// PNG and APNG.
    Png,
    /// WebP: lossy, lossless, animated.
    WebP,
    /// GIF 87a and 89a.
    Gif,
    /// Windows bitmap.
    Bmp,
    /// TIFF and `BigTIFF`.
    Tiff,
    /// AV1 image file.
    Avif,
    /// HEIF with HEVC pictures, as phones write it.
    Heic,
    /// JPEG XL, bare or boxed.
    JpegXl,
    /// JPEG 2000, bare or boxed.
    Jpeg2000,
    /// Photoshop document.
    Psd,
    /// Scalable vector graphics.
    Svg,
    /// Windows icon or cursor.
    Ico,
    /// Truevision TGA.
    Tga,
    /// Portable bit-, gray- and pixmap (P1 to P6) and PAM (P7).
    Pnm,
    /// Quite OK image.
    Qoi,
}

impl Format {
    /// The name as Pillow spells it; formats that stock Pillow 13 does not know have the common name in capitals.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "JPEG",
            Self::Mpo => "MPO",
            Self::Png => "PNG",
            Self::WebP => "WEBP",
            Self::Gif => "GIF",
            Self::Bmp => "BMP",
            Self::Tiff => "TIFF",
            Self::Avif => "AVIF",
            Self::Heic => "HEIC",
            Self::JpegXl => "JXL",
            Self::Jpeg2000 => "JPEG2000",
            Self::Psd => "PSD",
            Self::Svg => "SVG",
            Self::Ico => "ICO",
            Self::Tga => "TGA",
            Self::Pnm => "PPM",
            Self::Qoi => "QOI",
        }
    }

    /// The usual extensions, lower case and without dot, the commonest first.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Jpeg => &["jpg", "jpeg", "jpe", "jfif"],
            Self::Mpo => &["mpo", "jpg", "jpeg", "jpe", "jfif"],
            Self::Png => &["png", "apng"],
            Self::WebP => &["webp"],
            Self::Gif => &["gif"],
            Self::Bmp => &["bmp", "dib"],
            Self::Tiff => &["tif", "tiff"],
            Self::Avif => &["avif", "avifs"],
            Self::Heic => &["heic", "heif", "hif"],
            Self::JpegXl => &["jxl"],
            Self::Jpeg2000 => &["jp2", "j2k", "jpf", "jpx", "j2c", "jpc"],
            Self::Psd => &["psd", "psb"],
            Self::Svg => &["svg"],
            Self::Ico => &["ico", "cur"],
            Self::Tga => &["tga", "icb", "vda", "vst"],
            Self::Pnm => &["ppm", "pgm", "pbm", "pnm", "pam"],
            Self::Qoi => &["qoi"],
        }
    }

    /// Every format, for tables and tests.
    pub const ALL: [Self; 17] = [
        Self::Jpeg,
        Self::Mpo,
        Self::Png,
        Self::WebP,
        Self::Gif,
        Self::Bmp,
        Self::Tiff,
        Self::Avif,
        Self::Heic,
        Self::JpegXl,
        Self::Jpeg2000,
        Self::Psd,
        Self::Svg,
        Self::Ico,
        Self::Tga,
        Self::Pnm,
        Self::Qoi,
    ];

    /// The format a file's extension claims, whatever its case.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        // MPO's own extension is its first; "jpg" is claimed by JPEG, which comes before it.
        Self::ALL.into_iter().find(|format| format.extensions().iter().any(|known| known.eq_ignore_ascii_case(extension)))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the first bytes of a file say it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// An image of this format, judged by its signature; whether it decodes is another question.
    Image(Format),
    /// Something else.
    Other(OtherContent),
}

/// What stands where an image, a caption or a metadata file should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum OtherContent {
    /// No bytes at all.
    Empty,
    /// Only zero bytes were seen: what a crash or a full disk leaves behind.
    Zeros,
    /// An HTML page, such as an error page saved by a downloader.
    Html,
    /// XML other than SVG.
    Xml,
    /// JSON text.
    Json,
    /// Other text.
    Text,
    /// A Git LFS pointer: the real file was never fetched.
    GitLfsPointer,
    /// `AppleDouble` companion (`._name`, RFC 1740 appendix B).
    AppleDouble,
    /// OLE2 compound file, such as `Thumbs.db`.
    Ole2,
    /// ZIP archive, or a format made of one (`.npz`, `.docx`).
    Zip,
    /// gzip, bzip2, xz, zstd, 7z, RAR or tar.
    Archive,
    /// PDF.
    Pdf,
    /// MP4, Matroska, AVI and the like.
    Video,
    /// `NumPy` array.
    Npy,
    /// Camera raw file that is not plain TIFF.
    CameraRaw,
    /// Nothing that is known here.
    Unknown,
}

impl OtherContent {
    /// Words for a message: "an HTML page", "a ZIP archive".
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Empty => "nothing",
            Self::Zeros => "only zero bytes",
            Self::Html => "an HTML page",
            Self::Xml => "XML",
            Self::Json => "JSON",
            Self::Text => "text",
            Self::GitLfsPointer => "a Git LFS pointer (the file itself was never fetched)",
            Self::AppleDouble => "an AppleDouble companion of macOS",
            Self::Ole2 => "an OLE2 compound file",
            Self::Zip => "a ZIP archive",
            Self::Archive => "a compressed archive",
            Self::Pdf => "a PDF",
            Self::Video => "a video",
            Self::Npy => "a NumPy array",
            Self::CameraRaw => "a camera raw file",
            Self::Unknown => "nothing known",
        }
    }
}

/// A colour mode, as Pillow names it (Pillow 13, `docs/handbook/concepts.rst`, "Modes").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Mode {
    /// `1`: black and white.
    Bilevel,
    /// `L`: 8-bit gray.
    L,
    /// `LA`: gray with alpha.
    La,
    /// `P`: palette.
    P,
    /// `PA`: palette with alpha.
    Pa,
    /// `RGB`.
    Rgb,
    /// `RGBA`.
    Rgba,
    /// `RGBX`: RGB with a padding byte.
    Rgbx,
    /// `CMYK`.
    Cmyk,
    /// `YCbCr`.
    YCbCr,
    /// `LAB`.
    Lab,
    /// `I`: 32-bit signed gray.
    I,
    /// `I;16`: 16-bit gray, little endian.
    I16,
    /// `I;16B`: 16-bit gray, big endian.
    I16B,
    /// `F`: 32-bit floating-point gray.
    F,
}

impl Mode {
    /// Pillow's spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bilevel => "1",
            Self::L => "L",
            Self::La => "LA",
            Self::P => "P",
            Self::Pa => "PA",
            Self::Rgb => "RGB",
            Self::Rgba => "RGBA",
            Self::Rgbx => "RGBX",
            Self::Cmyk => "CMYK",
            Self::YCbCr => "YCbCr",
            Self::Lab => "LAB",
            Self::I => "I",
            Self::I16 => "I;16",
            Self::I16B => "I;16B",
            Self::F => "F",
        }
    }

    /// Whether the mode itself has an alpha channel.
    #[must_use]
    pub fn has_alpha(self) -> bool {
        matches!(self, Self::La | Self::Pa | Self::Rgba)
    }

    /// Whether the picture has no colour.
    #[must_use]
    pub fn is_gray(self) -> bool {
        matches!(self, Self::Bilevel | Self::L | Self::La | Self::I | Self::I16 | Self::I16B | Self::F)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_name_the_commonest_owner() {
        assert_eq!(Format::of_extension("JPG"), Some(Format::Jpeg));
        assert_eq!(Format::of_extension("mpo"), Some(Format::Mpo));
        assert_eq!(Format::of_extension("tiff"), Some(Format::Tiff));
        assert_eq!(Format::of_extension("txt"), None);
    }
}
