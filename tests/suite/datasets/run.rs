//! Runs every recipe, and compares what is committed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use walkaround::checks::ALL;

use super::{Recipe, recipes, tour};
use crate::build::Folder;
use crate::generated::current;
use crate::support::{check_as, check_with};

/// Checks without a folder of their own: `unused-ignore` is about the settings (see `cli.rs`), no file is unreadable to the
/// superuser that tests may run as, and no file is known on which the decoders disagree (see the unit tests of both). What a
/// witness says needs an interpreter (see `witness.rs`). What is wrong with a trainer's configuration is in `recipe.rs`.
const WITHOUT_RECIPE: [&str; 5] = ["unused-ignore", "unreadable-caption", "decoders-disagree", "witness-disagrees", "witness-killed"];

/// Checks whose finding cannot be built on this system or for this user.
fn cannot_be_built(check: &str) -> bool {
    !cfg!(unix) && ["special-file", "broken-link", "skipped-link"].contains(&check)
}

#[test]
fn every_check_has_a_recipe() {
    let with: BTreeSet<&str> = recipes().iter().map(|recipe| recipe.check).chain(WITHOUT_RECIPE).collect();
    let without: Vec<&str> =
        ALL.iter().map(|check| check.name).filter(|name| !with.contains(name) && !name.starts_with("config-")).collect();
    assert!(without.is_empty(), "no sample dataset for {without:?}");
    let unknown: Vec<&&str> = with.iter().filter(|name| walkaround::checks::find(name).is_none()).collect();
    assert!(unknown.is_empty(), "sample datasets for checks that are not there: {unknown:?}");
}

#[test]
fn checks_fire_where_they_must_and_not_on_the_near_miss() {
    let mut wrong = Vec::new();
    let mut built = 0;
    for recipe in recipes().iter().filter(|recipe| !cannot_be_built(recipe.check)) {
        let folder = tempfile::tempdir().expect("there is room for a test folder");
        let (fires, quiet) = build(recipe, folder.path());
        let found = check_as(&fires, recipe.trainer, recipe.set);
        if found.of(recipe.check).is_empty() {
            wrong.push(format!("{} does not fire; found: {:#?}", recipe.check, found.brief()));
        }
        let found = check_as(&quiet, recipe.trainer, recipe.set);
        if !found.of(recipe.check).is_empty() {
            wrong.push(format!("{} fires on the near miss: {:#?}", recipe.check, found.of(recipe.check)));
        }
        built += 1;
    }
    assert!(built >= 30, "only {built} recipes were run");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_tour_shows_each_of_its_surprises() {
    let folder = tempfile::tempdir().expect("there is room for a test folder");
    tour::build(&Folder::at(folder.path()));
    let found = check_with(folder.path(), &[]);
    let errors = ["zero-byte-file", "system-file", "not-an-image", "truncated-image", "caption-not-utf8"];
    let warnings = ["exif-orientation", "alpha-hidden-color", "unsupported-format"];
    for name in errors.iter().chain(&warnings) {
        assert_eq!(found.of(name).len(), 1, "{name}: {:#?}", found.brief());
    }
    assert_eq!((found.summary.findings.error, found.summary.findings.warning), (5, 3), "{:#?}", found.brief());
}

#[test]
fn committed_datasets_are_what_the_recipes_build() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_datasets");
    let mut stale = Vec::new();
    let mut wanted = BTreeSet::new();
    let mut compare = |name: &str, folder: &Path| {
        for file in files_below(folder) {
            let path = kept.join(name).join(file.strip_prefix(folder).expect("the file lies below the folder"));
            stale.extend(current(&path, &fs::read(&file).expect("the file was just written")).err());
            wanted.insert(path);
        }
    };
    for recipe in recipes().iter().filter(|recipe| recipe.is_committed) {
        let folder = tempfile::tempdir().expect("there is room for a test folder");
        build(recipe, folder.path());
        compare(&folder_name(recipe), folder.path());
    }
    let folder = tempfile::tempdir().expect("there is room for a test folder");
    tour::build(&Folder::at(folder.path()));
    compare("tour", folder.path());
    wanted.insert(kept.join("README.md"));
    // Those of the trainers are written by `worked.rs`.
    let is_here = |path: &PathBuf| !path.starts_with(kept.join("trainers"));
    stale.extend(
        files_below(&kept)
            .into_iter()
            .filter(|path| is_here(path) && !wanted.contains(path))
            .map(|path| format!("{} is in no recipe", path.display())),
    );
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

fn build(recipe: &Recipe, root: &Path) -> (PathBuf, PathBuf) {
    let (fires, quiet) = (root.join("fires"), root.join("quiet"));
    (recipe.fires)(&Folder::at(&fires));
    (recipe.quiet)(&Folder::at(&quiet));
    (fires, quiet)
}

fn folder_name(recipe: &Recipe) -> String {
    let check = walkaround::checks::find(recipe.check).expect("the check is listed");
    format!("{}-{}", check.code, check.name)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}
