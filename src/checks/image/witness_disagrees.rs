//! I130: the trainer's own libraries contradict what was worked out here.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Contradiction, Level, Outcome, Phase, Profile, Refusal, SampleFacts, Stage};

declare_check! {
    /// ## What it does
    /// Reports images on which the trainer's own Pillow or OpenCV says something else than walkaround: whether the image loads,
    /// its mode, its size, its orientation. Only `--confirm-with` asks them, so only there can it fire. It is an error where
    /// Pillow refuses what was thought to load, a warning where mode, size or orientation differ, and information where the
    /// image loads after all, or where only OpenCV differs.
    ///
    /// ## Why it matters
    /// The run uses the libraries that are installed for the trainer, in their versions. Where they refuse a file, the run
    /// stops or loses it, whatever the rules of the latest version are.
    ///
    /// ## Example
    /// An image that uses a feature which came with a later version of Pillow than the trainer has.
    ///
    /// ## What to do
    /// Believe the trainer's own libraries: save the image again where they refuse it. If their versions are recent, report
    /// the file to the makers of walkaround.
    I130 "witness-disagrees", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let contradictions = facts.contradictions();
    let Some(testimony) = facts.testimony.as_ref().filter(|_| !contradictions.is_empty()) else { return };
    let refusal = testimony.pillow.refusal().filter(|_| contradictions.iter().any(|one| one.about == "pillow"));
    let differs: Vec<String> =
        contradictions.iter().map(|Contradiction { about, here, there }| format!("{}: {there}, here {here}", word(about))).collect();
    let finding = out.report(&facts.sample.path, format!("the trainer's own libraries say otherwise; {}", differs.join("; ")));
    for Contradiction { about, here, there } in &contradictions {
        finding.evidence(about, serde_json::json!({ "here": here, "witness": there }));
    }
    if let Some(Refusal { class, stage, .. }) = refusal {
        let phase = if *stage == Stage::Open { Phase::DatasetScan } else { Phase::Caching };
        finding
            .means(Outcome::Stop, phase, format!("the trainer's Pillow raises {class}, and the run stops"))
            .help("save the image again with a common program, or move it and its caption out of the dataset");
    } else if contradictions.iter().any(|one| !matches!(one.about, "pillow" | "pillow_lenient" | "opencv")) {
        finding
            .level(Level::Warning)
            .means(Outcome::Distort, Phase::Training, "what is said here of bucket, crop or colours may not be what is trained on")
            .help("report the file to the makers of walkaround");
    } else {
        finding
            .level(Level::Info)
            .means(Outcome::Train, Phase::Training, "whatever the trainer's own loader makes of it is trained on")
            .help("look at the image, or save it again with a common program");
    }
}

/// What a contradiction is about, for a person.
fn word(about: &str) -> &str {
    match about {
        "pillow" => "Pillow",
        "pillow_lenient" => "Pillow with LOAD_TRUNCATED_IMAGES",
        "opencv" => "OpenCV",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Level, SampleFacts, Seen, Size, Testimony, Verdict};

    fn heard(pillow: Verdict, seen: Option<Seen>) -> SampleFacts {
        let mut facts = healthy("a.png");
        facts.hear(Testimony { pillow, pillow_lenient: Verdict::Ok, opencv: Verdict::Ok, seen, ended: None, decides_pillow: false });
        facts
    }

    fn seen(mode: &str) -> Seen {
        Seen { format: "PNG".to_owned(), mode: mode.to_owned(), size: Size::new(1024, 1024), knows_orientation: true, orientation: None }
    }

    #[test]
    fn a_refusal_of_the_trainers_pillow_is_an_error() {
        let facts = heard(Verdict::refuses_load("OSError", "unknown chunk"), Some(seen("RGB")));
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings[0].level, Level::Error);
        assert!(findings[0].message.ends_with("Pillow: OSError: unknown chunk, here ok"), "{}", findings[0].message);
        assert!(facts.loss().is_some());
    }

    #[test]
    fn another_mode_is_a_warning_and_agreement_is_nothing() {
        assert_eq!(findings_of(&CHECK, &heard(Verdict::Ok, Some(seen("RGBA"))))[0].level, Level::Warning);
        assert!(findings_of(&CHECK, &heard(Verdict::Ok, Some(seen("RGB")))).is_empty());
    }

    #[test]
    fn an_image_that_loads_after_all_is_information() {
        let mut facts = healthy("a.png");
        facts.decoded.pillow = Verdict::refuses_load("OSError", "image file is truncated");
        facts.testimony = heard(Verdict::Ok, Some(seen("RGB"))).testimony;
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Info);
    }

    #[test]
    fn what_was_not_known_here_is_decided_and_no_contradiction() {
        let mut facts = healthy("a.avif");
        facts.decoded.pillow = Verdict::Unknown;
        let testimony = heard(Verdict::refuses_load("SyntaxError", "bad"), None).testimony.expect("it was heard");
        facts.hear(testimony);
        assert!(findings_of(&CHECK, &facts).is_empty());
        assert!(facts.decoded.pillow.refusal().is_some());
    }
}
