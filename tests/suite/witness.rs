//! The trainer's own libraries as witness: with interpreters that misbehave, and with the real one where there is one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use walkaround::model::{Ending, Level};
use walkaround::settings::Settings;
use walkaround::walk::Input;
use walkaround::witness::{Confirm, WitnessOptions};

use crate::build::{Folder, rgb_png};
use crate::corpus::shared;
use crate::support::{Found, run, walkaround};

const PYTHON: &str = "python3";

/// Least share in percent of the corpus on which the witness contradicts neither verdict nor header.
const LEAST_AGREEMENT: f64 = 97.0;

/// Whether there is a Python with Pillow.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn has_pillow() -> bool {
    let found = Command::new(PYTHON).args(["-c", "import PIL"]).output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: there is no {PYTHON} with Pillow");
    }
    found
}

fn confirm(set: &Path, interpreter: &Path, change: impl FnOnce(&mut WitnessOptions)) -> Found {
    let mut options = WitnessOptions::new(interpreter.to_owned());
    options.confirm = Confirm::All;
    change(&mut options);
    let mut settings = Settings::new(vec![Input::Path(set.to_owned())]);
    settings.witness = Some(options);
    run(&settings)
}

/// A folder `set` with two good images.
fn two_images() -> (tempfile::TempDir, Folder) {
    let temporary = tempfile::tempdir().expect("there is room for a test folder");
    let set = Folder::at(&temporary.path().join("set"));
    set.pair("a.png", rgb_png(1, 512, 512)).pair("b.png", rgb_png(2, 512, 512));
    (temporary, set)
}

/// A shell script in the place of an interpreter; `rest` is what it does once it has said what is installed.
#[cfg(unix)]
fn pretender(folder: &Path, rest: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join("python");
    let hello = r#"{"python":"3.0.0","pillow":"1.0","opencv":null}"#;
    fs::write(&path, format!("#!/bin/sh\necho '{hello}'\n{rest}\n")).expect("the script can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the script can be made executable");
    path
}

