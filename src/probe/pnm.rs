//! Portable maps: PBM, PGM, PPM (P1 to P6), PAM (P7) and gray PFM (Netpbm's format pages; Pillow 13, `PpmImagePlugin.py`).

use super::cursor::u8_at;
use super::header::{bad, cut, plain, sized};
use crate::model::{Fault, Format, Mode, Probe};

/// Most bytes of a header; comments may be long, but not without end.
const MAX_HEADER: usize = 64 << 10;

/// Whether the bytes begin like a map: the kind, then white space, then a number, a comment or a PAM keyword.
pub(super) fn has_magic(head: &[u8]) -> bool {
    match head {
        [b'P', b'7', b'\n', ..] => true,
        [b'P', b'1'..=b'6' | b'f', space, rest @ ..] if is_space(*space) || *space == b'#' => {
            let rest = rest.trim_ascii_start();
            *space == b'#' || rest.is_empty() || rest.starts_with(b"#") || rest.first().is_some_and(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// Reads the header of a map.
pub(super) fn probe(bytes: &[u8]) -> Result<Probe, Fault> {
    let head = bytes.get(..MAX_HEADER).unwrap_or(bytes);
    let kind = u8_at(head, 1).ok_or_else(|| cut(bytes, Format::Pnm))?;
    if kind == b'7' {
        return pam(bytes, head);
    }
    let mut at = 2;
    let mut number = || token(head, &mut at).ok_or_else(|| cut(bytes, Format::Pnm)).and_then(|(at, token)| parse(at, token));
    let (width, height) = (number()?, number()?);
    let size = sized(2, width, height)?;
    if kind == b'f' {
        return Ok(plain(Format::Pnm, Some(Mode::F), 32, size));
    }
    if matches!(kind, b'1' | b'4') {
        return Ok(plain(Format::Pnm, Some(Mode::Bilevel), 1, size));
    }
    let largest = number()?;
    if !(1..=65_535).contains(&largest) {
        return Err(bad(2, format!("the largest value of the map is {largest}, not 1 to 65535")));
    }
    let mode = match (kind, largest) {
        (b'3' | b'6', _) => Mode::Rgb,
        (_, 0..=255) => Mode::L,
        _ => Mode::I,
    };
    Ok(plain(Format::Pnm, Some(mode), depth_of(largest), size))
}

/// PAM's header: lines of keyword and value up to ENDHDR. Stock Pillow does not read it.
fn pam(bytes: &[u8], head: &[u8]) -> Result<Probe, Fault> {
    let (mut width, mut height, mut depth, mut largest) = (None, None, None, None);
    let mut at = 2;
    loop {
        let (place, keyword) = token(head, &mut at).ok_or_else(|| cut(bytes, Format::Pnm))?;
        if keyword == b"ENDHDR" {
            break;
        }
        let (place, value) = token(head, &mut at).map(|(_, value)| (place, value)).ok_or_else(|| cut(bytes, Format::Pnm))?;
        let field = match keyword {
            b"WIDTH" => &mut width,
            b"HEIGHT" => &mut height,
            b"DEPTH" => &mut depth,
            b"MAXVAL" => &mut largest,
            _ => continue,
        };
        *field = Some(parse(place, value)?);
    }
    let (Some(width), Some(height)) = (width, height) else { return Err(bad(0, "the PAM header has no WIDTH and HEIGHT")) };
    let mut probe = plain(Format::Pnm, None, depth_of(largest.unwrap_or(255)), sized(2, width, height)?);
    probe.variant = "PAM";
    probe.transparency = matches!(depth, Some(2 | 4));
    Ok(probe)
}

/// Bits that hold values up to `largest`.
fn depth_of(largest: u64) -> u8 {
    u8::try_from(u64::BITS - largest.leading_zeros()).unwrap_or(0)
}

/// The next word at or behind `at`, and where it stands; comments run from `#` to the end of the line.
fn token<'a>(head: &'a [u8], at: &mut usize) -> Option<(usize, &'a [u8])> {
    loop {
        match u8_at(head, *at)? {
            b'#' => *at += head.get(*at..)?.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?,
            byte if is_space(byte) => *at += 1,
            _ => break,
        }
    }
    let start = *at;
    let rest = head.get(start..)?;
    let length = rest.iter().position(|byte| is_space(*byte)).unwrap_or(rest.len());
    *at = start + length;
    Some((start, rest.get(..length)?))
}

fn parse(at: usize, token: &[u8]) -> Result<u64, Fault> {
    let number = std::str::from_utf8(token).ok().filter(|token| token.len() <= 10).and_then(|token| token.parse().ok());
    number.ok_or_else(|| bad(at, "a number in the header of the map is none"))
}

/// White space as Pillow counts it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FaultKind, Size};

    #[test]
    fn kinds_and_depths_give_modes() {
        for (header, mode, depth) in [
            (&b"P4\n3 2\n"[..], Some(Mode::Bilevel), 1),
            (b"P5 3\t2 255\n", Some(Mode::L), 8),
            (b"P2\n# gray\n3 2 # more\n1023\n", Some(Mode::I), 10),
            (b"P6\n3\n2\n65535\n", Some(Mode::Rgb), 16),
            (b"Pf\n3 2\n-1.0\n", Some(Mode::F), 32),
            (b"P7\nWIDTH 3\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", None, 8),
        ] {
            assert!(has_magic(header));
            let probe = probe(header).expect("a header");
            assert_eq!((probe.mode, probe.bit_depth, probe.size), (mode, depth, Size::new(3, 2)), "{}", header.escape_ascii());
        }
    }

    #[test]
    fn bad_headers_say_where() {
        let fault = |bytes: &[u8]| probe(bytes).map(|_| ()).map_err(|fault| (fault.kind, fault.offset));
        assert_eq!(fault(b"P6\n3"), Err((FaultKind::Truncated, Some(4))));
        assert_eq!(fault(b"P6\n3 x 255\n"), Err((FaultKind::BadHeader, Some(5))));
        assert_eq!(fault(b"P6\n3 0 255\n"), Err((FaultKind::BadHeader, Some(2))));
        assert_eq!(fault(b"P6\n3 3 65536\n"), Err((FaultKind::BadHeader, Some(2))));
        assert_eq!(fault(b"P7\nENDHDR\n"), Err((FaultKind::BadHeader, Some(0))));
    }
}
