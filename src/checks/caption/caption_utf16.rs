//! C106: the caption is UTF-16.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Encoding, Outcome, Phase, Profile, SampleFacts, printable};

declare_check! {
    /// ## What it does
    /// Reports captions in UTF-16, with or without a byte order mark.
    ///
    /// ## Why it matters
    /// Every trainer opens captions as UTF-8. With a byte order mark reading stops at byte 0 with `can't decode byte
    /// 0xff`; without one, English text in UTF-16 is valid UTF-8 with a NUL behind every letter, and trains as noise.
    ///
    /// ## Example
    /// `Out-File` of Windows PowerShell, or "Unicode" in the save dialog of Notepad.
    ///
    /// ## What to do
    /// Save the file again as UTF-8 without byte order mark.
    C106 "caption-utf16", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read() else { return };
    if !matches!(caption.encoding, Encoding::Utf16Le | Encoding::Utf16Be) {
        return;
    }
    let name = caption.encoding.name();
    let mark = if caption.has_bom { "with a byte order mark" } else { "without a byte order mark" };
    let text: String = caption.text.as_deref().unwrap_or_default().chars().take(60).collect();
    let finding = out.report(&caption.path, format!("the caption is {name} {mark}, UTF-8 expected; it says \"{}\"", printable(&text)));
    finding
        .evidence("encoding", name)
        .evidence("has_bom", caption.has_bom)
        .evidence("text", text)
        .evidence("image", facts.sample.path.as_str())
        .help("save the file again as UTF-8");
    match &caption.invalid {
        Some(invalid) => finding.about(Condition::CaptionNotUtf8).evidence("offset", invalid.offset).means(
            Outcome::Stop,
            Phase::Training,
            "reading the caption raises `UnicodeDecodeError`, in some trainers only when the image comes up",
        ),
        None => finding.means(Outcome::Distort, Phase::Training, "it reads as UTF-8 with a NUL between the letters, and trains as noise"),
    };
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Encoding, InvalidText, Outcome};

    #[test]
    fn tells_what_stops_from_what_trains_as_noise() {
        let mut facts = healthy("a.png");
        let caption = facts.caption_mut();
        caption.encoding = Encoding::Utf16Le;
        assert_eq!(findings_of(&CHECK, &facts)[0].consequences["generic"].outcome, Outcome::Distort);
        facts.caption_mut().has_bom = true;
        facts.caption_mut().invalid = Some(InvalidText { offset: 0, bytes: vec![0xff], count: 2 });
        assert_eq!(findings_of(&CHECK, &facts)[0].consequences["generic"].outcome, Outcome::Stop);
    }

    #[test]
    fn stays_quiet_on_utf8() {
        assert!(findings_of(&CHECK, &healthy("a.png")).is_empty());
    }
}
