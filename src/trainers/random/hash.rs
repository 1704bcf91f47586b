//! `CPython`'s hash of a tuple of small whole numbers, which mgds seeds its generators with.

/// `hash((...))` of numbers between -2^61 and 2^61 (`CPython` 3.8 and later, `Objects/tupleobject.c`, a form of xxHash).
#[must_use]
pub fn tuple_hash(items: &[i64]) -> i64 {
    const PRIME_1: u64 = 11_400_714_785_074_694_791;
    const PRIME_2: u64 = 14_029_467_366_897_019_727;
    const PRIME_5: u64 = 2_870_177_450_012_600_261;
    let mut sum = PRIME_5;
    for &item in items {
        // A number is its own hash, but for -1, which means an error there.
        let lane = if item == -1 { -2 } else { item }.cast_unsigned();
        sum = sum.wrapping_add(lane.wrapping_mul(PRIME_2)).rotate_left(31).wrapping_mul(PRIME_1);
    }
    let length = u64::try_from(items.len()).unwrap_or(u64::MAX);
    sum = sum.wrapping_add(length ^ (PRIME_5 ^ 0x0035_d373));
    if sum == u64::MAX { 1_546_275_796 } else { sum.cast_signed() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_cpython() {
        assert_eq!(tuple_hash(&[42, 12, 0, -1]), 350_052_227_320_088_637);
        assert_eq!(tuple_hash(&[42, 12, 3, 5]), -4_835_457_518_576_575_265);
        assert_eq!(tuple_hash(&[]), 5_740_354_900_026_072_187);
    }
}
