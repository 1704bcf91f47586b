//! Markers and the segments behind them: tables, restart interval, application data.
//!
//! Read as libjpeg reads them, since its refusals are what loaders report. The frame and scan headers are in `frame`.

use super::Stop;
use super::huffman::{Definition, standard};

/// Marker codes (T.81, table B.1), without their 0xFF.
pub(super) mod code {
    pub(in crate::decode::jpeg) const TEM: u8 = 0x01;
    pub(in crate::decode::jpeg) const SOF0: u8 = 0xC0;
    pub(in crate::decode::jpeg) const SOF1: u8 = 0xC1;
    pub(in crate::decode::jpeg) const SOF2: u8 = 0xC2;
    pub(in crate::decode::jpeg) const SOF3: u8 = 0xC3;
    pub(in crate::decode::jpeg) const DHT: u8 = 0xC4;
    pub(in crate::decode::jpeg) const JPG: u8 = 0xC8;
    pub(in crate::decode::jpeg) const SOF9: u8 = 0xC9;
    pub(in crate::decode::jpeg) const SOF10: u8 = 0xCA;
    pub(in crate::decode::jpeg) const SOF11: u8 = 0xCB;
    pub(in crate::decode::jpeg) const DAC: u8 = 0xCC;
    pub(in crate::decode::jpeg) const SOF15: u8 = 0xCF;
    pub(in crate::decode::jpeg) const RST0: u8 = 0xD0;
    pub(in crate::decode::jpeg) const RST7: u8 = 0xD7;
    pub(in crate::decode::jpeg) const SOI: u8 = 0xD8;
    pub(in crate::decode::jpeg) const EOI: u8 = 0xD9;
    pub(in crate::decode::jpeg) const SOS: u8 = 0xDA;
    pub(in crate::decode::jpeg) const DQT: u8 = 0xDB;
    pub(in crate::decode::jpeg) const DNL: u8 = 0xDC;
    pub(in crate::decode::jpeg) const DRI: u8 = 0xDD;
    pub(in crate::decode::jpeg) const DHP: u8 = 0xDE;
    pub(in crate::decode::jpeg) const APP0: u8 = 0xE0;
    pub(in crate::decode::jpeg) const APP2: u8 = 0xE2;
    pub(in crate::decode::jpeg) const APP13: u8 = 0xED;
    pub(in crate::decode::jpeg) const APP14: u8 = 0xEE;
    pub(in crate::decode::jpeg) const APP15: u8 = 0xEF;
    pub(in crate::decode::jpeg) const COM: u8 = 0xFE;
}

/// A marker that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    /// Its code.
    pub(super) code: u8,
    /// Offset of the 0xFF before the code.
    pub(super) offset: usize,
    /// Bytes before it that belong to nothing; fill bytes (0xFF) are not counted.
    pub(super) skipped: usize,
}

impl Marker {
    /// Offset of what follows the code.
    pub(super) fn end(self) -> usize {
        self.offset + 2
    }

    /// Whether it is a restart marker, and which.
    pub(super) fn restart(self) -> Option<u8> {
        (code::RST0..=code::RST7).contains(&self.code).then(|| self.code - code::RST0)
    }
}

/// The next marker at or behind `from`; whatever else is there is skipped.
pub(super) fn next(bytes: &[u8], from: usize) -> Option<Marker> {
    let mut at = from;
    let mut skipped = 0;
    loop {
        let rest = bytes.get(at..)?;
        let before = rest.iter().position(|&byte| byte == 0xFF)?;
        let fill = rest.get(before..)?.iter().take_while(|&&byte| byte == 0xFF).count();
        let code = *rest.get(before + fill)?;
        skipped += before;
        if code != 0 {
            return Some(Marker { code, offset: at + before + fill - 1, skipped });
        }
        // A stuffed zero: still entropy-coded data.
        skipped += 2;
        at += before + fill + 1;
    }
}

/// The body of the segment whose length stands at `at`, and the offset behind it; for a segment that runs over the end of the
/// file, why libjpeg stops in it. `has_frame` says whether a frame header was read before.
pub(super) fn segment(bytes: &[u8], marker: Marker, has_frame: bool) -> Result<(&[u8], usize), Stop> {
    let at = marker.end();
    let starved = Stop::Starved { at };
    let Some(length) = u16_at(bytes, at) else { return Err(starved) };
    let start = at + 2;
    // A length below two counts itself wrongly. Where libjpeg skips it sees nothing to skip; tables it refuses.
    if length < 2 && matches!(marker.code, code::DHT | code::DQT | code::DAC) {
        return Err(Stop::refused(marker.offset, format!("segment 0xFF{:02X} says that it is {length} bytes long", marker.code)));
    }
    let length = usize::from(length).saturating_sub(2);
    let end = start + length;
    if let Some(body) = bytes.get(start..end) {
        return Ok((body, end));
    }
    // libjpeg checks a segment while it reads it, so what is wrong with the part that is there counts before its end does.
    let part = bytes.get(start..).unwrap_or_default();
    if is_refused_early(marker.code, length, part, has_frame) {
        return Err(Stop::refused(
            marker.offset,
            format!("segment 0xFF{:02X} is malformed and runs over the end of the file", marker.code),
        ));
    }
    // Application data is skipped, which takes what there is; libjpeg takes other segments only whole.
    let is_skipped = matches!(marker.code, code::APP0..=code::APP15 | code::COM | code::DNL);
    Err(if is_skipped { Stop::Starved { at: bytes.len() } } else { starved })
}

