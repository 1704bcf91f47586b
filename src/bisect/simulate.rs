//! A trainer that is not there: verdicts from known culprits, to measure the search with.

use super::{Conclusion, Next, Problem, Search, SuspectIndex, Trial, Verdict};

/// A sequence of numbers that look like chance and are the same each time (`SplitMix64`, public domain, by S. Vigna).
#[derive(Clone, Debug)]
pub struct Chance(pub u64);

impl Chance {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut state = self.0;
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^ (state >> 31)
    }

    /// A number from 0 up to, and without, 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub fn share(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below the one given; 0 if that is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.number() % u64::from(end.max(1))).unwrap_or(0)
    }
}

/// A trainer that fails for reasons that are known.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// Each fails when all of its samples are in the subset.
    pub culprits: Vec<Vec<SuspectIndex>>,
    /// Share of trials in which a culprit that is there shows, each for itself.
    pub rate: f64,
    /// Share of subsets that cannot be tested, the whole set and none at all excepted. It is always the same subsets.
    pub untestable: f64,
    /// What decides the rest.
    pub chance: Chance,
}

impl Simulated {
    /// How the trial ends.
    pub fn verdict(&mut self, trial: &Trial, samples: usize) -> Verdict {
        if self.untestable > 0.0 && !trial.suspects.is_empty() && trial.suspects.len() < samples {
            let seed = trial.suspects.iter().fold(trial.suspects.len() as u64, |seed, item| Chance(seed ^ u64::from(item.0)).number());
            if Chance(seed).share() < self.untestable {
                return Verdict::Untestable;
            }
        }
        let mut verdict = Verdict::Good;
        for culprit in &self.culprits {
            let is_there = culprit.iter().all(|item| trial.suspects.binary_search(item).is_ok());
            if is_there && (self.rate >= 1.0 || self.chance.share() < self.rate) {
                verdict = Verdict::Bad;
            }
        }
        verdict
    }

    /// Searches to the end.
    pub fn search(&mut self, problem: Problem) -> Searched {
        let samples = problem.suspicion.len();
        let mut search = Search::new(problem);
        let mut trials = Vec::new();
        loop {
            match search.next() {
                Next::Done(conclusion) => return Searched { conclusion, trials },
                Next::Trial(trial) => {
                    let verdict = self.verdict(&trial, samples);
                    search.record(trial.number, verdict).unwrap_or_else(|error| unreachable!("{error}"));
                    trials.push((trial.purpose, verdict));
                }
            }
        }
    }
}

/// A search that was simulated to its end.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The result.
    pub conclusion: Conclusion,
    /// What each trial was for, and how it ended.
    pub trials: Vec<(super::Purpose, Verdict)>,
}

impl Searched {
    /// Whether it proved one of these, all members of it and no other.
    #[must_use]
    pub fn names_one_of(&self, culprits: &[Vec<SuspectIndex>]) -> bool {
        !self.conclusion.culprits.is_empty() && self.conclusion.culprits.iter().all(|found| culprits.contains(found))
    }

    /// Whether it proved each of these and nothing else.
    #[must_use]
    pub fn names_all_of(&self, culprits: &[Vec<SuspectIndex>]) -> bool {
        self.names_one_of(culprits) && self.conclusion.culprits.len() == culprits.len()
    }
}
