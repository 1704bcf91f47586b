//! C115: characters in the caption that nobody sees.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Encoding, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports zero-width, bidirectional and no-break characters in captions. Joiners inside emoji and in scripts that
    /// need them are left alone.
    ///
    /// ## Why it matters
    /// They make tokens of their own, so that two tags which look the same are not: `red hair` with a no-break space is
    /// another prompt than with a space. No harm is done if they are in every caption and prompt alike, which they never
    /// are.
    ///
    /// ## Example
    /// Tags copied from a web page, with no-break spaces between the words.
    ///
    /// ## What to do
    /// Replace no-break spaces by spaces, and delete the others.
    C115 "caption-invisible-characters", level: Info, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read().filter(|caption| caption.encoding == Encoding::Utf8) else { return };
    let Some(first) = caption.invisibles.iter().min_by_key(|found| found.first) else { return };
    let list: Vec<String> =
        caption.invisibles.iter().map(|found| format!("U+{:04X} x {}", u32::from(found.character), found.count)).collect();
    out.report(&caption.path, format!("the caption has invisible characters: {}, the first at character {}", list.join(", "), first.first))
        .evidence("characters", list)
        .evidence("first", first.first)
        .evidence("image", facts.sample.path.as_str())
        .means(Outcome::Train, Phase::Training, "they make tokens of their own, beside words that look the same without them")
        .help("replace no-break spaces by spaces and delete the others");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::SuspectCharacter;

    #[test]
    fn names_the_characters() {
        let mut facts = healthy("a.png");
        facts.caption_mut().invisibles = vec![SuspectCharacter { character: '\u{200b}', first: 4, count: 2 }];
        assert!(findings_of(&CHECK, &facts)[0].message.contains("U+200B x 2"));
    }

    #[test]
    fn stays_quiet_on_a_healthy_caption() {
        assert!(findings_of(&CHECK, &healthy("a.png")).is_empty());
    }
}
