//! What training programs expect and do, one file or folder each. Sees `model` only; no I/O.
//!
//! So far there is one profile, `generic`: a trainer that picks up common image extensions, loads with Pillow and reads the
//! whole of a `.txt` caption in UTF-8.

mod generic;
mod set;

pub use generic::generic;
pub use set::{SetError, set};
