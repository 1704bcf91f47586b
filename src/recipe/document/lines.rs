//! From a byte offset to a line and a column.

use crate::model::Place;

/// Where the lines of a text begin.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Looks for the line breaks of a text.
    pub(super) fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// The place of a byte; one behind the end counts as the end. The cost is that of one line.
    pub(super) fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let end = offset.min(self.text.len());
        let before = self.text.as_bytes().get(start..end).unwrap_or_default();
        // A character begins at every byte that is not one of its later ones.
        let column = before.iter().filter(|byte| **byte & 0xC0 != 0x80).count() + 1;
        place(line, column)
    }
}

/// A place of numbers that count from 1.
pub(super) fn place(line: usize, column: usize) -> Place {
    Place { line: u32::try_from(line).unwrap_or(u32::MAX), column: u32::try_from(column).unwrap_or(u32::MAX) }
}

/// The place behind a text.
pub(super) fn end_of(text: &str) -> Place {
    Lines::new(text).place(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let lines = Lines::new("a\nä€x\r\nz");
        for (offset, line, column) in [(0, 1, 1), (1, 1, 2), (2, 2, 1), (7, 2, 3), (10, 3, 1), (99, 3, 2)] {
            assert_eq!(lines.place(offset), place(line, column), "{offset}");
        }
    }
}
