//! C107: the caption begins with a byte order mark.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Encoding, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports captions in UTF-8 that begin with a byte order mark (EF BB BF).
    ///
    /// ## Why it matters
    /// sd-scripts, ai-toolkit, OneTrainer and SimpleTuner open captions as plain UTF-8, which keeps the mark as a
    /// character. It sticks to the first word, usually the trigger word, which then makes other tokens than the word that
    /// is typed into a prompt later.
    ///
    /// ## Example
    /// "UTF-8 with BOM" in an editor on Windows, or `Set-Content -Encoding utf8` of Windows PowerShell.
    ///
    /// ## What to do
    /// Save the file again as UTF-8 without byte order mark.
    C107 "caption-bom", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read().filter(|caption| caption.has_bom && caption.encoding == Encoding::Utf8) else { return };
    let first: String = caption
        .text
        .as_deref()
        .unwrap_or_default()
        .trim_start()
        .split([',', '\n', ' '])
        .next()
        .unwrap_or_default()
        .chars()
        .take(40)
        .collect();
    out.report(&caption.path, format!("the caption begins with a byte order mark, which sticks to the first word {first:?}"))
        .evidence("first_word", first)
        .evidence("image", facts.sample.path.as_str())
        .about(Condition::CaptionMarked)
        .means(Outcome::Distort, Phase::Training, "the mark is read as part of the first word, which makes other tokens")
        .help("save the file again as UTF-8 without byte order mark");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};

    #[test]
    fn names_the_word_it_sticks_to() {
        let mut facts = healthy("a.png");
        facts.caption_mut().has_bom = true;
        facts.caption_mut().text = Some("ohwx, a cat".to_owned());
        assert_eq!(findings_of(&CHECK, &facts)[0].evidence["first_word"], "ohwx");
    }

    #[test]
    fn leaves_the_mark_of_utf16_to_its_own_check() {
        let mut facts = healthy("a.png");
        facts.caption_mut().has_bom = true;
        facts.caption_mut().encoding = crate::model::Encoding::Utf16Be;
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
