//! Ctrl-C: the first lets a run finish what is under way and close its outputs, the second ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

use super::exit::Exit;

/// What becomes true at the first interrupt.
pub(super) fn listen() -> anyhow::Result<Arc<AtomicBool>> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            #[expect(clippy::exit, clippy::disallowed_methods, reason = "the user has asked twice; a file in flight may take minutes")]
            std::process::exit(i32::from(Exit::Interrupted as u8));
        }
    })
    .context("failed to listen for interrupts")?;
    Ok(cancel)
}
