//! What `ImageFile.LOAD_TRUNCATED_IMAGES` makes of Pillow's refusals (Pillow 13.0.0, `ImageFile.py`, `ImageFile.load`).
//!
//! The switch works where `ImageFile.load` feeds a decoder: when the file has no more bytes it stops asking, and the
//! decoder's error is not looked at, so that JPEG, GIF, BMP and uncompressed TIFF always load, in part or gray, once they
//! were opened. It does nothing for what is decoded elsewhere: WebP (`_webp.c`), compressed TIFF (`_load_libtiff`) and run
//! lengths of BMP (`BmpRleDecoder` raises by itself). PNG asks for the switch in many places of its own, so that its rules are
//! in `png::pillow`.

use crate::model::{Refusal, Stage, Verdict};

/// What `ImageFile.load` raises before there is a decoder, whatever the switch says.
pub(super) const NOTHING_TO_LOAD: &str = "cannot load this image";

/// The verdict with the switch on, for a format whose data only goes through `ImageFile.load`; `verdict` is the one without.
pub(super) fn forgiven(verdict: &Verdict) -> Verdict {
    match verdict {
        Verdict::Error(Refusal { class, stage: Stage::Load, message }) if class == "OSError" && message != NOTHING_TO_LOAD => Verdict::Ok,
        Verdict::Ok | Verdict::Error(_) | Verdict::Unknown => verdict.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_data_and_errors_of_the_decoder_are_forgiven() {
        for message in ["image file is truncated (3 bytes not processed)", "broken data stream when reading image file"] {
            assert_eq!(forgiven(&Verdict::refuses_load("OSError", message)), Verdict::Ok);
        }
    }

    #[test]
    fn what_is_raised_elsewhere_is_not() {
        let opening = Verdict::refuses_open("OSError", "Truncated File Read");
        let arguments = Verdict::refuses_load("ValueError", "tile cannot extend outside image");
        let nothing = Verdict::refuses_load("OSError", NOTHING_TO_LOAD);
        for verdict in [opening, arguments, nothing, Verdict::Unknown, Verdict::Ok] {
            assert_eq!(forgiven(&verdict), verdict);
        }
    }
}
