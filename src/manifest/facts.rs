//! What differs between two lines, in words: `orientation 6 to 1`.

use std::fmt::Display;

use super::line::{CaptionLine, HeaderLine, PixelsLine, PlacementLine, SampleLine};

/// What differs in facts, caption and placements. Hashes, dates, findings and what a witness said are not facts here.
///
/// Placements are compared for the trainers that both lines know.
#[must_use]
pub fn differences(old: &SampleLine, new: &SampleLine) -> Vec<String> {
    let mut words = Words::default();
    words.compare("format", old.format.as_ref(), new.format.as_ref());
    words.compare("mode", old.mode.as_ref(), new.mode.as_ref());
    words.compare("bit depth", old.bit_depth, new.bit_depth);
    words.compare("size", size(old.width, old.height), size(new.width, new.height));
    words.compare("orientation", old.orientation, new.orientation);
    words.compare("frames", old.frames, new.frames);
    words.compare("ICC profile", yes(old.icc), yes(new.icc));
    words.compare("transparency", yes(old.alpha), yes(new.alpha));
    words.compare("Pillow", Some(&old.decode.pillow), Some(&new.decode.pillow));
    words.compare("Pillow with LOAD_TRUNCATED_IMAGES", Some(&old.decode.pillow_lenient), Some(&new.decode.pillow_lenient));
    words.compare("OpenCV", Some(&old.decode.opencv), Some(&new.decode.opencv));
    words.compare("strict reading", Some(&old.decode.strict), Some(&new.decode.strict));
    let fault = |line: &SampleLine| line.decode.fault.as_ref().map(|fault| fault.kind.clone());
    words.compare("fault", fault(old), fault(new));
    words.pixels(old.pixels.as_ref(), new.pixels.as_ref());
    words.0.extend(caption_differences(old.caption.as_ref(), new.caption.as_ref()));
    for (trainer, old) in &old.placements {
        if let Some(new) = new.placements.get(trainer) {
            words.placement(trainer, old, new);
        }
    }
    words.0
}

/// What differs in a caption.
#[must_use]
pub fn caption_differences(old: Option<&CaptionLine>, new: Option<&CaptionLine>) -> Vec<String> {
    let (old, new) = match (old, new) {
        (None, None) => return Vec::new(),
        (Some(_), None) => return vec!["caption has gone".to_owned()],
        (None, Some(_)) => return vec!["caption is new".to_owned()],
        (Some(old), Some(new)) => (old, new),
    };
    let mut words = Words::default();
    if old.blake3 != new.blake3 {
        words.0.push(match (&old.blake3, &new.blake3) {
            (Some(_), None) => "caption cannot be read".to_owned(),
            (None, Some(_)) => "caption can be read".to_owned(),
            _ => "caption has another text".to_owned(),
        });
    }
    words.compare("caption encoding", old.encoding.as_ref(), new.encoding.as_ref());
    words.compare("caption characters", old.chars, new.chars);
    words.compare("caption tokens", old.clip_tokens, new.clip_tokens);
    words.0
}

/// What differs in what was asked for, so that placements may differ too.
#[must_use]
pub fn settings_differences(old: &HeaderLine, new: &HeaderLine) -> Vec<String> {
    let mut words = Words::default();
    words.compare("trainer", Some(&old.trainer), Some(&new.trainer));
    let (old, new) = (&old.settings, &new.settings);
    words.compare("caption extension", Some(&old.caption_extension), Some(&new.caption_extension));
    words.compare("resolution", Some(sides(old.resolution)), Some(sides(new.resolution)));
    words.compare("most tokens", old.max_tokens, new.max_tokens);
    words.0
}

#[derive(Debug, Default)]
struct Words(Vec<String>);

impl Words {
    fn compare<T: PartialEq + Display>(&mut self, what: &str, old: Option<T>, new: Option<T>) {
        if old != new {
            self.0.push(format!("{what} {} to {}", shown(old), shown(new)));
        }
    }

    fn pixels(&mut self, old: Option<&PixelsLine>, new: Option<&PixelsLine>) {
        let (Some(old), Some(new)) = (old, new) else {
            if old.is_some() != new.is_some() {
                self.0.push(format!("pixels {} to {}", known(old.is_some()), known(new.is_some())));
            }
            return;
        };
        let bits = |pixels: &PixelsLine| u64::from_str_radix(&pixels.phash, 16).ok();
        if let (Some(old), Some(new)) = (bits(old), bits(new))
            && old != new
        {
            self.0.push(format!("{} of 64 bits of the perceptual hash differ", (old ^ new).count_ones()));
        }
        self.compare("mean", Some(old.mean), Some(new.mean));
        self.compare("one colour", yes(Some(old.blank)), yes(Some(new.blank)));
        self.compare("transparent share", old.transparent, new.transparent);
    }

    fn placement(&mut self, trainer: &str, old: &PlacementLine, new: &PlacementLine) {
        let begin = self.0.len();
        self.compare("outcome", Some(&old.outcome), Some(&new.outcome));
        self.compare("phase", Some(&old.phase), Some(&new.phase));
        self.compare("bucket", old.bucket.map(sides), new.bucket.map(sides));
        self.compare("resized", old.resized.map(sides), new.resized.map(sides));
        let crop = |[left, top]: [u32; 2]| format!("{left},{top}");
        self.compare("crop", old.crop.map(crop), new.crop.map(crop));
        if old.others != new.others {
            self.0.push("place at other resolutions".to_owned());
        }
        for words in self.0.iter_mut().skip(begin) {
            words.push_str(" for ");
            words.push_str(trainer);
        }
    }
}

fn shown(value: Option<impl Display>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

fn known(is_known: bool) -> &'static str {
    if is_known { "known" } else { "unknown" }
}

fn yes(is: Option<bool>) -> Option<&'static str> {
    is.map(|is| if is { "yes" } else { "no" })
}

fn sides([width, height]: [u32; 2]) -> String {
    format!("{width}x{height}")
}

fn size(width: Option<u32>, height: Option<u32>) -> Option<String> {
    Some(sides([width?, height?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placement_is_told_for_its_trainer() {
        let place = |bucket| PlacementLine {
            outcome: "train".into(),
            phase: "caching".into(),
            bucket: Some(bucket),
            resized: None,
            crop: None,
            others: Vec::new(),
        };
        let mut words = Words::default();
        words.compare("orientation", Some(6), None);
        words.placement("kohya", &place([768, 1344]), &place([1344, 768]));
        assert_eq!(words.0, ["orientation 6 to none", "bucket 768x1344 to 1344x768 for kohya"]);
    }
}
