//! ai-toolkit: buckets since 2026-05-28, and before.

use std::collections::BTreeMap;

use toml::Value;
use walkaround::model::Size;
use walkaround::trainers::{self, Setting};

use super::rows;

fn number(row: &BTreeMap<String, String>, column: &str) -> u32 {
    row[column].parse().expect("the column is a number")
}

/// Checks every row of a file, with one more setting.
#[expect(clippy::print_stdout, reason = "the count is the result")]
fn check(file: &str, trainer: &str, more: &[(&str, Value)]) {
    let Some(rows) = rows(file) else { return };
    let right = rows.iter().filter(|row| {
        let mut trainer = trainers::find(trainer).expect("the trainer is known");
        let square = row.get("square_crop").is_some_and(|square| square == "1");
        let settings = [
            ("resolution", Value::from(i64::from(number(row, "resolution")))),
            ("bucket_divisibility", Value::from(i64::from(number(row, "divisibility")))),
            ("square_crop", Value::from(square)),
        ];
        for (key, value) in settings.iter().chain(more) {
            trainer.set(&Setting::new(key, value)).expect("the setting is valid");
        }
        let size = |width, height| Size::new(number(row, width), number(row, height));
        let placed = trainer.place(size("src_width", "src_height"), 0).expect("every picture has a place");
        let expected = (
            size("bucket_width", "bucket_height"),
            size("scale_to_width", "scale_to_height"),
            [number(row, "crop_x"), number(row, "crop_y")],
        );
        let is_right = (placed.bucket, placed.resized, placed.crop) == expected;
        if !is_right {
            println!("{row:?}: {placed:?}");
        }
        is_right
    });
    let (right, all) = (right.count(), rows.len());
    println!("{file}: {right} of {all}");
    assert_eq!(right, all);
}

#[test]
fn ai_toolkit_places_pictures_as_it_does() {
    check("aitoolkit_buckets_truth.csv", "ai-toolkit", &[]);
}

#[test]
fn ai_toolkit_placed_pictures_as_it_did() {
    check("aitoolkit_buckets_legacy_truth.csv", "ai-toolkit@legacy", &[]);
    check("aitoolkit_buckets_legacy_truth.csv", "ai-toolkit", &[("bucket_algorithm", Value::from("legacy"))]);
}
