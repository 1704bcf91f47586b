//! I102: the data is there and wrong, and Pillow refuses it.

use crate::checks::cause::{Cause, Obstacle};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Outcome, Profile, Refusal, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports images whose data is complete and wrong, where Pillow refuses to load them: a checksum, a code or a filter that
    /// cannot be, a header that contradicts itself. It is a warning where it is not known what Pillow does with the file.
    ///
    /// ## Why it matters
    /// Most such files open and tell their size, and fail only when every pixel is decoded, so the run stops while latents
    /// are cached or at some step of the first epoch. sd-scripts (48d368fa, `library/train_util.py` 2948-2961) prints the
    /// file's name only for errors of `OSError`'s family, and nothing that names the file for the others; OneTrainer stops
    /// as well, ai-toolkit leaves the file out at the scan or stops while it caches.
    ///
    /// ## Example
    /// A find-and-replace in an editor over the whole folder, which turned every line feed inside a PNG into two bytes
    /// (EveryDream2trainer#16). One wrong filter byte in one PNG of a set (kohya_ss#2164).
    ///
    /// ## What to do
    /// Fetch or export the file again, or move it out of the dataset together with its caption. If the same file is good
    /// when it is looked at again, suspect the disk or the memory of the machine.
    I102 "corrupt-image", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(obstacle) = Obstacle::caused_by(facts, Cause::Corrupt) else { return };
    let consequence = match obstacle.refusal {
        Some(refusal) if refusal.is_os_error() => format!("loading raises {}, and the run stops", refusal.class),
        Some(Refusal { class, .. }) => format!("loading raises {class}, and the run stops, often without the file's name"),
        None if obstacle.is_certain => "loading fails, and the run stops".to_owned(),
        None => "it is not known whether Pillow loads it; if it does not, the run stops".to_owned(),
    };
    let consequence = format!("{consequence}{}", obstacle.with_truncated_images());
    out.report(&facts.sample.path, format!("the file is corrupt: {}{}", obstacle.reason(), obstacle.loss()))
        .level(obstacle.level())
        .because(&obstacle)
        .means(Outcome::Stop, obstacle.phase(), consequence)
        .help("fetch or export the file again, or move it and its caption out of the dataset");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Decoded, Fault, FaultKind, Phase, Strict, Verdict};

    #[test]
    fn says_where_the_data_is_wrong_and_what_pillow_raises() {
        let mut facts = healthy("a.png");
        facts.decoded.pillow = Verdict::refuses_load("OSError", "unrecognized data stream contents when reading image file");
        facts.decoded.strict =
            Strict::Damaged { fault: Fault::at(FaultKind::Corrupt, 77, "row 96 has filter 7 of 0 to 4"), lost: Some(0.5) };
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "the file is corrupt: row 96 has filter 7 of 0 to 4 (at byte 77); 50 % of the picture is lost");
        assert_eq!(findings[0].evidence["offset"], 77);
        assert_eq!(findings[0].evidence["fault"], "corrupt");
        assert_eq!(findings[0].evidence["os_error"], true);
        assert_eq!(findings[0].consequences["generic"].phase, Phase::Caching);
    }

    #[test]
    fn says_when_the_class_is_outside_the_family_that_trainers_catch() {
        let mut facts = healthy("a.png");
        facts.decoded.pillow = Verdict::refuses_load("SyntaxError", "broken PNG file");
        facts.decoded.strict = Strict::Error(Fault::new(FaultKind::Corrupt, "a chunk has an impossible name"));
        assert_eq!(findings_of(&CHECK, &facts)[0].evidence["os_error"], false);
    }

    #[test]
    fn fires_on_a_header_that_contradicts_itself() {
        let mut facts = healthy("a.png");
        let fault = Fault::at(FaultKind::BadHeader, 16, "the width is 0");
        facts.probe = Err(fault.clone());
        facts.decoded = Decoded::undecided(fault);
        assert_eq!(findings_of(&CHECK, &facts).len(), 1);
    }

    #[test]
    fn stays_quiet_where_pillow_loads_it_all_the_same() {
        let mut facts = healthy("a.png");
        facts.decoded.strict =
            Strict::Damaged { fault: Fault::at(FaultKind::Corrupt, 41, "the checksum of IDAT is wrong"), lost: Some(0.0) };
        assert!(findings_of(&CHECK, &facts).is_empty());
    }

    #[test]
    fn leaves_short_data_to_its_own_check() {
        let mut facts = healthy("a.png");
        facts.refuse(Fault::new(FaultKind::Truncated, "the data ends"));
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
