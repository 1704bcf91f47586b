//! The pixel layouts that Pillow 13 knows (`TiffImagePlugin.py`, `OPEN_INFO`).

/// A layout as the tags describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// `PhotometricInterpretation`.
    pub(super) photometric: i64,
    /// `SampleFormat`, one value where all samples agree.
    pub(super) format: Vec<i64>,
    /// `FillOrder`.
    pub(super) fill_order: i64,
    /// `BitsPerSample`, one for each sample.
    pub(super) bits: Vec<i64>,
    /// `ExtraSamples`.
    pub(super) extra: Vec<i64>,
}

/// Photometric, sample format, fill orders, bits of each sample, number of samples, and extra samples.
type Row = (i64, i64, &'static [i64], i64, usize, &'static [i64]);

/// Layouts of both byte orders.
const BOTH: &[Row] = &[
    (0, 1, &[1, 2], 1, 1, &[]),
    (0, 1, &[1, 2], 2, 1, &[]),
    (0, 1, &[1, 2], 4, 1, &[]),
    (0, 1, &[1, 2], 8, 1, &[]),
    (0, 3, &[1], 32, 1, &[]),
    (1, 1, &[1, 2], 1, 1, &[]),
    (1, 1, &[1, 2], 2, 1, &[]),
    (1, 1, &[1, 2], 4, 1, &[]),
    (1, 1, &[1, 2], 8, 1, &[]),
    (1, 1, &[1], 8, 2, &[0]),
    (1, 1, &[1], 8, 2, &[1]),
    (1, 1, &[1], 8, 2, &[2]),
    (1, 1, &[1], 16, 1, &[]),
    (1, 2, &[1], 8, 1, &[]),
    (1, 2, &[1], 16, 1, &[]),
    (1, 2, &[1], 32, 1, &[]),
    (1, 3, &[1], 32, 1, &[]),
    (2, 1, &[1, 2], 8, 3, &[]),
    (2, 1, &[1], 8, 4, &[]),
    (2, 1, &[1], 8, 4, &[0]),
    (2, 1, &[1], 8, 4, &[1]),
    (2, 1, &[1], 8, 4, &[2]),
    (2, 1, &[1], 8, 4, &[999]),
    (2, 1, &[1], 8, 5, &[0, 0]),
    (2, 1, &[1], 8, 5, &[1, 0]),
    (2, 1, &[1], 8, 5, &[2, 0]),
    (2, 1, &[1], 8, 6, &[0, 0, 0]),
    (2, 1, &[1], 8, 6, &[1, 0, 0]),
    (2, 1, &[1], 8, 6, &[2, 0, 0]),
    (2, 1, &[1], 16, 3, &[]),
    (2, 1, &[1], 16, 4, &[]),
    (2, 1, &[1], 16, 4, &[0]),
    (2, 1, &[1], 16, 4, &[1]),
    (2, 1, &[1], 16, 4, &[2]),
    (3, 1, &[1, 2], 1, 1, &[]),
    (3, 1, &[1, 2], 2, 1, &[]),
    (3, 1, &[1, 2], 4, 1, &[]),
    (3, 1, &[1, 2], 8, 1, &[]),
    (3, 1, &[1], 8, 2, &[0]),
    (3, 1, &[1], 8, 2, &[2]),
    (5, 1, &[1], 8, 4, &[]),
    (5, 1, &[1], 8, 5, &[0]),
    (5, 1, &[1], 8, 6, &[0, 0]),
    (5, 1, &[1], 16, 4, &[]),
    (6, 1, &[1], 8, 1, &[]),
    (6, 1, &[1], 8, 3, &[]),
    (8, 1, &[1], 8, 3, &[]),
];

/// Layouts with the lowest byte first only.
const LITTLE: &[Row] = &[(0, 1, &[1], 16, 1, &[]), (1, 1, &[1], 12, 1, &[]), (1, 1, &[2], 16, 1, &[]), (1, 1, &[1], 32, 1, &[])];

impl Layout {
    /// Whether Pillow has a mode for the layout.
    pub(super) fn is_known(&self, big_endian: bool) -> bool {
        let fits = |(photometric, format, fill_orders, bits, samples, extra): &Row| {
            self.photometric == *photometric
                && self.format == [*format]
                && fill_orders.contains(&self.fill_order)
                && self.bits.len() == *samples
                && self.bits.iter().all(|each| each == bits)
                && self.extra == *extra
        };
        BOTH.iter().any(fits) || (!big_endian && LITTLE.iter().any(fits))
    }

    /// Bits of a pixel.
    pub(super) fn pixel_bits(&self) -> u64 {
        self.bits.iter().filter_map(|bits| u64::try_from(*bits).ok()).sum()
    }

    /// Bands of the picture that Pillow makes: extra samples that say nothing are dropped.
    pub(super) fn bands(&self) -> u64 {
        match (self.photometric, self.bits.len()) {
            (2, 4..) if self.extra.first() != Some(&0) => 4,
            (2 | 6 | 8, _) => 3,
            (5, _) => 4,
            (_, 1) => 1,
            _ => 2,
        }
    }
}
