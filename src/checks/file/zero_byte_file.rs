//! F101: an image file of 0 bytes.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, FaultKind, NamedAs, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports files that are named as images and hold no bytes.
    ///
    /// ## Why it matters
    /// The name is listed like any other, so the image is counted and its caption is read; the run stops as soon as the
    /// header is wanted. sd-scripts (48d368fa) takes the size for 0x0 and ends in a division by zero that does not name the
    /// file.
    ///
    /// ## Example
    /// A download or an unpacking that was interrupted, a copy onto a full disk, or a placeholder of a cloud folder that was
    /// never filled.
    ///
    /// ## What to do
    /// Fetch the file again, or move it out of the dataset together with its caption, which has no image any more.
    F101 "zero-byte-file", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let is_empty = facts.sample.size_bytes == 0 || facts.probe.as_ref().is_err_and(|fault| fault.kind == FaultKind::Empty);
    if !is_empty || facts.probe.is_ok() || facts.sample.named_as == NamedAs::Unknown {
        return;
    }
    let caption = facts.sample.caption.as_ref().map(|caption| caption.path.as_str());
    let message = match caption {
        Some(caption) => format!("the file has 0 bytes; its caption {caption} loses its image"),
        None => "the file has 0 bytes".to_owned(),
    };
    out.report(&facts.sample.path, message)
        .evidence("size_bytes", 0)
        .evidence("caption", caption)
        .about(Condition::EmptyFile)
        .means(Outcome::Stop, Phase::DatasetScan, "opening raises UnidentifiedImageError, and the run stops when sizes are read")
        .help("fetch the file again, or move it and its caption out of the dataset");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Fault, FaultKind};

    #[test]
    fn fires_and_names_the_caption_that_loses_its_image() {
        let mut facts = healthy("a.jpg");
        facts.sample.size_bytes = 0;
        facts.probe = Err(Fault::new(FaultKind::Empty, "the file has no bytes"));
        let findings = findings_of(&CHECK, &facts);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].evidence["caption"], "a.txt");
    }

    #[test]
    fn stays_quiet_where_there_are_bytes_or_no_image_was_meant() {
        let mut facts = healthy("a.jpg");
        facts.sample.size_bytes = 1;
        facts.probe = Err(Fault::new(FaultKind::NotAnImage, "one byte"));
        assert!(findings_of(&CHECK, &facts).is_empty());
        let mut facts = healthy("marker");
        facts.sample.size_bytes = 0;
        facts.probe = Err(Fault::new(FaultKind::Empty, "the file has no bytes"));
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
