//! Numbers as words for the reports that a person reads.

/// A count with its noun, in the plural where it has to be: `1 image`, `3 images`, `2 batches`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ if noun.ends_with("ch") => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}

/// Pixels in millions.
#[expect(clippy::cast_precision_loss, reason = "shown with two decimals at most")]
pub(super) fn megapixels(pixels: u64) -> f64 {
    pixels as f64 / 1e6
}
