//! C110: the caption was read in the wrong encoding once and saved again.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Encoding, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports captions with text like `Ã¤` where `ä` was meant, or `â€™` for an apostrophe: UTF-8 that was read as
    /// Windows-1252 and written again as UTF-8.
    ///
    /// ## Why it matters
    /// The file is valid, so nothing complains. The model learns the broken letters, each of which makes several tokens,
    /// for words that nobody will type.
    ///
    /// ## Example
    /// A captioning script that opened its input without naming the encoding, on Windows.
    ///
    /// ## What to do
    /// Make the captions again from their source, or undo it: write the text as Windows-1252 and read that as UTF-8.
    C110 "caption-mojibake", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read().filter(|caption| caption.encoding == Encoding::Utf8) else { return };
    let Some(mojibake) = &caption.mojibake else { return };
    out.report(
        &caption.path,
        format!("{:?} stands where {:?} was probably meant, {} place(s)", mojibake.seen, mojibake.meant, mojibake.count),
    )
    .evidence("seen", mojibake.seen.as_str())
    .evidence("meant", mojibake.meant.as_str())
    .evidence("places", mojibake.count)
    .evidence("image", facts.sample.path.as_str())
    .means(Outcome::Distort, Phase::Training, "the broken letters are trained on")
    .help("make the caption again from its source, or undo the wrong reading");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::Mojibake;

    #[test]
    fn shows_what_was_meant() {
        let mut facts = healthy("a.png");
        facts.caption_mut().mojibake = Some(Mojibake { seen: "Ã¤".to_owned(), meant: "ä".to_owned(), count: 2 });
        assert_eq!(findings_of(&CHECK, &facts)[0].evidence["meant"], "ä");
    }

    #[test]
    fn stays_quiet_on_a_healthy_caption() {
        assert!(findings_of(&CHECK, &healthy("a.png")).is_empty());
    }
}
