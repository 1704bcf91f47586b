//! What a trainer expects of a dataset, as plain data that checks can ask.

use super::Size;

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
    /// Tokens of the CLIP text encoder that a caption may have, special tokens not counted: 75, 150 or 225.
    pub max_tokens: u64,
    /// Longer side by shorter side above which a picture is called a strip.
    pub max_aspect: f64,
}

impl Profile {
    /// Whether images of this extension, without dot, are picked up; its case does not matter here, though it does to some.
    #[must_use]
    pub fn picks_up(&self, extension: &str) -> bool {
        self.image_extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
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
            max_tokens: 75,
            max_aspect: 4.0,
        };
        let seen = ["png", "JpG", "jpeg", "pn", ""].map(|extension| profile.picks_up(extension));
        assert_eq!(seen, [true, true, false, false, false]);
    }
}
