//! How many trials a bisection takes beside the fewest possible, and how often it is right: prints a table.
//!
//! `cargo bench --bench bisect`; with a word behind `--`, the rows that contain it.

#![expect(clippy::print_stdout, reason = "the table is what this is for")]
#![expect(clippy::cast_precision_loss, reason = "counts of trials are small")]

use std::time::Instant;

use walkaround::bisect::simulate::{Chance, Simulated};
use walkaround::bisect::{Flaky, Problem, Purpose, SearchOptions, State, SuspectIndex};

/// What the suspicion is worth.
#[derive(Clone, Copy)]
enum Suspicion {
    /// Each culprit has a hundred times the suspicion of the others.
    Right,
    /// All have the same.
    Useless,
    /// One in twenty has a hundred times the suspicion of the others, and no culprit has.
    Misleading,
}

/// A row of the table.
#[derive(Clone)]
struct Case {
    samples: u32,
    /// Sizes of the culprits.
    culprits: Vec<usize>,
    rate: f64,
    untestable: f64,
    suspicion: Suspicion,
    options: SearchOptions,
    name: &'static str,
}

fn case(samples: u32, culprits: &[usize]) -> Case {
    let options = SearchOptions { all: culprits.len() > 1, ..SearchOptions::default() };
    Case { samples, culprits: culprits.to_vec(), rate: 1.0, untestable: 0.0, suspicion: Suspicion::Useless, options, name: "" }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for samples in [10, 100, 1000, 10_000, 100_000] {
        cases.extend(
            [Suspicion::Useless, Suspicion::Right, Suspicion::Misleading].map(|suspicion| Case { suspicion, ..case(samples, &[1]) }),
        );
        cases.extend([case(samples, &[1, 1]), case(samples, &[1; 5]), case(samples, &[2]), case(samples, &[3])]);
        cases.extend([case(samples, &[2, 1]), Case { suspicion: Suspicion::Misleading, ..case(samples, &[2]) }]);
        cases.extend([0.1, 0.3].map(|untestable| Case { untestable, ..case(samples, &[1]) }));
        cases.extend([0.9, 0.7, 0.5, 0.3, 0.1].map(|rate| Case { rate, ..case(samples, &[1]) }));
    }
    for rate in [0.9, 0.7, 0.5, 0.3, 0.1] {
        let options = SearchOptions { flaky: Flaky::Assume(rate), ..SearchOptions::default() };
        cases.push(Case { rate, options, name: "rate given", ..case(1000, &[1]) });
        cases.push(Case { rate, ..case(1000, &[2]) });
        cases.push(Case { rate, ..case(1000, &[1, 1]) });
    }
    for rate in [1.0, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3] {
        // As many repeats as make plain halving cost at least what the Bayesian search does (the rows "rate given").
        for repeat in [1, 2, 4, 8] {
            let options = SearchOptions { flaky: Flaky::Never, repeat, ..SearchOptions::default() };
            cases.push(Case { rate, options, name: "plain", ..case(1000, &[1]) });
        }
    }
    cases
}

/// What came of one case, run many times.
#[derive(Default)]
struct Tally {
    runs: u32,
    right: u32,
    wrong: u32,
    false_single: u32,
    narrowed: u32,
    no_premise: u32,
    trials: Vec<usize>,
    narrow: usize,
}

