//! musubi-tuner: bucket lists, where pictures go, and the sizes of control images.

use std::collections::BTreeMap;

use toml::Value;
use walkaround::model::Size;
use walkaround::trainers::musubi::{Extraction, bucket_list, clips, control_size, kept_frames, rounded_targets};
use walkaround::trainers::{self, Setting, Trainer};

use crate::corpus::shared;

use super::{grouped, misplaced, number, rows, size};

const BUCKETS: &str = "musubi_buckets_truth.csv";
const LISTS: &str = "musubi_bucket_lists.csv";
const CLIPS: &str = "musubi_video_clips_truth.csv";
const RATES: &str = "musubi_fps_truth.json";

fn trainer(row: &BTreeMap<String, String>) -> Box<dyn Trainer> {
    let mut trainer = trainers::find("musubi").expect("the trainer is known");
    let whole = |column| Value::from(i64::from(number(row, column)));
    let settings = [
        ("resolution", Value::from(vec![whole("res_w"), whole("res_h")])),
        ("enable_bucket", Value::from(row["enable_bucket"] == "1")),
        ("bucket_no_upscale", Value::from(row["bucket_no_upscale"] == "1")),
        ("architecture", Value::from(row["arch"].as_str())),
    ];
    for (key, value) in &settings {
        trainer.set(&Setting::new(key, value)).expect("the setting is valid");
    }
    assert_eq!(trainer.profile().bucket_step, number(row, "reso_steps"));
    trainer
}

#[test]
fn musubi_places_pictures_as_it_does() {
    let Some(rows) = rows(BUCKETS) else { return };
    let wrong = misplaced(&rows, ["crop_left", "crop_top"], trainer);
    println!("{BUCKETS}: {} of {}", rows.len() - wrong.len(), rows.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn musubi_scales_control_images_as_it_does() {
    let Some(rows) = rows(BUCKETS) else { return };
    for row in &rows {
        let scaled = control_size(size(row, "image_w", "image_h"), Size::new(1024, 1024), number(row, "reso_steps"));
        if row["ctrl1024_h"].is_empty() {
            let error = scaled.expect_err(&format!("{row:?}")).error;
            assert!(error.starts_with(&row["ctrl1024_w"]), "{row:?}: {error}");
        } else {
            assert_eq!(scaled, Ok(size(row, "ctrl1024_w", "ctrl1024_h")), "{row:?}");
        }
    }
    println!("{BUCKETS}, control images: {} of {}", rows.len(), rows.len());
}

#[test]
fn musubi_lists_buckets_as_it_does() {
    let Some(rows) = rows(LISTS) else { return };
    let mut right = 0;
    for (setting, rows) in grouped(&rows, "setting") {
        let expected: Vec<Size> = rows.iter().map(|row| size(row, "bucket_w", "bucket_h")).collect();
        let resolution = size(rows[0], "res_w", "res_h");
        // Without buckets the list is the resolution alone, which the placements show.
        if expected != [resolution] {
            assert_eq!(bucket_list(resolution, number(rows[0], "steps")).as_deref(), Ok(&*expected), "{setting}");
        }
        right += rows.len();
    }
    println!("{LISTS}: {right} of {}", rows.len());
}

/// How clips are taken; `None` for `full` without a number of frames, which no one can ask for here.
fn extraction(row: &BTreeMap<String, String>) -> Option<Extraction> {
    Some(match row["frame_extraction"].as_str() {
        "head" => Extraction::Head,
        "chunk" => Extraction::Chunk,
        "slide" => Extraction::Slide { stride: number(row, "frame_stride") },
        "uniform" => Extraction::Uniform { samples: number(row, "frame_sample") },
        "full" => Extraction::Full { most: row["max_frames"].parse().ok()? },
        other => panic!("no extraction is called {other}"),
    })
}

#[test]
fn musubi_takes_clips_as_it_does() {
    let Some(rows) = rows(CLIPS) else { return };
    let mut right = 0;
    for row in &rows {
        let Some(extraction) = extraction(row) else {
            assert!(row["error"].starts_with("TypeError"), "{row:?}");
            continue;
        };
        let targets: Vec<u32> = row["target_frames"].split(' ').map(|target| target.parse().expect("a number")).collect();
        let targets = rounded_targets(&targets);
        match clips(extraction, &targets, number(row, "n_decoded_frames_in_file")) {
            Ok(clips) => {
                let mut clips: Vec<_> = clips.collect();
                clips.sort_unstable();
                let names = clips.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
                let (first, last) = row["clips"].split_once("...").unwrap_or((&row["clips"], &row["clips"]));
                assert!(names.starts_with(first) && names.ends_with(last), "{row:?}: {names}");
                assert_eq!(clips.len(), usize::try_from(number(row, "n_clips")).expect("it fits"), "{row:?}");
                clips.dedup();
                assert_eq!(clips.len(), usize::try_from(number(row, "n_unique_cache_files")).expect("it fits"), "{row:?}");
            }
            Err(error) => assert_eq!(error, row["error"], "{row:?}"),
        }
        right += 1;
    }
    println!("{CLIPS}: {right} of {} (the others are `full` without max_frames, a TypeError)", rows.len());
}

#[test]
fn musubi_changes_frame_rates_as_it_does() {
    let Some(path) = shared(&format!("truth/{RATES}")) else { return };
    let text = std::fs::read_to_string(path).expect("the file can be read");
    let truth: BTreeMap<String, Vec<u32>> = serde_json::from_str(&text).expect("the file is JSON");
    for (case, expected) in &truth {
        let (rates, range) = case.split_once(' ').unwrap_or((case, ""));
        let (source, target) = rates.split_once("->").expect("two rates");
        let rate = |text: &str| text.parse::<f64>().expect("a rate");
        let end = if range.is_empty() { u64::MAX } else { 17 };
        let kept: Vec<u32> =
            kept_frames(rate(source), rate(target), 40).take_while(|kept| kept.target < end).map(|kept| kept.source).collect();
        assert_eq!(&kept, expected, "{case}");
    }
    assert!(!truth.is_empty());
    println!("{RATES}: {} of {}", truth.len(), truth.len());
}
