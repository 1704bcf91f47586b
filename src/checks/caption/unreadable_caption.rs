//! C116: the caption file cannot be read.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Blame, CaptionFacts, Condition, Level, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports caption files that are there and cannot be read. A file that is only above this run's limit, so that nobody
    /// knows what is in it, is a warning.
    ///
    /// ## Why it matters
    /// The trainer will not be able to read them either, and stops when it tries, in some trainers only when the image
    /// comes up.
    ///
    /// ## Example
    /// A file without permission to read, in a folder that another user or a container made. A disk that begins to fail.
    ///
    /// ## What to do
    /// Correct the permissions, or copy the file from where it came from. Make a file above the limit smaller; a
    /// caption of megabytes is hardly one.
    C116 "unreadable-caption", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let CaptionFacts::Unreadable(path, fault) = &facts.caption else { return };
    let is_limit = fault.kind.blame() == Blame::Limit;
    let what = if is_limit { "was not read" } else { "cannot be read" };
    let finding = out.report(path, format!("the caption {what}: {fault}"));
    finding.evidence("fault", fault.kind.name()).evidence("image", facts.sample.path.as_str());
    if is_limit {
        finding
            .level(Level::Warning)
            .means(Outcome::Train, Phase::DatasetScan, "the trainer reads the whole file; what is in it was not looked at here")
            .help("make the file smaller; a caption of this size is hardly one");
    } else {
        finding
            .about(Condition::CaptionUnreadable)
            .means(Outcome::Stop, Phase::DatasetScan, "opening the caption raises")
            .help("correct the permissions, or copy the file again");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{CaptionFacts, Fault, FaultKind, Level, RelPath};

    #[test]
    fn passes_the_reason_on() {
        let mut facts = healthy("a.png");
        facts.caption = CaptionFacts::Unreadable(RelPath::from("a.txt"), Fault::new(FaultKind::Unreadable, "permission denied"));
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings[0].message, "the caption cannot be read: permission denied");
        assert_eq!(findings[0].paths, [RelPath::from("a.txt")]);
    }

    #[test]
    fn a_limit_of_this_run_is_a_warning_that_says_so() {
        let mut facts = healthy("a.png");
        let fault = Fault::new(FaultKind::OverBudget, "the file has 20 bytes, above this run's limit of 10");
        facts.caption = CaptionFacts::Unreadable(RelPath::from("a.txt"), fault);
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings[0].message, "the caption was not read: the file has 20 bytes, above this run's limit of 10");
        assert_eq!(
            (findings[0].level, findings[0].help.as_str()),
            (Level::Warning, "make the file smaller; a caption of this size is hardly one")
        );
    }

    #[test]
    fn a_caption_that_is_not_there_is_another_matter() {
        let mut facts = healthy("a.png");
        facts.remove_caption();
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
