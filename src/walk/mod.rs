//! Stage 1: folders, single files and lists of paths become an [`Inventory`]: samples sorted and numbered, what belongs to
//! them, and what does not belong there.
//!
//! Names and sizes only: no file is opened here, so that a FIFO cannot hang the walk and a million files take seconds.
//! `names` says what a name means and `pairing` which files belong together, both without looking at the file system;
//! `roots` reads what was given, `tree` lists folders, `singles` looks at files that were named one by one, and
//! `links` says where a symbolic link leads. May use [`model`](crate::model).

mod links;
mod names;
mod pairing;
mod roots;
mod singles;
mod tree;

use std::collections::BTreeMap;

use crate::model::{Folder, Inventory, NamedAs, Oddity, RelPath, Sample};

pub use roots::{Input, WalkError, locate, parse_list};

use pairing::{Entry, Paired, pair};
use roots::Plan;

/// What is looked for, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// What a caption's name has behind the image's stem: an extension with its dot.
    pub caption_extension: String,
    /// Whether symbolic links below a root are followed. What is given by name is always followed.
    pub follow_links: bool,
    /// Whether hidden files and folders are taken for samples.
    pub hidden: bool,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self { caption_extension: ".txt".to_owned(), follow_links: false, hidden: false }
    }
}

/// Lists what was given, pairs images with captions, and numbers the samples in the order of their paths.
///
/// With one input the paths are relative to it (to its folder, if it is a file); with several they begin with the input as
/// it was typed. A file that two inputs cover is reported once.
///
/// ```
/// use walkaround::walk::{Input, WalkOptions, walk};
/// let inventory = walk(&[Input::Path("src".into())], &WalkOptions::default())?;
/// assert!(inventory.files > 0 && inventory.samples.is_empty());
/// # Ok::<(), walkaround::walk::WalkError>(())
/// ```
///
/// # Errors
///
/// An input that is not there, cannot be listed, or is neither a file nor a folder. What is wrong below an input, or in a
/// list, is an [`Oddity`].
pub fn walk(inputs: &[Input], options: &WalkOptions) -> Result<Inventory, WalkError> {
    let mut plan = Plan::of(inputs)?;
    let mut found = Found { oddities: std::mem::take(&mut plan.oddities), ..Found::default() };
    tree::walk_folders(&mut plan, options, &mut found);
    singles::walk_singles(&plan, options, &mut found);

    found.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found.entries.dedup_by(|a, b| a.path == b.path);
    let Paired { samples, orphan_captions, metadata } = pair(found.entries, &options.caption_extension)?;
    found.oddities.sort_by(|a, b| a.path.cmp(&b.path));
    found.oddities.dedup();
    let folders = folders(&samples);
    Ok(Inventory { roots: plan.roots, samples, orphan_captions, metadata, oddities: found.oddities, folders, files: found.files })
}

/// What the listing collects before files are paired.
#[derive(Debug, Default)]
struct Found {
    entries: Vec<Entry>,
    oddities: Vec<Oddity>,
    /// Everything seen that is no folder.
    files: u64,
}

