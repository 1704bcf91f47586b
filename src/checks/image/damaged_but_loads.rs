//! I103: part of the picture may be lost, and Pillow loads it without a word.

use crate::checks::cause::Obstacle;
use crate::checks::words::{percent, rounded};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Level, Outcome, Phase, Profile, SampleFacts, Strict, Verdict};

declare_check! {
    /// ## What it does
    /// Reports images that break the rules of their format and load all the same. It is information where nothing of the
    /// picture is lost.
    ///
    /// ## Why it matters
    /// Nothing stops and nothing is printed: the model learns the gray or smeared part as if it belonged to the subject. Loaders
    /// do not agree on such files either; OpenCV and torchvision refuse a PNG with a wrong checksum that Pillow loads.
    ///
    /// ## Example
    /// Half a baseline JPEG, followed by zeros as a full disk leaves them: Pillow 13 loads it and the lower half is gray. A
    /// PNG without its end chunk IEND loses nothing and is information.
    ///
    /// ## What to do
    /// Look at the picture, and fetch or export it again if part of it is missing. Where nothing is lost, nothing need be done;
    /// saving it again makes it valid.
    I103 "damaged-but-loads", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    if facts.probe.is_err() || Obstacle::of(facts).is_some() {
        return;
    }
    let (fault, lost) = match &facts.decoded.strict {
        Strict::Damaged { fault, lost } => (fault, *lost),
        Strict::Error(fault) => (fault, Some(1.0)),
        Strict::Whole | Strict::Unknown(_) => return,
    };
    let loads = match facts.decoded.pillow {
        Verdict::Ok => "Pillow loads it",
        Verdict::Error(_) | Verdict::Unknown => "it is not known whether Pillow loads it",
    };
    let message = match lost {
        Some(lost) if lost > 0.0 => format!("{} of the picture is lost, and {loads}: {fault}", percent(lost)),
        Some(_) => format!("the file is damaged and nothing of the picture is lost; {loads}: {fault}"),
        None => format!("the file is damaged, how much of the picture is lost cannot be told, and {loads}: {fault}"),
    };
    let finding = out.report(&facts.sample.path, message);
    finding
        .evidence("fault", fault.kind.name())
        .evidence("offset", fault.offset)
        .evidence("lost", lost.map(|lost| rounded(lost, 4)))
        .evidence("pillow", facts.decoded.pillow.name())
        .evidence("opencv", facts.decoded.opencv.name());
    if lost.is_some_and(|lost| lost <= 0.0) {
        finding
            .level(Level::Info)
            .means(Outcome::Train, Phase::Training, "the whole picture is trained on")
            .help("save the image again to make it valid, if other loaders are to read it");
    } else {
        finding
            .about(Condition::DamagedButLoads)
            .means(Outcome::Distort, Phase::Training, "the lost part is trained on as gray or smeared picture, without a message")
            .help("look at the picture, and fetch or export it again if part of it is missing");
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Fault, FaultKind, Level, Strict};

    #[test]
    fn says_how_much_of_the_picture_is_lost() {
        let mut facts = healthy("a.jpg");
        facts.decoded.strict = Strict::Damaged { fault: Fault::at(FaultKind::Truncated, 5000, "only zeros follow"), lost: Some(0.5) };
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings[0].message, "50 % of the picture is lost, and Pillow loads it: only zeros follow (at byte 5000)");
        assert_eq!((findings[0].level, &findings[0].evidence["lost"]), (Level::Warning, &0.5.into()));
    }

    #[test]
    fn is_information_where_nothing_is_lost() {
        let mut facts = healthy("a.png");
        facts.decoded.strict = Strict::Damaged { fault: Fault::new(FaultKind::Truncated, "IEND is missing"), lost: Some(0.0) };
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Info);
    }

    #[test]
    fn warns_where_the_loss_cannot_be_told() {
        let mut facts = healthy("a.webp");
        facts.decoded.strict = Strict::Damaged { fault: Fault::new(FaultKind::Corrupt, "a code is impossible"), lost: None };
        assert_eq!(findings_of(&CHECK, &facts)[0].level, Level::Warning);
    }

    #[test]
    fn stays_quiet_where_pillow_refuses_or_all_is_well() {
        let mut facts = healthy("a.png");
        assert!(findings_of(&CHECK, &facts).is_empty());
        facts.refuse(Fault::new(FaultKind::Corrupt, "row 3 has filter 7"));
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
