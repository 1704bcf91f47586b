//! Stage 2: bytes -> [`Probe`](crate::model::Probe) or [`Fault`](crate::model::Fault).
//!
//! [`sniff()`] says from the first bytes what a file is; [`probe()`] reads the header and the metadata of an image as Pillow 13
//! does (size, mode, frames, orientation), because that is what trainers see. One file per format or family of formats;
//! `exif` and `ifd` read metadata. Pixels are never decoded and no verdict is given here: a damaged picture with a
//! readable header still has a probe. May use `model` only.
//!
//! # Examples
//!
//! ```
//! use walkaround::model::{Content, FaultKind, Format, OtherContent, Size};
//! use walkaround::probe::{probe, sniff};
//!
//! let qoi = b"qoif\0\0\0\x04\0\0\0\x02\x03\0";
//! assert_eq!(sniff(qoi), Content::Image(Format::Qoi));
//! assert_eq!(probe(qoi).map(|probe| probe.size), Ok(Size::new(4, 2)));
//!
//! let page = b"<!DOCTYPE html><title>404</title>";
//! assert_eq!(sniff(page), Content::Other(OtherContent::Html));
//! assert_eq!(probe(page).map_err(|fault| fault.kind), Err(FaultKind::NotAnImage));
//! ```

mod bmff;
mod bmp;
mod boxes;
mod cursor;
mod exif;
mod gif;
mod header;
mod ico;
mod ifd;
mod items;
mod jpeg;
mod jpeg2000;
mod jxl;
mod markup;
mod mpf;
mod other;
mod png;
mod pnm;
mod read;
mod sniff;
mod tga;
mod tiff;
mod tiff_mode;
mod webp;

pub use read::probe;
pub use sniff::{SNIFF_BYTES, sniff};
