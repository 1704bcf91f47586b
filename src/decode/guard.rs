//! The one `catch_unwind` of the crate: a panic in third-party decoding becomes a message.
//!
//! Codec crates panic on some hostile files (`image` 0.25 on some tiled planar TIFFs), and one file must not end the run.
//! The default hook would print each of these panics to standard error. The hook is the process's, so it is wrapped once:
//! on a thread that is inside [`contain_panics`] the wrapper keeps the message and stays silent, everywhere else it hands over to
//! the hook that was there before. A host program that installs its own hook later only loses the silence.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::model::{Fault, FaultKind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work`; a panic in it is returned as a fault, with the place in the source where the hook saw it.
///
/// `work` may leave nothing behind that others see: it takes bytes and returns a value, which is why unwinding through it
/// is safe.
pub(crate) fn contain_panics<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if GUARDED.get() {
                PLACE.set(info.location().map(ToString::to_string));
            } else {
                previous(info);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.map_err(|payload| {
        let message = message(payload.as_ref());
        let detail = match PLACE.take() {
            Some(place) => format!("a decoder panicked: {message} ({})", within_crate(&place)),
            None => format!("a decoder panicked: {message}"),
        };
        Fault::new(FaultKind::Panic, detail)
    })
}

/// A place in the source from the crate's folder on: where that was on the machine that built this is nobody's concern, and
/// would make reports differ.
fn within_crate(place: &str) -> &str {
    let source = place.rfind("/src/").or_else(|| place.rfind("\\src\\")).unwrap_or(0);
    let folder = place[..source].rfind(['/', '\\']).map_or(0, |separator| separator + 1);
    &place[folder..]
}

fn message(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "no message"
    }
}

#[cfg(test)]
mod tests {
    use super::{contain_panics, within_crate};

    #[test]
    fn a_place_is_told_from_its_crate_on() {
        let path = "home/me/.cargo/registry/src/index-1/tiff-0.11.3/src/decoder/image.rs:919:9";
        assert_eq!(within_crate(path), "tiff-0.11.3/src/decoder/image.rs:919:9");
        assert_eq!(within_crate(&path.replace('/', "\\")), "tiff-0.11.3\\src\\decoder\\image.rs:919:9");
        assert_eq!(within_crate("src/decode/guard.rs:1:1"), "src/decode/guard.rs:1:1");
        assert_eq!(within_crate("library/core/src/option.rs:7:9"), "core/src/option.rs:7:9");
    }

    #[test]
    fn a_panic_becomes_its_message_and_place() {
        let message = contain_panics(|| -> u8 { panic!("row {} is odd", 7) }).expect_err("it panics").detail;
        assert!(message.starts_with("a decoder panicked: row 7 is odd ("), "{message}");
        assert!(message.contains("guard.rs"), "{message}");
    }

    #[test]
    fn a_value_passes_through() {
        assert_eq!(contain_panics(|| 7), Ok(7));
    }

    #[test]
    fn the_guard_is_lifted_after_a_panic() {
        let _ = contain_panics(|| -> u8 { panic!("once") });
        assert!(!super::GUARDED.get());
    }
}
