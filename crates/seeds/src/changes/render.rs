//! Records as the text of a file: csv, json, markdown, html, plain lines. Each streams.

use super::records::Records;
use crate::tables::cell::{harmless, harmless_text, plain};
use crate::tables::markup::escape;
use crate::tables::xlsx::XlsxOut;
use metnos_executor::formats::Format;
use serde_json::{Map, Value};
use std::io::{self, Write};

/// Writes every record as `format`. `header` is false when the file already has one.
pub(super) fn render(
    format: Format,
    records: &mut Records<'_>,
    header: bool,
    tick: &mut dyn FnMut(u64) -> io::Result<()>,
    w: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Text => text(records, tick, w),
        Format::Csv => csv(records, header, tick, w),
        Format::Json => json(records, tick, w),
        Format::Md => md(records, header, tick, w),
        Format::Html => html(records, tick, w),
        Format::Xlsx => xlsx(records, tick, w),
    }
}

type Tick<'t> = &'t mut dyn FnMut(u64) -> io::Result<()>;

/// The line of a record is its content if it has one, else the thing it names, else all of it.
fn text(records: &mut Records<'_>, tick: Tick<'_>, w: &mut dyn Write) -> io::Result<()> {
    while let Some(mut record) = records.next().map_err(io::Error::other)? {
        tick(records.count)?;
        let known = ["content", "text", "path", "name"].iter().find_map(|key| record.get(*key)?.as_str());
        match known {
            Some(line) => w.write_all(line.as_bytes())?,
            None => {
                record.shift_remove("_origin");
                serde_json::to_writer(&mut *w, &record)?;
            }
        }
        w.write_all(b"\n")?;
    }
    Ok(())
}

fn csv(records: &mut Records<'_>, header: bool, tick: Tick<'_>, w: &mut dyn Write) -> io::Result<()> {
    let columns = records.columns.clone();
    if columns.is_empty() {
        return Ok(());
    }
    let mut out = csv::Writer::from_writer(w);
    if header {
        out.write_record(columns.iter().map(|c| harmless_text(c).into_owned()))?;
    }
    while let Some(record) = records.next().map_err(io::Error::other)? {
        tick(records.count)?;
        out.write_record(columns.iter().map(|c| harmless(value(&record, c)).into_owned()))?;
    }
    out.flush()
}

fn json(records: &mut Records<'_>, tick: Tick<'_>, w: &mut dyn Write) -> io::Result<()> {
    w.write_all(b"[")?;
    while let Some(mut record) = records.next().map_err(io::Error::other)? {
        tick(records.count)?;
        record.shift_remove("_origin");
        w.write_all(if records.count > 1 { b",\n" } else { b"\n" })?;
        serde_json::to_writer(&mut *w, &record)?;
    }
    w.write_all(b"\n]\n")
}

fn md(records: &mut Records<'_>, header: bool, tick: Tick<'_>, w: &mut dyn Write) -> io::Result<()> {
    let columns = records.columns.clone();
    if columns.is_empty() {
        return Ok(());
    }
    if !header {
        // A table directly below another text would become part of it.
        w.write_all(b"\n")?;
    }
    writeln!(w, "| {} |", columns.iter().map(|c| md_cell(c)).collect::<Vec<_>>().join(" | "))?;
    writeln!(w, "|{}", " --- |".repeat(columns.len()))?;
    while let Some(record) = records.next().map_err(io::Error::other)? {
        tick(records.count)?;
        let row: Vec<String> = columns.iter().map(|c| md_cell(&plain(value(&record, c)))).collect();
        writeln!(w, "| {} |", row.join(" | "))?;
    }
    Ok(())
}

fn md_cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace(['\r', '\n'], "<br>")
}

fn html(records: &mut Records<'_>, tick: Tick<'_>, w: &mut dyn Write) -> io::Result<()> {
    let columns = records.columns.clone();
    w.write_all(b"<!doctype html>\n<html><head><meta charset=\"utf-8\"></head><body>\n<table>\n<tr>")?;
    for column in &columns {
        write!(w, "<th>{}</th>", escape(column))?;
    }
    w.write_all(b"</tr>\n")?;
    while let Some(record) = records.next().map_err(io::Error::other)? {
        tick(records.count)?;
        w.write_all(b"<tr>")?;
        for column in &columns {
            write!(w, "<td>{}</td>", escape(&plain(value(&record, column))))?;
        }
        w.write_all(b"</tr>\n")?;
    }
    w.write_all(b"</table>\n</body></html>\n")
}

fn xlsx(records: &mut Records<'_>, tick: Tick<'_>, w: &mut dyn Write) -> io::Result<()> {
    let columns = records.columns.clone();
    let mut book = XlsxOut::new(w)?;
    if !columns.is_empty() {
        book.row(&columns.iter().cloned().map(Value::String).collect::<Vec<_>>())?;
    }
    while let Some(mut record) = records.next().map_err(io::Error::other)? {
        tick(records.count)?;
        let row: Vec<Value> =
            columns.iter().map(|c| record.get_mut(c).map(Value::take).unwrap_or_default()).collect();
        book.row(&row)?;
    }
    book.finish()
}

/// The value of a column; null where a record has none.
fn value<'r>(record: &'r Map<String, Value>, column: &str) -> &'r Value {
    record.get(column).unwrap_or(&Value::Null)
}
