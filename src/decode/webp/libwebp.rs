//! The calls into libwebp: the only unsafe code of this crate, behind functions that are safe for any bytes.
//!
//! Everything that libwebp writes goes into vectors made here, whose lengths are told to it; what it points to is turned
//! into ranges of the input. Nothing of it outlives a call.
#![expect(unsafe_code, reason = "libwebp is C; each block says why its pointers are valid")]

use std::ptr;

use libwebp_sys as sys;

/// What libwebp reads from a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) has_alpha: bool,
    pub(super) is_animated: bool,
    pub(super) is_lossless: bool,
}

/// The first frame, as libwebp's demuxer finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstFrame<'a> {
    /// Its chunks: ALPH and VP8, or VP8L.
    pub(super) data: &'a [u8],
    /// Offset of the data.
    pub(super) at: usize,
}

/// Why libwebp refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The data ends too early.
    NotEnoughData,
    /// The data is wrong.
    Invalid,
    /// There was no memory.
    Memory,
}

/// What to decode to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Luma and chroma, averaged to a smaller size while decoding. For lossy pictures this costs no memory that grows with
    /// the picture, and less time than decoding in full, for libwebp then leaves out the deblocking.
    Scaled { width: u32, height: u32 },
    /// Luma, chroma and alpha in full size.
    Yuva,
    /// Red, green, blue and alpha in full size.
    Rgba,
}

/// A decoded picture, or as much of it as there was.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    /// Size of the planes, or of the RGBA picture.
    pub(super) width: usize,
    pub(super) height: usize,
    /// `width` x `height` luma samples, video range (16 to 235); empty for RGBA.
    pub(super) luma: Vec<u8>,
    /// Chroma, half as many samples each way, rounded up.
    pub(super) chroma: [Vec<u8>; 2],
    /// `width` x `height` alpha samples; empty where they were not asked for.
    pub(super) alpha: Vec<u8>,
    /// `width` x `height` pixels of four bytes; empty for the other forms.
    pub(super) rgba: Vec<u8>,
    /// Rows, of `height`, that were decoded.
    pub(super) rows: usize,
}

impl Decoded {
    /// Samples of a row of chroma.
    pub(super) fn chroma_width(&self) -> usize {
        self.width.div_ceil(2)
    }
}

/// What the header says. Never looks further than `bytes`.
pub(super) fn features(bytes: &[u8]) -> Result<Features, Refused> {
    let Ok(mut setup) = sys::WebPDecoderConfig::new() else { return Err(Refused::Memory) };
    // SAFETY: the pointer and the length are those of a slice, and the output is a valid structure.
    let status = unsafe { sys::WebPGetFeatures(bytes.as_ptr(), bytes.len(), &raw mut setup.input) };
    refusal(status)?;
    let found = setup.input;
    Ok(Features {
        width: u32::try_from(found.width).unwrap_or(0),
        height: u32::try_from(found.height).unwrap_or(0),
        has_alpha: found.has_alpha != 0,
        is_animated: found.has_animation != 0,
        is_lossless: found.format == 2,
    })
}

/// The first frame of a file whose container is whole and valid; `None` otherwise.
pub(super) fn first_frame(bytes: &[u8]) -> Option<FirstFrame<'_>> {
    let data = sys::WebPData { bytes: bytes.as_ptr(), size: bytes.len() };
    let version = sys::WebPGetDemuxABIVersion();
    // SAFETY: `data` describes a slice that outlives the demuxer; no partial file is allowed, so no state is asked for.
    let demuxer = unsafe { sys::WebPDemuxInternal(&raw const data, 0, ptr::null_mut(), version) };
    if demuxer.is_null() {
        return None;
    }
    // SAFETY: an iterator is plain numbers and pointers, for which zero is valid, and libwebp fills it.
    let mut frame: sys::WebPIterator = unsafe { std::mem::zeroed() };
    // SAFETY: the demuxer is valid until it is deleted below, and so is the iterator.
    let found = unsafe { sys::WebPDemuxGetFrame(demuxer, 1, &raw mut frame) } != 0;
    let (start, size) = (frame.fragment.bytes.addr(), frame.fragment.size);
    // SAFETY: both came from libwebp, are released once, and are not used again. The iterator owns nothing else.
    unsafe {
        sys::WebPDemuxReleaseIterator(&raw mut frame);
        sys::WebPDemuxDelete(demuxer);
    }
    let at = start.checked_sub(bytes.as_ptr().addr()).filter(|_| found)?;
    Some(FirstFrame { data: bytes.get(at..at.checked_add(size)?)?, at })
}

