//! A workbook with one sheet, written as a stream.
//!
//! The parts of a workbook are few and fixed; writing them here keeps a million rows out of
//! memory and needs no thread, which a cell does not have.

use super::records::{Records, safe_cell};
use super::render::escape;
use metnos_executor::{ErrorClass, Failure};
use serde_json::Value;
use std::io::{self, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The most rows, columns and characters in a cell that spreadsheets open.
const ROWS_MAX: u64 = 1_048_576;
const COLUMNS_MAX: usize = 16_384;
const CELL_MAX: usize = 32_767;

const TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"#;
const ROOT: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const BOOK: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
const BOOK_RELS: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;
const SHEET_HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>"#;
const SHEET_TAIL: &str = "</sheetData></worksheet>";

/// Writes every record as a row below a row of column names.
pub(super) fn xlsx(
    records: &mut Records<'_>,
    tick: &mut dyn FnMut(u64) -> io::Result<()>,
    w: &mut dyn Write,
) -> io::Result<()> {
    let columns = records.columns.clone();
    if columns.len() > COLUMNS_MAX {
        return Err(too_large(format!("{} columns; a sheet holds {COLUMNS_MAX}", columns.len())));
    }
    let mut zip = ZipWriter::new_stream(w);
    let options = SimpleFileOptions::default();
    let parts = [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", ROOT),
        ("xl/workbook.xml", BOOK),
        ("xl/_rels/workbook.xml.rels", BOOK_RELS),
    ];
    for (name, content) in parts {
        zip.start_file(name, options)?;
        zip.write_all(content.as_bytes())?;
    }
    zip.start_file("xl/worksheets/sheet1.xml", options)?;
    let mut out = io::BufWriter::new(zip);
    out.write_all(SHEET_HEAD.as_bytes())?;
    if !columns.is_empty() {
        out.write_all(b"<row>")?;
        for column in &columns {
            let name = Value::String(column.clone());
            text_cell(&mut out, &safe_cell(Some(&name)))?;
        }
        out.write_all(b"</row>")?;
    }
    while let Some(record) = records.next().map_err(io::Error::other)? {
        tick(records.count)?;
        if records.count >= ROWS_MAX {
            return Err(too_large(format!("a sheet holds {ROWS_MAX} rows; csv holds any number")));
        }
        out.write_all(b"<row>")?;
        for column in &columns {
            match record.get(column) {
                None | Some(Value::Null) => out.write_all(b"<c/>")?,
                // Spreadsheets count in floating point: a number it would change stays text.
                Some(Value::Number(n)) if exact(n) => write!(out, "<c><v>{n}</v></c>")?,
                Some(Value::Bool(b)) => write!(out, "<c t=\"b\"><v>{}</v></c>", u8::from(*b))?,
                value => text_cell(&mut out, &safe_cell(value))?,
            }
        }
        out.write_all(b"</row>")?;
    }
    out.write_all(SHEET_TAIL.as_bytes())?;
    let zip = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    zip.finish()?;
    Ok(())
}

fn exact(number: &serde_json::Number) -> bool {
    const LARGEST: u64 = 1 << 53;
    number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64()).is_none_or(|n| n <= LARGEST)
}

fn text_cell(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let end = text.char_indices().nth(CELL_MAX).map_or(text.len(), |(i, _)| i);
    let shown = text.get(..end).unwrap_or(text);
    write!(out, "<c t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>", escape(shown))
}

fn too_large(message: String) -> io::Error {
    io::Error::other(Failure::new(ErrorClass::TooLarge, message))
}
