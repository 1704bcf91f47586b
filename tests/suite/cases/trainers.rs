//! Cases about what one trainer does: buckets, batches, captions it cannot do without, and its configuration.

use std::fs;
use std::path::Path;

use serde_json::Value;
use walkaround::model::{Level, RelPath};

use super::folder;
use crate::build::{Folder, jpeg, rgb_png};
use crate::support::{check_as, walkaround};

/// Pictures of these sizes, each so often, with captions of their own.
fn pictures(folder: &Folder, sizes: &[(u32, u32, u32)]) {
    let mut number = 0;
    for &(width, height, often) in sizes {
        for _ in 0..often {
            number += 1;
            folder.write(&format!("{number:02}.png"), rgb_png(number, width, height));
            folder.write(&format!("{number:02}.txt"), format!("picture number {number}"));
        }
    }
}

/// O34, `bmaltais/kohya_ss#1491`: a side under the step of the buckets.
#[test]
fn o34_a_side_under_a_step_has_no_bucket_whichever_side_it_is() {
    let (root, folder) = folder();
    folder.write("wide.jpg", jpeg(1, 400, 50, 90)).write("tall.jpg", jpeg(2, 50, 400, 90)).write("fine.jpg", jpeg(3, 512, 512, 90));
    let set = ["resolution=512", "enable_bucket=true", "bucket_no_upscale=true", "bucket_reso_steps=64"];
    let found = check_as(&root.path().join("set"), "kohya", &set);
    let findings = found.of("bucket-zero-side");
    let mut paths: Vec<&str> = findings.iter().flat_map(|finding| &finding.paths).map(RelPath::as_str).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["tall.jpg", "wide.jpg"], "{:#?}", found.brief());
    assert!(findings.iter().all(|finding| finding.level == Level::Error));
}

/// O35, tdrussell/diffusion-pipe#324: five shapes, none of which fills a batch of four.
#[test]
fn o35_where_no_bucket_fills_a_batch_nothing_is_trained_on() {
    let (root, folder) = folder();
    pictures(&folder, &[(512, 512, 1), (512, 341, 1), (341, 512, 1), (640, 320, 1), (320, 640, 1)]);
    let set = ["resolutions=512", "enable_ar_bucket=true", "min_ar=0.5", "max_ar=2.0", "num_ar_buckets=7", "micro_batch_size_per_gpu=4"];
    let found = check_as(&root.path().join("set"), "diffusion-pipe", &set);
    let findings = found.of("bucket-all-dropped");
    assert_eq!(findings.len(), 1, "{:#?}", found.brief());
    assert_eq!((findings[0].paths.len(), findings[0].level), (5, Level::Error));
    assert!(findings[0].message.starts_with("5 of 5 images in 5 buckets"), "{}", findings[0].message);
}

/// O36, bghira/SimpleTuner#484: buckets smaller than the batch.
#[test]
fn o36_buckets_smaller_than_the_batch_are_named_with_their_images() {
    let (root, folder) = folder();
    pictures(&folder, &[(256, 256, 30), (256, 384, 5), (448, 256, 3)]);
    let set = root.path().join("set");
    let underfilled = |batch: &str| {
        let found = check_as(&set, "simpletuner", &["resolution=256", batch]);
        found
            .of("bucket-underfilled")
            .iter()
            .filter(|finding| finding.level == Level::Error)
            .map(|finding| finding.paths.len())
            .collect::<Vec<_>>()
    };
    let mut counts = underfilled("train_batch_size=8");
    counts.sort_unstable();
    assert_eq!(counts, [3, 5]);
    assert!(underfilled("train_batch_size=1").is_empty());
}

/// O21, kohya-ss/musubi-tuner#875: without captions its dataset is empty, while sd-scripts trains.
#[test]
fn o21_without_captions_one_trainer_has_no_dataset_and_another_trains() {
    let (root, folder) = folder();
    for number in 0..14 {
        folder.write(&format!("{number:02}.png"), rgb_png(number, 64, 64));
    }
    let set = root.path().join("set");
    let level = |trainer| {
        let found = check_as(&set, trainer, &[]);
        let findings = found.of("missing-caption");
        assert_eq!((findings.len(), findings[0].paths.len()), (1, 14), "{trainer}: {:#?}", found.brief());
        findings[0].level
    };
    assert_eq!(level("musubi"), Level::Error);
    assert_eq!(level("kohya"), Level::Warning);
}

