//! What a file's or folder's name says that it is. Pure: no file system here.

use crate::model::{Format, SystemFileKind};

/// What a file's name says that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameClass {
    /// An image, by its extension.
    Image(Format),
    /// A caption by the settings' extension.
    Caption,
    /// A caption by some other extension, or JSON, which may be a caption or the dataset's.
    CaptionLike,
    /// A metadata file, or nearly.
    Metadata,
    /// A file that a system left there.
    System(SystemFileKind),
    /// A known kind of file that is no sample: caches, archives, videos, code, documents.
    Other,
    /// Nothing known: the content decides.
    Unknown,
}

/// Classifies a name. `caption_extension` has its dot and is compared exactly, as a case-sensitive file system does.
pub(super) fn classify(name: &str, caption_extension: &str) -> NameClass {
    if let Some(kind) = system_file(name) {
        return NameClass::System(kind);
    }
    let extension = extension(name);
    if let Some(format) = extension.and_then(Format::of_extension) {
        return NameClass::Image(format);
    }
    if is_cache(name) {
        return NameClass::Other;
    }
    if strip_caption(name, caption_extension).is_some() {
        return NameClass::Caption;
    }
    if is_metadata(name) {
        return NameClass::Metadata;
    }
    let Some(extension) = extension else { return NameClass::Unknown };
    let setting = caption_extension.trim_start_matches('.');
    if extension.eq_ignore_ascii_case(setting) || CAPTION_LIKE.iter().any(|known| known.eq_ignore_ascii_case(extension)) {
        return NameClass::CaptionLike;
    }
    if OTHER.contains(&extension.to_ascii_lowercase().as_str()) { NameClass::Other } else { NameClass::Unknown }
}

/// The path or name without the settings' caption extension: what must be an image's path without its own extension.
pub(super) fn strip_caption<'a>(path: &'a str, caption_extension: &str) -> Option<&'a str> {
    path.strip_suffix(caption_extension).filter(|stem| !stem.is_empty() && !stem.ends_with('/'))
}

/// Whether the name, extension and all, is or nearly is that of a metadata file.
pub(super) fn is_metadata(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    (lower.starts_with("metadata") && extension(name).is_some())
        || lower == "captions.csv"
        || extension(&lower).is_some_and(|extension| extension == "jsonl")
}

