//! How much one image may cost.

use std::time::{Duration, Instant};

/// How much one image may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of decoded data that one image may hold at a time; a reader that needs more answers
    /// [`FaultKind::OverBudget`](crate::model::FaultKind::OverBudget).
    pub memory_bytes: u64,
    /// Time that one image may take; readers look at the clock every few rows.
    pub time: Duration,
    /// Whether every image is also rebuilt to pixels, as a cross-check.
    pub pixels: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_bytes: 1 << 30, time: Duration::from_secs(120), pixels: false }
    }
}

impl Limits {
    /// When work that begins now must have ended.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        Instant::now() + self.time
    }
}
