//! The search of a bisection against trainers whose culprits are known: right names, few trials, and an end in every case.

use proptest::prelude::*;
use walkaround::bisect::simulate::{Chance, Searched, Simulated};
use walkaround::bisect::{Flaky, Next, PremiseFailure, Problem, Purpose, Search, SearchOptions, State, SuspectIndex, Verdict};

fn trainer(culprits: &[&[u32]]) -> Simulated {
    let culprits = culprits.iter().map(|culprit| culprit.iter().copied().map(SuspectIndex).collect()).collect();
    Simulated { culprits, rate: 1.0, untestable: 0.0, chance: Chance(1) }
}

fn search(mut trainer: Simulated, suspicion: Vec<f64>, options: &SearchOptions) -> Searched {
    trainer.search(Problem { suspicion, options: options.clone() })
}

fn narrowing(searched: &Searched) -> usize {
    searched.trials.iter().filter(|trial| trial.0 == Purpose::Narrow).count()
}

fn logarithm(samples: u32) -> usize {
    samples.next_power_of_two().trailing_zeros() as usize
}

fn all() -> SearchOptions {
    SearchOptions { all: true, ..SearchOptions::default() }
}

fn never() -> SearchOptions {
    SearchOptions { flaky: Flaky::Never, ..SearchOptions::default() }
}

#[test]
fn one_culprit_takes_the_logarithm() {
    for samples in (1..=70).chain([500, 1000, 1024, 1025, 10_000]) {
        for culprit in (0..samples).step_by(1.max(samples as usize / 23)) {
            let searched = search(trainer(&[&[culprit]]), vec![1.0; samples as usize], &SearchOptions::default());
            assert_eq!(searched.conclusion.state, State::Proven);
            assert_eq!(searched.conclusion.culprits, [[SuspectIndex(culprit)]]);
            assert!(searched.conclusion.suspects.is_empty(), "the rest passed");
            assert!(narrowing(&searched) <= logarithm(samples), "{} trials for {culprit} of {samples}", narrowing(&searched));
            // Two for the premise, one alone, one for the rest.
            assert!(searched.trials.len() <= logarithm(samples) + 4);
        }
    }
}

#[test]
fn right_suspicion_makes_it_one_trial_and_wrong_suspicion_costs_a_few() {
    let mut suspicion = vec![1.0; 1000];
    suspicion[321] = 10_000.0;
    let right = search(trainer(&[&[321]]), suspicion.clone(), &never());
    let purposes: Vec<_> = right.trials.iter().map(|trial| trial.0).collect();
    // The first half is that one sample, so it was seen to fail alone.
    assert_eq!(purposes, [Purpose::WholeFails, Purpose::Narrow, Purpose::VerifyRest]);
    for wrong in (0..1000).filter(|&wrong| wrong != 321) {
        let searched = search(trainer(&[&[wrong]]), suspicion.clone(), &never());
        assert_eq!(searched.conclusion.culprits, [[SuspectIndex(wrong)]]);
        assert!(narrowing(&searched) <= logarithm(1000) + 2);
    }
    // Each half as suspicious as the one before it: the worst that suspicion can do.
    let steep: Vec<f64> = (0..1000).map(|place| 0.5_f64.powi(place)).collect();
    for wrong in (0..1000).step_by(37) {
        let searched = search(trainer(&[&[wrong]]), steep.clone(), &never());
        assert_eq!(searched.conclusion.culprits, [[SuspectIndex(wrong)]]);
        assert!(narrowing(&searched) <= logarithm(4000) + 2, "{}", narrowing(&searched));
    }
}

#[test]
fn a_pair_is_never_reported_as_one() {
    for options in [SearchOptions::default(), never(), all(), SearchOptions { repeat: 2, ..never() }] {
        for second in 1..14 {
            for first in 0..second {
                let searched = search(trainer(&[&[first, second]]), vec![1.0; 14], &options);
                assert_eq!(searched.conclusion.state, State::Proven);
                assert_eq!(searched.conclusion.culprits, [[SuspectIndex(first), SuspectIndex(second)]]);
            }
        }
    }
}

#[test]
fn a_triple_among_many_takes_three_logarithms() {
    let mut chance = Chance(3);
    for _ in 0..50 {
        let (first, second, third) = (chance.below(300), 300 + chance.below(300), 600 + chance.below(400));
        let searched = search(trainer(&[&[first, second, third]]), vec![1.0; 1000], &SearchOptions::default());
        assert_eq!(searched.conclusion.culprits, [[first, second, third].map(SuspectIndex)]);
        assert!(narrowing(&searched) <= 3 * logarithm(1000));
    }
}

