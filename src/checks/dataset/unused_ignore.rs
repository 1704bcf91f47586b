//! D105: an ignore in walkaround.toml, or an entry of a baseline, that has expired or matches nothing.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Finding, Outcome, Phase, RelPath};

declare_check! {
    /// ## What it does
    /// Reports an entry under `[[ignores]]` in `walkaround.toml`, or in a baseline, that silences no finding of this run, or whose
    /// last day has passed.
    ///
    /// ## Why it matters
    /// An ignore that outlives its reason hides the next fault at the same place: the file was mended long ago, then a new
    /// one comes under the same pattern, and the run trains on it or stops with it.
    ///
    /// ## Example
    /// `paths = ["raw/**"]`, after the folder was renamed to `sources`.
    ///
    /// ## What to do
    /// Remove the entry, mend its pattern, or give it a new last day.
    D105 "unused-ignore", level: Warning, since: "0.1.0", run: Run::Elsewhere,
}

/// The finding for an ignore that is of no use; only the run knows which ones are, so it is the run that asks for this.
pub(in crate::checks) fn finding(settings: &RelPath, pattern: &str, reason: &str, wrong: &str) -> Finding {
    let mut out = Findings::new(&CHECK);
    out.report(settings, format!("the ignore for `{pattern}` {wrong}"))
        .evidence("pattern", pattern)
        .evidence("reason", reason)
        .means(Outcome::Train, Phase::DatasetScan, "nothing changes for this run; the next fault under this pattern may be hidden")
        .help("remove the entry, mend what it is about, or give it a new last day");
    out.into_vec().remove(0)
}

#[cfg(test)]
mod tests {
    use super::finding;
    use crate::model::RelPath;

    #[test]
    fn names_the_pattern_and_what_is_wrong_with_it() {
        let finding = finding(&RelPath::from("walkaround.toml"), "raw/**", "known", "matches no finding");
        assert_eq!(finding.message, "the ignore for `raw/**` matches no finding");
        assert_eq!(finding.code.0, "D105");
    }
}
