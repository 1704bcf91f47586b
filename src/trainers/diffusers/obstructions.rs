//! What lies in a folder and is in the way of the diffusers examples before they open a picture.

use std::collections::BTreeSet;

use super::super::consequence::does;

use super::imagefolder;
use crate::model::{Consequence, Inventory, Obstruction, OddityKind, Outcome, Phase, RelPath, SideFile};

/// What the `DreamBooth` scripts open and cannot: `Path.iterdir()` without any filter (`train_dreambooth_lora_flux.py` 802-806).
///
/// Entries that the inventory does not hold, such as a file of unknown kind, are not named.
pub(super) fn dreambooth(inventory: &Inventory) -> Vec<Obstruction> {
    let at_top = |path: &&RelPath| !inventory.inside(path).contains('/');
    let stops = |text: &str| does(Outcome::Stop, Phase::DatasetScan, text);
    let unidentified = || stops("`UnidentifiedImageError` ends the run while the folder is opened");

    let system = inventory.oddities.iter().filter(|oddity| matches!(oddity.kind, OddityKind::SystemFile(_))).map(|oddity| &oddity.path);
    let mut folders = BTreeSet::new();
    let below = inventory.folders.iter().map(|folder| &folder.path).filter(|path| !inventory.inside(path).is_empty());
    let junk = inventory.oddities.iter().filter(|oddity| matches!(oddity.kind, OddityKind::JunkFolder { .. })).map(|oddity| &oddity.path);
    for path in below.chain(junk) {
        folders.insert(top_of(inventory, path));
    }
    [
        obstruction(
            captions(inventory).map(|file| &file.path).filter(at_top).cloned(),
            "are captions, and every entry of the folder is opened as an image",
            unidentified(),
            "keep captions out of the folder; the only caption is `--instance_prompt`",
        ),
        obstruction(
            inventory.metadata.iter().map(|file| &file.path).filter(at_top).cloned(),
            "are metadata, and every entry of the folder is opened as an image",
            unidentified(),
            "move them out, or give the folder to `--dataset_name`, which reads metadata",
        ),
        obstruction(
            system.filter(at_top).cloned(),
            "were left by an operating system, and every entry of the folder is opened as an image",
            unidentified(),
            "delete them",
        ),
        obstruction(
            folders,
            "are folders, and every entry of the folder is opened as an image",
            stops("`IsADirectoryError`, or `PermissionError` on Windows, ends the run"),
            "move the pictures into one folder without sub-folders",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What the `imagefolder` loader takes for what it is not, and captions that it does not read.
pub(super) fn text_to_image(inventory: &Inventory) -> Vec<Obstruction> {
    let double = captions(inventory).map(|file| &file.path).filter(|path| imagefolder::is_image_before_last(path));
    let has_metadata = has_metadata(inventory);
    let unread = captions(inventory).map(|file| &file.path).filter(|path| !has_metadata && !imagefolder::is_image_before_last(path));
    [
        obstruction(
            double.cloned(),
            "count as images, for their second-last extension is one",
            does(Outcome::Stop, Phase::Training, "`UnidentifiedImageError` ends the run when a batch first holds one"),
            "give captions the name of the picture without its extension, or move them out",
        ),
        obstruction(
            unread.cloned(),
            "are captions that are not read, and there is no metadata file",
            does(Outcome::Stop, Phase::DatasetScan, "`ValueError` says that `--caption_column` `text` needs to be one of: image"),
            "write a metadata.jsonl with `file_name` and `text`",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether rows of a metadata file decide which images are taken.
pub(super) fn has_metadata(inventory: &Inventory) -> bool {
    inventory.metadata.iter().any(|file| imagefolder::METADATA.contains(&file.path.name()))
}

fn captions(inventory: &Inventory) -> impl Iterator<Item = &SideFile> {
    inventory.samples.iter().filter_map(|sample| sample.caption.as_ref()).chain(&inventory.orphan_captions)
}

fn obstruction(paths: impl IntoIterator<Item = RelPath>, what: &str, consequence: Consequence, help: &str) -> Option<Obstruction> {
    // Two pictures of one stem share a caption, which is to be named once.
    let paths: BTreeSet<RelPath> = paths.into_iter().collect();
    let paths: Vec<RelPath> = paths.into_iter().collect();
    (!paths.is_empty()).then(|| Obstruction { paths, what: what.to_owned(), consequence, help: help.to_owned() })
}

/// The first folder of a path inside of its root, as reported.
fn top_of(inventory: &Inventory, path: &RelPath) -> RelPath {
    let rest = inventory.inside(path);
    let below_top = rest.split_once('/').map_or(0, |(_, below)| below.len() + 1);
    let text = path.as_str();
    RelPath::from_escaped(text.get(..text.len() - below_top).unwrap_or(text))
}
