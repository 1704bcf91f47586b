//! Sample datasets of family D.

use super::Recipe;
use crate::build::rgb_png;

pub(super) fn recipes() -> Vec<Recipe> {
    vec![Recipe::new(
        "empty-dataset",
        |folder| {
            folder.write("a.txt", "a drawing without its image").write("metadata.jsonl", "{\"file_name\": \"a.png\", \"text\": \"a\"}\n");
        },
        |folder| {
            folder.write("deep/er/a.png", rgb_png(1, 64, 64));
        },
    )]
}
