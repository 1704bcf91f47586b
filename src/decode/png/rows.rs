//! From a stream of plain bytes to rows: passes of Adam7, filter bytes, and undoing the filters (PNG third edition,
//! sections 7.2, 8 and 9). Knows sizes in bits, not colours.

/// The shape of the picture as far as rows are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Geometry {
    /// Pixels in a row.
    pub(super) width: u32,
    /// Rows.
    pub(super) height: u32,
    /// Bits of one pixel, 1 to 64.
    pub(super) bits: u32,
    /// Whether the rows come in the seven passes of Adam7.
    pub(super) interlaced: bool,
}

/// Where the pixels of a row stand in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Row of the picture.
    pub(super) y: u32,
    /// Column of its first pixel.
    pub(super) first: u32,
    /// Columns from one pixel to the next.
    pub(super) stride: u32,
    /// How many pixels.
    pub(super) pixels: u32,
}

/// A row that begins with a byte that is no filter (section 9.2 knows 0 to 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadFilter {
    /// Row of the picture.
    pub(super) y: u32,
    /// The byte.
    pub(super) value: u8,
}

/// First column and row, and steps across and down, of a pass.
#[derive(Clone, Copy)]
struct Pass {
    first: u32,
    top: u32,
    across: u32,
    down: u32,
}

/// Section 8.1, figure 8.
const ADAM7: [Pass; 7] = [
    Pass { first: 0, top: 0, across: 8, down: 8 },
    Pass { first: 4, top: 0, across: 8, down: 8 },
    Pass { first: 0, top: 4, across: 4, down: 8 },
    Pass { first: 2, top: 0, across: 4, down: 4 },
    Pass { first: 0, top: 2, across: 2, down: 4 },
    Pass { first: 1, top: 0, across: 2, down: 2 },
    Pass { first: 0, top: 1, across: 1, down: 2 },
];

const SEQUENTIAL: [Pass; 1] = [Pass { first: 0, top: 0, across: 1, down: 1 }];

impl Geometry {
    fn passes(&self) -> &'static [Pass] {
        if self.interlaced { &ADAM7 } else { &SEQUENTIAL }
    }

    /// Pixels in each row of a pass, and its rows.
    fn size_of(&self, pass: Pass) -> (u32, u32) {
        let columns = self.width.saturating_sub(pass.first).div_ceil(pass.across);
        let rows = self.height.saturating_sub(pass.top).div_ceil(pass.down);
        (columns, rows)
    }

    /// Bytes of a row of so many pixels, without the filter byte.
    fn row_bytes(&self, pixels: u32) -> u64 {
        (u64::from(pixels) * u64::from(self.bits)).div_ceil(8)
    }

    /// Bytes of the longest row, without the filter byte.
    pub(super) fn longest_row(&self) -> u64 {
        self.row_bytes(self.width)
    }

    /// Bytes that the whole picture inflates to, filter bytes included.
    pub(super) fn total_bytes(&self) -> u64 {
        let pass_bytes = |pass: &Pass| {
            let (columns, rows) = self.size_of(*pass);
            if columns == 0 { 0 } else { (self.row_bytes(columns) + 1).saturating_mul(u64::from(rows)) }
        };
        self.passes().iter().map(pass_bytes).fold(0, u64::saturating_add)
    }

    /// Bytes from one pixel to the one that filters compare it with.
    fn filter_distance(&self) -> usize {
        usize::try_from(self.bits.div_ceil(8)).unwrap_or(8)
    }
}

/// Puts rows together and undoes their filters. Holds two rows, and no more of them than the data has filled.
#[derive(Debug)]
pub(super) struct Rows {
    geometry: Geometry,
    pass: usize,
    /// Row within the pass.
    row: u32,
    /// Bytes of a row in this pass with its filter byte; 0 when the picture is complete.
    row_len: usize,
    current: Vec<u8>,
    previous: Vec<u8>,
    pixels_done: u64,
    bytes_left: u64,
}

impl Rows {
    pub(super) fn new(geometry: Geometry) -> Self {
        let bytes_left = geometry.total_bytes();
        let (current, previous) = (Vec::new(), Vec::new());
        let mut rows = Self { geometry, pass: 0, row: 0, row_len: 0, current, previous, pixels_done: 0, bytes_left };
        rows.enter_pass(0);
        rows
    }

    /// Whether every row was seen.
    pub(super) fn is_complete(&self) -> bool {
        self.row_len == 0
    }

