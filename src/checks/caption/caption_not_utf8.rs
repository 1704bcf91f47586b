//! C105: the caption is text in an older encoding.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Encoding, Outcome, Phase, Profile, SampleFacts, printable};

declare_check! {
    /// ## What it does
    /// Reports captions that are text, but not in UTF-8, with the offset of the first byte that is wrong, a guess of the
    /// encoding, and the text as it reads in that encoding. The guess is good for texts of a line or more and is only a
    /// guess.
    ///
    /// ## Why it matters
    /// Every trainer opens captions as UTF-8. sd-scripts and ai-toolkit stop with a `UnicodeDecodeError` that may not
    /// name the file, ai-toolkit in the middle of training, since captions are read when their image comes up: at another
    /// step each time, as the order is shuffled. SimpleTuner logs it and trains without the caption.
    ///
    /// ## Example
    /// `the woman\x92s dress`: an apostrophe as Windows-1252 has it, out of a word processor. Or Chinese text in GBK, out
    /// of a Windows editor.
    ///
    /// ## What to do
    /// Save the file again as UTF-8 without byte order mark, and look at the text afterwards.
    C105 "caption-not-utf8", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read() else { return };
    let (Encoding::Legacy(guess), Some(invalid)) = (caption.encoding, &caption.invalid) else { return };
    let text = caption.text.as_deref().unwrap_or_default();
    let bytes: Vec<String> = invalid.bytes.iter().map(|byte| format!("0x{byte:02x}")).collect();
    let message = format!(
        "the caption is not UTF-8: byte {} at offset {}; read as {guess} it says \"{}\"",
        bytes.join(" "),
        invalid.offset,
        printable(&excerpt(text))
    );
    out.report(&caption.path, message)
        .about(Condition::CaptionNotUtf8)
        .evidence("offset", invalid.offset)
        .evidence("bytes", bytes)
        .evidence("broken_places", invalid.count)
        .evidence("guess", guess)
        .evidence("text", excerpt(text))
        .evidence("image", facts.sample.path.as_str())
        .means(
            Outcome::Stop,
            Phase::Training,
            "reading the caption raises `UnicodeDecodeError`, in some trainers only when the image comes up",
        )
        .help(format!("save the file again as UTF-8 (it is probably {guess} now)"));
}

/// Some characters around the first that is not ASCII.
fn excerpt(text: &str) -> String {
    const BEFORE: usize = 20;
    const LENGTH: usize = 60;
    let first = text.chars().position(|character| !character.is_ascii()).unwrap_or(0);
    text.chars().skip(first.saturating_sub(BEFORE)).take(LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Encoding, InvalidText};

    #[test]
    fn shows_place_guess_and_text() {
        let mut facts = healthy("a.png");
        let caption = facts.caption_mut();
        caption.encoding = Encoding::Legacy("windows-1252");
        caption.invalid = Some(InvalidText { offset: 9, bytes: vec![0x92], count: 1 });
        caption.text = Some("the woman\u{2019}s dress".to_owned());
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings[0].evidence["offset"], 9);
        assert_eq!(
            findings[0].message,
            "the caption is not UTF-8: byte 0x92 at offset 9; read as windows-1252 it says \"the woman\u{2019}s dress\""
        );
    }

    #[test]
    fn leaves_utf16_to_its_own_check() {
        let mut facts = healthy("a.png");
        facts.caption_mut().encoding = Encoding::Utf16Le;
        facts.caption_mut().invalid = Some(InvalidText { offset: 0, bytes: vec![0xff], count: 2 });
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
