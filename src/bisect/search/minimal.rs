//! The smallest set that fails, when a failure shows always, or each subset is run until one can be sure.
//!
//! Suspects are added in their order until the set fails: halving finds the one with which it begins to. If that one fails
//! alone it is the culprit. If not, it needs others, which stand before it: it is kept in each subset from then on, and the
//! same is done with those before it, until those kept fail alone. As each half is tried together with all that stand before
//! it, a pair is never torn apart unseen, which is what makes plain bisection name an innocent. In the end each member is left
//! out in turn, as delta debugging does with complements: a failure that stays makes the set smaller.

use super::order::{Order, mixed};
use super::run::{Found, Halt, Outlook, Question, Run};
use super::{Purpose, Verdict};
use crate::bisect::problem::{Flaky, SuspectIndex};

/// As many may be needed together. A failure that needs more is about the number of samples, not about some of them.
const MOST_TOGETHER: usize = 8;
/// Other orders that are tried where no cut can be tested.
const STIRS: u32 = 4;
/// Ways in which the others are parted to go with suspects who cannot be tested alone.
const COMPANIES: u32 = 6;
/// Other subsets that are tried on either side where a cut cannot be tested.
const DETOURS: u32 = 4;
/// Times that a verdict is looked at again which speaks against a single culprit, if failures may come and go.
const SECOND_LOOKS: u32 = 2;

/// What a second look says.
enum Look {
    /// It fails alone after all.
    Culprit,
    /// The failure comes and goes.
    Flaky,
    /// What the first said.
    Same,
}

