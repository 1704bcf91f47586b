//! Run lengths of BMP: as Pillow fills the picture from them, and by the rules of the format.

use super::header::{Header, RLE4};
use crate::decode::reduce::{Layout, Reducer, share_of};
use crate::decode::{Limits, Picture};
use crate::model::{Fault, FaultKind, Size, Strict};

/// Whether Pillow gets enough pixels out of the run lengths (`BmpRleDecoder`); `offset` is where `data` begins in the file,
/// since Pillow aligns to even offsets of the file.
pub(super) fn pillow_fills(data: &[u8], offset: usize, header: &Header) -> bool {
    let wanted = header.width * header.height;
    let (mut filled, mut x, mut at) = (0_u64, 0_u64, 0_usize);
    while filled < wanted {
        let Some([count, value]) = pair(data, at) else { break };
        at += 2;
        match (count, value) {
            (1.., _) => {
                let count = u64::from(count).min(header.width.saturating_sub(x));
                filled += count;
                x += count;
            }
            (0, 0) => {
                filled = filled.next_multiple_of(header.width.max(1));
                x = 0;
            }
            (0, 1) => break,
            (0, 2) => {
                let Some([right, up]) = pair(data, at) else { break };
                at += 2;
                filled += (wanted - filled).min(u64::from(right) + u64::from(up) * header.width);
                x = filled % header.width.max(1);
            }
            (0, _) => {
                let count = u64::from(value).min(wanted - filled);
                let stored = usize::try_from(if header.compression == RLE4 { count.div_ceil(2) } else { count }).unwrap_or(usize::MAX);
                let present = stored.min(data.len() - at.min(data.len()));
                filled += if present == stored {
                    count
                } else if header.compression == RLE4 {
                    2 * present as u64
                } else {
                    present as u64
                };
                at += present;
                if present < stored || filled == wanted {
                    break;
                }
                x += u64::from(value);
                if !(offset + at).is_multiple_of(2) {
                    at += 1;
                }
            }
        }
    }
    filled >= wanted
}

/// Draws the picture by the rules of the format: pixels that nothing is said of keep colour 0, runs end with their row.
pub(super) fn strict(
    data: &[u8],
    header: &Header,
    size: Size,
    limits: &Limits,
    color: impl Fn(u8) -> [u8; 3],
) -> Result<(Strict, Option<Picture>), Fault> {
    let (width, height) = (usize::try_from(size.width).unwrap_or(usize::MAX), usize::try_from(size.height).unwrap_or(usize::MAX));
    let deadline = limits.deadline();
    let mut canvas = Canvas { width, height, x: 0, y: 0, rows: Vec::new(), budget: limits.memory_bytes };
    let mut at = 0;
    let fault = loop {
        if canvas.y >= height {
            break None;
        }
        let Some([count, value]) = pair(data, at) else { break Some((FaultKind::Truncated, "the run lengths end")) };
        at += 2;
        match (count, value) {
            (1.., _) => canvas.run(usize::from(count), |n| if header.compression == RLE4 { nibble(value, n) } else { value })?,
            (0, 0) => canvas.go(0, canvas.y + 1),
            (0, 1) => break None,
            (0, 2) => {
                let Some([right, up]) = pair(data, at) else { break Some((FaultKind::Truncated, "the run lengths end")) };
                at += 2;
                canvas.go(canvas.x + usize::from(right), canvas.y + usize::from(up));
            }
            (0, _) => {
                let count = usize::from(value);
                let stored = if header.compression == RLE4 { count.div_ceil(2) } else { count };
                let literal = data.get(at..).unwrap_or_default();
                let pixel = |n: usize| match header.compression {
                    RLE4 => nibble(literal.get(n / 2).copied().unwrap_or_default(), n),
                    _ => literal.get(n).copied().unwrap_or_default(),
                };
                canvas.run(count, pixel)?;
                if literal.len() < stored {
                    break Some((FaultKind::Truncated, "the run lengths end"));
                }
                at += stored.next_multiple_of(2);
            }
        }
        if at % 4096 == 0 && std::time::Instant::now() > deadline {
            return Err(Fault::new(FaultKind::TimedOut, "the time limit has passed"));
        }
    };
    let reached = canvas.y.min(height);
    let mut reducer = Reducer::new(size, Layout::Rgb);
    let mut row = Vec::new();
    for y in 0..height {
        let stored = if header.top_down { y } else { height - 1 - y };
        let indices = canvas.rows.get(stored).map(Vec::as_slice).unwrap_or_default();
        // A few bytes may claim a row of any width, so it is not made as a whole.
        for start in (0..width).step_by(BATCH) {
            row.clear();
            (start..width.min(start + BATCH)).for_each(|x| row.extend(color(indices.get(x).copied().unwrap_or(0))));
            if let (Some(reducer), Ok(y), Ok(first)) = (&mut reducer, u32::try_from(y), u32::try_from(start)) {
                reducer.sparse_row(y, first, 1, &row);
            }
        }
    }
    let picture = reducer.and_then(Reducer::finish);
    let Some((kind, detail)) = fault else { return Ok((Strict::Whole, picture)) };
    let fault = Fault::at(kind, header.data_offset.saturating_add(at.min(data.len())), format!("{detail} in row {reached} of {height}"));
    if canvas.rows.is_empty() {
        return Ok((Strict::Error(fault), None));
    }
    let lost = share_of((height - reached) as u64, height as u64);
    Ok((Strict::Damaged { fault, lost: Some(lost) }, picture))
}

