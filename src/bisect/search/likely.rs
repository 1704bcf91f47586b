//! The search when the failure comes and goes: a probability for each suspect, and the trial that tells most.
//!
//! A failure is certain: the culprit was in the subset. A pass only makes those in the subset less likely, the more so the
//! higher the rate. The rate is not known either: what was seen so far is weighed under each rate that it may have, so a long
//! silence lowers the rate that is believed in. Who reaches the confidence asked for is run alone, and is the culprit only if
//! that fails.

use super::belief::{Belief, capacity};
use super::order::Order;
use super::run::{Found, Halt, Outlook, Question, Run, ceil, most_trials};
use super::{Purpose, Verdict};

/// A silence as improbable as this, if there were a single culprit, means that there is none: several fail together.
const IMPROBABLE: f64 = 0.01;
/// Untestable subsets in a row before the search gives up.
const MOST_UNTESTABLE: u32 = 16;

impl Run<'_> {
    /// One culprit among those that fail together now and then.
    pub(super) fn likely(&mut self, rest: &Order) -> Result<Found, Halt> {
        let mut belief = Belief::new(rest, self.weights, self.options);
        for answer in self.record.iter().take(self.at) {
            let is_explained = self.culprits.iter().any(|culprit| culprit.iter().all(|&item| answer.suspects.has(item)));
            if answer.verdict != Verdict::Bad || !is_explained {
                belief.learn(&answer.suspects, answer.verdict);
            }
        }
        self.limit = self.at.saturating_add(self.most_likely_trials(&belief, rest));
        let mut untestable = 0;
        let mut silence = 0.0;
        while untestable < MOST_UNTESTABLE {
            let confidence = self.options.confidence;
            let verdict = self.once(|| {
                let (suspects, chance) = belief.choose(confidence, untestable);
                let is_alone = suspects.len() == 1;
                Question {
                    purpose: if is_alone { Purpose::VerifyAlone } else { Purpose::Narrow },
                    expects: is_alone.then_some(Verdict::Bad),
                    suspects,
                    chance,
                    outlook: belief.outlook(),
                }
            })?;
            let Some(answer) = self.record.get(self.at - 1) else { break };
            belief.learn(&answer.suspects, verdict);
            match verdict {
                Verdict::Untestable => untestable += 1,
                Verdict::Bad if answer.purpose == Purpose::VerifyAlone => {
                    return Ok(Found::Culprit(belief.possible().collect(), 0));
                }
                Verdict::Bad => (silence, untestable) = (0.0, 0),
                Verdict::Good => {
                    silence += (1.0 - answer.chance * self.rate()).max(1e-9).ln();
                    untestable = 0;
                }
            }
            if silence < IMPROBABLE.ln() {
                return self.together(&belief);
            }
        }
        Ok(Found::Narrowed(belief.outlook()))
    }

    /// The smallest set that fails, of those that failed together last: each subset is run until it is clear.
    fn together(&mut self, belief: &Belief) -> Result<Found, Halt> {
        let order = Order::new(belief.possible().collect(), self.weights);
        let repeats = self.runs_to_pass();
        self.limit = self.at.saturating_add(most_trials(order.len(), repeats));
        self.minimal(&order, 0, repeats)
    }

    /// A bound on the trials of this part: many times what is to be expected.
    fn most_likely_trials(&self, belief: &Belief, rest: &Order) -> usize {
        let bits = super::order::count(rest.len().max(2)).log2() + 4.0;
        let expected = bits / capacity(self.rate().min(belief.rate())).max(1e-3) + 2.0 / self.rate().max(1e-3);
        usize::try_from(ceil(6.0 * expected + 64.0)).unwrap_or(usize::MAX)
    }
}

impl Outlook {
    /// What a search of this entropy takes at this rate: the entropy at the most that a trial can tell, and one failure alone.
    pub(super) fn at_rate(possible: Vec<(super::SuspectIndex, f64)>, rate: f64) -> Self {
        let bits: f64 = possible.iter().map(|&(_, share)| if share > 0.0 { -share * share.log2() } else { 0.0 }).sum();
        let expected = bits / capacity(rate).max(1e-3) + 1.0 / rate.max(1e-3);
        let mut outlook = Self { possible, expected, worst: ceil(6.0 * expected + 64.0) };
        outlook.sort();
        outlook
    }
}
