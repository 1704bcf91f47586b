//! diffusion-pipe: where it puts pictures. Rows for clips, whose frames no picture has, are for the unit tests.

use toml::Value;
use walkaround::model::Size;
use walkaround::trainers::{self, Setting};

use super::rows;

const FILE: &str = "diffusion_pipe_buckets_truth.csv";

#[test]
fn diffusion_pipe_places_pictures_as_it_does() {
    let Some(rows) = rows(FILE) else { return };
    let pictures: Vec<_> = rows.iter().filter(|row| row["frames_at_model_fps"] == "1").collect();
    let right = pictures.iter().filter(|row| {
        let number = |column: &str| row[column].parse::<u32>().expect("the column is a number");
        let aspects: Vec<f64> = row["ars"].split(' ').map(|aspect| aspect.parse().expect("an aspect is a number")).collect();
        let frames: Vec<i64> = row["frame_buckets"].split(' ').map(|frames| frames.parse().expect("frames are a number")).collect();
        let settings = [
            ("resolutions", Value::from(vec![row["resolution"].parse::<f64>().expect("the column is a number")])),
            ("enable_ar_bucket", Value::from(aspects.len() > 1)),
            ("ar_buckets", Value::from(aspects)),
            ("frame_buckets", Value::from(frames)),
            ("pixels_round_to_multiple", Value::from(i64::from(number("round_to")))),
        ];
        let mut trainer = trainers::find("diffusion-pipe").expect("the trainer is known");
        for (key, value) in &settings {
            trainer.set(&Setting::new(key, value)).expect("the setting is valid");
        }
        let placed = trainer.place(Size::new(number("image_w"), number("image_h")), 0).expect("every picture has a place");
        let is_right = placed.bucket == Size::new(number("bucket_w"), number("bucket_h"));
        if !is_right {
            println!("{row:?}: {placed:?}");
        }
        is_right
    });
    let (right, all) = (right.count(), pictures.len());
    println!("{FILE}: {right} of {all} pictures");
    assert_eq!(right, all);
}
