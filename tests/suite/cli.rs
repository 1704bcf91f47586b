//! The program from outside: exit codes, formats, settings, outputs.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use serde_json::Value;
use walkaround::model::RelPath;
use walkaround::pipeline::Watch;
use walkaround::settings::Settings;
use walkaround::walk::Input;

use crate::build::{Folder, jpeg, rgb_png};
use crate::support::walkaround;

/// A folder `set` with a good image and a truncated one, below one that is gone after the test.
fn dataset() -> (tempfile::TempDir, Folder) {
    let temporary = tempfile::tempdir().expect("there is room for a test folder");
    let set = Folder::at(&temporary.path().join("set"));
    let whole = rgb_png(1, 512, 512);
    set.pair("cut.png", &whole[..whole.len() / 2]).pair("good.png", rgb_png(2, 512, 512));
    (temporary, set)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the program writes UTF-8")
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("the program writes JSON")
}

#[test]
fn exit_codes_say_what_happened() {
    let (folder, set) = dataset();
    let code = |args: &[&str]| walkaround(folder.path(), args).status.code();
    assert_eq!(code(&["check", "set"]), Some(1));
    assert_eq!(code(&["check", "set", "--fail-on", "never"]), Some(0));
    assert_eq!(code(&["check", "set", "--ignore", "truncated-image,I,C,P"]), Some(0));
    assert_eq!(code(&["check", "nowhere"]), Some(2));
    assert_eq!(code(&["check", "set", "--select", "truncated-imgae"]), Some(2));
    assert_eq!(code(&["check", "set", "--frobnicate"]), Some(2));
    assert_eq!(code(&["--help"]), Some(0));
    fs::remove_file(set.path().join("cut.png")).expect("the file is there");
    fs::remove_file(set.path().join("cut.txt")).expect("the file is there");
    assert_eq!(code(&["check", "set"]), Some(0));
}

#[test]
fn a_missing_folder_is_named() {
    let (folder, _) = dataset();
    let output = walkaround(folder.path(), &["check", "nowhere"]);
    assert!(text(&output.stderr).contains("nowhere"), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
}

#[test]
fn the_report_is_what_its_schema_says() {
    let (folder, _) = dataset();
    let output = walkaround(folder.path(), &["check", "set", "--format", "json"]);
    let report = json(&output.stdout);
    let schema = walkaround::sinks::schema();
    jsonschema::validate(&schema, &report).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report["schema"], "walkaround.report/1");
    assert_eq!(report["summary"]["samples"], 2);
    assert_eq!(report["summary"]["go"], false);
    let finding = &report["findings"][0];
    assert_eq!((&finding["code"], &finding["level"], &finding["paths"][0]), (&"I101".into(), &"error".into(), &"cut.png".into()));
    assert_eq!(finding["consequences"]["generic"]["outcome"], "stop");
}

#[test]
fn lines_hold_the_findings_of_the_report() {
    let (folder, _) = dataset();
    let report = json(&walkaround(folder.path(), &["check", "set", "--format", "json"]).stdout);
    let output = walkaround(folder.path(), &["check", "set", "--format", "jsonl"]);
    let lines: Vec<Value> = text(&output.stdout).lines().map(|line| json(line.as_bytes())).collect();
    assert!(!lines.is_empty());
    assert_eq!(Value::from(lines), report["findings"]);
}

