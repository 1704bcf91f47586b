//! How suspicious a sample is, from what is known of it and of the others.

use std::collections::BTreeMap;

use crate::model::{Level, Size};

/// What each fact adds to the suspicion of a sample, in units of that of an ordinary one. They are odds by judgement: a file that
/// is known to stop a trainer outweighs a whole dataset of ordinary ones, a warning some dozens, an oddity a few.
pub mod weight {
    /// A sample that nothing is known of.
    pub const ORDINARY: f64 = 1.0;
    /// A finding of level error.
    pub const ERROR: f64 = 10_000.0;
    /// A finding of level warning.
    pub const WARNING: f64 = 30.0;
    /// A finding of level info.
    pub const INFO: f64 = 2.0;
    /// A mode that no other sample has. A mode that n have adds this divided by n, if they are at most a twentieth of all.
    pub const LONE_MODE: f64 = 40.0;
    /// The same for a format.
    pub const LONE_FORMAT: f64 = 20.0;
    /// The same for a bucket.
    pub const LONE_BUCKET: f64 = 10.0;
    /// For each doubling of the number of pixels above twice the median, and of the file's size above four times the median.
    pub const DOUBLING: f64 = 5.0;
    /// The newest file: what was added last is what changed. The one before it adds half of this, and so on.
    pub const NEWEST: f64 = 10.0;
}

/// What is known of a sample before the search. What is not known is `None` and adds nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Path relative to the root.
    pub path: String,
    /// Codes of its findings, worst first.
    pub findings: Vec<String>,
    /// Level of the worst of them.
    pub worst: Option<Level>,
    /// Mode, as Pillow spells it.
    pub mode: Option<String>,
    /// Format by content, as Pillow spells it.
    pub format: Option<String>,
    /// Size in pixels.
    pub size: Option<Size>,
    /// Size of the file in bytes.
    pub size_bytes: u64,
    /// The bucket it is put in.
    pub bucket: Option<Size>,
    /// When the file was changed, in seconds since 1970.
    pub modified: Option<u64>,
    /// Caption, mask, control images and caches that go where it goes, relative to the root.
    pub companions: Vec<String>,
}

/// How suspicious a sample is.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspicion {
    /// In units of the suspicion of an ordinary sample.
    pub suspicion: f64,
    /// Why, in words.
    pub reasons: Vec<String>,
}

/// How suspicious each sample is among the others, in the order given.
#[must_use]
pub fn suspicions(facts: &[Facts]) -> Vec<Suspicion> {
    let modes = Shares::of(facts.iter().map(|sample| sample.mode.as_ref()));
    let formats = Shares::of(facts.iter().map(|sample| sample.format.as_ref()));
    let buckets = Shares::of(facts.iter().map(|sample| sample.bucket.as_ref()));
    let pixels = median(facts.iter().filter_map(|sample| sample.size).map(Size::pixels).collect());
    let bytes = median(facts.iter().map(|sample| sample.size_bytes).collect());
    let mut newest: Vec<u64> = facts.iter().filter_map(|sample| sample.modified).collect();
    newest.sort_unstable_by(|left, right| right.cmp(left));
    facts
        .iter()
        .map(|sample| {
            let mut reasons = Vec::new();
            let mut suspicion = weight::ORDINARY;
            let mut add = |more: f64, reason: String| {
                suspicion += more;
                reasons.push(reason);
            };
            if let Some(level) = sample.worst {
                let more = match level {
                    Level::Error => weight::ERROR,
                    Level::Warning => weight::WARNING,
                    Level::Info => weight::INFO,
                };
                let reason = match sample.findings.first() {
                    Some(code) => format!("{code}, a finding of level {level}"),
                    None => format!("a finding of level {level}"),
                };
                add(more, reason);
            }
            if let Some((mode, count)) = sample.mode.as_ref().and_then(|mode| modes.rare(mode)) {
                add(weight::LONE_MODE / f64::from(count), format!("mode {mode}, which {} have", of_all(count, facts.len())));
            }
            if let Some((format, count)) = sample.format.as_ref().and_then(|format| formats.rare(format)) {
                add(weight::LONE_FORMAT / f64::from(count), format!("format {format}, which {} have", of_all(count, facts.len())));
            }
            if let Some((bucket, count)) = sample.bucket.as_ref().and_then(|bucket| buckets.rare(bucket)) {
                add(weight::LONE_BUCKET / f64::from(count), format!("bucket {bucket}, which {} are in", of_all(count, facts.len())));
            }
            if let Some(size) = sample.size
                && let Some(doublings) = doublings_above(size.pixels(), pixels.saturating_mul(2))
            {
                add(weight::DOUBLING * doublings, format!("{size} pixels, more than twice the median"));
            }
            if let Some(doublings) = doublings_above(sample.size_bytes, bytes.saturating_mul(4)) {
                add(weight::DOUBLING * doublings, format!("{} bytes, more than four times the median", sample.size_bytes));
            }
            if let Some(modified) = sample.modified
                && newest.first() != newest.last()
            {
                // Files that were written together share a place: it is the last of theirs.
                let rank = newest.partition_point(|&other| other >= modified).saturating_sub(1);
                if let Some(halvings) = i32::try_from(rank).ok().filter(|&rank| rank < 4) {
                    add(weight::NEWEST * 0.5_f64.powi(halvings), "among the newest files".to_owned());
                }
            }
            Suspicion { suspicion, reasons }
        })
        .collect()
}

