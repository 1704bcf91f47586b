//! The fingerprint of a dataset: one hash that is the same wherever and whenever the dataset is the same.

use super::line::SampleLine;

/// Takes samples in the order of their paths and gives the fingerprint.
///
/// It is the BLAKE3 hash over, for each sample: the length of its path (64 bits, little endian), the path as the manifest spells
/// it, then for its image and for its caption one byte that says whether its content is known (1) or not (0), and the 32 bytes
/// of its BLAKE3 hash (zeros where it is not known). Samples are sorted by path, so that the order of a listing means nothing;
/// neither the root, nor dates, nor any setting is part of it. Only where several roots are given do paths begin with what was
/// typed, and then that is part of it.
///
/// Images and captions are what it covers: metadata files and caches are not part of it.
///
/// ```
/// use walkaround::manifest::Fingerprint;
/// let mut fingerprint = Fingerprint::new();
/// fingerprint.add("a.png", Some(&[1; 32]), None);
/// let mut other = Fingerprint::new();
/// other.add("b.png", Some(&[1; 32]), None);
/// assert_ne!(fingerprint.finish(), other.finish());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fingerprint(blake3::Hasher);

impl Fingerprint {
    /// Of no sample yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a sample with the hashes of its image and its caption, as far as there are any. Samples come in the order of their
    /// paths.
    pub fn add(&mut self, path: &str, image: Option<&[u8; 32]>, caption: Option<&[u8; 32]>) {
        // Lengths and flags stand before what may vary, so that no two datasets are spelt alike.
        self.0.update(&(path.len() as u64).to_le_bytes());
        self.0.update(path.as_bytes());
        for content in [image, caption] {
            self.0.update(&[u8::from(content.is_some())]);
            self.0.update(content.unwrap_or(&[0; 32]));
        }
    }

    /// Adds a sample by its line. A hash that is none counts as unknown.
    pub fn add_line(&mut self, line: &SampleLine) {
        let image = line.blake3.as_deref().and_then(parse_hash);
        let caption = line.caption.as_ref().and_then(|caption| caption.blake3.as_deref()).and_then(parse_hash);
        self.add(&line.path, image.as_ref(), caption.as_ref());
    }

    /// The fingerprint as 64 hexadecimal digits.
    #[must_use]
    pub fn finish(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

/// The bytes of a hash of 64 hexadecimal digits.
pub(crate) fn parse_hash(text: &str) -> Option<[u8; 32]> {
    blake3::Hash::from_hex(text).ok().map(|hash| *hash.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(samples: &[(&str, Option<u8>, Option<u8>)]) -> String {
        let mut fingerprint = Fingerprint::new();
        for (path, image, caption) in samples {
            fingerprint.add(path, image.map(|byte| [byte; 32]).as_ref(), caption.map(|byte| [byte; 32]).as_ref());
        }
        fingerprint.finish()
    }

    #[test]
    fn paths_and_contents_count_each_in_its_place() {
        let base = of(&[("a", Some(1), None)]);
        for other in [
            of(&[]),
            of(&[("b", Some(1), None)]),
            of(&[("a", Some(2), None)]),
            of(&[("a", None, Some(1))]),
            of(&[("a", Some(1), Some(0))]),
            of(&[("a", Some(1), None), ("b", None, None)]),
        ] {
            assert_ne!(base, other);
        }
        assert_eq!(of(&[]), blake3::hash(b"").to_hex().to_string());
    }
}
