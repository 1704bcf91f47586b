//! Whole files through [`read`](super::read): right values for each kind of damage.
