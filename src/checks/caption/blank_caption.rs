//! C104: the caption file holds only white space.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Encoding, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports caption files that hold bytes but no text: spaces, line ends, or only a byte order mark.
    ///
    /// ## Why it matters
    /// Trainers accept them and train the image with an empty prompt, without a word: sd-scripts does not count it as a
    /// missing caption, and does not fall back on the class of the folder. The model learns the picture for every prompt.
    ///
    /// ## Example
    /// A captioning tool that failed on one image and wrote its line end all the same.
    ///
    /// ## What to do
    /// Write the caption, or delete the file so that the trainer falls back on what it does for images without one.
    C104 "blank-caption", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read().filter(|caption| caption.is_blank() && caption.encoding == Encoding::Utf8) else { return };
    let what = if caption.has_bom { "white space and a byte order mark" } else { "white space" };
    out.report(&caption.path, format!("the caption holds only {what}: {} byte(s), no text", caption.size_bytes))
        .evidence("size_bytes", caption.size_bytes)
        .evidence("image", facts.sample.path.as_str())
        .about(Condition::CaptionBlank)
        .means(Outcome::Distort, Phase::Training, "the image is trained with an empty prompt")
        .help("write the caption, or delete the file");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};

    #[test]
    fn fires_on_white_space() {
        let mut facts = healthy("a.png");
        facts.caption_mut().text = Some(" \r\n\u{3000}".to_owned());
        facts.caption_mut().chars = 0;
        assert_eq!(findings_of(&CHECK, &facts).len(), 1);
    }

    #[test]
    fn stays_quiet_on_no_bytes_and_on_one_letter() {
        let mut facts = healthy("a.png");
        facts.caption_mut().text = Some("\n\na\n".to_owned());
        assert!(findings_of(&CHECK, &facts).is_empty());
        facts.caption_mut().size_bytes = 0;
        facts.caption_mut().text = Some(String::new());
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
