//! What the trainers' own code answered, row by row. The rows are not part of the project: the tests say that they were skipped when
//! they are absent.

mod ai_toolkit;
mod cache_names;
mod diffusers;
mod diffusion_pipe;
mod kohya;
mod musubi;
mod onetrainer;
mod orders;
mod simpletuner;

use std::collections::BTreeMap;

use walkaround::model::Size;
use walkaround::trainers::Trainer;

use crate::corpus::shared;

/// The rows of a file, each by the names of its columns; `None` if there is no such file.
pub(crate) fn rows(file: &str) -> Option<Vec<BTreeMap<String, String>>> {
    let path = shared(&format!("truth/{file}"))?;
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path).expect("the file can be read");
    let rows: Vec<_> = reader.deserialize().map(|row| row.expect("the row is CSV")).collect();
    assert!(!rows.is_empty(), "{file} has no rows");
    Some(rows)
}

/// A column that holds a number.
pub(crate) fn number(row: &BTreeMap<String, String>, column: &str) -> u32 {
    row[column].parse().expect("the column is a number")
}

/// Two columns that hold a width and a height.
pub(crate) fn size(row: &BTreeMap<String, String>, width: &str, height: &str) -> Size {
    Size::new(number(row, width), number(row, height))
}

/// The rows by the text of a column, in their own order.
pub(crate) fn grouped<'a>(rows: &'a [BTreeMap<String, String>], column: &str) -> BTreeMap<&'a str, Vec<&'a BTreeMap<String, String>>> {
    let mut groups: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for row in rows {
        groups.entry(&row[column]).or_default().push(row);
    }
    groups
}

/// Asks a trainer where the pictures of the rows go; returns the rows whose answer is another one.
pub(crate) fn misplaced(
    rows: &[BTreeMap<String, String>],
    crop: [&str; 2],
    trainer: impl Fn(&BTreeMap<String, String>) -> Box<dyn Trainer>,
) -> Vec<String> {
    let wrong = |row: &BTreeMap<String, String>| {
        let placed = trainer(row).place(size(row, "image_w", "image_h"), 0);
        let is_right = match &placed {
            Ok(placed) if !row["bucket_w"].is_empty() => {
                let sizes = (size(row, "bucket_w", "bucket_h"), size(row, "resized_w", "resized_h"));
                (placed.bucket, placed.resized) == sizes && placed.crop == crop.map(|column| number(row, column))
            }
            Ok(_) => false,
            Err(unplaced) => unplaced.error == row["error"],
        };
        (!is_right).then(|| format!("{row:?}: {placed:?}"))
    };
    rows.iter().filter_map(wrong).collect()
}
