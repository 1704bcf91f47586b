//! The folder of a subset, with the structure of the dataset, and what fills the places of those that are left out.
#![expect(clippy::disallowed_methods, reason = "folders of earlier trials are this program's own")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::place::place;
use super::{FolderMap, Source, SubsetError};
use crate::model::{RelPath, Size};

/// What becomes of the places of those that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// They are empty; repeats of `N_name` folders are scaled, so that steps in an epoch stay.
    Remove,
    /// Samples known to be good take them, of the same size where there are any, so that counts and batches stay.
    Replace,
}

/// Samples that are known to be good, with the sizes of their pictures.
#[derive(Clone, Debug, Default)]
pub struct Filler {
    /// The samples.
    pub source: Source,
    /// Size of each, where it is known.
    pub sizes: Vec<Option<Size>>,
}

/// What a subset is built of.
#[derive(Clone, Copy, Debug)]
pub struct Subset<'a> {
    /// The dataset.
    pub source: &'a Source,
    /// Size of each of its samples, where it is known.
    pub sizes: &'a [Option<Size>],
    /// What to do about those left out.
    pub strategy: Strategy,
    /// What replaces them.
    pub filler: Option<&'a Filler>,
}

/// A subset that was built.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The folder to train on.
    pub folder: PathBuf,
    /// What became of the folders of the dataset.
    pub map: FolderMap,
}

impl Subset<'_> {
    /// Builds the folder at `target`, in the place of one that an earlier trial left there.
    pub fn build(&self, chosen: &BTreeSet<usize>, target: &Path) -> Result<Built, SubsetError> {
        match fs::remove_dir_all(target) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(SubsetError::file("empty", target)(error)),
            _ => {}
        }
        fs::create_dir_all(target).map_err(SubsetError::file("make", target))?;
        let fillers = self.fillers(chosen);
        let names = self.names(chosen, fillers.is_some());
        let rename = |path: &RelPath| -> PathBuf {
            let folder = names.get(path.folder()).map_or_else(|| path.folder(), |(name, _)| name.as_str());
            RelPath::from(path.name()).below(folder).to_os()
        };
        let mut room = fs4::available_space(target).map_err(SubsetError::file("measure", target))?;
        // Something is left for the trainer's log.
        room -= room / 50;
        let mut put = |from: &Path, to: PathBuf, is_picture: bool| {
            let to = target.join(to);
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder).map_err(SubsetError::file("make", folder))?;
            }
            place(from, &to, is_picture, &mut room)
        };
        let origin = &self.source.root;
        for file in &self.source.shared {
            put(&origin.join(file.to_os()), rename(file), false)?;
        }
        for (number, atom) in self.source.atoms.iter().enumerate() {
            if chosen.contains(&number) {
                for file in &atom.files {
                    put(&origin.join(file.to_os()), rename(file), *file == atom.image)?;
                }
            } else if let Some((filler, by)) = self.filler.zip(fillers.as_ref().and_then(|fillers| fillers.get(&number)))
                && let Some(other) = filler.source.atoms.get(*by)
            {
                for file in &other.files {
                    // `good-masklabel.png` of `good.png` becomes `bad-masklabel.png`.
                    let Some(end) = file.name().strip_prefix(other.image.stem()) else { continue };
                    let name = RelPath::from(format!("{}{end}", atom.image.stem()).as_str()).below(atom.image.folder());
                    put(&filler.source.root.join(file.to_os()), rename(&name), *file == other.image)?;
                }
            }
        }
        let folders = names.into_iter().map(|(folder, (name, scale))| (folder, (RelPath::from(name.as_str()), scale))).collect();
        Ok(Built { folder: target.to_owned(), map: FolderMap::new(origin.clone(), target.to_owned(), folders) })
    }

    /// Who takes the place of whom: of the same size if there is one, else of the nearest shape; in turn.
    fn fillers(&self, chosen: &BTreeSet<usize>) -> Option<BTreeMap<usize, usize>> {
        let filler = self.filler.filter(|filler| self.strategy == Strategy::Replace && !filler.source.atoms.is_empty())?;
        let mut by_size: BTreeMap<Option<(u32, u32)>, Vec<usize>> = BTreeMap::new();
        for number in 0..filler.source.atoms.len() {
            let size = filler.sizes.get(number).copied().flatten().map(|size| (size.width, size.height));
            by_size.entry(size).or_default().push(number);
        }
        let mut turns: BTreeMap<Option<(u32, u32)>, usize> = BTreeMap::new();
        let mut taken = BTreeMap::new();
        for number in (0..self.source.atoms.len()).filter(|number| !chosen.contains(number)) {
            let wanted = self.sizes.get(number).copied().flatten();
            let key = by_size.keys().copied().min_by(|a, b| distance(wanted, *a).total_cmp(&distance(wanted, *b)))?;
            let list = by_size.get(&key)?;
            let turn = turns.entry(key).or_default();
            taken.insert(number, *list.get(*turn % list.len())?);
            *turn += 1;
        }
        Some(taken)
    }

    /// What each folder with images is called in the subset, and by how much its samples must be repeated more often than before.
    fn names(&self, chosen: &BTreeSet<usize>, is_filled: bool) -> BTreeMap<String, (String, f64)> {
        let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        for (number, atom) in self.source.atoms.iter().enumerate() {
            let (all, kept) = counts.entry(atom.image.folder()).or_default();
            *all += 1;
            *kept += u32::from(is_filled || chosen.contains(&number));
        }
        counts.into_iter().map(|(folder, (all, kept))| (folder.to_owned(), scaled(folder, all, kept))).collect()
    }
}

