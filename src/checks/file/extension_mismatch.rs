//! F108: the content is an image of another format than the name says.

use crate::checks::cause::pillow_knows;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Condition, Format, NamedAs, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Warns of images whose extension belongs to another format than their content. Formats that Pillow does not load whatever
    /// they are called are unsupported-format (I104).
    ///
    /// ## Why it matters
    /// It is no error by itself: Pillow chooses the decoder by content, and so do the other loaders of the usual trainers, so a JPEG named
    /// `.png` trains like any JPEG. But tools that go by the name fail or do something else, alpha and lossless quality that the name
    /// promises are not there, and a file whose content calls for another extension may be left out or not: a TIFF named `.jpg` is
    /// picked up, a JPEG named `.tif` is not. OneTrainer (mgds 3a6994ad) decodes a GIF that is named `.png` as GIF.
    ///
    /// ## Example
    /// A browser saved `photo.png`, and the server had sent a JPEG. It was blamed for a crash that damaged files in the same
    /// folder had caused (kohya_ss#1718).
    ///
    /// ## What to do
    /// Rename the file to the extension of its content, together with its caption where the names must agree.
    F108 "extension-mismatch", level: Warning, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, profile: &Profile, out: &mut Findings) {
    let path = &facts.sample.path;
    let (NamedAs::Image(named_as), Ok(probe)) = (facts.sample.named_as, &facts.probe) else { return };
    let content = probe.format;
    if same_family(named_as) == same_family(content) || !pillow_knows(content) {
        return;
    }
    let wanted = content.extensions().first().copied().unwrap_or_default();
    let consequence = if profile.picks_up(path.extension()) {
        (Outcome::Train, "Pillow goes by content, and the picture is trained on")
    } else {
        (Outcome::Skip, "files of this name are left out, whatever they hold")
    };
    out.report(path, format!("named .{}, but the content is {content}", path.extension()))
        .evidence("named_as", named_as.name())
        .evidence("content", content.name())
        .about(Condition::ExtensionMismatch)
        .means(consequence.0, Phase::DatasetScan, consequence.1)
        .help(format!("rename the file to .{wanted}"));
}

/// MPO is a JPEG with more pictures behind the first, and may be named as either.
fn same_family(format: Format) -> Format {
    if format == Format::Mpo { Format::Jpeg } else { format }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Fault, FaultKind, Finding, Format, Level};

    fn found(path: &str, format: Format) -> Vec<Finding> {
        let mut facts = healthy(path);
        facts.probe_mut().format = format;
        findings_of(&CHECK, &facts)
    }

    #[test]
    fn a_jpeg_named_png_is_a_warning_that_says_both() {
        let findings = found("a.PNG", Format::Jpeg);
        assert_eq!((findings[0].level, findings[0].message.as_str()), (Level::Warning, "named .PNG, but the content is JPEG"));
        assert_eq!(findings[0].help, "rename the file to .jpg");
    }

    #[test]
    fn jpeg_and_mpo_are_one_and_so_are_the_extensions_of_a_format() {
        for (path, format) in [
            ("a.jpg", Format::Mpo),
            ("a.mpo", Format::Jpeg),
            ("a.jfif", Format::Jpeg),
            ("a.tiff", Format::Tiff),
            ("a.cur", Format::Ico),
            ("a.unknown", Format::Jpeg),
        ] {
            assert!(found(path, format).is_empty(), "{path}");
        }
    }

    #[test]
    fn what_pillow_never_loads_is_another_check() {
        assert!(found("a.jpg", Format::Heic).is_empty());
    }

    #[test]
    fn damage_under_the_right_name_is_no_mismatch() {
        let mut facts = healthy("a.png");
        facts.refuse(Fault::new(FaultKind::Corrupt, "line feeds became two bytes"));
        assert!(findings_of(&CHECK, &facts).is_empty());
    }
}