fn folders(samples: &[Sample]) -> Vec<Folder> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for sample in samples.iter().filter(|sample| matches!(sample.named_as, NamedAs::Image(_))) {
        *counts.entry(sample.path.folder()).or_default() += 1;
    }
    counts.into_iter().map(|(path, images)| Folder { path: RelPath::from(path), images }).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the tests make the folders that they walk")]

    use std::fs;
    use std::path::{Path, PathBuf};

    use tempfile::TempDir;

    use super::*;
    use crate::model::{OddityKind, SystemFileKind};

    /// A folder with these files, each with its own name as content.
    fn folder(files: &[&str]) -> TempDir {
        let folder = TempDir::new().expect("a temporary folder can be made");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
            fs::write(path, file).expect("files can be written");
        }
        folder
    }

    fn walked(inputs: &[&Path], options: &WalkOptions) -> Inventory {
        let inputs: Vec<Input> = inputs.iter().map(|path| Input::Path(path.to_path_buf())).collect();
        walk(&inputs, options).expect("the folder can be walked")
    }

    fn samples(inventory: &Inventory) -> Vec<&str> {
        inventory.samples.iter().map(|sample| sample.path.as_str()).collect()
    }

    fn oddities(inventory: &Inventory) -> Vec<(&str, &OddityKind)> {
        inventory.oddities.iter().map(|oddity| (oddity.path.as_str(), &oddity.kind)).collect()
    }

    #[test]
    fn samples_are_numbered_in_the_order_of_their_paths() {
        let set = folder(&["b/1.png", "a.png", "b.png", "b-c/2.jpg", "b/1.txt", "b/notes.md", "b/x.npz"]);
        let inventory = walked(&[set.path()], &WalkOptions::default());
        assert_eq!(samples(&inventory), ["a.png", "b-c/2.jpg", "b.png", "b/1.png"]);
        let numbers: Vec<u32> = inventory.samples.iter().map(|sample| sample.index.0).collect();
        assert_eq!(numbers, [0, 1, 2, 3]);
        assert_eq!(inventory.samples[3].caption.as_ref().map(|caption| caption.path.as_str()), Some("b/1.txt"));
        assert_eq!((inventory.samples[0].size_bytes, inventory.files), (5, 7));
        let folders: Vec<(&str, u64)> = inventory.folders.iter().map(|folder| (folder.path.as_str(), folder.images)).collect();
        assert_eq!(folders, [("", 2), ("b", 1), ("b-c", 1)]);
    }

    #[test]
    fn companions_from_an_archive_made_on_macos_are_system_files() {
        let set = folder(&["a.jpeg", "b.jpeg", "__MACOSX/set/._a.jpeg", "__MACOSX/set/._b.jpeg"]);
        let inventory = walked(&[set.path()], &WalkOptions::default());
        assert_eq!(samples(&inventory), ["a.jpeg", "b.jpeg"]);
        let apple = OddityKind::SystemFile(SystemFileKind::AppleDouble);
        assert_eq!(
            oddities(&inventory),
            [
                ("__MACOSX", &OddityKind::JunkFolder { files: 0, images: 0 }),
                ("__MACOSX/set/._a.jpeg", &apple),
                ("__MACOSX/set/._b.jpeg", &apple),
            ]
        );
        assert_eq!(inventory.files, 4);
    }

    #[test]
    fn junk_folders_are_counted_and_not_walked() {
        let set = folder(&["a.png", ".ipynb_checkpoints/a-checkpoint.png", ".ipynb_checkpoints/deep/x.txt", "z/__pycache__/m.pyc"]);
        let inventory = walked(&[set.path()], &WalkOptions { hidden: true, ..WalkOptions::default() });
        assert_eq!(samples(&inventory), ["a.png"]);
        assert_eq!(
            oddities(&inventory),
            [
                (".ipynb_checkpoints", &OddityKind::JunkFolder { files: 2, images: 1 }),
                ("z/__pycache__", &OddityKind::JunkFolder { files: 1, images: 0 }),
            ]
        );
    }

    #[test]
    fn hidden_images_are_left_out_unless_they_are_asked_for() {
        let set = folder(&["a.png", ".b.png", ".c/d.png", ".gitignore", "e/f.png"]);
        let inventory = walked(&[set.path()], &WalkOptions::default());
        assert_eq!(samples(&inventory), ["a.png", "e/f.png"]);
        assert_eq!(oddities(&inventory), [(".b.png", &OddityKind::HiddenImage), (".c/d.png", &OddityKind::HiddenImage)]);
        let inventory = walked(&[set.path()], &WalkOptions { hidden: true, ..WalkOptions::default() });
        assert_eq!(samples(&inventory), [".b.png", ".c/d.png", ".gitignore", "a.png", "e/f.png"]);
    }

    #[test]
    fn several_roots_keep_their_names_and_overlap_once() {
        let set = folder(&["a/x.png", "a/b/y.png", "a/b/y.txt", "c.png"]);
        let (a, b) = (set.path().join("a"), set.path().join("a/../a/b"));
        let inventory = walked(&[&a, &b, &a.join("x.png"), &a], &WalkOptions::default());
        let real: Vec<PathBuf> = inventory.samples.iter().filter_map(|sample| locate(&inventory, &sample.path)).collect();
        assert_eq!(real, [b.join("y.png"), a.join("x.png")]);
        assert_eq!(samples(&inventory)[1], a.join("x.png").to_str().expect("the temporary folder has a plain name"));
        assert_eq!(inventory.files, 3);
    }

    #[test]
    fn a_single_file_is_relative_to_its_folder_and_has_its_caption() {
        let set = folder(&["a/x.png", "a/x.txt", "a/x.caption", "a/y.png", "a/y.txt"]);
        let inventory = walked(&[&set.path().join("a/x.png")], &WalkOptions::default());
        assert_eq!(samples(&inventory), ["x.png"]);
        assert!(inventory.samples[0].caption.is_some() && inventory.orphan_captions.is_empty());
        assert_eq!(inventory.samples[0].other_captions, ["caption".into()]);
        assert_eq!(locate(&inventory, &"x.txt".into()), Some(set.path().join("a/x.txt")));
    }

    #[test]
    fn a_list_may_hold_folders_doubles_and_what_is_not_there() {
        let set = folder(&["a/x.png", "a/x.txt", "b/y.png", "z.png"]);
        let at = |name: &str| set.path().join(name);
        let list = Input::List { typed: "-".to_owned(), paths: vec![at("a/x.png"), at("b"), at("b/y.png"), at("gone.png"), at("a/x.png")] };
        let inventory = walk(&[list], &WalkOptions::default()).expect("a list can always be walked");
        let real: Vec<PathBuf> = inventory.samples.iter().filter_map(|sample| locate(&inventory, &sample.path)).collect();
        assert_eq!(real, [at("a/x.png"), at("b/y.png")]);
        assert!(inventory.samples[0].caption.is_some());
        assert!(matches!(inventory.oddities.as_slice(), [gone] if gone.kind == OddityKind::NotFound));
    }

    #[test]
    fn an_input_that_is_not_there_is_an_error() {
        let missing = Input::Path(PathBuf::from("/no/such/folder"));
        let error = walk(&[missing], &WalkOptions::default()).expect_err("there is no such folder");
        assert_eq!(error.to_string(), "/no/such/folder is not there");
    }

    #[cfg(unix)]
    mod unix {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        use std::os::unix::net::UnixListener;

        use super::*;

        fn following() -> WalkOptions {
            WalkOptions { follow_links: true, ..WalkOptions::default() }
        }

        fn link(target: &str, at: PathBuf) {
            symlink(target, at).expect("links can be made");
        }

        #[test]
        fn links_are_told_apart() {
            let outside = folder(&["o.png", "deep/p.png"]);
            let set = folder(&["a/x.png"]);
            let target = outside.path().to_str().expect("the temporary folder has a plain name");
            link("a/x.png", set.path().join("in.png"));
            link("gone.png", set.path().join("broken.png"));
            link("self.png", set.path().join("self.png"));
            link(&format!("{target}/o.png"), set.path().join("out.png"));
            link("..", set.path().join("a/up"));
            link(target, set.path().join("outside"));

            let inventory = walked(&[set.path()], &WalkOptions::default());
            assert_eq!(samples(&inventory), ["a/x.png"]);
            let text = |text: &str| text.to_owned();
            assert_eq!(
                oddities(&inventory),
                [
                    ("a/up", &OddityKind::SkippedLink(text(".."))),
                    ("broken.png", &OddityKind::BrokenLink(text("gone.png"))),
                    ("in.png", &OddityKind::SkippedLink(text("a/x.png"))),
                    ("out.png", &OddityKind::OutsideLink(format!("{target}/o.png"))),
                    ("outside", &OddityKind::OutsideLink(text(target))),
                    ("self.png", &OddityKind::LinkLoop(text("self.png"))),
                ]
            );

            let inventory = walked(&[set.path()], &following());
            assert_eq!(samples(&inventory), ["a/x.png", "in.png", "out.png", "outside/deep/p.png", "outside/o.png"]);
            assert_eq!(
                oddities(&inventory),
                [
                    ("a/up", &OddityKind::LinkLoop(text(".."))),
                    ("broken.png", &OddityKind::BrokenLink(text("gone.png"))),
                    ("out.png", &OddityKind::OutsideLink(format!("{target}/o.png"))),
                    ("outside", &OddityKind::OutsideLink(text(target))),
                    ("self.png", &OddityKind::LinkLoop(text("self.png"))),
                ]
            );
        }

        #[test]
        fn folders_that_link_to_each_other_many_times_end_soon() {
            let set = folder(&[]);
            for level in 0..20 {
                let here = set.path().join(format!("d{level}"));
                fs::create_dir(&here).expect("folders can be made");
                for name in ["l", "r"] {
                    link(&format!("../d{}", level + 1), here.join(name));
                }
            }
            fs::create_dir(set.path().join("d20")).expect("folders can be made");
            fs::write(set.path().join("d20/x.png"), "x").expect("files can be written");
            // Without a limit the file would be found 2^21 - 1 times.
            let inventory = walked(&[set.path()], &following());
            assert!((2..1000).contains(&inventory.samples.len()), "{}", inventory.samples.len());
        }

        #[test]
        fn a_root_that_is_a_link_is_followed() {
            let set = folder(&["a/x.png"]);
            link("a", set.path().join("link"));
            assert_eq!(samples(&walked(&[&set.path().join("link")], &WalkOptions::default())), ["x.png"]);
        }

        #[test]
        fn a_socket_is_never_opened() {
            let set = folder(&["a.png"]);
            let _socket = UnixListener::bind(set.path().join("s.png")).expect("a socket can be made");
            let inventory = walked(&[set.path()], &WalkOptions::default());
            assert_eq!(oddities(&inventory), [("s.png", &OddityKind::Special("a socket"))]);
            assert_eq!(samples(&inventory), ["a.png"]);
        }

        #[test]
        fn a_caption_that_is_a_link_to_a_fifo_or_a_folder_is_never_opened() {
            let set = folder(&["a.png", "b.png", "deep/c.txt"]);
            let pipe = set.path().join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is part of every Unix");
            assert!(made.success());
            link("pipe", set.path().join("a.txt"));
            link("deep", set.path().join("b.txt"));
            let at = |name: &str| set.path().join(name);
            let named = Input::List { typed: "-".to_owned(), paths: vec![at("a.png"), at("b.png")] };
            for inputs in [vec![named], vec![Input::Path(at("a.png")), Input::Path(at("b.png"))]] {
                let inventory = walk(&inputs, &following()).expect("the files can be walked");
                assert!(inventory.samples.iter().all(|sample| sample.caption.is_none()) && inventory.samples.len() == 2);
                let kinds: Vec<&OddityKind> = oddities(&inventory).into_iter().map(|(_, kind)| kind).collect();
                assert_eq!(kinds, [&OddityKind::Special("a FIFO"), &OddityKind::Special("a folder")]);
            }
        }

        #[test]
        fn odd_names_are_found_again() {
            let set = folder(&["line\nbreak.png", "bell\u{7}.png", "back\\slash.png", "tränade/å.png"]);
            let names = [OsStr::from_bytes(b"caf\xe9.png").to_owned(), OsStr::new(&format!("{}.png", "n".repeat(251))).to_owned()];
            for name in &names {
                fs::write(set.path().join(name), "x").expect("this file system takes any bytes");
            }
            let inventory = walked(&[set.path()], &WalkOptions::default());
            assert_eq!(inventory.samples.len(), 6);
            for sample in &inventory.samples {
                let path = locate(&inventory, &sample.path).expect("the path belongs to the root");
                assert!(path.is_file(), "{:?}", sample.path);
            }
        }

        #[test]
        fn what_cannot_be_listed_is_an_oddity() {
            let set = folder(&["a.png", "closed/b.png"]);
            let closed = set.path().join("closed");
            fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("permissions can be set");
            if fs::read_dir(&closed).is_ok() {
                println!("skipped: this user may read everything");
                return;
            }
            let inventory = walked(&[set.path()], &WalkOptions::default());
            fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("permissions can be set");
            assert!(matches!(oddities(&inventory).as_slice(), [("closed", OddityKind::Unreadable(_))]));
        }

        #[test]
        fn a_folder_deeper_than_paths_may_be_is_an_oddity() {
            // Listing fails with ENAMETOOLONG, for root as for everybody; the folders are made step by step.
            let set = folder(&["a.png"]);
            let name = "d".repeat(250);
            let mut near = set.path().to_owned();
            let mut steps = 0;
            while fs::create_dir(near.join(&name)).is_ok() {
                near.push(&name);
                steps += 1;
                assert!(steps < 1000, "this system has no limit");
            }
            let moved = set.path().join("e");
            fs::create_dir(&moved).expect("folders can be made");
            fs::rename(set.path().join(&name), moved.join(&name)).expect("a folder can be moved");
            fs::rename(&moved, set.path().join("f".repeat(250))).expect("a folder can be renamed");
            let inventory = walked(&[set.path()], &WalkOptions::default());
            assert_eq!(samples(&inventory), ["a.png"]);
            assert!(inventory.oddities.iter().all(|oddity| matches!(oddity.kind, OddityKind::Unreadable(_))), "{:?}", inventory.oddities);
            assert_eq!(inventory.oddities.len(), 1);
        }
    }
}
