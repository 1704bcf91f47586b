//! What a trainer expects of a dataset, as plain data that checks can ask.

use super::Size;

/// In which case a trainer picks up an extension, on a file system that tells the cases apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionCase {
    /// In any.
    Any,
    /// In small letters or in capitals, and not mixed.
    LowerOrUpper,
    /// Some trainers in any, and some in small letters only: what holds for trainers in general.
    Unknown,
}

/// What a trainer expects. The trainers' rooms make it; checks read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Name of the trainer, as in `--trainer`; `generic` for one that loads with Pillow and reads `.txt` captions.
    pub trainer: &'static str,
    /// Extension of caption files, with its dot.
    pub caption_extension: String,
    /// Extensions of images that are picked up, lower case and without dot.
    pub image_extensions: Vec<String>,
    /// Width and height of training; the area that buckets are made for.
    pub resolution: Size,
    /// Step of bucket sides in pixels.
    pub bucket_step: u32,
    /// In which case extensions are picked up.
    pub extension_case: ExtensionCase,
    /// Tokens of the CLIP text encoder that a caption may have, special tokens not counted: 75, 150 or 225. `None` where no CLIP
    /// encoder reads captions, or none that matters.
    pub max_tokens: Option<u64>,
    /// Longer side by shorter side above which a picture is called a strip.
    pub max_aspect: f64,
}

impl Profile {
    /// Whether it stands for trainers in general, and nothing is known of how pictures are placed.
    #[must_use]
    pub fn is_generic(&self) -> bool {
        self.trainer == "generic"
    }

    /// Whether images of this extension, without dot, are picked up, as far as is known of its case.
    #[must_use]
    pub fn picks_up(&self, extension: &str) -> bool {
        self.image_extensions.iter().any(|known| match self.extension_case {
            ExtensionCase::Any | ExtensionCase::Unknown => known.eq_ignore_ascii_case(extension),
            ExtensionCase::LowerOrUpper => known == extension || known.to_ascii_uppercase() == extension,
        })
    }

    /// Whether images of this extension, without dot, are picked up for certain.
    #[must_use]
    pub fn surely_picks_up(&self, extension: &str) -> bool {
        self.picks_up(extension)
            && (self.extension_case != ExtensionCase::Unknown || self.image_extensions.iter().any(|known| known == extension))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_picked_up_whole_and_in_any_case() {
        let profile = Profile {
            trainer: "generic",
            caption_extension: ".txt".to_owned(),
            image_extensions: vec!["png".to_owned(), "jpg".to_owned()],
            resolution: Size::new(1024, 1024),
            bucket_step: 64,
            extension_case: ExtensionCase::Any,
            max_tokens: Some(75),
            max_aspect: 4.0,
        };
        let seen = ["png", "JpG", "jpeg", "pn", ""].map(|extension| profile.picks_up(extension));
        assert_eq!(seen, [true, true, false, false, false]);
        let strict = Profile { extension_case: ExtensionCase::LowerOrUpper, ..profile };
        let seen = ["png", "PNG", "Png", "JPG", "JpG"].map(|extension| strict.picks_up(extension));
        assert_eq!(seen, [true, true, false, true, false]);
    }
}
