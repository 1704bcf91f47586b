//! What is believed of each suspect, and of the rate, after failures and passes.
//!
//! All that counts of a suspect is how many passes it took part in: under a rate r, each makes it 1 - r times as likely. So the
//! probability of a suspect is its weight times a number for its count of passes, and that number is a sum over rates.

use super::bits::Bits;
use super::order::{Order, mixed, weight};
use super::run::Outlook;
use super::{SuspectIndex, Verdict};
use crate::bisect::problem::{Flaky, SearchOptions};

/// Rates that are reckoned with: so many equal steps up to 1.
const RATES: u32 = 20;

#[derive(Clone, Copy, Debug)]
struct Suspect {
    item: SuspectIndex,
    weight: f64,
    passes: u32,
}

/// What is believed of each suspect.
#[derive(Clone, Debug)]
pub(super) struct Belief {
    /// Those that took part in every failure, in the order of suspicion.
    suspects: Vec<Suspect>,
    /// Rates that it may have.
    rates: Vec<f64>,
    failures: i32,
}

impl Belief {
    pub(super) fn new(order: &Order, weights: &[u64], options: &SearchOptions) -> Self {
        let weight_of =
            |item: SuspectIndex| usize::try_from(item.0).ok().and_then(|index| weights.get(index)).map_or(1.0, |&it| weight(it));
        let suspects = order.items().iter().map(|&item| Suspect { item, weight: weight_of(item), passes: 0 }).collect();
        let rates = match options.flaky {
            Flaky::Assume(rate) => vec![rate.clamp(0.01, 0.99)],
            // A little below 1, where a pass would be a proof: there were passes that it speaks against.
            _ => (1..=RATES).map(|step| (f64::from(step) / f64::from(RATES)).min(0.99)).collect(),
        };
        Self { suspects, rates, failures: 0 }
    }

    /// Takes the verdict of a subset into account.
    pub(super) fn learn(&mut self, subset: &Bits, verdict: Verdict) {
        match verdict {
            Verdict::Untestable => {}
            Verdict::Good => {
                for suspect in &mut self.suspects {
                    suspect.passes += u32::from(subset.has(suspect.item));
                }
            }
            Verdict::Bad => {
                self.failures = self.failures.saturating_add(1);
                // With several culprits the failures need not have one in common; the smaller subset then counts.
                if self.suspects.iter().any(|suspect| subset.has(suspect.item)) {
                    self.suspects.retain(|suspect| subset.has(suspect.item));
                }
            }
        }
    }

    /// Those that took part in every failure.
    pub(super) fn possible(&self) -> impl Iterator<Item = SuspectIndex> {
        self.suspects.iter().map(|suspect| suspect.item)
    }

    /// For each number of passes, how likely it is under each rate, with what was seen of failures; by the largest.
    fn likelihoods(&self) -> Vec<Vec<f64>> {
        let most = self.suspects.iter().map(|suspect| suspect.passes).max().unwrap_or(0);
        let least = self.suspects.iter().map(|suspect| suspect.passes).min().unwrap_or(0);
        let logarithm = |passes: u32, rate: f64| f64::from(self.failures) * rate.ln() + f64::from(passes) * (1.0 - rate).ln();
        let top = self.rates.iter().map(|&rate| logarithm(least, rate)).fold(f64::NEG_INFINITY, f64::max);
        (0..=most).map(|passes| self.rates.iter().map(|&rate| (logarithm(passes, rate) - top).min(700.0).exp()).collect()).collect()
    }

    /// The probability of each, in the order of suspicion, and the rate to expect.
    fn probabilities(&self) -> (Vec<(SuspectIndex, f64)>, f64) {
        let likelihoods = self.likelihoods();
        let sums: Vec<f64> = likelihoods.iter().map(|row| row.iter().sum()).collect();
        let means: Vec<f64> = likelihoods.iter().map(|row| row.iter().zip(&self.rates).map(|(share, rate)| share * rate).sum()).collect();
        let at = |table: &[f64], passes: u32| usize::try_from(passes).ok().and_then(|place| table.get(place)).copied().unwrap_or(0.0);
        let total: f64 = self.suspects.iter().map(|suspect| suspect.weight * at(&sums, suspect.passes)).sum();
        let rate: f64 = self.suspects.iter().map(|suspect| suspect.weight * at(&means, suspect.passes)).sum();
        let total = total.max(f64::MIN_POSITIVE);
        let shares = self.suspects.iter().map(|suspect| (suspect.item, suspect.weight * at(&sums, suspect.passes) / total)).collect();
        (shares, (rate / total).clamp(0.01, 0.99))
    }

