//! The integration tests, as one binary.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pictures are drawn with numbers that fit"
)]
#![expect(clippy::disallowed_methods, reason = "tests write and remove files of their own")]
#![expect(clippy::trivially_copy_pass_by_ref, reason = "names of chunks are written as byte strings")]

mod agreement;
mod baseline;
mod bisect;
mod bisect_search;
mod build;
mod cache;
mod cases;
mod cli;
mod corpus;
mod cross_check;
mod datasets;
mod formats;
mod generated;
mod locate;
mod manifest;
mod probe;
mod recipe;
mod rooms;
mod support;
mod truth;
mod witness;
mod worked;
