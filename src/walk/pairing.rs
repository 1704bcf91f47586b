//! Which files belong together: images and captions of one stem in one folder. Pure: no file system here.

use std::collections::HashMap;
use std::time::SystemTime;

use super::WalkError;
use super::names::{NameClass, is_json, is_metadata, strip_caption};
use crate::model::{FileIdentity, NamedAs, RelPath, Sample, SampleIndex, SideFile};

/// A file that the listing found, not yet paired.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) path: RelPath,
    pub(super) size_bytes: u64,
    pub(super) modified: Option<SystemTime>,
    pub(super) identity: Option<FileIdentity>,
    pub(super) class: NameClass,
}

impl Entry {
    fn into_side_file(self) -> SideFile {
        SideFile { path: self.path, size_bytes: self.size_bytes, modified: self.modified, identity: self.identity }
    }

    /// What the content is taken for, if this can be a sample.
    fn named_as(&self) -> Option<NamedAs> {
        match self.class {
            NameClass::Image(format) => Some(NamedAs::Image(format)),
            NameClass::Unknown => Some(NamedAs::Unknown),
            _ => None,
        }
    }
}

/// The files by their part in the dataset, each list in the order of the entries.
#[derive(Debug, Default)]
pub(super) struct Paired {
    pub(super) samples: Vec<Sample>,
    pub(super) orphan_captions: Vec<SideFile>,
    pub(super) metadata: Vec<SideFile>,
}

/// What goes with the images of one stem.
#[derive(Debug, Default)]
struct Companions {
    /// Whether one of the images is so by its name; a file of unknown kind does not make a JSON file a caption.
    has_named_image: bool,
    caption: Option<SideFile>,
    others: Vec<Box<str>>,
}

