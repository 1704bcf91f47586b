//! What earlier runs found: looked up before a file is opened, added when one had to be.

use std::path::Path;

use crate::cache::{Cache, Entry, Facts, Flavour, Reader, Stamp};
use crate::decode::Limits;
use crate::model::{Caption, ContentHash, ImageFacts};
use crate::settings::Settings;

/// The facts cache as one run uses it.
#[derive(Debug)]
pub(super) struct Recall<'a> {
    cache: Option<&'a Cache>,
    image: Flavour,
    caption: Flavour,
    /// Whether images must have their SHA-256.
    sha256: bool,
}

/// The same for one thread.
#[derive(Debug)]
pub(super) struct Memory<'a> {
    recall: &'a Recall<'a>,
    reader: Option<Reader<'a>>,
    fresh: Fresh,
}

/// What the writer of the cache is to know.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    pub(super) entries: Vec<Entry>,
    pub(super) used: Vec<i64>,
}

/// Facts that are kept by a flavour of their own.
pub(super) trait Kind: Facts {
    fn flavour<'a>(recall: &'a Recall<'_>) -> &'a Flavour;
    /// These facts as this run would have found them; `None` if they do not say all that is asked.
    fn fit(self, recall: &Recall<'_>) -> Option<Self>;
}

impl Kind for ImageFacts {
    fn flavour<'a>(recall: &'a Recall<'_>) -> &'a Flavour {
        &recall.image
    }

    fn fit(self, recall: &Recall<'_>) -> Option<Self> {
        match (recall.sha256, self.sha256) {
            (true, None) => None,
            (true, Some(_)) => Some(self),
            (false, _) => Some(Self { sha256: None, ..self }),
        }
    }
}

impl Kind for Caption {
    fn flavour<'a>(recall: &'a Recall<'_>) -> &'a Flavour {
        &recall.caption
    }

    fn fit(self, _: &Recall<'_>) -> Option<Self> {
        Some(self)
    }
}

impl<'a> Recall<'a> {
    /// `limits` are those that images are inspected with.
    pub(super) fn new(settings: &'a Settings, limits: &Limits) -> Self {
        let cache = settings.cache.as_ref();
        // With more memory other readers may be chosen, so facts found with less are others, even where no limit was met.
        let (memory, pixels) = (format!("{} {}", settings.memory_bytes, limits.memory_bytes), limits.pixels.to_string());
        // Asked of a tokenizer file only when it is of use.
        let tokenizers = cache.map(|_| settings.tokenizers.identity()).unwrap_or_default();
        Self {
            cache,
            image: Flavour::new("image", &[&memory, &pixels]),
            caption: Flavour::new("caption", &[&tokenizers]),
            sha256: settings.sha256,
        }
    }

    /// A thread's own.
    pub(super) fn memory(&'a self) -> Memory<'a> {
        Memory { recall: self, reader: self.cache.and_then(Cache::reader), fresh: Fresh::default() }
    }
}

impl Memory<'_> {
    /// The facts of the file at this path, if it is as it was when they were found.
    pub(super) fn unchanged<K: Kind>(&mut self, path: Option<&Path>, stamp: Option<Stamp>) -> Option<K> {
        let place = K::flavour(self.recall).place(path?);
        self.reader.as_mut()?.by_place::<K>(place, &stamp?)?.fit(self.recall)
    }

    /// The facts of another file, or of this one in another place, that has the same content.
    pub(super) fn same_content<K: Kind>(&mut self, content: &ContentHash) -> Option<K> {
        self.reader.as_mut()?.by_content::<K>(K::flavour(self.recall), content)?.fit(self.recall)
    }

    /// Remembers facts that were found in the file at this path; without a stamp they are found by content only.
    pub(super) fn keep<K: Kind>(&mut self, path: Option<&Path>, stamp: Option<Stamp>, facts: &K) {
        let (Some(path), Some(_)) = (path, &self.reader) else { return };
        let flavour = K::flavour(self.recall);
        self.fresh.entries.extend(Entry::new(flavour, flavour.place(path), stamp, facts));
    }

    /// What was remembered since it was asked last.
    pub(super) fn take_fresh(&mut self) -> Fresh {
        Fresh { used: self.reader.as_mut().map(Reader::take_used).unwrap_or_default(), ..std::mem::take(&mut self.fresh) }
    }
}
