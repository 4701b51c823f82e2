//! The text of a document, whatever its format: at once with a cap, or as a stream of UTF-8.

use super::charset::Utf8;
use super::format::{self, Format};
use super::html::Html;
use super::sink::Sink;
use super::source::{self, guarded, shown};
use super::workbook::Workbook;
use super::{docx, pdf};
use crate::tables::cell::plain;
use metnos_executor::Failure;
use std::fs::File;
use std::io::{BufRead, Cursor};
use std::path::Path;

/// What one file gave.
pub(crate) struct Text {
    /// The text.
    pub(crate) content: String,
    /// What the file is.
    pub(crate) format: Format,
    /// Pages of a PDF, sheets of a workbook.
    pub(crate) pages: Option<u64>,
    /// Pages that could not be read.
    pub(crate) unread_pages: u64,
    /// True when the cap cut it.
    pub(crate) cut: bool,
    /// Size of the file, which for plain formats is about the size of its text.
    pub(crate) size: u64,
    /// The charset of a plain format.
    pub(crate) charset: Option<&'static str>,
}

/// The most text taken from a document that must be unfolded to be searched.
const UNFOLDED_MAX: usize = 64 << 20;

/// Reads at most `cap` bytes of text out of the file.
pub(crate) fn read(path: &Path, cap: usize) -> Result<Text, Failure> {
    let (mut file, size) = source::open(path)?;
    let format = format::of(&mut file, size, path)?;
    let sink = Sink::new(cap);
    let named = |f: Failure| Failure { message: format!("{}: {}", shown(path), f.message), ..f };
    let (mut pages, mut unread_pages, mut charset) = (None, 0, None);
    let sink = match format {
        Format::Pdf => {
            let read = guarded("the PDF", || pdf::read(&mut file, size, sink)).map_err(named)?;
            (pages, unread_pages) = (Some(read.total), read.unread);
            read.sink
        }
        Format::Docx => guarded("the document", || docx::read(&mut file, size, sink)).map_err(named)?,
        Format::Xlsx => {
            let (sink, sheets) = sheets(&mut file, size, sink).map_err(named)?;
            pages = Some(sheets);
            sink
        }
        Format::Html => {
            let mut source = Utf8::new(file);
            let mut html = Html::new(sink);
            pump(&mut source, path, |piece| {
                html.feed(piece);
                !html.is_full()
            })?;
            charset = Some(source.charset());
            html.finish()
        }
        Format::Text | Format::Markdown | Format::Csv | Format::Json => {
            let mut source = Utf8::new(file);
            let mut sink = sink;
            pump(&mut source, path, |piece| {
                sink.push(&String::from_utf8_lossy(piece));
                !sink.is_full()
            })?;
            charset = Some(source.charset());
            sink
        }
    };
    let cut = sink.is_full() || pages.is_some_and(|p| format == Format::Pdf && p > pdf::PAGES_MAX as u64);
    Ok(Text { content: sink.into_text(), format, pages, unread_pages, cut, size, charset })
}

/// The text of the file as a stream: its own bytes as UTF-8 for plain formats (HTML included, as
/// written), the unfolded text for the others. The flag says that unfolding was cut.
pub(crate) fn stream(path: &Path) -> Result<(Box<dyn BufRead>, bool), Failure> {
    let (mut file, size) = source::open(path)?;
    if format::of(&mut file, size, path)?.is_plain() {
        return Ok((Box::new(Utf8::new(file)), false));
    }
    drop(file);
    let text = read(path, UNFOLDED_MAX)?;
    Ok((Box::new(Cursor::new(text.content.into_bytes())), text.cut))
}

fn pump(source: &mut Utf8<File>, path: &Path, mut each: impl FnMut(&[u8]) -> bool) -> Result<(), Failure> {
    loop {
        let piece = source.fill_buf().map_err(|e| Failure::io(shown(path), &e))?;
        let n = piece.len();
        if n == 0 || !each(piece) {
            return Ok(());
        }
        source.consume(n);
    }
}

/// Every sheet as tab-separated lines under its name.
fn sheets(file: &mut File, size: u64, mut sink: Sink) -> Result<(Sink, u64), Failure> {
    let mut book = Workbook::open(file, size)?;
    let names = book.sheets().to_vec();
    for (i, name) in names.iter().enumerate() {
        if names.len() > 1 {
            if i > 0 {
                sink.push("\n");
            }
            sink.push(&format!("# {name}\n"));
        }
        book.rows(name, &mut |_, row| {
            let cells: Vec<String> = row.iter().map(|c| plain(c).replace(['\t', '\n', '\r'], " ")).collect();
            sink.push(&cells.join("\t"));
            sink.push("\n");
            Ok(!sink.is_full())
        })?;
        if sink.is_full() {
            break;
        }
    }
    Ok((sink, names.len() as u64))
}
