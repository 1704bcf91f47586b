//! F102: a file or folder that cannot be read, or that a list names and that is not there.

use std::collections::BTreeMap;

use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, DatasetFacts, FaultKind, OddityKind, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports images that could not be read, folders that could not be listed, and entries of a list that are not there.
    /// One finding for each reason.
    ///
    /// ## Why it matters
    /// A trainer that lists an image it may not read stops when it opens it. A folder that may not be listed is worse: many
    /// loaders pass over it without a word, and the dataset is smaller than it seems. Read errors that come and go are the
    /// disk's.
    ///
    /// ## Example
    /// Files copied by another user with mode 600, a network share that went away, `OSError: [Errno 5] Input/output error`.
    ///
    /// ## What to do
    /// Give the user who trains the right to read them, or correct the list. After an input/output error, copy the dataset
    /// to another disk before anything else.
    F102 "unreadable-file", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let lost: Vec<RelPath> =
        facts.samples.iter().filter(|line| line.lost == Some(FaultKind::Unreadable)).map(|line| line.path.clone()).collect();
    if !lost.is_empty() {
        let message = format!("{} could not be opened or read", counted(lost.len(), "image"));
        out.report_all(lost, message)
            .about(Condition::Unreadable)
            .means(Outcome::Stop, Phase::DatasetScan, "opening raises, and the run stops when the image is first wanted")
            .help("give the user who trains the right to read the files, and copy them again if reading fails half-way");
    }

    let mut by_reason: BTreeMap<&str, Vec<RelPath>> = BTreeMap::new();
    let mut missing = Vec::new();
    for oddity in &facts.inventory.oddities {
        match &oddity.kind {
            OddityKind::Unreadable(reason) => by_reason.entry(reason).or_default().push(oddity.path.clone()),
            OddityKind::NotFound => missing.push(oddity.path.clone()),
            _ => {}
        }
    }
    for (reason, paths) in by_reason {
        let message = format!("{} could not be listed or read: {reason}", counted(paths.len(), "entry"));
        out.report_all(paths, message)
            .evidence("reason", reason)
            .means(Outcome::Skip, Phase::DatasetScan, "the samples there are missing without a word, or listing raises and the run stops")
            .help("make them readable for the user who trains, or move them out of the dataset");
    }
    if !missing.is_empty() {
        let message = format!("{} of the list {} not there", counted(missing.len(), "path"), if missing.len() == 1 { "is" } else { "are" });
        out.report_all(missing, message)
            .means(Outcome::Stop, Phase::DatasetScan, "a trainer that is given the same list stops at the first path that is not there")
            .help("correct the list, or put the files where it says they are");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Fault, FaultKind, Inventory, Oddity, OddityKind};

    #[test]
    fn fires_once_for_each_reason() {
        let mut closed = healthy("closed.png");
        closed.probe = Err(Fault::new(FaultKind::Unreadable, "permission denied"));
        let oddity = |path: &str, kind| Oddity { path: path.into(), kind };
        let oddities = vec![
            oddity("a", OddityKind::Unreadable("permission denied".to_owned())),
            oddity("b", OddityKind::Unreadable("permission denied".to_owned())),
            oddity("gone.png", OddityKind::NotFound),
        ];
        let findings = findings_in(&CHECK, &[healthy("a.png"), closed], Inventory { oddities, ..Inventory::default() });
        let paths: Vec<usize> = findings.iter().map(|finding| finding.paths.len()).collect();
        assert_eq!(paths, [1, 2, 1]);
        assert_eq!(findings[1].message, "2 entries could not be listed or read: permission denied");
    }

    #[test]
    fn stays_quiet_about_files_that_were_read_and_are_damaged() {
        let mut damaged = healthy("a.png");
        damaged.refuse(Fault::new(FaultKind::Truncated, "cut"));
        assert!(findings_in(&CHECK, &[damaged], Inventory::default()).is_empty());
    }
}
