//! What an entry is found by: the place of a file, the stamp that says whether it is still the same, and the flavour of facts.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::FACTS_VERSION;
use crate::model::{ContentHash, FileIdentity};

/// A file that was changed less than this ago may be changed again without another time of change: FAT counts two seconds,
/// other file systems count timer ticks. What was seen of it then proves nothing later (git's index calls it racily clean).
const RACY: Duration = Duration::from_secs(2);

/// Everything that facts depend on beside the bytes they are found in.
#[derive(Clone, Debug)]
pub struct Flavour(blake3::Hasher);

impl Flavour {
    /// Facts of this kind, found by this version of the program under these circumstances.
    #[must_use]
    pub fn new(kind: &str, circumstances: &[&str]) -> Self {
        let mut hasher = blake3::Hasher::new();
        let facts = FACTS_VERSION.to_string();
        for part in [env!("CARGO_PKG_VERSION"), &facts, kind].iter().chain(circumstances) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self(hasher)
    }

    /// The place of facts of this flavour for the file at this absolute path.
    #[must_use]
    pub fn place(&self, path: &Path) -> Place {
        Place(self.short(b"path", path.as_os_str().as_encoded_bytes()))
    }

    /// What all places of facts of this flavour for the same bytes have in common.
    pub(super) fn twin(&self, content: &ContentHash) -> i64 {
        self.short(b"content", &content.0)
    }

    /// Numbers are what SQLite finds fastest. 64 bits are few enough for two of a billion to be the same; then the stamp or
    /// the content hash, which are compared in full, are not.
    fn short(&self, what: &[u8], bytes: &[u8]) -> i64 {
        let hash = self.0.clone().update(what).update(bytes).finalize();
        i64::from_le_bytes(hash.as_bytes().first_chunk().copied().unwrap_or_default())
    }
}

/// Where an entry is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(pub(super) i64);

/// What a stat says of a file; as long as it says the same, the file is taken to be the same.
///
/// On Unix it holds device, inode and the inode's time of change, so that an edit that keeps the size and puts the old time
/// back is seen, as git sees it. Elsewhere such an edit is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    bytes: [u8; 56],
    modified: SystemTime,
}

impl Stamp {
    /// A stamp, unless the file system says not even when the file was changed.
    #[must_use]
    pub fn new(size_bytes: u64, modified: Option<SystemTime>, identity: Option<FileIdentity>) -> Option<Self> {
        let modified = modified?;
        let (is_negative, since) = match modified.duration_since(UNIX_EPOCH) {
            Ok(since) => (0, since),
            Err(error) => (1, error.duration()),
        };
        let identity = identity.unwrap_or(FileIdentity { device: 0, inode: 0, changed_ns: 0 });
        let mut bytes = [0; 56];
        let fields = [
            &size_bytes.to_le_bytes()[..],
            &since.as_secs().to_le_bytes(),
            &since.subsec_nanos().to_le_bytes(),
            &u32::to_le_bytes(is_negative),
            &identity.device.to_le_bytes(),
            &identity.inode.to_le_bytes(),
            &identity.changed_ns.to_le_bytes(),
        ];
        for (to, from) in bytes.iter_mut().zip(fields.into_iter().flatten()) {
            *to = *from;
        }
        Some(Self { bytes, modified })
    }

    /// Whether the file may yet be changed without the stamp telling.
    #[must_use]
    pub fn is_racy(&self, now: SystemTime) -> bool {
        now.duration_since(self.modified).is_ok_and(|age| age < RACY) || self.modified > now
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_stamp_counts() {
        let identity = FileIdentity { device: 1, inode: 2, changed_ns: 3 };
        let at = |seconds, nanos| Some(UNIX_EPOCH + Duration::new(seconds, nanos));
        let stamps = [
            Stamp::new(1, at(5, 0), Some(identity)),
            Stamp::new(2, at(5, 0), Some(identity)),
            Stamp::new(1, at(5, 1), Some(identity)),
            Stamp::new(1, at(6, 0), Some(identity)),
            Stamp::new(1, Some(UNIX_EPOCH - Duration::from_secs(5)), Some(identity)),
            Stamp::new(1, at(5, 0), Some(FileIdentity { device: 9, ..identity })),
            Stamp::new(1, at(5, 0), Some(FileIdentity { inode: 9, ..identity })),
            Stamp::new(1, at(5, 0), Some(FileIdentity { changed_ns: 9, ..identity })),
            Stamp::new(1, at(5, 0), None),
        ];
        for (number, stamp) in stamps.iter().enumerate() {
            assert!(stamps.iter().skip(number + 1).all(|other| other.unwrap().as_bytes() != stamp.unwrap().as_bytes()), "{stamp:?}");
        }
        assert!(Stamp::new(1, None, Some(identity)).is_none());
    }

    #[test]
    fn a_file_of_this_moment_or_of_the_future_is_racy() {
        let now = UNIX_EPOCH + Duration::from_secs(100);
        let racy = |milliseconds| Stamp::new(1, Some(UNIX_EPOCH + Duration::from_millis(milliseconds)), None).unwrap().is_racy(now);
        assert_eq!([97_999, 98_000, 98_001, 100_000, 170_000].map(racy), [false, false, true, true, true]);
    }

    #[test]
    fn facts_of_another_flavour_lie_elsewhere() {
        let [a, b, c] = [Flavour::new("image", &["ab"]), Flavour::new("image", &["a", "b"]), Flavour::new("caption", &["ab"])];
        let path = Path::new("/x.png");
        assert!(a.place(path) != b.place(path) && a.place(path) != c.place(path) && a.place(path) != a.place(Path::new("/y.png")));
        assert_eq!(a.place(path), Flavour::new("image", &["ab"]).place(path));
        assert_ne!(a.twin(&ContentHash([1; 32])), b.twin(&ContentHash([1; 32])));
    }
}
