//! How much one image may cost.

use std::time::{Duration, Instant};

/// Longer than any image takes: what a time that no clock can hold comes to.
const FOR_EVER: Duration = Duration::from_secs(86_400);

/// How much one image may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of decoded data that one image may hold at a time; a reader that needs more answers
    /// [`FaultKind::OverBudget`](crate::model::FaultKind::OverBudget).
    pub memory_bytes: u64,
    /// Time that one image may take; readers look at the clock every few rows.
    pub time: Duration,
    /// When the work on this image began; `None` where it begins with whoever asks for the deadline.
    pub begun: Option<Instant>,
    /// Whether every image is also rebuilt to pixels, as a cross-check.
    pub pixels: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_bytes: 1 << 30, time: Duration::from_secs(120), begun: None, pixels: false }
    }
}

impl Limits {
    /// When the work must have ended.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        let begun = self.begun.unwrap_or_else(Instant::now);
        begun.checked_add(self.time).unwrap_or(begun + FOR_EVER)
    }

    /// These limits for work that begins now, if it has not begun before.
    #[must_use]
    pub fn begun(self) -> Self {
        Self { begun: Some(self.begun.unwrap_or_else(Instant::now)), ..self }
    }
}
