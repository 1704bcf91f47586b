//! What is kept of a component while the file is walked: the DC value of each block, and which coefficients are not zero.

use super::frame::Component;

/// What is kept of a component.
#[derive(Clone, Debug, Default)]
pub(super) struct Plane {
    /// Blocks in a row, filled up to whole units.
    pub(super) stride: usize,
    /// DC values as sent, block by block; 0 where none came, which is middle gray.
    pub(super) dc: Vec<i16>,
    /// Which coefficients are not zero, bit `k` for coefficient `k` in zigzag order; only in progressive files, where the length
    /// of later scans depends on it.
    pub(super) significant: Vec<u64>,
    /// First entry of the quantization table, set by the first scan of the component.
    pub(super) quantization: Option<u16>,
    /// Which coefficients were sent to their last bit, bit `k` for coefficient `k` in zigzag order.
    pub(super) complete: u64,
}

impl Plane {
    /// Bytes that a block takes.
    pub(super) fn bytes_per_block(progressive: bool) -> u64 {
        if progressive { 10 } else { 2 }
    }

    /// An empty plane.
    pub(super) fn new(component: &Component, progressive: bool) -> Self {
        let (stride, rows) = component.padded;
        let blocks = stride.saturating_mul(rows);
        Self {
            stride,
            dc: vec![0; blocks],
            significant: if progressive { vec![0; blocks] } else { Vec::new() },
            quantization: None,
            complete: 0,
        }
    }

    /// Largest size of a DC value that makes sense: twice what samples of this precision can give, since encoders round.
    pub(super) fn dc_limit(&self, precision: u8) -> i32 {
        let samples = if precision > 8 { 1 << 15 } else { 1 << 11 };
        samples / i32::from(self.quantization.unwrap_or(1).max(1)) + 1
    }
}

/// A DC value as it is kept: libjpeg keeps 16 bits too.
#[inline]
pub(super) fn kept(value: i32) -> i16 {
    #[expect(clippy::cast_possible_truncation, reason = "libjpeg keeps the low 16 bits as well; more only come from damage")]
    let kept = value as i16;
    kept
}
