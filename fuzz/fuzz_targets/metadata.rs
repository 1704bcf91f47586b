//! Any bytes as each kind of metadata file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use walkaround::captions::metadata;

fuzz_target!(|bytes: &[u8]| {
    for name in ["metadata.jsonl", "metadata.csv", "meta_cap.json", "set.jsonl"] {
        let _ = metadata::read(&name.into(), bytes);
    }
});
