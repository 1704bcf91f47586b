//! C109: control characters in the caption.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Encoding, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports captions with NUL or other control characters in them, but for line ends and tabs.
    ///
    /// ## Why it matters
    /// Trainers keep them. They make tokens of their own, split the word they stand in, and cannot be seen in an editor.
    /// NULs in a row at the end are what is left when a machine went down while the file was written.
    ///
    /// ## Example
    /// Text copied out of a PDF or a terminal, with form feeds or escape sequences.
    ///
    /// ## What to do
    /// Delete the characters; look whether text is missing behind them.
    C109 "caption-control-characters", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read().filter(|caption| caption.encoding == Encoding::Utf8) else { return };
    let Some(first) = caption.controls.iter().min_by_key(|found| found.first) else { return };
    let list: Vec<String> =
        caption.controls.iter().map(|found| format!("U+{:04X} x {}", u32::from(found.character), found.count)).collect();
    out.report(&caption.path, format!("the caption has control characters: {}, the first at character {}", list.join(", "), first.first))
        .evidence("characters", list)
        .evidence("first", first.first)
        .evidence("image", facts.sample.path.as_str())
        .means(Outcome::Distort, Phase::Training, "they are kept, and make tokens of their own")
        .help("delete the control characters");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::SuspectCharacter;

    #[test]
    fn names_the_characters() {
        let mut facts = healthy("a.png");
        facts.caption_mut().controls =
            vec![SuspectCharacter { character: '\0', first: 5, count: 3 }, SuspectCharacter { character: '\u{1b}', first: 2, count: 1 }];
        assert_eq!(
            findings_of(&CHECK, &facts)[0].message,
            "the caption has control characters: U+0000 x 3, U+001B x 1, the first at character 2"
        );
    }

    #[test]
    fn leaves_utf16_to_its_own_check() {
        let mut facts = healthy("a.png");
        facts.caption_mut().controls = vec![SuspectCharacter { character: '\0', first: 5, count: 3 }];
        facts.caption_mut().encoding = crate::model::Encoding::Utf16Le;
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
