//! Findings that are known and accepted, each tied to the content of the file that it is about: a rename keeps it, an edit voids it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Code, ContentHash, RelPath};

/// The format's name, which the file begins with.
const SCHEMA: &str = "walkaround.baseline/1";

/// What an entry of a baseline is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A file of this content, wherever it lies: the BLAKE3 of its bytes in hexadecimal digits.
    Content(String),
    /// A path whose content was not read, such as a folder.
    Path(String),
    /// The dataset as a whole.
    Dataset,
}

impl Subject {
    /// A path with the hash of what lies there, if it is known.
    #[must_use]
    pub fn of(path: &RelPath, content: Option<ContentHash>) -> Self {
        content.map_or_else(|| Self::Path(path.as_str().to_owned()), |hash| Self::Content(hash.to_string()))
    }
}

/// A known finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Where the file lay when the baseline was written; for readers.
    pub path: String,
    /// Why it is accepted.
    pub reason: String,
    /// Last day on which it holds, as `YYYY-MM-DD`.
    pub expires: Option<String>,
}

/// Known findings by check and subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The entries, in the order of the file.
    pub entries: BTreeMap<(String, Subject), Known>,
}

/// Why a file is no baseline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It is no TOML, or has keys that are not known.
    #[error("{0}")]
    Syntax(String),
    /// It is of another format, or of a later version of this one.
    #[error("its schema is `{0}`, and only {SCHEMA} is known")]
    Schema(String),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: String,
    #[serde(default)]
    known: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    code: String,
    /// BLAKE3 of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Where it lay; what the entry is about only if there is no `content`.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<toml::value::Datetime>,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// ```
    /// use walkaround::settings::Baseline;
    /// let text = "schema = 'walkaround.baseline/1'\n[[known]]\ncode = 'D101'\nreason = 'empty for now'\n";
    /// let baseline = Baseline::parse(text).unwrap();
    /// assert_eq!(baseline.entries.len(), 1);
    /// assert!(Baseline::parse("schema = 'walkaround.baseline/2'").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let file: File = toml::from_str(text).map_err(|error| BaselineError::Syntax(error.to_string()))?;
        if file.schema != SCHEMA {
            return Err(BaselineError::Schema(file.schema));
        }
        let mut entries = BTreeMap::new();
        for (at, entry) in file.known.into_iter().enumerate() {
            let subject = match (entry.content, &entry.path) {
                (Some(content), _) => Subject::Content(content),
                (None, Some(path)) => Subject::Path(path.clone()),
                (None, None) => Subject::Dataset,
            };
            let expires = match entry.expires {
                None => None,
                Some(day) => Some(day.date.ok_or_else(|| BaselineError::Syntax(format!("entry {}: {day} is no day", at + 1)))?.to_string()),
            };
            let known = Known { path: entry.path.unwrap_or_default(), reason: entry.reason, expires };
            entries.insert((entry.code, subject), known);
        }
        Ok(Self { entries })
    }

    /// The file's text.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let known = self
            .entries
            .iter()
            .map(|((code, subject), known)| Entry {
                code: code.clone(),
                content: match subject {
                    Subject::Content(hash) => Some(hash.clone()),
                    Subject::Path(_) | Subject::Dataset => None,
                },
                path: (!known.path.is_empty()).then(|| known.path.clone()),
                reason: known.reason.clone(),
                expires: known.expires.as_deref().and_then(|day| day.parse().ok()),
            })
            .collect();
        toml::to_string(&File { schema: SCHEMA.to_owned(), known }).unwrap_or_default()
    }

    /// The entry for a check and a subject, if it has not expired on the day given as `YYYY-MM-DD`.
    #[must_use]
    pub fn knows(&self, code: Code, subject: &Subject, today: &str) -> Option<&Known> {
        let known = self.entries.get(&(code.0.to_owned(), subject.clone()))?;
        known.expires.as_deref().is_none_or(|last| last >= today).then_some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline() -> Baseline {
        let known = |path: &str, expires: Option<&str>| Known {
            path: path.to_owned(),
            reason: "as the artist wants it".to_owned(),
            expires: expires.map(str::to_owned),
        };
        let entries = [
            (("F106".to_owned(), Subject::Path(".git".to_owned())), known(".git", None)),
            (("D101".to_owned(), Subject::Dataset), known("", None)),
            (("I109".to_owned(), Subject::Content("ab".repeat(32))), known("a \"b\".jpg", Some("2027-01-31"))),
        ];
        Baseline { entries: BTreeMap::from(entries) }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = baseline().to_toml();
        assert_eq!(Baseline::parse(&text), Ok(baseline()), "{text}");
    }

    #[test]
    fn an_entry_holds_until_its_last_day() {
        let subject = Subject::Content("ab".repeat(32));
        let is_known = |today| baseline().knows(Code("I109"), &subject, today).is_some();
        assert!(is_known("2027-01-31"));
        assert!(!is_known("2027-02-01"));
        assert!(baseline().knows(Code("I101"), &subject, "2027-01-01").is_none());
    }

    #[test]
    fn unknown_keys_and_schemas_are_refused() {
        assert!(matches!(Baseline::parse("schema = 'x'"), Err(BaselineError::Schema(_))));
        let error = Baseline::parse("schema = 'walkaround.baseline/1'\n[[known]]\ncode = 'I101'\nreasons = ''").unwrap_err();
        assert!(error.to_string().contains("unknown field `reasons`"), "{error}");
    }
}
