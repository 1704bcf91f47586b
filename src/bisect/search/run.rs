//! The search as a story. It is told from the beginning after each verdict: questions that were answered before are answered
//! from the record, and the first that was not is the next trial. So there is no state but the record.

use super::bits::Bits;
use super::order::{Order, count, weight};
use super::{Conclusion, PremiseFailure, Purpose, Remaining, State, Verdict};
use crate::bisect::problem::{Flaky, Problem, SearchOptions, SuspectIndex};

/// Trials of one subset at most, to be sure that it passes.
const MOST_REPEATS: u32 = 40;
/// A rate from which on a failure is taken to show always.
const RELIABLE: f64 = 0.98;

/// A question that was answered.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) purpose: Purpose,
    pub(super) suspects: Bits,
    pub(super) chance: f64,
    pub(super) verdict: Verdict,
}

/// A question that was not: the next trial, and what is known before it.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) purpose: Purpose,
    pub(super) suspects: Vec<SuspectIndex>,
    pub(super) expects: Option<Verdict>,
    /// Probability that it fails, as far as the search reckons with such.
    pub(super) chance: f64,
    pub(super) outlook: Outlook,
}

/// Who may be the culprit, and what it takes to know it.
#[derive(Clone, Debug, Default)]
pub(super) struct Outlook {
    pub(super) possible: Vec<(SuspectIndex, f64)>,
    pub(super) expected: f64,
    pub(super) worst: u32,
}

impl Outlook {
    /// Of suspects by weight, when some are certain to be part of it.
    pub(super) fn of(order: &Order, from: usize, to: usize, certain: &[SuspectIndex], after: u32) -> Self {
        let all = weight(order.mass(from, to)).max(1.0);
        let (mut bits, mut least) = (0.0, u64::MAX);
        let mut possible: Vec<_> = certain.iter().map(|&item| (item, 1.0)).collect();
        for (place, &item) in (from..).zip(order.between(from, to)) {
            let mass = order.mass(place, place + 1);
            let share = weight(mass) / all;
            least = least.min(mass);
            bits -= share * share.log2();
            possible.push((item, share));
        }
        let smallest = weight(least.min(order.mass(from, to)).max(1)) / all;
        // Equal halves need no trial more than the logarithm says; unequal ones may need one or two.
        let uneven = u32::from(count(to.saturating_sub(from)) * smallest < 0.999) * 2;
        let worst = ceil(-smallest.log2()) + uneven;
        let mut outlook = Self { possible, expected: bits + f64::from(after), worst: worst + after };
        outlook.sort();
        outlook
    }

    pub(super) fn sort(&mut self) {
        self.possible.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    }

    pub(super) fn remaining(&self, minutes_per_trial: f64) -> Remaining {
        Remaining { expected_trials: self.expected, worst_trials: self.worst, expected_minutes: self.expected * minutes_per_trial }
    }
}

/// A small float rounded up, as a number of trials.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
pub(super) fn ceil(trials: f64) -> u32 {
    (trials - 1e-9).ceil() as u32
}

/// Why the story stops before its end.
pub(super) enum Halt {
    /// For want of an answer.
    Ask(Box<Question>),
    /// The bound on trials is reached.
    Spent(Outlook),
}

/// How the search for one culprit ended.
pub(super) enum Found {
    /// A culprit, and how many of the order's first were seen to pass together.
    Culprit(Vec<SuspectIndex>, usize),
    /// Nothing testable is left.
    Narrowed(Outlook),
    /// Verdicts contradict each other.
    Flaky,
}

/// Runs of a set that should fail.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rate {
    pub(super) bad: u32,
    pub(super) runs: u32,
}