#[test]
fn the_manifest_is_what_its_schema_says() {
    let (folder, _) = dataset();
    let output = walkaround(folder.path(), &["manifest", "set", "--sha256", "--caption-text"]);
    assert_eq!(output.status.code(), Some(0));
    let schema = walkaround::manifest::schema();
    let lines: Vec<Value> = text(&output.stdout).lines().map(|line| json(line.as_bytes())).collect();
    for line in &lines {
        jsonschema::validate(&schema, line).unwrap_or_else(|error| panic!("{error} in {line}"));
    }
    let mut reader = walkaround::manifest::Reader::new("m", &output.stdout[..]).expect("the header can be read");
    for (sample, line) in reader.by_ref().zip(text(&output.stdout).lines().skip(1)) {
        let sample = walkaround::manifest::Line::Sample(Box::new(sample.expect("the line can be read")));
        assert_eq!(serde_json::to_string(&sample).expect("a line is JSON"), line, "a line is the same read and written again");
    }
    assert_eq!(reader.next().map(|line| line.map_err(|error| error.to_string())), None);
    assert_eq!(reader.header().walk.as_ref().map(|walk| (walk.inputs[0].path.as_str(), walk.hidden)), Some(("set", false)));
    let records: Vec<&Value> = lines.iter().map(|line| &line["record"]).collect();
    assert_eq!(records, ["header", "sample", "sample", "summary"]);
    let good = &lines[2];
    let expected = [("path", "good.png"), ("format", "PNG"), ("mode", "RGB")];
    for (key, value) in expected {
        assert_eq!(good[key], value);
    }
    assert_eq!((&good["width"], &good["height"], &good["oriented_width"]), (&512.into(), &512.into(), &512.into()));
    assert_eq!((&good["decode"]["pillow"], &good["decode"]["strict"]), (&"ok".into(), &"ok".into()));
    assert_eq!(good["caption"]["text"], "a drawing called good");
    assert_eq!(lines[1]["decode"]["pillow"], "error");
    assert_eq!(lines[1]["findings"][0], "I101");
    let bytes = fs::read(folder.path().join("set/good.png")).expect("the image is there");
    assert_eq!(good["blake3"], blake3::hash(&bytes).to_hex().to_string());
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let (folder, set) = dataset();
    for number in 0..40 {
        set.pair(&format!("more/{number}.jpg"), jpeg(number, 64 + number * 7, 200, 80));
    }
    for format in [&["check", "set", "--format", "json"][..], &["check", "set", "-v"], &["manifest", "set"]] {
        let with = |threads: &str| walkaround(folder.path(), &[format, &["--threads", threads]].concat()).stdout;
        let one = with("1");
        assert!(one.len() > 500);
        for threads in ["2", "8", "32"] {
            assert_eq!(text(&one), text(&with(threads)), "{format:?} with {threads} threads");
        }
    }
}

#[test]
fn the_source_tree_is_never_touched() {
    let (folder, set) = dataset();
    let before = snapshot(set.path());
    walkaround(folder.path(), &["check", "set", "--manifest", "m.jsonl", "-o", "r.txt"]);
    assert!(folder.path().join("m.jsonl").is_file() && folder.path().join("r.txt").is_file());
    fs::write(folder.path().join("list.txt"), "set/good.png\n").expect("the list can be written");
    for args in [
        &["check", "set", "-o", "set/report.txt"][..],
        &["check", "set/good.png", "-o", "set/good.png"],
        &["check", "set/good.png", "-o", "set/good.txt"],
        &["check", "--files-from", "list.txt", "-o", "set/good.txt"],
        &["check", "--files-from", "list.txt", "--manifest", "list.txt"],
        &["manifest", "set", "-o", "set/new/../m.jsonl"],
    ] {
        let refused = walkaround(folder.path(), args);
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
    }
    let refused = walkaround(folder.path(), &["check", "set", "-o", "set/report.txt"]);
    assert!(text(&refused.stderr).contains("never written to"), "{}", text(&refused.stderr));
    assert_eq!(before, snapshot(set.path()));
    assert_eq!(fs::read(folder.path().join("list.txt")).expect("the list is there"), b"set/good.png\n");
}

#[test]
fn outputs_replace_files_and_nothing_else() {
    let (folder, _) = dataset();
    let code = |args: &[&str]| walkaround(folder.path(), args).status.code();
    fs::write(folder.path().join("old.txt"), "old").expect("a file can be written");
    assert_eq!(code(&["check", "set", "-o", "old.txt"]), Some(1));
    assert!(fs::read_to_string(folder.path().join("old.txt")).expect("it is text").contains("no-go"));
    assert_eq!(code(&["check", "set", "-o", "x", "--manifest", "x"]), Some(2));
    assert_eq!(code(&["check", "set", "-o", "set"]), Some(2));
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        assert_eq!(code(&["check", "set", "-o", "/dev/null"]), Some(1));
        assert!(fs::metadata("/dev/null").expect("it is still there").file_type().is_char_device());
        std::os::unix::fs::symlink("old.txt", folder.path().join("link.txt")).expect("a link can be made");
        assert_eq!(code(&["check", "set", "-o", "link.txt", "--format", "json"]), Some(1));
        assert!(folder.path().join("link.txt").is_symlink());
        assert!(fs::read_to_string(folder.path().join("old.txt")).expect("it is text").starts_with('{'));
    }
}

