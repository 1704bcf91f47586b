//! Applies the user's rules to what checks report, and remembers which rules were of use.

use crate::model::{Finding, RelPath};
use crate::settings::{PathIgnore, Rules};

/// The user's rules at work in one run.
#[derive(Debug)]
pub(super) struct Sieve<'a> {
    rules: &'a Rules,
    /// Findings that each path ignore has silenced.
    silenced: Vec<u64>,
    /// Findings of ignored checks, and single paths that were ignored.
    pub(super) ignored: u64,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(rules: &'a Rules) -> Self {
        Self { rules, silenced: vec![0; rules.path_ignores.len()], ignored: 0 }
    }

    /// What is left of a finding: itself at the user's level and without the paths that are ignored, or nothing.
    pub(super) fn pass(&mut self, mut finding: Finding) -> Option<Finding> {
        if !self.rules.selects(finding.code) {
            return None;
        }
        if self.rules.ignores(finding.code) {
            self.ignored += 1;
            return None;
        }
        if let Some(&level) = self.rules.levels.get(&finding.code) {
            finding.level = level;
        }
        if finding.paths.is_empty() {
            return Some(finding);
        }
        let code = finding.code;
        finding.paths.retain(|path| !self.is_silenced(|ignore| ignore.silences(code, path)));
        if finding.paths.is_empty() { None } else { Some(finding) }
    }

    fn is_silenced(&mut self, silences: impl Fn(&PathIgnore) -> bool) -> bool {
        let in_force = |ignore: &PathIgnore| !ignore.has_expired(&self.rules.today);
        let Some(at) = self.rules.path_ignores.iter().position(|ignore| in_force(ignore) && silences(ignore)) else { return false };
        self.silenced[at] += 1;
        self.ignored += 1;
        true
    }

    /// Path ignores that silenced nothing, or no longer do, each with what is wrong with it.
    pub(super) fn stale(&self) -> impl Iterator<Item = (&'a PathIgnore, &'static str)> {
        let today = &self.rules.today;
        self.rules.path_ignores.iter().zip(&self.silenced).filter_map(move |(ignore, &silenced)| {
            if ignore.has_expired(today) {
                Some((ignore, "has expired"))
            } else if silenced == 0 {
                Some((ignore, "matches no finding"))
            } else {
                None
            }
        })
    }
}

/// Path of the settings file in a finding about it.
pub(super) fn settings_path() -> RelPath {
    RelPath::from("walkaround.toml")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::{Code, Level};
    use crate::settings::Selector;

    fn finding(paths: &[&str]) -> Finding {
        Finding {
            code: Code("I101"),
            name: "truncated-image",
            level: Level::Error,
            paths: paths.iter().map(|path| RelPath::from(*path)).collect(),
            message: String::new(),
            evidence: BTreeMap::new(),
            consequences: BTreeMap::new(),
            help: String::new(),
        }
    }

    fn ignoring(pattern: &str, expires: Option<&str>) -> Rules {
        let selectors = vec![Selector::parse("all").expect("`all` is known")];
        let ignore = PathIgnore::new(pattern, selectors, "known", expires.map(str::to_owned)).expect("the pattern is valid");
        Rules { path_ignores: vec![ignore], today: "2026-02-01".to_owned(), ..Rules::default() }
    }

    #[test]
    fn ignored_paths_leave_the_others() {
        let rules = ignoring("raw/**", None);
        let mut sieve = Sieve::new(&rules);
        let left = sieve.pass(finding(&["a.png", "raw/b.png"])).expect("one path is left");
        assert_eq!(left.paths, [RelPath::from("a.png")]);
        assert!(sieve.pass(finding(&["raw/b.png"])).is_none());
        assert_eq!((sieve.stale().count(), sieve.ignored), (0, 2));
    }

    #[test]
    fn an_expired_ignore_silences_nothing_and_is_stale() {
        let rules = ignoring("**", Some("2026-01-31"));
        let mut sieve = Sieve::new(&rules);
        assert!(sieve.pass(finding(&["a.png"])).is_some());
        assert_eq!(sieve.stale().map(|(_, wrong)| wrong).collect::<Vec<_>>(), ["has expired"]);
    }

    #[test]
    fn levels_are_the_users() {
        let rules = Rules { levels: BTreeMap::from([(Code("I101"), Level::Info)]), ..Rules::default() };
        assert_eq!(Sieve::new(&rules).pass(finding(&["a.png"])).map(|finding| finding.level), Some(Level::Info));
    }
}
