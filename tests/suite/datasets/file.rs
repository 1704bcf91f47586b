//! Sample datasets of family F.

use super::Recipe;
use crate::build::{Folder, jpeg, rgb_png};

/// An empty `AppleDouble` file (RFC 1740, appendix B): magic number, version, filler, no entries.
const APPLE_DOUBLE: [u8; 26] = [0, 5, 0x16, 7, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

pub(super) fn recipes() -> Vec<Recipe> {
    let mut recipes = vec![
        Recipe::for_trainer(
            "stray-entry",
            "diffusers",
            &[],
            |folder| {
                folder.pair("dog.png", rgb_png(1, 64, 64));
            },
            |folder| {
                // The instance folder of a dreambooth script: nothing but pictures.
                folder.write("dog.png", rgb_png(1, 64, 64));
            },
        ),
        Recipe::new(
            "zero-byte-file",
            |folder| {
                folder.pair("empty.jpg", []).pair("whole.jpg", jpeg(1, 64, 64, 90));
            },
            |folder| {
                // One byte is no image either, but that is another fault; nor is an empty file without an image's name.
                folder.pair("one_byte.jpg", [0xff]).write("marker", []).pair("whole.jpg", jpeg(1, 64, 64, 90));
            },
        ),
        Recipe::new(
            "system-file",
            |folder| {
                for n in 0..3 {
                    let name = format!("photo_{n}");
                    folder.pair(&format!("{name}.jpeg"), jpeg(n, 64, 64, 90));
                    folder.write(&format!("__MACOSX/set/._{name}.jpeg"), APPLE_DOUBLE);
                }
                folder.write("Thumbs.db", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1").write("desktop.ini", "[.ShellClassInfo]\r\n");
            },
            |folder| {
                for name in ["_photo.jpeg", "photo._1.jpeg", "thumbs.jpeg", "desktop.jpeg"] {
                    folder.pair(name, jpeg(u32::try_from(name.len()).expect("names are short"), 64, 64, 90));
                }
            },
        ),
        Recipe::new(
            "junk-folder",
            |folder| {
                folder.pair("a.png", rgb_png(1, 64, 64)).write(".ipynb_checkpoints/a-checkpoint.png", rgb_png(1, 64, 64));
            },
            |folder| {
                folder.pair("ipynb_checkpoints/a.png", rgb_png(1, 64, 64)).pair("__macos/b.png", rgb_png(2, 64, 64));
            },
        ),
        Recipe::new(
            "ignored-extension",
            |folder| {
                for n in 0..6 {
                    folder.pair(&format!("small_{n}.jpg"), jpeg(n, 64, 64, 90));
                }
                for n in 6..10 {
                    folder.pair(&format!("capital_{n}.JPG"), jpeg(n, 64, 64, 90));
                }
            },
            |folder| {
                folder.pair("a.jpg", jpeg(1, 64, 64, 90)).pair("b.jpeg", jpeg(2, 64, 64, 90)).pair("c.JPG.png", rgb_png(3, 64, 64));
            },
        ),
        Recipe::new(
            "duplicate-stem",
            |folder| {
                folder.pair("cat.png", rgb_png(1, 56, 72)).write("cat.jpg", jpeg(2, 60, 68, 90));
            },
            |folder| {
                folder.pair("a/cat.png", rgb_png(1, 56, 72)).pair("b/cat.jpg", jpeg(2, 60, 68, 90));
                folder.pair("a/cat.png.jpg", jpeg(3, 60, 68, 90));
            },
        ),
        Recipe::new(
            "hidden-image",
            |folder| {
                folder.pair("a.png", rgb_png(1, 64, 64)).write(".b.png", rgb_png(2, 64, 64));
            },
            |folder| {
                folder.pair("a.b.png", rgb_png(1, 64, 64)).pair("_c.png", rgb_png(2, 64, 64)).write(".note", "not an image");
            },
        ),
    ];
    if cfg!(unix) {
        recipes.extend(recipes_with_links());
    }
    recipes
}

/// Recipes with links, FIFOs and permissions, which git or other systems do not keep.
fn recipes_with_links() -> Vec<Recipe> {
    let built_only = |check, fires, quiet| Recipe { is_committed: false, ..Recipe::new(check, fires, quiet) };
    vec![
        built_only("unreadable-file", too_deep, |folder| {
            folder.pair("read_only.png", rgb_png(1, 64, 64));
            let path = folder.path().join("read_only.png");
            let mut permissions = std::fs::metadata(&path).expect("the file is there").permissions();
            permissions.set_readonly(true);
            std::fs::set_permissions(&path, permissions).expect("permissions can be set");
        }),
        built_only(
            "special-file",
            |folder| {
                folder.pair("a.png", rgb_png(1, 64, 64));
                let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.png")).status();
                assert!(made.is_ok_and(|status| status.success()), "mkfifo is part of every Unix");
            },
            |folder| {
                folder.pair("fifo.png", rgb_png(1, 64, 64)).pair("dev/null.png", rgb_png(2, 64, 64));
            },
        ),
        built_only(
            "broken-link",
            |folder| {
                folder.pair("a.png", rgb_png(1, 64, 64));
                link("gone.png", folder, "b.png");
                link("round.png", folder, "round.png");
            },
            |folder| {
                folder.pair("a.png", rgb_png(1, 64, 64));
                link("a.png", folder, "b.png");
            },
        ),
        built_only(
            "skipped-link",
            |folder| {
                folder.pair("a.png", rgb_png(1, 64, 64));
                link("a.png", folder, "b.png");
            },
            |folder| {
                // A second name of the same file is no link that could lead anywhere.
                folder.pair("a.png", rgb_png(1, 64, 64));
                std::fs::hard_link(folder.path().join("a.png"), folder.path().join("b.png")).expect("files can have two names");
            },
        ),
    ]
}

/// Folders in each other until no path is long enough, for root as for everybody: the lowest cannot be listed.
#[expect(clippy::disallowed_methods, reason = "the folders that are renamed are the test's own")]
fn too_deep(folder: &Folder) {
    folder.pair("a.png", rgb_png(1, 64, 64));
    let name = "d".repeat(250);
    let mut lowest = folder.path().to_owned();
    while std::fs::create_dir(lowest.join(&name)).is_ok() {
        lowest.push(&name);
    }
    for above in ["e", "f"] {
        let above = above.repeat(250);
        std::fs::create_dir(folder.path().join(&above)).expect("a folder can be made");
        let first = std::fs::read_dir(folder.path()).expect("the folder can be listed").flatten().map(|entry| entry.path());
        let first = first.into_iter().find(|path| path.is_dir() && !path.ends_with(&above)).expect("there is a folder to move");
        let moved = folder.path().join(&above).join(&name);
        std::fs::rename(first, moved).expect("a folder can be moved");
    }
}

#[cfg(unix)]
fn link(target: &str, folder: &Folder, name: &str) {
    std::os::unix::fs::symlink(target, folder.path().join(name)).expect("links can be made");
}

#[cfg(not(unix))]
fn link(_: &str, _: &Folder, _: &str) {}
