//! NumPy's `default_rng(seed).permutation(n)`: PCG64 behind a `SeedSequence`. Datasets of Hugging Face shuffle with it.
//!
//! From NumPy 2, `numpy/random/bit_generator.pyx`, `src/pcg64/pcg64.h` and `_generator.pyx`.

/// Words of a `SeedSequence`'s pool.
const POOL: usize = 4;
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// `numpy.random.default_rng(seed)`.
#[derive(Clone, Debug)]
pub struct NumpyRandom {
    state: u128,
    increment: u128,
    /// The upper half of a 64-bit draw whose lower half has been used.
    kept: Option<u32>,
}

impl NumpyRandom {
    /// The generator for a seed.
    ///
    /// ```
    /// use walkaround::trainers::random::NumpyRandom;
    /// let order = NumpyRandom::new(42).permutation(10);
    /// assert_eq!(order, [5, 6, 0, 7, 3, 2, 4, 9, 1, 8]);
    /// ```
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let [state_high, state_low, sequence_high, sequence_low] = seed_words(seed);
        let join = |high: u64, low: u64| (u128::from(high) << 64) | u128::from(low);
        let increment = (join(sequence_high, sequence_low) << 1) | 1;
        let mut random = Self { state: 0, increment, kept: None };
        random.step();
        random.state = random.state.wrapping_add(join(state_high, state_low));
        random.step();
        random
    }

    /// `permutation(count)`, for fewer than 2^32 items.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            let other = self.up_to(u32::try_from(last).unwrap_or(u32::MAX));
            order.swap(last, usize::try_from(other).unwrap_or(last));
        }
        order
    }

    /// A number from 0 to the limit, that included: bits are masked and drawn again when too large (`random_interval`).
    fn up_to(&mut self, limit: u32) -> u32 {
        let mask = u32::MAX.checked_shr(limit.leading_zeros()).unwrap_or(0);
        loop {
            let value = self.next_u32() & mask;
            if value <= limit {
                return value;
            }
        }
    }

    fn next_u32(&mut self) -> u32 {
        if let Some(kept) = self.kept.take() {
            return kept;
        }
        let drawn = self.next_u64();
        let half = |bits: u64| u32::try_from(bits & 0xffff_ffff).unwrap_or(u32::MAX);
        self.kept = Some(half(drawn >> 32));
        half(drawn)
    }

    fn next_u64(&mut self) -> u64 {
        self.step();
        let half = |bits: u128| u64::try_from(bits & u128::from(u64::MAX)).unwrap_or(u64::MAX);
        let rotation = u32::try_from(self.state >> 122).unwrap_or(0);
        (half(self.state >> 64) ^ half(self.state)).rotate_right(rotation)
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }
}

/// `SeedSequence(seed).generate_state(4, uint64)`.
fn seed_words(seed: u64) -> [u64; 4] {
    let word = |bits: u64| u32::try_from(bits & 0xffff_ffff).unwrap_or(u32::MAX);
    let pool = pool([word(seed), word(seed >> 32), 0, 0]);
    let mut factor = 0x8b51_f9dd_u32;
    let mut words = [0u64; 4];
    for (index, word) in pool.iter().cycle().take(8).enumerate() {
        let mut value = word ^ factor;
        factor = factor.wrapping_mul(0x58f3_8ded);
        value = value.wrapping_mul(factor);
        value ^= value >> 16;
        if let Some(joined) = words.get_mut(index / 2) {
            *joined |= u64::from(value) << (32 * (index % 2));
        }
    }
    words
}

fn pool(entropy: [u32; POOL]) -> [u32; POOL] {
    let mut factor = 0x43b0_d7e5_u32;
    let mut hash = |value: u32| {
        let mut value = value ^ factor;
        factor = factor.wrapping_mul(0x931e_8875);
        value = value.wrapping_mul(factor);
        value ^ (value >> 16)
    };
    let mut pool = entropy.map(&mut hash);
    for source in 0..POOL {
        for target in (0..POOL).filter(|&target| target != source) {
            let mixed = pool[target].wrapping_mul(0xca01_f9dd).wrapping_sub(hash(pool[source]).wrapping_mul(0x4973_f715));
            pool[target] = mixed ^ (mixed >> 16);
        }
    }
    pool
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_those_of_numpy() {
        assert_eq!(NumpyRandom::new(123_456_789).permutation(7), [3, 5, 2, 0, 1, 6, 4]);
        assert_eq!(NumpyRandom::new(0).permutation(20), [4, 19, 6, 2, 13, 16, 3, 11, 10, 8, 0, 12, 7, 5, 18, 17, 14, 9, 1, 15]);
        assert_eq!(NumpyRandom::new((1 << 40) + 1).permutation(6), [5, 0, 4, 1, 2, 3]);
        assert!(NumpyRandom::new(0).permutation(0).is_empty());
    }

    #[test]
    fn raw_draws_are_those_of_pcg64() {
        let mut random = NumpyRandom::new(42);
        assert_eq!(
            [(); 3].map(|()| random.next_u64()),
            [14_276_969_152_011_380_360, 8_095_878_257_575_067_585, 15_838_336_090_824_644_132]
        );
    }
}
