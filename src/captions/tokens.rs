//! How many tokens a caption makes for the text encoders. What is too many is not decided here.

use std::path::Path;
use std::sync::OnceLock;

use instant_clip_tokenizer::Tokenizer;
use unicode_normalization::UnicodeNormalization as _;

/// Bytes of text above which tokens are not counted: far beyond any text encoder's window, and merging is quadratic in the
/// length of a word.
pub const MAX_COUNTED_BYTES: usize = 64 << 10;

/// Bytes after which a word without a break is cut for counting, since merging byte pairs takes quadratic time in the length
/// of a word. A Chinese caption of 680 characters without punctuation still fits.
const MAX_WORD_BYTES: usize = 2048;

/// A tokenizer that the settings name could not be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenizerError {
    /// This build was made without the `t5` feature.
    #[error("count T5 tokens: this build has no T5 support; build with `--features t5`")]
    Unsupported,
    /// The file could not be read, or is no `tokenizer.json`.
    #[error("read tokenizer {path}: {reason}")]
    Unusable {
        /// The file that was named.
        path: String,
        /// The library's reason.
        reason: String,
    },
}

/// The tokenizers of a run: built once, by the first caption that needs them, and shared by all threads.
pub struct Tokenizers {
    /// Building the vocabulary takes some 40 ms, which a run of cached captions does without.
    clip: OnceLock<Tokenizer>,
    #[cfg(feature = "t5")]
    t5: Option<tokenizers::Tokenizer>,
}

impl Tokenizers {
    /// The CLIP tokenizer (openai/clip-vit-large-patch14), whose vocabulary is built in.
    #[must_use]
    pub fn new() -> Self {
        Self {
            clip: OnceLock::new(),
            #[cfg(feature = "t5")]
            t5: None,
        }
    }

    /// The CLIP tokenizer, and the one that a `tokenizer.json` holds.
    ///
    /// # Errors
    ///
    /// When the file cannot be used, or this build has no T5 support.
    #[cfg(feature = "t5")]
    pub fn with_t5(path: &Path) -> Result<Self, TokenizerError> {
        let t5 = tokenizers::Tokenizer::from_file(path)
            .map_err(|reason| TokenizerError::Unusable { path: path.display().to_string(), reason: reason.to_string() })?;
        Ok(Self { t5: Some(t5), ..Self::new() })
    }

    /// The CLIP tokenizer, and the one that a `tokenizer.json` holds.
    ///
    /// # Errors
    ///
    /// When the file cannot be used, or this build has no T5 support.
    #[cfg(not(feature = "t5"))]
    pub fn with_t5(_: &Path) -> Result<Self, TokenizerError> {
        Err(TokenizerError::Unsupported)
    }

    /// What tells these tokenizers from others that count differently.
    #[cfg(feature = "t5")]
    #[must_use]
    pub fn identity(&self) -> String {
        match self.t5.as_ref().map(|t5| t5.to_string(false)) {
            None => "clip".to_owned(),
            Some(Ok(t5)) => format!("clip and {}", blake3::hash(t5.as_bytes())),
            // Captions counted with this one are found by nobody else, nor by the next run.
            Some(Err(error)) => format!("clip and {error} at {:?}", std::time::SystemTime::now()),
        }
    }

    /// What tells these tokenizers from others that count differently.
    #[cfg(not(feature = "t5"))]
    #[must_use]
    pub fn identity(&self) -> String {
        "clip".to_owned()
    }

    /// Length in CLIP tokens without the two special ones; `None` for text of more than [`MAX_COUNTED_BYTES`], white space
    /// around it not counted.
    ///
    /// The text is put into NFC and lower case and split at white space first, as `CLIPTokenizerFast` of transformers does.
    /// A word of more than 2 KiB is counted in pieces, which can make it a token longer at each cut.
    #[must_use]
    pub fn clip_tokens(&self, text: &str) -> Option<u64> {
        let text = text.trim();
        if text.len() > MAX_COUNTED_BYTES {
            return None;
        }
        let text: String = text.nfc().collect();
        let clip = self.clip.get_or_init(Tokenizer::new);
        let mut tokens = Vec::new();
        let mut count = 0;
        for word in text.split_whitespace() {
            for piece in pieces(word) {
                tokens.clear();
                clip.encode(piece, &mut tokens);
                count += tokens.len() as u64;
            }
        }
        Some(count)
    }

    /// Length in tokens of the tokenizer that the settings name, with its special tokens; `None` without one. White space
    /// around the text is not counted: trainers strip captions.
    #[cfg(feature = "t5")]
    #[must_use]
    pub fn t5_tokens(&self, text: &str) -> Option<u64> {
        let text = text.trim();
        if text.len() > MAX_COUNTED_BYTES {
            return None;
        }
        let encoded = self.t5.as_ref()?.encode(text, true).ok()?;
        Some(encoded.len() as u64)
    }

    /// Length in tokens of the tokenizer that the settings name, with its special tokens; `None` without one.
    #[cfg(not(feature = "t5"))]
    #[must_use]
    pub fn t5_tokens(&self, _: &str) -> Option<u64> {
        None
    }
}

impl Default for Tokenizers {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Tokenizers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokenizers").finish_non_exhaustive()
    }
}

/// The word in pieces of at most [`MAX_WORD_BYTES`], cut between characters.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let end = (0..=MAX_WORD_BYTES.min(rest.len())).rev().find(|&end| rest.is_char_boundary(end))?;
        let (piece, behind) = rest.split_at_checked(end)?;
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_openai() {
        let tokenizers = Tokenizers::new();
        // The longer ones are the lengths of the id lists in the tests of instant-clip-tokenizer 0.1.0.
        for (text, tokens) in [
            ("", 0),
            ("a photo of a cat", 5),
            ("A Photo  of a\nCAT", 5),
            ("A person riding a motorcycle", 5),
            ("I'm fine, thanks!", 6),
            ("hello world!!!", 3),
            ("Hello Båstad", 4),
            ("donaudampfschifffahrtsgesellschaftskapitänsmütze", 21),
        ] {
            assert_eq!(tokenizers.clip_tokens(text), Some(tokens), "{text:?}");
        }
    }

    #[test]
    fn composed_and_decomposed_letters_count_the_same() {
        let tokenizers = Tokenizers::new();
        assert_eq!(tokenizers.clip_tokens("cafe\u{301}"), tokenizers.clip_tokens("café"));
    }

    #[test]
    fn a_long_word_ends_in_reasonable_time() {
        let tokenizers = Tokenizers::new();
        let begin = std::time::Instant::now();
        assert!(tokenizers.clip_tokens(&"q".repeat(MAX_COUNTED_BYTES)).is_some_and(|tokens| tokens > 1000));
        assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
        assert_eq!(tokenizers.clip_tokens(&"a ".repeat(MAX_COUNTED_BYTES)), None);
    }

    #[test]
    fn white_space_around_the_text_is_not_counted() {
        let (tokenizers, padding) = (Tokenizers::new(), " \n\u{3000}".repeat(MAX_COUNTED_BYTES));
        assert_eq!(tokenizers.clip_tokens(&format!("{padding}a photo of a cat{padding}")), Some(5));
        assert_eq!(tokenizers.clip_tokens(&padding), Some(0));
    }

    #[cfg(not(feature = "t5"))]
    #[test]
    fn a_build_without_t5_says_so() {
        assert!(matches!(Tokenizers::with_t5(Path::new("tokenizer.json")), Err(TokenizerError::Unsupported)));
    }
}
