//! One file from its format to another, into any writer. Which pairs exist is decided here.

use super::csv_rows::CsvRows;
use super::format::{self, Format};
use super::source::{self, shown};
use super::table::{self, Columns};
use super::workbook::Workbook;
use super::{picture, text};
use crate::tables::cell;
use crate::tables::xlsx::XlsxOut;
use image::ImageFormat;
use metnos_executor::failure::class_of;
use metnos_executor::{ErrorClass, Failure};
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::path::Path;

/// The most text of a document that is written out.
const TEXT_MAX: usize = 64 << 20;

/// What a file is to become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A picture.
    Picture(ImageFormat),
    /// Comma-separated values.
    Csv,
    /// A list of records.
    Json,
    /// A workbook.
    Xlsx,
    /// Plain text.
    Text,
}

impl Target {
    /// The target a person names.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "png" => Self::Picture(ImageFormat::Png),
            "jpeg" | "jpg" => Self::Picture(ImageFormat::Jpeg),
            "webp" => Self::Picture(ImageFormat::WebP),
            "gif" => Self::Picture(ImageFormat::Gif),
            "bmp" => Self::Picture(ImageFormat::Bmp),
            "tiff" => Self::Picture(ImageFormat::Tiff),
            "csv" => Self::Csv,
            "json" => Self::Json,
            "xlsx" => Self::Xlsx,
            "text" | "txt" => Self::Text,
            _ => return None,
        })
    }

    /// The extension of its files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Picture(format) => picture::extension(format).unwrap_or("img"),
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Xlsx => "xlsx",
            Self::Text => "txt",
        }
    }
}

/// A conversion that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Picture to picture.
    Picture { to: ImageFormat, width: u32, quality: u8 },
    /// CSV to records.
    CsvJson,
    /// CSV to a workbook.
    CsvXlsx,
    /// The first sheet to CSV.
    XlsxCsv,
    /// The first sheet to records.
    XlsxJson,
    /// Markdown to text without its marks.
    MarkdownText,
    /// Any document to its text.
    DocumentText,
}

/// Which way leads from the file to the target.
pub(crate) fn way(path: &Path, target: Target, width: u32, quality: u8) -> Result<Way, Failure> {
    let none = |what: &str| {
        Err(Failure::new(
            ErrorClass::UnsupportedFormat,
            format!("{}: {what} does not become {}", shown(path), target.extension()),
        ))
    };
    if let Some(from) = picture::format(path)? {
        return match target {
            Target::Picture(to) => Ok(Way::Picture { to, width, quality }),
            _ => none(picture::extension(from).unwrap_or("a picture")),
        };
    }
    let (mut file, size) = source::open(path)?;
    let from = format::of(&mut file, size, path)?;
    Ok(match (from, target) {
        (Format::Csv, Target::Json) => Way::CsvJson,
        (Format::Csv, Target::Xlsx) => Way::CsvXlsx,
        (Format::Xlsx, Target::Csv) => Way::XlsxCsv,
        (Format::Xlsx, Target::Json) => Way::XlsxJson,
        (Format::Markdown, Target::Text) => Way::MarkdownText,
        (Format::Html | Format::Docx | Format::Pdf | Format::Xlsx, Target::Text) => Way::DocumentText,
        (from, _) => return none(from.as_str()),
    })
}

