//! Category 3, names, paths, hidden files and duplicates.

use walkaround::model::Level;

use super::{folder, folder_called};
use crate::build::{jpeg, rgb_png};
use crate::support::{check, check_with};

const SMALL: &[&str] = &["resolution=64"];

// github.com/Linaqruf/kohya-trainer/issues/300: half of the images are AppleDouble companions.
#[test]
fn o25_apple_double_companions_are_one_finding() {
    let (_guard, set) = folder();
    let companion = [&[0, 5, 0x16, 7][..], &[0; 4092]].concat();
    for number in 0..38 {
        set.pair(&format!("DSC{number:05}.jpeg"), jpeg(number + 1, 64, 64, 90));
        set.write(&format!("__MACOSX/set/._DSC{number:05}.jpeg"), &companion);
    }
    let found = check_with(set.path(), SMALL);
    let finding = found.only("system-file");
    assert_eq!((finding.level, finding.paths.len()), (Level::Error, 38));
    assert!(finding.message.contains("AppleDouble"), "{}", finding.message);
    assert_eq!((found.summary.samples, found.summary.captioned), (38, 38));
    assert!(found.of("corrupt-image").is_empty() && found.of("not-an-image").is_empty() && found.of("missing-caption").is_empty());
    let errors = found.findings.iter().filter(|finding| finding.level == Level::Error).count();
    assert_eq!(errors, 1, "{:#?}", found.brief());
}

// github.com/d8ahazard/sd_dreambooth_extension/issues/64: Thumbs.db.
#[test]
fn o26_thumbnail_caches_and_folder_settings() {
    let (_guard, set) = folder();
    for number in 0..5 {
        set.pair(&format!("{number}.jpg"), jpeg(number + 1, 64, 64, 90));
    }
    set.write("Thumbs.db", [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).write("desktop.ini", "[.ShellClassInfo]\r\n");
    let found = check_with(set.path(), SMALL);
    let findings = found.of("system-file");
    assert_eq!(found.paths_of("system-file"), ["Thumbs.db", "desktop.ini"]);
    assert!(findings.iter().all(|finding| finding.level == Level::Warning));
}

// github.com/JoePenna/Dreambooth-Stable-Diffusion/issues/44: .ipynb_checkpoints inside the image folder.
#[test]
fn o27_a_jupyter_folder_with_a_copy() {
    let (_guard, set) = folder();
    let image = rgb_png(1, 64, 64);
    set.pair("a.png", &image).write(".ipynb_checkpoints/a-checkpoint.png", &image);
    let found = check_with(set.path(), SMALL);
    let finding = found.only("junk-folder");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &[".ipynb_checkpoints".into()][..]));
    assert_eq!(found.summary.samples, 1);
}

// github.com/bmaltais/kohya_ss/issues/217: upper-case extensions are dropped by some filters.
#[test]
fn o28_upper_case_extensions() {
    let (_guard, set) = folder();
    for number in 0..10 {
        set.pair(&format!("{number}.{}", if number < 6 { "jpg" } else { "JPG" }), jpeg(number + 1, 64, 64, 90));
    }
    let found = check_with(set.path(), SMALL);
    let finding = found.only("ignored-extension");
    assert_eq!((finding.level, finding.paths.len()), (Level::Warning, 4));
    assert!(finding.message.contains("10") && finding.message.contains('6'), "{}", finding.message);
    assert!(found.paths_at(Level::Error).is_empty(), "{:#?}", found.brief());
}

// github.com/bmaltais/kohya_ss/issues/136: "100 name" instead of "100_name".
#[test]
fn o29_a_folder_that_nearly_follows_the_pattern() {
    let (_guard, set) = folder();
    set.pair("100 Testtraining/a.png", rgb_png(1, 64, 64));
    let found = check_with(set.path(), SMALL);
    let finding = found.only("folder-pattern");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &["100 Testtraining".into()][..]));
    assert!(finding.help.contains("100_Testtraining"), "{}", finding.help);
}

// github.com/bmaltais/kohya_ss/issues/3059: letters beyond ASCII in a parent folder.
#[test]
fn o31_a_root_path_beyond_ascii_is_said_once() {
    let (_guard, set, root) = folder_called("tränade/re-do/10_x");
    for number in 0..3 {
        set.pair(&format!("{number}.png"), rgb_png(number + 1, 64, 64));
    }
    for root in [root.as_path(), root.parent().expect("the folder has a parent")] {
        let found = check_with(root, SMALL);
        let finding = found.only("path-not-portable");
        assert_eq!(finding.level, Level::Warning);
        assert!(finding.message.contains("tränade"), "{}", finding.message);
    }
}

// github.com/ultralytics/ultralytics/issues/13063: brackets in a folder are a pattern to glob.
#[test]
fn o32_brackets_in_a_folder() {
    let (_guard, set) = folder();
    for number in 0..5 {
        set.pair(&format!("set [v2]/10_cat/{number}.png"), rgb_png(number + 1, 64, 64));
    }
    let found = check_with(set.path(), SMALL);
    let finding = found.only("path-glob-characters");
    assert_eq!(finding.level, Level::Warning);
    assert!(finding.message.contains("set [v2]"), "{}", finding.message);
    assert_eq!(found.summary.samples, 5);
    let inside = check_with(&set.path().join("set [v2]"), SMALL);
    assert_eq!((inside.summary.samples, inside.of("path-glob-characters").len()), (5, 1), "{:#?}", inside.brief());
}

// github.com/hollowstrawberry/kohya-colab/issues/185: two images of one stem share a cache file.
#[test]
fn o33_two_images_of_one_stem() {
    let (_guard, set) = folder();
    set.write("cat.png", rgb_png(1, 896, 1152)).write("cat.jpg", jpeg(2, 960, 1088, 80)).write("cat.txt", "a cat");
    let found = check(set.path());
    let finding = found.only("duplicate-stem");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &["cat.jpg".into(), "cat.png".into()][..]));
    assert_eq!(found.summary.samples, 2);
}
