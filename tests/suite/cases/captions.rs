//! Category 2, captions and metadata files.

use walkaround::model::Level;

use super::{folder, folder_called};
use crate::build::{jpeg, rgb_png};
use crate::support::{check, check_with};

const SMALL: &[&str] = &["resolution=64"];

// github.com/ostris/ai-toolkit/issues/113: a caption in Windows-1252 with a curly apostrophe.
#[test]
fn o16_a_caption_in_windows_1252() {
    let (_guard, set) = folder();
    set.write("a.png", rgb_png(1, 64, 64)).write("a.txt", b"the woman\x92s dress").pair("b.png", rgb_png(2, 64, 64));
    let found = check_with(set.path(), SMALL);
    let finding = found.only("caption-not-utf8");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &["a.txt".into()][..]));
    for value in ["9", "windows-1252", "\u{2019}"] {
        assert!(finding.message.contains(value), "`{value}` is missing: {}", finding.message);
    }
}

// github.com/Akegarasu/lora-scripts/issues/218: a caption in GBK.
#[test]
fn o17_a_caption_in_gbk() {
    let (_guard, set) = folder();
    let (gbk, _, _) = encoding_rs::GBK.encode("一只猫, 白色背景");
    set.write("003.png", rgb_png(1, 64, 64)).write("003.txt", gbk);
    let found = check_with(set.path(), SMALL);
    let finding = found.only("caption-not-utf8");
    assert_eq!(finding.paths, ["003.txt".into()]);
    assert!(finding.message.contains("GBK") || finding.message.contains("gb18030"), "{}", finding.message);
    assert!(finding.message.contains("一只猫"), "{}", finding.message);
}

// github.com/d8ahazard/sd_dreambooth_extension/issues/515: 0xff at position 0 has two sources.
#[test]
fn o18_utf16_and_an_image_in_a_caption_are_told_apart() {
    let (_guard, set) = folder();
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain("a cat".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let photo = jpeg(1, 64, 64, 90);
    set.write("a.jpg", jpeg(2, 64, 64, 90)).write("a.txt", utf16).write("1.jpg", &photo).write("1.txt", &photo);
    let found = check_with(set.path(), SMALL);
    assert_eq!((found.only("caption-utf16").level, found.only("caption-utf16").paths.as_slice()), (Level::Error, &["a.txt".into()][..]));
    let binary = found.only("caption-is-binary");
    assert_eq!((binary.level, binary.paths.as_slice()), (Level::Error, &["1.txt".into()][..]));
    assert!(binary.message.contains("JPEG"), "{}", binary.message);
    assert!(found.of("caption-not-utf8").is_empty());
}

// github.com/cocktailpeanut/fluxgym/issues/144: sd-scripts asserts that a caption has a line.
#[test]
fn o19_empty_and_blank_are_two_things() {
    let (_guard, set) = folder();
    for number in 0..5 {
        set.pair(&format!("{number}.png"), rgb_png(number + 1, 64, 64));
    }
    set.write("1.txt", b"").write("2.txt", b"\n");
    let found = check_with(set.path(), SMALL);
    assert_eq!((found.only("empty-caption").level, found.only("empty-caption").paths.as_slice()), (Level::Error, &["1.txt".into()][..]));
    assert_eq!((found.only("blank-caption").level, found.only("blank-caption").paths.as_slice()), (Level::Warning, &["2.txt".into()][..]));
}

// github.com/bmaltais/kohya_ss/issues/927: captions are .txt, the run looks for .caption.
#[test]
fn o20_captions_of_another_extension() {
    let (_guard, set) = folder();
    for number in 0..20 {
        set.pair(&format!("{number:02}.png"), rgb_png(number + 1, 64, 64));
    }
    let found = check_with(set.path(), &["resolution=64", "caption_extension=.caption"]);
    let finding = found.only("caption-extension-mismatch");
    assert_eq!(finding.level, Level::Error);
    for value in ["0 of 20", ".caption", "20 of 20", ".txt"] {
        assert!(finding.message.contains(value), "`{value}` is missing: {}", finding.message);
    }
    assert!(found.of("missing-caption").is_empty(), "one explanation is enough: {:#?}", found.brief());
    assert!(check_with(set.path(), SMALL).of("caption-extension-mismatch").is_empty());
}

// github.com/kohya-ss/musubi-tuner/issues/875: no captions at all; what it means depends on the trainer.
#[test]
fn o21_no_captions_at_all_is_one_finding() {
    let (_guard, set) = folder();
    for number in 0..14 {
        set.write(&format!("{number:02}.png"), rgb_png(number + 1, 64, 64));
    }
    let found = check_with(set.path(), SMALL);
    let finding = found.only("missing-caption");
    assert_eq!((finding.level, finding.paths.len()), (Level::Warning, 14));
    assert!(finding.message.contains("14 of 14"), "{}", finding.message);
}

// github.com/huggingface/diffusers/issues/2099: metadata.json1.
#[test]
fn o22_a_metadata_file_that_is_nearly_named_right() {
    let (_guard, set) = folder();
    set.write("a.png", rgb_png(1, 64, 64)).write("b.png", rgb_png(2, 64, 64));
    set.write("metadata.json1", "{\"file_name\": \"a.png\", \"text\": \"a\"}\n{\"file_name\": \"b.png\", \"text\": \"b\"}\n");
    let found = check_with(set.path(), SMALL);
    let finding = found.only("metadata-name");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &["metadata.json1".into()][..]));
    assert!(finding.message.contains("metadata.jsonl") || finding.help.contains("metadata.jsonl"), "{finding:?}");
}

// github.com/huggingface/diffusers/issues/3674: paths begin with the folder that the metadata file lies in.
#[test]
fn o23_rows_with_a_prefix_too_many() {
    let (_guard, set, root) = folder_called("train");
    let rows: Vec<String> = (1..=3).map(|number| format!("{{\"file_name\": \"train/a_{number}.jpg\", \"text\": \"a picture\"}}")).collect();
    set.write("metadata.jsonl", rows.join("\n"));
    for number in 1..=3 {
        set.write(&format!("a_{number}.jpg"), jpeg(number, 64, 64, 90));
    }
    let found = check_with(&root, SMALL);
    let finding = found.only("metadata-path-mismatch");
    assert_eq!(finding.level, Level::Error);
    assert!(finding.message.contains("3 of 3"), "{}", finding.message);
    assert!(finding.message.contains("train/") || finding.help.contains("train/"), "{finding:?}");
}

// github.com/hiyouga/LlamaFactory/issues/5883: a string where a list of images is expected.
#[test]
fn o24_images_as_a_string() {
    let (_guard, set) = folder();
    set.write("test1.jpg", jpeg(1, 64, 64, 90));
    set.write(
        "data.json",
        r#"[{"messages":[{"role":"user","content":"<image>what?"},{"role":"assistant","content":"a cat"}],"images":"test1.jpg"}]"#,
    );
    let found = check(set.path());
    let finding = found.only("metadata-type");
    assert_eq!((finding.level, finding.paths.as_slice()), (Level::Error, &["data.json".into()][..]));
    for value in ["record 0", "images", "string", "list"] {
        assert!(finding.message.contains(value), "`{value}` is missing: {}", finding.message);
    }
    assert!(!finding.message.contains("9 images"), "{}", finding.message);
}
