//! Sample datasets of family M.

use super::Recipe;
use crate::build::{Folder, rgb_png};

pub(super) fn recipes() -> Vec<Recipe> {
    vec![
        Recipe::new(
            "metadata-name",
            |folder| {
                images(folder, &["a.png", "b.png"]);
                folder.write("metadata.json1", rows(&["a.png", "b.png"]));
            },
            |folder| {
                // A copy that an editor kept beside the real file.
                images(folder, &["a.png", "b.png"]);
                folder.write("metadata.jsonl", rows(&["a.png", "b.png"])).write("metadata.jsonl.bak", rows(&["a.png"]));
            },
        ),
        Recipe::new(
            "metadata-parse",
            |folder| {
                images(folder, &["a.png", "b.png"]);
                folder.write("metadata.csv", "file_name,text\na.png,a cat\nb.png,a cat, sitting\n");
            },
            |folder| {
                images(folder, &["a.png", "b.png"]);
                folder.write("metadata.csv", "\u{feff}file_name,text\r\na.png,6\" nails\r\nb.png,\"a \"\"big\"\" cat,\nsitting\"\r\n");
            },
        ),
        Recipe::new(
            "metadata-path-mismatch",
            |folder| {
                images(folder, &["train/a_1.png", "train/a_2.png", "train/a_3.png"]);
                folder.write("train/metadata.jsonl", rows(&["train/a_1.png", "train/a_2.png", "train/a_3.png"]));
            },
            |folder| {
                images(folder, &["train/a_1.png", "train/train/a_2.png"]);
                folder.write("train/metadata.jsonl", rows(&["./a_1.png", "train/a_2.png"]));
            },
        ),
        Recipe::new(
            "metadata-type",
            |folder| {
                images(folder, &["test1.png"]);
                folder.write("data.json", conversation("\"test1.png\""));
            },
            |folder| {
                images(folder, &["test1.png"]);
                folder.write("data.json", conversation("[\"test1.png\"]"));
            },
        ),
        Recipe::new(
            "metadata-missing-rows",
            |folder| {
                images(folder, &["a.png", "b.png", "c.png"]);
                folder.write("metadata.jsonl", rows(&["a.png", "b.png"]));
            },
            |folder| {
                // The folder beside it begins with the same letters.
                images(folder, &["set/a.png", "set2/b.png"]);
                folder.write("set/metadata.jsonl", rows(&["a.png"]));
            },
        ),
        Recipe::new(
            "metadata-null-caption",
            |folder| {
                images(folder, &["a.png", "b.png"]);
                folder.write("metadata.csv", "file_name,text\na.png,NA\nb.png,a cat\n");
            },
            |folder| {
                // Only the exact spellings are null.
                images(folder, &["a.png", "b.png"]);
                folder.write("metadata.csv", "file_name,text\na.png,Na\nb.png,none\n");
            },
        ),
    ]
}

fn images(folder: &Folder, names: &[&str]) {
    for (seed, name) in (1..).zip(names) {
        folder.write(name, rgb_png(seed, 64, 64));
    }
}

/// JSON lines of imagefolder.
fn rows(names: &[&str]) -> String {
    let lines: Vec<String> =
        names.iter().map(|name| format!("{{\"file_name\": \"{name}\", \"text\": \"a drawing called {name}\"}}\n")).collect();
    lines.concat()
}

/// One conversation with one placeholder.
fn conversation(images: &str) -> String {
    format!(
        "[{{\"messages\": [{{\"role\": \"user\", \"content\": \"<image>what?\"}}, {{\"role\": \"assistant\", \"content\": \"a drawing\"}}], \"images\": {images}}}]\n"
    )
}
