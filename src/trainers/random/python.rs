//! `CPython`'s `random` module: the Mersenne Twister as it is seeded and drawn from there.
//!
//! From `CPython` 3.11, `Modules/_randommodule.c` and `Lib/random.py`; both have been the same since 3.2.

use super::twister::Twister;

/// `random.Random(seed)` for a whole number.
#[derive(Clone, Debug)]
pub struct PythonRandom {
    twister: Twister,
}

impl PythonRandom {
    /// `random.Random(seed)`: of a negative seed the absolute value counts.
    ///
    /// ```
    /// use walkaround::trainers::random::PythonRandom;
    /// assert_eq!(PythonRandom::new(42).next_bits(32), 2_746_317_213);
    /// ```
    #[must_use]
    pub fn new(seed: i64) -> Self {
        let seed = seed.unsigned_abs();
        let (low, high) = (seed & 0xffff_ffff, seed >> 32);
        let words = [low, high].map(|word| u32::try_from(word).unwrap_or(u32::MAX));
        Self { twister: Twister::by_array(if high == 0 { &words[..1] } else { &words }) }
    }

    /// `getrandbits(bits)` for 0 to 64 bits.
    pub fn next_bits(&mut self, bits: u32) -> u64 {
        let mut value = 0;
        let (mut shift, mut left) = (0, bits.min(64));
        while left > 0 {
            let taken = left.min(32);
            value |= u64::from(self.twister.next_u32() >> (32 - taken)) << shift;
            shift += 32;
            left -= taken;
        }
        value
    }

    /// `_randbelow(limit)`: a number from 0 on and below the limit; 0 for 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        if limit == 0 {
            return 0;
        }
        let bits = u64::BITS - limit.leading_zeros();
        loop {
            let value = self.next_bits(bits);
            if value < limit {
                return value;
            }
        }
    }

    /// `shuffle(items)`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            // Lists are shorter than 2^63, so nothing is lost on the way.
            let other = usize::try_from(self.below(last as u64 + 1)).unwrap_or(last);
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffled(seed: i64, count: u32) -> Vec<u32> {
        let mut items: Vec<u32> = (0..count).collect();
        PythonRandom::new(seed).shuffle(&mut items);
        items
    }

    #[test]
    fn draws_are_those_of_cpython() {
        let mut random = PythonRandom::new(42);
        assert_eq!([32, 32, 32].map(|bits| random.next_bits(bits)), [2_746_317_213, 478_163_327, 107_420_369]);
        assert_eq!(PythonRandom::new(-7).next_bits(32), PythonRandom::new(7).next_bits(32));
    }

    #[test]
    fn shuffles_are_those_of_cpython() {
        assert_eq!(shuffled(0, 10), [7, 8, 1, 5, 3, 4, 2, 0, 9, 6]);
        assert_eq!(shuffled((1 << 40) + 5, 10), [1, 2, 3, 6, 7, 0, 5, 4, 9, 8]);
        assert!(shuffled(0, 0).is_empty());
    }

    #[test]
    fn sd_scripts_draws_its_second_seed_from_the_first() {
        for (seed, drawn) in [(0, 1_654_615_998), (1, 577_090_037), (42, 478_163_327), (1234, 1_892_932_127)] {
            assert_eq!(PythonRandom::new(seed).below((1 << 31) + 1), drawn);
        }
    }
}
