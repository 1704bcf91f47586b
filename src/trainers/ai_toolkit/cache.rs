//! Names of the files that ai-toolkit caches beside the pictures (27a03a91, `toolkit/dataloader_mixins.py` 1779-1842, 2120-2163).
//!
//! A cache file is taken for valid if a file of its name exists: nothing in the name tells the picture's content.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use md5::{Digest as _, Md5};

use crate::model::{Placement, RelPath};

/// What a latent's name depends on, for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latent<'a> {
    /// Where the picture goes.
    pub placement: Placement,
    /// `latent_space_version`: the model's key of that name, else `sdxl`, `sd3`, `flux1` or the name of its architecture.
    pub space: &'a str,
    /// Whether it is the copy that is mirrored left to right.
    pub flip_x: bool,
    /// Whether it is the copy that is turned upside down.
    pub flip_y: bool,
}

/// Path of the latent of a picture.
///
/// ```
/// use walkaround::model::{Placement, RelPath, Size};
/// use walkaround::trainers::ai_toolkit_cache::{Latent, latent};
/// let placement = Placement { bucket: Size::new(1360, 768), resized: Size::new(1366, 768), crop: [3, 0] };
/// let path = latent(&RelPath::from("x/photo.jpg"), &Latent { placement, space: "flux1", flip_x: false, flip_y: false });
/// assert_eq!(path.as_str(), "x/_latent_cache/photo_NUM40fnL7twJus1TECJoBw.safetensors");
/// ```
#[must_use]
pub fn latent(picture: &RelPath, latent: &Latent<'_>) -> RelPath {
    let Placement { bucket, resized, crop } = latent.placement;
    let mut facts = BTreeMap::from([
        ("filename", Value::Text(picture.name())),
        ("scale_to_width", Value::Whole(resized.width)),
        ("scale_to_height", Value::Whole(resized.height)),
        ("crop_x", Value::Whole(crop[0])),
        ("crop_y", Value::Whole(crop[1])),
        ("crop_width", Value::Whole(bucket.width)),
        ("crop_height", Value::Whole(bucket.height)),
        ("latent_space_version", Value::Text(latent.space)),
        ("latent_version", Value::Whole(1)),
    ]);
    // Only what is so is named, so that older names stay valid.
    for (key, is_so) in [("flip_x", latent.flip_x), ("flip_y", latent.flip_y)] {
        if is_so {
            facts.insert(key, Value::True);
        }
    }
    beside(picture, "_latent_cache", &facts)
}

/// Path of the text embedding of a picture's caption, as the caption is once the trainer has done with it: trigger words put in, and
/// split at commas and joined again with a comma and a space. `space` is `text_embedding_space_version`.
///
/// ```
/// use walkaround::{model::RelPath, trainers::ai_toolkit_cache::text_embedding};
/// let path = text_embedding(&RelPath::from("photo.jpg"), "a cat,  sitting", "flux1");
/// assert_eq!(path.as_str(), "_t_e_cache/photo_mz_n8vo_ySqY6d6t8L9OFA.safetensors");
/// ```
#[must_use]
pub fn text_embedding(picture: &RelPath, caption: &str, space: &str) -> RelPath {
    let facts = BTreeMap::from([
        ("caption", Value::Text(caption)),
        ("text_embedding_space_version", Value::Text(space)),
        ("text_embedding_version", Value::Whole(1)),
    ]);
    beside(picture, "_t_e_cache", &facts)
}

/// A value of the JSON object that is hashed.
enum Value<'a> {
    Text(&'a str),
    Whole(u32),
    True,
}

fn beside(picture: &RelPath, folder: &str, facts: &BTreeMap<&str, Value<'_>>) -> RelPath {
    let hash = URL_SAFE_NO_PAD.encode(Md5::digest(json(facts)));
    let name = format!("{folder}/{}_{hash}.safetensors", picture.stem());
    RelPath::from_escaped(&name).below(picture.folder())
}

/// `json.dumps(facts, sort_keys=True)`: what is not printable ASCII is escaped.
fn json(facts: &BTreeMap<&str, Value<'_>>) -> String {
    let pairs = facts.iter().map(|(key, value)| {
        let value = match value {
            Value::Text(text) => quoted(text),
            Value::Whole(number) => number.to_string(),
            Value::True => "true".to_owned(),
        };
        format!("\"{key}\": {value}")
    });
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            ' '..='~' => quoted.push(character),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // A string takes whatever is written to it.
                    _ = write!(quoted, "\\u{unit:04x}");
                }
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Size;

    #[test]
    fn a_mirrored_copy_has_a_name_of_its_own() {
        let placement = Placement { bucket: Size::new(1360, 768), resized: Size::new(1366, 768), crop: [3, 0] };
        let path = latent(&RelPath::from("photo.jpg"), &Latent { placement, space: "flux1", flip_x: true, flip_y: false });
        assert_eq!(path.as_str(), "_latent_cache/photo_RqgJzoXh1TVA9ZcSqyPPCQ.safetensors");
    }

    #[test]
    fn names_beyond_ascii_are_hashed_escaped() {
        let placement = Placement { bucket: Size::new(512, 512), resized: Size::new(512, 512), crop: [0, 0] };
        let path = latent(&RelPath::from("été.png"), &Latent { placement, space: "qwen_image", flip_x: false, flip_y: false });
        assert_eq!(path.as_str(), "_latent_cache/été_Ukr14gSXgvXQrDTiP75SbQ.safetensors");
    }

    #[test]
    fn text_is_quoted_as_python_does() {
        // `json.dumps` of CPython 3.11.
        assert_eq!(quoted("a\"\\/\n\u{7}\u{7f}é😀"), r#""a\"\\/\n\u0007\u007f\u00e9\ud83d\ude00""#);
    }
}
