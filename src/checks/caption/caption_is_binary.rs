//! C108: the caption file holds something else than text.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Content, Encoding, Level, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports caption files that hold a picture, an archive, only zero bytes or other binary data. Two kinds of text
    /// that are never captions are reported too, as a warning: a Git LFS pointer and an HTML page.
    ///
    /// ## Why it matters
    /// Binary data is not UTF-8, so that reading it stops the run with the same message as text in a wrong encoding,
    /// `can't decode byte 0xff in position 0` for a JPEG. A pointer or an error page is read without a word, and trained
    /// on.
    ///
    /// ## Example
    /// `1.txt` that is a copy of `1.jpg`, after a renaming script went wrong. Captions cloned without `git lfs pull`.
    ///
    /// ## What to do
    /// Restore the caption from where it came from, or write it again.
    C108 "caption-is-binary", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read() else { return };
    let image = facts.sample.path.as_str();
    if let Encoding::Binary(content) = caption.encoding {
        let what = match content {
            Content::Image(format) => format!("a {format} image"),
            Content::Other(other) => other.description().to_owned(),
        };
        let finding = out.report(&caption.path, format!("the caption file holds {what}, text expected"));
        finding
            .evidence("content", what)
            .evidence("size_bytes", caption.size_bytes)
            .evidence("image", image)
            .help("restore the caption, or write it again");
        match &caption.invalid {
            Some(invalid) => finding.about(Condition::CaptionNotUtf8).evidence("offset", invalid.offset).means(
                Outcome::Stop,
                Phase::Training,
                "reading the caption raises `UnicodeDecodeError`, in some trainers only when the image comes up",
            ),
            None => finding.means(Outcome::Distort, Phase::Training, "the bytes happen to be valid UTF-8, and are trained on as text"),
        };
        return;
    }
    let text = caption.text.as_deref().unwrap_or_default().trim_start();
    let what = if text.starts_with("version https://git-lfs.github.com/spec/") {
        "a Git LFS pointer"
    } else if ["<!doctype html", "<html"].iter().any(|tag| text.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag))) {
        "an HTML page"
    } else {
        return;
    };
    out.report(&caption.path, format!("the caption file holds {what}, a caption expected"))
        .level(Level::Warning)
        .evidence("content", what)
        .evidence("image", image)
        .means(Outcome::Distort, Phase::Training, "it is read as a caption and trained on")
        .help("fetch the real caption");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Content, Encoding, Format, Level};

    #[test]
    fn names_the_picture() {
        let mut facts = healthy("1.jpg");
        facts.caption_mut().encoding = Encoding::Binary(Content::Image(Format::Jpeg));
        facts.caption_mut().text = None;
        assert_eq!(findings_of(&CHECK, &facts)[0].message, "the caption file holds a JPEG image, text expected");
    }

    #[test]
    fn a_pointer_is_a_warning() {
        let mut facts = healthy("a.png");
        facts.caption_mut().text = Some("version https://git-lfs.github.com/spec/v1\noid sha256:00\n".to_owned());
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Warning);
    }

    #[test]
    fn stays_quiet_on_a_caption_about_a_page() {
        let mut facts = healthy("a.png");
        facts.caption_mut().text = Some("a screenshot of <html> source code".to_owned());
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
