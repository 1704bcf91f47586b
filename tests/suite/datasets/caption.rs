//! Sample datasets of family C.

use super::Recipe;
use crate::build::{Folder, jpeg, rgb_png};

pub(super) fn recipes() -> Vec<Recipe> {
    vec![
        Recipe::new(
            "missing-caption",
            |folder| {
                folder.pair("a.png", image(1)).pair("b.png", image(2)).write("c.png", image(3));
            },
            |folder| {
                // Only the last extension is cut: `b.v2.txt` belongs to `b.v2.png`.
                folder.pair("a.png", image(1)).pair("b.v2.png", image(2));
            },
        ),
        Recipe::new(
            "orphan-caption",
            |folder| {
                folder.pair("a.png", image(1)).write("b.txt", "a drawing that was deleted").pair("c.png", "");
            },
            |folder| {
                // The caption of the lost image has another one; a text for people is no caption.
                folder.pair("a.png", image(1)).write("a.jpg", "").write("README.txt", "where these come from");
            },
        ),
        Recipe::new("empty-caption", |folder| captioned(folder, ""), |folder| captioned(folder, "\n")),
        Recipe::new("blank-caption", |folder| captioned(folder, " \r\n\t\r\n"), |folder| captioned(folder, "\u{a0}\n.\n")),
        Recipe::new(
            "caption-not-utf8",
            |folder| {
                captioned(folder, b"the woman\x92s dress");
                // Chinese for "a cat, white background" in GBK.
                folder.write("003.png", image(3)).write("003.txt", b"\xd2\xbb\xd6\xbb\xc3\xa8, \xb0\xd7\xc9\xab\xb1\xb3\xbe\xb0");
            },
            |folder| captioned(folder, "the woman\u{2019}s dress, 一只猫, 白色背景"),
        ),
        Recipe::new(
            "caption-utf16",
            |folder| {
                captioned(folder, utf16le("\u{feff}a cat"));
                folder.write("bare.png", image(3)).write("bare.txt", utf16le("a cat without a mark"));
            },
            |folder| captioned(folder, "一只猫坐在白色的椅子上"),
        ),
        Recipe::new(
            "caption-bom",
            |folder| captioned(folder, "\u{feff}ohwx, a cat"),
            // An emoji also begins with a byte above 0xEF.
            |folder| captioned(folder, "😺 ohwx, a cat"),
        ),
        Recipe::new(
            "caption-is-binary",
            |folder| captioned(folder, jpeg(1, 16, 16, 80)),
            // Begins like a bitmap and a GIF.
            |folder| captioned(folder, "BMW on a street, GIF89a in a corner"),
        ),
        Recipe::new(
            "caption-control-characters",
            |folder| captioned(folder, "a cat\0\0\0, \u{c}a chair\u{1b}[0m"),
            |folder| captioned(folder, "a cat,\ta chair\r\n"),
        ),
        Recipe::new(
            "caption-mojibake",
            |folder| captioned(folder, "schÃ¶ne Wiese, the womanâ€™s dress"),
            // Capitals, no-break spaces and quotes whose bytes are UTF-8 by chance.
            |folder| captioned(folder, "« et voilà\u{a0}», MAÇÃ, „Groß“, un café…"),
        ),
        Recipe::new(
            "caption-too-long",
            |folder| captioned(folder, vec!["cat"; 76].join(" ")),
            |folder| captioned(folder, vec!["cat"; 75].join(" ")),
        ),
        Recipe::new(
            "caption-multi-line",
            |folder| captioned(folder, "a cat\nsitting on a chair\n"),
            |folder| captioned(folder, "a cat sitting on a chair\r\n\r\n"),
        ),
        Recipe {
            set: &["caption_extension=.caption"],
            ..Recipe::new(
                "caption-extension-mismatch",
                |folder| {
                    folder.pair("a.png", image(1)).pair("b.png", image(2));
                },
                |folder| {
                    // A second file beside the caption is nobody's mistake.
                    folder.pair("a.png", image(1)).pair("b.png", image(2)).write("a.caption", "one").write("b.caption", "two");
                },
            )
        },
        Recipe::new(
            "duplicate-caption",
            |folder| {
                captioned(folder, "a drawing");
                folder.write("b.png", image(3)).write("b.txt", "a drawing");
            },
            |folder| {
                // Two images of one stem share one caption file; two blank ones say nothing twice.
                folder.pair("a.png", image(1)).write("a.jpg", jpeg(2, 64, 64, 90));
                folder.write("b.png", image(3)).write("b.txt", "\n").write("c.png", image(4)).write("c.txt", "\n");
            },
        ),
        Recipe::new(
            "caption-invisible-characters",
            |folder| captioned(folder, "red\u{a0}hair, \u{200b}solo"),
            // The joiners that an emoji and Persian need.
            |folder| captioned(folder, "👩\u{200d}🚀, می\u{200c}خواهم"),
        ),
    ]
}

fn image(seed: u32) -> Vec<u8> {
    rgb_png(seed, 64, 64)
}

/// One image with this caption, and a healthy pair.
fn captioned(folder: &Folder, caption: impl AsRef<[u8]>) {
    folder.write("a.png", image(1)).write("a.txt", caption).pair("whole.png", image(2));
}

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}
