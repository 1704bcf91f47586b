//! The premise of a search: the whole set fails, how often it does, and what nobody suspects passes.

use super::order::Order;
use super::run::{Halt, Outlook, Question, Run};
use super::{PremiseFailure, Purpose, Verdict};
use crate::bisect::problem::Flaky;

/// Whole-set trials, the first included, before a failure that showed each time is taken to show always. More would cost every
/// search what only the few with a failure that comes and goes need, and those are noticed later too: by contradictions.
const RUNS_TO_TRUST: u32 = 2;
/// Whole-set trials that may pass before the premise is given up.
const RUNS_TO_DOUBT: u32 = 6;
/// Failures, or trials, after which the rate is known well enough.
const RATE_FAILURES: u32 = 3;
const RATE_RUNS: u32 = 8;
/// Samples that nobody suspects which must fail alone before everything is said to fail, and how many samples there must be.
const UNSUSPECTED: usize = 2;
const LEAST_TO_DOUBT: usize = 4;

impl Run<'_> {
    /// Whether there is something to search.
    pub(super) fn premise(&mut self, everybody: &Order) -> Result<Result<(), PremiseFailure>, Halt> {
        if everybody.len() == 0 {
            return Ok(Err(PremiseFailure::NoSamples));
        }
        let may_pass = match self.options.flaky {
            _ if self.repeat() > 1 => self.repeat(),
            Flaky::Never => 1,
            Flaky::Detect => RUNS_TO_DOUBT,
            Flaky::Assume(_) => self.runs_to_pass(),
        };
        let after = 2 + u32::from(self.options.has_known_good);
        let whole = |purpose| Question {
            purpose,
            suspects: everybody.items().to_vec(),
            expects: Some(Verdict::Bad),
            chance: 1.0,
            outlook: Outlook::of(everybody, 0, everybody.len(), &[], after + u32::from(purpose == Purpose::WholeFails)),
        };
        let mut untestable = 0;
        while self.rate.bad == 0 {
            match self.once(|| whole(Purpose::WholeFails))? {
                Verdict::Untestable if untestable == 2 => return Ok(Err(PremiseFailure::WholeUntestable)),
                Verdict::Untestable => untestable += 1,
                verdict => self.count(verdict),
            }
            if self.rate.bad == 0 && self.rate.runs >= may_pass {
                return Ok(Err(PremiseFailure::WholePasses { runs: self.rate.runs }));
            }
        }
        let detect = self.repeat() == 1 && self.options.flaky == Flaky::Detect;
        if detect && everybody.len() > 1 {
            self.measure(everybody)?;
        }
        if self.options.has_known_good {
            let runs = if self.is_flaky { self.runs_to_pass().min(RUNS_TO_DOUBT) } else { self.repeat() };
            let known_good =
                || Question { suspects: Vec::new(), expects: Some(Verdict::Good), chance: 0.0, ..whole(Purpose::KnownGoodPasses) };
            if self.ask(runs, known_good)? == Verdict::Bad {
                return Ok(Err(PremiseFailure::KnownGoodFails));
            }
        }
        Ok(Ok(()))
    }

    /// Runs a set that is known to fail again, until it is clear whether it does so always, or how often.
    pub(super) fn measure(&mut self, order: &Order) -> Result<(), Halt> {
        let mut untestable = 0;
        loop {
            self.is_flaky |= self.rate.bad < self.rate.runs;
            let enough =
                if self.is_flaky { self.rate.bad >= RATE_FAILURES || self.rate.runs >= RATE_RUNS } else { self.rate.runs >= RUNS_TO_TRUST };
            if enough || untestable > 2 {
                return Ok(());
            }
            let verdict = self.once(|| Question {
                purpose: Purpose::MeasureRate,
                suspects: order.items().to_vec(),
                expects: Some(Verdict::Bad),
                chance: 1.0,
                outlook: Outlook::of(order, 0, order.len(), &[], 2),
            })?;
            untestable += u32::from(verdict == Verdict::Untestable);
            self.count(verdict);
        }
    }

    fn count(&mut self, verdict: Verdict) {
        self.rate.bad += u32::from(verdict == Verdict::Bad);
        self.rate.runs += u32::from(verdict != Verdict::Untestable);
    }

    /// Whether samples fail that nobody suspects. Asked only if nothing known to be good has passed: after the first culprit, if no
    /// subset passed, or the failure comes and goes, so that a pass says little.
    pub(super) fn everything_fails(&mut self, rest: &Order) -> Result<bool, Halt> {
        let has_passed =
            self.options.has_known_good || !self.is_flaky && self.record.iter().take(self.at).any(|answer| answer.verdict == Verdict::Good);
        if has_passed || self.culprits.len() > 1 || rest.len() < LEAST_TO_DOUBT {
            return Ok(false);
        }
        let runs = if self.is_flaky { self.runs_to_pass() } else { self.repeat() };
        for place in (0..rest.len()).rev().take(UNSUSPECTED) {
            let question = || Question {
                purpose: Purpose::VerifyOther,
                suspects: rest.between(place, place + 1).to_vec(),
                expects: Some(Verdict::Good),
                chance: 0.0,
                outlook: Outlook::of(rest, 0, rest.len(), &[], 2),
            };
            if self.ask(runs, question)? != Verdict::Bad {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
