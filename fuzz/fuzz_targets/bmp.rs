//! Any bytes that begin like BMP.
#![no_main]

use libfuzzer_sys::fuzz_target;
use walkaround::model::Format;

mod reader;

fuzz_target!(|bytes: &[u8]| -> libfuzzer_sys::Corpus { reader::read(bytes, Format::Bmp) });
