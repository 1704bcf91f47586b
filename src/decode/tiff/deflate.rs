//! Deflated strips and tiles: whether they inflate to as many bytes as they should (libtiff 4, `tif_zip.c`, `ZIPDecode`).

use std::time::Instant;

use super::walked::Walked;
use crate::decode::inflate::{Inflater, Status};

/// Inflates until `wanted` bytes are there. `at` is where the data lies in the file.
pub(super) fn walk(data: &[u8], wanted: u64, at: usize, deadline: Instant) -> Walked {
    let mut inflater = Inflater::new();
    let mut rest = data;
    loop {
        if Instant::now() > deadline {
            return Walked::timed_out();
        }
        // One byte more than is wanted: the look at the next code, which zlib takes as well.
        let left = wanted.saturating_sub(inflater.written()).saturating_add(1);
        let (given, status) = inflater.step(&mut rest, usize::try_from(left).unwrap_or(usize::MAX));
        let is_stuck = given.is_empty() && status == Status::WantsOutput;
        let got = inflater.written();
        let here = at + (data.len() - rest.len());
        return match status {
            _ if got > wanted => Walked::whole(),
            Status::WantsOutput if !is_stuck => continue,
            Status::WrongChecksum | Status::Broken if got >= wanted => {
                Walked::broken(got, wanted, here, "the deflated data is wrong behind its last byte")
            }
            Status::Broken => Walked::broken(got, wanted, here, "the deflated data is broken"),
            // What is missing is the end of the stream, and no byte of the picture.
            _ if got >= wanted => Walked::whole(),
            _ => Walked::short(got, wanted, here, "the deflated data ends early"),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::decode::tiff::walked::Outcome;

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
