//! C111: the caption has more tokens than the text encoder takes.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Level, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports captions with more CLIP tokens than the trainer hands to the text encoder: 75 unless the settings say 150
    /// or 225. A note up to 225 tokens, which trainers can be told to take; a warning above.
    ///
    /// ## Why it matters
    /// What is behind the limit is cut off without a word, so the end of the caption is never trained. For models that
    /// also have a T5 encoder, CLIP gets the beginning only and T5 the whole up to its own limit of 256 or 512 tokens.
    ///
    /// ## Example
    /// A paragraph by a captioning model, 140 tokens long, for SDXL at `max_token_length` 75.
    ///
    /// ## What to do
    /// Shorten the caption, put what matters first, or raise the limit (`max_token_length` in sd-scripts).
    C111 "caption-too-long", level: Info, since: "0.1.0", run: Run::Sample(check),
}

/// What sd-scripts takes at most (48d368fa, `library/train_util.py` line 3902: 150 or 225).
const MOST_TOKENS: u64 = 225;

fn check(facts: &SampleFacts, profile: &Profile, out: &mut Findings) {
    let Some(caption) = facts.caption.read() else { return };
    if caption.text.as_deref().is_none_or(|text| text.trim().is_empty()) {
        return;
    }
    let Some(limit) = profile.max_tokens else { return };
    let Some(tokens) = caption.clip_tokens else {
        // Tokens of very long text are not counted; a token has at most a few dozen characters, so it is far over.
        out.report(
            &caption.path,
            format!("the caption has {} characters, too many to count tokens; {limit} tokens are used", caption.chars),
        )
        .level(Level::Warning)
        .evidence("chars", caption.chars)
        .evidence("max_tokens", limit)
        .about(Condition::CaptionTooLong)
        .means(Outcome::Distort, Phase::Training, "nearly all of the caption is cut off")
        .help("look whether this is a caption at all");
        return;
    };
    let Some(cut) = tokens.checked_sub(limit).filter(|&cut| cut > 0) else { return };
    out.report(&caption.path, format!("the caption has {tokens} CLIP tokens, {limit} are used: the last {cut} are cut off"))
        .level(if tokens > MOST_TOKENS { Level::Warning } else { Level::Info })
        .evidence("clip_tokens", tokens)
        .evidence("max_tokens", limit)
        .evidence("cut", cut)
        .evidence("image", facts.sample.path.as_str())
        .about(Condition::CaptionTooLong)
        .means(Outcome::Distort, Phase::Training, format!("the last {cut} tokens are cut off without a word"))
        .help("shorten the caption, put what matters first, or raise the trainer's token limit");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::Level;

    #[test]
    fn says_how_many_tokens_are_cut() {
        let mut facts = healthy("a.png");
        facts.caption_mut().clip_tokens = Some(76);
        let findings = findings_of(&CHECK, &facts);
        assert_eq!((findings[0].level, &findings[0].evidence["cut"]), (Level::Info, &1.into()));
        facts.caption_mut().clip_tokens = Some(226);
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Warning);
    }

    #[test]
    fn stays_quiet_at_the_limit() {
        let mut facts = healthy("a.png");
        facts.caption_mut().clip_tokens = Some(75);
        assert!(findings_of(&CHECK, &facts).is_empty());
    }

    #[test]
    fn text_too_long_to_count_is_too_long() {
        let mut facts = healthy("a.png");
        facts.caption_mut().clip_tokens = None;
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Warning);
        facts.caption_mut().text = Some(" ".repeat(70_000));
        assert!(findings_of(&CHECK, &facts).is_empty(), "a blank caption has no end that could be cut off");
        facts.caption_mut().text = None;
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
