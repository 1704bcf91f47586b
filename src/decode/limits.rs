//! How much one image may cost.

use std::time::{Duration, Instant};

/// Pixels above which Pillow refuses an image with `DecompressionBombError` (Pillow 13, `Image.py`,
/// `_decompression_bomb_check`: twice `MAX_IMAGE_PIXELS`).
pub const MAX_PIXELS: u64 = 178_956_970;

/// Pixels above which Pillow warns (`MAX_IMAGE_PIXELS`, 1 GiB / 4 / 3).
pub const WARN_PIXELS: u64 = 89_478_485;

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
