//! Frame and scan headers: how the picture is cut into components, blocks and units.

use super::Stop;
use super::markers::{Tables, code, u16_at};

/// How the coefficients are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Process {
    /// Baseline and extended sequential.
    Sequential,
    /// Progressive.
    Progressive,
    /// A process that is not walked here: arithmetic coding or lossless.
    Other(&'static str),
}

/// Name of the process that is not walked and of which it can be told all the same what loaders say ([`Behind`](super::Behind)).
pub(super) const ARITHMETIC: &str = "arithmetic coding";

/// A component of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Component {
    /// Its identifier.
    pub(super) id: u8,
    /// Horizontal and vertical sampling factors, 1 to 4 once the frame was checked.
    pub(super) factors: (usize, usize),
    /// Number of its quantization table.
    pub(super) quantization: u8,
    /// Blocks in a row and rows of blocks that hold picture: what a scan of this component alone sends.
    pub(super) blocks: (usize, usize),
    /// Blocks in a row and rows of blocks, filled up to whole units: what an interleaved scan sends.
    pub(super) padded: (usize, usize),
}

/// A frame header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// How the coefficients are sent.
    pub(super) process: Process,
    /// Bits of a sample.
    pub(super) precision: u8,
    /// Width and height in pixels.
    pub(super) size: (usize, usize),
    /// The components, in order.
    pub(super) components: Vec<Component>,
    /// Largest sampling factors.
    pub(super) largest: (usize, usize),
    /// Units in a row and rows of units in an interleaved scan.
    pub(super) units: (usize, usize),
}

impl Frame {
    /// Reads the body of a SOF segment, as libjpeg's `get_sof` does. `at` is the offset of its marker.
    pub(super) fn parse(marker: u8, body: &[u8], at: usize) -> Result<Self, Stop> {
        let process = match marker {
            code::SOF0 | code::SOF1 => Process::Sequential,
            code::SOF2 => Process::Progressive,
            code::SOF3 | code::SOF11 => Process::Other("lossless coding"),
            code::SOF9 => Process::Other(ARITHMETIC),
            code::SOF10 => Process::Other("progressive arithmetic coding"),
            _ => return Err(Stop::refused(at, format!("coding process SOF{} is hierarchical", marker - code::SOF0))),
        };
        let short = || Stop::refused(at, "the frame header is too short");
        let (head, list) = body.split_at_checked(6).ok_or_else(short)?;
        let [precision, .., count] = *head else { return Err(short()) };
        let (height, width) = (u16_at(head, 1).ok_or_else(short)?, u16_at(head, 3).ok_or_else(short)?);
        if width == 0 || height == 0 || count == 0 {
            return Err(Stop::refused(at, format!("the frame header says {width}x{height} pixels and {count} components")));
        }
        if list.len() != usize::from(count) * 3 {
            return Err(Stop::refused(at, "the frame header has a wrong length"));
        }
        let components = list
            .chunks_exact(3)
            .filter_map(|entry| match *entry {
                [id, factors, quantization] => Some(Component {
                    id,
                    factors: (usize::from(factors >> 4), usize::from(factors & 15)),
                    quantization,
                    blocks: (0, 0),
                    padded: (0, 0),
                }),
                _ => None,
            })
            .collect();
        let size = (usize::from(width), usize::from(height));
        Ok(Self { process, precision, size, components, largest: (1, 1), units: (0, 0) })
    }

    /// Checks the frame when its first scan begins, and computes its blocks (libjpeg's `initial_setup` and the choice of an
    /// upsampler).
    pub(super) fn set_up(&mut self, at: usize) -> Result<(), Stop> {
        let refuse = |what: String| Err(Stop::refused(at, what));
        if self.size.0 > 65_500 || self.size.1 > 65_500 {
            return refuse(format!("{}x{} pixels are more than the 65500 on a side that libjpeg takes", self.size.0, self.size.1));
        }
        if self.precision != 8 && self.precision != 12 && !matches!(self.process, Process::Other("lossless coding")) {
            return refuse(format!("{} bits a sample, where 8 or 12 are possible", self.precision));
        }
        if self.components.len() > 10 {
            return refuse(format!("{} components, where libjpeg takes 10", self.components.len()));
        }
        let factors = self.components.iter().map(|component| component.factors);
        if factors.clone().any(|(h, v)| !(1..=4).contains(&h) || !(1..=4).contains(&v)) {
            return refuse("a sampling factor is not 1 to 4".into());
        }
        self.largest = factors.fold((1, 1), |(h, v), next| (h.max(next.0), v.max(next.1)));
        let (h, v) = self.largest;
        self.units = (self.size.0.div_ceil(8 * h), self.size.1.div_ceil(8 * v));
        for component in &mut self.components {
            let (own_h, own_v) = component.factors;
            component.blocks = ((self.size.0 * own_h).div_ceil(8 * h), (self.size.1 * own_v).div_ceil(8 * v));
            component.padded = (self.units.0 * own_h, self.units.1 * own_v);
        }
        Ok(())
    }

    /// Whether libjpeg can bring the components to one size: each factor must divide the largest.
    pub(super) fn can_be_upsampled(&self) -> bool {
        self.components
            .iter()
            .all(|component| self.largest.0.is_multiple_of(component.factors.0) && self.largest.1.is_multiple_of(component.factors.1))
    }

    /// Blocks of all components, filled up to whole units.
    pub(super) fn padded_blocks(&self) -> u64 {
        self.components.iter().map(|component| component.padded.0 as u64 * component.padded.1 as u64).sum()
    }
}

/// A scan header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScanHeader {
    /// The components sent: place in the frame, number of the DC and of the AC table.
    pub(super) members: Vec<(usize, usize, usize)>,
    /// First and last coefficient, in zigzag order.
    pub(super) band: (u8, u8),
    /// Bits of the coefficients that were sent before, and that remain to be sent after this scan.
    pub(super) approximation: (u8, u8),
}

