//! What the targets of single readers share: bytes of one format, and what must hold of the answer.

use libfuzzer_sys::Corpus;
use walkaround::decode::{self, Limits};
use walkaround::model::{Format, Strict};
use walkaround::probe;

/// Reads bytes that begin like this format; others are not kept.
pub fn read(bytes: &[u8], format: Format) -> Corpus {
    let limits = Limits { memory_bytes: 64 << 20, ..Limits::default() };
    let decoded = match probe::probe(bytes) {
        Ok(header) if header.format == format => decode::decode(bytes, &header, &limits),
        Ok(_) => return Corpus::Reject,
        Err(fault) => decode::decode_without_header(bytes, &fault, &limits),
    };
    if let Strict::Damaged { lost: Some(lost), .. } = decoded.strict {
        assert!((0.0..=1.0).contains(&lost), "a share of {lost} is lost");
    }
    if let Some(trailing) = decoded.trailing {
        assert!(trailing.offset + trailing.size_bytes <= bytes.len() as u64, "{trailing:?} of {} bytes", bytes.len());
    }
    Corpus::Keep
}
