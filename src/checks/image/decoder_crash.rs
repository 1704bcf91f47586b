//! I124: a decoder dies of the file, and takes its process with it.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{CRASH, Consequence, Outcome, Phase, Profile, SampleFacts};

/// The versions in which this was seen, of 4.10, 4.11, 4.12, 4.13 and 5.0.0: those before take the picture that stands before the
/// frames.
const VERSIONS: &str = "4.12 to 5.0.0";

declare_check! {
    /// ## What it does
    /// Reports images on which OpenCV (4.12 to 5.0.0) dies of a segmentation fault instead of refusing them: animated PNGs with a
    /// picture of their own before the frames, where libpng finds something wrong in the first frame - a row with an unknown filter,
    /// data without an end, an unknown critical chunk, a frame chunk without its number. OpenCV 4.11 and 4.12 die of such damage in the
    /// first picture of any animated PNG, too; 5.0.0 refuses those, and they are other findings.
    ///
    /// ## Why it matters
    /// No exception is raised and no file is named: a worker of the data loader is gone, and PyTorch says no more than that it "exited
    /// unexpectedly" or was "killed by signal: Segmentation fault". Trainers that load with Pillow read the first picture and notice
    /// nothing, so this is a warning; tools around them, for tagging, cropping and scaling, often load with OpenCV.
    ///
    /// ## Example
    /// An animated sticker of which a few bytes were damaged on the way.
    ///
    /// ## What to do
    /// Save the picture that is meant as a still picture, or move the file out of the dataset.
    I124 "decoder-crash", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(refusal) = facts.decoded.opencv.refusal().filter(|refusal| refusal.class == CRASH) else { return };
    let finding = out.report(&facts.sample.path, format!("OpenCV {VERSIONS} dies of this file: {}", refusal.message));
    finding
        .evidence("library", "opencv")
        .evidence("versions", VERSIONS)
        .evidence("pillow", facts.decoded.pillow.name())
        .means(Outcome::Train, Phase::Training, "nothing where Pillow loads it; with OpenCV the process dies without an exception")
        .help("save the picture that is meant as a still picture, or move the file out of the dataset");
    let text = format!("OpenCV {VERSIONS} takes its process with it, and no file is named");
    finding.consequences.insert("opencv", Consequence { outcome: Outcome::Stop, phase: Phase::Caching, text });
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{CRASH, Outcome, Verdict};

    #[test]
    fn fires_where_opencv_dies_and_says_what_it_means_for_whom() {
        let mut facts = healthy("a.png");
        facts.decoded.opencv = Verdict::refuses_load(CRASH, "SIGSEGV: a row with an unknown filter");
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings[0].message, "OpenCV 4.12 to 5.0.0 dies of this file: SIGSEGV: a row with an unknown filter");
        let outcome = |loader| findings[0].consequences[loader].outcome;
        assert_eq!((outcome("generic"), outcome("opencv")), (Outcome::Train, Outcome::Stop));
    }

    #[test]
    fn stays_quiet_where_opencv_refuses() {
        let mut facts = healthy("a.png");
        assert!(findings_of(&CHECK, &facts).is_empty());
        facts.decoded.opencv = Verdict::refuses_load("error", "bad adaptive filter value");
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
