//! A plan that a person can follow by hand: who is suspect, which halves to try first, and how long it may take. Also
//! `walkaround.plan/1`, the same for programs; a change of what stands here is a new version of the format.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::problem::{Problem, SearchOptions, SuspectIndex};
use super::search::{Next, Purpose, Search, Verdict};
use super::suspicion::{Facts, Suspicion, suspicions};
use crate::model::printable;

/// Schema id of a plan.
pub const SCHEMA: &str = "walkaround.plan/1";

/// How many steps of halving a plan shows.
const STEPS: u32 = 3;
/// Paths that are shown of each half.
const SHOWN: usize = 5;

/// A plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// `walkaround.plan/1`.
    pub schema: String,
    /// Samples, most suspicious first; a suspect's number is its place here.
    pub samples: Vec<PlannedSample>,
    /// The first steps, if each half that is tried passes.
    pub steps: Vec<Step>,
    /// Trials to expect, those that prove the premise and verify the culprit included.
    pub expected_trials: f64,
    /// Trials if all goes badly, for one culprit that fails each time.
    pub worst_trials: u32,
    /// Length of a trial.
    pub minutes_per_trial: f64,
    /// Hours to expect.
    pub expected_hours: f64,
    /// Hours if all goes badly.
    pub worst_hours: f64,
    /// What must be the same in each trial.
    pub keep: Vec<String>,
}

/// A sample of a plan: what is moved together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedSample {
    /// The image, relative to the root.
    pub path: String,
    /// Caption, mask, control images and caches that go where it goes.
    pub companions: Vec<String>,
    /// Suspicion, in units of that of an ordinary sample.
    pub suspicion: f64,
    /// Why, in words.
    pub reasons: Vec<String>,
    /// Codes of its findings.
    pub findings: Vec<String>,
}

impl PlannedSample {
    fn new(facts: &Facts, Suspicion { suspicion, reasons }: Suspicion) -> Self {
        Self { path: facts.path.clone(), companions: facts.companions.clone(), suspicion, reasons, findings: facts.findings.clone() }
    }
}

/// A step of halving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Number of the trial.
    pub trial: u32,
    /// It is run on the first so many samples of the plan.
    pub first: u32,
    /// If it passes, the culprit is among those after these, up to `until`; if it fails, among these.
    pub after: u32,
    /// Place of the last suspect before this step.
    pub until: u32,
}

impl Plan {
    /// The plan for samples in any order.
    #[must_use]
    pub fn new(facts: &[Facts], options: &SearchOptions) -> Self {
        let mut samples: Vec<_> =
            facts.iter().zip(suspicions(facts)).map(|(facts, suspicion)| PlannedSample::new(facts, suspicion)).collect();
        samples.sort_by(|left, right| right.suspicion.total_cmp(&left.suspicion).then_with(|| left.path.cmp(&right.path)));
        let suspicion = samples.iter().map(|sample| sample.suspicion).collect();
        let mut search = Search::new(Problem { suspicion, options: options.clone() });
        let remaining = search.remaining();
        let hours = |trials: f64| trials * options.minutes_per_trial / 60.0;
        Self {
            schema: SCHEMA.to_owned(),
            steps: steps(&mut search, samples.len()),
            samples,
            expected_trials: remaining.expected_trials,
            worst_trials: remaining.worst_trials,
            minutes_per_trial: options.minutes_per_trial,
            expected_hours: hours(remaining.expected_trials),
            worst_hours: hours(f64::from(remaining.worst_trials)),
            keep: KEEP.map(str::to_owned).to_vec(),
        }
    }

    /// The suspicion of each sample, in the order of the plan: what a [`Problem`] takes.
    #[must_use]
    pub fn suspicion(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.suspicion).collect()
    }

    /// The sample of a number.
    #[must_use]
    pub fn sample(&self, index: SuspectIndex) -> Option<&PlannedSample> {
        self.samples.get(usize::try_from(index.0).ok()?)
    }
}

/// What must be the same in each trial.
const KEEP: [&str; 5] = [
    "the seed",
    "0 worker processes for loading, so that the log names the sample that was being loaded",
    "the order of the samples: no shuffling, or shuffling by a fixed seed",
    "batch size, resolution and buckets",
    "a fresh output folder and no resumed state; cached latents only for samples that are in the subset",
];

/// The JSON Schema of a plan.
#[must_use]
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Plan).to_value();
    schema["title"] = SCHEMA.into();
    schema
}

