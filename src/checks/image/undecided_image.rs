//! I121: decoding was stopped here, so nothing is known of the picture.

use crate::checks::cause::{Cause, Obstacle};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{FaultKind, Level, Outcome, Phase, Profile, SampleFacts, Strict, Verdict};

declare_check! {
    /// ## What it does
    /// Reports images that this run could not judge: decoding would have taken more memory or more time than one image is given,
    /// or a library panicked on the file.
    ///
    /// ## Why it matters
    /// Whether the picture loads is not known, so the absence of other findings says nothing about it. A file that is costly
    /// here is costly in the trainer as well.
    ///
    /// ## Example
    /// A picture of 150 megapixels with 16 bits a channel, or a file that was made to be hard to decode.
    ///
    /// ## What to do
    /// Scale the image down or save it again, and check it once more. If a library panicked, please report the file.
    I121 "undecided-image", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    if facts.decoded.pillow == Verdict::Ok {
        return check_loadable(facts, out);
    }
    let Some(obstacle) = Obstacle::caused_by(facts, Cause::Undecided) else { return };
    let (why, help) = match obstacle.fault.map(|fault| fault.kind) {
        Some(FaultKind::OverBudget) => ("it needs more memory than one image is given", "scale the image down, and check it once more"),
        Some(FaultKind::TimedOut) => ("it takes longer than one image is given", "save the image again, and check it once more"),
        _ => ("a library panicked on it", "save the image again, and report the file to the makers of walkaround"),
    };
    out.report(&facts.sample.path, format!("nothing is known of the picture, because {why}: {}", obstacle.reason()))
        .because(&obstacle)
        .means(Outcome::Train, Phase::Training, "not known; the trainer may load it, or stop")
        .help(help);
}

/// Pillow's answer may be known where our own reading was stopped.
fn check_loadable(facts: &SampleFacts, out: &mut Findings) {
    if let Strict::Unknown(fault) = &facts.decoded.strict
        && matches!(fault.kind, FaultKind::OverBudget | FaultKind::TimedOut | FaultKind::Panic)
    {
        out.report(&facts.sample.path, format!("Pillow loads it, but whether the picture is whole could not be told: {fault}"))
            .level(Level::Info)
            .evidence("fault", fault.kind.name())
            .means(Outcome::Train, Phase::Training, "whatever Pillow makes of it is trained on")
            .help("look at the image, or save it again");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Decoded, Fault, FaultKind, Level, Strict, Verdict};

    #[test]
    fn fires_on_limits_of_this_run_and_on_panics() {
        for kind in [FaultKind::OverBudget, FaultKind::TimedOut, FaultKind::Panic] {
            let mut facts = healthy("a.png");
            facts.decoded = Decoded::undecided(Fault::new(kind, "stopped"));
            assert_eq!(findings_of(&CHECK, &facts)[0].evidence["fault"], kind.name());
        }
    }

    #[test]
    fn is_information_where_pillow_is_known_to_load_it() {
        let mut facts = healthy("a.png");
        facts.decoded = Decoded::undecided(Fault::new(FaultKind::OverBudget, "stopped"));
        facts.decoded.pillow = Verdict::Ok;
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Info);
        facts.decoded.strict = Strict::Unknown(Fault::new(FaultKind::NoDecoder, "there is no strict reader"));
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
