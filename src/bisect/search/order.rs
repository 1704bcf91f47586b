//! The order in which suspects are tried, and where to cut it. Weights are whole numbers, so that sums are exact.

use crate::bisect::problem::SuspectIndex;

/// Weight of a sample of average suspicion.
const UNIT: f64 = 1_048_576.0;
/// Share of a sample's weight that has nothing to do with its suspicion. It bounds what misleading suspicion costs: no sample
/// weighs less than a quarter of the average, so that none is more than log2(4 n) + 2 cuts away.
const FLOOR: f64 = 0.25;
/// Places to cut that are tried where subsets cannot be tested: the middle, the quarters, the eighths, the sixteenths.
const CUT_LEVELS: u32 = 4;

/// The weight of each sample, by its number.
pub(super) fn weights(suspicion: &[f64]) -> Vec<u64> {
    let usable = |value: f64| value.is_finite() && value > 0.0;
    let known = || suspicion.iter().copied().filter(|&value| usable(value));
    let most = known().fold(0.0, f64::max);
    let least = known().fold(most, f64::min);
    // Divided first, for a sum of the largest numbers is none.
    let share = |value: f64| if most > 0.0 { if usable(value) { value / most } else { least / most } } else { 1.0 };
    let total: f64 = suspicion.iter().map(|&value| share(value)).sum();
    let mean = total / count(suspicion.len()).max(1.0);
    suspicion.iter().map(|&value| whole(UNIT * (FLOOR + (1.0 - FLOOR) * share(value) / mean))).collect()
}

/// A number of samples, which a float holds exactly.
#[expect(clippy::cast_precision_loss, reason = "there are fewer samples than 2^52")]
pub(super) fn count(samples: usize) -> f64 {
    samples as f64
}

/// A weight as a float.
#[expect(clippy::cast_precision_loss, reason = "weights add up to less than 2^53")]
pub(super) fn weight(weight: u64) -> f64 {
    weight as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a weight is above 0, and below 2^32 times UNIT")]
fn whole(weight: f64) -> u64 {
    weight as u64
}

/// Suspects, most suspicious first.
#[derive(Clone, Debug)]
pub(super) struct Order {
    items: Vec<SuspectIndex>,
    /// Weight of all before each place, and in the end of all.
    sums: Vec<u64>,
}

impl Order {
    /// These suspects by weight; those of equal weight by number.
    pub(super) fn new(mut items: Vec<SuspectIndex>, weights: &[u64]) -> Self {
        items.sort_by_key(|&item| (std::cmp::Reverse(weight_of(item, weights)), item));
        Self::of(items, weights)
    }

    fn of(items: Vec<SuspectIndex>, weights: &[u64]) -> Self {
        let mut sums = Vec::with_capacity(items.len() + 1);
        let mut sum = 0;
        sums.push(sum);
        for &item in &items {
            sum += weight_of(item, weights);
            sums.push(sum);
        }
        Self { items, sums }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn items(&self) -> &[SuspectIndex] {
        &self.items
    }

    /// The first so many.
    pub(super) fn prefix(&self, length: usize) -> &[SuspectIndex] {
        self.items.get(..length).unwrap_or(&self.items)
    }

    /// Those between two places.
    pub(super) fn between(&self, from: usize, to: usize) -> &[SuspectIndex] {
        self.items.get(from..to).unwrap_or_default()
    }

    /// Keeps the first so many.
    pub(super) fn truncate(&mut self, length: usize) {
        self.items.truncate(length);
        self.sums.truncate(length + 1);
    }

    /// Takes some out, and says how many of them stood before the place given.
    pub(super) fn remove(&mut self, gone: &[SuspectIndex], place: usize, weights: &[u64]) -> usize {
        let before = self.prefix(place).iter().filter(|item| gone.contains(item)).count();
        let items = self.items.iter().copied().filter(|item| !gone.contains(item)).collect();
        *self = Self::of(items, weights);
        before
    }

    /// Weight of those between two places.
    pub(super) fn mass(&self, from: usize, to: usize) -> u64 {
        let sum = |place: usize| self.sums.get(place).or(self.sums.last()).copied().unwrap_or(0);
        sum(to).saturating_sub(sum(from))
    }

    /// Places between `good` and `bad` to cut at, best first: half of the weight before it, then other shares.
    pub(super) fn cuts(&self, good: usize, bad: usize) -> Vec<usize> {
        let mut cuts = Vec::new();
        let mass = self.mass(good, bad);
        let before = self.mass(0, good);
        for level in 1..=CUT_LEVELS {
            let parts = 1_u64 << level;
            for part in (1..parts).step_by(2) {
                let wanted = before + (mass / parts) * part + (mass % parts) * part / parts;
                let cut = self.place_of(wanted).clamp(good + 1, (bad - 1).max(good + 1));
                if cut < bad && !cuts.contains(&cut) {
                    cuts.push(cut);
                }
            }
        }
        cuts
    }

    /// The place with the sum nearest to this one; the earlier of two that are as near.
    fn place_of(&self, wanted: u64) -> usize {
        let after = self.sums.partition_point(|&sum| sum < wanted);
        let distance = |place: usize| self.sums.get(place).map_or(u64::MAX, |&sum| sum.abs_diff(wanted));
        match after.checked_sub(1) {
            Some(before) if distance(before) <= distance(after) => before,
            _ => after,
        }
    }

    /// Changes the order between two places, each round in another way: backwards first, then mixed.
    pub(super) fn stir(&mut self, good: usize, bad: usize, round: u32, weights: &[u64]) {
        let mut items = std::mem::take(&mut self.items);
        if let Some(part) = items.get_mut(good..bad) {
            if round == 1 {
                part.reverse();
            } else {
                part.sort_by_key(|&item| (mixed(item, round), item));
            }
        }
        *self = Self::of(items, weights);
    }
}

fn weight_of(item: SuspectIndex, weights: &[u64]) -> u64 {
    usize::try_from(item.0).ok().and_then(|index| weights.get(index)).copied().unwrap_or(1)
}

/// A number that is different for each suspect and in each round, in no order.
pub(super) fn mixed(item: SuspectIndex, round: u32) -> u64 {
    let mut state = (u64::from(round) << 32 | u64::from(item.0)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(suspicion: &[f64]) -> Order {
        let items = (0..u32::try_from(suspicion.len()).expect("few")).map(SuspectIndex).collect();
        Order::new(items, &weights(suspicion))
    }

    #[test]
    fn equal_suspects_are_cut_in_the_middle() {
        assert_eq!(order(&[1.0; 8]).cuts(0, 8)[0], 4);
        assert_eq!(order(&[1.0; 8]).cuts(4, 8), [6, 5, 7]);
        assert_eq!(order(&[7.0; 3]).cuts(0, 3), [1, 2]);
    }

    #[test]
    fn a_suspect_that_outweighs_the_others_is_cut_off_alone() {
        let mut suspicion = vec![1.0; 1000];
        suspicion[700] = 1e6;
        let order = order(&suspicion);
        assert_eq!(order.items()[0], SuspectIndex(700));
        assert_eq!(order.cuts(0, 1000)[0], 1);
    }

    #[test]
    fn no_suspicion_is_so_odd_that_it_does_harm() {
        let weights = weights(&[f64::NAN, f64::INFINITY, -1.0, 0.0, f64::MAX, f64::MIN_POSITIVE]);
        assert!(weights.iter().all(|&weight| weight >= 262_144), "{weights:?}");
        assert!(super::weights(&[]).is_empty());
        assert_eq!(super::weights(&[0.0, 0.0]), [1_048_576; 2]);
    }
}
