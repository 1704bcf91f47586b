//! Puts results that come in any order back into the order of the samples.

use std::collections::BTreeMap;

/// Holds what came too early.
///
/// How much that can be is bounded by whoever hands out the work: the pipeline never has more than its window of samples
/// under way.
#[derive(Debug)]
pub(super) struct Reorder<T> {
    next: usize,
    early: BTreeMap<usize, T>,
}

impl<T> Reorder<T> {
    pub(super) fn new() -> Self {
        Self { next: 0, early: BTreeMap::new() }
    }

    /// Takes the item of this position in.
    pub(super) fn put(&mut self, position: usize, item: T) {
        self.early.insert(position, item);
    }

    /// The next item in order, if it is there.
    pub(super) fn take(&mut self) -> Option<T> {
        let item = self.early.remove(&self.next)?;
        self.next += 1;
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Reorder;

    proptest! {
        #[test]
        fn any_order_in_gives_the_order_out(order in Just((0..50_usize).collect::<Vec<_>>()).prop_shuffle()) {
            let mut reorder = Reorder::new();
            let mut out = Vec::new();
            for position in order {
                reorder.put(position, position);
                while let Some(item) = reorder.take() {
                    out.push(item);
                }
            }
            prop_assert_eq!(out, (0..50).collect::<Vec<_>>());
        }
    }
}
