//! F112: different files that show nearly the same picture.

use std::collections::BTreeSet;

use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, NEAR_DUPLICATE_BITS, Outcome, Phase, Profile, SampleBrief};

declare_check! {
    /// ## What it does
    /// Warns of images whose bytes differ and whose pictures are nearly the same: their perceptual hashes of 64 bits differ in at
    /// most 8 bits. A group is one finding; every picture in it is that near to the first one. Copies of the same bytes are
    /// duplicate-content (F111), and blank pictures (I113) are not compared.
    ///
    /// ## Why it matters
    /// A picture that is there in three sizes is trained on three times as often as the others, and is what the model repeats most
    /// faithfully. Where part of the dataset is set aside for validation, the copies make the validation loss look better than it
    /// is. A small dataset of a person is most often spoilt this way.
    ///
    /// ## Example
    /// `cat.png` and the smaller `cat.jpg` of a preview; ten frames of a burst; the same picture with another brightness.
    ///
    /// ## What to do
    /// Look at the pictures, and keep the best of each group. Variations that are meant may stay.
    F112 "near-duplicate", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let mut seen = BTreeSet::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut firsts = Firsts::new();
    for sample in facts.samples.iter().filter(|sample| sample.is_usable()) {
        let Some(phash) = sample.phash else { continue };
        // Of files with the same bytes the first stands for all.
        if sample.content.is_some_and(|content| !seen.insert(content)) {
            continue;
        }
        if let Some((group, distance)) = firsts.nearest(phash)
            && let Some(group) = groups.get_mut(group)
        {
            group.others.push((sample, distance));
        } else {
            firsts.push(phash);
            groups.push(Group { first: sample, others: Vec::new() });
        }
    }
    for Group { first, others } in groups.iter().filter(|group| !group.others.is_empty()) {
        let paths = std::iter::once(*first).chain(others.iter().map(|(sample, _)| *sample)).map(|sample| sample.path.clone()).collect();
        let farthest = others.iter().map(|(_, distance)| *distance).max().unwrap_or_default();
        let count = others.len() + 1;
        let message = format!(
            "{} are nearly the same: their perceptual hashes differ from that of the first in at most {} of 64, and up to {NEAR_DUPLICATE_BITS} is near",
            counted(count, "picture"),
            counted(farthest as usize, "bit"),
        );
        out.report_all(paths, message)
            .evidence("first", first.path.as_str())
            .evidence("farthest_bits", farthest)
            .evidence("limit_bits", NEAR_DUPLICATE_BITS)
            .means(Outcome::Distort, Phase::Training, format!("the picture is trained on {count} times as often as others"))
            .help("look at the pictures, and keep the best of them");
    }
}

/// A picture and those that are near to it.
struct Group<'a> {
    first: &'a SampleBrief,
    others: Vec<(&'a SampleBrief, u32)>,
}

/// Parts that a hash is cut into for the index.
const BANDS: u32 = 5;

/// Bits of a part; the last one has 12.
const BAND_BITS: usize = 13;

/// Bits that may differ in the part that differs least: if all parts differed in more, the whole would differ in more than
/// [`NEAR_DUPLICATE_BITS`].
const BAND_BITS_OFF: u32 = NEAR_DUPLICATE_BITS / BANDS;

/// Hashes of the first pictures of groups, to be asked for the nearest.
///
/// Every hash stands in five tables, one for each 13 bits of it, and a hash near to it is found in one of them under its own 13
/// bits with at most [`BAND_BITS_OFF`] of them changed. So 70 slots of tables with 8,192 are looked at, which compares a hash with
/// one in a hundred of the others, twenty times fewer than comparing all pairs would.
struct Firsts {
    count: usize,
    by_band: [Vec<Vec<(u64, usize)>>; BANDS as usize],
    changes: Vec<u16>,
}

impl Firsts {
    fn new() -> Self {
        Self {
            count: 0,
            by_band: std::array::from_fn(|_| vec![Vec::new(); 1 << BAND_BITS]),
            changes: (0..1 << BAND_BITS).filter(|change: &u16| change.count_ones() <= BAND_BITS_OFF).collect(),
        }
    }

    fn push(&mut self, hash: u64) {
        for (table, band) in self.by_band.iter_mut().zip(bands(hash)) {
            if let Some(slot) = table.get_mut(usize::from(band)) {
                slot.push((hash, self.count));
            }
        }
        self.count += 1;
    }

    /// The number of the nearest hash, the earliest of those that are equally near, and in how many bits it differs.
    fn nearest(&self, hash: u64) -> Option<(usize, u32)> {
        self.candidates(hash)
            .map(|&(other, number)| ((hash ^ other).count_ones(), number))
            .filter(|(distance, _)| *distance <= NEAR_DUPLICATE_BITS)
            .min()
            .map(|(distance, number)| (number, distance))
    }

