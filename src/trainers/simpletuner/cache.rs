//! Names of the files that `SimpleTuner` caches (bc8e6ab7, `simpletuner/helpers/caching/vae.py` 678-703 and `text_embeds.py` 139-181).

use std::fmt::Write as _;

use md5::{Digest as _, Md5};
use sha2::Sha256;

use crate::model::RelPath;

/// Path of a picture's latent below `cache_dir_vae`. The extension is not part of it, nor the resolution, nor anything of the content:
/// pictures of one stem share a file, and a changed picture or resolution finds the old one.
///
/// ```
/// use walkaround::{model::RelPath, trainers::simpletuner_cache::latent};
/// assert_eq!(latent(&RelPath::from("x/photo.jpg")), latent(&RelPath::from("x/photo.png")));
/// ```
#[must_use]
pub fn latent(picture: &RelPath) -> RelPath {
    RelPath::from_escaped(&format!("{}.pt", hexadecimal(&Sha256::digest(picture.stem())))).below(picture.folder())
}

/// Name of a caption's text embedding in the text cache, for a model family in small letters.
///
/// ```
/// use walkaround::trainers::simpletuner_cache::text_embedding;
/// assert_eq!(text_embedding("a cat, sitting", "flux"), "37f5b6bdcdbcd8cd35feb01e3324f81e-flux.pt");
/// ```
#[must_use]
pub fn text_embedding(caption: &str, family: &str) -> String {
    format!("{}-{family}.pt", hexadecimal(&Md5::digest(caption)))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A string takes whatever is written to it.
        _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latent_is_named_by_the_stem_alone() {
        assert_eq!(latent(&RelPath::from("x/photo.png")).as_str(), "x/55c64d0fcd6f9d5f7c828093857e3fdfda68478bb4e9bd24d481ef391c7804e8.pt");
    }
}
