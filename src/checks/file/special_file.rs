//! F103: a FIFO, socket or device among the files.

use std::collections::BTreeMap;

use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, OddityKind, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports FIFOs, sockets and devices below the dataset's folder. They were not opened.
    ///
    /// ## Why it matters
    /// A loader that opens a FIFO waits until somebody writes into it: the run hangs without a message and without load.
    /// Sockets and devices raise.
    ///
    /// ## Example
    /// A pipe that a preview tool left behind under the name of an image.
    ///
    /// ## What to do
    /// Remove it, or move it out of the dataset.
    F103 "special-file", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let mut by_kind: BTreeMap<&str, Vec<RelPath>> = BTreeMap::new();
    for oddity in &facts.inventory.oddities {
        if let OddityKind::Special(what) = oddity.kind {
            by_kind.entry(what).or_default().push(oddity.path.clone());
        }
    }
    for (what, paths) in by_kind {
        let message = match paths.len() {
            1 => format!("this is {what}, not a file"),
            number => format!("{number} entries are each {what}, not a file"),
        };
        out.report_all(paths, message)
            .evidence("type", what)
            .means(Outcome::Stop, Phase::DatasetScan, "opening it waits for ever or raises, if its name is picked up")
            .help("remove it, or move it out of the dataset");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Oddity, OddityKind};

    #[test]
    fn fires_once_for_each_type() {
        let oddity = |path: &str, what| Oddity { path: path.into(), kind: OddityKind::Special(what) };
        let oddities = vec![oddity("a.png", "a FIFO"), oddity("b.png", "a FIFO"), oddity("c", "a socket")];
        let findings = findings_in(&CHECK, &[healthy("x.png")], Inventory { oddities, ..Inventory::default() });
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, ["2 entries are each a FIFO, not a file", "this is a socket, not a file"]);
    }

    #[test]
    fn stays_quiet_about_files() {
        assert!(findings_in(&CHECK, &[healthy("x.png")], Inventory::default()).is_empty());
    }
}
