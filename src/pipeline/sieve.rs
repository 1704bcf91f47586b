//! Applies the user's rules to what checks report, and remembers which rules were of use.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks;
use crate::model::{Code, ContentHash, Finding, RelPath, SampleReport};
use crate::settings::{Known, PathIgnore, Rules, Subject};

/// The user's rules at work in one run.
#[derive(Debug)]
pub(super) struct Sieve<'a> {
    rules: &'a Rules,
    /// Findings that each path ignore has silenced.
    silenced: Vec<u64>,
    /// Entries of the baseline that matched.
    matched: BTreeSet<(String, Subject)>,
    /// Hashes of the files that were read, as far as a baseline wants to know them.
    contents: BTreeMap<RelPath, ContentHash>,
    /// Findings of which nothing was left.
    pub(super) ignored: u64,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(rules: &'a Rules) -> Self {
        Self { rules, silenced: vec![0; rules.path_ignores.len()], matched: BTreeSet::new(), contents: BTreeMap::new(), ignored: 0 }
    }

    /// Remembers what lies at the paths of a sample, for the baseline.
    pub(super) fn learn(&mut self, report: &SampleReport) {
        if self.rules.baseline.is_some() {
            self.contents.extend(report.contents().map(|(path, hash)| (path.clone(), hash)));
        }
    }

    /// What is left of a finding: itself at the user's level and without the paths that are ignored, or nothing.
    pub(super) fn pass(&mut self, mut finding: Finding) -> Option<Finding> {
        if !self.rules.selects(finding.code) {
            return None;
        }
        if let Some(&level) = self.rules.levels.get(&finding.code) {
            finding.level = level;
        }
        let (code, before) = (finding.code, finding.paths.len());
        // Asked even for a check that is ignored altogether, for the ignore of the path is of use when that one goes.
        finding.paths.retain(|path| !self.is_silenced(code, path));
        let silenced = before - finding.paths.len();
        if before == 0 && self.is_known(code, Subject::Dataset) {
            self.ignored += 1;
            return None;
        }
        if self.rules.ignores(code) || (silenced > 0 && finding.paths.is_empty()) {
            self.ignored += 1;
            return None;
        }
        if silenced > 0 {
            // The message was written before, and counts them.
            finding.message = format!("{} ({silenced} of these files ignored by the settings)", finding.message);
            finding.evidence("ignored_paths", silenced);
        }
        Some(finding)
    }

    /// Whether any ignore silences this check for this path; every one that does is of use.
    fn is_silenced(&mut self, code: Code, path: &RelPath) -> bool {
        let mut is_silenced = false;
        for (ignore, silenced) in self.rules.path_ignores.iter().zip(&mut self.silenced) {
            if !ignore.has_expired(&self.rules.today) && ignore.silences(code, path) {
                *silenced += 1;
                is_silenced = true;
            }
        }
        is_silenced || self.is_known(code, Subject::of(path, self.contents.get(path).copied()))
    }

    /// Whether the baseline knows it.
    fn is_known(&mut self, code: Code, subject: Subject) -> bool {
        let Some(baseline) = &self.rules.baseline else { return false };
        let is_known = baseline.knows(code, &subject, &self.rules.today).is_some();
        if is_known {
            self.matched.insert((code.0.to_owned(), subject));
        }
        is_known
    }

    /// Entries of the baseline that matched nothing, or no longer do: the check, where the file lay, the reason, and what is wrong.
    pub(super) fn stale_entries(&self) -> impl Iterator<Item = (String, &'a Known, &'static str)> {
        let entries = self.rules.baseline.iter().flat_map(|baseline| &baseline.entries);
        // What was not looked for cannot be found.
        let is_wanted =
            |code: &str| checks::find(code).is_some_and(|check| self.rules.selects(check.code) && !self.rules.ignores(check.code));
        entries.filter(move |(key, _)| !self.matched.contains(key) && is_wanted(&key.0)).map(|((code, _), known)| {
            let has_expired = known.expires.as_deref().is_some_and(|last| last < self.rules.today.as_str());
            (
                code.clone(),
                known,
                if has_expired { "has expired" } else { "matches no finding: the file has changed, or the fault is gone" },
            )
        })
    }

    /// The file that the baseline comes from.
    pub(super) fn baseline_file(&self) -> RelPath {
        self.rules.baseline_file.clone().unwrap_or_else(|| RelPath::from("baseline.toml"))
    }

    /// The file that the path ignores come from.
    pub(super) fn settings_file(&self) -> RelPath {
        self.rules.file.clone().unwrap_or_else(|| RelPath::from("walkaround.toml"))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::Level;
    use crate::settings::Selector;

    fn finding(paths: &[&str]) -> Finding {
        Finding {
            code: Code("I101"),
            name: "truncated-image",
            level: Level::Error,
            paths: paths.iter().map(|path| RelPath::from(*path)).collect(),
            message: String::new(),
            evidence: BTreeMap::new(),
            condition: None,
            place: None,
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
        assert_eq!((left.message.as_str(), &left.evidence["ignored_paths"]), (" (1 of these files ignored by the settings)", &1.into()));
        assert!(sieve.pass(finding(&["raw/b.png"])).is_none());
        assert_eq!((sieve.stale().count(), sieve.ignored), (0, 1));
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
