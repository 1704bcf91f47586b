//! The facts cache: results are the same with and without it, and nothing that happens to it harms a run.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, SystemTime};

use image::{DynamicImage, ImageFormat};
use rusqlite::Connection;
use tempfile::TempDir;
use walkaround::cache::{Cache, FACTS_VERSION, Facts};
use walkaround::inspect;
use walkaround::model::{CaptionFacts, ContentHash, ImageFacts};
use walkaround::settings::Settings;

use crate::build::{Folder, jpeg, picture, rgb_png};
use crate::corpus::shared;
use crate::support::walkaround_with_cache;

/// A folder that was written long enough ago, and an empty cache.
fn dataset() -> (TempDir, Folder, TempDir) {
    let folder = tempfile::tempdir().expect("there is room for a test folder");
    let set = Folder::at(&folder.path().join("set"));
    set.pair("a", rgb_png(1, 64, 48)).write("b.jpg", jpeg(2, 80, 64, 90)).write("b.txt", "the woman\u{2019}s dress");
    let cut = rgb_png(3, 64, 64);
    set.write("cut.png", &cut[..cut.len() / 2]).write("page.jpg", "<html>404</html>").write("empty.png", "");
    age(set.path());
    (folder, set, tempfile::tempdir().expect("there is room for a cache"))
}

fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

fn age_file(path: &Path) {
    File::options().write(true).open(path).and_then(|file| file.set_modified(long_ago())).expect("a file can be given a date");
}

fn age(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        age_file(&entry.expect("a folder can be listed").path());
    }
}

fn manifest(folder: &Path, cache: &Path) -> String {
    text(&walkaround_with_cache(folder, &["manifest", "set"], cache))
}

