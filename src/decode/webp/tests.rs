//! Whole files through [`read`](super::read).
