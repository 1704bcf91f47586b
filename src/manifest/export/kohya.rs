//! The metadata JSON of sd-scripts (`in_json`, `metadata_file`): one object, a key for each image.
//!
//! Keys are relative to the dataset's root, which is to be given as `image_dir`. `image_size` is width and height as stored:
//! sd-scripts trusts it, and without it takes the size from a cache beside the image if there is one (sd-scripts 48d368fa,
//! `library/train_util.py` 2187-2372).

use std::io::{BufRead, Write};

use serde::Serialize;

use super::{ExportError, Exported, plain, text};
use crate::manifest::Reader;

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    caption: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_size: Option<[u32; 2]>,
}

pub(super) fn write<R: BufRead>(manifest: &mut Reader<R>, out: &mut dyn Write) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    out.write_all(b"{")?;
    for sample in manifest {
        let sample = sample?;
        let image_size = sample.width.zip(sample.height).map(|(width, height)| [width, height]);
        // The caption's surrounding white space is no part of it, as where it is read from a file.
        let entry = Entry { caption: text(&sample)?.map(str::trim), image_size };
        out.write_all(if exported.samples == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &plain(&sample.path)?).map_err(std::io::Error::from)?;
        out.write_all(b": ")?;
        serde_json::to_writer(&mut *out, &entry).map_err(std::io::Error::from)?;
        exported.samples += 1;
    }
    out.write_all(b"\n}\n")?;
    Ok(exported)
}
