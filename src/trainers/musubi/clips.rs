//! Clips of musubi-tuner (30c658c4): which frames of a video are trained on together
//! (`src/musubi_tuner/dataset/image_video_dataset.py` 590-870), and which survive a change of the frame rate
//! (`src/musubi_tuner/dataset/media_utils.py` 140-261). `FramePack`, which cuts clips into sections, is not here.

use std::collections::BTreeSet;
use std::fmt;

use super::super::python::{float, truncated};

/// How clips are taken from a video (`frame_extraction`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extraction {
    /// One for each length, from the beginning.
    Head,
    /// One behind the other, as many as fit.
    Chunk,
    /// One from each frame on whose number is a multiple of `frame_stride`.
    Slide {
        /// Frames from one beginning to the next.
        stride: u32,
    },
    /// So many, spread evenly; one is taken from the beginning.
    Uniform {
        /// How many (`frame_sample`).
        samples: u32,
    },
    /// The whole video, up to a number of frames.
    Full {
        /// That number (`max_frames`).
        most: u32,
    },
}

/// Frames that are trained on together. Printed, it is what the cache file's name has behind the video's stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clip {
    /// Number of its first frame.
    pub start: i64,
    /// How many frames it has. For a target of 0 the trainer computes -3, and goes on with that.
    pub count: i64,
}

impl fmt::Display for Clip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:05}-{:03}", self.start, self.count)
    }
}

/// The lengths that are used for `target_frames`: each once, rounded down to a multiple of four and one more.
#[must_use]
pub fn rounded_targets(targets: &[u32]) -> Vec<i64> {
    targets.iter().map(|&target| rounded(target.into())).collect::<BTreeSet<_>>().into_iter().collect()
}

fn rounded(frames: i64) -> i64 {
    (frames - 1).div_euclid(4) * 4 + 1
}

/// The clips that a video of so many frames gives, by lengths from [`rounded_targets`]. A length that the video does not have gives
/// none, without a word; equal clips share a cache file. The error is what the trainer raises.
pub fn clips<'a>(extraction: Extraction, targets: &'a [i64], frames: u32) -> Result<Box<dyn Iterator<Item = Clip> + 'a>, &'static str> {
    let frames = i64::from(frames);
    let extraction = if extraction == (Extraction::Uniform { samples: 1 }) { Extraction::Head } else { extraction };
    // No more frames than the longest clip has are decoded for `head`, and the first of those is looked at.
    let longest = targets.iter().copied().max().unwrap_or(0);
    if frames == 0 || extraction == Extraction::Head && longest <= 0 {
        return Err("IndexError: list index out of range");
    }
    Ok(match extraction {
        Extraction::Full { most } => {
            let count = rounded(frames.min(most.into()));
            Box::new(std::iter::once(Clip { start: 0, count }))
        }
        Extraction::Head => Box::new(targets.iter().filter(move |&&count| count <= frames).map(|&count| Clip { start: 0, count })),
        Extraction::Chunk => Box::new(targets.iter().filter(|&&count| count > 0).flat_map(move |&count| {
            let whole = frames.checked_div(count).unwrap_or(0);
            (0..whole).map(move |number| Clip { start: number * count, count })
        })),
        Extraction::Slide { stride: 0 } => return Err("ValueError: range() arg 3 must not be zero"),
        Extraction::Slide { stride } => Box::new(targets.iter().flat_map(move |&count| {
            let step = usize::try_from(stride).unwrap_or(usize::MAX);
            (0..=frames - count).step_by(step).map(move |start| Clip { start, count })
        })),
        Extraction::Uniform { samples } => Box::new(
            targets
                .iter()
                .filter(move |&&count| count <= frames)
                .flat_map(move |&count| (0..samples).map(move |number| Clip { start: spread(frames - count, samples, number), count })),
        ),
    })
}

/// A member of numpy's `linspace(0, last, samples)`, cut off to a whole number.
fn spread(last: i64, samples: u32, number: u32) -> i64 {
    if number + 1 == samples {
        return last;
    }
    let step = float(last.unsigned_abs()) / f64::from(samples - 1);
    i64::try_from(truncated(f64::from(number) * step)).unwrap_or(last)
}