/// Pixels of a row that are coloured at a time.
const BATCH: usize = 4096;

/// Palette indices row by row, grown only where something is drawn: a few bytes of run lengths may claim any size.
struct Canvas {
    width: usize,
    height: usize,
    x: usize,
    y: usize,
    rows: Vec<Vec<u8>>,
    budget: u64,
}

impl Canvas {
    fn go(&mut self, x: usize, y: usize) {
        (self.x, self.y) = (x, y);
    }

    fn run(&mut self, count: usize, pixel: impl Fn(usize) -> u8) -> Result<(), Fault> {
        if self.y >= self.height || self.x >= self.width {
            return Ok(());
        }
        if self.rows.len() <= self.y {
            let rows = self.y + 1 - self.rows.len();
            self.spend(rows.saturating_mul(size_of::<Vec<u8>>()))?;
            self.rows.resize_with(self.y + 1, Vec::new);
        }
        let end = self.x.saturating_add(count).min(self.width);
        self.spend(end.saturating_sub(self.rows.get(self.y).map_or(0, Vec::len)))?;
        let Some(row) = self.rows.get_mut(self.y) else { return Ok(()) };
        if row.len() < end {
            row.resize(end, 0);
        }
        row.iter_mut().take(end).skip(self.x).enumerate().for_each(|(n, target)| *target = pixel(n));
        self.x = end;
        Ok(())
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Fault> {
        let over = || Fault::new(FaultKind::OverBudget, "the picture is larger than the memory budget");
        self.budget = self.budget.checked_sub(bytes as u64).ok_or_else(over)?;
        Ok(())
    }
}

fn pair(data: &[u8], at: usize) -> Option<[u8; 2]> {
    data.get(at..)?.first_chunk().copied()
}

fn nibble(byte: u8, position: usize) -> u8 {
    if position.is_multiple_of(2) { byte >> 4 } else { byte & 0x0F }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::bmp::read;
    use crate::model::Verdict;

    /// An 8-bit picture of 4 by 2 pixels in run lengths, with a palette of 4 entries.
    fn rle8(data: &[u8]) -> Vec<u8> {
        let mut file = b"BM\0\0\0\0\0\0\0\0\x46\0\0\0\x28\0\0\0\x04\0\0\0\x02\0\0\0\x01\0\x08\0\x01\0\0\0".to_vec();
        file.extend([0; 12]);
        file.extend([4, 0, 0, 0, 0, 0, 0, 0]);
        file.extend([0, 0, 0, 0, 255, 255, 255, 0, 90, 90, 90, 0, 30, 30, 30, 0]);
        file.extend(data);
        file
    }

    #[test]
    fn runs_literals_and_ends_draw_the_picture() {
        let reading = read(&rle8(&[4, 1, 0, 0, 0, 3, 2, 3, 2, 0, 1, 1, 0, 1]), &Limits::default());
        assert_eq!((reading.pillow, reading.strict), (Verdict::Ok, Strict::Whole));
        assert_eq!(reading.picture.map(|picture| picture.raster.luma), Some(vec![90, 30, 90, 255, 255, 255, 255, 255]));
    }

    #[test]
    fn an_early_end_is_valid_but_not_enough_for_pillow() {
        let reading = read(&rle8(&[4, 1, 0, 1]), &Limits::default());
        assert_eq!(reading.pillow, Verdict::refuses_load("ValueError", "not enough image data"));
        assert_eq!(reading.strict, Strict::Whole);
    }

    #[test]
    fn data_that_ends_in_the_second_row_loses_half() {
        let reading = read(&rle8(&[4, 1, 0, 0, 2]), &Limits::default());
        let Strict::Damaged { fault, lost } = reading.strict else { panic!("{:?}", reading.strict) };
        assert_eq!((fault.kind, lost), (FaultKind::Truncated, Some(0.5)));
    }
}
