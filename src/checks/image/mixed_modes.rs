//! I120: a dataset of images with different modes or depths.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Level, Mode, Outcome, Phase, Profile, RelPath, SampleBrief};

declare_check! {
    /// ## What it does
    /// Warns of a dataset in which images with 16 or more bits a channel stand among such with 8 bits, and names the rarer kind. Notes a
    /// dataset in which gray pictures, pictures with an alpha channel and plain colour are mixed.
    ///
    /// ## Why it matters
    /// Nothing crashes: depth is what a loader gets wrong without a word, and then a part of the pictures is trained on white, clipped or with
    /// line patterns (traiNNer-redux#298), see sixteen-bit-image (I117). A mix of modes is harmless as a rule, and a hint that pictures come
    /// from different sources. musubi-tuner (30c658c4) keeps RGBA for Qwen-Image-Layered, where a bucket must not mix it with RGB.
    ///
    /// ## Example
    /// Eight RGB pictures with 8 bits and two with 16 bits.
    ///
    /// ## What to do
    /// Convert the rarer kind to the other: 8 bits, RGB without alpha.
    I120 "mixed-modes", level: Info, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<&'static str, usize> = BTreeMap::new();
    let (mut shallow, mut deep) = (Vec::new(), Vec::new());
    for (sample, mode) in facts.samples.iter().filter(|sample| sample.is_usable()).filter_map(|sample| Some((sample, sample.mode?))) {
        *counts.entry(format!("{mode} {} bit", sample.bit_depth)).or_default() += 1;
        *kinds.entry(kind_of(mode)).or_default() += 1;
        if sample.bit_depth >= 16 { &mut deep } else { &mut shallow }.push(sample);
    }
    let mixed = if !shallow.is_empty() && !deep.is_empty() {
        let rarer = if deep.len() <= shallow.len() { &deep } else { &shallow };
        let message = format!(
            "bit depth is mixed: {} with 8 bits a channel or less, {} with 16 or more",
            counted(shallow.len(), "image"),
            counted(deep.len(), "image")
        );
        out.report_all(paths(rarer), message)
            .level(Level::Warning)
            .means(
                Outcome::Distort,
                Phase::Training,
                "with Pillow 16-bit gray is clipped to white, and of 16-bit colour the high byte is kept",
            )
            .help("convert the images of the rarer depth to that of the others")
    } else if kinds.len() > 1 {
        let listed: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        out.report_all(Vec::new(), format!("modes are mixed: {}", listed.join(", ")))
            .means(Outcome::Train, Phase::Training, "all are converted to RGB, and alpha is dropped")
            .help("convert all images to RGB without alpha if the mix is not meant")
    } else {
        return;
    };
    mixed.evidence("modes", as_json(&counts)).evidence("kinds", as_json(&kinds));
}

fn kind_of(mode: Mode) -> &'static str {
    match mode {
        _ if mode.has_alpha() => "with alpha",
        _ if mode.is_gray() => "gray",
        _ => "in colour",
    }
}

fn paths(samples: &[&SampleBrief]) -> Vec<RelPath> {
    samples.iter().map(|sample| sample.path.clone()).collect()
}

fn as_json<K: ToString>(counts: &BTreeMap<K, usize>) -> Value {
    counts.iter().map(|(kind, &count)| (kind.to_string(), Value::from(count))).collect()
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Fault, FaultKind, Finding, Inventory, Level, Mode, RelPath, SampleFacts};

    fn sample(name: &str, mode: Mode, bit_depth: u8) -> SampleFacts {
        let mut facts = healthy(name);
        (facts.probe_mut().mode, facts.probe_mut().bit_depth) = (Some(mode), bit_depth);
        facts
    }

    fn found(samples: &[SampleFacts]) -> Vec<Finding> {
        findings_in(&CHECK, samples, Inventory::default())
    }

    #[test]
    fn names_exactly_the_two_of_the_other_depth() {
        let mut samples: Vec<SampleFacts> = (0..8).map(|at| sample(&format!("a{at}.png"), Mode::Rgb, 8)).collect();
        samples.push(sample("z1.png", Mode::Rgb, 16));
        samples.push(sample("z2.png", Mode::Rgb, 16));
        let findings = found(&samples);
        assert_eq!((findings.len(), findings[0].level), (1, Level::Warning));
        assert_eq!(findings[0].message, "bit depth is mixed: 8 images with 8 bits a channel or less, 2 images with 16 or more");
        let names: Vec<&str> = findings[0].paths.iter().map(RelPath::as_str).collect();
        assert_eq!(names, ["z1.png", "z2.png"]);
        assert_eq!(findings[0].evidence["modes"], serde_json::json!({"RGB 16 bit": 2, "RGB 8 bit": 8}));
    }

    #[test]
    fn a_mix_of_kinds_is_information() {
        let findings = found(&[sample("a.png", Mode::Rgb, 8), sample("b.png", Mode::L, 8), sample("c.png", Mode::Rgba, 8)]);
        assert_eq!((findings[0].level, findings[0].message.as_str()), (Level::Info, "modes are mixed: 1 gray, 1 in colour, 1 with alpha"));
    }

    #[test]
    fn stays_quiet_on_one_kind_and_on_what_is_lost() {
        let mut lost = sample("b.png", Mode::Rgb, 16);
        lost.refuse(Fault::new(FaultKind::Truncated, "the data ends"));
        assert!(found(&[sample("a.png", Mode::Rgb, 8), sample("c.gif", Mode::P, 8), lost]).is_empty());
        assert!(found(&[sample("a.png", Mode::Rgb, 16), sample("b.png", Mode::Rgb, 16)]).is_empty());
        assert!(found(&[]).is_empty());
    }
}
