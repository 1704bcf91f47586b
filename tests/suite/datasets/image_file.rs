//! Sample datasets of the checks of family F that look at what is in a file.

use image::DynamicImage;
use image::imageops::rotate90;

use super::Recipe;
use crate::build::{jpeg, picture, png, rgb_png, with_png_chunk};

const LFS_POINTER: &str = "version https://git-lfs.github.com/spec/v1\n\
    oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

pub(super) fn recipes() -> Vec<Recipe> {
    vec![
        Recipe::new(
            "not-an-image",
            |folder| {
                folder
                    .pair("page.jpg", "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n")
                    .pair("pointer.png", LFS_POINTER)
                    .pair("good.png", rgb_png(1, 96, 96));
            },
            |folder| {
                // A wrong name, a file without bytes, and a text that does not claim to be an image.
                folder.pair("renamed.png", jpeg(1, 96, 96, 80)).pair("empty.jpg", "").write("notes.md", "# Notes\n");
            },
        ),
        Recipe::new(
            "extension-mismatch",
            |folder| {
                folder.pair("photo.png", jpeg(1, 96, 96, 80)).pair("good.png", rgb_png(2, 96, 96));
            },
            |folder| {
                folder.pair("a.JPG", jpeg(1, 96, 96, 80)).pair("b.jpeg", jpeg(2, 96, 96, 80)).pair("c.jfif", jpeg(3, 96, 96, 80));
            },
        ),
        Recipe::new(
            "duplicate-content",
            |folder| {
                folder.pair("cat.png", rgb_png(1, 96, 96)).pair("more/cat (1).png", rgb_png(1, 96, 96)).pair("dog.png", rgb_png(2, 96, 96));
            },
            |folder| {
                // The same pixels, and other bytes.
                let cat = rgb_png(1, 96, 96);
                folder.pair("cat.png", &cat).pair("cat_2.png", with_png_chunk(&cat, b"tEXt", b"Comment\0another file"));
            },
        ),
        Recipe::new(
            "near-duplicate",
            |folder| {
                folder
                    .pair("cat.png", rgb_png(1, 192, 192))
                    .pair("cat_small.jpg", jpeg(1, 144, 144, 60))
                    .pair("dog.png", rgb_png(2, 192, 192));
            },
            |folder| {
                // The same colours in another place.
                let turned: DynamicImage = rotate90(&picture(1, 192, 192)).into();
                folder.pair("cat.png", rgb_png(1, 192, 192)).pair("cat_turned.png", png(&turned));
            },
        ),
    ]
}