    /// Whether the next byte begins a row.
    pub(super) fn is_at_row_start(&self) -> bool {
        self.current.is_empty()
    }

    /// Pixels in the rows seen so far.
    pub(super) fn pixels_done(&self) -> u64 {
        self.pixels_done
    }

    /// Bytes that the picture still wants, capped at what memory can count.
    pub(super) fn bytes_left(&self) -> usize {
        usize::try_from(self.bytes_left).unwrap_or(usize::MAX)
    }

    /// The row of the picture that is being put together.
    pub(super) fn y(&self) -> u32 {
        self.place().map_or(self.geometry.height, |place| place.y)
    }

    /// Takes plain bytes; `emit` gets each finished row with its filter undone. Bytes behind the picture are ignored.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut emit: impl FnMut(Place, &[u8])) -> Result<(), BadFilter> {
        while !bytes.is_empty() && self.row_len > 0 {
            let wanted = self.row_len.saturating_sub(self.current.len());
            let (part, rest) = bytes.split_at(wanted.min(bytes.len()));
            self.current.extend_from_slice(part);
            self.bytes_left = self.bytes_left.saturating_sub(part.len() as u64);
            bytes = rest;
            if self.current.len() == self.row_len {
                self.finish_row(&mut emit)?;
            }
        }
        Ok(())
    }

    fn finish_row(&mut self, emit: &mut impl FnMut(Place, &[u8])) -> Result<(), BadFilter> {
        let Some(place) = self.place() else { return Ok(()) };
        if let Some((&mut filter, row)) = self.current.split_first_mut() {
            let above = self.previous.get(1..).unwrap_or(&[]);
            if !unfilter(filter, row, above, self.geometry.filter_distance()) {
                return Err(BadFilter { y: place.y, value: filter });
            }
            emit(place, row);
        }
        self.pixels_done = self.pixels_done.saturating_add(u64::from(place.pixels));
        std::mem::swap(&mut self.current, &mut self.previous);
        self.current.clear();
        self.row += 1;
        let rows = self.geometry.passes().get(self.pass).map_or(0, |pass| self.geometry.size_of(*pass).1);
        if self.row >= rows {
            self.enter_pass(self.pass + 1);
        }
        Ok(())
    }

    /// Goes to the first pass from `pass` on that has pixels; rows above its first count as zero.
    fn enter_pass(&mut self, mut pass: usize) {
        self.row = 0;
        self.row_len = 0;
        self.previous.clear();
        while let Some(&shape) = self.geometry.passes().get(pass) {
            let (columns, rows) = self.geometry.size_of(shape);
            if columns > 0 && rows > 0 {
                let bytes = self.geometry.row_bytes(columns).saturating_add(1);
                self.row_len = usize::try_from(bytes).unwrap_or(usize::MAX);
                break;
            }
            pass += 1;
        }
        self.pass = pass;
    }

    fn place(&self) -> Option<Place> {
        let pass = *self.geometry.passes().get(self.pass)?;
        let pixels = self.geometry.size_of(pass).0;
        let y = pass.top.saturating_add(self.row.saturating_mul(pass.down));
        Some(Place { y, first: pass.first, stride: pass.across, pixels })
    }
}

/// Undoes a row's filter in place; `above` is the row before it, or empty for the first. False where there is no such filter.
pub(super) fn unfilter(filter: u8, row: &mut [u8], above: &[u8], distance: usize) -> bool {
    match distance {
        1 => unfilter_by::<1>(filter, row, above),
        2 => unfilter_by::<2>(filter, row, above),
        3 => unfilter_by::<3>(filter, row, above),
        4 => unfilter_by::<4>(filter, row, above),
        6 => unfilter_by::<6>(filter, row, above),
        _ => unfilter_by::<8>(filter, row, above),
    }
}

