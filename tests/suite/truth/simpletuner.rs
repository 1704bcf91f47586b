//! `SimpleTuner`: where pictures go, and where else they may go.

use std::collections::BTreeMap;

use toml::Value;
use walkaround::model::{Placement, Size};
use walkaround::trainers::{self, Setting, Trainer};

use super::rows;

const BUCKETS: &str = "simpletuner_buckets_truth.csv";
const STATEFUL: &str = "simpletuner_buckets_stateful.csv";

type Row = BTreeMap<String, String>;

fn number(row: &Row, column: &str) -> u32 {
    row[column].parse().expect("the column is a number")
}

fn size(row: &Row, kind: &str) -> Size {
    Size::new(number(row, &format!("{kind}_width")), number(row, &format!("{kind}_height")))
}

fn with(settings: &[(&str, Value)]) -> Box<dyn Trainer> {
    let mut trainer = trainers::find("simpletuner").expect("the trainer is known");
    for (key, value) in settings {
        trainer.set(&Setting::new(key, value)).expect("the setting is valid");
    }
    trainer
}

/// The settings of a row: the resolution as users write it stands in the name, such as `pixel_area_480_nocrop_a32`.
fn trainer(row: &Row) -> Box<dyn Trainer> {
    let setting = &row["setting"];
    let (unit, rest) = ["pixel_area_", "pixel_", "area_"]
        .into_iter()
        .find_map(|unit| Some((unit.trim_end_matches('_'), setting.strip_prefix(unit)?)))
        .expect("the name begins with the unit");
    let resolution = rest.split('_').next().expect("a number follows");
    let resolution: Value =
        resolution.parse::<i64>().map_or_else(|_| resolution.parse::<f64>().expect("it is a number").into(), Value::from);
    let crop = row["crop"] == "1";
    let mut settings = vec![
        ("resolution", resolution),
        ("resolution_type", unit.into()),
        ("crop", crop.into()),
        ("crop_style", "center".into()),
        ("aspect_bucket_alignment", i64::from(number(row, "alignment")).into()),
        ("aspect_bucket_rounding", i64::from(number(row, "aspect_rounding")).into()),
    ];
    if crop {
        settings.push(("crop_aspect", row["crop_aspect"].as_str().into()));
    }
    if row["crop_aspect"] == "closest" {
        settings.push(("crop_aspect_buckets", Value::Array([0.5, 0.75, 1.0, 1.5, 2.0].map(Value::from).to_vec())));
    }
    with(&settings)
}

#[test]
fn simpletuner_places_pictures_as_it_does() {
    let Some(rows) = rows(BUCKETS) else { return };
    let right = rows.iter().filter(|row| {
        let placed = trainer(row).place(size(row, "src"), 0);
        let is_right = match &placed {
            Err(unplaced) => unplaced.error == row["error"],
            Ok(placed) => {
                row["error"].is_empty()
                    && *placed
                        == Placement {
                            bucket: size(row, "target"),
                            resized: size(row, "intermediary"),
                            crop: [number(row, "crop_left"), number(row, "crop_top")],
                        }
            }
        };
        if !is_right {
            println!("{row:?}: {placed:?}");
        }
        is_right
    });
    let (right, all) = (right.count(), rows.len());
    println!("{BUCKETS}: {right} of {all}");
    assert_eq!(right, all);
}

/// The first of a sequence goes where it goes alone; the second one goes to one of its alternatives.
#[test]
fn simpletuner_knows_where_else_a_picture_may_go() {
    let Some(rows) = rows(STATEFUL) else { return };
    let trainer = with(&[("resolution_type", "pixel_area".into()), ("resolution", 1024.into()), ("aspect_bucket_alignment", 16.into())]);
    let sizes: Vec<Size> = rows.iter().map(|row| size(row, "src")).collect();
    let deciding = trainer.deciding_sizes(&sizes);
    let right = rows.iter().filter(|row| {
        let picture = size(row, "src");
        let mut possible = trainer.alternatives(picture, &deciding);
        if row["index"] == "0" {
            possible = vec![trainer.place(picture, 0).expect("it has a place")];
        }
        possible.iter().any(|placed| (placed.bucket, placed.resized) == (size(row, "target"), size(row, "intermediary")))
    });
    let (right, all) = (right.count(), rows.len());
    println!("{STATEFUL}: {right} of {all}");
    assert_eq!(right, all);
}