/// Decodes a picture of `width` x `height` pixels. What there was of a picture that libwebp refuses is given too.
pub(super) fn decode(data: &[u8], size: (u32, u32), form: Form) -> (Decoded, Result<(), Refused>) {
    let Some((mut config, mut decoded)) = prepare(size, form) else { return (Decoded::default(), Err(Refused::Memory)) };
    // SAFETY: the pointer and the length are those of a slice; `config` describes buffers of `decoded` with their true
    // sizes, which are not touched while libwebp runs.
    let status = unsafe { sys::WebPDecode(data.as_ptr(), data.len(), &raw mut config) };
    let result = refusal(status);
    decoded.rows = match result {
        Ok(()) => decoded.height,
        Err(_) => decode_part(data, size, form, &mut decoded),
    };
    (decoded, result)
}

/// Decodes as many rows as the data has, and answers how many.
fn decode_part(data: &[u8], size: (u32, u32), form: Form, decoded: &mut Decoded) -> usize {
    let Some((mut config, fresh)) = prepare(size, form) else { return 0 };
    *decoded = fresh;
    // SAFETY: as for `WebPDecode`; the buffers live in `decoded`, which outlives the decoder deleted below.
    let handle = unsafe { sys::WebPIDecode(ptr::null(), 0, &raw mut config) };
    if handle.is_null() {
        return 0;
    }
    let mut rows = 0;
    // SAFETY: the decoder is valid until it is deleted, once, at the end; the data outlives it; the coordinates that are
    // not wanted may be null.
    unsafe {
        let _ = sys::WebPIUpdate(handle, data.as_ptr(), data.len());
        let (left, top, width) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let _ = sys::WebPIDecodedArea(handle, left, top, width, &raw mut rows);
        sys::WebPIDelete(handle);
    }
    usize::try_from(rows).unwrap_or(0).min(decoded.height)
}

/// Buffers for the form, and a configuration that points to them. The vectors' contents do not move when the vectors do.
fn prepare(size: (u32, u32), form: Form) -> Option<(sys::WebPDecoderConfig, Decoded)> {
    let mut config = sys::WebPDecoderConfig::new().ok()?;
    let (width, height) = match form {
        Form::Scaled { width, height } => {
            config.options.use_scaling = 1;
            config.options.scaled_width = i32::try_from(width).ok()?;
            config.options.scaled_height = i32::try_from(height).ok()?;
            (width, height)
        }
        Form::Yuva | Form::Rgba => size,
    };
    let (width, height) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
    let pixels = width.checked_mul(height)?;
    let mut decoded = Decoded { width, height, ..Decoded::default() };
    config.output.is_external_memory = 1;
    if form == Form::Rgba {
        decoded.rgba = vec![0; pixels.checked_mul(4)?];
        config.output.colorspace = sys::WEBP_CSP_MODE::MODE_RGBA;
        let stride = i32::try_from(width.checked_mul(4)?).ok()?;
        let buffer = sys::WebPRGBABuffer { rgba: decoded.rgba.as_mut_ptr(), stride, size: decoded.rgba.len() };
        config.output.u.RGBA = buffer;
        return Some((config, decoded));
    }
    let half = decoded.chroma_width().checked_mul(height.div_ceil(2))?;
    decoded.luma = vec![0; pixels];
    decoded.chroma = [vec![128; half], vec![128; half]];
    decoded.alpha = if form == Form::Yuva { vec![0; pixels] } else { Vec::new() };
    let has_alpha = form == Form::Yuva;
    config.output.colorspace = if has_alpha { sys::WEBP_CSP_MODE::MODE_YUVA } else { sys::WEBP_CSP_MODE::MODE_YUV };
    let (stride, half_stride) = (i32::try_from(width).ok()?, i32::try_from(decoded.chroma_width()).ok()?);
    let [u, v] = &mut decoded.chroma;
    config.output.u.YUVA = sys::WebPYUVABuffer {
        y: decoded.luma.as_mut_ptr(),
        u: u.as_mut_ptr(),
        v: v.as_mut_ptr(),
        a: if has_alpha { decoded.alpha.as_mut_ptr() } else { ptr::null_mut() },
        y_stride: stride,
        u_stride: half_stride,
        v_stride: half_stride,
        a_stride: if has_alpha { stride } else { 0 },
        y_size: decoded.luma.len(),
        u_size: half,
        v_size: half,
        a_size: decoded.alpha.len(),
    };
    Some((config, decoded))
}

fn refusal(status: sys::VP8StatusCode) -> Result<(), Refused> {
    match status {
        sys::VP8StatusCode::VP8_STATUS_OK => Ok(()),
        sys::VP8StatusCode::VP8_STATUS_NOT_ENOUGH_DATA | sys::VP8StatusCode::VP8_STATUS_SUSPENDED => Err(Refused::NotEnoughData),
        // "Out of memory" too: it is what libwebp says of an alpha chunk that it cannot make sense of, and the memory of a
        // picture within the budget is there.
        _ => Err(Refused::Invalid),
    }
}
