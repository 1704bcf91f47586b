//! Any bytes as an image: header, EXIF, every reader. The format is what the bytes begin like, so seeds of each are needed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use walkaround::decode::{self, Limits};
use walkaround::probe;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(header) = probe::probe(bytes) {
        let limits = Limits { memory_bytes: 64 << 20, ..Limits::default() };
        let _ = decode::decode(bytes, &header, &limits);
    }
});