#[test]
fn a_closed_pipe_leaves_the_manifest_whole() {
    let (folder, set) = dataset();
    for number in 0..400 {
        set.write(&format!("bad/{number:04}.png"), b"no image at all");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_walkaround"))
        .args(["check", "set", "--format", "jsonl", "--manifest", "m.jsonl"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("the program ends").code(), Some(1));
    let manifest = fs::read_to_string(folder.path().join("m.jsonl")).expect("the manifest is there");
    assert!(manifest.lines().last().is_some_and(|line| line.contains("summary")), "{manifest}");
}

fn snapshot(folder: &Path) -> BTreeMap<String, (u64, SystemTime)> {
    let entries = fs::read_dir(folder).expect("the folder can be listed").map(|entry| entry.expect("the folder can be listed"));
    entries
        .map(|entry| {
            let metadata = entry.metadata().expect("the file is there");
            (entry.file_name().to_string_lossy().into_owned(), (metadata.len(), metadata.modified().expect("files have dates")))
        })
        .collect()
}

#[test]
fn an_output_that_cannot_be_opened_fails_before_the_walk() {
    let (folder, _) = dataset();
    let output = walkaround(folder.path(), &["check", "set", "-o", "no/such/folder/report.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no/such/folder/report.txt"), "{}", text(&output.stderr));
}

#[test]
fn settings_come_from_the_file_and_arguments_win() {
    let (folder, _) = dataset();
    let write = |toml: &str| fs::write(folder.path().join("walkaround.toml"), toml).expect("the settings can be written");
    let code = |args: &[&str]| walkaround(folder.path(), args).status.code();
    write("fail-on = \"never\"\n");
    assert_eq!(code(&["check", "set"]), Some(0));
    assert_eq!(code(&["check", "set", "--fail-on", "error"]), Some(1));
    write("[levels]\ntruncated-image = \"info\"\norphan-caption = \"info\"\n");
    assert_eq!(code(&["check", "set"]), Some(0));
    write("[set]\ncaption_extension = \".caption\"\n");
    let report = json(&walkaround(folder.path(), &["check", "set", "--format", "json"]).stdout);
    assert_eq!(report["settings"]["caption_extension"], ".caption");
}

#[test]
fn an_unknown_key_is_an_error_with_a_suggestion() {
    let (folder, _) = dataset();
    fs::write(folder.path().join("walkaround.toml"), "fail_on = \"never\"\n").expect("the settings can be written");
    let output = walkaround(folder.path(), &["check", "set"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("did you mean `fail-on`"), "{}", text(&output.stderr));
}

#[test]
fn ignores_silence_by_path_and_report_themselves_when_stale() {
    let (folder, _) = dataset();
    let write = |pattern: &str, more: &str| {
        let toml = format!("[[ignores]]\npaths = [\"{pattern}\"]\nchecks = [\"all\"]\nreason = \"kept as an example\"\n{more}");
        fs::write(folder.path().join("walkaround.toml"), toml).expect("the settings can be written");
    };
    let found = || json(&walkaround(folder.path(), &["check", "set", "--format", "json"]).stdout);
    let names = |report: &Value| -> Vec<String> {
        report["findings"]
            .as_array()
            .expect("findings are a list")
            .iter()
            .map(|finding| finding["name"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    write("cut.*", "");
    let report = found();
    assert!(names(&report).is_empty(), "{report}");
    assert_ne!(report["summary"]["ignored"], 0);
    write("other/**", "");
    assert!(names(&found()).contains(&"unused-ignore".to_owned()));
    write("cut.*", "expires = 2020-01-01\n");
    let report = found();
    assert!(names(&report).contains(&"unused-ignore".to_owned()) && names(&report).contains(&"truncated-image".to_owned()), "{report}");
}

#[test]
fn a_list_of_files_is_checked_as_it_stands() {
    let (folder, _) = dataset();
    let check = |list: &[u8]| {
        assert_cmd::Command::cargo_bin("walkaround")
            .expect("the program is built")
            .current_dir(folder.path())
            .env("WALKAROUND_CACHE_DIR", folder.path().join("cache"))
            .args(["check", "--files-from", "-", "--format", "json"])
            .write_stdin(list)
            .output()
            .expect("the program starts")
    };
    let report = json(&check(b"set/good.png\n").stdout);
    assert_eq!((&report["summary"]["samples"], &report["summary"]["errors"]), (&1.into(), &0.into()), "{report}");
    let report = json(&check(b"set/good.png\0set/cut.png\0set/gone.png\0").stdout);
    assert_eq!(report["summary"]["samples"], 2);
    let findings = report["findings"].to_string();
    assert!(findings.contains("gone.png") && findings.contains("truncated-image"), "{findings}");
}

#[test]
fn a_reader_that_closes_the_pipe_has_seen_enough() {
    let (folder, set) = dataset();
    for number in 0..400 {
        set.write(&format!("bad/{number:04}.png"), b"no image at all");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_walkaround"))
        .args(["check", "set", "--format", "jsonl", "--fail-on", "never"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut first = [0; 16];
    child.stdout.take().expect("stdout is piped").read_exact(&mut first).expect("there is output");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn an_interrupted_run_closes_its_sinks() {
    struct Impatient<'a>(&'a AtomicBool);
    impl Watch for Impatient<'_> {
        fn finished(&self, _: &RelPath, _: u64) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let (_guard, set) = dataset();
    for number in 0..200 {
        set.write(&format!("{number}.png"), rgb_png(number, 16, 16));
    }
    let (mut out, cancel) = (Vec::new(), AtomicBool::new(false));
    let settings = Settings::new(vec![Input::Path(set.path().to_owned())]);
    let sink = walkaround::sinks::Manifest::new(&mut out, false);
    let summary = walkaround::run(&settings, &mut [Box::new(sink)], &Impatient(&cancel), &cancel).expect("the run can happen");
    assert!(summary.interrupted && summary.samples >= 1 && summary.samples < 202, "{summary:?}");
    let last = text(&out).lines().last().expect("there is a last line");
    assert_eq!((&json(last.as_bytes())["record"], &json(last.as_bytes())["interrupted"]), (&"summary".into(), &true.into()));
}

#[test]
#[should_panic(expected = "a fault in this program")]
fn a_panic_outside_of_decoding_ends_the_run_and_hangs_nobody() {
    struct Broken;
    impl Watch for Broken {
        fn started(&self, path: &RelPath) {
            assert!(path.as_str() != "7.png", "a fault in this program");
        }
    }
    let (_guard, set) = dataset();
    for number in 0..1000 {
        set.write(&format!("{number}.png"), b"no image at all");
    }
    let mut settings = Settings::new(vec![Input::Path(set.path().to_owned())]);
    settings.threads = std::num::NonZeroUsize::MIN.saturating_add(3);
    let _ = walkaround::run(&settings, &mut [], &Broken, &AtomicBool::new(false));
}

#[cfg(unix)]
#[test]
fn odd_entries_neither_hang_nor_vanish() {
    let (folder, set) = dataset();
    let fifo = Command::new("mkfifo").arg(set.path().join("pipe.png")).status();
    assert!(fifo.is_ok_and(|status| status.success()), "mkfifo is at hand");
    std::os::unix::fs::symlink("gone.png", set.path().join("link.png")).expect("a link can be made");
    std::os::unix::fs::symlink("..", set.path().join("up")).expect("a link can be made");
    let report = json(&walkaround(folder.path(), &["check", "set", "--follow-links", "--format", "json"]).stdout);
    let findings = report["findings"].to_string();
    for expected in ["pipe.png", "link.png", "special-file", "broken-link"] {
        assert!(findings.contains(expected), "{expected} is missing in {findings}");
    }
    assert_eq!(report["summary"]["samples"], 2, "{findings}");
}

#[test]
fn rules_and_explain_come_from_the_same_source() {
    let (folder, _) = dataset();
    let rules = walkaround(folder.path(), &["rules"]);
    let list = text(&rules.stdout);
    assert_eq!(list.lines().count(), walkaround::checks::ALL.len());
    assert!(list.contains("I101") && list.contains("truncated-image"));
    let by_code = walkaround(folder.path(), &["explain", "i101"]);
    let by_name = walkaround(folder.path(), &["explain", "truncated-image"]);
    assert_eq!(by_code.stdout, by_name.stdout);
    assert!(text(&by_code.stdout).contains("## What to do"));
    let unknown = walkaround(folder.path(), &["explain", "truncated"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("truncated-image"), "{}", text(&unknown.stderr));
}
