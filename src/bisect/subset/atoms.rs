//! Which files belong together: an image with its caption, its mask and control images, and the caches beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::SubsetError;
use crate::model::{NamedAs, RelPath};
use crate::walk::{Input, WalkOptions, walk};

/// What an image's stem ends with that is the mask or condition of another (OneTrainer's names).
const COMPANIONS: [&str; 2] = ["-masklabel", "-condlabel"];

/// Folders whose pictures belong to the pictures of the same stem in other folders.
const COMPANION_FOLDERS: [&str; 8] = ["mask", "masks", "control", "controls", "condition", "conditioning", "conditioning_images", "cond"];

/// What is taken or left as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The image, relative to the dataset.
    pub image: RelPath,
    /// All its files, the image first, then by path.
    pub files: Vec<RelPath>,
}

/// A dataset as a bisection sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The folder, as an absolute path.
    pub root: PathBuf,
    /// What can be taken or left, by image.
    pub atoms: Vec<Atom>,
    /// Files that belong to no image and go into every subset: metadata, settings.
    pub shared: Vec<RelPath>,
}

impl Source {
    /// Lists a dataset. Hidden files, and caches of which no file belongs to an image, are left out of subsets.
    pub fn list(root: &Path, caption_extension: &str) -> Result<Self, SubsetError> {
        let root = root.canonicalize().map_err(SubsetError::file("find", root))?;
        let options = WalkOptions { caption_extension: caption_extension.to_owned(), ..WalkOptions::default() };
        let inventory = walk(&[Input::Path(root.clone())], &options)?;
        let images = inventory.samples.into_iter().filter(|sample| matches!(sample.named_as, NamedAs::Image(_))).map(|sample| sample.path);
        let mut files = Vec::new();
        let visible = |entry: &walkdir::DirEntry| entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.');
        for entry in WalkDir::new(&root).sort_by_file_name().into_iter().filter_entry(visible) {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(&root).to_owned();
                SubsetError::File { verb: "list", path, source: error.into() }
            })?;
            // A link is a sample of its own right, as the walk has it; what it leads to is looked at when it is placed.
            if !entry.file_type().is_dir() && entry.path().is_file() {
                files.extend(entry.path().strip_prefix(&root).ok().map(RelPath::from_os));
            }
        }
        let (atoms, shared) = group(&images.collect::<Vec<_>>(), files);
        Ok(Self { root, atoms, shared })
    }
}

/// Gives each file to the image that it belongs to. Pure.
fn group(images: &[RelPath], files: Vec<RelPath>) -> (Vec<Atom>, Vec<RelPath>) {
    // Stems by folder, with the number of the atom. Two images of one stem are one atom: neither can be told from the other by a caption.
    let mut stems: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut by_stem: BTreeMap<String, usize> = BTreeMap::new();
    let mut atoms: Vec<Atom> = Vec::new();
    let known: BTreeSet<&str> = images.iter().map(RelPath::without_extension).collect();
    let is_companion = |image: &RelPath| {
        in_companion_folder(image)
            || COMPANIONS.iter().any(|end| image.without_extension().strip_suffix(end).is_some_and(|stem| known.contains(stem)))
    };
    for image in images {
        let key = (image.folder().to_owned(), image.stem().to_owned());
        if is_companion(image) || stems.contains_key(&key) {
            continue;
        }
        stems.insert(key, atoms.len());
        by_stem.entry(image.stem().to_owned()).or_insert(atoms.len());
        atoms.push(Atom { image: image.clone(), files: vec![image.clone()] });
    }
    let mut shared = Vec::new();
    for file in files {
        let owner = owner(&file, &stems).or_else(|| by_stem.get(file.stem()).copied().filter(|_| in_companion_folder(&file)));
        match owner.and_then(|owner| atoms.get_mut(owner)) {
            Some(atom) if atom.image == file => {}
            Some(atom) => atom.files.push(file),
            // A mask or a cache of nothing would be the only file of its sample in a subset.
            None if in_companion_folder(&file) || in_cache_folder(&file) || images.binary_search(&file).is_ok() => {}
            None => shared.push(file),
        }
    }
    (atoms, shared)
}

/// The image in the same folder, or for a cache folder in the folder above it, whose stem the name begins with: the longest one, followed
/// by a separator.
fn owner(file: &RelPath, stems: &BTreeMap<(String, String), usize>) -> Option<usize> {
    let folder = if in_cache_folder(file) { file.folder().rsplit_once('/').map_or("", |(above, _)| above) } else { file.folder() };
    let name = file.name();
    let mut ends: Vec<usize> =
        name.char_indices().filter(|(_, character)| matches!(character, '.' | '_' | '-')).map(|(at, _)| at).collect();
    ends.reverse();
    ends.into_iter().find_map(|end| stems.get(&(folder.to_owned(), name.get(..end)?.to_owned())).copied())
}

fn last_folder(file: &RelPath) -> &str {
    file.folder().rsplit('/').next().unwrap_or_default()
}

fn in_companion_folder(file: &RelPath) -> bool {
    COMPANION_FOLDERS.iter().any(|name| last_folder(file).eq_ignore_ascii_case(name))
}

fn in_cache_folder(file: &RelPath) -> bool {
    let folder = last_folder(file);
    folder.starts_with('_') || folder.to_ascii_lowercase().contains("cache")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_masks_and_caches_go_with_their_image() {
        let paths = |names: &[&str]| names.iter().map(|&name| RelPath::from(name)).collect::<Vec<_>>();
        let files = [
            "10_cat/a.png",
            "10_cat/a-masklabel.png",
            "10_cat/a.txt",
            "10_cat/a_1.png",
            "10_cat/a_1.txt",
            "10_cat/a_1_sdxl.npz",
            "10_cat/a_0512x0512_sdxl.npz",
            "10_cat/_latent_cache/a_1_ff.safetensors",
            "10_cat/_latent_cache/gone_ff.safetensors",
            "masks/a.png",
            "dataset.toml",
            "10_cat/abc.txt",
        ];
        let images = ["10_cat/a-masklabel.png", "10_cat/a.png", "10_cat/a_1.png", "masks/a.png"];
        let (atoms, shared) = group(&paths(&images), paths(&files));
        let seen: Vec<Vec<&str>> = atoms.iter().map(|atom| atom.files.iter().map(RelPath::as_str).collect()).collect();
        assert_eq!(
            seen,
            [
                vec!["10_cat/a.png", "10_cat/a-masklabel.png", "10_cat/a.txt", "10_cat/a_0512x0512_sdxl.npz", "masks/a.png"],
                vec!["10_cat/a_1.png", "10_cat/a_1.txt", "10_cat/a_1_sdxl.npz", "10_cat/_latent_cache/a_1_ff.safetensors"],
            ]
        );
        assert_eq!(shared, paths(&["dataset.toml", "10_cat/abc.txt"]));
    }
}
