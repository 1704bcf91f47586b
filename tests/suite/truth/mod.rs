//! What the trainers' own code answered, row by row. The rows are not part of the project: the tests say that they were skipped when
//! they are absent.

mod diffusers;
mod diffusion_pipe;
mod orders;

use std::collections::BTreeMap;

use crate::corpus::shared;

/// The rows of a file, each by the names of its columns; `None` if there is no such file.
pub(crate) fn rows(file: &str) -> Option<Vec<BTreeMap<String, String>>> {
    let path = shared(&format!("truth/{file}"))?;
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path).expect("the file can be read");
    let rows: Vec<_> = reader.deserialize().map(|row| row.expect("the row is CSV")).collect();
    assert!(!rows.is_empty(), "{file} has no rows");
    Some(rows)
}
