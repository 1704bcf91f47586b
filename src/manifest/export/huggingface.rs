//! `metadata.jsonl` and `metadata.csv` of the imagefolder of Hugging Face `datasets`: `file_name` and `text`.
//!
//! Paths are relative to the dataset's root, where the file belongs; it is not written there. Cells of the CSV are not quoted
//! for spreadsheets, since that would change captions.

use std::io::{self, BufRead, Write};

use serde::Serialize;

use super::{ExportError, Exported, json_line, plain, text};
use crate::manifest::Reader;

#[derive(Serialize)]
struct Row<'a> {
    file_name: String,
    text: Option<&'a str>,
}

pub(super) fn json_lines<R: BufRead>(manifest: &mut Reader<R>, out: &mut dyn Write) -> Result<Exported, ExportError> {
    each_row(manifest, |row| json_line(out, row))
}

pub(super) fn csv<R: BufRead>(manifest: &mut Reader<R>, out: &mut dyn Write) -> Result<Exported, ExportError> {
    let mut writer = ::csv::Writer::from_writer(out);
    writer.write_record(["file_name", "text"]).map_err(io::Error::from)?;
    let exported = each_row(manifest, |row| writer.write_record([&row.file_name, row.text.unwrap_or_default()]).map_err(io::Error::from))?;
    writer.flush()?;
    Ok(exported)
}

fn each_row<R: BufRead>(manifest: &mut Reader<R>, mut tell: impl FnMut(&Row<'_>) -> io::Result<()>) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    for sample in manifest {
        let sample = sample?;
        tell(&Row { file_name: plain(&sample.path)?, text: text(&sample)? })?;
        exported.samples += 1;
    }
    Ok(exported)
}
