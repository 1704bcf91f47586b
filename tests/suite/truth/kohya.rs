//! sd-scripts: bucket lists, and where pictures go.

use std::collections::BTreeMap;

use toml::Value;
use walkaround::model::Size;
use walkaround::trainers::kohya::{Sides, bucket_list};
use walkaround::trainers::{self, Setting, Trainer};

use super::{grouped, misplaced, number, rows, size};

const BUCKETS: &str = "kohya_buckets_truth.csv";
const LISTS: &str = "kohya_bucket_lists.csv";

fn trainer(row: &BTreeMap<String, String>) -> Box<dyn Trainer> {
    let mut trainer = trainers::find("kohya").expect("the trainer is known");
    let whole = |column| Value::from(i64::from(number(row, column)));
    let settings = [
        ("resolution", Value::from(vec![whole("res_w"), whole("res_h")])),
        ("enable_bucket", Value::from(row["enable_bucket"] == "1")),
        ("bucket_no_upscale", Value::from(row["bucket_no_upscale"] == "1")),
        ("min_bucket_reso", whole("min_bucket_reso")),
        ("max_bucket_reso", whole("max_bucket_reso")),
        ("bucket_reso_steps", whole("bucket_reso_steps")),
    ];
    for (key, value) in &settings {
        trainer.set(&Setting::new(key, value)).expect("the setting is valid");
    }
    trainer
}

#[test]
fn kohya_places_pictures_as_it_does() {
    let Some(rows) = rows(BUCKETS) else { return };
    let wrong = misplaced(&rows, ["trim_left", "trim_top"], trainer);
    println!("{BUCKETS}: {} of {}", rows.len() - wrong.len(), rows.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn kohya_lists_buckets_as_it_does() {
    let Some(rows) = rows(LISTS) else { return };
    let mut right = 0;
    for (setting, rows) in grouped(&rows, "setting") {
        let expected: Vec<Size> = rows.iter().map(|row| size(row, "bucket_w", "bucket_h")).collect();
        let resolution = size(rows[0], "res_w", "res_h");
        right += rows.len();
        // Without buckets the limits are not used, and the list is the resolution alone.
        if rows[0]["adj_min"].is_empty() {
            assert_eq!(expected, [resolution], "{setting}");
            continue;
        }
        let column = |name| number(rows[0], name);
        let sides = Sides { min: column("min"), max: column("max"), step: column("steps") }.adjusted();
        assert_eq!((sides.min, sides.max), (column("adj_min"), column("adj_max")), "{setting}");
        assert_eq!(bucket_list(resolution, sides).as_deref(), Ok(&*expected), "{setting}");
    }
    println!("{LISTS}: {right} of {}", rows.len());
}