#[cfg(unix)]
#[test]
fn whatever_ends_a_worker_is_named_with_the_file_and_the_run_goes_on() {
    let cases = [
        ("read q; kill -SEGV $$", Ending::Died("SIGSEGV".to_owned())),
        ("read q; exec sleep 600", Ending::Hung(1)),
        ("while read q; do echo rubbish; done", Ending::Rubbish),
        (
            r#"while read q; do echo '{"pillow":{"error":{"stage":"load","class":"MemoryError","message":""}}}'; done"#,
            Ending::OutOfMemory(4096),
        ),
    ];
    for (rest, wanted) in cases {
        let (temporary, set) = two_images();
        let python = pretender(temporary.path(), rest);
        let found = confirm(set.path(), &python, |options| options.time = Duration::from_secs(1));
        assert_eq!(found.paths_of("witness-killed"), ["a.png", "b.png"], "{rest}");
        let confirmed = found.summary.confirmed.expect("there is a witness");
        assert_eq!((confirmed.asked, confirmed.ended), (2, 2), "{rest}");
        for report in &found.samples {
            let ended = report.facts.testimony.as_ref().and_then(|testimony| testimony.ended.clone()).expect("it ended the worker");
            assert_eq!(ended.how, wanted, "{rest}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interpreter_that_is_slow_to_start_is_waited_for() {
    let (temporary, set) = two_images();
    let good = r#"{"pillow":{"mode":"RGB","format":"PNG","size":[512,512]}}\n{"lenient":{}}\n{"opencv":null}\n"#;
    let python = pretender(temporary.path(), &format!("while read q; do printf '{good}'; done"));
    let script = fs::read_to_string(&python).expect("the script is there").replacen('\n', "\nsleep 2\n", 1);
    fs::write(&python, script).expect("the script can be written");
    let found = confirm(set.path(), &python, |options| options.time = Duration::from_secs(1));
    assert!(found.of("witness-killed").is_empty() && found.of("witness-disagrees").is_empty(), "{:?}", found.brief());
    assert_eq!(found.summary.confirmed.map(|confirmed| confirmed.asked), Some(2));
}

#[cfg(unix)]
#[test]
fn a_witness_that_cannot_testify_is_a_set_up_failure() {
    let (temporary, set) = two_images();
    let python = pretender(temporary.path(), "");
    let set = set.path().to_str().expect("the folder has a plain path");
    for (script, words) in [
        ("#!/bin/sh\necho '{\"missing\":\"ModuleNotFoundError: No module named PIL\"}'\n", "No module named PIL"),
        ("#!/bin/sh\necho hello\n", "it is no Python"),
        ("#!/bin/sh\necho broken venv >&2\nexit 3\n", "broken venv"),
    ] {
        fs::write(&python, script).expect("the script can be written");
        let output = walkaround(temporary.path(), &["check", set, "--confirm-with", python.to_str().expect("a plain path")]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(walkaround(temporary.path(), &["check", set, "--confirm-with", "./nowhere"]).status.code(), Some(2));
}

#[test]
fn only_suspicious_files_are_asked_about_unless_all_are_wanted() {
    if !has_pillow() {
        return;
    }
    let (_temporary, set) = two_images();
    let whole = rgb_png(3, 512, 512);
    set.pair("cut.png", &whole[..whole.len() / 2]);
    let asked = |which| {
        let found = confirm(set.path(), Path::new(PYTHON), |options| options.confirm = which);
        assert!(found.of("witness-disagrees").is_empty(), "{:?}", found.brief());
        found.summary.confirmed.map(|confirmed| confirmed.asked)
    };
    assert_eq!((asked(Confirm::Suspicious), asked(Confirm::All)), (Some(1), Some(3)));
}

#[test]
fn the_real_libraries_agree_on_the_corpus() {
    let Some(edge) = shared("corpus/edge").filter(|_| has_pillow()) else { return };
    let found = confirm(&edge, Path::new(PYTHON), |_| {});
    let confirmed = found.summary.confirmed.expect("there is a witness");
    println!("{confirmed:?}");
    for finding in found.of("witness-disagrees") {
        println!("{} {}", finding.paths[0].as_str(), finding.message);
    }
    assert!(confirmed.asked > 900);
    let share = 100.0 - confirmed.contradicted as f64 * 100.0 / confirmed.asked as f64;
    assert!(share >= LEAST_AGREEMENT, "{share:.1} %");
}

/// OpenCV 5.0.0 writes where it must not on an animated PNG with a bad filter byte, and dies of SIGSEGV or SIGABRT; other versions
/// need not.
#[test]
fn a_file_that_kills_opencv_is_named_and_the_run_goes_on() {
    let (Some(edge), Some(damage)) = (shared("corpus/edge"), shared("oracle/damage.py")) else { return };
    let is_five = Command::new(PYTHON).args(["-c", "import cv2, PIL; print(cv2.__version__)"]).output();
    if !has_pillow() || !is_five.is_ok_and(|output| output.stdout.starts_with(b"5.0.0")) {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a test folder");
    let set = folder.path().join("set");
    // What is damaged depends on the seeds before it, so the whole corpus is.
    let made = Command::new(PYTHON).arg(&damage).args([&edge, &set]).arg("1").output().expect("Python starts");
    assert!(made.status.success());
    for file in fs::read_dir(&set).expect("the folder can be listed").flatten() {
        if !file.file_name().to_string_lossy().contains("sequence_repeat") {
            fs::remove_file(file.path()).expect("a copy can be removed");
        }
    }
    let found = confirm(&set, Path::new(PYTHON), |_| {});
    let finding = found.of("witness-killed").into_iter().find(|finding| finding.message.contains("OpenCV 5.0.0 dies of"));
    let finding = finding.unwrap_or_else(|| panic!("nothing died: {:?}", found.brief()));
    assert_eq!(finding.level, Level::Error);
    let report = |threads: &str| {
        let args = ["check", set.to_str().expect("a plain path"), "--confirm-with", PYTHON, "--format", "json", "--threads", threads];
        let output = assert_cmd::Command::cargo_bin("walkaround").expect("the program is built").args(args).output();
        output.expect("the program starts").stdout
    };
    let one = report("1");
    let parsed: Value = serde_json::from_slice(&one).expect("the report is JSON");
    assert_eq!(parsed["settings"]["witness"]["opencv"], "5.0.0");
    assert!(one == report("2"), "1 and 2 threads differ");
}
