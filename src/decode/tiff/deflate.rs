//! Whether deflated strips and tiles hold as many bytes as they should.
//!
//! `image` stops in a tile at the picture's edge and never sees what is broken behind it; libtiff inflates every tile in
//! full (libtiff 4, `tif_zip.c`, `ZIPDecode`) Whether it looks at
//! the checksum behind the last byte depends on how it was built, so a wrong one leaves the answer open.

use std::time::Instant;

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

/// Whether `data` inflates to at least `wanted` bytes; `None` where the deadline passed first, or where
/// they do and what follows them is wrong.
pub(super) fn holds(data: &[u8], wanted: u64, deadline: Instant) -> Option<bool> {
    let mut state = InflateState::new_boxed(DataFormat::Zlib);
    let mut window = vec![0; 32 * 1024];
    let (mut rest, mut got) = (data, 0_u64);
    while got <= wanted {
        if Instant::now() > deadline {
            return None;
        }
        // One byte more than is wanted: the look at the next code.
        let room = usize::try_from(wanted - got + 1).unwrap_or(usize::MAX).min(window.len());
        let result = inflate(&mut state, rest, window.get_mut(..room).unwrap_or_default(), MZFlush::None);
        rest = rest.get(result.bytes_consumed..).unwrap_or_default();
        got += result.bytes_written as u64;
        match result.status {
            Ok(MZStatus::Ok) if result.bytes_written > 0 || result.bytes_consumed > 0 => {}
            Err(MZError::Data) if got >= wanted => return None,
            _ => break,
        }
    }
    Some(got >= wanted)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_bytes_are_counted() {
        let data = miniz_oxide::deflate::compress_to_vec_zlib(&vec![7; 100_000], 6);
        let deadline = Instant::now() + Duration::from_secs(60);
        assert_eq!(holds(&data, 100_000, deadline), Some(true));
        assert_eq!(holds(&data, 99_999, deadline), Some(true));
        assert_eq!(holds(&data, 100_001, deadline), Some(false));
        assert_eq!(holds(&data[..data.len() / 2], 100_000, deadline), Some(false));
        assert_eq!(holds(b"not zlib", 1, deadline), Some(false));
        let mut wrong = data.clone();
        *wrong.last_mut().unwrap() ^= 1;
        assert_eq!(holds(&wrong, 100_000, deadline), None, "the checksum");
        assert_eq!(holds(&wrong, 50_000, deadline), Some(true), "the checksum is not reached");
    }
}
