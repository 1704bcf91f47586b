//! The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), from which Python and torch draw.

const LENGTH: usize = 624;
const MIDDLE: usize = 397;

/// The state, and how far it has been used.
#[derive(Clone, Debug)]
pub(super) struct Twister {
    state: [u32; LENGTH],
    used: usize,
}

impl Twister {
    /// Seeded with one word by Knuth's recurrence, as torch does.
    pub(super) fn by_word(seed: u32) -> Self {
        let mut state = [0; LENGTH];
        let mut previous = seed;
        for (index, word) in (0u32..).zip(&mut state) {
            *word = if index == 0 { seed } else { 1_812_433_253u32.wrapping_mul(previous ^ (previous >> 30)).wrapping_add(index) };
            previous = *word;
        }
        Self { state, used: LENGTH }
    }

    /// Seeded with several words, as Python does: `init_by_array`. Without words it is as for a word of 0.
    pub(super) fn by_array(key: &[u32]) -> Self {
        let key = if key.is_empty() { &[0] } else { key };
        let mut state = Self::by_word(19_650_218).state;
        let (mut index, mut previous) = (1, state[0]);
        let advance = |index: &mut usize, state: &mut [u32; LENGTH]| {
            *index += 1;
            if *index == LENGTH {
                state[0] = state[LENGTH - 1];
                *index = 1;
            }
        };
        for (word, number) in key.iter().zip(0u32..).cycle().take(LENGTH.max(key.len())) {
            let mixed = (state[index] ^ (previous ^ (previous >> 30)).wrapping_mul(1_664_525)).wrapping_add(*word).wrapping_add(number);
            state[index] = mixed;
            previous = mixed;
            advance(&mut index, &mut state);
        }
        for _ in 1..LENGTH {
            let own = u32::try_from(index).unwrap_or(u32::MAX);
            let mixed = (state[index] ^ (previous ^ (previous >> 30)).wrapping_mul(1_566_083_941)).wrapping_sub(own);
            state[index] = mixed;
            previous = mixed;
            advance(&mut index, &mut state);
        }
        state[0] = 0x8000_0000;
        Self { state, used: LENGTH }
    }

    /// The next 32 bits.
    pub(super) fn next_u32(&mut self) -> u32 {
        if self.used == LENGTH {
            self.refill();
        }
        let mut word = self.state[self.used];
        self.used += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    fn refill(&mut self) {
        for index in 0..LENGTH {
            let joined = (self.state[index] & 0x8000_0000) | (self.state[(index + 1) % LENGTH] & 0x7fff_ffff);
            let mixed = if joined & 1 == 0 { 0 } else { 0x9908_b0df };
            self.state[index] = self.state[(index + MIDDLE) % LENGTH] ^ (joined >> 1) ^ mixed;
        }
        self.used = 0;
    }
}
