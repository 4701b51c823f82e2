//! Office packages: zip files with XML in them, opened with every size bounded, because forty
//! kilobytes of zip can hold four gigabytes of XML.

use super::format::Format;
use metnos_executor::{ErrorClass, Failure};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use zip::ZipArchive;

/// The largest package that is opened.
const PACKAGE_MAX: u64 = 512 << 20;
/// The most parts a package may have: Word with a thousand pictures stays far below.
const PARTS_MAX: u16 = 20_000;
/// The most XML one package may unfold to. Sheets are streamed, so this bounds time.
const XML_MAX: u64 = 1 << 30;
/// The most of it outside the sheets, which the library holds in memory several times over.
const HELD_MAX: u64 = 128 << 20;

/// An open package.
pub(crate) type Package<'a> = ZipArchive<BufReader<&'a mut File>>;

/// Opens a package whose directory is small enough to hold.
pub(crate) fn open(file: &mut File, size: u64) -> Result<Package<'_>, Failure> {
    if size > PACKAGE_MAX {
        return Err(Failure::new(ErrorClass::TooLarge, format!("a package of {size} bytes is not opened")));
    }
    let parts = declared_parts(file, size).map_err(|e| Failure::io("the package", &e))?;
    match parts {
        None => return Err(broken("it has no directory at its end")),
        Some(parts) if parts > PARTS_MAX => {
            return Err(Failure::new(
                ErrorClass::TooLarge,
                format!("a package of {parts} parts is not opened"),
            ));
        }
        Some(_) => {}
    }
    file.seek(SeekFrom::Start(0)).map_err(|e| Failure::io("the package", &e))?;
    ZipArchive::new(BufReader::new(file)).map_err(broken)
}

/// Which document a zip file is, or what else it is.
pub(crate) fn kind(file: &mut File, size: u64) -> Result<Result<Format, &'static str>, Failure> {
    super::source::guarded("the package", || {
        let package = open(file, size)?;
        Ok(if package.index_for_name("word/document.xml").is_some() {
            Ok(Format::Docx)
        } else if package.index_for_name("xl/workbook.xml").is_some() {
            Ok(Format::Xlsx)
        } else {
            Err("a zip archive")
        })
    })
}

/// A failure that says why a package cannot be read.
pub(crate) fn broken(why: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorClass::UnsupportedFormat, format!("the document cannot be read: {why}"))
}

/// How many parts the end record declares; the library would believe it and allocate.
fn declared_parts(file: &mut File, size: u64) -> io::Result<Option<u16>> {
    let tail_len = size.min(22 + 65_535);
    file.seek(SeekFrom::Start(size.saturating_sub(tail_len)))?;
    let mut tail = Vec::new();
    file.by_ref().take(tail_len).read_to_end(&mut tail)?;
    let at = tail.windows(4).rposition(|w| w == b"PK\x05\x06");
    Ok(at.and_then(|at| Some(u16::from_le_bytes([*tail.get(at + 10)?, *tail.get(at + 11)?]))))
}

/// A reader that fails, instead of ending, once more than `left` bytes came through.
pub(crate) struct Capped<R> {
    source: R,
    left: u64,
}

impl<R: Read> Capped<R> {
    /// Lets `cap` bytes through.
    pub(crate) fn new(source: R, cap: u64) -> Self {
        Self { source, left: cap }
    }
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(into)?;
        self.left = self.left.checked_sub(n as u64).ok_or_else(|| {
            io::Error::new(io::ErrorKind::FileTooLarge, "it unfolds to more than may be read")
        })?;
        Ok(n)
    }
}

/// Unfolds every XML part once and throws it away, so that a library that reads parts without a
/// bound is only ever given a package whose whole size is known to be bearable. Also refuses a
/// table of strings that announces more strings than it has room for, which would be allocated.
pub(crate) fn weigh(package: &mut Package<'_>) -> Result<(), Failure> {
    let (mut left, mut held) = (XML_MAX, HELD_MAX);
    for i in 0..package.len() {
        let part = package.by_index_raw(i).map_err(broken)?;
        let name = part.name().map(|n| n.to_ascii_lowercase()).unwrap_or_default();
        drop(part);
        if !(name.ends_with(".xml") || name.ends_with(".rels")) {
            continue;
        }
        let budget = if name.starts_with("xl/worksheets/sheet") { &mut left } else { &mut held };
        let mut part = Capped::new(package.by_index(i).map_err(broken)?, *budget);
        let mut head = Vec::new();
        part.by_ref().take(4096).read_to_end(&mut head).map_err(unfold)?;
        io::copy(&mut part, &mut io::sink()).map_err(unfold)?;
        let size = budget.saturating_sub(part.left);
        if name.ends_with("sharedstrings.xml") && announced(&head).is_some_and(|n| n > size) {
            return Err(broken("its table of strings announces more than it holds"));
        }
        *budget = part.left;
    }
    Ok(())
}

fn unfold(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::FileTooLarge => Failure::new(ErrorClass::TooLarge, format!("the document: {error}")),
        _ => broken(error),
    }
}

/// The number after `uniqueCount="`; one too long to be a number is as bad as a large one.
fn announced(head: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(head);
    let after = text.split_once("uniqueCount")?.1.trim_start().strip_prefix('=')?.trim_start();
    let digits: String =
        after.trim_start_matches(['"', '\'', '+']).chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX))
}
