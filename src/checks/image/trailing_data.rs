//! I119: bytes behind the end of the picture.

use crate::checks::cause::loadable;
use crate::checks::words::grouped;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Level, Outcome, Phase, Profile, SampleFacts};

declare_check! {
    /// ## What it does
    /// Notes files with bytes behind the end of the picture, and warns where those are more than 1 MiB or more than the picture itself.
    ///
    /// ## Why it matters
    /// Loaders stop at the end of the picture, so nothing of it is trained on. But the bytes make the file larger, change its hash,
    /// and may be something that should not be passed on: a video that a phone hides behind a photo, an archive, another picture.
    /// Zeros are what a file system or a downloader leaves that reserved too much.
    ///
    /// ## Example
    /// A "motion photo": a JPEG with an MP4 of 3 MB behind it.
    ///
    /// ## What to do
    /// Save the image again if the bytes are not wanted.
    I119 "trailing-data", level: Info, since: "0.1.0", run: Run::Sample(check),
}

/// Bytes behind the picture from which on they are worth a warning.
const LARGE_BYTES: u64 = 1 << 20;

fn check(facts: &SampleFacts, _: &Profile, out: &mut Findings) {
    if loadable(facts).is_none() {
        return;
    }
    let Some(trailing) = facts.decoded.trailing.filter(|trailing| trailing.size_bytes > 0) else { return };
    let (size, offset) = (trailing.size_bytes, trailing.offset);
    let what = if trailing.zeros { "all of them zero" } else { "not all of them zero" };
    let mut message = format!("{} bytes follow the end of the picture at byte {offset}, {what}", grouped(size));
    if size > LARGE_BYTES {
        message = format!("{message}; more than {} is large", grouped(LARGE_BYTES));
    } else if size > offset {
        message.push_str("; that is more than the picture itself");
    }
    let level = if size > LARGE_BYTES || size > offset { Level::Warning } else { Level::Info };
    out.report(&facts.sample.path, message)
        .level(level)
        .evidence("offset", offset)
        .evidence("size_bytes", size)
        .evidence("limit", LARGE_BYTES)
        .evidence("zeros", trailing.zeros)
        .means(Outcome::Train, Phase::Training, "loaders stop at the end of the picture, and nothing of it is trained on")
        .help("save the image again if the bytes are not wanted");
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_of, healthy};
    use crate::model::{Finding, Level, Trailing};

    fn found(offset: u64, size_bytes: u64, zeros: bool) -> Vec<Finding> {
        let mut facts = healthy("a.jpg");
        facts.decoded.trailing = Some(Trailing { offset, size_bytes, zeros });
        findings_of(&CHECK, &facts)
    }

    #[test]
    fn large_is_more_than_a_mebibyte_or_than_the_picture() {
        assert_eq!(found(4_000_000, 1 << 20, false)[0].level, Level::Info);
        assert_eq!(found(4_000_000, (1 << 20) + 1, false)[0].level, Level::Warning);
        assert_eq!(found(500, 500, true)[0].level, Level::Info);
        assert_eq!(found(500, 501, true)[0].level, Level::Warning);
    }

    #[test]
    fn tells_zeros_from_other_bytes() {
        assert!(found(500, 1, true)[0].message.ends_with("byte 500, all of them zero"));
        assert!(found(500, 1, false)[0].message.ends_with("byte 500, not all of them zero"));
    }

    #[test]
    fn stays_quiet_without_any() {
        assert!(findings_of(&CHECK, &healthy("a.jpg")).is_empty());
        assert!(found(500, 0, true).is_empty());
    }
}
