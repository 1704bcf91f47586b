//! The order in which `CPython` lists a set of pairs of whole numbers, built from a list: what decides ties in `OneTrainer`.
//!
//! Hashes of whole numbers are not salted, so the order is the same in every run. `CPython` 3.10 to 3.12 agree
//! (`Objects/setobject.c`, `set_add_entry` and `set_table_resize`; `Objects/tupleobject.c`, `tuplehash`).

use super::super::random::tuple_hash;

/// Slots after the one that the hash points to which are looked at before the next jump (`LINEAR_PROBES`).
const LINEAR_PROBES: usize = 9;

/// Bits of the hash that are mixed in with each jump (`PERTURB_SHIFT`).
const PERTURB_SHIFT: u32 = 5;

/// Slots of an empty set (`PySet_MINSIZE`).
const SMALLEST: usize = 8;

/// A pair of whole numbers below 2^61 - 1, above which a number is no longer its own hash.
pub(super) type Pair = (u64, u64);

/// `list(set(pairs))`: each pair once.
///
/// ```text
/// list(set([(512, 512), (256, 1024)])) == [(256, 1024), (512, 512)]
/// ```
pub(super) fn in_set_order(pairs: &[Pair]) -> Vec<Pair> {
    let mut table = Table { slots: vec![None; SMALLEST], used: 0 };
    for pair in pairs {
        table.add(*pair);
    }
    table.slots.into_iter().flatten().collect()
}

/// An open-addressed table whose length is a power of two, and never full.
struct Table {
    slots: Vec<Option<Pair>>,
    used: usize,
}

impl Table {
    /// Adds a pair unless it is there, and grows fourfold once three fifths are in use.
    fn add(&mut self, pair: Pair) {
        if !self.insert(pair) {
            return;
        }
        self.used += 1;
        let mask = self.slots.len() - 1;
        if self.used * 5 >= mask * 3 {
            // `used * 2` beyond 50,000 entries; there are never more than a few here.
            let mut length = SMALLEST;
            while length <= self.used * 4 {
                length *= 2;
            }
            for pair in std::mem::replace(&mut self.slots, vec![None; length]).into_iter().flatten() {
                self.insert(pair);
            }
        }
    }

    /// Puts a pair into the first free slot on its way; `false` if it is met there.
    fn insert(&mut self, pair: Pair) -> bool {
        let mask = self.slots.len() - 1;
        let mut perturb = hash(pair);
        let mut start = low_bits(perturb, mask);
        loop {
            let probes = if start + LINEAR_PROBES <= mask { LINEAR_PROBES } else { 0 };
            for slot in self.slots.iter_mut().skip(start).take(probes + 1) {
                match slot {
                    Some(known) if *known == pair => return false,
                    Some(_) => {}
                    None => {
                        *slot = Some(pair);
                        return true;
                    }
                }
            }
            perturb >>= PERTURB_SHIFT;
            start = start.wrapping_mul(5).wrapping_add(1).wrapping_add(low_bits(perturb, mask)) & mask;
        }
    }
}

fn low_bits(hash: u64, mask: usize) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "only the bits of the mask are wanted")]
    let bits = hash as usize & mask;
    bits
}

/// `hash((first, second))`.
fn hash((first, second): Pair) -> u64 {
    tuple_hash(&[first.cast_signed(), second.cast_signed()]).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_cpython() {
        assert_eq!(hash((1024, 512)), 6_307_547_348_775_357_127);
        assert_eq!(hash((0, 0)), 9_988_604_870_027_030_631);
    }

    #[test]
    fn sets_are_listed_as_cpython_lists_them() {
        // Before the first growth, after it, and after the second one.
        assert_eq!(in_set_order(&[(512, 512), (256, 1024), (1024, 256), (448, 576)]), [(256, 1024), (448, 576), (512, 512), (1024, 256)]);
        let many: Vec<Pair> = (0..40).map(|at| (at * 64, at)).collect();
        assert_eq!(
            in_set_order(&many).iter().map(|pair| pair.1).collect::<Vec<_>>(),
            [
                14, 34, 4, 9, 16, 21, 36, 26, 11, 31, 1, 23, 38, 6, 13, 18, 33, 8, 28, 35, 20, 3, 10, 25, 15, 30, 22, 5, 32, 17, 37, 0, 7,
                12, 27, 19, 39, 2, 29, 24
            ]
        );
    }

    #[test]
    fn a_pair_is_listed_once() {
        assert_eq!(in_set_order(&[(1, 2), (1, 2), (1, 2)]), [(1, 2)]);
        assert!(in_set_order(&[]).is_empty());
    }
}
