//! I110: the EXIF block breaks its own rules; the pixels are fine.

use crate::checks::cause::loadable;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Exif, Orientation, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Notes images whose EXIF block cannot be read to its end. The pixels are not concerned.
    ///
    /// ## Why it matters
    /// It does not stop a run: Pillow prints `Corrupt EXIF data` and goes on, and the warning is easily taken for the cause of another
    /// error in the same log. If the picture is stored turned, the orientation may be lost with the block.
    ///
    /// ## Example
    /// An entry that points past the end of the block, as some editors and messengers leave it (horovod#333).
    ///
    /// ## What to do
    /// Nothing, unless the picture is lying on its side. Dropping the metadata silences the warning.
    I110 "malformed-exif", level: Info, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(probe) = loadable(facts) else { return };
    let Exif::Malformed(detail) = &probe.exif else { return };
    let orientation = match probe.orientation {
        Some(orientation) => format!("orientation {} could be read", orientation.value()),
        None => "no orientation could be read".to_owned(),
    };
    out.report(&facts.sample.path, format!("the EXIF block is malformed: {detail}; {orientation}, and the pixels are not concerned"))
        .evidence("exif", detail.as_str())
        .evidence("orientation", probe.orientation.map(Orientation::value))
        .means(Outcome::Train, Phase::Training, "the picture is trained on; Pillow may print a warning about EXIF")
        .help("drop the metadata if the warning is in the way");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Exif, Level};

    #[test]
    fn is_never_more_than_information() {
        let mut facts = healthy("a.jpg");
        facts.probe_mut().exif = Exif::Malformed("entry 0x010f points past the block".to_owned());
        let findings = findings_of(&CHECK, &facts);
        assert_eq!((findings.len(), findings[0].level), (1, Level::Info));
        assert!(findings[0].message.contains("no orientation could be read"));
    }

    #[test]
    fn stays_quiet_on_absent_and_readable_blocks() {
        let mut facts = healthy("a.jpg");
        for exif in [Exif::Absent, Exif::Read] {
            facts.probe_mut().exif = exif;
            assert!(findings_of(&CHECK, &facts).is_empty());
        }
    }
}
