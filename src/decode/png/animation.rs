//! What OpenCV 5.0.0 does with an animated PNG: the picture before the frames, if there is one, and the first frame
//! (`grfmt_png.cpp`, `PngDecoder::readData`).
//!
//! libpng is fed chunk by chunk there, told to ignore checksums, and reports an error by jumping back to where
//! `processing_start` called `setjmp`. That function has returned long before. From the first stream the jump happens to end in a refusal;
//! from the second one, which is begun where a frame follows a picture of its own, it ends in SIGSEGV. Measured on
//! 6,300 damaged animations and by files made for each rule. OpenCV reads animations since 4.11; 4.13 does the same as 5.0.0,
//! 4.12 dies of errors in the first stream as well, and 4.11 of those only.

use std::time::Instant;

use super::chunks::{Chunk, be32, chunks_from};
use super::header::Header;
use super::opencv::{Trouble, frame_is_valid, reads_chunk, refused};
use super::rows::{BadFilter, Rows};
use crate::decode::inflate::{Inflater, Status};

/// Pixels of a side above which libpng refuses (`PNG_USER_WIDTH_MAX`).
const MAX_SIDE: u32 = 1_000_000;

/// Reads the animation whose first image data is `first`; `has_frame` says whether an fcTL came before it, so that the
/// data is that of the first frame.
pub(super) fn examine(bytes: &[u8], header: &Header, first: &Chunk<'_>, has_frame: bool, deadline: Instant) -> Result<(), Trouble> {
    let mut stream = Stream::new(header, Place::First, deadline);
    let mut frame_announced = has_frame;
    for chunk in chunks_from(bytes, first.at) {
        if !reads_chunk(&chunk) {
            return refused(format!("chunk {} cannot be read", chunk.label()));
        }
        match &chunk.name {
            b"IDAT" => stream.feed(chunk.data)?,
            b"fdAT" if frame_announced => match chunk.data.get(4..) {
                Some(data) => stream.feed(data)?,
                // Its length less four is taken for that of the data, and is then past what libpng takes.
                None => return stream.error("an fdAT without a number"),
            },
            b"fcTL" if !frame_is_valid(&chunk, Some(header)) => return refused("a frame outside the picture"),
            b"fcTL" if frame_announced => return stream.finish(),
            b"fcTL" => {
                frame_announced = true;
                stream = Stream::of_frame(&chunk, header, deadline)?;
            }
            // A picture whose frames do not come is not even looked at.
            b"IEND" => return stream.finish(),
            _ => stream.pass(&chunk)?,
        }
    }
    refused("no IEND")
}

/// Which of libpng's streams it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The first.
    First,
    /// The one after the picture that stands before the frames.
    Second,
}

/// A picture as libpng gets it, in pieces.
struct Stream {
    place: Place,
    deadline: Instant,
    rows: Rows,
    inflater: Inflater,
    has_data: bool,
    /// Whether the last chunk was image data.
    is_in_data: bool,
    /// Whether the compressed stream has ended, in whatever way: libpng only warns of a broken one.
    has_ended: bool,
}

impl Stream {
    fn new(header: &Header, place: Place, deadline: Instant) -> Self {
        let rows = Rows::new(header.geometry());
        Self { place, deadline, rows, inflater: Inflater::new(), has_data: false, is_in_data: false, has_ended: false }
    }

    /// The stream of the frame that fcTL announces. What libpng says of its size is still heard by `processing_start`.
    fn of_frame(control: &Chunk<'_>, header: &Header, deadline: Instant) -> Result<Self, Trouble> {
        let [width, height] = [4, 8].map(|at| be32(control.data, at).unwrap_or(0));
        if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
            return refused(format!("a frame of {width}x{height} pixels"));
        }
        Ok(Self::new(&Header { width, height, ..*header }, Place::Second, deadline))
    }

    /// Takes image data.
    fn feed(&mut self, mut data: &[u8]) -> Result<(), Trouble> {
        if self.has_data && !self.is_in_data {
            return self.error("image data behind another chunk");
        }
        (self.has_data, self.is_in_data) = (true, true);
        while !self.has_ended {
            if Instant::now() >= self.deadline {
                return Err(Trouble::NotRead);
            }
            let (given, status) = self.inflater.step(&mut data, self.rows.bytes_left());
            if let Err(BadFilter { .. }) = self.rows.push(given, |_, _| ()) {
                return self.error("a row with an unknown filter");
            }
            match status {
                Status::WantsInput => break,
                // More than the rows take ends the stream, with a warning.
                Status::WantsOutput => self.has_ended = self.rows.is_complete(),
                Status::Done | Status::WrongChecksum | Status::Broken => self.has_ended = true,
            }
        }
        Ok(())
    }

    /// Takes a chunk that is no image data.
    fn pass(&mut self, chunk: &Chunk<'_>) -> Result<(), Trouble> {
        if self.has_data && !self.has_ended {
            return self.error("compressed data without an end");
        }
        // The head of a chunk behind image data is read elsewhere in libpng, and its name is not looked at there.
        if !std::mem::take(&mut self.is_in_data) && !chunk.has_unreserved_name() {
            return self.error("an invalid chunk name");
        }
        if chunk.is_ancillary() || chunk.name == *b"PLTE" { Ok(()) } else { self.error("an unknown critical chunk") }
    }

    /// An error of libpng while it is fed.
    fn error(&self, what: &'static str) -> Result<(), Trouble> {
        match self.place {
            Place::First => refused(what),
            Place::Second => Err(Trouble::Crash(what)),
        }
    }

    /// The end of the picture, where errors are heard again.
    fn finish(&self) -> Result<(), Trouble> {
        if self.has_data && self.has_ended { Ok(()) } else { refused("not enough image data") }
    }
}
