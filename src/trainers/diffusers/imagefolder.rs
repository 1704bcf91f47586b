//! What the `imagefolder` loader of Hugging Face datasets takes for an image: datasets b7cb10b0 of 2026-07-31.

use super::super::trainer::Pickup;
use crate::model::RelPath;

/// Extensions of images, compared in small letters (`packaged_modules/imagefolder/imagefolder.py` 38-102).
const EXTENSIONS: [&str; 61] = [
    "blp", "bmp", "dib", "bufr", "cur", "pcx", "dcx", "dds", "ps", "eps", "fit", "fits", "fli", "flc", "ftc", "ftu", "gbr", "gif", "grib",
    "png", "apng", "jp2", "j2k", "jpc", "jpf", "jpx", "j2c", "icns", "ico", "im", "iim", "tif", "tiff", "jfif", "jpe", "jpg", "jpeg",
    "mpg", "mpeg", "msp", "pcd", "pxr", "pbm", "pgm", "ppm", "pnm", "psd", "bw", "rgb", "rgba", "sgi", "ras", "tga", "icb", "vda", "vst",
    "webp", "wmf", "emf", "xbm", "xpm",
];

/// Names of files whose rows decide which images are taken, compared exactly
/// (`packaged_modules/folder_based_builder/folder_based_builder.py` 60).
pub(super) const METADATA: [&str; 3] = ["metadata.csv", "metadata.jsonl", "metadata.parquet"];

/// Whether a file is listed as an image, going by its name: where metadata files are, only images that have a row are then taken, and
/// that is not known here.
pub(super) fn picks_up(path: &RelPath) -> Pickup {
    if path.as_str().split('/').any(|part| part.starts_with('.')) {
        Pickup::PassedOver("it or a folder above it is hidden")
    } else if path.folder().split('/').any(|folder| folder.starts_with("__")) {
        Pickup::PassedOver("it lies in a folder whose name begins with two underscores")
    } else if is_image(path.extension()) || is_image_before_last(path) {
        Pickup::Taken
    } else {
        Pickup::PassedOver("its extension is not picked up")
    }
}

/// Whether a file counts as an image for its second-last extension only, as `photo.jpg.txt` does (`folder_based_builder.py` 272-277).
pub(super) fn is_image_before_last(path: &RelPath) -> bool {
    !is_image(path.extension()) && path.stem().rsplit_once('.').is_some_and(|(rest, extension)| !rest.is_empty() && is_image(extension))
}

fn is_image(extension: &str) -> bool {
    EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// The extensions, for whoever asks without a path.
pub(super) fn extensions() -> Vec<String> {
    EXTENSIONS.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_which_files_are_images() {
        let taken = ["a.JPG", "x/y/a.png", "a.jpg.txt", "a.tga", "__a.png"];
        let passed = ["a.avif", "a.heic", "a.jxl", "a.txt", ".a.png", ".x/a.png", "x/__y/a.png", "a.h5", ".jpg.txt", "jpg.txt"];
        for path in taken {
            assert_eq!(picks_up(&RelPath::from(path)), Pickup::Taken, "{path}");
        }
        for path in passed {
            assert_ne!(picks_up(&RelPath::from(path)), Pickup::Taken, "{path}");
        }
    }
}
