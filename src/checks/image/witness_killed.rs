//! I131: the image kills or hangs the trainer's own decoder.

use crate::checks::{Findings, Run, declare_check};
use crate::model::{Ended, Ending, Level, Loader, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Reports images on which a process with the trainer's own Pillow or OpenCV dies, gives no answer within the time limit, or
    /// wants more memory than it was given. Only `--confirm-with` asks them, so only there can it fire. It is a warning where
    /// it was memory or time that ran out while the limits of this run were in force, an error where the process died.
    ///
    /// ## Why it matters
    /// A decoder that dies takes the whole trainer with it: no exception, no traceback, no file name, as a rule only
    /// `Segmentation fault` or a data loader worker that `exited unexpectedly`.
    ///
    /// ## Example
    /// An animated PNG with an impossible filter byte, on which OpenCV 5.0.0 dies of SIGSEGV or SIGABRT.
    ///
    /// ## What to do
    /// Save the image again with a common program, or move it out of the dataset together with its caption.
    I131 "witness-killed", level: Error, since: "0.1.0", run: Run::Sample(check),
}

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    let Some(Ended { loader, version, how, last_words }) = facts.testimony.as_ref().and_then(|testimony| testimony.ended.as_ref()) else {
        return;
    };
    let library = loader.library();
    let setting = if *loader == Loader::PillowLenient { " with LOAD_TRUNCATED_IMAGES" } else { "" };
    let (what, consequence) = match how {
        Ending::Died(cause) => {
            (format!("dies of {cause}"), "the process of the trainer, or of its data loader, dies without naming a file")
        }
        Ending::Hung(seconds) => (format!("gives no answer within {seconds} s"), "the run stands still at this image, or seems to"),
        Ending::OutOfMemory(mebibytes) => {
            (format!("needs more than {mebibytes} MiB of memory"), "loading fails, or the system kills the trainer, where memory is short")
        }
        Ending::Rubbish => ("no longer answers as it should".to_owned(), "not known"),
    };
    let finding = out.report(&facts.sample.path, format!("the trainer's own {library} {version}{setting} {what}"));
    finding
        .level(if matches!(how, Ending::Died(_)) { Level::Error } else { Level::Warning })
        .evidence("library", library)
        .evidence("version", version.as_str())
        .means(Outcome::Stop, Phase::Caching, consequence)
        .help("save the image again with a common program, or move it and its caption out of the dataset");
    if !last_words.is_empty() {
        finding.evidence("stderr", last_words.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Ended, Ending, Level, Loader, Testimony, Verdict};

    #[test]
    fn names_the_library_and_what_it_died_of() {
        let mut facts = healthy("a.png");
        assert!(findings_of(&CHECK, &facts).is_empty());
        for (how, level, words) in [
            (Ending::Died("SIGSEGV".to_owned()), Level::Error, "OpenCV 5.0.0 dies of SIGSEGV"),
            (Ending::Hung(60), Level::Warning, "gives no answer within 60 s"),
            (Ending::OutOfMemory(4096), Level::Warning, "more than 4096 MiB"),
        ] {
            let ended = Ended { loader: Loader::OpenCv, version: "5.0.0".to_owned(), how, last_words: String::new() };
            facts.testimony = Some(Testimony {
                pillow: Verdict::Ok,
                pillow_lenient: Verdict::Ok,
                opencv: Verdict::Unknown,
                seen: None,
                ended: Some(ended),
                decides_pillow: false,
            });
            let findings = findings_of(&CHECK, &facts);
            assert_eq!(findings[0].level, level);
            assert!(findings[0].message.contains(words), "{}", findings[0].message);
        }
    }
}
