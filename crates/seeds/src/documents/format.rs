//! What a file is, decided by its content first and its extension only where content is silent.

use super::package;
use super::source::shown;
use metnos_executor::{ErrorClass, Failure};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How much of a file is looked at.
const HEAD: u64 = 8 << 10;

/// A kind of document with text in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Anything readable without a better name.
    Text,
    /// By extension.
    Markdown,
    /// By extension.
    Csv,
    /// By its first character and extension.
    Json,
    /// By its first tag or extension.
    Html,
    /// By magic.
    Pdf,
    /// A package with a Word document.
    Docx,
    /// A package with a workbook.
    Xlsx,
}

impl Format {
    /// The name in the answer.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Xlsx => "xlsx",
        }
    }

    /// True when the bytes of the file are its text.
    pub(crate) fn is_plain(self) -> bool {
        !matches!(self, Self::Pdf | Self::Docx | Self::Xlsx)
    }
}

/// Beginnings of files that hold no text, with the word a person uses for them.
const BINARY: &[(&[u8], &str)] = &[
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstandard archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"SQLite format 3", "an SQLite database"),
    (b"OggS", "an Ogg recording"),
    (b"ID3", "an MP3 recording"),
    (b"\xd0\xcf\x11\xe0", "an old Office document (save it as docx or xlsx)"),
];

/// The format of an open file; its position is back at the start.
pub(crate) fn of(file: &mut File, size: u64, path: &Path) -> Result<Format, Failure> {
    let io = |e: std::io::Error| Failure::io(shown(path), &e);
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head).map_err(io)?;
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    let found = match plain(&head, path) {
        Sniffed::Is(format) => Ok(format),
        Sniffed::Package => {
            let found = package::kind(file, size);
            file.seek(SeekFrom::Start(0)).map_err(io)?;
            found.map_err(|f| Failure { message: format!("{}: {}", shown(path), f.message), ..f })?
        }
        Sniffed::Binary(what) => Err(what),
    };
    found.map_err(|what| {
        Failure::new(ErrorClass::UnsupportedFormat, format!("{} is {what}, not text", shown(path)))
    })
}

enum Sniffed {
    Is(Format),
    Package,
    Binary(&'static str),
}

fn plain(head: &[u8], path: &Path) -> Sniffed {
    if let Some((_, what)) = BINARY.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Sniffed::Binary(what);
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Sniffed::Package;
    }
    // Readers accept a little noise before the PDF header, so writers produce it.
    if head.get(..1024.min(head.len())).is_some_and(|h| h.windows(5).any(|w| w == b"%PDF-"))
        && (head.starts_with(b"%PDF-") || extension(path) == "pdf")
    {
        return Sniffed::Is(Format::Pdf);
    }
    let utf16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if !utf16 && looks_binary(head) {
        return Sniffed::Binary("a binary file");
    }
    Sniffed::Is(by_look(head, &extension(path)))
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// True when a head without a byte order mark cannot be text.
pub(crate) fn looks_binary(head: &[u8]) -> bool {
    let control = head
        .iter()
        .filter(|b| **b < 0x20 && !matches!(**b, b'\t' | b'\n' | b'\r' | 0x08 | 0x0c | 0x1b))
        .count();
    head.contains(&0) || control.saturating_mul(10) > head.len()
}

fn by_look(head: &[u8], extension: &str) -> Format {
    let start = head.trim_ascii_start();
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let begins = |tag: &[u8]| start.get(..tag.len()).is_some_and(|s| s.eq_ignore_ascii_case(tag));
    match extension {
        "md" | "markdown" => return Format::Markdown,
        "csv" | "tsv" => return Format::Csv,
        "json" | "jsonl" | "ndjson" | "geojson" => return Format::Json,
        "html" | "htm" | "xhtml" => return Format::Html,
        _ => {}
    }
    if begins(b"<!doctype html") || begins(b"<html") || begins(b"<head") || begins(b"<body") {
        return Format::Html;
    }
    let whole = head.len() < HEAD as usize;
    if whole
        && (begins(b"{") || begins(b"["))
        && serde_json::from_slice::<serde::de::IgnoredAny>(start).is_ok()
    {
        return Format::Json;
    }
    Format::Text
}