impl Run<'_> {
    /// The smallest set that fails, of those in this order, who fail together; the first `good` of them pass together.
    pub(super) fn minimal(&mut self, whole: &Order, good: usize, repeat: u32) -> Result<Found, Halt> {
        let mut order = whole.clone();
        let mut kept: Vec<SuspectIndex> = Vec::new();
        let mut good = good;
        let mut first_good = good;
        loop {
            let bad = match self.first_bad(&mut order, &kept, good, repeat)? {
                Ok(bad) => bad,
                Err(outlook) => return Ok(Found::Narrowed(outlook)),
            };
            if kept.is_empty() && order.items().starts_with(whole.prefix(bad)) {
                first_good = bad - 1;
            }
            let last = order.between(bad - 1, bad).to_vec();
            kept.extend(last);
            order.truncate(bad - 1);
            // All of them were just seen to fail.
            if order.len() == 0 {
                break;
            }
            match self.alone(&kept, &order, repeat)? {
                Verdict::Bad => break,
                Verdict::Untestable => return Ok(Found::Narrowed(Outlook::of(&order, 0, order.len(), &kept, 0))),
                Verdict::Good => {}
            }
            if kept.len() == 1 && self.is_watchful() {
                match self.look_again(&kept, &order)? {
                    Look::Culprit => break,
                    Look::Flaky => return Ok(Found::Flaky),
                    Look::Same => {}
                }
            }
            if kept.len() >= MOST_TOGETHER {
                return Ok(Found::Narrowed(Outlook::of(&order, 0, order.len(), &kept, 0)));
            }
            good = 0;
        }
        self.spare(kept, first_good, repeat)
    }

    /// How many of the order make it fail, together with those kept, when one fewer does not; or what is left if that cannot
    /// be told.
    fn first_bad(&mut self, order: &mut Order, kept: &[SuspectIndex], good: usize, repeat: u32) -> Result<Result<usize, Outlook>, Halt> {
        let (mut good, mut bad) = (good.min(order.len() - 1), order.len());
        let mut stirs = 0;
        'narrow: while bad - good > 1 {
            for cut in order.cuts(good, bad) {
                let question = || Question {
                    purpose: Purpose::Narrow,
                    suspects: [kept, order.prefix(cut)].concat(),
                    expects: None,
                    chance: 0.5,
                    outlook: Outlook::of(order, good, bad, kept, 2),
                };
                match self.ask(repeat, question)? {
                    Verdict::Good => good = cut,
                    Verdict::Bad => bad = cut,
                    Verdict::Untestable => continue,
                }
                continue 'narrow;
            }
            let middle = good + (bad - good) / 2;
            match self.detour(order, kept, (good, middle, bad), repeat)? {
                Verdict::Good => good = middle,
                Verdict::Bad => bad = middle,
                Verdict::Untestable if stirs < STIRS => {
                    stirs += 1;
                    order.stir(good, bad, stirs, self.weights);
                }
                Verdict::Untestable => return Ok(Err(Outlook::of(order, good, bad, kept, 0))),
            }
        }
        Ok(Ok(bad))
    }

    /// The verdict of a cut that cannot be tested, from subsets that can: if it fails without some of those that pass together,
    /// then with them too; if it passes with some in addition, then without them too.
    fn detour(
        &mut self,
        order: &Order,
        kept: &[SuspectIndex],
        (good, cut, bad): (usize, usize, usize),
        repeat: u32,
    ) -> Result<Verdict, Halt> {
        let question = |suspects: &[&[SuspectIndex]]| Question {
            purpose: Purpose::Narrow,
            suspects: suspects.concat(),
            expects: None,
            chance: 0.5,
            outlook: Outlook::of(order, good, bad, kept, 2),
        };
        let some = |items: &[SuspectIndex], round: u32| -> Vec<_> {
            items.iter().copied().filter(|&item| mixed(item, round).is_multiple_of(2)).collect()
        };
        for round in 1..=DETOURS {
            let fewer = some(order.prefix(good), round);
            if fewer.len() < good && self.ask(repeat, || question(&[kept, &fewer, order.between(good, cut)]))? == Verdict::Bad {
                return Ok(Verdict::Bad);
            }
            let more = some(order.between(bad, order.len()), round);
            if !more.is_empty() && self.ask(repeat, || question(&[kept, order.prefix(cut), &more]))? == Verdict::Good {
                return Ok(Verdict::Good);
            }
        }
        Ok(Verdict::Untestable)
    }

    /// Whether those kept fail without the others. Where that cannot be tested, they are tried with parts of the others, of whom
    /// all together pass: if they fail with parts that have nobody in common, then no other is needed.
    fn alone(&mut self, kept: &[SuspectIndex], others: &Order, repeat: u32) -> Result<Verdict, Halt> {
        let question = |company: &[SuspectIndex]| Question {
            purpose: Purpose::VerifyAlone,
            suspects: [kept, company].concat(),
            expects: Some(Verdict::Bad),
            chance: 0.5,
            outlook: Outlook { possible: kept.iter().map(|&item| (item, 1.0)).collect(), expected: 2.0, worst: 2 },
        };
        for _ in 0..2 {
            match self.ask(repeat, || question(&[]))? {
                Verdict::Untestable => {}
                verdict => return Ok(verdict),
            }
        }
        let mut needed = others.items().to_vec();
        for round in 0..2 * COMPANIES {
            let company: Vec<_> =
                others.items().iter().copied().filter(|&item| mixed(item, round / 2) % 2 == u64::from(round % 2)).collect();
            match self.ask(repeat, || question(&company))? {
                Verdict::Good => return Ok(Verdict::Good),
                Verdict::Bad => needed.retain(|&item| mixed(item, round / 2) % 2 == u64::from(round % 2)),
                Verdict::Untestable => {}
            }
            if needed.is_empty() {
                return Ok(Verdict::Bad);
            }
        }
        Ok(Verdict::Untestable)
    }

    /// Looks again at what speaks against a single culprit: that it passed alone, and the others without it. Says whether it is
    /// the culprit after all, or the failure comes and goes; or nothing new.
    fn look_again(&mut self, kept: &[SuspectIndex], others: &Order) -> Result<Look, Halt> {
        let question = |purpose, suspects: &[&[SuspectIndex]], expects| Question {
            purpose,
            suspects: suspects.concat(),
            expects: Some(expects),
            chance: 0.5,
            outlook: Outlook::of(others, 0, others.len(), kept, 4),
        };
        // A rare failure shows best in what should fail and passes, a frequent one in what should pass and fails.
        if self.once(|| question(Purpose::VerifyBad, &[kept, others.items()], Verdict::Bad))? == Verdict::Good {
            return Ok(Look::Flaky);
        }
        if self.ask(SECOND_LOOKS, || question(Purpose::VerifyGood, &[others.items()], Verdict::Good))? == Verdict::Bad {
            return Ok(Look::Flaky);
        }
        let alone = self.once(|| question(Purpose::VerifyAlone, &[kept], Verdict::Good))?;
        Ok(if alone == Verdict::Bad { Look::Culprit } else { Look::Same })
    }

    /// Leaves each of several out in turn, to see that it is needed.
    fn spare(&mut self, mut kept: Vec<SuspectIndex>, good: usize, repeat: u32) -> Result<Found, Halt> {
        // A group is a stronger statement than a single, and rests on passes only: it is held to a higher standard.
        let looks = if self.is_watchful() || self.is_flaky { SECOND_LOOKS * repeat } else { repeat };
        if kept.len() > 1 && self.is_watchful() {
            let question = || Question {
                purpose: Purpose::VerifyBad,
                suspects: kept.clone(),
                expects: Some(Verdict::Bad),
                chance: 1.0,
                outlook: Outlook { possible: kept.iter().map(|&item| (item, 1.0)).collect(), expected: 5.0, worst: 8 },
            };
            if self.once(question)? == Verdict::Good {
                return Ok(Found::Flaky);
            }
        }
        let mut place = 0;
        while kept.len() > 1 && place < kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(place);
            let question = || Question {
                purpose: Purpose::VerifyPart,
                suspects: fewer.clone(),
                expects: Some(Verdict::Good),
                chance: 0.0,
                outlook: Outlook { possible: kept.iter().map(|&item| (item, 1.0)).collect(), expected: 2.0, worst: 3 },
            };
            if self.ask(looks, question)? != Verdict::Bad {
                place += 1;
            } else if self.is_watchful() {
                return Ok(Found::Flaky);
            } else {
                kept = fewer;
                place = 0;
            }
        }
        kept.sort();
        Ok(Found::Culprit(kept, good))
    }

    /// Whether a contradiction would mean that the failure comes and goes.
    fn is_watchful(&self) -> bool {
        self.repeat() == 1 && self.options.flaky == Flaky::Detect && !self.is_flaky
    }
}
