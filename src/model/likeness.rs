//! "Did you mean": the known word that comes closest to an unknown one.

/// The one of the known words that is most like the given one (Jaro-Winkler, 0 to 1), if it is more like it than `floor`.
///
/// ```
/// use walkaround::model::nearest;
/// assert_eq!(nearest("truncated-imgae", ["blank-image", "truncated-image"], 0.8), Some("truncated-image"));
/// assert_eq!(nearest("x", ["blank-image"], 0.8), None);
/// ```
#[must_use]
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>, floor: f64) -> Option<&'a str> {
    known
        .into_iter()
        .map(|word| (strsim::jaro_winkler(given, word), word))
        .filter(|(likeness, _)| *likeness > floor)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
}
