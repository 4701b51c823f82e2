//! CSV as a stream of rows: charset, byte order mark, delimiter and quotes found out, and no row
//! allowed to swallow the file because somebody forgot to close a quote.

use super::charset::Utf8;
use super::source::{self, shown};
use super::table::COLUMNS_MAX;
use metnos_executor::{ErrorClass, Failure};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

/// How much is looked at to find the delimiter.
const HEAD: u64 = 64 << 10;
/// The longest row.
const ROW_MAX: u64 = 16 << 20;
const DELIMITERS: &[u8] = b",;\t|";

/// The head that was looked at, and the rest.
type Whole = io::Chain<Cursor<Vec<u8>>, Utf8<File>>;

/// An open CSV file.
pub(crate) struct CsvRows {
    reader: csv::Reader<Meter<Whole>>,
    since: Rc<Cell<u64>>,
    record: csv::StringRecord,
    name: String,
}

impl CsvRows {
    /// Opens the file. A binary one is refused.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let (mut file, size) = source::open(path)?;
        let format = super::format::of(&mut file, size, path)?;
        if !format.is_plain() {
            return Err(Failure::new(
                ErrorClass::UnsupportedFormat,
                format!("{} is {}, not csv", shown(path), format.as_str()),
            ));
        }
        let mut text = Utf8::new(file);
        let mut head = Vec::new();
        text.by_ref().take(HEAD).read_to_end(&mut head).map_err(|e| Failure::io(shown(path), &e))?;
        let delimiter = delimiter(&head);
        let since = Rc::new(Cell::new(0));
        let source = Meter { source: Cursor::new(head).chain(text), since: Rc::clone(&since) };
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(source);
        Ok(Self { reader, since, record: csv::StringRecord::new(), name: shown(path) })
    }

    /// The next row; blank lines are no rows.
    pub(crate) fn next(&mut self) -> Result<Option<&csv::StringRecord>, Failure> {
        self.since.set(0);
        let more = self.reader.read_record(&mut self.record).map_err(|e| match e.into_kind() {
            csv::ErrorKind::Io(e) if e.kind() == io::ErrorKind::FileTooLarge => {
                Failure::new(ErrorClass::TooLarge, format!("{}: {e}", self.name))
            }
            csv::ErrorKind::Io(e) => Failure::io(&self.name, &e),
            _ => Failure::new(ErrorClass::UnsupportedFormat, format!("{}: not csv", self.name)),
        })?;
        if self.record.len() > COLUMNS_MAX {
            return Err(Failure::new(
                ErrorClass::TooLarge,
                format!("{}: a row of {} columns", self.name, self.record.len()),
            ));
        }
        Ok(more.then_some(&self.record))
    }
}

/// The delimiter that splits the first lines most evenly: for each, how many lines have the same
/// number of it, outside quotes, as the first line has.
fn delimiter(head: &[u8]) -> u8 {
    let mut lines: Vec<[u32; 4]> = vec![[0; 4]];
    let mut quoted = false;
    for b in head {
        match *b {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => {
                if lines.len() == 50 {
                    break;
                }
                lines.push([0; 4]);
            }
            b if !quoted => {
                if let Some(i) = DELIMITERS.iter().position(|d| *d == b)
                    && let Some(line) = lines.last_mut()
                    && let Some(count) = line.get_mut(i)
                {
                    *count = count.saturating_add(1);
                }
            }
            _ => {}
        }
    }
    let score = |i: usize| -> (usize, u32) {
        let count = |line: &[u32; 4]| line.get(i).copied().unwrap_or(0);
        let first = lines.first().map_or(0, count);
        if first == 0 {
            return (0, 0);
        }
        (lines.iter().filter(|l| count(l) == first).count(), first)
    };
    // In order of preference, so that a tie goes to the comma.
    let best = (0..DELIMITERS.len()).rev().max_by_key(|i| score(*i)).filter(|i| score(*i).0 > 0);
    best.and_then(|i| DELIMITERS.get(i).copied()).unwrap_or(b',')
}

/// Counts what was read since the last row and refuses to go on without end.
struct Meter<R> {
    source: R,
    since: Rc<Cell<u64>>,
}

impl<R: Read> Read for Meter<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(into)?;
        let since = self.since.get().saturating_add(n as u64);
        self.since.set(since);
        if since > ROW_MAX {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("a row is longer than {} MiB; is a quote left open?", ROW_MAX >> 20),
            ));
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn the_delimiter_is_found() {
        assert_eq!(delimiter(b"a,b\n1,2\n"), b',');
        assert_eq!(delimiter(b"nome;prezzo\npane;1,20\nlatte;1,50\n"), b';');
        assert_eq!(delimiter(b"a\tb, c\n1\t2\n"), b'\t');
        assert_eq!(delimiter(b"a|b\n"), b'|');
        assert_eq!(delimiter(b"\"x;y\",b\n\"1;2\",3\n"), b',');
        assert_eq!(delimiter(b""), b',');
        assert_eq!(delimiter(b"one column\nonly\n"), b',');
    }
}
