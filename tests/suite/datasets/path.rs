//! Sample datasets of family P.

use super::Recipe;
use crate::build::rgb_png;

pub(super) fn recipes() -> Vec<Recipe> {
    // What differs in case only, or is very long, cannot be checked out everywhere.
    let built_only = |check, fires, quiet| Recipe { is_committed: false, ..Recipe::new(check, fires, quiet) };
    vec![
        Recipe::new(
            "path-not-portable",
            |folder| {
                folder.pair("tränade/10_x/a.png", rgb_png(1, 64, 64)).pair("tränade/10_x/b.png", rgb_png(2, 64, 64));
            },
            |folder| {
                folder.pair("console/com0.png", rgb_png(1, 64, 64)).pair("a b/c (1) [2] {3}.png", rgb_png(2, 64, 64));
            },
        ),
        Recipe::new(
            "path-glob-characters",
            |folder| {
                for n in 0..5 {
                    folder.pair(&format!("set [v2]/10_cat/{n}.png"), rgb_png(n, 64, 64));
                }
            },
            |folder| {
                folder.pair("set (v2)/10_cat/a!b].png", rgb_png(1, 64, 64));
            },
        ),
        built_only(
            "path-too-long",
            |folder| {
                let name = "a portrait of a cat, masterpiece, best quality".repeat(4);
                folder.pair(&format!("{}/{name}.png", "d".repeat(100)), rgb_png(1, 64, 64));
            },
            |folder| {
                folder.pair(&format!("{}.png", "n".repeat(60)), rgb_png(1, 64, 64));
            },
        ),
        built_only(
            "case-collision",
            |folder| {
                folder.pair("Cat.png", rgb_png(1, 64, 64)).pair("cat.png", rgb_png(2, 64, 64));
            },
            |folder| {
                folder.pair("a/Cat.png", rgb_png(1, 64, 64)).pair("b/cat.png", rgb_png(2, 64, 64)).pair("b/cats.png", rgb_png(3, 64, 64));
            },
        ),
        Recipe::new(
            "folder-pattern",
            |folder| {
                folder.pair("100 Testtraining/a.png", rgb_png(1, 64, 64));
            },
            |folder| {
                folder.pair("2024-05 Trip/a.png", rgb_png(1, 64, 64)).pair("100 years.png", rgb_png(2, 64, 64));
            },
        ),
        Recipe::new(
            "wrong-root-level",
            |folder| {
                folder.pair("img/10_cat/a.png", rgb_png(1, 64, 64));
            },
            |folder| {
                folder.pair("10_cat/a.png", rgb_png(1, 64, 64)).pair("5_dog/img/b.png", rgb_png(2, 64, 64));
            },
        ),
    ]
}
