//! A workbook of one sheet, written as a stream: no row is held, no thread started, no temporary
//! file made. Text goes in as text, so that nothing in it can become a formula.

use super::{cell, markup};
use serde_json::Value;
use std::io::{self, Write};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The rows a sheet may have.
const ROWS_MAX: u32 = 1_048_576;
/// The columns a row may have.
const COLUMNS_MAX: usize = 16_384;
/// The characters a cell may have.
const CELL_MAX: usize = 32_767;

const PARTS: &[(&str, &str)] = &[
    ("[Content_Types].xml", include_str!("xlsx/content_types.xml")),
    ("_rels/.rels", include_str!("xlsx/rels.xml")),
    ("xl/workbook.xml", include_str!("xlsx/workbook.xml")),
    ("xl/_rels/workbook.xml.rels", include_str!("xlsx/workbook_rels.xml")),
];

/// A workbook being written.
pub(crate) struct XlsxOut<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
    row: u32,
    line: String,
}

impl<W: Write> XlsxOut<W> {
    /// Begins the workbook.
    pub(crate) fn new(out: W) -> io::Result<Self> {
        let mut zip = ZipWriter::new_stream(out);
        // A fixed date, so that the same rows give the same file.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default());
        for (name, content) in PARTS {
            zip.start_file(*name, options).map_err(io::Error::other)?;
            zip.write_all(content.as_bytes())?;
        }
        zip.start_file("xl/worksheets/sheet1.xml", options).map_err(io::Error::other)?;
        zip.write_all(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
              <worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>",
        )?;
        Ok(Self { zip, row: 0, line: String::new() })
    }

    /// Adds a row. More than a sheet can hold is an error, never a silent loss.
    pub(crate) fn row(&mut self, cells: &[Value]) -> io::Result<()> {
        if self.row >= ROWS_MAX {
            return Err(too_large("a sheet holds 1048576 rows and there are more"));
        }
        if cells.len() > COLUMNS_MAX {
            return Err(too_large(&format!("{} columns; a sheet holds {COLUMNS_MAX}", cells.len())));
        }
        self.row += 1;
        self.line.clear();
        self.line.push_str(&format!("<row r=\"{}\">", self.row));
        for (i, value) in cells.iter().enumerate() {
            let at = format!("{}{}", column(i), self.row);
            match value {
                Value::Null => {}
                Value::Number(n) if exact(n) => self.line.push_str(&format!("<c r=\"{at}\"><v>{n}</v></c>")),
                Value::Bool(b) => {
                    self.line.push_str(&format!("<c r=\"{at}\" t=\"b\"><v>{}</v></c>", u8::from(*b)));
                }
                other => {
                    let text = cell::plain(other);
                    if text.chars().nth(CELL_MAX).is_some() {
                        return Err(too_large(&format!("cell {at} holds more than {CELL_MAX} characters")));
                    }
                    self.line
                        .push_str(&format!("<c r=\"{at}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">"));
                    markup::escape_into(&text, &mut self.line);
                    self.line.push_str("</t></is></c>");
                }
            }
        }
        self.line.push_str("</row>");
        self.zip.write_all(self.line.as_bytes())
    }

    /// Ends the workbook.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.zip.write_all(b"</sheetData></worksheet>")?;
        self.zip.finish().map_err(io::Error::other)?;
        Ok(())
    }
}

/// Spreadsheets count in floating point: a number it would change stays text.
fn exact(number: &serde_json::Number) -> bool {
    const LARGEST: u64 = 1 << 53;
    number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64()).is_none_or(|n| n <= LARGEST)
}

fn too_large(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, message.to_string())
}

/// `A`, `B`, … `Z`, `AA`, … of a place counted from zero.
fn column(place: usize) -> String {
    let mut letters = Vec::new();
    let mut n = place.saturating_add(1);
    while n > 0 {
        let digit = (n - 1) % 26;
        letters.push(b'A' + u8::try_from(digit).unwrap_or(0));
        n = (n - 1) / 26;
    }
    letters.iter().rev().map(|b| *b as char).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn columns_are_lettered() {
        assert_eq!([0, 25, 26, 701, 702, 16_383].map(column), ["A", "Z", "AA", "ZZ", "AAA", "XFD"]);
    }
}
