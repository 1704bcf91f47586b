//! PNG and APNG (PNG third edition): what loaders do with a file, and what the file is.
//!
//! One reading of the image data serves all. [`read`] first does what Pillow's `open` does, and reads the header by the
//! format's rules ([`strict`]); then the data is inflated and unfiltered row by row ([`scan`], made of [`data`],
//! [`rows`] and [`picture`]), which says how and where the picture ends; then [`pillow`], [`opencv`] and
//! [`strict`] each judge that end by their own rules. Memory is two rows and a window, whatever the size of the picture.

mod animation;
mod bands;
mod chunks;
mod data;
mod handlers;
mod header;
mod opencv;
mod picture;
mod pillow;
mod quick;
mod rows;
mod scan;
mod strict;
#[cfg(test)]
mod tests;
mod wave;

use super::{Limits, MAX_PIXELS, Reading};
use crate::model::{Fault, FaultKind, Strict, Verdict};
use data::ImageData;
use handlers::Leniency;
use header::Header;

/// Reads a PNG.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Reading {
    let deadline = limits.deadline();
    let opening = strict::open(bytes);
    let opened = pillow::open(bytes, Leniency::Strict);
    let refused = opened.as_ref().err().cloned();
    // What was not refused is opened the same way with the switch on.
    let lenient = match &opened {
        Ok(opened) => Ok(opened.clone().made_lenient()),
        Err(_) => pillow::open(bytes, Leniency::Lenient),
    };
    let trailing = strict::trailing(bytes);
    let header = match &opening.header {
        Ok(header) => *header,
        Err(fault) => {
            // Pillow is less strict about the order and the fields of IHDR, and may load what breaks the rules.
            let [pillow, pillow_lenient] = [opened, lenient].map(|opened| judge_alone(bytes, opened, limits));
            let opencv = opencv::verdict(bytes, None, None, deadline);
            return Reading { pillow, pillow_lenient, opencv, strict: Strict::Error(fault.clone()), picture: None, trailing };
        }
    };
    if let Some(fault) = limit_fault(&header, limits) {
        let opencv = opencv::verdict(bytes, Some(&header), None, deadline);
        let strict = Strict::Unknown(fault);
        let [pillow, pillow_lenient] = [refused, lenient.err()].map(|refused| refused.unwrap_or(Verdict::Unknown));
        return Reading { pillow, pillow_lenient, opencv, strict, picture: None, trailing };
    }
    let mut scan =
        opening.data.map(|first| scan::scan(&header, &opening.tables, ImageData::new(bytes, first, sequence_before(&opened)), deadline));
    let was_refused = refused.is_some();
    let judge = |opened: Result<pillow::Opened<'_>, Verdict>, same_numbers: bool| match (opened, &scan) {
        // The same picture from the same data, as a rule.
        (Ok(mut opened), Some(scan)) if same_numbers && opened.is_of(&header, opening.data.as_ref()) => {
            pillow::load(bytes, &mut opened, scan)
        }
        (opened, _) => judge_alone(bytes, opened, limits),
    };
    let pillow = judge(opened, true);
    // The scan has counted frames from where the strict opening stood.
    let pillow_lenient = judge(lenient, !was_refused);
    let raised = [refused.as_ref(), Some(&pillow)].into_iter().flatten().find_map(Verdict::refusal);
    let opencv = opencv::verdict(bytes, Some(&header), scan.as_ref(), deadline);
    let strict = strict::verdict(bytes, &opening, &header, scan.as_ref(), raised);
    let picture = scan.as_mut().and_then(|scan| scan.picture.take());
    Reading { pillow, pillow_lenient, opencv, strict, picture, trailing }
}

/// Pillow's verdict, from a reading of its own: where it sees another picture than the format.
fn judge_alone<'a>(bytes: &'a [u8], opened: Result<pillow::Opened<'a>, Verdict>, limits: &Limits) -> Verdict {
    let mut opened = match opened {
        Ok(opened) => opened,
        Err(refusal) => return refusal,
    };
    let Some(first) = opened.data else { return pillow::nothing_to_load() };
    if opened.stream.frame_is_empty() {
        return Verdict::refuses_load("ValueError", "tile cannot extend outside image");
    }
    let Some(header) = opened.stream.header() else { return Verdict::Unknown };
    if limit_fault(&header, limits).is_some() {
        return Verdict::Unknown;
    }
    let data = ImageData::new(bytes, first, opened.stream.sequence);
    let scan = scan::scan(&header, &opened.stream.tables, data, limits.deadline());
    pillow::load(bytes, &mut opened, &scan)
}

fn sequence_before(opened: &Result<pillow::Opened<'_>, Verdict>) -> Option<u32> {
    opened.as_ref().ok().and_then(|opened| opened.stream.sequence)
}

/// Which limit stands against reading the picture.
fn limit_fault(header: &Header, limits: &Limits) -> Option<Fault> {
    let pixels = header.pixels();
    if pixels > MAX_PIXELS {
        let detail = format!("{}x{} are {pixels} pixels, above the limit of {MAX_PIXELS}", header.width, header.height);
        return Some(Fault::new(FaultKind::TooManyPixels, detail));
    }
    // Two rows, and what the window and the reduced picture take.
    let needed = header.geometry().longest_row().saturating_mul(2).saturating_add(1 << 20);
    if needed > limits.memory_bytes {
        let detail = format!("reading takes {needed} bytes, above the budget of {}", limits.memory_bytes);
        return Some(Fault::new(FaultKind::OverBudget, detail));
    }
    None
}