/// The name of a folder of which `kept` of `all` samples are left: `10_cat` with half of them is `20_cat`.
fn scaled(folder: &str, all: u32, kept: u32) -> (String, f64) {
    let scale = if kept == 0 { 1.0 } else { f64::from(all) / f64::from(kept) };
    let (above, name) = folder.rsplit_once('/').map_or(("", folder), |(above, name)| (above, name));
    let Some((repeats, concept)) = name.split_once('_').and_then(|(repeats, concept)| Some((repeats.parse::<u32>().ok()?, concept))) else {
        return (folder.to_owned(), scale);
    };
    let repeats = (f64::from(repeats) * scale).round();
    (RelPath::from(format!("{repeats}_{concept}").as_str()).below(above).as_str().to_owned(), scale)
}

/// How unlike two sizes are: 0 for the same, below 1 for the same shape.
fn distance(wanted: Option<Size>, found: Option<(u32, u32)>) -> f64 {
    let (Some(wanted), Some((width, height))) = (wanted, found) else { return f64::MAX };
    if (wanted.width, wanted.height) == (width, height) {
        return 0.0;
    }
    let log = |a: u32, b: u32| (f64::from(a.max(1)) / f64::from(b.max(1))).ln();
    let shape = (log(wanted.width, wanted.height) - log(width, height)).abs();
    let area = (log(wanted.width, width) + log(wanted.height, height)).abs();
    shape * 100.0 + area / (1.0 + area)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_grow_as_samples_go() {
        assert_eq!(scaled("10_cat", 8, 4), ("20_cat".to_owned(), 2.0));
        assert_eq!(scaled("a/3_x_y", 3, 2).0, "a/5_x_y");
        assert_eq!(scaled("cat", 8, 4).0, "cat");
        assert_eq!(scaled("10_cat", 8, 0).0, "10_cat");
    }

    #[test]
    fn the_same_size_is_nearest_and_shape_counts_before_area() {
        let wanted = Some(Size::new(512, 768));
        let by = |width, height| distance(wanted, Some((width, height)));
        assert!(by(512, 768) < by(1024, 1536) && by(1024, 1536) < by(768, 512) && by(768, 512) < distance(wanted, None));
    }

    #[test]
    fn a_subset_has_the_files_of_its_samples_and_fillers_under_the_names_of_the_others() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
            fs::write(path, text).expect("files can be written");
        };
        for name in ["a", "b", "c"] {
            write(&format!("set/10_x/{name}.png"), name);
            write(&format!("set/10_x/{name}.txt"), name);
        }
        write("good/g.jpg", "g");
        write("good/g.txt", "g");
        let source = Source::list(&folder.path().join("set"), ".txt").expect("the set can be listed");
        let filler = Filler { source: Source::list(&folder.path().join("good"), ".txt").expect("it can be listed"), sizes: vec![None] };
        let subset = Subset { source: &source, sizes: &[None; 3], strategy: Strategy::Replace, filler: Some(&filler) };
        let target = folder.path().join("work");
        let list = |folder: &str| {
            let entries = fs::read_dir(target.join(folder)).expect("the folder is there");
            let mut names: Vec<_> = entries.map(|entry| entry.expect("it can be listed").file_name()).collect();
            names.sort();
            names
        };
        subset.build(&BTreeSet::from([1]), &target).expect("it can be built");
        assert_eq!(list("10_x"), ["a.jpg", "a.txt", "b.png", "b.txt", "c.jpg", "c.txt"]);
        let removing = Subset { strategy: Strategy::Remove, filler: None, ..subset };
        let built = removing.build(&BTreeSet::from([1]), &target).expect("it can be built");
        assert_eq!(list(""), ["30_x"]);
        assert_eq!(list("30_x"), ["b.png", "b.txt"]);
        assert_eq!(built.map.new_path(&source.root.join("10_x")), Some((target.join("30_x"), 3.0)));
    }
}