fn text(output: &Output) -> String {
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

fn database(cache: &Path) -> Connection {
    Connection::open(Cache::open(cache).expect("the cache can be opened").file()).expect("the cache is a SQLite file")
}

/// Gives every image the facts of another one, so that reports show where facts come from.
fn exchange_facts(cache: &Path) {
    let database = database(cache);
    let exchange = "CREATE TABLE old AS SELECT id, facts, row_number() OVER (ORDER BY length(facts), id) AS n FROM entry;
        UPDATE entry SET facts = (SELECT b.facts FROM old a JOIN old b ON b.n = a.n % (SELECT count(*) FROM old) + 1 WHERE a.id = entry.id);
        DROP TABLE old;";
    database.execute_batch(exchange).expect("entries can be changed");
}

fn same_in_all_ways(root: &Path) {
    let cache = tempfile::tempdir().expect("there is room for a cache");
    let root = root.to_str().expect("the folder has a plain name");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (manifest, report) = (["manifest", "--sha256", "--caption-text", root], ["check", root, "--format", "json"]);
    let pixels = ["check", root, "--format", "jsonl", "--pixels"];
    for args in [&manifest[..], &report, &["check", root, "-v"], &pixels] {
        let run = |more: &[&str]| {
            let output = walkaround_with_cache(here, &[args, more].concat(), cache.path());
            assert!(!String::from_utf8_lossy(&output.stderr).contains("cache"), "{}", String::from_utf8_lossy(&output.stderr));
            text(&output)
        };
        let wanted = run(&["--no-cache"]);
        for more in [&["--threads", "3"][..], &["--threads", "1"], &["--threads", "4"]] {
            assert!(run(more) == wanted, "{args:?} {more:?} differs");
        }
    }
}

#[test]
fn sample_datasets_are_reported_alike_with_and_without_cache() {
    same_in_all_ways(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_datasets"));
}

#[test]
fn the_corpus_is_reported_alike_with_and_without_cache() {
    let Some(edge) = shared("corpus/edge") else { return };
    same_in_all_ways(&edge);
}

#[test]
fn an_unchanged_file_is_not_read_again() {
    let (folder, _, cache) = dataset();
    let first = manifest(folder.path(), cache.path());
    assert_eq!(manifest(folder.path(), cache.path()), first);
    exchange_facts(cache.path());
    assert_ne!(manifest(folder.path(), cache.path()), first, "the files were read again");
    assert_eq!(text(&walkaround_with_cache(folder.path(), &["manifest", "set", "--no-cache"], cache.path())), first);
}

#[test]
fn what_an_earlier_run_wanted_is_not_in_this_one() {
    let (folder, _, cache) = dataset();
    let first = manifest(folder.path(), cache.path());
    let more = text(&walkaround_with_cache(folder.path(), &["manifest", "set", "--sha256"], cache.path()));
    assert!(more.contains("\"sha256\"") && !first.contains("\"sha256\""));
    assert_eq!(manifest(folder.path(), cache.path()), first);
}

#[test]
fn a_moved_file_is_found_by_its_content() {
    let (folder, set, cache) = dataset();
    set.write("c.png", rgb_png(9, 32, 32));
    age(set.path());
    manifest(folder.path(), cache.path());
    let moved = fs::read(set.path().join("c.png")).expect("the file can be read");
    let changed = change_facts(cache.path(), &moved, |facts| facts.probe.as_mut().expect("it has a header").frames = 77);
    assert_eq!(changed, 1);
    fs::rename(set.path().join("c.png"), set.path().join("d.png")).expect("a file can be moved");
    // What no reader would find in it shows that it was not read again.
    let found = manifest(folder.path(), cache.path());
    assert!(found.lines().any(|line| line.contains("\"d.png\"") && line.contains("\"frames\":77")), "{found}");
}

/// Changes what is kept of the image with these bytes; how many entries that were.
fn change_facts(cache: &Path, image: &[u8], change: impl Fn(&mut ImageFacts)) -> usize {
    let database = database(cache);
    let mut statement = database.prepare("SELECT id, facts FROM entry").expect("entries can be read");
    let entries = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("entries can be read");
    let entries: Vec<(i64, Vec<u8>)> = entries.collect::<Result<_, _>>().expect("entries can be read");
    let wanted = ContentHash(*blake3::hash(image).as_bytes());
    let mut changed = 0;
    for (id, bytes) in entries {
        let Some(mut facts) = ImageFacts::decode(&bytes).filter(|facts| facts.content == Some(wanted)) else { continue };
        change(&mut facts);
        let bytes = facts.encode().expect("facts can be kept");
        changed += database.execute("UPDATE entry SET facts = ?2 WHERE id = ?1", (id, bytes)).expect("an entry can be changed");
    }
    changed
}

#[test]
fn a_file_with_a_date_to_come_is_found_by_content_only() {
    let (folder, set, cache) = dataset();
    set.write("new.png", rgb_png(5, 40, 40));
    File::options()
        .write(true)
        .open(set.path().join("new.png"))
        .and_then(|file| file.set_modified(SystemTime::now() + Duration::from_secs(3600)))
        .expect("a file can be given a date");
    manifest(folder.path(), cache.path());
    let racy: i64 = database(cache.path())
        .query_row("SELECT count(*) FROM entry WHERE stamp IS NULL", [], |row| row.get(0))
        .expect("entries can be counted");
    assert_eq!(racy, 1);
}

/// Elsewhere than on Unix this edit is not seen, for lack of an inode's time of change.
#[cfg(unix)]
#[test]
fn an_edit_that_keeps_size_and_date_is_seen() {
    let (folder, set, cache) = dataset();
    set.write("a.txt", "a red cat");
    age(set.path());
    let first = manifest(folder.path(), cache.path());
    set.write("a.txt", "a red dog");
    age_file(&set.path().join("a.txt"));
    let second = manifest(folder.path(), cache.path());
    assert_ne!(first, second);
    assert_eq!(second, text(&walkaround_with_cache(folder.path(), &["manifest", "set", "--no-cache"], cache.path())));
}

#[test]
fn several_processes_share_a_cache() {
    let (folder, set, cache) = dataset();
    for seed in 0..60 {
        set.pair(&format!("p{seed}"), rgb_png(seed, 24, 24));
    }
    age(set.path());
    let outputs: Vec<Output> = std::thread::scope(|scope| {
        let run = || walkaround_with_cache(folder.path(), &["manifest", "set"], cache.path());
        let running: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        running.into_iter().map(|run| run.join().expect("the program can be run")).collect()
    });
    for output in &outputs {
        assert_eq!((text(output), String::from_utf8_lossy(&output.stderr).as_ref()), (text(&outputs[0]), ""));
    }
    assert!(Cache::open(cache.path()).and_then(|cache| cache.stat()).expect("the cache is whole").entries > 120);
}

#[test]
fn a_cache_that_cannot_be_used_is_a_note() {
    let (folder, _, cache) = dataset();
    let wanted = manifest(folder.path(), cache.path());
    let file = cache.path().join("file");
    fs::write(&file, "no folder").expect("a file can be written");
    let output = walkaround_with_cache(folder.path(), &["manifest", "set"], &file);
    assert_eq!(text(&output), wanted);
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(notes.starts_with("the cache is not used, or not in full: failed to open") && notes.lines().count() == 1, "{notes}");
}

#[test]
fn a_broken_cache_is_made_anew() {
    let (folder, _, cache) = dataset();
    let wanted = manifest(folder.path(), cache.path());
    let file = Cache::open(cache.path()).expect("the cache is whole").file().to_owned();
    let whole = fs::read(&file).expect("the cache is a file");
    let middle: Vec<u8> = whole.iter().enumerate().map(|(at, byte)| if at < 100 { *byte } else { 0x5A }).collect();
    for broken in [&b"this is no database, and long enough to be seen as none"[..], &whole[..whole.len() / 2], &middle, b""] {
        fs::write(&file, broken).expect("a file can be written");
        for _ in 0..3 {
            assert_eq!(manifest(folder.path(), cache.path()), wanted);
        }
        let output = walkaround_with_cache(folder.path(), &["manifest", "set"], cache.path());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert!(Cache::open(cache.path()).and_then(|cache| cache.stat()).expect("the cache is whole").entries >= 6);
    }
}

#[test]
fn a_cache_inside_of_the_dataset_is_refused() {
    let (folder, _, cache) = dataset();
    let output = walkaround_with_cache(folder.path(), &["check", "set", "--cache-dir", "set/cache"], cache.path());
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!folder.path().join("set/cache").exists());
    let output = walkaround_with_cache(folder.path(), &["check", "set"], &folder.path().join("set/cache"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("belongs to the dataset"));
    assert!(!folder.path().join("set/cache").exists());
}

#[test]
fn the_cache_says_what_it_holds_and_can_be_emptied() {
    let (folder, _, cache) = dataset();
    let stat = || -> serde_json::Value {
        let output = walkaround_with_cache(folder.path(), &["cache", "stat", "--format", "json"], cache.path());
        serde_json::from_slice(&output.stdout).expect("the answer is JSON")
    };
    assert_eq!(stat()["entries"], 0);
    manifest(folder.path(), cache.path());
    // Five images and two captions.
    assert_eq!((&stat()["entries"], &stat()["folder"]), (&7.into(), &cache.path().to_str().into()));
    assert!(stat()["newest_use"].is_string() && stat()["bytes"].as_u64() > Some(0));
    text(&walkaround_with_cache(folder.path(), &["cache", "clear"], cache.path()));
    assert_eq!(stat()["entries"], 0);
    walkaround_with_cache(folder.path(), &["check", "set", "--no-cache"], cache.path());
    assert_eq!(stat()["entries"], 0);
}

/// Facts are floating-point numbers in part, whose last digits are the platform's.
#[cfg(target_os = "linux")]
#[test]
fn other_facts_have_another_version() {
    let formats = [
        ImageFormat::Jpeg,
        ImageFormat::Png,
        ImageFormat::WebP,
        ImageFormat::Gif,
        ImageFormat::Bmp,
        ImageFormat::Tiff,
        ImageFormat::Ico,
        ImageFormat::Tga,
        ImageFormat::Pnm,
        ImageFormat::Qoi,
    ];
    let settings = Settings::new(Vec::new());
    let mut hasher = blake3::Hasher::new();
    let mut add = |image: &[u8], caption: &[u8]| {
        let facts = inspect("a.png", image, Some(caption), &settings).facts;
        let CaptionFacts::Read(caption) = &facts.caption else { panic!("a caption can be read") };
        hasher.update(&caption.encode().expect("a caption can be kept"));
        let image = ImageFacts { content: facts.content, sha256: None, probe: facts.probe, decoded: facts.decoded };
        hasher.update(&image.encode().unwrap_or_default());
    };
    for format in formats {
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::ImageRgba8(DynamicImage::ImageRgb8(picture(4, 40, 30)).to_rgba8())
            .write_to(&mut bytes, format)
            .or_else(|_| DynamicImage::ImageRgb8(picture(4, 40, 30)).write_to(&mut bytes, format))
            .expect("a picture can be written");
        let whole = bytes.into_inner();
        add(&whole, "a photo of a caf\u{e9}\u{200b}".as_bytes());
        add(&whole[..whole.len() * 2 / 3], b"the woman\x92s dress\r\n");
        let mut wrong = whole;
        let middle = wrong.len() / 2;
        wrong[middle] ^= 0x55;
        add(&wrong, b"\xff\xfea\0");
    }
    let now = format!("{FACTS_VERSION} {}\n", hasher.finalize());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/facts-version");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, now).expect("the file can be written");
        return;
    }
    let noted = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        now, noted,
        "facts or their encoding have changed: raise FACTS_VERSION in src/cache/mod.rs, or old caches give old facts; then UPDATE=1"
    );
}
