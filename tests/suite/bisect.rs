//! Bisections from outside: planted culprits of each kind, kills at every state of the journal, and refusals.
//!
//! The trainer is this test binary itself, so that nothing else is needed; see [`pretend_to_train`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::build::{Folder, rgb_png};
use crate::support::walkaround;

const PROGRAM: &str = env!("CARGO_BIN_EXE_walkaround");

/// The trainer: reads everything as one would, and fails as the captions ask it to. Does nothing in an ordinary test run.
#[test]
fn pretend_to_train() {
    let Some(dataset) = std::env::var_os("WALKAROUND_DATASET") else { return };
    let mut files = Vec::new();
    collect(Path::new(&dataset), &mut files);
    let mut said = String::new();
    for file in &files {
        let bytes = fs::read(file).expect("the subset can be read");
        if file.extension().is_some_and(|extension| extension == "txt") {
            said.push_str(std::str::from_utf8(&bytes).unwrap_or_else(|error| panic!("UnicodeDecodeError: {error}")));
        } else {
            image::load_from_memory(&bytes).unwrap_or_else(|error| panic!("OSError: image file is truncated: {error}"));
        }
    }
    if let Ok(wait) = std::env::var("TRAIN_MS") {
        std::thread::sleep(Duration::from_millis(wait.parse().expect("it is a number")));
    }
    let own = std::process::id().to_string();
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).expect("time is after 1970").subsec_nanos();
    assert!(!said.contains("CRASH"), "CUDA error");
    assert!(!(said.contains("LEFT") && said.contains("RIGHT")), "the two do not go together");
    // Nanoseconds are multiples of larger numbers on some systems.
    assert!(!(said.contains("SOMETIMES") && (nanoseconds / 1000).count_ones().is_multiple_of(2)), "it happens");
    if said.contains("HANG") {
        std::thread::sleep(Duration::from_secs(600));
    }
    // The first one only takes the handler away that Rust sets for stack overflows.
    while said.contains("SEGV") {
        let _ = Command::new("/bin/sh").args(["-c", &format!("kill -SEGV {own}")]).status();
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
    files.sort();
}

/// `set` with so many samples, small ones.
fn set(count: u32) -> (tempfile::TempDir, Folder) {
    let temporary = tempfile::tempdir().expect("there is room for a test folder");
    let set = Folder::at(&temporary.path().join("set"));
    for number in 0..count {
        set.pair(&format!("10_cat/{number:03}.png"), rgb_png(number, 24, 24));
    }
    (temporary, set)
}

/// The trainer's command line.
fn trainer() -> [String; 4] {
    let own = std::env::current_exe().expect("a test knows its program");
    [own.display().to_string(), "bisect::pretend_to_train".to_owned(), "--exact".to_owned(), "--nocapture".to_owned()]
}

fn bisect(folder: &Path, options: &[&str]) -> Output {
    let trainer = trainer();
    let mut args = vec!["bisect", "run", "set", "--work", "work", "--quiet", "--grace", "0.2"];
    args.extend(options);
    args.push("--");
    args.extend(trainer.iter().map(String::as_str));
    walkaround(folder, &args)
}