    /// Every hash that may be near, some of them more than once.
    fn candidates(&self, hash: u64) -> impl Iterator<Item = &(u64, usize)> {
        let tables = self.by_band.iter().zip(bands(hash));
        tables.flat_map(|(table, band)| self.changes.iter().filter_map(move |change| table.get(usize::from(band ^ change)))).flatten()
    }
}

/// The parts of a hash.
fn bands(hash: u64) -> [u16; BANDS as usize] {
    let mask = (1 << BAND_BITS) - 1;
    std::array::from_fn(|band| u16::try_from(hash >> (BAND_BITS * band) & mask).expect("13 bits fit"))
}

#[cfg(test)]
mod tests {
    use super::{CHECK, Firsts, NEAR_DUPLICATE_BITS};
    use crate::checks::support::{findings_in, hash_of, healthy};
    use crate::model::{Fault, FaultKind, Finding, Inventory, RelPath, SampleFacts, SampleIndex};

    const HASH: u64 = 0x1234_5678_9abc_def0;

    fn samples(hashes: &[u64]) -> Vec<SampleFacts> {
        hashes
            .iter()
            .zip(0..)
            .map(|(&phash, at)| {
                let mut facts = healthy(&format!("{at:06}.png"));
                facts.sample.index = SampleIndex(at);
                facts.decoded.pixels.as_mut().unwrap().phash = phash;
                facts
            })
            .collect()
    }

    fn found(samples: &[SampleFacts]) -> Vec<Finding> {
        findings_in(&CHECK, samples, Inventory::default())
    }

    /// Numbers without pattern (xorshift64*).
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        std::iter::successors(Some(seed), |state| {
            let state = state ^ (state >> 12);
            let state = state ^ (state << 25);
            Some(state ^ (state >> 27))
        })
        .skip(1)
        .map(|state| state.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    #[test]
    fn eight_bits_are_near_and_nine_are_not() {
        let findings = found(&samples(&[HASH, HASH ^ 0x8000_0101_0101_0007, HASH ^ 0x1ff]));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].paths.iter().map(RelPath::as_str).collect::<Vec<_>>(), ["000000.png", "000001.png"]);
        assert_eq!(
            findings[0].message,
            "2 pictures are nearly the same: their perceptual hashes differ from that of the first in at most 8 bits of 64, and up to 8 is near"
        );
        assert_eq!(findings[0].evidence["first"], "000000.png");
    }

    #[test]
    fn a_chain_does_not_join_what_is_far_apart() {
        // Each is near to the one before it, and the third is not near to the first.
        let findings = found(&samples(&[HASH, HASH ^ 0x1f, HASH ^ 0x1f ^ 0x1f00]));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].paths.len(), 2);
    }

    #[test]
    fn exact_duplicates_blank_and_lost_pictures_are_not_compared() {
        let mut copies = samples(&[HASH, HASH]);
        for facts in &mut copies {
            facts.content = Some(hash_of("one"));
        }
        assert!(found(&copies).is_empty());

        let mut blank = samples(&[HASH, HASH]);
        blank[1].decoded.pixels.as_mut().unwrap().blank = true;
        assert!(found(&blank).is_empty());

        let mut lost = samples(&[HASH, HASH]);
        lost[1].refuse(Fault::new(FaultKind::Truncated, "the data ends"));
        assert!(found(&lost).is_empty());
    }

    #[test]
    fn the_index_finds_what_comparing_with_all_finds() {
        let mut firsts = Firsts::new();
        let mut hashes: Vec<u64> = Vec::new();
        let (mut near, mut far) = (0, 0);
        let mut random = numbers(7);
        for round in 0..3_000_u32 {
            // A known hash with 0 to 9 flips anywhere, so that distances lie on both sides of the limit.
            let mut hash = random.next().unwrap();
            if round % 3 != 0 {
                hash = hashes[usize::try_from(hash % hashes.len() as u64).unwrap()];
                for _ in 0..round % 10 {
                    hash ^= 1 << (random.next().unwrap() % 64);
                }
            }
            let wanted = (0..hashes.len())
                .map(|at| ((hash ^ hashes[at]).count_ones(), at))
                .min()
                .filter(|(distance, _)| *distance <= NEAR_DUPLICATE_BITS)
                .map(|(distance, at)| (at, distance));
            assert_eq!(firsts.nearest(hash), wanted, "{hash:#x}");
            *(if wanted.is_some() { &mut near } else { &mut far }) += 1;
            firsts.push(hash);
            hashes.push(hash);
        }
        assert!(near > 500 && far > 500, "{near} near, {far} far");
    }

    #[test]
    fn a_hundred_thousand_hashes_are_compared_with_few_others() {
        let mut firsts = Firsts::new();
        for hash in numbers(3).take(100_000) {
            firsts.push(hash);
        }
        let compared: usize = numbers(9).take(100).map(|hash| firsts.candidates(hash).count()).sum();
        assert!(compared / 100 < 1_500, "a hash is compared with {} of 100,000", compared / 100);
    }
}
