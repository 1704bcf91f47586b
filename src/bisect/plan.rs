//! Suspicion from facts, and a plan that a person can follow by hand.
