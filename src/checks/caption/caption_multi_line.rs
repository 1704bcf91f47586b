//! C112: the caption has more than one line.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports captions with more than one line that holds text, and captions whose text begins behind a blank line.
    ///
    /// ## Why it matters
    /// Trainers disagree on what lines mean. sd-scripts reads the first line only (an empty caption if that is blank),
    /// unless `enable_wildcard` makes it draw one; OneTrainer and SimpleTuner take every line as an alternative and draw
    /// one; ai-toolkit keeps the whole text.
    ///
    /// ## Example
    /// A description in paragraphs by a captioning model.
    ///
    /// ## What to do
    /// Put the caption on one line, unless the lines are meant as alternatives for a trainer that draws one.
    C112 "caption-multi-line", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read() else { return };
    let text = caption.text.as_deref().unwrap_or_default();
    let is_first_blank = caption.lines > 0 && text.split(['\n', '\r']).next().is_some_and(|line| line.trim().is_empty());
    if caption.lines < 2 && !is_first_blank {
        return;
    }
    let (message, first) = if is_first_blank {
        ("the first line of the caption is blank, and text follows behind it".to_owned(), "an empty caption")
    } else {
        (format!("the caption has {} lines of text, one expected", caption.lines), "the first line only")
    };
    out.report(&caption.path, message)
        .evidence("lines", caption.lines)
        .evidence("is_first_line_blank", is_first_blank)
        .evidence("image", facts.sample.path.as_str())
        .about(Condition::CaptionMultiLine)
        .means(
            Outcome::Distort,
            Phase::Training,
            format!("sd-scripts trains {first}; OneTrainer and SimpleTuner draw one line; others keep all"),
        )
        .help("put the caption on one line, unless the lines are meant as alternatives");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};

    #[test]
    fn fires_on_two_lines_and_on_a_blank_first_line() {
        let mut facts = healthy("a.png");
        facts.caption_mut().lines = 2;
        assert_eq!(findings_of(&CHECK, &facts)[0].evidence["lines"], 2);
        facts.caption_mut().lines = 1;
        facts.caption_mut().text = Some("\r\na cat".to_owned());
        assert_eq!(findings_of(&CHECK, &facts)[0].evidence["is_first_line_blank"], true);
    }

    #[test]
    fn stays_quiet_on_a_line_end_behind_the_text() {
        let mut facts = healthy("a.png");
        facts.caption_mut().text = Some("a cat\r\n\r\n".to_owned());
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