/// Whether libjpeg refuses a segment of `length` bytes of which it only gets the first `part`.
fn is_refused_early(code: u8, length: usize, mut part: &[u8], has_frame: bool) -> bool {
    let mut left = length;
    match (code, part) {
        (code::DRI, _) => length != 2,
        (code::SOS, _) if !has_frame => true,
        (code::SOS, [count, ..]) => !(1..=4).contains(count) || length != usize::from(*count) * 2 + 4,
        (code::DQT, _) => {
            while let Some((&head, rest)) = part.split_first() {
                if head & 15 > 3 {
                    return true;
                }
                part = rest.get(if head >> 4 == 0 { 64 } else { 128 }..).unwrap_or_default();
            }
            false
        }
        (code::DHT, _) => {
            while left > 16
                && let Some((&head, rest)) = part.split_first()
                && let Some((counts, rest)) = rest.split_first_chunk::<16>()
            {
                let total = counts.iter().map(|&count| usize::from(count)).sum();
                left -= 17;
                let Some(rest) = rest.get(total..) else { return total > 256 || total > left };
                if total > 256 || total > left || head & !0x10 > 3 {
                    return true;
                }
                left -= total;
                part = rest;
            }
            false
        }
        (code::SOF0..=code::SOF15, [_, h1, h2, w1, w2, count, ..]) => {
            has_frame || h1 | h2 == 0 || w1 | w2 == 0 || *count == 0 || length != 6 + 3 * usize::from(*count)
        }
        _ => false,
    }
}

/// A 16-bit number, most significant byte first.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..).and_then(<[u8]>::first_chunk::<2>).map(|pair| u16::from_be_bytes(*pair))
}

/// What tables and application segments have said so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    /// First entry of each quantization table, which is all that a picture of DC values needs.
    pub(super) quantization: [Option<u16>; 4],
    /// DC tables.
    pub(super) dc: [Option<Definition>; 4],
    /// AC tables.
    pub(super) ac: [Option<Definition>; 4],
    /// Units between restart markers; 0 for none.
    pub(super) restart_interval: u16,
    /// The transform that an Adobe segment names.
    pub(super) adobe: Option<u8>,
    /// Whether a JFIF segment was seen.
    pub(super) jfif: bool,
    /// Whether an index of more pictures behind the first was seen (CIPA DC-007).
    pub(super) multi_picture: bool,
}

impl Tables {
    /// Takes a segment that is neither a frame nor a scan header. `at` is the offset of its marker.
    pub(super) fn take(&mut self, code: u8, body: &[u8], at: usize) -> Result<(), Stop> {
        match code {
            code::DQT => self.quantization(body).ok_or_else(|| Stop::refused(at, "a quantization table is malformed")),
            code::DHT => self.huffman(body).ok_or_else(|| Stop::refused(at, "a Huffman table is malformed")),
            code::DRI => {
                let interval = if body.len() == 2 { u16_at(body, 0) } else { None };
                self.restart_interval = interval.ok_or_else(|| Stop::refused(at, "the restart interval has a wrong length"))?;
                Ok(())
            }
            code::DAC if !body.len().is_multiple_of(2) || body.chunks_exact(2).any(|pair| !conditioning_is_valid(pair)) => {
                Err(Stop::refused(at, "an arithmetic conditioning table is malformed"))
            }
            code::APP0..=code::APP15 => {
                self.application(code, body);
                Ok(())
            }
            code::DAC | code::COM | code::DNL => Ok(()),
            _ => Err(Stop::refused(at, format!("marker 0xFF{code:02X} has no meaning here"))),
        }
    }

    fn quantization(&mut self, mut body: &[u8]) -> Option<()> {
        while let Some((&head, rest)) = body.split_first() {
            let wide = head >> 4 != 0;
            let slot = self.quantization.get_mut(usize::from(head & 15))?;
            *slot = if wide { u16_at(rest, 0) } else { rest.first().map(|&value| u16::from(value)) };
            body = rest.get(if wide { 128 } else { 64 }..)?;
        }
        Some(())
    }