fn of_all(count: u32, all: usize) -> String {
    format!("{count} of {all}")
}

/// How many samples share a value.
struct Shares<'a, T> {
    counts: BTreeMap<&'a T, u32>,
    known: u32,
}

impl<'a, T: Ord> Shares<'a, T> {
    fn of(values: impl Iterator<Item = Option<&'a T>>) -> Self {
        let mut shares = Self { counts: BTreeMap::new(), known: 0 };
        for value in values.flatten() {
            *shares.counts.entry(value).or_insert(0) += 1;
            shares.known = shares.known.saturating_add(1);
        }
        shares
    }

    /// The value with the number of those that have it, if they are few: at most a twentieth, or one of at least five.
    fn rare(&self, value: &'a T) -> Option<(&'a T, u32)> {
        let count = *self.counts.get(value)?;
        (u64::from(count) * 20 <= u64::from(self.known)
            || count == 1 && self.known >= 5 && self.counts.len() * 2 <= usize::try_from(self.known).ok()?)
        .then_some((value, count))
    }
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

/// How many times a value is twice the limit; `None` if it is not above it, or there is none.
fn doublings_above(value: u64, limit: u64) -> Option<f64> {
    if value <= limit || limit == 0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a ratio need not be exact")]
    let ratio = value as f64 / limit as f64;
    Some(ratio.log2() + 1.0)
}

/// Samples that are alike, for tests.
#[cfg(test)]
pub(super) fn alike(count: u32) -> Vec<Facts> {
    (0..count)
        .map(|number| Facts {
            path: format!("{number:03}.png"),
            mode: Some("RGB".to_owned()),
            format: Some("PNG".to_owned()),
            size: Some(Size::new(512, 512)),
            size_bytes: 1000,
            modified: Some(7),
            ..Facts::default()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fact_makes_a_sample_the_most_suspicious() {
        type Change = fn(&mut Facts);
        let changes: [(&str, Change); 7] = [
            ("a finding of level warning", |sample| sample.worst = Some(Level::Warning)),
            ("mode CMYK, which 1 of 40 have", |sample| sample.mode = Some("CMYK".to_owned())),
            ("format TIFF, which 1 of 40 have", |sample| sample.format = Some("TIFF".to_owned())),
            ("8192x8192 pixels, more than twice the median", |sample| sample.size = Some(Size::new(8192, 8192))),
            ("9000 bytes, more than four times the median", |sample| sample.size_bytes = 9000),
            ("among the newest files", |sample| sample.modified = Some(8)),
            ("a finding of level info", |sample| sample.worst = Some(Level::Info)),
        ];
        for (reason, change) in changes {
            let mut facts = alike(40);
            change(&mut facts[17]);
            let suspicions = suspicions(&facts);
            let highest = suspicions.iter().map(|it| it.suspicion).fold(0.0, f64::max);
            assert!((suspicions[17].suspicion - highest).abs() < f64::EPSILON && highest > weight::ORDINARY);
            assert_eq!(suspicions[17].reasons, [reason]);
        }
    }
}