impl ScanHeader {
    /// Reads the body of a SOS segment, as libjpeg's `get_sos` does. `at` is the offset of its marker.
    pub(super) fn parse(body: &[u8], frame: &Frame, at: usize) -> Result<Self, Stop> {
        let (&count, rest) = body.split_first().ok_or_else(|| Stop::refused(at, "the scan header is empty"))?;
        let count = usize::from(count);
        if !(1..=4).contains(&count) || rest.len() != count * 2 + 3 {
            return Err(Stop::refused(at, "the scan header has a wrong length"));
        }
        let mut members: Vec<(usize, usize, usize)> = Vec::with_capacity(count);
        for entry in rest.chunks_exact(2).take(count) {
            let [id, tables] = *entry else { continue };
            // libjpeg looks for the component from the place in the scan on, which forbids scans that change the order.
            let found = frame.components.iter().enumerate().take(4).skip(members.len()).find(|(_, component)| component.id == id);
            match found {
                Some((place, _)) if members.iter().all(|member| member.0 != place) => {
                    members.push((place, usize::from(tables >> 4), usize::from(tables & 15)));
                }
                _ => return Err(Stop::refused(at, format!("the scan header names component {id} that the frame does not have there"))),
            }
        }
        let &[.., first, last, approximation] = rest else { return Err(Stop::refused(at, "the scan header is too short")) };
        Ok(Self { members, band: (first, last), approximation: (approximation >> 4, approximation & 15) })
    }

    /// Checks the scan against the frame and the tables (libjpeg's `per_scan_setup`, `latch_quant_tables` and `start_pass`).
    pub(super) fn check(&self, frame: &Frame, at: usize) -> Result<(), Stop> {
        let members = || self.members.iter().filter_map(|member| frame.components.get(member.0));
        let blocks: usize = members().map(|component| component.factors.0 * component.factors.1).sum();
        if self.members.len() > 1 && blocks > 10 {
            return Err(Stop::refused(at, format!("{blocks} blocks in a unit, where 10 are allowed")));
        }
        if frame.process == Process::Progressive {
            let ((first, last), (high, low)) = (self.band, self.approximation);
            let band_is_valid = if first == 0 { last == 0 } else { first <= last && last < 64 && self.members.len() == 1 };
            if !band_is_valid || (high != 0 && low + 1 != high) || low > 13 {
                return Err(Stop::refused(at, format!("progression {first}-{last}, {high}-{low} is impossible")));
            }
        }
        Ok(())
    }

    /// Units in a row and rows of units.
    pub(super) fn units(&self, frame: &Frame) -> (usize, usize) {
        match self.members.as_slice() {
            [(place, ..)] => frame.components.get(*place).map_or((0, 0), |component| component.blocks),
            _ => frame.units,
        }
    }

    /// The coefficients that are complete after this scan, bit `k` for coefficient `k`.
    pub(super) fn completes(&self, process: Process) -> u64 {
        let (first, last) = self.band;
        match (process, self.approximation.1) {
            (Process::Progressive, 0) => (u64::MAX << first.min(63)) & (u64::MAX >> (63 - last.min(63))),
            (Process::Progressive, _) => 0,
            _ => u64::MAX,
        }
    }

    /// The first entry of each member's quantization table, which must be there.
    pub(super) fn quantization(&self, frame: &Frame, tables: &Tables, at: usize) -> Result<Vec<(usize, u16)>, Stop> {
        self.members
            .iter()
            .map(|&(place, ..)| {
                let number = frame.components.get(place).map_or(usize::MAX, |component| usize::from(component.quantization));
                let entry = tables.quantization.get(number).copied().flatten();
                entry.map(|entry| (place, entry)).ok_or_else(|| Stop::refused(at, format!("quantization table {number} is not defined")))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 17x33 pixels, 4:2:0.
    fn frame() -> Frame {
        let body = [8, 0, 33, 0, 17, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
        let mut frame = Frame::parse(code::SOF0, &body, 0).expect("it is a frame");
        frame.set_up(0).expect("it is possible");
        frame
    }

    #[test]
    fn blocks_of_odd_sizes_are_counted_alone_and_interleaved() {
        let frame = frame();
        assert_eq!(frame.units, (2, 3));
        assert_eq!((frame.components[0].blocks, frame.components[0].padded), ((3, 5), (4, 6)));
        assert_eq!((frame.components[1].blocks, frame.components[1].padded), ((2, 3), (2, 3)));
        assert_eq!(frame.padded_blocks(), 24 + 6 + 6);
    }

    #[test]
    fn scans_name_components_in_the_order_of_the_frame() {
        let frame = frame();
        assert!(ScanHeader::parse(&[2, 1, 0, 2, 0x11, 0, 63, 0], &frame, 0).is_ok());
        assert!(ScanHeader::parse(&[2, 2, 0, 1, 0x11, 0, 63, 0], &frame, 0).is_err());
        assert!(ScanHeader::parse(&[1, 9, 0, 0, 63, 0], &frame, 0).is_err());
        assert!(ScanHeader::parse(&[1, 1, 0, 0, 63], &frame, 0).is_err());
    }

    #[test]
    fn sizes_of_zero_are_refused() {
        assert!(Frame::parse(code::SOF0, &[8, 0, 0, 0, 17, 1, 1, 0x11, 0], 0).is_err());
        assert!(Frame::parse(code::SOF0, &[8, 0, 1, 0, 0, 1, 1, 0x11, 0], 0).is_err());
        assert!(Frame::parse(code::SOF0, &[8, 0, 1], 0).is_err());
    }
}