    /// The rate to expect.
    pub(super) fn rate(&self) -> f64 {
        self.probabilities().1
    }

    pub(super) fn outlook(&self) -> Outlook {
        let (shares, rate) = self.probabilities();
        Outlook::at_rate(shares, rate)
    }

    /// The subset whose trial tells most, and the probability that the culprit is in it. After subsets that could not be tested
    /// it is another one each time.
    pub(super) fn choose(&self, confidence: f64, untestable: u32) -> (Vec<SuspectIndex>, f64) {
        let (mut shares, rate) = self.probabilities();
        let tie = |item: SuspectIndex| if untestable == 0 { 0 } else { mixed(item, untestable) };
        if untestable > 1 {
            // Those of like probability change places, for the order among them may be what cannot be tested.
            shares.sort_by_key(|&(item, share)| (std::cmp::Reverse(magnitude(share)), tie(item), item));
        } else {
            // Stable: those of equal probability stay in the order of suspicion.
            shares.sort_by(|left, right| right.1.total_cmp(&left.1));
        }
        let wanted = if shares.first().is_some_and(|&(_, share)| share >= confidence) { 0.0 } else { best_mass(rate) };
        let mut mass = 0.0;
        let mut subset = Vec::new();
        for (item, share) in shares {
            // As near to what is wanted as it goes, and never nobody.
            if !subset.is_empty() && (mass >= wanted || mass + share - wanted > wanted - mass) {
                break;
            }
            mass += share;
            subset.push(item);
        }
        (subset, mass)
    }
}

/// The power of 2 that a probability has.
fn magnitude(share: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "a logarithm of a float is below 1100")]
    let power = share.max(f64::MIN_POSITIVE).log2().floor() as i32;
    power
}

/// Probability of the culprit's presence at which a trial tells most, if it fails at this rate when present: a Z channel.
fn best_mass(rate: f64) -> f64 {
    let rate = rate.clamp(0.01, 1.0);
    let noise = if rate < 1.0 { -rate * rate.ln() - (1.0 - rate) * (1.0 - rate).ln() } else { 0.0 };
    1.0 / (rate * (1.0 + (noise / rate).exp()))
}

/// The most bits that a trial can tell at this rate.
pub(super) fn capacity(rate: f64) -> f64 {
    let rate = rate.clamp(0.01, 1.0);
    if rate >= 1.0 { 1.0 } else { (rate * (1.0 - rate).powf((1.0 - rate) / rate)).ln_1p() / std::f64::consts::LN_2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn belief(samples: u32, options: &SearchOptions) -> Belief {
        let items: Vec<_> = (0..samples).map(SuspectIndex).collect();
        let weights = vec![1_048_576; items.len()];
        Belief::new(&Order::new(items, &weights), &weights, options)
    }

    #[test]
    fn a_trial_tells_less_the_rarer_the_failure() {
        assert!((capacity(1.0) - 1.0).abs() < 1e-9);
        // The Z channel with a crossover of one half: log2(5/4), reached at a mass of 2/5.
        assert!((capacity(0.5) - 0.321_928).abs() < 1e-6);
        assert!((best_mass(0.5) - 0.4).abs() < 1e-9);
        assert!((best_mass(1.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_pass_halves_the_odds_at_a_rate_of_one_half() {
        let mut belief = belief(2, &SearchOptions { flaky: Flaky::Assume(0.5), ..SearchOptions::default() });
        belief.learn(&Bits::of(&[SuspectIndex(0)]), Verdict::Good);
        let (shares, _) = belief.probabilities();
        assert!((shares[0].1 - 1.0 / 3.0).abs() < 1e-9, "{shares:?}");
    }

    #[test]
    fn a_failure_clears_all_that_took_no_part() {
        let mut belief = belief(10, &SearchOptions::default());
        belief.learn(&Bits::of(&[SuspectIndex(3), SuspectIndex(4)]), Verdict::Bad);
        assert_eq!(belief.possible().collect::<Vec<_>>(), [SuspectIndex(3), SuspectIndex(4)]);
    }

    #[test]
    fn silence_lowers_the_rate_that_is_believed_in() {
        let mut belief = belief(4, &SearchOptions::default());
        let all: Vec<_> = (0..4).map(SuspectIndex).collect();
        belief.learn(&Bits::of(&all), Verdict::Bad);
        let before = belief.rate();
        for _ in 0..5 {
            belief.learn(&Bits::of(&all), Verdict::Good);
        }
        assert!(belief.rate() < before - 0.2, "{before} -> {}", belief.rate());
    }
}
