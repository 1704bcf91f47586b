//! F107: a file named as an image holds something else.

use crate::checks::cause::{Cause, Obstacle};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, NamedAs, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports files that are named as images and hold something else, and says what: a web page, text, an archive, a Git LFS
    /// pointer.
    ///
    /// ## Why it matters
    /// Trainers pick files up by their extension. Pillow then cannot identify the content: sd-scripts (48d368fa) goes on with a
    /// size of 0x0 and stops with `ZeroDivisionError` while it makes buckets, OneTrainer stops while it caches, ai-toolkit
    /// leaves the file out with a console message, and the dataset is smaller than it looks.
    ///
    /// ## Example
    /// A downloader saved the error page of a server as `0123.jpg`. A repository was cloned without Git LFS, so that every image is
    /// a text of 130 bytes.
    ///
    /// ## What to do
    /// Fetch the image again (`git lfs pull` for a pointer), or move the file out of the dataset together with its caption.
    F107 "not-an-image", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let path = &facts.sample.path;
    let NamedAs::Image(named_as) = facts.sample.named_as else { return };
    // Companions of macOS are named `._` and belong to F105, which groups them.
    if path.name().starts_with("._") {
        return;
    }
    let Some(obstacle) = Obstacle::caused_by(facts, Cause::NotAnImage) else { return };
    out.report(path, format!("named as {named_as}, but {}", obstacle.reason()))
        .evidence("named_as", named_as.name())
        .evidence("size_bytes", facts.sample.size_bytes)
        .because(&obstacle)
        .about(Condition::NotAnImage)
        .means(Outcome::Stop, Phase::DatasetScan, "Pillow cannot identify the file, and the run stops")
        .help("fetch the image again, or move the file and its caption out of the dataset");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Decoded, Fault, FaultKind, SampleFacts};

    fn without_header(path: &str, kind: FaultKind, detail: &str) -> SampleFacts {
        let mut facts = healthy(path);
        facts.probe = Err(Fault::new(kind, detail));
        facts.decoded = Decoded::undecided(Fault::new(kind, detail));
        facts
    }

    #[test]
    fn says_what_the_file_holds() {
        let findings =
            findings_of(&CHECK, &without_header("a.jpg", FaultKind::NotAnImage, "the file is no image: its content is an HTML page"));
        assert_eq!(findings[0].message, "named as JPEG, but the file is no image: its content is an HTML page");
    }

    #[test]
    fn leaves_empty_files_and_companions_of_macos_to_their_checks() {
        assert!(findings_of(&CHECK, &without_header("a.jpg", FaultKind::Empty, "no bytes")).is_empty());
        assert!(findings_of(&CHECK, &without_header("b/._a.jpg", FaultKind::NotAnImage, "an AppleDouble companion")).is_empty());
        assert!(findings_of(&CHECK, &without_header("a.jpg", FaultKind::BadHeader, "the width is 0")).is_empty());
    }

    #[test]
    fn stays_quiet_on_files_that_do_not_claim_to_be_images() {
        assert!(findings_of(&CHECK, &without_header("notes", FaultKind::NotAnImage, "text")).is_empty());
    }
}
