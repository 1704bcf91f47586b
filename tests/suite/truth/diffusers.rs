//! diffusers: where the `DreamBooth` scripts put pictures.

use toml::Value;
use walkaround::model::Size;
use walkaround::trainers::{self, Setting};

use super::rows;

const FILE: &str = "diffusers_buckets_truth.csv";

/// The list that the rows with buckets of one's own were made with, heights first.
const KONTEXT: &str = "672,1568;688,1504;720,1456;752,1392;800,1328;832,1248;880,1184;944,1104;1024,1024;1104,944;1184,880;1248,832;\
                       1328,800;1392,752;1456,720;1504,688;1568,672";

#[test]
fn diffusers_places_pictures_as_it_does() {
    let Some(rows) = rows(FILE) else { return };
    let right = rows.iter().filter(|row| {
        let number = |column: &str| row[column].parse::<u32>().expect("the column is a number");
        let size = |width, height| Size::new(number(width), number(height));
        let mut settings = vec![
            ("resolution", Value::from(i64::from(number("resolution")))),
            ("use_aspect_ratio_buckets", Value::from(row["mode"] != "square")),
        ];
        if row["mode"].starts_with("explicit") {
            settings.push(("aspect_ratio_buckets", Value::from(KONTEXT)));
        }
        let mut trainer = trainers::find("diffusers").expect("the trainer is known");
        for (key, value) in &settings {
            trainer.set(&Setting::new(key, value)).expect("the setting is valid");
        }
        let placed = trainer.place(size("src_width", "src_height"), 0).expect("every picture has a place");
        let is_right = (placed.bucket, placed.resized) == (size("bucket_width", "bucket_height"), size("resize_width", "resize_height"));
        if !is_right {
            println!("{row:?}: {placed:?}");
        }
        is_right
    });
    let (right, all) = (right.count(), rows.len());
    println!("{FILE}: {right} of {all}");
    assert_eq!(right, all);
}
