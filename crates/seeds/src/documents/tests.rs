//! The promises of the document seeds, each kept on real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod change_format;
mod compare;
mod read_files;
mod tables;

use crate::testing::{Ran, run};
use metnos_executor::{ErrorClass, Op};
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn put(dir: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn class(ran: &Ran) -> ErrorClass {
    ran.outcome.failed.first().expect("a failed item").error_class
}

fn zip_of(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in parts {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn docx(body: &str) -> Vec<u8> {
    let xml = format!("<w:document xmlns:w=\"w\" xmlns:mc=\"m\"><w:body>{body}</w:body></w:document>");
    zip_of(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", xml.as_bytes())])
}

/// A PDF whose pages hold the given programs.
fn pdf(programs: &[&str]) -> Vec<u8> {
    use lopdf::{Document, Object, Stream, dictionary};
    let mut doc = Document::with_version("1.5");
    let pages = doc.new_object_id();
    let font = doc.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let resources = doc.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let kids: Vec<Object> = programs
        .iter()
        .map(|program| {
            let mut stream = Stream::new(dictionary! {}, program.as_bytes().to_vec());
            let _ = stream.compress();
            let content = doc.add_object(stream);
            doc.add_object(dictionary! { "Type" => "Page", "Parent" => pages, "Contents" => content }).into()
        })
        .collect();
    let count = kids.len() as i64;
    doc.objects.insert(
        pages,
        Object::Dictionary(dictionary! {
            "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources,
        }),
    );
    let catalog = doc.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    doc.trailer.set("Root", catalog);
    let mut out = Vec::new();
    doc.save_to(&mut out).unwrap();
    out
}

/// A workbook with a header, a date, a whole and a broken number, and a second sheet.
fn xlsx() -> Vec<u8> {
    use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (i, name) in ["Nome", "Quando", "Quanto"].iter().enumerate() {
        sheet.write(0, i as u16, *name).unwrap();
    }
    let date = Format::new().set_num_format("yyyy-mm-dd");
    sheet.write(1, 0, "pane").unwrap();
    sheet.write_with_format(1, 1, ExcelDateTime::from_ymd(2026, 11, 15).unwrap(), &date).unwrap();
    sheet.write(1, 2, 3.0).unwrap();
    sheet.write(3, 0, "=latte").unwrap();
    sheet.write(3, 2, 1.5).unwrap();
    let other = book.add_worksheet();
    other.set_name("Altro").unwrap();
    other.write(0, 0, 7).unwrap();
    book.save_to_buffer().unwrap()
}