fn run(case: &Case, runs: u32) -> Tally {
    let mut tally = Tally { runs, ..Tally::default() };
    for seed in 0..runs {
        let mut chance = Chance(u64::from(seed) << 32 | u64::from(case.samples));
        let mut taken: Vec<u32> = Vec::new();
        while taken.len() < case.culprits.iter().sum() {
            let next = chance.below(case.samples);
            if !taken.contains(&next) {
                taken.push(next);
            }
        }
        let mut suspicion = vec![1.0; usize::try_from(case.samples).unwrap_or(0)];
        for (index, value) in (0..case.samples).zip(&mut suspicion) {
            let is_high = match case.suspicion {
                Suspicion::Useless => false,
                Suspicion::Right => taken.contains(&index),
                Suspicion::Misleading => !taken.contains(&index) && chance.below(20) == 0,
            };
            if is_high {
                *value = 100.0 * if matches!(case.suspicion, Suspicion::Right) { f64::from(case.samples) } else { 1.0 };
            }
        }
        let mut rest = taken.into_iter().map(SuspectIndex);
        let culprits: Vec<Vec<SuspectIndex>> = case
            .culprits
            .iter()
            .map(|&size| {
                let mut culprit: Vec<_> = rest.by_ref().take(size).collect();
                culprit.sort();
                culprit
            })
            .collect();
        let mut trainer = Simulated { culprits: culprits.clone(), rate: case.rate, untestable: case.untestable, chance };
        let searched = trainer.search(Problem { suspicion, options: case.options.clone() });
        let is_right = if case.options.all { searched.names_all_of(&culprits) } else { searched.names_one_of(&culprits) };
        let found = &searched.conclusion.culprits;
        tally.right += u32::from(is_right);
        tally.wrong += u32::from(found.iter().any(|found| !culprits.contains(found)));
        tally.false_single += u32::from(found.iter().any(|found| found.len() == 1 && !culprits.contains(found)));
        tally.narrowed += u32::from(searched.conclusion.state == State::Narrowed);
        tally.no_premise += u32::from(matches!(searched.conclusion.state, State::PremiseFailed { .. }));
        tally.trials.push(searched.trials.len());
        tally.narrow += searched.trials.iter().filter(|trial| trial.0 == Purpose::Narrow).count();
    }
    tally.trials.sort_unstable();
    tally
}

/// The fewest trials that can tell who it is when nothing is known before, the failure shows at this rate, and no trial verifies
/// anything: the bits to be told, at the most that one trial tells.
fn optimum(case: &Case) -> f64 {
    let bits: f64 = case.culprits.iter().map(|&size| f64::from(case.samples).log2() * size as f64).sum();
    let rate = case.rate;
    let capacity = if rate >= 1.0 { 1.0 } else { (rate * (1.0 - rate).powf((1.0 - rate) / rate)).ln_1p() / std::f64::consts::LN_2 };
    bits / capacity
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    println!(
        "| samples | culprits | rate | untestable | suspicion | search | optimum | to narrow | trials | 95 % | most | right | wrong | false single | narrowed | whole passes | ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for case in cases() {
        let suspicion = match case.suspicion {
            Suspicion::Right => "right",
            Suspicion::Useless => "useless",
            Suspicion::Misleading => "misleading",
        };
        let search = if case.name == "plain" { format!("plain x{}", case.options.repeat) } else { case.name.to_owned() };
        let head = format!(
            "| {} | {} | {} | {} | {suspicion} | {search} |",
            case.samples,
            case.culprits.iter().map(ToString::to_string).collect::<Vec<_>>().join("+"),
            case.rate,
            case.untestable
        );
        if !wanted.iter().all(|word| head.contains(word.as_str())) {
            continue;
        }
        let runs = match case.samples {
            0..=1000 => 200,
            1001..=10_000 => 40,
            _ => 5,
        };
        let start = Instant::now();
        let tally = run(&case, runs);
        let each = start.elapsed().as_secs_f64() * 1000.0 / f64::from(runs);
        let mean = tally.trials.iter().sum::<usize>() as f64 / f64::from(runs);
        let percent = |part: u32| 100.0 * f64::from(part) / f64::from(tally.runs);
        let rank = tally.trials.len().saturating_sub(1) * 95 / 100;
        println!(
            "{head} {:.1} | {:.1} | {mean:.1} | {} | {} | {:.1} % | {:.1} % | {} | {:.1} % | {:.1} % | {each:.0} |",
            optimum(&case),
            tally.narrow as f64 / f64::from(runs),
            tally.trials.get(rank).copied().unwrap_or(0),
            tally.trials.last().copied().unwrap_or(0),
            percent(tally.right),
            percent(tally.wrong),
            tally.false_single,
            percent(tally.narrowed),
            percent(tally.no_premise),
        );
    }
}
