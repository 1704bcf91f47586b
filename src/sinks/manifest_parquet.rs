//! The manifest as Parquet: the columns of the CSV with their types; header and summary stand in the file's metadata.
//!
//! Written with the low-level half of the parquet crate, which needs neither arrow nor anything that is not Rust.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::manifest::header_line;
use super::{Header, Sink};
use crate::manifest::{COLUMNS, Cell, Column, ColumnKind, Line, SampleLine, SummaryLine};
use crate::model::{SampleReport, Summary};

/// Rows that are held until they are written together.
const GROUP: usize = 4096;

/// Writes the manifest's columns, some thousand rows at a time.
pub struct ManifestParquet<W: Write + Send> {
    out: SerializedFileWriter<W>,
    rows: Vec<SampleLine>,
    caption_text: bool,
}

impl<W: Write + Send> ManifestParquet<W> {
    /// A table that is written to `out`, with the captions' text if asked.
    ///
    /// # Errors
    ///
    /// An output that cannot be written to.
    pub fn new(out: W, caption_text: bool) -> io::Result<Self> {
        let fields = COLUMNS.iter().map(|column| Ok(Arc::new(field(column)?))).collect::<Result<_>>().map_err(failed)?;
        let schema = Type::group_type_builder("manifest").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let out = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        Ok(Self { out, rows: Vec::new(), caption_text })
    }

    fn keep(&mut self, key: &str, line: &Line) -> io::Result<()> {
        self.out.append_key_value_metadata(KeyValue::new(key.to_owned(), serde_json::to_string(line)?));
        Ok(())
    }

    fn write_rows(&mut self) -> Result<()> {
        let mut group = self.out.next_row_group()?;
        for column in COLUMNS {
            if let Some(mut writer) = group.next_column()? {
                write_column(&mut writer, column, &self.rows)?;
                writer.close()?;
            }
        }
        group.close()?;
        self.rows.clear();
        Ok(())
    }
}

impl<W: Write + Send> Sink for ManifestParquet<W> {
    fn begin(&mut self, header: &Header<'_>) -> io::Result<()> {
        self.keep("walkaround.header", &header_line(header))
    }

    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.rows.push(SampleLine::new(report, self.caption_text));
        if self.rows.len() < GROUP { Ok(()) } else { self.write_rows().map_err(failed) }
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        if !self.rows.is_empty() {
            self.write_rows().map_err(failed)?;
        }
        self.keep("walkaround.summary", &Line::Summary(SummaryLine::new(summary)))?;
        self.out.finish().map_err(failed)?;
        self.out.inner_mut().flush()
    }
}

fn field(column: &Column) -> Result<Type> {
    let (physical, converted) = match column.kind {
        ColumnKind::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
        ColumnKind::Integer => (Physical::INT64, ConvertedType::NONE),
        ColumnKind::Float => (Physical::DOUBLE, ConvertedType::NONE),
        ColumnKind::Bool => (Physical::BOOLEAN, ConvertedType::NONE),
    };
    Type::primitive_type_builder(column.name, physical).with_converted_type(converted).with_repetition(Repetition::OPTIONAL).build()
}

fn write_column(writer: &mut SerializedColumnWriter<'_>, column: &Column, rows: &[SampleLine]) -> Result<()> {
    let cells: Vec<Cell> = rows.iter().map(column.cell).collect();
    match column.kind {
        ColumnKind::Text => write_cells::<ByteArrayType>(writer, &cells, |cell| match cell {
            Cell::Text(text) => Some(ByteArray::from(text.as_str())),
            _ => None,
        }),
        ColumnKind::Integer => write_cells::<Int64Type>(writer, &cells, |cell| match cell {
            // Parquet has no larger plain integers; no file is that long.
            Cell::Integer(number) => Some(i64::try_from(*number).unwrap_or(i64::MAX)),
            _ => None,
        }),
        ColumnKind::Float => write_cells::<DoubleType>(writer, &cells, |cell| match cell {
            Cell::Float(number) => Some(*number),
            _ => None,
        }),
        ColumnKind::Bool => write_cells::<BoolType>(writer, &cells, |cell| match cell {
            Cell::Bool(is) => Some(*is),
            _ => None,
        }),
    }
}

fn write_cells<T: DataType>(writer: &mut SerializedColumnWriter<'_>, cells: &[Cell], value: impl Fn(&Cell) -> Option<T::T>) -> Result<()> {
    let values: Vec<Option<T::T>> = cells.iter().map(value).collect();
    // 1 where there is something, 0 where there is nothing.
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    writer.typed::<T>().write_batch(&values, Some(&levels), None)?;
    Ok(())
}

fn failed(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
