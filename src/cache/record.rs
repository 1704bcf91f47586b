//! Facts as bytes and back. What may be kept is decided here; where it is kept is not.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Flavour, Place, Stamp};
use crate::model::{Caption, ContentHash, Decoded, Fault, FaultKind, ImageFacts, Probe};

/// Bytes of text above which a caption is not kept: it is read again each time.
const MAX_TEXT: usize = 64 << 10;

/// Bytes of checksum behind the encoded facts: SQLite notices a broken page, not a wrong byte in it.
const CHECKSUM: usize = 8;

/// Facts about one file to be kept.
#[derive(Clone, Debug)]
pub struct Entry {
    pub(super) place: Place,
    pub(super) twin: i64,
    pub(super) stamp: Option<Stamp>,
    pub(super) facts: Vec<u8>,
}

impl Entry {
    /// An entry for facts that may be kept. Without a stamp it can only be found by content.
    #[must_use]
    pub fn new(flavour: &Flavour, place: Place, stamp: Option<Stamp>, facts: &impl Facts) -> Option<Self> {
        let twin = flavour.twin(&facts.content()?);
        Some(Self { place, twin, stamp, facts: facts.encode()? })
    }
}

/// Facts that can be kept.
pub trait Facts: Sized {
    /// Hash of the bytes that they were found in.
    fn content(&self) -> Option<ContentHash>;
    /// Encodes them; `None` if they are not to be kept.
    fn encode(&self) -> Option<Vec<u8>>;
    /// Decodes them; `None` for bytes that were not encoded so.
    fn decode(bytes: &[u8]) -> Option<Self>;
}

impl Facts for ImageFacts {
    fn content(&self) -> Option<ContentHash> {
        self.content
    }

    fn encode(&self) -> Option<Vec<u8>> {
        let depends =
            self.probe.as_ref().is_err_and(depends_on_circumstances) || self.decoded.strict.fault().is_some_and(depends_on_circumstances);
        let content = self.content.filter(|_| !depends)?;
        seal(&(content.0, self.sha256, &self.probe, &self.decoded))
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        type Encoded = ([u8; 32], Option<[u8; 32]>, Result<Probe, Fault>, Decoded);
        let (content, sha256, probe, decoded): Encoded = unseal(bytes)?;
        Some(Self { content: Some(ContentHash(content)), sha256, probe, decoded })
    }
}

/// The path stays empty: who asks for a caption knows where it is.
impl Facts for Caption {
    fn content(&self) -> Option<ContentHash> {
        Some(self.content)
    }

    fn encode(&self) -> Option<Vec<u8>> {
        if self.text.as_ref().is_some_and(|text| text.len() > MAX_TEXT) {
            return None;
        }
        seal(&(self.content.0, self))
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, caption): ([u8; 32], Self) = unseal(bytes)?;
        Some(Self { content: ContentHash(content), ..caption })
    }
}

/// Whether this fault says more about the run than about the file.
fn depends_on_circumstances(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Unreadable | FaultKind::OverBudget | FaultKind::TimedOut | FaultKind::Panic)
}

fn seal(value: &impl Serialize) -> Option<Vec<u8>> {
    let mut bytes = postcard::to_allocvec(value).ok()?;
    let checksum = blake3::hash(&bytes);
    bytes.extend(checksum.as_bytes().iter().take(CHECKSUM));
    Some(bytes)
}

fn unseal<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (bytes, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
    if !blake3::hash(bytes).as_bytes().starts_with(checksum) {
        return None;
    }
    postcard::from_bytes(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::captions::{Tokenizers, read};
    use crate::model::{Encoding, Exif, Format, Mode, Orientation, Size, Strict, Verdict};

    fn image(fault: FaultKind) -> ImageFacts {
        let probe = Probe {
            format: Format::Jpeg,
            variant: "progressive",
            mode: Some(Mode::Rgb),
            bit_depth: 8,
            size: Size::new(3, 4),
            orientation: Orientation::new(6),
            frames: 1,
            icc: true,
            transparency: false,
            exif: Exif::Malformed("odd".to_owned()),
        };
        let decoded = Decoded {
            pillow: Verdict::refuses_load("OSError", "image file is truncated"),
            strict: Strict::Damaged { fault: Fault::at(fault, 7, "cut"), lost: Some(0.25) },
            ..Decoded::undecided(Fault::new(fault, "cut"))
        };
        ImageFacts { content: Some(ContentHash([7; 32])), sha256: Some([9; 32]), probe: Ok(probe), decoded }
    }

    #[test]
    fn facts_survive_the_round_trip() {
        let facts = image(FaultKind::Truncated);
        assert_eq!(ImageFacts::decode(&facts.encode().unwrap()), Some(facts));
        for bytes in [&b"1girl, solo"[..], b"\xff\xfea\0", b"the woman\x92s dress", b"\xff\xd8\xff\xe0\0\x10JFIF", b""] {
            let caption = read(&"".into(), bytes, &Tokenizers::new());
            assert_eq!(Caption::decode(&caption.encode().unwrap()), Some(caption));
        }
    }

    #[test]
    fn a_changed_byte_or_a_cut_is_a_miss() {
        let bytes = image(FaultKind::Truncated).encode().unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(ImageFacts::decode(&changed).is_none() && ImageFacts::decode(&bytes[..at]).is_none(), "byte {at}");
        }
    }

    #[test]
    fn what_circumstances_decided_is_not_kept() {
        for kind in [FaultKind::Unreadable, FaultKind::OverBudget, FaultKind::TimedOut, FaultKind::Panic] {
            assert!(image(kind).encode().is_none(), "{kind:?}");
            let unread = ImageFacts { probe: Err(Fault::new(kind, "")), ..image(FaultKind::Corrupt) };
            assert!(unread.encode().is_none(), "{kind:?}");
        }
        let long = read(&"".into(), "a ".repeat(MAX_TEXT).as_bytes(), &Tokenizers::new());
        assert!(long.encode().is_none());
    }

    #[test]
    fn an_unknown_word_is_a_miss() {
        let mut facts = image(FaultKind::Corrupt);
        facts.probe.as_mut().unwrap().variant = "of tomorrow";
        assert!(ImageFacts::decode(&facts.encode().unwrap()).is_none());
        let mut caption = read(&"".into(), b"x", &Tokenizers::new());
        caption.encoding = Encoding::Legacy("of yesterday");
        assert!(Caption::decode(&caption.encode().unwrap()).is_none());
    }
}