    fn huffman(&mut self, mut body: &[u8]) -> Option<()> {
        while body.len() > 16 {
            let (&head, rest) = body.split_first()?;
            let (counts, rest) = rest.split_first_chunk::<16>()?;
            let total: usize = counts.iter().map(|&count| usize::from(count)).sum();
            let (symbols, rest) = if total <= 256 { rest.split_at_checked(total)? } else { return None };
            let tables = if head & 0x10 == 0 { &mut self.dc } else { &mut self.ac };
            let slot = tables.get_mut(usize::from(head & !0x10))?;
            *slot = Some(Definition { counts: *counts, symbols: symbols.to_vec() });
            body = rest;
        }
        body.is_empty().then_some(())
    }

    fn application(&mut self, code: u8, body: &[u8]) {
        match code {
            code::APP0 if body.len() >= 14 && body.starts_with(b"JFIF\0") => self.jfif = true,
            code::APP2 if body.starts_with(b"MPF\0") => self.multi_picture = true,
            code::APP14 if body.starts_with(b"Adobe") => self.adobe = body.get(11).copied().or(self.adobe),
            _ => {}
        }
    }

    /// Puts the standard tables where a sequential file defines none, as libjpeg-turbo does for Motion JPEG.
    pub(super) fn add_standard(&mut self) {
        for (ac, tables) in [(false, &mut self.dc), (true, &mut self.ac)] {
            for (number, slot) in tables.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
                *slot = standard(ac, number);
            }
        }
    }
}

/// Whether an entry of a DAC segment is one that libjpeg takes: a table number below 32, and for DC a lower bound that is not
/// above the upper.
fn conditioning_is_valid(pair: &[u8]) -> bool {
    match *pair {
        [table @ 0..16, value] => table < 16 && value & 15 <= value >> 4,
        [table, _] => table < 32,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_marker_is_found_behind_data_and_fill() {
        let bytes = [1, 2, 0xFF, 0, 3, 0xFF, 0xFF, 0xD9];
        assert_eq!(next(&bytes, 0), Some(Marker { code: 0xD9, offset: 6, skipped: 5 }));
        assert_eq!(next(&bytes, 5), Some(Marker { code: 0xD9, offset: 6, skipped: 0 }));
        assert_eq!(next(&bytes, 7), None);
        assert_eq!(next(&[0xFF, 0xFF], 0), None);
    }

    #[test]
    fn segments_that_run_over_the_end_starve() {
        let marker = |code| Marker { code, offset: 0, skipped: 0 };
        assert!(matches!(segment(&[0xFF, 0xDB, 0, 5, 1, 2, 3, 9], marker(code::DQT), false), Ok(([1, 2, 3], 7))));
        assert!(matches!(segment(&[0xFF, 0xFE, 0, 1, 1], marker(code::COM), false), Ok(([], 4))));
        assert!(matches!(segment(&[0xFF, 0xDB, 0, 1, 1], marker(code::DQT), false), Err(Stop::Refused { .. })));
        assert!(matches!(segment(&[0xFF, 0xDB, 0, 5, 1], marker(code::DQT), false), Err(Stop::Starved { at: 2 })));
        assert!(matches!(segment(&[0xFF, 0xFE, 0, 5, 1], marker(code::COM), false), Err(Stop::Starved { at: 5 })));
    }

    #[test]
    fn what_is_wrong_in_a_cut_segment_counts_before_its_end() {
        let marker = |code| Marker { code, offset: 0, skipped: 0 };
        assert!(matches!(segment(&[0xFF, 0xDB, 0, 5, 9], marker(code::DQT), false), Err(Stop::Refused { .. })));
        assert!(matches!(segment(&[0xFF, 0xDD, 9, 5], marker(code::DRI), false), Err(Stop::Refused { .. })));
        assert!(matches!(segment(&[0xFF, 0xDA, 9, 5, 1], marker(code::SOS), true), Err(Stop::Refused { .. })));
    }

    #[test]
    fn tables_must_fill_their_segment() {
        let mut tables = Tables::default();
        let mut body = vec![0x00];
        body.extend(1..=64);
        assert!(tables.take(code::DQT, &body, 0).is_ok());
        assert_eq!(tables.quantization[0], Some(1));
        body.push(0);
        assert!(tables.take(code::DQT, &body, 0).is_err());
        assert!(tables.take(code::DRI, &[0, 4, 0], 0).is_err());
        assert!(tables.take(code::DRI, &[0, 4], 0).is_ok());
        assert_eq!(tables.restart_interval, 4);
        assert!(tables.take(code::DHT, &[0; 16], 0).is_err());
        assert!(tables.take(code::DHT, &[0; 17], 0).is_ok());
        assert!(tables.take(0xF3, &[], 0).is_err());
    }
}
