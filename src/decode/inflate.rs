//! Streaming inflate with a window of fixed size: compressed slices in, runs of plain bytes out.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_PARSE_ZLIB_HEADER, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress_with_limit};

/// Bytes of the window: a power of two, at least the 32 KiB that deflate looks back. Larger means fewer turns at its end,
/// where the decompressor leaves its fast path.
const WINDOW: usize = 128 << 10;

/// Why [`Inflater::step`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// All input is taken and more is wanted.
    WantsInput,
    /// There is more output than was asked for, or than fitted.
    WantsOutput,
    /// The stream has ended and its checksum is right.
    Done,
    /// The stream has ended and its Adler-32 checksum is wrong.
    WrongChecksum,
    /// The stream is broken.
    Broken,
}

/// A zlib stream (RFC 1950) being read.
pub(super) struct Inflater {
    state: Box<DecompressorOxide>,
    window: Box<[u8]>,
    /// Where in the window the next byte goes.
    at: usize,
    /// Bytes written so far.
    written: u64,
}

impl Inflater {
    pub(super) fn new() -> Self {
        Self { state: Box::default(), window: vec![0; WINDOW].into_boxed_slice(), at: 0, written: 0 }
    }

    /// Takes what it can of `input`, which is shortened by that, and gives at most `limit` bytes.
    pub(super) fn step(&mut self, input: &mut &[u8], limit: usize) -> (&[u8], Status) {
        let mut flags = TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_HAS_MORE_INPUT;
        if self.written < WINDOW as u64 {
            // On the first turn the place in the window is the place in the stream, and only without wrapping does the
            // decompressor refuse distances that reach back before the beginning, as zlib does.
            flags |= TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        }
        let start = self.at;
        let room = (WINDOW - start).min(limit);
        let (status, taken, given) = decompress_with_limit(&mut self.state, input, &mut self.window, start, room, flags);
        *input = input.get(taken..).unwrap_or(&[]);
        self.written = self.written.saturating_add(given as u64);
        self.at = (start + given) % WINDOW;
        let status = match status {
            TINFLStatus::Done => Status::Done,
            TINFLStatus::NeedsMoreInput => Status::WantsInput,
            TINFLStatus::HasMoreOutput => Status::WantsOutput,
            TINFLStatus::Adler32Mismatch => Status::WrongChecksum,
            _ => Status::Broken,
        };
        (self.window.get(start..start + given).unwrap_or(&[]), status)
    }

    /// Bytes given so far.
    pub(super) fn written(&self) -> u64 {
        self.written
    }
}

/// How far a stream inflates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The whole input, or the whole stream, gives this many bytes.
    Bytes(u64),
    /// It gives more than was asked for.
    TooLarge,
    /// The stream is broken before either.
    Broken,
}

/// Inflates `input`, keeping nothing but what `take` keeps, until it is known whether there are more than `limit` bytes.
pub(super) fn inflate_within(mut input: &[u8], limit: u64, mut take: impl FnMut(&[u8])) -> Extent {
    let mut inflater = Inflater::new();
    loop {
        let left = usize::try_from(limit.saturating_sub(inflater.written())).unwrap_or(usize::MAX);
        let before = input.len();
        let (given, status) = inflater.step(&mut input, left);
        let produced = given.len();
        take(given);
        match status {
            Status::Done | Status::WantsInput => return Extent::Bytes(inflater.written()),
            Status::WrongChecksum | Status::Broken => return Extent::Broken,
            Status::WantsOutput if left == 0 || (produced == 0 && before == input.len()) => return Extent::TooLarge,
            Status::WantsOutput => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec_zlib;

    use super::*;

    #[test]
    fn output_comes_in_runs_however_the_input_is_cut() {
        let plain: Vec<u8> = (0..300_000_u32).map(|n| (n / 7).to_le_bytes()[0]).collect();
        let packed = compress_to_vec_zlib(&plain, 6);
        for cut in [1, 7, 1000, packed.len()] {
            let mut inflater = Inflater::new();
            let mut got = Vec::new();
            let mut last = Status::WantsInput;
            for slice in packed.chunks(cut) {
                let mut input = slice;
                loop {
                    let (given, status) = inflater.step(&mut input, usize::MAX);
                    got.extend_from_slice(given);
                    last = status;
                    if status != Status::WantsOutput {
                        break;
                    }
                }
            }
            assert_eq!((got == plain, last), (true, Status::Done), "cut {cut}");
        }
    }

    #[test]
    fn a_distance_before_the_beginning_is_refused() {
        // A fixed block: literal 'a', then length 3 at distance 2.
        let mut input: &[u8] = &[0x78, 0x9C, 0x4B, 0x04, 0x12, 0x00, 0, 0, 0, 0];
        let (_, status) = Inflater::new().step(&mut input, usize::MAX);
        assert_eq!(status, Status::Broken);
    }

    #[test]
    fn the_limit_is_exact() {
        let packed = compress_to_vec_zlib(&vec![0; 200_000], 6);
        assert_eq!(inflate_within(&packed, 200_000, |_| ()), Extent::Bytes(200_000));
        assert_eq!(inflate_within(&packed, 199_999, |_| ()), Extent::TooLarge);
        assert_eq!(inflate_within(b"no zlib", 10, |_| ()), Extent::Broken);
    }
}
