//! `metadata.csv` of imagefolder, read the way pandas reads it with its default settings.

use std::collections::HashSet;

use csv::{ReaderBuilder, StringRecord};

use super::lines::is_file_key;
use super::rows::{MAX_ROWS, Place, Rows};
use crate::model::{CaptionCell, MetadataFacts, MetadataFaultKind, MetadataKind, RelPath};

/// Texts that pandas reads as null (pandas 2, documentation of `read_csv`, `na_values`).
const NULLS: [&str; 18] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None",
    "nan", "null",
];

/// Columns that hold captions, the commonest first.
const CAPTION_COLUMNS: [&str; 3] = ["text", "caption", "prompt"];

/// Reads `metadata.csv`.
pub(super) fn read(path: &RelPath, bytes: &[u8]) -> MetadataFacts {
    read_up_to(MAX_ROWS, path, bytes)
}

fn read_up_to(limit: usize, path: &RelPath, bytes: &[u8]) -> MetadataFacts {
    let mut rows = Rows::up_to(limit);
    // pandas drops a byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if std::str::from_utf8(bytes).is_err() {
        for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
            rows.check_utf8(text, Place { line, column: 0, record: None });
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    let mut header: Option<Header> = None;
    let mut number = 0;
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                rows.fault(MetadataFaultKind::Parse, Place { line, column: 0, record: Some(number) }, error.to_string());
                break;
            }
        }
        let line = record.position().map_or(0, csv::Position::line);
        match &header {
            None => header = Some(Header::of(&record, &mut rows)),
            Some(_) if rows.must_stop() => break,
            Some(header) => {
                header.read(&record, Place { line, column: 0, record: Some(number) }, &mut rows);
                number += 1;
            }
        }
    }
    if header.is_none() {
        rows.fault_of_file(MetadataFaultKind::Parse, "the file is empty, a line of column names expected");
    }
    // The reader takes what follows an open quote as one field up to the end; pandas raises "EOF inside string".
    if let Some(line) = open_quote(bytes) {
        let place = Place { line, column: 0, record: number.checked_sub(1) };
        rows.fault(MetadataFaultKind::Parse, place, "a quote is opened and never closed");
    }
    rows.into_facts(path, MetadataKind::Csv)
}

/// The line of a quote that is never closed. Quotes inside a field that does not begin with one are text (`6" nails`).
fn open_quote(bytes: &[u8]) -> Option<u64> {
    let (mut line, mut opened, mut is_field_start) = (1, None, true);
    for &byte in bytes {
        line += u64::from(byte == b'\n');
        match (byte, opened) {
            // A doubled quote closes and opens again, which comes to the same.
            (b'"', Some(_)) => (opened, is_field_start) = (None, true),
            (b'"', None) if is_field_start => opened = Some(line),
            (_, None) => is_field_start = matches!(byte, b',' | b'\n' | b'\r'),
            (_, Some(_)) => {}
        }
    }
    opened
}

/// Which columns matter.
struct Header {
    columns: usize,
    files: Vec<usize>,
    caption: Option<usize>,
}

impl Header {
    fn of(record: &StringRecord, rows: &mut Rows) -> Self {
        let place = Place { line: 1, column: 0, record: None };
        let names: Vec<&str> = record.iter().collect();
        let files: Vec<usize> =
            names.iter().enumerate().filter(|(_, name)| is_file_key(name, MetadataKind::Csv)).map(|(column, _)| column).collect();
        if files.is_empty() {
            let detail = format!("the columns are {:?}, one called file_name expected", names.iter().take(10).collect::<Vec<_>>());
            rows.fault(MetadataFaultKind::MissingKey, place, detail);
        }
        let mut seen = HashSet::with_capacity(names.len());
        for (column, name) in names.iter().enumerate().filter(|(_, name)| !seen.insert(**name)) {
            rows.fault(MetadataFaultKind::DuplicateKey, place, format!("column {} is called {name:?} like one before it", column + 1));
        }
        for name in names.iter().filter(|name| name.trim() != **name && is_known(name.trim())) {
            rows.fault(
                MetadataFaultKind::MissingKey,
                place,
                format!("a column is called {name:?}, with a space, {:?} expected", name.trim()),
            );
        }
        let caption = CAPTION_COLUMNS.iter().find_map(|wanted| names.iter().position(|name| name == wanted));
        Self { columns: names.len(), files, caption }
    }

