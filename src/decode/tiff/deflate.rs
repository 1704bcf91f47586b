//! Deflated strips and tiles: whether they inflate to as many bytes as they should (libtiff 4, `tif_zip.c`, `ZIPDecode`).

use std::time::Instant;

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

use super::walked::Walked;

/// Inflates until `wanted` bytes are there. `at` is where the data lies in the file.
pub(super) fn walk(data: &[u8], wanted: u64, at: usize, deadline: Instant) -> Walked {
    let mut state = InflateState::new_boxed(DataFormat::Zlib);
    let mut window = vec![0; 32 * 1024];
    let (mut rest, mut got) = (data, 0_u64);
    loop {
        if Instant::now() > deadline {
            return Walked::timed_out();
        }
        // One byte more than is wanted: the look at the next code, which zlib takes as well.
        let room = usize::try_from(wanted.saturating_sub(got).saturating_add(1)).unwrap_or(usize::MAX).min(window.len());
        let result = inflate(&mut state, rest, window.get_mut(..room).unwrap_or_default(), MZFlush::None);
        rest = rest.get(result.bytes_consumed..).unwrap_or_default();
        got += result.bytes_written as u64;
        let here = at + (data.len() - rest.len());
        match result.status {
            _ if got > wanted => return Walked::whole(),
            Ok(MZStatus::Ok) if result.bytes_written > 0 || result.bytes_consumed > 0 => {}
            Ok(MZStatus::StreamEnd) if got >= wanted => return Walked::whole(),
            Err(MZError::Data) if got >= wanted => {
                return Walked::broken(got, wanted, here, "the deflated data is wrong behind its last byte");
            }
            Err(MZError::Data) => return Walked::broken(got, wanted, here, "the deflated data is broken"),
            // The end of the stream is missing, and no byte of the picture.
            _ if got >= wanted => return Walked::whole(),
            _ => return Walked::short(got, wanted, here, "the deflated data ends early"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::decode::tiff::walked::Outcome;
    use super::*;

    #[test]
    fn the_bytes_are_counted() {
        let data = miniz_oxide::deflate::compress_to_vec_zlib(&vec![7; 100_000], 6);
        let deadline = Instant::now() + Duration::from_secs(60);
        let outcome = |data: &[u8], wanted| walk(data, wanted, 0, deadline).outcome;
        assert_eq!(outcome(&data, 100_000), Outcome::Taken);
        assert_eq!(outcome(&data, 99_999), Outcome::Taken);
        assert_eq!(outcome(&data, 100_001), Outcome::Refused);
        assert_eq!(outcome(&data[..data.len() / 2], 100_000), Outcome::Refused);
        assert_eq!(outcome(&data[..data.len() - 4], 100_000), Outcome::Taken, "no checksum");
        assert_eq!(outcome(b"not zlib", 1), Outcome::Refused);
        let mut wrong = data.clone();
        *wrong.last_mut().unwrap() ^= 1;
        assert_eq!(outcome(&wrong, 100_000), Outcome::Refused, "the checksum");
        assert_eq!(outcome(&wrong, 50_000), Outcome::Taken, "the checksum is not reached");
        assert_eq!(walk(&data, 200_000, 0, deadline).lost, Some(0.5));
    }
}
