//! What loaders and strict reading say of a walk.

use super::frame::ARITHMETIC;
use super::open::Opened;
use super::walk::Walk;
use super::{Behind, Stop};
use crate::decode::lenient::NOTHING_TO_LOAD;
use crate::model::{Fault, FaultKind, Refusal, Strict, Trailing, Verdict};

/// Pixels above which OpenCV throws (`CV_IO_MAX_IMAGE_PIXELS`).
const OPENCV_MAX_PIXELS: u64 = 1 << 30;

/// Pillow 13.0.0: open, load, convert to RGB.
///
/// Its source gives libjpeg what the file has and no more, and it takes a picture once all rows came; a fatal error of libjpeg
/// counts even behind the last row (`JpegDecode.c`). Of 11,522 files, most of them damaged, this agrees with Pillow on all but the 41
/// that are not walked. The number of bytes in the message about a truncated file can be off by a few: it depends on how far
/// libjpeg had read ahead.
pub(super) fn pillow(opened: &Result<Opened, Refusal>, walk: &Walk, length: usize) -> Verdict {
    match (opened, &walk.stop) {
        (Err(refusal), _) => Verdict::Error(refusal.clone()),
        (Ok(Opened::Header), _) => Verdict::refuses_load("OSError", NOTHING_TO_LOAD),
        (Ok(Opened::Picture), None) => Verdict::Ok,
        (Ok(Opened::Picture), Some(stop)) => match stop {
            Stop::Starved { .. } if walk.rows_done => Verdict::Ok,
            Stop::Starved { at } => {
                let left = length.saturating_sub(*at);
                Verdict::refuses_load("OSError", format!("image file is truncated ({left} bytes not processed)"))
            }
            Stop::Refused { .. } | Stop::Arithmetic(Behind::Nothing) => {
                Verdict::refuses_load("OSError", "broken data stream when reading image file")
            }
            Stop::Arithmetic(Behind::End) => Verdict::Ok,
            Stop::Arithmetic(Behind::Other) | Stop::NoDecoder(_) | Stop::Limit(_) => Verdict::Unknown,
        },
    }
}

/// Pillow 13.0.0 with `LOAD_TRUNCATED_IMAGES`: it ends the data with an end marker of its own (`JpegImagePlugin.py`,
/// `load_read`), and no error of libjpeg is looked at, so that whatever opens loads, walked here or not.
pub(super) fn pillow_lenient(opened: &Result<Opened, Refusal>) -> Verdict {
    match opened {
        Err(refusal) => Verdict::Error(refusal.clone()),
        Ok(Opened::Header) => Verdict::refuses_load("OSError", NOTHING_TO_LOAD),
        Ok(Opened::Picture) => Verdict::Ok,
    }
}

/// OpenCV 5.0.0: `imdecode` with `IMREAD_UNCHANGED`.
///
/// A fatal error behind the last row does not count, and 12 bits are refused. OpenCV 4 differs in one thing, by its source
/// (`grfmt_jpeg.cpp`, `readData`: the result of `jpeg_read_scanlines` is not looked at): it takes a file of one scan that ends
/// early, and what is in the rows that are missing is chance.
pub(super) fn opencv(walk: &Walk) -> Verdict {
    let refuses = |message: &str| Verdict::refuses_load("error", message);
    let frame = walk.frame.as_ref();
    let pixels = frame.map_or(0, |frame| frame.size.0 as u64 * frame.size.1 as u64);
    match &walk.stop {
        Some(Stop::NoDecoder(_) | Stop::Limit(_) | Stop::Arithmetic(Behind::Other)) => Verdict::Unknown,
        _ if pixels > OPENCV_MAX_PIXELS => refuses("more pixels than OpenCV takes"),
        _ if frame.is_some_and(|frame| frame.precision != 8) => refuses("12 bits a sample"),
        _ if walk.tables_first => refuses("the file begins with tables only"),
        Some(Stop::Arithmetic(Behind::End)) => Verdict::Ok,
        Some(_) if !walk.rows_done => refuses("libjpeg gives up"),
        _ => Verdict::Ok,
    }
}

/// Reading by the format's rules.
pub(super) fn strict(walk: &Walk, length: usize) -> Strict {
    let missing = missing_component(walk);
    // What no scan sent cannot be measured in blocks.
    let lost = walk.damage.lost().filter(|&lost| lost > 0.0 || missing.is_none());
    let damaged = |fault: Fault| Strict::Damaged { fault: walk.damage.first().cloned().unwrap_or(fault), lost };
    match &walk.stop {
        Some(Stop::NoDecoder(what)) => Strict::Unknown(Fault::new(FaultKind::NoDecoder, what.clone())),
        Some(Stop::Arithmetic(_)) => Strict::Unknown(Fault::new(FaultKind::NoDecoder, format!("{ARITHMETIC} is not walked"))),
        Some(Stop::Limit(fault)) => Strict::Unknown(fault.clone()),
        Some(Stop::Refused { at, what }) if walk.scans == 0 => Strict::Error(Fault::at(FaultKind::BadHeader, *at, what.clone())),
        Some(Stop::Refused { at, what }) => damaged(Fault::at(FaultKind::Corrupt, *at, what.clone())),
        Some(Stop::Starved { .. }) if walk.scans == 0 => {
            Strict::Error(Fault::at(FaultKind::Truncated, length, "the file ends in its header"))
        }
        Some(Stop::Starved { .. }) => damaged(Fault::at(FaultKind::Truncated, length, "the end marker is missing")),
        None => match walk.damage.first().cloned().or(missing) {
            Some(fault) => damaged(fault),
            None => Strict::Whole,
        },
    }
}

/// A component of which the scans do not hold every coefficient: the file was cut between two scans and ended by hand.
fn missing_component(walk: &Walk) -> Option<Fault> {
    let frame = walk.frame.as_ref()?;
    let (component, _) = frame.components.iter().zip(&walk.planes).find(|(_, plane)| plane.complete != u64::MAX)?;
    Some(Fault::at(FaultKind::Corrupt, walk.end, format!("the scans do not hold all coefficients of component {}", component.id)))
}

/// Bytes behind the end marker, unless the file says that they are further pictures.
pub(super) fn trailing(walk: &Walk, bytes: &[u8]) -> Option<Trailing> {
    let rest = bytes.get(walk.end..).filter(|rest| !rest.is_empty())?;
    (walk.stop.is_none() && !walk.tables.multi_picture).then(|| Trailing {
        offset: walk.end as u64,
        size_bytes: rest.len() as u64,
        zeros: rest.iter().all(|&byte| byte == 0),
    })
}
