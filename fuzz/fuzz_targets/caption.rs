//! Any bytes as a caption.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use walkaround::captions::{self, Tokenizers};

static TOKENIZERS: LazyLock<Tokenizers> = LazyLock::new(Tokenizers::new);

fuzz_target!(|bytes: &[u8]| {
    let _ = captions::read(&"a.txt".into(), bytes, &TOKENIZERS);
});