#[test]
fn all_culprits_are_found_alone_or_together() {
    let trainer = trainer(&[&[3], &[50, 77], &[51], &[999], &[500]]);
    let culprits = trainer.culprits.clone();
    let searched = search(trainer.clone(), vec![1.0; 1000], &all());
    assert_eq!(searched.conclusion.state, State::Proven);
    assert!(searched.names_all_of(&culprits), "{:?}", searched.conclusion.culprits);
    assert!(searched.trials.len() <= 6 * logarithm(1000) + 24, "{}", searched.trials.len());
    let first = search(trainer, vec![1.0; 1000], &SearchOptions::default());
    assert_eq!((first.conclusion.state, first.conclusion.culprits.len()), (State::Proven, 1));
    assert!(!first.conclusion.suspects.is_empty(), "the rest fails, and this is said");
}

/// Of so many searches with a failure of this rate, how many were right, how many named somebody wrong, and the mean of trials.
fn flaky(rate: f64, culprits: &[&[u32]], options: &SearchOptions, runs: u32) -> (f64, u32, f64) {
    let (mut right, mut wrong, mut trials) = (0, 0, 0);
    for seed in 0..runs {
        let trainer = Simulated { rate, chance: Chance(u64::from(seed)), ..trainer(culprits) };
        let expected = trainer.culprits.clone();
        let searched = search(trainer, vec![1.0; 200], options);
        right += u32::from(searched.names_one_of(&expected));
        wrong += u32::from(searched.conclusion.culprits.iter().any(|found| !expected.contains(found)));
        let singles = searched.conclusion.culprits.iter().filter(|found| found.len() == 1);
        assert_eq!(singles.filter(|found| !expected.contains(found)).count(), 0, "a single was seen to fail alone");
        trials += searched.trials.len();
    }
    (f64::from(right) / f64::from(runs), wrong, trials as f64 / f64::from(runs))
}

#[test]
fn failures_that_come_and_go_are_found_where_plain_halving_collapses() {
    let culprit: &[&[u32]] = &[&[123]];
    for (rate, mean_at_most) in [(0.9, 22.0), (0.7, 30.0), (0.5, 45.0), (0.3, 80.0)] {
        let (right, wrong, trials) = flaky(rate, culprit, &SearchOptions { flaky: Flaky::Assume(rate), ..SearchOptions::default() }, 60);
        assert!(right >= 0.93 && wrong <= 1 && trials <= mean_at_most, "{rate}: {right} {wrong} {trials}");
    }
    let (right, _, trials) = flaky(0.5, culprit, &SearchOptions::default(), 60);
    assert!(right >= 0.9 && trials <= 55.0, "{right} {trials}");
    let (plain, _, cost) = flaky(0.5, culprit, &SearchOptions { repeat: 2, ..never() }, 60);
    assert!(plain < 0.75, "plain halving, each subset twice: {plain} right at {cost} trials");
}

#[test]
fn pairs_that_fail_now_and_then_are_not_reported_as_one() {
    for rate in [0.8, 0.5] {
        let (right, wrong, _) = flaky(rate, &[&[20, 150]], &SearchOptions::default(), 30);
        assert!(right >= 0.85 && wrong <= 1, "{rate}: {right} {wrong}");
    }
}

#[test]
fn untestable_subsets_are_worked_around() {
    for (share, right_at_least) in [(0.1, 38), (0.3, 34)] {
        let mut right = 0;
        for culprit in (0..200).step_by(5) {
            let searched = search(Simulated { untestable: share, ..trainer(&[&[culprit]]) }, vec![1.0; 200], &SearchOptions::default());
            let found = &searched.conclusion.culprits;
            assert!(found.is_empty() || *found == [[SuspectIndex(culprit)]]);
            right += u32::from(!found.is_empty());
            if found.is_empty() {
                assert_eq!(searched.conclusion.state, State::Narrowed);
                assert!(searched.conclusion.suspects.iter().any(|&(suspect, _)| suspect == SuspectIndex(culprit)));
            }
        }
        assert!(right >= right_at_least, "{share}: {right} of 40");
    }
}

