//! The JSON lines of musubi-tuner (`image_jsonl_file`): `image_path` and `caption`.
//!
//! Paths are whole paths, since musubi-tuner takes relative ones from the folder that it is started in. `caption` must be there:
//! a sample without one has an empty one.

use std::io::{BufRead, Write};

use serde::Serialize;

use super::{Dataset, ExportError, Exported, json_line, text};
use crate::manifest::Reader;
use crate::model::{RelPath, printable};

#[derive(Serialize)]
struct Row<'a> {
    image_path: &'a str,
    caption: &'a str,
}

pub(super) fn write<R: BufRead>(manifest: &mut Reader<R>, dataset: Dataset<'_>, out: &mut dyn Write) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    for sample in manifest {
        let sample = sample?;
        let path = dataset.root.join(RelPath::from_escaped(&sample.path).to_os());
        let image_path = path.to_str().ok_or_else(|| ExportError::NotText(printable(&path.to_string_lossy()).into_owned()))?;
        json_line(out, &Row { image_path, caption: text(&sample)?.unwrap_or_default().trim() })?;
        exported.samples += 1;
    }
    Ok(exported)
}
