//! What is wrong with a file, collected while it is walked: the first fault and the share that is lost.

use crate::model::{Fault, FaultKind};

/// What is wrong with a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Damage {
    first: Option<Fault>,
    /// The largest share that one scan lost: later scans refine the same picture.
    lost: f64,
    /// Whether something is wrong of which nobody can say how much it costs.
    unmeasured: bool,
}

impl Damage {
    /// Notes that the data ends early; `at` is the length of the file.
    pub(super) fn truncated(&mut self, at: usize, what: impl Into<String>) {
        self.first.get_or_insert_with(|| Fault::at(FaultKind::Truncated, at, what));
    }

    /// Notes that the data is wrong.
    pub(super) fn corrupt(&mut self, at: usize, what: impl FnOnce() -> String) {
        self.first.get_or_insert_with(|| Fault::at(FaultKind::Corrupt, at, what()));
    }

    /// Notes that the data is wrong, without a way to tell how much of the picture it costs.
    pub(super) fn corrupt_somewhere(&mut self, at: usize, what: impl FnOnce() -> String) {
        self.unmeasured |= self.first.is_none();
        self.corrupt(at, what);
    }

    /// Notes that a scan lost some of its units.
    #[expect(clippy::cast_precision_loss, reason = "units are counted below 2^53")]
    pub(super) fn lose(&mut self, lost: usize, total: usize) {
        if total > 0 {
            self.lost = self.lost.max(lost as f64 / total as f64);
        }
    }

    /// The first thing that is wrong.
    pub(super) fn first(&self) -> Option<&Fault> {
        self.first.as_ref()
    }

    /// Share of the picture that is lost, 0 to 1, where it can be told.
    #[expect(clippy::cast_possible_truncation, reason = "a share needs no more digits")]
    pub(super) fn lost(&self) -> Option<f32> {
        (!self.unmeasured || self.lost > 0.0).then_some(self.lost as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_fault_and_the_largest_loss_stay() {
        let mut damage = Damage::default();
        assert_eq!((damage.first(), damage.lost()), (None, Some(0.0)));
        damage.corrupt(7, || "a".into());
        damage.truncated(9, "b");
        damage.lose(1, 4);
        damage.lose(1, 8);
        assert_eq!(damage.first().map(|fault| (fault.kind, fault.offset)), Some((FaultKind::Corrupt, Some(7))));
        assert_eq!(damage.lost(), Some(0.25));
    }

    #[test]
    fn a_fault_without_a_measure_leaves_the_loss_open() {
        let mut damage = Damage::default();
        damage.corrupt_somewhere(7, || "a".into());
        assert_eq!(damage.lost(), None);
    }
}
