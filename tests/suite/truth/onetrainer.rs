//! `OneTrainer`: the buckets, and where pictures go.

use std::collections::BTreeMap;

use toml::Value;
use walkaround::model::Size;
use walkaround::trainers::{self, Setting, Trainer};

use super::rows;

const BUCKETS: &str = "onetrainer_buckets_truth.csv";
const LISTS: &str = "onetrainer_bucket_lists.csv";

fn number(row: &BTreeMap<String, String>, column: &str) -> u32 {
    row[column].parse().expect("the column is a number")
}

fn trainer(row: &BTreeMap<String, String>) -> Box<dyn Trainer> {
    let mut trainer = trainers::find("onetrainer").expect("the trainer is known");
    let resolution = &row["target_resolution"];
    let settings = [
        ("resolution", resolution.parse::<i64>().map_or_else(|_| Value::from(resolution.as_str()), Value::from)),
        ("aspect_ratio_bucketing", Value::from(true)),
        ("enable_crop_jitter", Value::from(false)),
        ("aspect_bucketing_quantization", Value::from(i64::from(number(row, "quantization")))),
    ];
    for (key, value) in &settings {
        trainer.set(&Setting::new(key, value)).expect("the setting is valid");
    }
    trainer
}

#[test]
fn onetrainer_places_pictures_as_it_does() {
    let Some(rows) = rows(BUCKETS) else { return };
    let right = rows.iter().filter(|row| {
        let size = |width, height| Size::new(number(row, width), number(row, height));
        let placed = trainer(row).place(size("src_width", "src_height"), 0).expect("every picture has a place");
        let expected = (
            size("crop_width", "crop_height"),
            size("scale_width", "scale_height"),
            [number(row, "center_x_offset"), number(row, "center_y_offset")],
        );
        let is_right = (placed.bucket, placed.resized, placed.crop) == expected;
        if !is_right {
            println!("{row:?}: {placed:?}");
        }
        is_right
    });
    let (right, all) = (right.count(), rows.len());
    println!("{BUCKETS}: {right} of {all}");
    assert_eq!(right, all);
}

/// A picture of exactly a bucket's size goes into that bucket; and one halfway between two buckets, the distance being a plain
/// difference of height by width, goes into the one that is listed first.
#[test]
fn onetrainer_lists_buckets_as_it_does() {
    let Some(rows) = rows(LISTS) else { return };
    let mut lists: BTreeMap<(u32, u32), Vec<&BTreeMap<String, String>>> = BTreeMap::new();
    for row in &rows {
        lists.entry((number(row, "target_resolution"), number(row, "quantization"))).or_default().push(row);
    }
    let (mut right, mut ties) = (0, 0);
    for list in lists.values() {
        let trainer = trainer(list[0]);
        let sizes: Vec<Size> = list.iter().map(|row| Size::new(number(row, "bucket_width"), number(row, "bucket_height"))).collect();
        let nearest = |aspect: f64| {
            let distance = |size: &&Size| (f64::from(size.height) / f64::from(size.width) - aspect).abs();
            sizes.iter().min_by(|one, other| distance(one).total_cmp(&distance(other))).copied()
        };
        let agrees = |picture: Size| {
            let placed = trainer.place(picture, 0).expect("every picture has a place").bucket;
            Some(placed) == nearest(f64::from(picture.height) / f64::from(picture.width))
        };
        right += sizes.iter().filter(|size| agrees(**size)).count();
        for (at, one) in sizes.iter().enumerate() {
            for other in &sizes[at + 1..] {
                // Halfway between h1/w1 and h2/w2, written with whole sides.
                let halfway = Size::new(2 * one.width * other.width, one.height * other.width + other.height * one.width);
                assert!(agrees(halfway), "{one} and {other}");
                ties += 1;
            }
        }
    }
    println!("{LISTS}: {right} of {}, and {ties} pictures halfway between two", rows.len());
    assert_eq!(right, rows.len());
}
