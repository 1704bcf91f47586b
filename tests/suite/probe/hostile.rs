//! Bytes that nobody vouches for: cut files, random bytes behind every signature, sizes and pointers that lie.

use std::time::Instant;

use proptest::prelude::*;
use walkaround::model::{FaultKind, Size};
use walkaround::probe::{probe, sniff};

use super::made::files;

/// How formats begin, far enough that random bytes behind it are taken for a header.
const BEGINNINGS: [&[u8]; 26] = [
    b"\xFF\xD8\xFF\xE1",
    b"\xFF\xD8\xFF\xE1\xFF\xFFExif\0\0II\x2a\0\x08\0\0\0",
    b"\xFF\xD8\xFF\xE2\0\x80MPF\0MM\0\x2a\0\0\0\x08",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\0\0\0\0\0\0\0\x40eXIfMM\0\x2a\0\0\0\x08",
    b"RIFF\xFF\0\0\0WEBPVP8X",
    b"RIFF\xFF\0\0\0WEBPVP8L\x40\0\0\0\x2F",
    b"RIFF\xFF\0\0\0WEBPVP8 ",
    b"GIF89a",
    b"BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0",
    b"II\x2a\0\x08\0\0\0",
    b"MM\0\x2a\0\0\0\x08\0\x10",
    b"II\x2b\0\x08\0\0\0\x10\0\0\0\0\0\0\0",
    b"\0\0\0\x18ftypavif\0\0\0\0mif1avif",
    b"\0\0\0\x10ftypavis\0\0\0\0\0\0\0\x7Fmoov",
    b"\0\0\0\x10ftypheic\0\0\0\0\0\0\0\0meta\0\0\0\0\0\0\0\x0Epitm\0\0\0\0\0\x01\0\0\0\x40iloc",
    b"\xFF\x0A",
    b"\0\0\0\x0CJXL \r\n\x87\n\0\0\0\0jxlc\xFF\x0A",
    b"\0\0\0\x0CjP  \r\n\x87\n\0\0\0\0jp2h",
    b"\xFF\x4F\xFF\x51",
    b"8BPS\0\x01",
    b"<svg ",
    b"\0\0\x01\0\x01\0",
    b"\0\0\x02\0\0\0\0\0\0\0\0\0\x01\0\x01\0\x18\0",
    b"P7\n",
    b"qoif",
];

#[test]
fn files_cut_at_every_length_have_a_probe_of_the_right_size_or_a_fault() {
    for (format, _, bytes) in files() {
        for length in 0..bytes.len() {
            match probe(&bytes[..length]) {
                Ok(probe) => assert_eq!(probe.size, Size::new(13, 9), "{format} cut to {length} bytes"),
                Err(fault) => assert!(
                    matches!(fault.kind, FaultKind::Empty | FaultKind::NotAnImage | FaultKind::Truncated),
                    "{format} cut to {length} bytes: {fault}"
                ),
            }
        }
    }
}

#[test]
fn every_beginning_alone_and_with_one_kind_of_byte_behind_ends_soon() {
    for beginning in BEGINNINGS {
        for fill in [0x00, 0x01, 0x20, 0x2C, 0x7F, 0xFF] {
            let mut bytes = beginning.to_vec();
            bytes.resize(200_000, fill);
            let begin = Instant::now();
            let _ = probe(&bytes);
            assert!(begin.elapsed().as_secs() < 2, "{} then {fill:#x}", beginning.escape_ascii());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes_behind_every_signature_never_panic(tail in prop::collection::vec(any::<u8>(), 0..400)) {
        for beginning in BEGINNINGS {
            let bytes = [beginning, &tail].concat();
            let _ = sniff(&bytes);
            if let Ok(probe) = probe(&bytes) {
                prop_assert!(probe.size.width > 0 && probe.size.height > 0 && probe.frames > 0);
            }
        }
    }

    #[test]
    fn files_with_changed_bytes_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        for (_, _, mut bytes) in files() {
            // The header is where a changed byte matters.
            let length = bytes.len().min(200);
            for (at, byte) in &changes {
                bytes[at.index(length)] = *byte;
            }
            let _ = probe(&bytes);
        }
    }

    #[test]
    fn any_bytes_are_sniffed(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = sniff(&bytes);
        let _ = probe(&bytes);
    }
}
