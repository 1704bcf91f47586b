//! F104: a symbolic link that leads nowhere or in a circle.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, DatasetFacts, Format, Level, OddityKind, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports symbolic links whose target is not there, and links that lead back to themselves or to a folder above. A link
    /// to nowhere that is not named as an image or a caption is information.
    ///
    /// ## Why it matters
    /// Listing a folder shows the link's name, so a trainer counts the sample and stops when it opens it: sd-scripts
    /// (48d368fa) lists names without asking whether there is a file behind them and ends in `FileNotFoundError`. A loader that
    /// follows links to folders may walk in a circle until the path is too long.
    ///
    /// ## Example
    /// A dataset of links into a download cache that was cleaned, or links with absolute paths copied to another machine.
    ///
    /// ## What to do
    /// Copy the real files into the dataset, or make the links again.
    F104 "broken-link", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, profile: &Profile, out: &mut Findings) {
    let (mut broken, mut beside, mut loops) = (Vec::new(), Vec::new(), Vec::new());
    for oddity in &facts.inventory.oddities {
        match &oddity.kind {
            OddityKind::BrokenLink(target) if is_part(&oddity.path, profile) => broken.push((oddity.path.clone(), target.as_str())),
            OddityKind::BrokenLink(target) => beside.push((oddity.path.clone(), target.as_str())),
            OddityKind::LinkLoop(target) => loops.push((oddity.path.clone(), target.as_str())),
            _ => {}
        }
    }
    let stops = "opening raises FileNotFoundError, and the run stops when the sample is first wanted";
    report(&broken, "nowhere", (Level::Error, Outcome::Stop, stops), out);
    let loads = "no trainer opens a file of this name; if the link was to a folder of images, they are missing";
    report(&beside, "nowhere", (Level::Info, Outcome::Train, loads), out);
    let circles = "listing raises or does not end, if the trainer follows links";
    report(&loops, "back to where it started", (Level::Error, Outcome::Stop, circles), out);
}

/// Whether it is named as an image or a caption.
fn is_part(path: &RelPath, profile: &Profile) -> bool {
    Format::of_extension(path.extension()).is_some() || path.name().ends_with(&profile.caption_extension)
}

fn report(links: &[(RelPath, &str)], leads: &str, (level, outcome, consequence): (Level, Outcome, &str), out: &mut Findings) {
    let message = match links {
        [] => return,
        [(_, target)] => format!("the link to {target} leads {leads}"),
        [(path, target), ..] => format!("{} links lead {leads}, such as {path} to {target}", links.len()),
    };
    let condition = (outcome == Outcome::Stop).then_some(Condition::Unreadable);
    let targets: Vec<&str> = links.iter().map(|(_, target)| *target).collect();
    let finding = out.report_all(links.iter().map(|(path, _)| path.clone()).collect(), message);
    finding.condition = condition;
    finding
        .level(level)
        .evidence("targets", targets)
        .means(outcome, Phase::DatasetScan, consequence)
        .help("copy the real files into the dataset, or make the links again");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Inventory, Level, Oddity, OddityKind};

    #[test]
    fn fires_once_for_broken_links_and_once_for_loops() {
        let oddity = |path: &str, kind| Oddity { path: path.into(), kind };
        let oddities = vec![
            oddity("a.png", OddityKind::BrokenLink("/cache/1.png".to_owned())),
            oddity("b.png", OddityKind::BrokenLink("/cache/2.png".to_owned())),
            oddity("up", OddityKind::LinkLoop("..".to_owned())),
        ];
        let findings = findings_in(&CHECK, &[healthy("x.png")], Inventory { oddities, ..Inventory::default() });
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, ["2 links lead nowhere, such as a.png to /cache/1.png", "the link to .. leads back to where it started"]);
    }

    #[test]
    fn a_link_that_is_no_part_of_the_dataset_is_information() {
        let oddity = |path: &str| Oddity { path: path.into(), kind: OddityKind::BrokenLink("/gone".to_owned()) };
        let oddities = ["a.txt", "b.PNG", "model.safetensors", "latest"].map(oddity).to_vec();
        let findings = findings_in(&CHECK, &[healthy("x.png")], Inventory { oddities, ..Inventory::default() });
        let seen: Vec<_> = findings.iter().map(|finding| (finding.level, finding.paths.as_slice())).collect();
        assert_eq!(
            seen,
            [(Level::Error, &["a.txt".into(), "b.PNG".into()][..]), (Level::Info, &["latest".into(), "model.safetensors".into()][..]),]
        );
    }

    #[test]
    fn stays_quiet_about_links_that_lead_somewhere() {
        let kind = OddityKind::SkippedLink("x.png".to_owned());
        let oddities = vec![Oddity { path: "y.png".into(), kind }];
        assert!(findings_in(&CHECK, &[healthy("x.png")], Inventory { oddities, ..Inventory::default() }).is_empty());
    }
}
