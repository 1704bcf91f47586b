//! `walkaround locate` on the worked datasets: what can be proved of a step, and what cannot.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::walkaround;

fn worked(trainer: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_datasets/trainers").join(trainer)
}

fn located(trainer: &str, args: &[&str]) -> Value {
    let output = walkaround(&worked(trainer), &[&["locate", "--format", "json"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the answer is JSON")
}

#[test]
fn the_batches_of_a_run_follow_from_its_seed_and_their_order_from_the_samplers() {
    let run = ["--config", "dataset.toml", "--step", "2", "--seed", "42"];
    let among = located("kohya", &run);
    // Three pictures of three shapes, twice each, in batches of two.
    assert_eq!((&among["known"], &among["count"], among["batches"].as_array().map(Vec::len)), (&"among".into(), &1.into(), Some(3)));
    let exact = located("kohya", &[&run[..], &["--sampler-seed", "7"]].concat());
    assert_eq!((&exact["known"], exact["batches"].as_array().map(Vec::len)), (&"exact".into(), Some(1)));
    let batches = among["batches"].as_array().expect("there are batches");
    assert!(batches.contains(&exact["batches"][0]), "{exact} is none of {among}");
}

#[test]
fn what_cannot_be_known_is_said_with_the_reason() {
    let why = |trainer, config| {
        let answer = located(trainer, &["--config", config, "--step", "1"]);
        assert_eq!((&answer["known"], &answer["count"]), (&"unknown".into(), &0.into()), "{answer}");
        answer["why"].as_str().expect("there is a reason").to_owned()
    };
    assert!(why("kohya", "dataset.toml").contains("--seed"));
    assert!(why("musubi", "dataset.toml").contains("order in which the file system lists"));
    assert!(why("onetrainer", "config.json").contains("module"));
}

#[test]
fn the_order_of_onetrainer_follows_from_the_place_of_one_module() {
    let step = |step: &str| located("onetrainer", &["--config", "config.json", "--module", "30", "--step", step])["batches"][0][0].clone();
    let mut pass: Vec<String> = ["1", "2", "3"].map(|number| step(number).as_str().unwrap_or_default().to_owned()).to_vec();
    pass.sort_unstable();
    assert_eq!(pass, ["nearly_square.png", "small.png", "wide.png"]);
}