/// Pairs entries, which are sorted by path and unique. Linear in their number.
///
/// Stems are compared exactly, as `os.path.splitext(image)[0] + extension` does on a case-sensitive file system. Two images
/// of one stem share their caption.
pub(super) fn pair(entries: Vec<Entry>, caption_extension: &str) -> Result<Paired, WalkError> {
    let (images, others): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|entry| entry.named_as().is_some());
    let mut stems: HashMap<&str, Companions> = HashMap::with_capacity(images.len());
    for image in &images {
        let companions = stems.entry(image.path.without_extension()).or_default();
        companions.has_named_image |= matches!(image.class, NameClass::Image(_));
    }

    let mut paired = Paired::default();
    for entry in others {
        match entry.class {
            NameClass::Caption => match strip_caption(entry.path.as_str(), caption_extension).and_then(|stem| stems.get_mut(stem)) {
                Some(companions) if !is_json(entry.path.name()) || companions.has_named_image => {
                    companions.caption = Some(entry.into_side_file());
                }
                _ if is_metadata(entry.path.name()) => paired.metadata.push(entry.into_side_file()),
                _ => paired.orphan_captions.push(entry.into_side_file()),
            },
            NameClass::CaptionLike => match stems.get_mut(entry.path.without_extension()) {
                Some(companions) if companions.has_named_image => companions.others.push(entry.path.extension().into()),
                _ if is_json(entry.path.name()) => paired.metadata.push(entry.into_side_file()),
                _ => {}
            },
            NameClass::Metadata => paired.metadata.push(entry.into_side_file()),
            NameClass::Image(_) | NameClass::Unknown | NameClass::System(_) | NameClass::Other => {}
        }
    }

    let mut samples = Vec::with_capacity(images.len());
    for (number, image) in images.iter().enumerate() {
        let Some(named_as) = image.named_as() else { continue };
        let companions = stems.get(image.path.without_extension());
        samples.push(Sample {
            index: SampleIndex(u32::try_from(number).map_err(|_| WalkError::TooManySamples)?),
            path: image.path.clone(),
            size_bytes: image.size_bytes,
            modified: image.modified,
            identity: image.identity,
            named_as,
            caption: companions.and_then(|companions| companions.caption.clone()),
            other_captions: companions.map(|companions| companions.others.clone()).unwrap_or_default(),
        });
    }
    Ok(Paired { samples, ..paired })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::names::classify;
    use super::*;

    fn paired(names: &[&str], caption_extension: &str) -> Paired {
        let mut names = names.to_vec();
        names.sort_unstable();
        let entries = names.iter().map(|name| Entry {
            path: RelPath::from(*name),
            size_bytes: 1,
            modified: None,
            identity: None,
            class: classify(RelPath::from(*name).name(), caption_extension),
        });
        pair(entries.collect(), caption_extension).expect("there are few samples")
    }

    fn caption<'a>(paired: &'a Paired, image: &str) -> Option<&'a str> {
        let sample = paired.samples.iter().find(|sample| sample.path.as_str() == image).expect("the image is a sample");
        sample.caption.as_ref().map(|caption| caption.path.as_str())
    }

    fn paths(files: &[SideFile]) -> Vec<&str> {
        files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn captions_are_found_by_stem_in_the_same_folder_and_case() {
        let paired = paired(&["a/x.png", "a/x.txt", "b/x.png", "a/Y.png", "a/y.txt", "a/b.c.png", "a/b.c.txt"], ".txt");
        assert_eq!(caption(&paired, "a/x.png"), Some("a/x.txt"));
        assert_eq!(caption(&paired, "b/x.png"), None);
        assert_eq!(caption(&paired, "a/Y.png"), None);
        assert_eq!(caption(&paired, "a/b.c.png"), Some("a/b.c.txt"));
        assert_eq!(paths(&paired.orphan_captions), ["a/y.txt"]);
    }

    #[test]
    fn images_of_one_stem_share_the_caption() {
        let paired = paired(&["cat.jpg", "cat.png", "cat.txt"], ".txt");
        assert_eq!((caption(&paired, "cat.jpg"), caption(&paired, "cat.png")), (Some("cat.txt"), Some("cat.txt")));
        assert!(paired.orphan_captions.is_empty());
    }

    #[test]
    fn other_captions_are_listed_in_their_own_case() {
        let paired = paired(&["a.png", "a.TXT", "a.caption", "a.json", "a.npz", "b.txt"], ".caption");
        assert_eq!(caption(&paired, "a.png"), Some("a.caption"));
        let others: Vec<&str> = paired.samples[0].other_captions.iter().map(AsRef::as_ref).collect();
        assert_eq!(others, ["TXT", "json"]);
        assert!(paired.orphan_captions.is_empty(), "only the settings' extension makes an orphan");
        assert!(paired.metadata.is_empty());
    }

    #[test]
    fn json_belongs_to_the_dataset_unless_an_image_claims_it() {
        let paired = paired(&["all.json", "cat.json", "cat.png", "thing.json", "thing.xyz", "metadata.json1", "metadata.txt"], ".txt");
        assert_eq!(paths(&paired.metadata), ["all.json", "metadata.json1", "metadata.txt", "thing.json"]);
        assert!(paired.orphan_captions.is_empty());
    }

    #[test]
    fn texts_without_an_image_are_orphans() {
        let paired = paired(&["README.txt", "classes.txt", "cat.png"], ".txt");
        assert_eq!(paths(&paired.orphan_captions), ["README.txt", "classes.txt"]);
    }

    #[test]
    fn an_image_without_extension_has_its_caption() {
        let paired = paired(&["cat", "cat.txt"], ".txt");
        assert_eq!(caption(&paired, "cat"), Some("cat.txt"));
        assert_eq!(paired.samples[0].named_as, NamedAs::Unknown);
    }

    #[test]
    fn a_hundred_thousand_files_in_one_folder_are_paired_in_linear_time() {
        let names: Vec<String> = (0..50_000).flat_map(|n| [format!("{n:06}.png"), format!("{n:06}.txt")]).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let start = Instant::now();
        let paired = paired(&names, ".txt");
        assert!(paired.samples.iter().all(|sample| sample.caption.is_some()));
        assert!(start.elapsed().as_secs() < 10, "it took {:?}", start.elapsed());
    }
}
