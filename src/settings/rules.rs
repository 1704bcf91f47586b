//! Which findings the user wants, and at which level.
//!
//! Checks know nothing of this: they report all they see, and the rules are applied to what they report.

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobMatcher};

use super::baseline::Baseline;
use crate::checks::{self, Family};
use crate::model::{Code, Level, RelPath, nearest};

/// Checks chosen by a code (`I101`), the beginning of one (`I`, `I1`), a name (`truncated-image`), a family (`image`), or
/// `all`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector(Chosen);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Chosen {
    All,
    Prefix(String),
    Family(Family),
    One(Code),
}

/// A selector that chooses no check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no check is called `{given}`{}; `walkaround rules` lists them", .nearest.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default())]
pub struct UnknownSelector {
    /// What was given.
    pub given: String,
    /// The name that comes closest.
    pub nearest: Option<&'static str>,
}

impl Selector {
    /// The selector for what a user wrote.
    pub fn parse(text: &str) -> Result<Self, UnknownSelector> {
        if text.eq_ignore_ascii_case("all") {
            return Ok(Self(Chosen::All));
        }
        if let Some(check) = checks::find(text) {
            return Ok(Self(Chosen::One(check.code)));
        }
        let upper = text.to_ascii_uppercase();
        if !upper.is_empty() && checks::ALL.iter().any(|check| check.code.0.starts_with(&upper)) {
            return Ok(Self(Chosen::Prefix(upper)));
        }
        if let Some(check) = checks::ALL.iter().find(|check| check.family().name().eq_ignore_ascii_case(text)) {
            return Ok(Self(Chosen::Family(check.family())));
        }
        Err(UnknownSelector { given: text.to_owned(), nearest: nearest_name(text) })
    }

    /// Whether it chooses this check.
    #[must_use]
    pub fn chooses(&self, code: Code) -> bool {
        match &self.0 {
            Chosen::All => true,
            Chosen::Prefix(prefix) => code.0.starts_with(prefix),
            Chosen::Family(family) => Family::of(code) == *family,
            Chosen::One(one) => *one == code,
        }
    }
}

/// The name of a check that comes closest to what was written, if any comes close.
#[must_use]
pub(crate) fn nearest_name(text: &str) -> Option<&'static str> {
    nearest(text, checks::ALL.iter().map(|check| check.name), 0.8)
}

/// Findings that are known and accepted, by path.
#[derive(Clone, Debug)]
pub struct PathIgnore {
    /// The pattern as written.
    pub pattern: String,
    /// Which checks are silenced there.
    pub selectors: Vec<Selector>,
    /// Why.
    pub reason: String,
    /// Last day on which it holds, as `YYYY-MM-DD`.
    pub expires: Option<String>,
    matcher: GlobMatcher,
}

impl PathIgnore {
    /// An ignore for the paths that `pattern` matches, from the root of the dataset: `*` stops at `/`, `**` does not.
    pub fn new(pattern: &str, selectors: Vec<Selector>, reason: &str, expires: Option<String>) -> Result<Self, globset::Error> {
        let matcher = GlobBuilder::new(pattern).literal_separator(true).build()?.compile_matcher();
        Ok(Self { pattern: pattern.to_owned(), selectors, reason: reason.to_owned(), expires, matcher })
    }

    /// Whether it silences this check for this path.
    #[must_use]
    pub fn silences(&self, code: Code, path: &RelPath) -> bool {
        self.selectors.iter().any(|selector| selector.chooses(code)) && self.matcher.is_match(path.as_str())
    }

    /// Whether its last day has passed on the day given as `YYYY-MM-DD`.
    #[must_use]
    pub fn has_expired(&self, today: &str) -> bool {
        self.expires.as_deref().is_some_and(|last| last < today)
    }
}

/// Which findings are wanted, and at which level.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Only these checks; empty for all.
    pub select: Vec<Selector>,
    /// Not these checks.
    pub ignore: Vec<Selector>,
    /// Other levels than the checks' own.
    pub levels: BTreeMap<Code, Level>,
    /// Known and accepted findings.
    pub path_ignores: Vec<PathIgnore>,
    /// Known and accepted findings, by content.
    pub baseline: Option<Baseline>,
    /// The file that the baseline was read from, for findings about it.
    pub baseline_file: Option<RelPath>,
    /// The day of this run, as `YYYY-MM-DD`, for ignores that expire.
    pub today: String,
    /// The file that the path ignores were read from, for findings about them.
    pub file: Option<RelPath>,
}

impl Rules {
    /// Whether this check was asked for.
    #[must_use]
    pub fn selects(&self, code: Code) -> bool {
        self.select.is_empty() || chosen(&self.select, code)
    }

    /// Whether this check is to be silent, although it may have been asked for.
    #[must_use]
    pub fn ignores(&self, code: Code) -> bool {
        chosen(&self.ignore, code)
    }
}

fn chosen(selectors: &[Selector], code: Code) -> bool {
    selectors.iter().any(|selector| selector.chooses(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(text: &str) -> Selector {
        Selector::parse(text).expect("the selector is known")
    }

    #[test]
    fn selectors_choose_by_code_beginning_name_and_family() {
        for text in ["I101", "i101", "truncated-image", "I", "I1", "image", "all"] {
            assert!(select(text).chooses(Code("I101")), "{text}");
        }
        assert!(!select("I").chooses(Code("F101")));
    }

    #[test]
    fn an_unknown_selector_names_the_nearest() {
        let error = Selector::parse("truncated-imgae").expect_err("there is no such check");
        assert_eq!(error.nearest, Some("truncated-image"));
        assert!(error.to_string().contains("did you mean `truncated-image`"));
    }

    #[test]
    fn an_ignore_below_a_folder_leaves_the_rest() {
        let ignore = PathIgnore::new("raw/**", vec![select("I101")], "known", None).expect("the pattern is valid");
        assert!(ignore.silences(Code("I101"), &RelPath::from("raw/a/b.png")));
        assert!(!ignore.silences(Code("I101"), &RelPath::from("b.png")));
        assert!(!ignore.silences(Code("I102"), &RelPath::from("raw/b.png")));
    }

    #[test]
    fn nothing_selected_is_everything() {
        let rules = Rules { select: vec![select("I")], ignore: vec![select("I101")], ..Rules::default() };
        assert!(rules.selects(Code("I101")) && rules.ignores(Code("I101")));
        assert!(rules.selects(Code("I102")) && !rules.ignores(Code("I102")));
        assert!(!rules.selects(Code("F101")));
        assert!(Rules::default().selects(Code("F101")));
    }
}