/// The story, as far as it has been told.
pub(super) struct Run<'a> {
    pub(super) options: &'a SearchOptions,
    pub(super) weights: &'a [u64],
    pub(super) record: &'a [Answer],
    /// How many answers were used.
    pub(super) at: usize,
    /// How many may be.
    pub(super) limit: usize,
    pub(super) is_flaky: bool,
    pub(super) rate: Rate,
    pub(super) culprits: Vec<Vec<SuspectIndex>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(problem: &'a Problem, weights: &'a [u64], record: &'a [Answer]) -> Self {
        let options = &problem.options;
        let mut run =
            Self { options, weights, record, at: 0, limit: usize::MAX, is_flaky: false, rate: Rate::default(), culprits: Vec::new() };
        run.is_flaky = run.repeat() == 1 && matches!(options.flaky, Flaky::Assume(rate) if rate < RELIABLE);
        run
    }

    /// The whole search.
    pub(super) fn tell(&mut self, everybody: &Order) -> Result<Conclusion, Halt> {
        if let Err(why) = self.premise(everybody)? {
            return Ok(self.conclusion(State::PremiseFailed { why }, Outlook::default()));
        }
        let mut rest = everybody.clone();
        let mut good = 0;
        loop {
            self.bound(&rest);
            let (culprit, passed) = match self.find(&rest, good)? {
                Found::Culprit(culprit, passed) => (culprit, passed),
                Found::Narrowed(outlook) => return Ok(self.conclusion(State::Narrowed, outlook)),
                Found::Flaky => return Ok(self.conclusion(State::Narrowed, Outlook::of(&rest, 0, rest.len(), &[], 0))),
            };
            good = passed.saturating_sub(rest.remove(&culprit, passed, self.weights));
            if self.is_flaky {
                self.learn_rate(&culprit);
            }
            self.culprits.push(culprit);
            if rest.len() == 0 {
                return Ok(self.conclusion(State::Proven, Outlook::default()));
            }
            // What verifies has bounds of its own, and a culprit that was proven is not given up for want of a trial.
            self.limit = usize::MAX;
            let verdict = self.rest_passes(&rest)?;
            if verdict == Verdict::Good {
                return Ok(self.conclusion(State::Proven, Outlook::default()));
            }
            if verdict == Verdict::Bad && self.everything_fails(&rest)? {
                self.culprits.clear();
                let why = PremiseFailure::EverythingFails;
                return Ok(self.conclusion(State::PremiseFailed { why }, Outlook::default()));
            }
            if !self.options.all || verdict == Verdict::Untestable {
                return Ok(self.conclusion(State::Proven, Outlook::of(&rest, good, rest.len(), &[], 0)));
            }
        }
    }

    /// What comes out if it ends here.
    pub(super) fn conclusion(&self, state: State, outlook: Outlook) -> Conclusion {
        let failure_rate = self.is_flaky.then(|| self.rate());
        Conclusion { state, culprits: self.culprits.clone(), suspects: outlook.possible, failure_rate }
    }

    /// One culprit among those that fail together, of whom the first `good` pass together.
    fn find(&mut self, rest: &Order, good: usize) -> Result<Found, Halt> {
        if !self.is_flaky {
            match self.minimal(rest, good, self.repeat())? {
                Found::Flaky => {}
                found => return Ok(found),
            }
            self.is_flaky = true;
            self.measure(rest)?;
        }
        self.likely(rest)
    }

    /// Whether all but the culprits pass.
    fn rest_passes(&mut self, rest: &Order) -> Result<Verdict, Halt> {
        // Whoever wants all of them wants to be surer that there is no other.
        let looks = if self.options.all && self.options.flaky == Flaky::Detect { 2 } else { 1 };
        let runs = if self.is_flaky { self.runs_to_pass() } else { self.repeat().max(looks) };
        let before = self.at;
        let question = || Question {
            purpose: Purpose::VerifyRest,
            suspects: rest.items().to_vec(),
            expects: Some(Verdict::Good),
            chance: 0.0,
            outlook: Outlook { expected: f64::from(runs), worst: runs, ..Outlook::of(rest, 0, rest.len(), &[], 0) },
        };
        let verdict = self.ask(runs, question)?;
        if verdict == Verdict::Bad {
            // The next culprit has a rate of its own.
            self.rate = Rate { bad: 1, runs: u32::try_from(self.at - before).unwrap_or(u32::MAX) };
            if self.is_flaky {
                self.measure(rest)?;
            }
        }
        Ok(verdict)
    }

    /// Asks up to so many times; a failure is one failure, whatever came before.
    pub(super) fn ask(&mut self, runs: u32, question: impl Fn() -> Question) -> Result<Verdict, Halt> {
        for _ in 0..runs {
            match self.once(&question)? {
                Verdict::Good => {}
                verdict => return Ok(verdict),
            }
        }
        Ok(Verdict::Good)
    }

    /// Asks once. The question is put into words only if it was not answered before.
    pub(super) fn once(&mut self, question: impl FnOnce() -> Question) -> Result<Verdict, Halt> {
        if let Some(answer) = self.record.get(self.at) {
            self.at += 1;
            return Ok(answer.verdict);
        }
        let question = question();
        Err(if self.at < self.limit { Halt::Ask(Box::new(question)) } else { Halt::Spent(question.outlook) })
    }

    pub(super) fn repeat(&self) -> u32 {
        self.options.repeat.clamp(1, 1000)
    }

    /// Share of trials that show the failure.
    pub(super) fn rate(&self) -> f64 {
        match self.options.flaky {
            Flaky::Assume(rate) => rate.clamp(0.01, 1.0),
            _ => (f64::from(self.rate.bad) + 0.5) / (f64::from(self.rate.runs) + 1.0),
        }
    }

    /// Trials that must pass before a set is taken to pass. Where the rate was only measured, on few trials, more are needed than
    /// if it was known: it is averaged over all rates that it may have (a Beta distribution).
    pub(super) fn runs_to_pass(&self) -> u32 {
        let doubt = (1.0 - self.options.confidence).clamp(0.001, 0.5);
        let is_known = matches!(self.options.flaky, Flaky::Assume(_));
        let (bad, all) = (f64::from(self.rate.bad) + 0.5, f64::from(self.rate.runs) + 1.0);
        let mut missed = 1.0;
        for run in 0..MOST_REPEATS {
            if missed <= doubt {
                return run.max(1);
            }
            missed *= if is_known { 1.0 - self.rate() } else { 1.0 - bad / (all + f64::from(run)) };
        }
        MOST_REPEATS
    }

    /// Once a culprit is known, each trial that it took part in tells of the rate.
    fn learn_rate(&mut self, culprit: &[SuspectIndex]) {
        let with_it = self.record.iter().take(self.at).filter(|answer| culprit.iter().all(|&item| answer.suspects.has(item)));
        self.rate = Rate::default();
        for answer in with_it {
            self.rate.bad += u32::from(answer.verdict == Verdict::Bad);
            self.rate.runs += u32::from(answer.verdict != Verdict::Untestable);
        }
    }

    /// Sets the bound on trials for the culprit that is searched for now.
    fn bound(&mut self, rest: &Order) {
        let repeats = if self.is_flaky { self.runs_to_pass() } else { self.repeat() };
        self.limit = self.at.saturating_add(most_trials(rest.len(), repeats));
    }
}

/// Trials for one culprit, however many must come together for it, and whatever cannot be tested.
pub(super) fn most_trials(samples: usize, repeats: u32) -> usize {
    let depth = ceil(count(samples.max(1)).log2()) + 5;
    usize::try_from(depth.saturating_mul(24).saturating_add(64).saturating_mul(repeats)).unwrap_or(usize::MAX)
}
