//! What the trainer's own interpreter said about one file, and where that contradicts what was worked out here.

use std::borrow::Cow;

use super::{Decoded, Orientation, SampleFacts, Size, Verdict};

/// The interpreter that testifies, and the libraries that it loads images with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The interpreter, as it was named.
    pub interpreter: String,
    /// Version of Python.
    pub python: String,
    /// Version of Pillow.
    pub pillow: String,
    /// Version of OpenCV, if it is installed there.
    pub opencv: Option<String>,
}

/// The loader that a worker was in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loader {
    /// Pillow as it comes.
    Pillow,
    /// Pillow with `LOAD_TRUNCATED_IMAGES`.
    PillowLenient,
    /// OpenCV.
    OpenCv,
}

impl Loader {
    /// The library, for a message.
    #[must_use]
    pub fn library(self) -> &'static str {
        match self {
            Self::Pillow | Self::PillowLenient => "Pillow",
            Self::OpenCv => "OpenCV",
        }
    }
}

/// How a file ended the worker that was asked about it, instead of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The loader that it happened in.
    pub loader: Loader,
    /// The library's version.
    pub version: String,
    /// What happened.
    pub how: Ending,
    /// The last lines that the worker wrote to its standard error; may be empty, and differ from run to run.
    pub last_words: String,
}

/// What happened to a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It died, of this: `SIGSEGV`, `exit code 3`.
    Died(String),
    /// It gave no answer within so many seconds.
    Hung(u64),
    /// It wanted more memory than so many MiB.
    OutOfMemory(u64),
    /// It wrote something that is no answer.
    Rubbish,
}

/// What Pillow saw when it opened the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Format, in Pillow's spelling.
    pub format: String,
    /// Mode, in Pillow's spelling.
    pub mode: String,
    /// Size as opened. Pillow opens a TIFF in the size that it has after its orientation is applied.
    pub size: Size,
    /// Whether the orientation was asked for, and answered: not where loading failed.
    pub knows_orientation: bool,
    /// EXIF orientation; `None` where there is none.
    pub orientation: Option<Orientation>,
}

/// What the trainer's own libraries did with one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Testimony {
    /// Open, load and convert to RGB.
    pub pillow: Verdict,
    /// The same with `LOAD_TRUNCATED_IMAGES`.
    pub pillow_lenient: Verdict,
    /// `imdecode` unchanged; unknown where OpenCV is not installed.
    pub opencv: Verdict,
    /// What was seen on opening, where that went well.
    pub seen: Option<Seen>,
    /// How the file ended the worker, if it did.
    pub ended: Option<Ended>,
    /// Whether Pillow's verdict was not known here, so that this one stands for it.
    pub decides_pillow: bool,
}

/// Something that was worked out here and that the witness contradicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// What it is about: `pillow`, `pillow_lenient`, `opencv`, `mode`, `size`, `orientation`.
    pub about: &'static str,
    /// What was worked out here.
    pub here: Cow<'static, str>,
    /// What the witness said.
    pub there: Cow<'static, str>,
}

impl SampleFacts {
    /// Takes a testimony in. Where a verdict was not known here, the witness's stands for it from now on.
    pub fn hear(&mut self, mut testimony: Testimony) {
        if self.decoded.pillow == Verdict::Unknown && testimony.pillow != Verdict::Unknown {
            self.decoded.pillow.clone_from(&testimony.pillow);
            testimony.decides_pillow = true;
        }
        let Decoded { pillow_lenient, opencv, .. } = &mut self.decoded;
        for (here, there) in [(pillow_lenient, &testimony.pillow_lenient), (opencv, &testimony.opencv)] {
            if *here == Verdict::Unknown {
                here.clone_from(there);
            }
        }
        self.testimony = Some(testimony);
    }

    /// What the witness contradicts, in a fixed order; a verdict that one side does not know contradicts nothing.
    #[must_use]
    pub fn contradictions(&self) -> Vec<Contradiction> {
        let Some(testimony) = &self.testimony else { return Vec::new() };
        let mut found = Vec::new();
        let decoded = &self.decoded;
        for (about, here, there) in [
            ("pillow", &decoded.pillow, &testimony.pillow),
            ("pillow_lenient", &decoded.pillow_lenient, &testimony.pillow_lenient),
            ("opencv", &decoded.opencv, &testimony.opencv),
        ] {
            if matches!((here, there), (Verdict::Ok, Verdict::Error(_)) | (Verdict::Error(_), Verdict::Ok)) {
                found.push(Contradiction { about, here: described(here), there: described(there) });
            }
        }
        let (Ok(probe), Some(seen)) = (&self.probe, &testimony.seen) else { return found };
        if let Some(mode) = probe.mode.filter(|mode| mode.name() != seen.mode) {
            found.push(Contradiction { about: "mode", here: mode.name().into(), there: seen.mode.clone().into() });
        }
        if seen.size != probe.size && seen.size != probe.oriented_size() {
            found.push(Contradiction { about: "size", here: probe.size.to_string().into(), there: seen.size.to_string().into() });
        }
        if seen.knows_orientation && seen.orientation != probe.orientation {
            let value = |orientation: Option<Orientation>| orientation.map_or("none".into(), |value| value.value().to_string().into());
            found.push(Contradiction { about: "orientation", here: value(probe.orientation), there: value(seen.orientation) });
        }
        found
    }
}

fn described(verdict: &Verdict) -> Cow<'static, str> {
    match verdict.refusal() {
        Some(refusal) => refusal.to_string().into(),
        None => verdict.name().into(),
    }
}
