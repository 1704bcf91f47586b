//! Numbers as words for messages, and as values for evidence. What they mean is the checks' business.

use std::fmt::Display;

/// A share, 0 to 1, as a percentage with the precision that a reader can use: `50 %`, `2.5 %`, `under 0.1 %`.
pub(super) fn percent(share: f32) -> String {
    let percent = f64::from(share) * 100.0;
    if percent <= 0.0 {
        "0 %".to_owned()
    } else if percent < 0.1 {
        "under 0.1 %".to_owned()
    } else if percent < 10.0 && (percent - percent.round()).abs() >= 0.05 {
        format!("{percent:.1} %")
    } else if percent > 99.0 && percent < 100.0 {
        format!("{:.1} %", percent.min(99.9))
    } else {
        format!("{percent:.0} %")
    }
}

/// A number rounded to so many decimals, so that evidence holds 0.1 and not 0.10000000149.
pub(super) fn rounded(value: impl Into<f64>, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value.into() * scale).round() / scale
}

/// A count with its noun, in the plural where it has to be: `1 image`, `3 images`, `2 entries`.
pub(super) fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    match noun.strip_suffix("ry") {
        _ if count == N::from(1) => format!("1 {noun}"),
        Some(stem) => format!("{count} {stem}ries"),
        None => format!("{count} {noun}s"),
    }
}

/// A whole number with commas between thousands: `178,956,970`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_never_round_to_none_or_all() {
        let cases =
            [(0.0, "0 %"), (0.0001, "under 0.1 %"), (0.025, "2.5 %"), (0.05, "5 %"), (0.5, "50 %"), (0.9996, "99.9 %"), (1.0, "100 %")];
        for (share, words) in cases {
            assert_eq!(percent(share), words);
        }
    }

    #[test]
    fn thousands_are_grouped() {
        for (number, words) in [(0, "0"), (999, "999"), (1000, "1,000"), (178_956_970, "178,956,970")] {
            assert_eq!(grouped(number), words);
        }
    }

    #[test]
    fn nouns_follow_their_number() {
        let seen = [counted(1_usize, "image"), counted(0_usize, "image"), counted(1_u64, "entry"), counted(2_u64, "entry")];
        assert_eq!(seen, ["1 image", "0 images", "1 entry", "2 entries"]);
    }
}