/// What a check of a configuration finds: code, message and exit code.
fn configured(root: &Path, config: &str) -> (Vec<(String, String)>, Option<i32>) {
    let output = walkaround(root, &["check", "--config", config, "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().expect("there are findings");
    (findings.iter().map(|finding| (text(&finding["code"]), text(&finding["message"]))).collect(), output.status.code())
}

/// O43, AkaneTendo25/musubi-tuner#65: backslashes of Windows in a basic string of TOML.
#[test]
fn o43_backslashes_are_an_error_of_the_parser_or_of_the_path() {
    let root = tempfile::tempdir().expect("there is room for a test folder");
    let write = |text: &str| fs::write(root.path().join("set.toml"), format!("[general]\nresolution = [960, 544]\n[[datasets]]\n{text}\n"));
    write(r#"image_directory = "C:\Users\me\img""#).expect("the file can be written");
    let (findings, code) = configured(root.path(), "set.toml");
    assert_eq!(code, Some(1));
    assert!(findings.iter().any(|(code, message)| code == "D102" && message.contains("line 4")), "{findings:?}");
    write(r#"image_directory = "C:\train\new""#).expect("the file can be written");
    let (findings, _) = configured(root.path(), "set.toml");
    assert!(findings.iter().any(|(code, _)| code == "D104"), "{findings:?}");
}

/// A configuration of two datasets: their folders are checked with their own settings, and no other folder is.
#[test]
fn a_configuration_names_the_folders_and_their_settings() {
    let root = tempfile::tempdir().expect("there is room for a test folder");
    let folder = Folder::at(root.path());
    folder.write("cats/a.png", rgb_png(1, 640, 480)).write("cats/a.caption", "a cat");
    folder.write("dogs/b.png", rgb_png(2, 480, 640)).write("dogs/b.caption", "a dog");
    folder.write("other/c.png", rgb_png(3, 64, 64));
    let config = "[general]\nenable_bucket = true\n\n[[datasets]]\nresolution = 512\nbatch_size = 2\n\n  [[datasets.subsets]]\n  image_dir = 'cats'\n  \
                  num_repeats = 3\n\n  [[datasets.subsets]]\n  image_dir = 'dogs'\n";
    folder.write("set.toml", config);
    let output = walkaround(root.path(), &["buckets", "--config", "set.toml", "--format", "jsonl"]);
    let lines: Vec<Value> =
        String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    // 640x480 at 512x512 goes to 576x448, as in the trainer's own answers; subsets of a dataset share its buckets.
    let seen: Vec<_> =
        lines.iter().map(|line| (line["bucket"].to_string(), line["taken"].to_string(), line["paths"][0].to_string())).collect();
    assert_eq!(
        seen,
        [
            ("[576,448]".to_owned(), "3".to_owned(), "\"cats/a.png\"".to_owned()),
            ("[448,576]".to_owned(), "1".to_owned(), "\"dogs/b.png\"".to_owned())
        ],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A folder that two datasets spell differently is one to the walk, and each dataset keeps its own settings.
#[test]
fn a_folder_spelt_twice_keeps_the_settings_of_both() {
    let root = tempfile::tempdir().expect("there is room for a test folder");
    let folder = Folder::at(root.path());
    folder.write("a/a.png", rgb_png(1, 640, 480)).write("b/b.png", rgb_png(2, 640, 480));
    let dataset = |path: &str, resolution| format!("        - folder_path: \"{path}\"\n          resolution: [{resolution}]\n");
    let datasets = [("a", 512), ("./a", 256), ("b", 1024)].map(|(path, resolution)| dataset(path, resolution)).concat();
    let config = format!(
        "job: extension\nconfig:\n  name: \"x\"\n  process:\n    - type: \"sd_trainer\"\n      datasets:\n{datasets}      model:\n        arch: \"flux2\"\n"
    );
    folder.write("config.yaml", config);
    let output = walkaround(root.path(), &["buckets", "--config", "config.yaml", "--format", "jsonl"]);
    let buckets: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).expect("a line is JSON");
            format!("{} in {}", line["paths"][0].as_str().unwrap_or_default(), line["bucket"])
        })
        .collect();
    assert_eq!(
        buckets,
        ["a/a.png in [576,448]", "a/a.png in [288,224]", "b/b.png in [640,480]"],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
