//! Text out of a Word document: its paragraphs as lines, table cells separated by tabs. Read as a
//! stream of XML events, so nesting costs nothing, from a part whose unfolded size is capped.

use super::package::{self, Capped};
use super::sink::Sink;
use metnos_executor::{ErrorClass, Failure};
use quick_xml::Reader;
use quick_xml::events::{BytesRef, Event};
use std::fs::File;
use std::io::BufReader;

/// The most XML of the document part that is read.
const PART_MAX: u64 = 128 << 20;

/// Reads the document part of a package into `sink`.
pub(crate) fn read(file: &mut File, size: u64, mut sink: Sink) -> Result<Sink, Failure> {
    let mut package = package::open(file, size)?;
    let part = package.by_name("word/document.xml").map_err(package::broken)?;
    let mut xml = Reader::from_reader(BufReader::new(Capped::new(part, PART_MAX)));
    xml.config_mut().check_end_names = false;
    let mut walk = Walk::default();
    let mut buffer = Vec::new();
    while !sink.is_full() {
        buffer.clear();
        let event = xml.read_event_into(&mut buffer).map_err(|e| match e {
            quick_xml::Error::Io(io) if io.kind() == std::io::ErrorKind::FileTooLarge => {
                Failure::new(ErrorClass::TooLarge, format!("the document: {io}"))
            }
            e => package::broken(e),
        })?;
        match event {
            Event::Start(tag) => walk.start(tag.local_name().as_ref(), &mut sink),
            Event::Empty(tag) => {
                walk.start(tag.local_name().as_ref(), &mut sink);
                walk.end(tag.local_name().as_ref(), &mut sink);
            }
            Event::End(tag) => walk.end(tag.local_name().as_ref(), &mut sink),
            Event::Text(text) if walk.is_text() => {
                sink.push(&text.decode().map_err(package::broken)?);
            }
            Event::CData(text) if walk.is_text() => {
                sink.push(&text.decode().map_err(package::broken)?);
            }
            Event::GeneralRef(reference) if walk.is_text() => sink.push(&referred(&reference)),
            Event::Eof => break,
            _ => {}
        }
    }
    Ok(sink)
}

/// Where in the document the reader is.
#[derive(Default)]
struct Walk {
    /// Inside `w:t`, the only element whose text is text.
    text: bool,
    /// Table cells around here.
    cells: u32,
    /// Inside `mc:Fallback`, which repeats what was said before it.
    fallback: u32,
}

impl Walk {
    fn is_text(&self) -> bool {
        self.text && self.fallback == 0
    }

    fn start(&mut self, name: &[u8], sink: &mut Sink) {
        match name {
            b"t" => self.text = true,
            b"tc" => self.cells = self.cells.saturating_add(1),
            b"Fallback" => self.fallback = self.fallback.saturating_add(1),
            _ if self.fallback > 0 => {}
            b"tab" => sink.push("\t"),
            b"br" | b"cr" => sink.push("\n"),
            _ => {}
        }
    }

    fn end(&mut self, name: &[u8], sink: &mut Sink) {
        match name {
            b"t" => self.text = false,
            b"Fallback" => self.fallback = self.fallback.saturating_sub(1),
            b"tc" => {
                self.cells = self.cells.saturating_sub(1);
                sink.push("\t");
            }
            b"tr" => sink.push("\n"),
            b"p" if self.fallback > 0 => {}
            // Lines of one cell stay in its row.
            b"p" if self.cells > 0 => sink.push(" "),
            b"p" => sink.push("\n"),
            _ => {}
        }
    }
}

fn referred(reference: &BytesRef<'_>) -> String {
    let name = String::from_utf8_lossy(reference).into_owned();
    super::html::entities(&format!("&{name};"))
}
