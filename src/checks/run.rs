//! Runs checks over facts.

use std::cmp::Ordering;

use super::{ALL, Check, Findings, Run};
use crate::model::{DatasetFacts, Finding, Profile, SampleFacts};

/// What the checks of single samples find in one, worst first and then by code.
#[must_use]
pub fn check_sample(facts: &SampleFacts, profile: &Profile) -> Vec<Finding> {
    collect(|check, out| {
        if let Run::Sample(run) = check.run {
            run(facts, profile, out);
        }
    })
}

/// What the checks of the whole dataset find, worst first and then by code.
#[must_use]
pub fn check_dataset(facts: &DatasetFacts<'_>, profile: &Profile) -> Vec<Finding> {
    collect(|check, out| {
        if let Run::Dataset(run) = check.run {
            run(facts, profile, out);
        }
    })
}

/// The check of this code or name, whatever the case of its letters.
#[must_use]
pub fn find(code_or_name: &str) -> Option<&'static Check> {
    ALL.iter().copied().find(|check| check.code.0.eq_ignore_ascii_case(code_or_name) || check.name.eq_ignore_ascii_case(code_or_name))
}

/// The order of findings: worst first, and then by code.
#[must_use]
pub fn by_weight(a: &Finding, b: &Finding) -> Ordering {
    b.level.cmp(&a.level).then(a.code.cmp(&b.code))
}

fn collect(mut run: impl FnMut(&'static Check, &mut Findings)) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in ALL {
        let mut out = Findings::new(check);
        run(check, &mut out);
        found.append(&mut out.into_vec());
    }
    found.sort_by(by_weight);
    found
}
