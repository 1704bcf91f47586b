//! F113: an image that is hidden.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, DatasetFacts, OddityKind, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports images whose name, or a folder of whose path, begins with a dot. They were not looked at.
    ///
    /// ## Why it matters
    /// Trainers do not agree about them: sd-scripts (48d368fa) and ai-toolkit leave hidden files out, `OneTrainer`, SimpleTuner and
    /// diffusion-pipe take them. What is trained then depends on the trainer.
    ///
    /// ## Example
    /// `.trash_01.png`, or a folder `.thumbs/` that a viewer made.
    ///
    /// ## What to do
    /// Rename what belongs to the dataset, and move the rest out. With `--hidden` these files are looked at like any others.
    F113 "hidden-image", level: Info, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let hidden: Vec<RelPath> =
        facts.inventory.oddities.iter().filter(|oddity| oddity.kind == OddityKind::HiddenImage).map(|oddity| oddity.path.clone()).collect();
    if hidden.is_empty() {
        return;
    }
    let message = match hidden.len() {
        1 => "this image is hidden and was left out".to_owned(),
        number => format!("{number} images are hidden and were left out"),
    };
    out.report_all(hidden, message)
        .about(Condition::Hidden)
        .means(Outcome::Skip, Phase::DatasetScan, "hidden files are left out by most loaders and taken by some")
        .help("rename what belongs to the dataset, and move the rest out");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Oddity, OddityKind};

    #[test]
    fn fires_once_for_all() {
        let oddities = [".a.png", ".b/c.png"].map(|path| Oddity { path: path.into(), kind: OddityKind::HiddenImage }).to_vec();
        let findings = findings_in(&CHECK, &[healthy("x.png")], Inventory { oddities, ..Inventory::default() });
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "2 images are hidden and were left out");
    }

    #[test]
    fn stays_quiet_about_a_dot_inside_the_name() {
        assert!(findings_in(&CHECK, &[healthy("a.b.png")], Inventory::default()).is_empty());
    }
}
