//! The first findings of each level, for formats whose reader takes only so many: what is left out is counted, not held.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::model::{Finding, Level, LevelCounts};

/// At most so many findings of each level, in the order in which they came.
#[derive(Debug)]
pub(super) struct Kept {
    most: usize,
    by_level: BTreeMap<Reverse<Level>, Vec<Finding>>,
    /// Findings beyond those.
    pub(super) left_out: LevelCounts,
}

impl Kept {
    pub(super) fn new(most: usize) -> Self {
        Self { most, by_level: BTreeMap::new(), left_out: LevelCounts::default() }
    }

    pub(super) fn extend(&mut self, findings: &[Finding]) {
        for finding in findings {
            let kept = self.by_level.entry(Reverse(finding.level)).or_default();
            if kept.len() < self.most {
                kept.push(finding.clone());
            } else {
                self.left_out.add(finding.level);
            }
        }
    }

    /// All that were kept, worst first.
    pub(super) fn worst_first(&self) -> impl Iterator<Item = &Finding> {
        self.by_level.values().flatten()
    }
}