/// Whether the extension is JSON's, in any case.
pub(super) fn is_json(name: &str) -> bool {
    extension(name).is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// Whether programs leave folders of this name behind, whose content is nobody's sample.
pub(super) fn is_junk_folder(name: &str) -> bool {
    JUNK_FOLDERS.iter().any(|junk| junk.eq_ignore_ascii_case(name)) || name.get(..6).is_some_and(|head| head.eq_ignore_ascii_case(".trash"))
}

/// Whether loaders that leave out hidden files leave this one out.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}

fn system_file(name: &str) -> Option<SystemFileKind> {
    if name.starts_with("._") {
        return Some(SystemFileKind::AppleDouble);
    }
    match name.to_ascii_lowercase().as_str() {
        ".ds_store" => Some(SystemFileKind::DsStore),
        "thumbs.db" | "ehthumbs.db" | "ehthumbs_vista.db" => Some(SystemFileKind::ThumbsDb),
        "desktop.ini" => Some(SystemFileKind::DesktopIni),
        _ => None,
    }
}

/// Caches that carry another known extension; the rest are in [`OTHER`]. The first is ai-toolkit's, the second that of
/// sd-scripts with `cache_info` (48d368fa, `library/train_util.py` 1979).
fn is_cache(name: &str) -> bool {
    name.ends_with(".aitk_size.json") || name == "metadata_cache.json"
}

/// The last extension without dot, `None` for a name without one; leading dots are no extension's.
fn extension(name: &str) -> Option<&str> {
    name.trim_start_matches('.').rsplit_once('.').map(|(_, extension)| extension).filter(|extension| !extension.is_empty())
}

/// Extensions that captioning tools write.
const CAPTION_LIKE: [&str; 5] = ["txt", "caption", "cap", "tags", "json"];

/// Folders that are counted and not walked for samples.
const JUNK_FOLDERS: [&str; 11] = [
    "__MACOSX",
    ".ipynb_checkpoints",
    "@eaDir",
    ".git",
    ".svn",
    ".hg",
    ".thumbnails",
    "__pycache__",
    "$RECYCLE.BIN",
    "System Volume Information",
    ".cache",
];

/// Extensions, in lower case, of files that are no samples: reading them to find that out would only cost time.
const OTHER: &[&str] = &[
    // Caches and weights of trainers.
    "npz",
    "npy",
    "safetensors",
    "pt",
    "pth",
    "ckpt",
    "bin",
    "onnx",
    "gguf",
    "lock",
    "tmp",
    "part",
    "crdownload",
    // Tables, configuration and logs.
    "csv",
    "tsv",
    "parquet",
    "arrow",
    "feather",
    "db",
    "sqlite",
    "ini",
    "cfg",
    "conf",
    "toml",
    "yaml",
    "yml",
    "xml",
    "log",
    // Archives.
    "zip",
    "tar",
    "gz",
    "tgz",
    "bz2",
    "xz",
    "zst",
    "7z",
    "rar",
    "lmdb",
    "mdb",
    // Video and sound.
    "mp4",
    "m4v",
    "mov",
    "mkv",
    "avi",
    "webm",
    "wmv",
    "flv",
    "mpg",
    "mpeg",
    "3gp",
    "ogv",
    "mp3",
    "wav",
    "flac",
    "ogg",
    "m4a",
    // Code and documents.
    "py",
    "pyc",
    "ipynb",
    "js",
    "ts",
    "rs",
    "c",
    "h",
    "cpp",
    "sh",
    "bat",
    "cmd",
    "ps1",
    "md",
    "rst",
    "html",
    "htm",
    "css",
    "pdf",
    "doc",
    "docx",
    "odt",
    "rtf",
    "xls",
    "xlsx",
    "ppt",
    "pptx",
    "exe",
    "dll",
    "so",
    "url",
    "lnk",
    "torrent",
    "sha256",
    "md5",
    // What editors and cameras keep beside a picture.
    "xmp",
    "xcf",
    "kra",
    "clip",
    "sai",
    "blend",
    "aae",
    "thm",
    "pp3",
    "dop",
    "on1",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_classified() {
        use NameClass::{Caption, CaptionLike, Image, Metadata, Other, System, Unknown};
        for (name, class) in [
            ("a.png", Image(Format::Png)),
            ("a.JPG", Image(Format::Jpeg)),
            ("metadata.png", Image(Format::Png)),
            ("a.txt", Caption),
            ("README.txt", Caption),
            ("a.TXT", CaptionLike),
            ("a.caption", CaptionLike),
            ("a.json", CaptionLike),
            ("metadata.jsonl", Metadata),
            ("metadata.json1", Metadata),
            ("Metadata.CSV", Metadata),
            ("rows.jsonl", Metadata),
            ("captions.csv", Metadata),
            ("other.csv", Other),
            ("._a.jpg", System(SystemFileKind::AppleDouble)),
            ("THUMBS.DB", System(SystemFileKind::ThumbsDb)),
            (".ds_store", System(SystemFileKind::DsStore)),
            ("Desktop.ini", System(SystemFileKind::DesktopIni)),
            ("a_1024x1024_sdxl.npz", Other),
            (".aitk_size.json", Other),
            ("notes.md", Other),
            ("clip.MP4", Other),
            ("cat", Unknown),
            ("cat.png_old", Unknown),
            ("cat.", Unknown),
            // Nothing is left of it that an image could be called.
            (".txt", Unknown),
        ] {
            assert_eq!(classify(name, ".txt"), class, "{name}");
        }
    }

    #[test]
    fn the_caption_extension_may_have_several_dots_or_none() {
        assert_eq!(strip_caption("d/cat.wd14.txt", ".wd14.txt"), Some("d/cat"));
        assert_eq!(strip_caption("d/.txt", ".txt"), None);
        assert_eq!(classify("cat.wd14.txt", ".wd14.txt"), NameClass::Caption);
        assert_eq!(classify("cat.txt", ".caption"), NameClass::CaptionLike);
    }

    #[test]
    fn junk_folders_are_known_in_any_case() {
        for name in ["__MACOSX", ".ipynb_checkpoints", "$Recycle.Bin", ".Trash-1000", ".Trashes", ".git"] {
            assert!(is_junk_folder(name), "{name}");
        }
        for name in ["10_cat", ".hidden", "cache", "git", "é.Trash"] {
            assert!(!is_junk_folder(name), "{name}");
        }
    }
}
