//! F114: a symbolic link that was not followed, or that leads out of the dataset.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Level, OddityKind, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports symbolic links that were not followed, and, as information, links that were followed out of the dataset's folder.
    ///
    /// ## Why it matters
    /// What lies behind a link was not looked at, but a trainer may train on it: nearly all open linked files, SimpleTuner and
    /// `OneTrainer` follow linked folders too, ai-toolkit does not. A dataset that leads out of its folder is not whole when it
    /// is copied to the machine that trains.
    ///
    /// ## Example
    /// A snapshot in the cache of Hugging Face Hub, where each file is a link into `../../blobs/`.
    ///
    /// ## What to do
    /// Look again with `--follow-links`, or copy the real files into the dataset.
    F114 "skipped-link", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let (mut skipped, mut followed) = (Vec::new(), Vec::new());
    for oddity in &facts.inventory.oddities {
        match &oddity.kind {
            OddityKind::OutsideLink(target) if was_followed(&oddity.path, facts) => followed.push((oddity.path.clone(), target.as_str())),
            OddityKind::SkippedLink(target) | OddityKind::OutsideLink(target) => skipped.push((oddity.path.clone(), target.as_str())),
            _ => {}
        }
    }
    report(&skipped, "not followed", Level::Warning, out);
    report(&followed, "followed out of the dataset's folder", Level::Info, out);
}

fn report(links: &[(RelPath, &str)], what: &str, level: Level, out: &mut Findings) {
    let message = match links {
        [] => return,
        [(_, target)] => format!("the link to {target} was {what}"),
        [(path, target), ..] => format!("{} links were {what}, such as {path} to {target}", links.len()),
    };
    let targets: Vec<&str> = links.iter().map(|(_, target)| *target).collect();
    let finding = out.report_all(links.iter().map(|(path, _)| path.clone()).collect(), message);
    finding.level(level).evidence("targets", targets);
    if level == Level::Warning {
        finding
            .means(Outcome::Train, Phase::DatasetScan, "most loaders open linked files, which were not looked at here")
            .help("look again with --follow-links, or copy the real files into the dataset");
    } else {
        finding
            .means(Outcome::Train, Phase::DatasetScan, "the files are loaded from where they are, as long as they are there")
            .help("copy the real files into the dataset before it is moved to another machine");
    }
}

/// Whether a sample was found at or below the link. Samples are sorted by path.
fn was_followed(link: &RelPath, facts: &DatasetFacts<'_>) -> bool {
    let samples = &facts.inventory.samples;
    let first = samples.partition_point(|sample| sample.path < *link);
    let inside = format!("{}/", link.as_str());
    let below = samples.partition_point(|sample| sample.path.as_str() < inside.as_str());
    [first, below].iter().any(|at| samples.get(*at).is_some_and(|sample| sample.path.below_prefix(link.as_str()).is_some()))
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Level, Oddity, OddityKind};

    fn outside(path: &str) -> Oddity {
        Oddity { path: path.into(), kind: OddityKind::OutsideLink("/elsewhere".to_owned()) }
    }

    #[test]
    fn links_that_were_left_out_are_a_warning() {
        let kind = OddityKind::SkippedLink("x.png".to_owned());
        let oddities = vec![Oddity { path: "y.png".into(), kind }, outside("z")];
        let findings = findings_in(&CHECK, &[healthy("x.png"), healthy("z.png")], Inventory { oddities, ..Inventory::default() });
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].level, findings[0].paths.len()), (Level::Warning, 2));
    }

    #[test]
    fn links_that_were_followed_are_information() {
        let oddities = vec![outside("a.png"), outside("z")];
        let findings = findings_in(&CHECK, &[healthy("a.png"), healthy("z/b.png")], Inventory { oddities, ..Inventory::default() });
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].level, findings[0].paths.len()), (Level::Info, 2));
    }

    #[test]
    fn stays_quiet_about_files() {
        assert!(findings_in(&CHECK, &[healthy("x.png")], Inventory::default()).is_empty());
    }
}
