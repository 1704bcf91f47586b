//! What the paths of a dataset are made of, each name once: what checks of paths look at. No check lives here.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Component, Path};

use crate::model::{DatasetFacts, Inventory, Level, NamedAs, RelPath};

/// The name of one or more folders.
#[derive(Debug)]
pub(super) struct FolderName {
    /// As the file system has it.
    pub(super) name: OsString,
    /// As reports show it.
    pub(super) shown: RelPath,
    /// Whether it is part of the path of a root.
    pub(super) in_root: bool,
    /// Folders of this name below the roots, sorted.
    pub(super) folders: Vec<RelPath>,
    /// Samples below them; all samples if it is part of the path of a root.
    pub(super) samples: u64,
}

impl FolderName {
    /// Where it is, for a message.
    pub(super) fn place(&self) -> &'static str {
        match (self.in_root, self.folders.len()) {
            (true, _) => "the path of the dataset",
            (false, 1) => "a folder name",
            (false, _) => "the name of several folders",
        }
    }
}

/// Every name of a folder in the roots' own paths and below them, sorted.
pub(super) fn folder_names(facts: &DatasetFacts<'_>) -> Vec<FolderName> {
    let mut by_name: BTreeMap<String, FolderName> = BTreeMap::new();
    let mut entry = |shown: RelPath, name: OsString, change: &mut dyn FnMut(&mut FolderName)| {
        let key = shown.as_str().to_owned();
        change(by_name.entry(key).or_insert_with(|| FolderName { name, shown, in_root: false, folders: Vec::new(), samples: 0 }));
    };
    for root in &facts.inventory.roots {
        for component in root.folder.components() {
            if let Component::Normal(name) = component {
                entry(RelPath::from_os(Path::new(name)), name.to_owned(), &mut |found| found.in_root = true);
            }
        }
    }
    for (folder, samples) in folders(facts) {
        let name = RelPath::from(RelPath::from(folder).name());
        if !matches!(name.as_str(), "" | "." | "..") {
            let real = name.to_os().into_os_string();
            entry(name, real, &mut |found| {
                found.folders.push(RelPath::from(folder));
                found.samples += samples;
            });
        }
    }
    let mut names: Vec<FolderName> = by_name.into_values().collect();
    for name in names.iter_mut().filter(|name| name.in_root) {
        name.samples = facts.samples.len() as u64;
    }
    names
}

/// Every folder below the roots that a file of the dataset is in, however deep, with the number of samples below it.
pub(super) fn folders<'a>(facts: &DatasetFacts<'a>) -> BTreeMap<&'a str, u64> {
    let mut direct: BTreeMap<&str, u64> = BTreeMap::new();
    for file in files(facts) {
        direct.entry(file.folder()).or_default();
    }
    for line in facts.samples {
        *direct.entry(line.path.folder()).or_default() += 1;
    }
    let mut all: BTreeMap<&str, u64> = BTreeMap::new();
    for (folder, samples) in direct {
        let mut rest = folder;
        while !rest.is_empty() {
            *all.entry(rest).or_default() += samples;
            rest = rest.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
    all
}

/// Every file of the dataset: images, captions, metadata. Sorted, each once.
pub(super) fn files<'a>(facts: &DatasetFacts<'a>) -> BTreeSet<&'a RelPath> {
    let samples = facts.samples.iter().flat_map(|line| std::iter::once(&line.path).chain(&line.caption));
    samples.chain(orphan_captions(facts)).chain(facts.inventory.metadata.iter().map(|file| &file.path)).collect()
}

/// Captions that no image claims, sorted, each once: those that had no sample from the beginning, and those whose only samples
/// are files of unknown name that turned out to be no images.
pub(super) fn orphan_captions<'a>(facts: &DatasetFacts<'a>) -> BTreeSet<&'a RelPath> {
    let claimed: HashSet<&RelPath> = facts.samples.iter().filter_map(|line| line.caption.as_ref()).collect();
    let unknown = facts.inventory.samples.iter().filter(|sample| sample.named_as == NamedAs::Unknown);
    let unclaimed = unknown.filter_map(|sample| sample.caption.as_ref());
    let orphans = facts.inventory.orphan_captions.iter().chain(unclaimed).map(|caption| &caption.path);
    orphans.filter(|path| !claimed.contains(path)).collect()
}

