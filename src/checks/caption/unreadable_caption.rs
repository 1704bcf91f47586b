//! C116: the caption file cannot be read.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{CaptionFacts, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports caption files that are there and cannot be read.
    ///
    /// ## Why it matters
    /// The trainer will not be able to read them either, and stops when it tries, in some trainers only when the image
    /// comes up.
    ///
    /// ## Example
    /// A file without permission to read, in a folder that another user or a container made. A disk that begins to fail.
    ///
    /// ## What to do
    /// Correct the permissions, or copy the file from where it came from.
    C116 "unreadable-caption", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let CaptionFacts::Unreadable(path, fault) = &facts.caption else { return };
    out.report(path, format!("the caption cannot be read: {fault}"))
        .evidence("fault", fault.kind.name())
        .evidence("image", facts.sample.path.as_str())
        .means(Outcome::Stop, Phase::DatasetScan, "opening the caption raises")
        .help("correct the permissions, or copy the file again");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{CaptionFacts, Fault, FaultKind, RelPath};

    #[test]
    fn passes_the_reason_on() {
        let mut facts = healthy("a.png");
        facts.caption = CaptionFacts::Unreadable(RelPath::from("a.txt"), Fault::new(FaultKind::Unreadable, "permission denied"));
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings[0].message, "the caption cannot be read: permission denied");
        assert_eq!(findings[0].paths, [RelPath::from("a.txt")]);
    }

    #[test]
    fn a_caption_that_is_not_there_is_another_matter() {
        let mut facts = healthy("a.png");
        facts.remove_caption();
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
