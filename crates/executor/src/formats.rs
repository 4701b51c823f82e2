//! The formats of files that are made here: the list that executors write by, and that a plan is held against before
//! anybody is asked.

use crate::{ErrorClass, Failure, kinds};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What a file of records looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One line for each record.
    Text,
    /// Comma-separated values.
    Csv,
    /// One array of objects.
    Json,
    /// A markdown table.
    Md,
    /// A page with a table.
    Html,
    /// A workbook with one sheet.
    Xlsx,
}

impl Format {
    /// The format a file's extension stands for.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "txt" | "text" | "log" => Some(Self::Text),
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "md" | "markdown" => Some(Self::Md),
            "html" | "htm" => Some(Self::Html),
            "xlsx" => Some(Self::Xlsx),
            _ => None,
        }
    }

    /// True when more of it can follow what a file already holds.
    pub fn appends(self) -> bool {
        matches!(self, Self::Text | Self::Csv | Self::Md)
    }
}

/// Endings of files that hold text, though they are documents, tables or pictures.
const TEXTUAL: [&str; 4] = ["csv", "svg", "tex", "tsv"];

/// True when a file of that name is more than text: written as text it would deceive whoever opens it.
fn is_more_than_text(path: &Path) -> bool {
    let ext = path.extension().unwrap_or_default().as_bytes().to_ascii_lowercase();
    let textual = TEXTUAL.iter().any(|text| text.as_bytes() == ext);
    !textual && !matches!(kinds::of_ext(&ext), None | Some(kinds::Kind::Text | kinds::Kind::Code))
}

/// The format in which a list is written to `path`.
pub fn for_list(path: &Path, said: Option<Format>) -> Result<Format, Failure> {
    match said.or_else(|| Format::of(path)) {
        Some(format) => Ok(format),
        None if is_more_than_text(path) => Err(not_made(path)),
        None => Ok(Format::Text),
    }
}

/// Whether a text can be written to `path`.
pub fn for_content(path: &Path, said: Option<Format>) -> Result<(), Failure> {
    if said == Some(Format::Xlsx) || said.is_none() && Format::of(path) == Some(Format::Xlsx) {
        return Err(Failure::wrong_args("a workbook is made from a list, not from content"));
    }
    if said.is_none() && is_more_than_text(path) { Err(not_made(path)) } else { Ok(()) }
}

fn not_made(path: &Path) -> Failure {
    Failure::new(
        ErrorClass::UnsupportedFormat,
        format!("{}: files of this format are not made", path.display()),
    )
    .with_hint("text, csv, json, md, html and xlsx are")
}

/// The kind of archive that is made at `dst`.
pub fn for_archive(dst: &Path, said: Option<Archive>) -> Result<Archive, Failure> {
    let by_name = Archive::of_name(dst.as_os_str().as_bytes()).filter(|kind| *kind != Archive::Tar);
    let ext = dst.extension().unwrap_or_default().as_bytes();
    match said.or(by_name) {
        Some(kind) => Ok(kind),
        // A zip that calls itself something else would deceive whoever opens it.
        None if kinds::of_ext(ext) == Some(kinds::Kind::Archive) => {
            let why = format!("{}: only zip, tar.gz and tar.zst are made", dst.display());
            Err(Failure::wrong_args(why).with_hint("change the ending of dst, or say the format"))
        }
        None => Ok(Archive::Zip),
    }
}

/// The kinds of archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Archive {
    /// `.zip`
    #[serde(rename = "zip")]
    Zip,
    /// `.tar`, only read.
    #[serde(rename = "tar")]
    Tar,
    /// `.tar.gz`
    #[serde(rename = "tar.gz")]
    TarGz,
    /// `.tar.zst`
    #[serde(rename = "tar.zst")]
    TarZst,
}

/// The endings of archive names, the longer first.
const ENDINGS: [(&str, Archive); 6] = [
    (".tar.gz", Archive::TarGz),
    (".tgz", Archive::TarGz),
    (".tar.zst", Archive::TarZst),
    (".tzst", Archive::TarZst),
    (".tar", Archive::Tar),
    (".zip", Archive::Zip),
];

impl Archive {
    /// The kind a name stands for.
    pub fn of_name(name: &[u8]) -> Option<Self> {
        ENDINGS.iter().find(|(end, _)| ends_with(name, end)).map(|(_, kind)| *kind)
    }

    /// The ending by which a name says so.
    pub fn ending(name: &[u8]) -> Option<&'static str> {
        ENDINGS.iter().find(|(end, _)| ends_with(name, end)).map(|(end, _)| *end)
    }

    /// The kind the first bytes show.
    pub fn of_content(file: &mut File) -> io::Result<Option<Self>> {
        let mut head = Vec::with_capacity(512);
        file.seek(SeekFrom::Start(0))?;
        file.take(512).read_to_end(&mut head)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(match head.as_slice() {
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Self::Zip),
            [0x1f, 0x8b, ..] => Some(Self::TarGz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::TarZst),
            other if other.get(257..262) == Some(b"ustar") => Some(Self::Tar),
            _ => None,
        })
    }

    /// The name written in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::TarGz => "tar.gz",
            Self::TarZst => "tar.zst",
        }
    }
}

fn ends_with(name: &[u8], end: &str) -> bool {
    let start = name.len().saturating_sub(end.len());
    name.get(start..).is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_more_than_text_is_not_written_as_text() {
        let list = |name: &str| for_list(Path::new(name), None);
        assert_eq!(list("/a/x.csv").unwrap(), Format::Csv);
        assert_eq!(list("/a/x").unwrap(), Format::Text);
        assert_eq!(list("/a/x.tsv").unwrap(), Format::Text);
        for name in ["/a/x.docx", "/a/x.PDF", "/a/x.jpg", "/a/x.ods", "/a/x.zip"] {
            assert_eq!(list(name).unwrap_err().class, ErrorClass::UnsupportedFormat, "{name}");
            assert!(for_content(Path::new(name), None).is_err(), "{name}");
        }
        assert!(for_content(Path::new("/a/x.xlsx"), None).is_err());
        for name in ["/a/x.txt", "/a/x.py", "/a/x.svg", "/a/.bashrc", "/a/x.conf"] {
            for_content(Path::new(name), None).unwrap();
        }
        assert!(for_archive(Path::new("/a/x.rar"), None).is_err());
        assert_eq!(for_archive(Path::new("/a/x.tgz"), None).unwrap(), Archive::TarGz);
    }
}