/// The first halves, going on as if each passed.
fn steps(search: &mut Search, samples: usize) -> Vec<Step> {
    let place = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let mut steps = Vec::new();
    let mut after = 0;
    while let Next::Trial(trial) = search.next() {
        let verdict = match trial.purpose {
            Purpose::WholeFails | Purpose::MeasureRate => Verdict::Bad,
            Purpose::Narrow if place(steps.len()) < STEPS => {
                let first = place(trial.suspects.len());
                steps.push(Step { trial: trial.number, first, after, until: place(samples) });
                after = first;
                Verdict::Good
            }
            Purpose::KnownGoodPasses => Verdict::Good,
            _ => break,
        };
        if search.record(trial.number, verdict).is_err() {
            break;
        }
    }
    steps
}

/// The plan in words.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.samples.len();
        if count == 0 {
            return writeln!(f, "There are no samples to search.");
        }
        writeln!(
            f,
            "{count} samples, most suspicious first. About {:.0} trials, {} at most for one culprit that fails each time:",
            self.expected_trials.ceil(),
            self.worst_trials
        )?;
        writeln!(
            f,
            "about {:.1} hours, {:.1} at most, at {} minutes a trial.",
            self.expected_hours, self.worst_hours, self.minutes_per_trial
        )?;
        writeln!(f, "\nKeep the same in each trial:")?;
        for kept in &self.keep {
            writeln!(f, "- {kept}")?;
        }
        writeln!(
            f,
            "\nFirst of all, run the whole set, twice if it may come and go. If it passes, what failed is not in the data, or comes and goes."
        )?;
        for step in &self.steps {
            if step.first == 1 {
                writeln!(f, "\nTrial {}: run sample 1, without the others.", step.trial)?;
            } else {
                writeln!(f, "\nTrial {}: run samples 1 to {}, without the others.", step.trial, step.first)?;
            }
            for (number, sample) in (1..).zip(&self.samples).skip(usize::try_from(step.after).unwrap_or(usize::MAX)).take(SHOWN) {
                if number > step.first {
                    break;
                }
                write!(f, "  {number}. {}", printable(&sample.path))?;
                if sample.reasons.is_empty() { writeln!(f)? } else { writeln!(f, " ({})", sample.reasons.join(", "))? }
            }
            let shown = step.first.saturating_sub(step.after);
            if usize::try_from(shown).is_ok_and(|shown| shown > SHOWN) {
                writeln!(f, "  ... up to {}.", step.first)?;
            }
            writeln!(f, "  If it fails, {}; if it passes, {}.", among(step.after + 1, step.first), among(step.first + 1, step.until))?;
        }
        writeln!(
            f,
            "\nGo on in the same way: halve those among whom the culprit must be, and keep all before them in, until one is left."
        )?;
        writeln!(
            f,
            "Then run that one alone: it must fail. If it passes, it fails only together with one before it: keep it in, and halve those."
        )?;
        writeln!(f, "In the end run all the others: they must pass. If not, there is another culprit.")
    }
}

/// Where the culprit must be.
fn among(first: u32, last: u32) -> String {
    if first >= last { format!("it is sample {last}") } else { format!("it is among samples {first} to {last}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisect::suspicion::{alike, weight};
    use crate::model::{Level, Size};

    #[test]
    fn samples_alike_are_equally_suspect_and_stay_in_the_order_of_their_paths() {
        let plan = Plan::new(&alike(40), &SearchOptions::default());
        assert!(plan.suspicion().iter().all(|suspicion| (suspicion - weight::ORDINARY).abs() < f64::EPSILON));
        assert_eq!(plan.samples[39].path, "039.png");
        let firsts: Vec<_> = plan.steps.iter().map(|step| (step.first, step.after, step.until)).collect();
        assert_eq!(firsts, [(20, 0, 40), (30, 20, 40), (35, 30, 40)]);
    }

    #[test]
    fn an_error_outweighs_all_else() {
        let mut facts = alike(1000);
        facts[5].worst = Some(Level::Error);
        facts[900].mode = Some("CMYK".to_owned());
        facts[901].size = Some(Size::new(u32::MAX, u32::MAX));
        let plan = Plan::new(&facts, &SearchOptions::default());
        assert_eq!(plan.samples[0].path, "005.png");
        assert_eq!(plan.steps[0].first, 1, "it is tried alone");
    }

    #[test]
    fn the_words_tell_halves_and_hours() {
        let words = Plan::new(&alike(40), &SearchOptions::default()).to_string();
        assert!(words.contains("run samples 1 to 20, without the others"), "{words}");
        assert!(words.contains("if it passes, it is among samples 21 to 40"), "{words}");
        assert!(words.contains("at 10 minutes a trial"), "{words}");
        assert!(Plan::new(&[], &SearchOptions::default()).to_string().contains("no samples"));
    }

    #[test]
    fn a_plan_is_read_back_as_it_was_written() {
        let plan = Plan::new(&alike(3), &SearchOptions::default());
        let text = serde_json::to_string(&plan).expect("a plan is JSON");
        assert_eq!(serde_json::from_str::<Plan>(&text).expect("it is a plan"), plan);
    }
}