/// A reported path without the prefix of its root.
pub(super) fn below_root<'a>(inventory: &Inventory, path: &'a RelPath) -> &'a str {
    let below = inventory.roots.iter().filter_map(|root| path.below_prefix(root.prefix.as_str()));
    below.min_by_key(|rest| rest.len()).unwrap_or(path.as_str())
}

/// `10_cat`, and so the layout of sd-scripts. A year is no number of repeats.
pub(super) fn is_repeats_and_name(name: &str) -> bool {
    name.split_once('_').is_some_and(|(number, _)| has_repeats(name) && !is_year(number))
}

/// Whether sd-scripts takes a folder of this name: Python's `int(name.split("_")[0])` is a number above 0 (48d368fa,
/// `library/config_util.py` 606). `int` drops white space around the number, takes one sign, and knows the decimal digits of
/// every script.
pub(super) fn has_repeats(name: &str) -> bool {
    let number = name.split('_').next().unwrap_or_default().trim();
    let digits = number.strip_prefix('+').unwrap_or(number);
    digits.chars().all(|digit| digit_value(digit).is_some()) && digits.chars().any(|digit| digit_value(digit) != Some(0))
}

/// Whether a number is the year of a shooting or a journey.
pub(super) fn is_year(number: &str) -> bool {
    number.len() == 4 && (number.starts_with("19") || number.starts_with("20"))
}

/// The zeros of the scripts that have decimal digits (Unicode 16, general category Nd, basic plane); 1 to 9 follow each.
const ZEROS: [u32; 37] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090,
    0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
    0xFF10,
];

fn digit_value(digit: char) -> Option<u32> {
    ZEROS.iter().filter_map(|zero| u32::from(digit).checked_sub(*zero)).find(|value| *value < 10)
}

/// The level of what bites on some systems only: a warning where it does, information where it would first have to be
/// copied to one of them.
pub(super) fn level_where(it_bites: bool) -> Level {
    if it_bites { Level::Warning } else { Level::Info }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::support::healthy;
    use crate::model::{Root, SampleBrief};

    #[test]
    fn names_of_folders_are_listed_once_with_what_is_below_them() {
        let samples: Vec<SampleBrief> =
            ["a/x/1.png", "b/x/2.png", "b/x/3.png"].iter().map(|path| SampleBrief::of(&healthy(path))).collect();
        let root = Root { typed: "set".to_owned(), folder: "/data/set".into(), prefix: "".into() };
        let inventory = Inventory { roots: vec![root], ..Inventory::default() };
        let names = folder_names(&DatasetFacts { inventory: &inventory, samples: &samples, metadata: &[], buckets: &[] });
        let seen: Vec<(&str, bool, usize, u64)> =
            names.iter().map(|name| (name.shown.as_str(), name.in_root, name.folders.len(), name.samples)).collect();
        assert_eq!(seen, [("a", false, 1, 1), ("b", false, 1, 2), ("data", true, 0, 3), ("set", true, 0, 3), ("x", false, 2, 3)]);
    }

    #[test]
    fn the_prefix_of_the_root_is_cut_off() {
        let root = |prefix: &str| Root { typed: prefix.to_owned(), folder: prefix.into(), prefix: prefix.into() };
        let inventory = Inventory { roots: vec![root("a"), root("a/b")], ..Inventory::default() };
        assert_eq!(below_root(&inventory, &"a/b/10_cat".into()), "10_cat");
        assert_eq!(below_root(&inventory, &"a/bc".into()), "bc");
        assert_eq!(below_root(&inventory, &"a".into()), "");
    }

    #[test]
    fn repeats_are_read_as_python_reads_a_number() {
        for (name, is_taken, is_layout) in [
            ("10_a b", true, true),
            ("12_a_b_c", true, true),
            ("007_bond", true, true),
            ("5", true, false),
            ("1_", true, true),
            ("+4_p", true, true),
            (" 6_sp", true, true),
            ("\u{ff11}\u{ff10}_wide", true, true),
            ("2024_trip", true, false),
            ("0_zero", false, false),
            ("-3_minus", false, false),
            ("++4_signs", false, false),
            ("+_sign", false, false),
            ("1.5_z", false, false),
            ("x_10", false, false),
            ("2e1_q", false, false),
            ("\u{b2}_squared", false, false),
            (".x", false, false),
            ("_", false, false),
        ] {
            assert_eq!((has_repeats(name), is_repeats_and_name(name)), (is_taken, is_layout), "{name:?}");
        }
    }
}
