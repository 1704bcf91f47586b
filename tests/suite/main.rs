//! The integration tests, as one binary.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pictures are drawn with numbers that fit"
)]

mod agreement;
mod build;
mod datasets;
mod generated;
mod rooms;
