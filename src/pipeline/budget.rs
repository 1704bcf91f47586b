//! Memory that all workers share: who wants to hold much waits until others have let go.

use std::sync::{Condvar, Mutex, PoisonError};

/// So many bytes for all workers together.
#[derive(Debug)]
pub(super) struct Budget {
    total: u64,
    free: Mutex<u64>,
    freed: Condvar,
}

/// Bytes that are held until this is dropped.
#[derive(Debug)]
pub(super) struct Share<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl Budget {
    pub(super) fn new(total: u64) -> Self {
        Self { total, free: Mutex::new(total), freed: Condvar::new() }
    }

    /// All there is.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Waits until so many bytes are free. Who wants more than there is gets all of it, alone.
    pub(super) fn take(&self, bytes: u64) -> Share<'_> {
        let bytes = bytes.min(self.total);
        // A worker that panicked inside the lock has left a number behind, which cannot be half-written.
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free < bytes {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= bytes;
        Share { budget: self, bytes }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        *self.budget.free.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
        self.budget.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::Budget;

    #[test]
    fn never_more_than_the_total_is_held() {
        let (budget, held, most) = (Budget::new(100), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for worker in 0..4_u64 {
                let (budget, held, most) = (&budget, &held, &most);
                scope.spawn(move || {
                    for round in 0..200 {
                        let bytes = 20 + (worker * 31 + round * 17) % 60;
                        let share = budget.take(bytes);
                        most.fetch_max(held.fetch_add(bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
                        held.fetch_sub(bytes, Ordering::SeqCst);
                        drop(share);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 100);
    }

    #[test]
    fn a_wish_beyond_the_total_is_granted_alone() {
        let budget = Budget::new(10);
        assert_eq!(budget.take(1_000_000).bytes, 10);
    }
}
