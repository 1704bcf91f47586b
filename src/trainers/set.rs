//! One setting by the trainers' own key names: `--set KEY=VALUE`, or a line of the trainer's own configuration.

use thiserror::Error;

use crate::model::{Size, nearest};

/// Why a setting was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetError {
    /// The trainer has no such key, or none that matters here.
    #[error("no setting is called `{key}`{}; known are {}", .nearest.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default(), .known.join(", "))]
    UnknownKey {
        /// What was given.
        key: String,
        /// The key that comes closest.
        nearest: Option<&'static str>,
        /// All keys.
        known: &'static [&'static str],
    },
    /// The value has another type, or is out of range.
    #[error("`{key}` takes {wanted}, not `{given}`")]
    WrongValue {
        /// The key.
        key: String,
        /// What it takes, in words.
        wanted: &'static str,
        /// What was given.
        given: String,
    },
}

/// A key and its value. Readers return the value as what it should be, or say what was wanted.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The key, as the trainer spells it.
    pub key: &'a str,
    /// The value.
    pub value: &'a toml::Value,
}

impl<'a> Setting<'a> {
    /// A setting.
    #[must_use]
    pub fn new(key: &'a str, value: &'a toml::Value) -> Self {
        Self { key, value }
    }

    /// That the key is none of these.
    #[must_use]
    pub fn unknown(&self, known: &'static [&'static str]) -> SetError {
        SetError::UnknownKey { key: self.key.to_owned(), nearest: nearest(self.key, known.iter().copied(), 0.8), known }
    }

    /// That the value is not what was wanted.
    #[must_use]
    pub fn wrong(&self, wanted: &'static str) -> SetError {
        let given = self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned);
        SetError::WrongValue { key: self.key.to_owned(), wanted, given }
    }

    /// `true` or `false`; also `1` or `0`, which are the same to Python.
    pub fn flag(&self) -> Result<bool, SetError> {
        let flag = match self.value {
            toml::Value::Boolean(flag) => Some(*flag),
            toml::Value::Integer(number @ 0..=1) => Some(*number == 1),
            _ => None,
        };
        flag.ok_or_else(|| self.wrong("true or false"))
    }

    /// A whole number from 0 on.
    pub fn count(&self) -> Result<u32, SetError> {
        self.value.as_integer().and_then(|count| u32::try_from(count).ok()).ok_or_else(|| self.wrong("a whole number"))
    }

    /// A whole number from 1 on.
    pub fn count_from_one(&self) -> Result<u32, SetError> {
        self.count().ok().filter(|&count| count > 0).ok_or_else(|| self.wrong("a whole number from 1 on"))
    }

    /// A number of pixels from 1 on.
    pub fn side(&self) -> Result<u32, SetError> {
        side(self.value).ok_or_else(|| self.wrong("a number of pixels such as 64"))
    }

    /// A number, whole or not.
    pub fn number(&self) -> Result<f64, SetError> {
        number(self.value).ok_or_else(|| self.wrong("a number"))
    }

    /// A number above 0, whole or not.
    pub fn number_above_zero(&self) -> Result<f64, SetError> {
        number(self.value).filter(|number| *number > 0.0).ok_or_else(|| self.wrong("a number above 0"))
    }

    /// Numbers in a list; a single one counts as a list of one.
    pub fn numbers(&self) -> Result<Vec<f64>, SetError> {
        let numbers = match self.value {
            toml::Value::Array(list) => list.iter().map(number).collect(),
            single => number(single).map(|number| vec![number]),
        };
        numbers.ok_or_else(|| self.wrong("a list of numbers such as [512, 768]"))
    }

    /// Text that may be empty.
    pub fn text(&self) -> Result<&'a str, SetError> {
        self.value.as_str().ok_or_else(|| self.wrong("text"))
    }

    /// A width and a height: one side for a square, a list of two, or `1024,768` as text, as sd-scripts takes it.
    pub fn size(&self) -> Result<Size, SetError> {
        size(self.value).ok_or_else(|| self.wrong("a side such as 1024, or [width, height]"))
    }

    /// An extension with its dot, which is added if it is not there.
    pub fn extension(&self) -> Result<String, SetError> {
        let text = self.value.as_str().filter(|text| !text.is_empty() && !text.contains(['/', '\\']));
        let text = text.ok_or_else(|| self.wrong("an extension such as .txt"))?;
        Ok(if text.starts_with('.') { text.to_owned() } else { format!(".{text}") })
    }
}

fn size(value: &toml::Value) -> Option<Size> {
    match value {
        toml::Value::Array(sides) => match sides.as_slice() {
            [width, height] => Some(Size::new(side(width)?, side(height)?)),
            [both] => side(both).map(|side| Size::new(side, side)),
            _ => None,
        },
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

fn number(value: &toml::Value) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "settings are small numbers; beyond 2^53 nothing is meant exactly")]
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64)).filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_side_a_list_or_text() {
        let list = toml::Value::Array(vec![768.into(), 1024.into()]);
        for (value, size) in [(toml::Value::from(512), "512x512"), (list, "768x1024"), (toml::Value::from("1024,768"), "1024x768")] {
            assert_eq!(Setting::new("resolution", &value).size().expect("the value is valid").to_string(), size);
        }
        assert!(Setting::new("resolution", &toml::Value::from(0)).size().is_err());
    }

    #[test]
    fn one_and_zero_are_flags_and_other_numbers_are_not() {
        let flag = |number: i64| Setting::new("enable_bucket", &number.into()).flag().ok();
        assert_eq!([0, 1, 2].map(flag), [Some(false), Some(true), None]);
    }

    #[test]
    fn wrong_values_say_what_is_wanted() {
        let error = Setting::new("flip", &toml::Value::from("False")).flag().expect_err("it is text");
        assert_eq!(error.to_string(), "`flip` takes true or false, not `False`");
        let value = toml::Value::from(".txt");
        let error = Setting::new("caption_extention", &value).unknown(&["caption_extension", "resolution"]);
        assert!(error.to_string().contains("did you mean `caption_extension`?"), "{error}");
    }
}