fn status(folder: &Path) -> Value {
    let output = walkaround(folder, &["bisect", "status", "work", "--format", "json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs it, and compares the culprits.
fn finds(folder: &Path, options: &[&str], culprits: &[&[&str]]) -> Value {
    let output = bisect(folder, options);
    let status = status(folder);
    let all = format!("{status}\n{}\n{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{all}");
    assert_eq!(status["schema"], "walkaround.bisect/1");
    assert_eq!(status["state"], "proven", "{all}");
    assert_eq!(status["culprits"], serde_json::json!(culprits), "{all}");
    status
}

#[test]
fn a_truncated_image_among_200_is_proven() {
    let (folder, set) = set(200);
    let whole = rgb_png(7, 24, 24);
    set.write("10_cat/123.png", &whole[..whole.len() / 2]);
    let before = fs::read(set.path().join("10_cat/123.png")).expect("it is there");
    let status = finds(folder.path(), &[], &[&["10_cat/123.png"]]);
    assert!(status["trials"].as_u64().is_some_and(|trials| trials <= 14), "{status}");
    assert_eq!(before, fs::read(set.path().join("10_cat/123.png")).expect("it is there"));
    let quarantine = fs::read_to_string(folder.path().join("work/quarantine.txt")).expect("there is a list");
    assert!(quarantine.contains("123.png") && quarantine.contains("123.txt"), "{quarantine}");
    assert_eq!(fs::read_to_string(folder.path().join("work/clean.txt")).expect("there is a list").lines().count(), 199);
}

#[test]
fn a_caption_in_another_encoding_is_found() {
    let (folder, set) = set(20);
    set.write("10_cat/011.txt", b"caf\xe9");
    finds(folder.path(), &[], &[&["10_cat/011.png"]]);
}

#[test]
fn a_pair_is_found_as_a_pair() {
    let (folder, set) = set(12);
    set.write("10_cat/002.txt", "LEFT").write("10_cat/009.txt", "RIGHT");
    finds(folder.path(), &[], &[&["10_cat/002.png", "10_cat/009.png"]]);
}

#[cfg(unix)]
#[test]
fn a_segfault_is_bad_and_no_end_of_the_search() {
    let (folder, set) = set(10);
    set.write("10_cat/006.txt", "SEGV");
    finds(folder.path(), &[], &[&["10_cat/006.png"]]);
}

#[test]
fn a_hang_is_bad_when_its_time_is_over() {
    let (folder, set) = set(6);
    set.write("10_cat/003.txt", "HANG");
    finds(folder.path(), &["--timeout", "2s"], &[&["10_cat/003.png"]]);
}

#[test]
fn a_failure_that_comes_and_goes_blames_nobody_else() {
    let (folder, set) = set(8);
    set.write("10_cat/005.txt", "SOMETIMES");
    let output = bisect(folder.path(), &["--failure-rate", "0.5"]);
    let status = status(folder.path());
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{}", text(&output.stderr));
    if status["state"] == "proven" {
        assert_eq!(status["culprits"], serde_json::json!([["10_cat/005.png"]]));
    }
}

#[test]
fn a_set_that_passes_is_a_premise_that_fails() {
    let (folder, _set) = set(4);
    let output = bisect(folder.path(), &["--failure-rate", "1"]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert_eq!(status(folder.path())["state"], "premise-failed");
}

#[test]
fn good_samples_take_the_places_of_those_left_out() {
    let (folder, set) = set(8);
    set.write("10_cat/004.txt", "CRASH");
    Folder::at(&folder.path().join("good")).pair("g.png", rgb_png(900, 24, 24));
    finds(folder.path(), &["--known-good", "good"], &[&["10_cat/004.png"]]);
}

#[test]
fn a_dataset_that_changes_stops_the_search() {
    let (folder, set) = set(6);
    let start = walkaround(folder.path(), &["bisect", "start", "set", "--work", "work"]);
    assert_eq!(start.status.code(), Some(0), "{}", text(&start.stderr));
    set.write("10_cat/001.txt", "another caption than before");
    let output = walkaround(folder.path(), &["bisect", "bad", "--work", "work"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("has changed since the search began"), "{}", text(&output.stderr));
}

#[test]
fn a_person_can_answer_by_hand_and_take_it_back() {
    let (folder, set) = set(8);
    set.write("10_cat/006.txt", "CRASH");
    let run = |args: &[&str]| walkaround(folder.path(), &[&["bisect"], args].concat());
    let mut output = run(&["start", "set", "--work", "work"]);
    for turn in 0..30 {
        let said = text(&output.stdout);
        let Some(dataset) = said.lines().find_map(|line| line.strip_prefix("train on  ")) else { break };
        let fails = Path::new(dataset).read_dir().expect("it is there").any(|folder| {
            let caption = folder.expect("it can be listed").path().join("006.txt");
            fs::read_to_string(caption).is_ok_and(|caption| caption.contains("CRASH"))
        });
        if turn == 2 {
            assert_eq!(run(&["good", "--work", "work"]).status.code(), Some(0));
            assert_eq!(run(&["undo", "work"]).status.code(), Some(0));
        }
        output = run(&[if fails { "bad" } else { "good" }, "--work", "work"]);
    }
    assert!(text(&output.stdout).contains("culprit: 10_cat/006.png"), "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(status(folder.path())["state"], "proven");
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let (folder, _set) = set(3);
    let refused = |args: &[&str], reason: &str| {
        let output = walkaround(folder.path(), &[&["bisect"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(reason), "{args:?}: {}", text(&output.stderr));
    };
    refused(&["run", "set", "--work", "set/work", "--", "true"], "never written to");
    refused(&["run", "set", "--work", "w", "--bad-when", "(", "--", "true"], "no valid pattern");
    refused(&["run", "set", "--work", "w", "--", "no-such-program-at-all"], "failed to start `no-such-program-at-all`");
    refused(&["run", "set", "--work", "w", "--", "true"], "there is a bisection in");
    refused(&["status", "nowhere"], "nowhere");
    fs::write(folder.path().join("w/journal.jsonl"), "{}\n").expect("it can be written");
    refused(&["resume", "w"], "line 1");
}

/// Kills the program at growing times, so that every state of the journal is met, and resumes until it ends.
#[test]
fn kills_lose_no_trial_and_double_none() {
    let (folder, set) = set(16);
    set.write("10_cat/013.txt", "CRASH");
    let trainer = trainer();
    let mut args = vec!["bisect", "run", "set", "--work", "work", "--quiet", "--grace", "0.2", "--failure-rate", "1", "--"];
    args.extend(trainer.iter().map(String::as_str));
    let mut kills = 0;
    for turn in 0..200_u64 {
        let mut child = Command::new(PROGRAM)
            .args(&args)
            .current_dir(folder.path())
            .env("TRAIN_MS", "60")
            .env("WALKAROUND_CACHE_DIR", folder.path().join("cache"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        // The longest grows with each turn, so that a machine which has other things to do comes to an end as well.
        let until = Instant::now() + Duration::from_millis(150 + turn * 37 % 400 + turn * 8);
        while Instant::now() < until && child.try_wait().expect("it can be waited for").is_none() {
            std::thread::sleep(Duration::from_millis(3));
        }
        let ended = child.try_wait().expect("it can be waited for");
        if let Some(status) = ended {
            assert_eq!(status.code(), Some(0));
            break;
        }
        child.kill().expect("it can be killed");
        let _ = child.wait();
        kills += 1;
        if folder.path().join("work/journal.jsonl").metadata().is_ok_and(|journal| journal.len() > 0) {
            args = vec!["bisect", "resume", "work", "--quiet"];
        }
    }
    let killed = status(folder.path());
    assert_eq!(killed["culprits"], serde_json::json!([["10_cat/013.png"]]), "after {kills} kills");
    fs::remove_dir_all(folder.path().join("work")).expect("it is there");
    let whole = finds(folder.path(), &["--failure-rate", "1"], &[&["10_cat/013.png"]]);
    assert_eq!(killed["trials"], whole["trials"], "after {kills} kills");
    assert!(kills > 0, "it was never killed");
}