#[test]
fn if_nothing_but_the_whole_can_be_tested_the_suspects_stay() {
    let searched = search(Simulated { untestable: 1.0, ..trainer(&[&[5]]) }, vec![1.0; 50], &SearchOptions::default());
    assert_eq!(searched.conclusion.state, State::Narrowed);
    assert_eq!(searched.conclusion.suspects.len(), 50);
    assert!(searched.trials.len() < 150, "{}", searched.trials.len());
}

/// The conclusion when each purpose has its verdict.
fn premise(verdict: impl Fn(Purpose) -> Verdict, samples: usize) -> (State, usize) {
    let options = SearchOptions { has_known_good: true, ..SearchOptions::default() };
    let mut search = Search::new(Problem { suspicion: vec![1.0; samples], options });
    for trials in 0.. {
        match search.next() {
            Next::Done(conclusion) => return (conclusion.state, trials),
            Next::Trial(trial) => search.record(trial.number, verdict(trial.purpose)).expect("it is the one that is waited for"),
        }
    }
    unreachable!("a search ends")
}

#[test]
fn without_its_premise_there_is_no_search() {
    let failed = |why| State::PremiseFailed { why };
    assert_eq!(premise(|_| Verdict::Bad, 0), (failed(PremiseFailure::NoSamples), 0));
    assert_eq!(premise(|_| Verdict::Good, 9), (failed(PremiseFailure::WholePasses { runs: 6 }), 6));
    assert_eq!(premise(|_| Verdict::Untestable, 9), (failed(PremiseFailure::WholeUntestable), 3));
    assert_eq!(premise(|_| Verdict::Bad, 9), (failed(PremiseFailure::KnownGoodFails), 3));
}

#[test]
fn if_everything_fails_nobody_is_blamed() {
    for (samples, flaky) in [(5, Flaky::Never), (100, Flaky::Detect), (100, Flaky::Assume(0.5))] {
        let mut blamed = 0;
        for seed in 0..20 {
            let rate = if let Flaky::Assume(rate) = flaky { rate } else { 1.0 };
            let mut chance = Chance(seed);
            let mut search =
                Search::new(Problem { suspicion: vec![1.0; samples], options: SearchOptions { flaky, ..SearchOptions::default() } });
            let conclusion = loop {
                match search.next() {
                    Next::Done(conclusion) => break conclusion,
                    Next::Trial(trial) => {
                        let verdict = if chance.share() < rate { Verdict::Bad } else { Verdict::Good };
                        search.record(trial.number, verdict).expect("it is the one that is waited for");
                    }
                }
            };
            blamed += u32::from(!conclusion.culprits.is_empty());
            let why = PremiseFailure::EverythingFails;
            assert!(!conclusion.culprits.is_empty() || conclusion.state == State::PremiseFailed { why });
        }
        // With chance in it, the trials that should tell may all have passed.
        assert!(blamed <= if matches!(flaky, Flaky::Assume(_)) { 3 } else { 0 }, "{flaky:?}: {blamed} of 20");
    }
}

#[test]
fn a_verdict_for_another_trial_is_refused_and_changes_nothing() {
    let mut search = Search::new(Problem { suspicion: vec![1.0; 9], options: never() });
    let before = search.next();
    let error = search.record(2, Verdict::Good).expect_err("trial 1 is waited for");
    assert_eq!(error.to_string(), "a verdict for trial 2 where trial 1 is waited for");
    assert_eq!(search.next(), before);
    search.record(1, Verdict::Good).expect("it is waited for");
    assert_eq!(search.record(2, Verdict::Good).expect_err("it has ended").waiting, None);
}

#[test]
fn what_remains_is_foretold() {
    let search = Search::new(Problem { suspicion: vec![1.0; 1024], options: SearchOptions { minutes_per_trial: 3.0, ..never() } });
    let remaining = search.remaining();
    assert!((remaining.expected_trials - 13.0).abs() < 1e-6, "{remaining:?}");
    assert_eq!(remaining.worst_trials, 13);
    assert!((remaining.expected_minutes - 39.0).abs() < 1e-6);
}

#[test]
fn a_hundred_thousand_samples_are_searched_in_seconds() {
    let options = SearchOptions { flaky: Flaky::Assume(0.7), ..SearchOptions::default() };
    let trainer = Simulated { rate: 0.7, ..trainer(&[&[77_777]]) };
    let searched = search(trainer, vec![1.0; 100_000], &options);
    assert_eq!(searched.conclusion.culprits, [[SuspectIndex(77_777)]]);
    assert!(searched.trials.len() < 90, "{}", searched.trials.len());
}

