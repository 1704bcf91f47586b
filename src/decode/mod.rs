//! Stage 3a: bytes -> [`Decoded`](crate::model::Decoded): a verdict for each loader, and the facts that need pixels.
//!
//! The only room that names codec crates. One file or folder per format holds its reader, all of one shape: bytes in,
//! [`Reading`] out. What is common lives here: the choice of the reader, limits, the one `catch_unwind` around
//! third-party code, and the facts computed from a reduced picture. May use `model` only.

mod limits;
#[cfg(test)]
mod measure;
mod png;
mod reading;
mod reduce;
mod webp;

pub use limits::{Limits, MAX_PIXELS, WARN_PIXELS};
pub(crate) use reading::{Picture, Reading};
