//! `--set KEY=VALUE`: single settings by the trainers' own key names.

use thiserror::Error;

use crate::model::{Profile, Size, nearest};

/// Why a setting was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetError {
    /// No trainer has such a key.
    #[error("no setting is called `{key}`{}; known are {}", .nearest.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default(), KEYS.join(", "))]
    UnknownKey {
        /// What was given.
        key: String,
        /// The key that comes closest.
        nearest: Option<&'static str>,
    },
    /// The value has another type, or is out of range.
    #[error("`{key}` takes {wanted}, not `{given}`")]
    WrongValue {
        /// The key.
        key: &'static str,
        /// What it takes, in words.
        wanted: &'static str,
        /// What was given.
        given: String,
    },
}

const KEYS: [&str; 4] = ["caption_extension", "resolution", "max_token_length", "bucket_reso_steps"];

/// Sets one value of a profile, by the name that sd-scripts gives it (48d368fa, `library/config_util.py` and
/// `library/train_util.py`).
///
/// ```
/// use walkaround::trainers;
/// let mut profile = trainers::generic();
/// trainers::set(&mut profile, "resolution", &toml::Value::Integer(768)).unwrap();
/// assert_eq!(profile.resolution.to_string(), "768x768");
/// assert!(trainers::set(&mut profile, "caption_extention", &toml::Value::from(".txt")).is_err());
/// ```
pub fn set(profile: &mut Profile, key: &str, value: &toml::Value) -> Result<(), SetError> {
    let key = KEYS
        .into_iter()
        .find(|known| *known == key)
        .ok_or_else(|| SetError::UnknownKey { key: key.to_owned(), nearest: nearest(key, KEYS, 0.8) })?;
    let wrong = |wanted| SetError::WrongValue { key, wanted, given: value.as_str().map_or_else(|| value.to_string(), str::to_owned) };
    match key {
        "caption_extension" => {
            let text = value
                .as_str()
                .filter(|text| !text.is_empty() && !text.contains(['/', '\\']))
                .ok_or_else(|| wrong("an extension such as .txt"))?;
            profile.caption_extension = if text.starts_with('.') { text.to_owned() } else { format!(".{text}") };
        }
        "resolution" => profile.resolution = resolution(value).ok_or_else(|| wrong("a side such as 1024, or [width, height]"))?,
        "max_token_length" => {
            let tokens = value.as_integer().filter(|tokens| [75, 150, 225].contains(tokens)).ok_or_else(|| wrong("75, 150 or 225"))?;
            profile.max_tokens = tokens.unsigned_abs();
        }
        _ => profile.bucket_step = side(value).ok_or_else(|| wrong("a number of pixels such as 64"))?,
    }
    Ok(())
}

fn resolution(value: &toml::Value) -> Option<Size> {
    match value {
        toml::Value::Array(sides) => match sides.as_slice() {
            [width, height] => Some(Size::new(side(width)?, side(height)?)),
            _ => None,
        },
        // sd-scripts takes "1024,768" as text.
        toml::Value::String(text) => {
            let sides: Vec<u32> = text.split(',').map(|side| side.trim().parse().ok()).collect::<Option<_>>()?;
            match sides.as_slice() {
                [width, height] if *width > 0 && *height > 0 => Some(Size::new(*width, *height)),
                [both] if *both > 0 => Some(Size::new(*both, *both)),
                _ => None,
            }
        }
        single => side(single).map(|side| Size::new(side, side)),
    }
}

fn side(value: &toml::Value) -> Option<u32> {
    value.as_integer().and_then(|side| u32::try_from(side).ok()).filter(|&side| side > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resolution_is_a_side_a_list_or_text() {
        let mut profile = crate::trainers::generic();
        let list = toml::Value::Array(vec![768.into(), 1024.into()]);
        for (value, size) in [(toml::Value::from(512), "512x512"), (list, "768x1024"), (toml::Value::from("1024,768"), "1024x768")] {
            set(&mut profile, "resolution", &value).expect("the value is valid");
            assert_eq!(profile.resolution.to_string(), size);
        }
    }

    #[test]
    fn wrong_values_say_what_is_wanted() {
        let mut profile = crate::trainers::generic();
        let error = set(&mut profile, "max_token_length", &toml::Value::from(100)).expect_err("100 is no choice");
        assert_eq!(error.to_string(), "`max_token_length` takes 75, 150 or 225, not `100`");
        let error = set(&mut profile, "caption_extention", &toml::Value::from(".txt")).expect_err("there is no such key");
        assert!(error.to_string().contains("did you mean `caption_extension`?"), "{error}");
    }
}
