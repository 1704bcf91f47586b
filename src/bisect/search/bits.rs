//! A set of suspects, one bit each.

use crate::bisect::problem::SuspectIndex;

/// A set of suspects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn of(items: &[SuspectIndex]) -> Self {
        let mut words = Vec::new();
        for item in items {
            let (word, bit) = place(*item);
            if words.len() <= word {
                words.resize(word + 1, 0);
            }
            if let Some(found) = words.get_mut(word) {
                *found |= bit;
            }
        }
        Self(words)
    }

    pub(super) fn has(&self, item: SuspectIndex) -> bool {
        let (word, bit) = place(item);
        self.0.get(word).is_some_and(|found| found & bit != 0)
    }
}

fn place(item: SuspectIndex) -> (usize, u64) {
    (usize::try_from(item.0 / 64).unwrap_or(usize::MAX), 1 << (item.0 % 64))
}
