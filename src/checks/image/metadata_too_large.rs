//! I106: a text or ICC block inflates to more than Pillow accepts, though the pixels are fine.

use crate::checks::cause::{Cause, Obstacle};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Outcome, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports images with an ancillary block that Pillow refuses for its size: a compressed text or ICC chunk of a PNG that
    /// inflates past 1 MiB, or texts of more than 64 MiB together.
    ///
    /// ## Why it matters
    /// The pixels are fine and every viewer shows them, but Pillow raises `ValueError` while it reads the header. sd-scripts does
    /// not catch that class, so the run stops while sizes are read or latents are cached, and the file is not named
    /// (48d368fa, `library/train_util.py` 2948-2961). SimpleTuner raises Pillow's limit to 100 MiB and loads the file
    /// (bc8e6ab7, `image_manipulation/load.py` 32-33).
    ///
    /// ## Example
    /// A picture from a node-based generator with its whole workflow in a `zTXt` chunk of 1.2 MB (kohya_ss#817).
    ///
    /// ## What to do
    /// Save the image again without its metadata. The pixels do not change.
    I106 "metadata-too-large", level: Error, since: "0.1.0", run: Run::Sample(check),
}

/// Bytes that one compressed text or ICC chunk may inflate to (Pillow 13, `PngImagePlugin.py`, `MAX_TEXT_CHUNK`).
const MAX_CHUNK_BYTES: u64 = 1 << 20;

/// Bytes that all texts of a PNG may have (`MAX_TEXT_MEMORY`).
const MAX_TEXT_BYTES: u64 = 64 << 20;

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(obstacle) = Obstacle::caused_by(facts, Cause::MetadataTooLarge) else { return };
    out.report(&facts.sample.path, format!("Pillow refuses the metadata for its size, though the pixels are fine: {}", obstacle.reason()))
        .evidence("chunk_limit_bytes", MAX_CHUNK_BYTES)
        .evidence("text_limit_bytes", MAX_TEXT_BYTES)
        .because(&obstacle)
        .means(Outcome::Stop, obstacle.phase(), "reading raises ValueError, and the run stops, often without the file's name")
        .help("save the image again without its metadata");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Fault, FaultKind, Phase, Strict, Verdict};

    const MESSAGE: &str = "Decompressed data too large for PngImagePlugin.MAX_TEXT_CHUNK";

    #[test]
    fn fires_whether_the_strict_reading_minds_or_not() {
        let too_large = Fault::at(FaultKind::MetadataTooLarge, 33, "zTXt inflates to more than 1048576 bytes");
        for strict in [Strict::Whole, Strict::Error(too_large.clone()), Strict::Damaged { fault: too_large.clone(), lost: Some(0.0) }] {
            let mut facts = healthy("a.png");
            facts.decoded.pillow = Verdict::refuses_open("ValueError", MESSAGE);
            facts.decoded.strict = strict;
            let findings = findings_of(&CHECK, &facts);
            assert_eq!(findings.len(), 1);
            assert_eq!(findings[0].evidence["os_error"], false);
            assert_eq!(findings[0].consequences["generic"].phase, Phase::DatasetScan);
        }
    }

    #[test]
    fn stays_quiet_on_other_errors_of_that_class() {
        let mut facts = healthy("a.png");
        facts.decoded.pillow = Verdict::refuses_load("ValueError", "not enough image data");
        facts.decoded.strict = Strict::Error(Fault::new(FaultKind::Corrupt, "a row is missing"));
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