/// Which of so many frames are kept of a video at one rate for training at another; frames are left out and never doubled. Rates are in
/// frames per second.
pub fn kept_frames(source: f64, target: f64, frames: u32) -> impl Iterator<Item = KeptFrame> {
    let (mut position, mut previous) = (0.0, None);
    (0..frames).filter_map(move |source_frame| {
        let frame = truncated(position);
        // Added up frame by frame, as the trainer does it, with what rounding makes of that.
        position += target / source;
        (previous.replace(frame) != Some(frame)).then_some(KeptFrame { source: source_frame, target: frame })
    })
}

/// A frame that survives a change of the frame rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptFrame {
    /// Its number in the video.
    pub source: u32,
    /// Its number at the new rate, by which clips are cut.
    pub target: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(extraction: Extraction, targets: &[u32], frames: u32) -> String {
        match clips(extraction, &rounded_targets(targets), frames) {
            Ok(clips) => clips.map(|clip| clip.to_string()).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_owned(),
        }
    }

    // What `VideoDataset` of musubi-tuner 30c658c4 answered when it was run.
    #[test]
    fn clips_are_taken_as_far_as_the_video_goes() {
        let uniform = Extraction::Uniform { samples: 4 };
        for (extraction, targets, frames, expected) in [
            (Extraction::Head, &[1, 25, 45][..], 25, "00000-001 00000-025"),
            (Extraction::Head, &[81], 80, ""),
            (Extraction::Head, &[16], 25, "00000-013"),
            (Extraction::Head, &[0], 25, "IndexError: list index out of range"),
            (Extraction::Chunk, &[16], 80, "00000-013 00013-013 00026-013 00039-013 00052-013 00065-013"),
            (Extraction::Chunk, &[0], 80, ""),
            (Extraction::Slide { stride: 1 }, &[0], 2, "00000--03 00001--03 00002--03 00003--03 00004--03 00005--03"),
            (uniform, &[1], 80, "00000-001 00026-001 00052-001 00079-001"),
            (uniform, &[1], 2, "00000-001 00000-001 00000-001 00001-001"),
            (Extraction::Uniform { samples: 1 }, &[5], 80, "00000-005"),
            (Extraction::Full { most: 129 }, &[1], 80, "00000-077"),
            (Extraction::Full { most: 50 }, &[1], 200, "00000-049"),
        ] {
            assert_eq!(names(extraction, targets, frames), expected, "{extraction:?} {targets:?} of {frames}");
        }
        assert_eq!(rounded_targets(&[33, 17, 17, 0, 2, 3, 4]), [-3, 1, 17, 33]);
    }

    #[test]
    fn absurd_settings_come_to_an_end() {
        let targets = rounded_targets(&[0, 1, u32::MAX]);
        for extraction in [
            Extraction::Head,
            Extraction::Chunk,
            Extraction::Slide { stride: 0 },
            Extraction::Slide { stride: u32::MAX },
            Extraction::Uniform { samples: 0 },
            Extraction::Uniform { samples: u32::MAX },
            Extraction::Full { most: 0 },
        ] {
            for frames in [0, 1, u32::MAX] {
                let _ = clips(extraction, &targets, frames).map(|clips| clips.take(100).count());
            }
        }
        for (source, target, kept) in [(0.0, 16.0, 2), (30.0, 0.0, 1), (0.0, 0.0, 1)] {
            assert_eq!(kept_frames(source, target, 1000).count(), kept, "{source} to {target}");
        }
    }

    #[test]
    fn frames_are_left_out_and_never_doubled() {
        let kept = |source, target| kept_frames(source, target, 100).map(|kept| kept.source).take(9).collect::<Vec<_>>();
        assert_eq!(kept(30.0, 16.0), [0, 2, 4, 6, 8, 10, 12, 14, 16]);
        assert_eq!(kept(24.0, 16.0), [0, 2, 3, 5, 7, 8, 9, 11, 12]);
        assert_eq!(kept(12.0, 16.0), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
