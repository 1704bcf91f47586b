//! I101: the data ends before the picture does, and Pillow refuses it.

use crate::checks::cause::{Cause, Obstacle};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Outcome, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports images whose data ends before the picture does, or even before the header does, where Pillow refuses to load
    /// them. It is a warning where it is not known what Pillow does with the file.
    ///
    /// ## Why it matters
    /// As a rule the header is intact, so the file shows up with its size in viewers and passes a trainer's first scan. The
    /// run stops when the pixels are wanted: while latents are cached, or at some step of the first epoch. Several trainers
    /// do not print the file's name. ai-toolkit (27a03a91, `toolkit/data_loader.py` 633-655) puts another image in its place
    /// when latents are not cached. Programs that set `ImageFile.LOAD_TRUNCATED_IMAGES` (data-juicer does, for the whole process)
    /// load what is there and train on a picture that is partly gray.
    ///
    /// ## Example
    /// A download that broke off, or a copy onto a full disk. Missing the last two bytes of a JPEG is enough.
    ///
    /// ## What to do
    /// Fetch or export the file again, or move it out of the dataset together with its caption.
    I101 "truncated-image", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(obstacle) = Obstacle::caused_by(facts, Cause::Truncated) else { return };
    let consequence = format!("loading raises, and the run stops when this image is first wanted{}", obstacle.with_truncated_images());
    out.report(&facts.sample.path, format!("the data ends before the picture does: {}{}", obstacle.reason(), obstacle.loss()))
        .evidence("size_bytes", facts.sample.size_bytes)
        .level(obstacle.level())
        .because(&obstacle)
        .means(Outcome::Stop, obstacle.phase(), consequence)
        .help("fetch or export the file again, or move it and its caption out of the dataset");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Decoded, Fault, FaultKind, Strict, Verdict};

    #[test]
    fn fires_where_pillow_refuses_short_data() {
        let mut facts = healthy("a.png");
        facts.refuse(Fault::at(FaultKind::Truncated, 900, "the compressed data ends in row 12 of 64"));
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].evidence["offset"], 900);
    }

    #[test]
    fn says_how_much_is_lost_and_who_trains_on_it_all_the_same() {
        let mut facts = healthy("a.jpg");
        facts.refuse(Fault::at(FaultKind::Truncated, 900, "the end marker is missing"));
        assert!(!findings_of(&CHECK, &facts)[0].consequences["generic"].text.contains("LOAD_TRUNCATED_IMAGES"));
        facts.decoded.pillow_lenient = Verdict::Ok;
        facts.decoded.strict =
            Strict::Damaged { fault: Fault::at(FaultKind::Truncated, 900, "the end marker is missing"), lost: Some(0.25) };
        let finding = &findings_of(&CHECK, &facts)[0];
        assert!(finding.message.ends_with("the end marker is missing (at byte 900); 25 % of the picture is lost"));
        assert_eq!((&finding.evidence["lost"], &finding.evidence["pillow_lenient"]), (&0.25.into(), &"ok".into()));
        assert!(finding.consequences["generic"].text.contains("LOAD_TRUNCATED_IMAGES"));
    }

    #[test]
    fn fires_where_even_the_header_is_cut() {
        let mut facts = healthy("a.png");
        let fault = Fault::at(FaultKind::Truncated, 16, "the file ends within IHDR");
        facts.probe = Err(fault.clone());
        facts.decoded = Decoded::undecided(fault);
        assert_eq!(findings_of(&CHECK, &facts).len(), 1);
    }

    #[test]
    fn stays_quiet_where_pillow_loads_it_all_the_same() {
        let mut facts = healthy("a.png");
        facts.decoded.strict = Strict::Damaged { fault: Fault::new(FaultKind::Truncated, "IEND is missing"), lost: Some(0.0) };
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
