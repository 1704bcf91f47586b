//! Arithmetic and truth as `CPython` has them, for rules that were written in it.
//!
//! Its floats are the same 64 bits as here, so that most expressions carry over as they are; here is what differs.

use std::cmp::Ordering;

use crate::model::{Outcome, Phase, Unplaced};

/// `round(value, digits)`: to so many decimals, correctly rounded from the exact value of the float, exact halves to the even digit
/// (`CPython` 3.11, `Objects/floatobject.c`, `float___round___impl` and `double_round`).
pub(super) fn round_to(value: f64, digits: u32) -> f64 {
    // Beyond 10^22 a power of ten is no float, and no aspect has digits to lose there.
    let Some(exponent) = i32::try_from(digits).ok().filter(|&exponent| exponent <= 22) else { return value };
    let power = 10f64.powi(exponent);
    let scaled = value * power;
    // The product is rounded itself; only where that makes it an exact half does what was lost decide.
    let lost = value.mul_add(power, -scaled);
    let is_half = (scaled - scaled.floor()).total_cmp(&0.5) == Ordering::Equal;
    let whole = match lost.partial_cmp(&0.0) {
        Some(Ordering::Greater) if is_half => scaled.ceil(),
        Some(Ordering::Less) if is_half => scaled.floor(),
        _ => scaled.round_ties_even(),
    };
    whole / power
}

/// What Python says of a division by zero.
pub(super) const ZERO_DIVISION: &str = "ZeroDivisionError: division by zero";

/// What becomes of a picture whose size is divided by zero while sizes are read.
pub(super) fn zero_division() -> Unplaced {
    Unplaced::stops(ZERO_DIVISION)
}

/// Python's `int(value + 0.5)` of a number that is not negative.
pub(super) fn half_up(value: f64) -> u64 {
    truncated(value + 0.5)
}

/// Python's `int(value)` of a number that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, and what is beyond 2^64 fits no picture")]
pub(super) fn truncated(value: f64) -> u64 {
    value as u64
}

/// Python's conversion of a whole number.
#[expect(clippy::cast_precision_loss, reason = "Python rounds to the nearest as well")]
pub(super) fn float(value: u64) -> f64 {
    value as f64
}

/// A whole number of pixels that was computed with floats; what no picture can have ends at the largest number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, not negative, and beyond the largest it saturates")]
pub(super) fn saturated(side: f64) -> u32 {
    side as u32
}

/// A number of pixels that Python holds as a whole number of any size: `None` where no picture can be so large.
///
/// Fractions are cut off as `int()` does, and what is below 0 or not a number is 0.
pub(super) fn pixels(value: f64) -> Option<u32> {
    u32::try_from(truncated(value)).ok()
}

/// What becomes of a picture that is to be scaled beyond what memory can hold.
pub(super) fn beyond_memory() -> Unplaced {
    Unplaced { error: "MemoryError: a side of more than 2^32 pixels".into(), outcome: Outcome::Stop, phase: Phase::Caching }
}

/// `bool(value)`: text is true unless it is empty, so that `"False"` is true.
pub(super) fn is_true(value: &toml::Value) -> bool {
    match value {
        toml::Value::Boolean(value) => *value,
        toml::Value::Integer(value) => *value != 0,
        toml::Value::Float(value) => *value != 0.0,
        toml::Value::String(text) => !text.is_empty(),
        toml::Value::Array(list) => !list.is_empty(),
        toml::Value::Table(table) => !table.is_empty(),
        toml::Value::Datetime(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_from_the_exact_value() {
        // What CPython 3.11 answers; 0.615 lies above its half, 2.675 and 1.005 lie below theirs, 0.125 and 0.375 are halves.
        let cases = [
            (0.125, 2, 0.12),
            (0.375, 2, 0.38),
            (0.615, 2, 0.61),
            (2.675, 2, 2.67),
            (1.005, 2, 1.0),
            (0.285, 2, 0.28),
            (2.5, 0, 2.0),
            (16.0 / 9.0, 2, 1.78),
            (0.004, 2, 0.0),
            (1.0 / 3.0, 5, 0.33333),
            (1e300, 2, 1e300),
            (0.1, 40, 0.1),
        ];
        for (value, digits, rounded) in cases {
            assert_eq!(round_to(value, digits).to_bits(), f64::to_bits(rounded), "{value} to {digits}");
        }
    }

    #[test]
    fn halves_are_rounded_up() {
        assert_eq!((half_up(1365.5), half_up(1365.4), half_up(f64::MAX)), (1366, 1365, u64::MAX));
    }

    #[test]
    fn no_side_is_longer_than_a_side_can_be() {
        assert_eq!([1023.9, -3.0, f64::NAN].map(pixels), [Some(1023), Some(0), Some(0)]);
        assert_eq!([4_294_967_295.0, 4_294_967_296.0, f64::INFINITY].map(pixels), [Some(u32::MAX), None, None]);
    }

    #[test]
    fn text_is_true_whatever_it_says() {
        let values: [(toml::Value, bool); 5] =
            [("False".into(), true), ("".into(), false), (false.into(), false), (0.into(), false), (0.5.into(), true)];
        for (value, truth) in values {
            assert_eq!(is_true(&value), truth, "{value}");
        }
    }
}
