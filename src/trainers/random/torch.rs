//! torch's generator on the CPU, as far as samplers of a `DataLoader` draw from it.
//!
//! From PyTorch 2, `aten/src/ATen/core/MT19937RNGEngine.h` and `aten/src/ATen/native/TensorFactories.cpp` (`randperm`).

use super::twister::Twister;

/// `torch.Generator().manual_seed(seed)`.
#[derive(Clone, Debug)]
pub struct TorchRandom {
    twister: Twister,
}

impl TorchRandom {
    /// Of the seed the low 32 bits count.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { twister: Twister::by_word(u32::try_from(seed & 0xffff_ffff).unwrap_or(u32::MAX)) }
    }

    /// A number as `torch.empty((), dtype=torch.int64).random_()` draws it, 0 to 2^63 - 1: what seeds samplers and workers.
    pub fn next_seed(&mut self) -> u64 {
        let high = u64::from(self.twister.next_u32());
        let low = u64::from(self.twister.next_u32());
        ((high << 32) | low) % (1 << 63)
    }

    /// `torch.randperm(count)`, for fewer than 2^32 items.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for index in 0..count.saturating_sub(1) {
            let word = usize::try_from(self.twister.next_u32()).unwrap_or(0);
            order.swap(index, index + word % (count - index));
        }
        order
    }
}