/// [`unfilter`] for pixels of `N` bytes. One function a size lets the compiler keep the neighbours in registers.
fn unfilter_by<const N: usize>(filter: u8, row: &mut [u8], above: &[u8]) -> bool {
    match (filter, above.is_empty()) {
        (0, _) | (2, true) => {}
        // Above the first row all is zero, and then Paeth's predictor is the pixel to the left.
        (1, _) | (4, true) => {
            let mut left = [0_u8; N];
            for pixel in row.as_chunks_mut::<N>().0 {
                for i in 0..N {
                    pixel[i] = pixel[i].wrapping_add(left[i]);
                }
                left = *pixel;
            }
        }
        (2, false) => {
            for (byte, up) in row.iter_mut().zip(above) {
                *byte = byte.wrapping_add(*up);
            }
        }
        (3, true) => {
            let mut left = [0_u8; N];
            for pixel in row.as_chunks_mut::<N>().0 {
                for i in 0..N {
                    pixel[i] = pixel[i].wrapping_add(left[i] / 2);
                }
                left = *pixel;
            }
        }
        (3, false) => {
            let mut left = [0_u8; N];
            for (pixel, up) in row.as_chunks_mut::<N>().0.iter_mut().zip(above.as_chunks::<N>().0) {
                for i in 0..N {
                    pixel[i] = pixel[i].wrapping_add(left[i].midpoint(up[i]));
                }
                left = *pixel;
            }
        }
        (4, false) => {
            let mut left = [0_u8; N];
            let mut corner = [0_u8; N];
            for (pixel, up) in row.as_chunks_mut::<N>().0.iter_mut().zip(above.as_chunks::<N>().0) {
                for i in 0..N {
                    pixel[i] = pixel[i].wrapping_add(paeth(left[i], up[i], corner[i]));
                }
                left = *pixel;
                corner = *up;
            }
        }
        _ => return false,
    }
    true
}

/// Section 9.4.
fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(up), i16::from(corner));
    let (to_left, to_up, to_corner) = ((b - c).abs(), (a - c).abs(), (a + b - 2 * c).abs());
    // Selects without branches: the order of the three is noise, and a mispredicted branch costs more than the sum.
    let upward = if to_up <= to_corner { up } else { corner };
    if to_left <= to_up && to_left <= to_corner { left } else { upward }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(width: u32, height: u32, bits: u32, interlaced: bool) -> Geometry {
        Geometry { width, height, bits, interlaced }
    }

    fn rows_of(geometry: Geometry, bytes: &[u8]) -> Vec<(Place, Vec<u8>)> {
        let mut seen = Vec::new();
        let mut rows = Rows::new(geometry);
        for byte in bytes {
            rows.push(&[*byte], |place, row| seen.push((place, row.to_vec()))).unwrap();
        }
        assert!(rows.is_complete());
        seen
    }

    #[test]
    fn each_filter_is_undone() {
        let bytes = [0, 10, 20, 30, 1, 1, 1, 1, 2, 1, 1, 1, 3, 2, 2, 2, 4, 1, 1, 1];
        let rows: Vec<_> = rows_of(geometry(3, 5, 8, false), &bytes).into_iter().map(|(_, row)| row).collect();
        // By hand: sub 1,2,3; up 2,3,4; average 2+1, 2+(3+3)/2, 2+(5+4)/2; Paeth 3+1, 5+1, 6+1.
        assert_eq!(rows, [[10, 20, 30], [1, 2, 3], [2, 3, 4], [3, 5, 6], [4, 6, 7]]);
    }

    #[test]
    fn filters_count_rows_above_the_first_as_zero() {
        for (filter, expected) in [(0, [8, 8]), (1, [8, 16]), (2, [8, 8]), (3, [8, 12]), (4, [8, 16])] {
            let rows = rows_of(geometry(2, 1, 8, false), &[filter, 8, 8]);
            assert_eq!(rows[0].1, expected, "filter {filter}");
        }
    }

    #[test]
    fn an_unknown_filter_is_named_with_its_row() {
        let mut rows = Rows::new(geometry(1, 3, 8, false));
        assert_eq!(rows.push(&[0, 1, 7, 1], |_, _| ()), Err(BadFilter { y: 1, value: 7 }));
    }

    #[test]
    fn interlaced_pictures_cover_every_pixel_once() {
        for (width, height) in [(1, 1), (5, 3), (8, 8), (9, 17), (3, 1), (1, 9)] {
            let shape = geometry(width, height, 8, true);
            let total = usize::try_from(shape.total_bytes()).unwrap();
            let mut seen = vec![0; (width * height) as usize];
            for (place, row) in rows_of(shape, &vec![0; total]) {
                assert_eq!(u32::try_from(row.len()).unwrap(), place.pixels);
                for n in 0..place.pixels {
                    seen[(place.y * width + place.first + n * place.stride) as usize] += 1;
                }
            }
            assert!(seen.iter().all(|&count| count == 1), "{width}x{height}: {seen:?}");
        }
    }

    #[test]
    fn rows_of_few_bits_fill_whole_bytes() {
        assert_eq!(geometry(9, 2, 1, false).total_bytes(), 6);
        assert_eq!(geometry(60_000, 60_000, 64, false).total_bytes(), 60_000 * 480_001);
    }
}
