//! I123: two decoders here contradict each other about one file.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports images on which the reader that walkaround judges by and full decoding to pixels contradict each other. Only
    /// `--pixels` decodes every image twice, so only there can it fire.
    ///
    /// ## Why it matters
    /// One of the two is wrong, so whether the trainer loads the file is not sure, whatever the other findings say.
    ///
    /// ## Example
    /// A file that uses a rare feature of its format, which one of the two decoders does not know.
    ///
    /// ## What to do
    /// Save the image again with a common program, and report the file to the makers of walkaround.
    I123 "decoders-disagree", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(disagreement) = &facts.decoded.disagreement else { return };
    out.report(&facts.sample.path, disagreement.as_str())
        .evidence("pillow", facts.decoded.pillow.name())
        .evidence("strict", facts.decoded.strict.name())
        .means(Outcome::Train, Phase::Training, "not known; the trainer may load it, or stop")
        .help("save the image again with a common program, and report the file to the makers of walkaround");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};

    #[test]
    fn fires_where_full_decoding_says_something_else() {
        let mut facts = healthy("a.png");
        assert!(findings_of(&CHECK, &facts).is_empty());
        facts.decoded.disagreement = Some("every bit was found valid, yet full decoding fails: no such filter".to_owned());
        let findings = findings_of(&CHECK, &facts);
        assert!(findings[0].message.contains("no such filter"));
        assert_eq!(findings[0].evidence["strict"], "ok");
    }
}
