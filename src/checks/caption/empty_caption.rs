//! C103: the caption file has no bytes.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports caption files of 0 bytes.
    ///
    /// ## Why it matters
    /// sd-scripts asserts that a caption has at least one line and stops with "caption file is empty" while it lists the
    /// dataset, without naming the file in a way that is easy to find. Other trainers train the image without any text. A
    /// file that holds only white space is another matter: see blank-caption (C104).
    ///
    /// ## Example
    /// A front end that saved a caption which was never filled in, or a disk that was full while captions were written.
    ///
    /// ## What to do
    /// Write the caption, or delete the file if the image is meant to have none.
    C103 "empty-caption", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read().filter(|caption| caption.is_empty()) else { return };
    out.report(&caption.path, "the caption file is empty: 0 bytes, at least one line expected")
        .evidence("size_bytes", 0)
        .evidence("image", facts.sample.path.as_str())
        .about(Condition::CaptionEmpty)
        .means(
            Outcome::Stop,
            Phase::DatasetScan,
            "sd-scripts stops with `AssertionError: caption file is empty`; others train without text",
        )
        .help("write the caption, or delete the file");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};

    #[test]
    fn fires_on_no_bytes() {
        let mut facts = healthy("a.png");
        facts.caption_mut().size_bytes = 0;
        facts.caption_mut().text = Some(String::new());
        assert_eq!(findings_of(&CHECK, &facts).len(), 1);
    }

    #[test]
    fn stays_quiet_on_a_single_line_end() {
        let mut facts = healthy("a.png");
        facts.caption_mut().size_bytes = 1;
        facts.caption_mut().text = Some("\n".to_owned());
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