    fn read(&self, record: &StringRecord, place: Place, rows: &mut Rows) {
        if record.len() > self.columns {
            let detail = format!("{} fields, {} expected: a comma inside a caption needs quotes around it", record.len(), self.columns);
            rows.fault(MetadataFaultKind::Parse, place, detail);
        }
        let mut files = Vec::new();
        // Columns are in order: a short row ends the search, however many columns the header has.
        for file in self.files.iter().map_while(|&column| record.get(column)) {
            if NULLS.contains(&file) {
                rows.fault(MetadataFaultKind::WrongType, place, format!("file_name is {file:?}, which pandas reads as null"));
            } else {
                rows.check_path(file, place);
                files.push(file.to_owned());
            }
        }
        let caption = match self.caption {
            None => CaptionCell::Absent,
            Some(column) => match record.get(column).unwrap_or_default() {
                null if NULLS.contains(&null) => CaptionCell::Null(null.to_owned()),
                text => CaptionCell::Text { chars: text.trim().chars().count() as u64 },
            },
        };
        rows.add(place.line, files, caption);
    }
}

/// Whether a column of this name means something.
fn is_known(name: &str) -> bool {
    is_file_key(name, MetadataKind::Csv) || CAPTION_COLUMNS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<(MetadataFaultKind, u64)> {
        read(&RelPath::from("metadata.csv"), text.as_bytes()).faults.iter().map(|fault| (fault.kind, fault.line)).collect()
    }

    #[test]
    fn words_that_pandas_reads_as_null_are_no_captions() {
        let facts = read(
            &RelPath::from("metadata.csv"),
            b"\xef\xbb\xbffile_name,text\na.png,NA\nb.png,\nc.png,none\nd.png,\"a cat, sitting\"\ne.png\n",
        );
        assert_eq!(facts.faults, []);
        let captions: Vec<_> = facts.rows.iter().map(|row| row.caption.clone()).collect();
        assert_eq!(
            captions,
            [
                CaptionCell::Null("NA".to_owned()),
                CaptionCell::Null(String::new()),
                CaptionCell::Text { chars: 4 },
                CaptionCell::Text { chars: 14 },
                CaptionCell::Null(String::new()),
            ]
        );
        assert_eq!(facts.rows[3].line, 5);
    }

    #[test]
    fn a_comma_without_quotes_is_placed() {
        assert_eq!(faults("file_name,text\na.png,a cat\nb.png,a cat, sitting\n"), [(MetadataFaultKind::Parse, 3)]);
    }

    #[test]
    fn a_quote_that_never_closes_is_placed() {
        assert_eq!(faults("file_name,text\na.png,\"a cat\nb.png,a dog\n"), [(MetadataFaultKind::Parse, 2)]);
        assert_eq!(faults("file_name,text\na.png,6\" nails\nb.png,\"a \"\"big\"\" cat\"\n"), []);
    }

    #[test]
    fn columns_are_needed() {
        assert_eq!(faults("image,text\na.png,a cat\n"), [(MetadataFaultKind::MissingKey, 1)]);
        assert_eq!(faults("file_name, text\na.png,a cat\n"), [(MetadataFaultKind::MissingKey, 1)]);
        assert_eq!(faults(""), [(MetadataFaultKind::Parse, 0)]);
        assert_eq!(faults("file_name,text,text\na.png,b,c\n"), [(MetadataFaultKind::DuplicateKey, 1)]);
    }

    #[test]
    fn a_hundred_thousand_columns_end_soon() {
        let begin = std::time::Instant::now();
        let names: Vec<String> = (0..100_000).map(|column| format!("{column}_file_name")).collect();
        let rows = "a.png\n".repeat(100_000);
        assert_eq!(faults(&format!("{},0_file_name\n{rows}", names.join(","))), [(MetadataFaultKind::DuplicateKey, 1)]);
        assert!(begin.elapsed().as_secs() < 10, "it took {:?}", begin.elapsed());
    }

    #[test]
    fn rows_above_the_limit_are_not_read() {
        let path = RelPath::from("metadata.csv");
        let facts = read_up_to(2, &path, b"file_name\na.png\nb.png\nc.png\n");
        assert_eq!(facts.rows.len(), 2);
        let [fault] = facts.faults.as_slice() else { panic!("{:?}", facts.faults) };
        assert_eq!(
            (fault.kind, fault.detail.as_str()),
            (MetadataFaultKind::AboveLimit, "the file has more than 2 rows, this run's limit; the rest was not read")
        );
        assert_eq!(read_up_to(2, &path, b"file_name\na.png\nb.png\n").faults, []);
        let two_names = read_up_to(2, &path, b"file_name,b_file_name\na.png,b.png\nc.png,d.png\n");
        assert_eq!((two_names.rows.len(), two_names.faults.len()), (1, 1));
    }
}