/// Writes the converted file.
pub(crate) fn write(path: &Path, way: Way, out: &mut dyn Write) -> Result<(), Failure> {
    let io = |e: io::Error| Failure::new(class_of(&e), format!("{}: {e}", shown(path)));
    match way {
        Way::Picture { to, width, quality } => {
            out.write_all(&picture::convert(path, to, width, quality)?).map_err(io)
        }
        Way::CsvJson => {
            let mut rows = CsvRows::open(path)?;
            let mut json = Records::begin(out).map_err(io)?;
            while let Some(record) = rows.next()? {
                let cells: Vec<Value> = record.iter().map(table::cell).collect();
                json.row(&cells, || record.iter().map(String::from).collect()).map_err(io)?;
            }
            json.end().map_err(io)
        }
        Way::CsvXlsx => {
            let mut rows = CsvRows::open(path)?;
            let mut book = XlsxOut::new(out).map_err(io)?;
            while let Some(record) = rows.next()? {
                let cells: Vec<Value> = record.iter().map(table::cell).collect();
                book.row(&cells).map_err(io)?;
            }
            book.finish().map_err(io)
        }
        Way::XlsxCsv => {
            let mut csv = csv::WriterBuilder::new().flexible(true).from_writer(out);
            first_sheet(path, &mut |cells| {
                csv.write_record(cells.iter().map(|c| cell::harmless(c).into_owned()))
                    .map_err(io::Error::other)
                    .map_err(io)
            })?;
            csv.flush().map_err(io)
        }
        Way::XlsxJson => {
            let mut json = Records::begin(out).map_err(io)?;
            first_sheet(path, &mut |cells| {
                json.row(cells, || cells.iter().map(|c| cell::plain(c).into_owned()).collect()).map_err(io)
            })?;
            json.end().map_err(io)
        }
        Way::MarkdownText | Way::DocumentText => {
            let text = text::read(path, TEXT_MAX)?;
            if text.cut {
                return Err(Failure::new(
                    ErrorClass::TooLarge,
                    format!("{}: more than {} MiB of text", shown(path), TEXT_MAX >> 20),
                ));
            }
            match way {
                Way::MarkdownText => out.write_all(unmarked(&text.content).as_bytes()).map_err(io),
                _ => out.write_all(text.content.as_bytes()).map_err(io),
            }
        }
    }
}

fn first_sheet(path: &Path, each: &mut dyn FnMut(&[Value]) -> Result<(), Failure>) -> Result<(), Failure> {
    let (mut file, size) = source::open(path)?;
    let mut book = Workbook::open(&mut file, size)?;
    let sheet = book.sheet(None)?;
    book.rows(&sheet, &mut |_, cells| each(cells).map(|()| true))
}

/// A JSON list of records, written row by row.
struct Records<'a> {
    out: &'a mut dyn Write,
    columns: Option<Columns>,
    any: bool,
}

impl<'a> Records<'a> {
    fn begin(out: &'a mut dyn Write) -> io::Result<Self> {
        out.write_all(b"[")?;
        Ok(Self { out, columns: None, any: false })
    }

    fn row(&mut self, cells: &[Value], raw: impl FnOnce() -> Vec<String>) -> io::Result<()> {
        let columns = match &mut self.columns {
            Some(columns) => columns,
            None if table::is_header(cells) => {
                self.columns = Some(Columns::of(&raw()));
                return Ok(());
            }
            None => self.columns.insert(Columns::default()),
        };
        columns.reach(cells.len());
        let record: Map<String, Value> = columns
            .names()
            .iter()
            .enumerate()
            .map(|(i, name)| (name.clone(), cells.get(i).cloned().unwrap_or(Value::Null)))
            .collect();
        self.out.write_all(if self.any { b",\n " } else { b"\n " })?;
        self.any = true;
        serde_json::to_writer(&mut *self.out, &record).map_err(io::Error::from)
    }

    fn end(self) -> io::Result<()> {
        self.out.write_all(b"\n]\n")
    }
}

/// Markdown without the marks a reader of plain text stumbles over: headings, emphasis, fences,
/// and links, which keep their address in parentheses.
fn unmarked(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut fenced = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            out.push_str(line);
        } else {
            let heading = line.trim_start_matches('#');
            let body =
                if heading.starts_with(' ') && heading.len() != line.len() { heading.trim() } else { line };
            inline(body, &mut out);
        }
        out.push('\n');
    }
    out
}

fn inline(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if let Some(link) = rest.strip_prefix("![").or_else(|| rest.strip_prefix('['))
            && let Some((label, after)) = link.split_once("](")
            && !label.contains(['[', ']'])
            && let Some((address, after)) = after.split_once(')')
        {
            out.push_str(&format!("{label} ({address})"));
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix("**").or_else(|| rest.strip_prefix("__")) {
            rest = after;
            continue;
        }
        if c != '`' {
            out.push(c);
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn markdown_loses_its_marks_and_nothing_else() {
        let text = "# Titolo\nun **forte** `cod` [qui](http://x.it)\n```\n# no **x**\n```\n#tag 2*3 [a] (b)";
        assert_eq!(unmarked(text), "Titolo\nun forte cod qui (http://x.it)\n# no **x**\n#tag 2*3 [a] (b)\n");
    }
}