fn options() -> impl Strategy<Value = SearchOptions> {
    let flaky = prop_oneof![Just(Flaky::Detect), Just(Flaky::Never), (0.0..1.2_f64).prop_map(Flaky::Assume), Just(Flaky::Assume(f64::NAN))];
    (any::<bool>(), 0..4_u32, flaky, any::<bool>(), prop_oneof![Just(0.95), Just(0.0), Just(1.0), Just(f64::NAN)]).prop_map(
        |(all, repeat, flaky, has_known_good, confidence)| SearchOptions {
            all,
            repeat,
            flaky,
            confidence,
            has_known_good,
            minutes_per_trial: 1.0,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Whatever the verdicts, a search ends within a bound, and the same verdicts lead to the same state.
    #[test]
    fn any_verdicts_lead_to_an_end_and_can_be_replayed(
        suspicion in prop::collection::vec(prop_oneof![Just(1.0), any::<f64>()], 0..30),
        options in options(),
        seed in any::<u64>(),
        odds in (1..10_u32, 0..10_u32, 0..3_u32),
    ) {
        let problem = Problem { suspicion, options };
        let mut chance = Chance(seed);
        let mut search = Search::new(problem.clone());
        let mut verdicts = Vec::new();
        while let Next::Trial(trial) = search.next() {
            prop_assert!(trial.suspects.is_sorted() && trial.number as usize == verdicts.len() + 1);
            prop_assert!(search.remaining().expected_trials.is_finite());
            let draw = chance.below(odds.0 + odds.1 + odds.2);
            let verdict = if draw < odds.0 { Verdict::Bad } else if draw < odds.0 + odds.1 { Verdict::Good } else { Verdict::Untestable };
            verdicts.push(verdict);
            search.record(trial.number, verdict).expect("it is the one that is waited for");
            prop_assert!(verdicts.len() < 6_000, "no end in sight");
        }
        let mut again = Search::new(problem);
        for (number, verdict) in (1..).zip(verdicts) {
            again.record(number, verdict).expect("the same trial is waited for");
        }
        prop_assert_eq!(search.next(), again.next());
    }

    /// Where a subset does the same each time, and more samples never cure, each culprit found is a smallest failing set, and
    /// without all of them the rest passes.
    #[test]
    fn culprits_are_smallest_failing_sets(
        samples in 2..60_u32,
        sets in prop::collection::vec(prop::collection::btree_set(0..60_u32, 1..4), 1..5),
        suspicion in prop::collection::vec(0.01..100.0_f64, 60),
        watchful in any::<bool>(),
    ) {
        let sets: Vec<Vec<u32>> = sets.into_iter().map(|set| set.into_iter().map(|item| item % samples).collect()).collect();
        let fails = |subset: &[SuspectIndex]| sets.iter().any(|set| set.iter().all(|&item| subset.contains(&SuspectIndex(item))));
        let options = SearchOptions { flaky: if watchful { Flaky::Detect } else { Flaky::Never }, ..all() };
        let mut search = Search::new(Problem { suspicion: suspicion[..samples as usize].to_vec(), options });
        let conclusion = loop {
            match search.next() {
                Next::Done(conclusion) => break conclusion,
                Next::Trial(trial) => {
                    let verdict = if fails(&trial.suspects) { Verdict::Bad } else { Verdict::Good };
                    search.record(trial.number, verdict).expect("it is the one that is waited for");
                }
            }
        };
        if conclusion.state != State::Proven {
            prop_assert_eq!(conclusion.state, State::PremiseFailed { why: PremiseFailure::EverythingFails });
            prop_assert!(sets.iter().filter(|set| set.len() == 1).count() > 2);
            return Ok(());
        }
        for culprit in &conclusion.culprits {
            prop_assert!(fails(culprit));
            for left_out in culprit {
                let fewer: Vec<_> = culprit.iter().copied().filter(|item| item != left_out).collect();
                prop_assert!(!fails(&fewer), "{left_out:?} of {culprit:?} can be spared");
            }
        }
        let gone = conclusion.culprits.concat();
        let rest: Vec<_> = (0..samples).map(SuspectIndex).filter(|item| !gone.contains(item)).collect();
        prop_assert!(!fails(&rest));
    }
}
