//! What the paths of a dataset are made of, each name once: what checks of paths look at. No check lives here.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path};

use crate::model::{DatasetFacts, Inventory, RelPath};

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
    let others = facts.inventory.orphan_captions.iter().chain(&facts.inventory.metadata).map(|file| &file.path);
    samples.chain(others).collect()
}

/// A reported path without the prefix of its root.
pub(super) fn below_root<'a>(inventory: &Inventory, path: &'a str) -> &'a str {
    let below = |prefix: &str| {
        let rest = path.strip_prefix(prefix)?;
        if prefix.is_empty() || prefix.ends_with('/') || rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    };
    inventory.roots.iter().filter_map(|root| below(root.prefix.as_str())).min_by_key(|rest| rest.len()).unwrap_or(path)
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
        let names = folder_names(&DatasetFacts { inventory: &inventory, samples: &samples, metadata: &[] });
        let seen: Vec<(&str, bool, usize, u64)> =
            names.iter().map(|name| (name.shown.as_str(), name.in_root, name.folders.len(), name.samples)).collect();
        assert_eq!(seen, [("a", false, 1, 1), ("b", false, 1, 2), ("data", true, 0, 3), ("set", true, 0, 3), ("x", false, 2, 3)]);
    }

    #[test]
    fn the_prefix_of_the_root_is_cut_off() {
        let root = |prefix: &str| Root { typed: prefix.to_owned(), folder: prefix.into(), prefix: prefix.into() };
        let inventory = Inventory { roots: vec![root("a"), root("a/b")], ..Inventory::default() };
        assert_eq!(below_root(&inventory, "a/b/10_cat"), "10_cat");
        assert_eq!(below_root(&inventory, "a/bc"), "bc");
        assert_eq!(below_root(&inventory, "a"), "");
    }
}
