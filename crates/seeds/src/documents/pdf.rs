//! Text out of a PDF, page by page. The library parses structure and fonts; the order and the
//! breaks of the text come from the positions in the page's program, which is what separates
//! words and lines on paper.

use super::sink::Sink;
use lopdf::content::Content;
use lopdf::{Dictionary, Document, Encoding, LoadOptions, Object, ObjectId};
use metnos_executor::{ErrorClass, Failure};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// The largest file that is parsed: the library holds all of it, about twice.
const FILE_MAX: u64 = 128 << 20;
/// The most any one stream may unfold to while loading.
const STREAM_MAX: usize = 32 << 20;
/// The most the program of one page may unfold to; each of its instructions costs many bytes.
const PAGE_MAX: usize = 8 << 20;
/// The most objects of one document.
const OBJECTS_MAX: u32 = 1_000_000;
/// The most pages that are read.
pub(crate) const PAGES_MAX: usize = 20_000;

/// What was read of a document.
pub(crate) struct Pages {
    /// The text, pages separated by a form feed.
    pub(crate) sink: Sink,
    /// Pages in the document.
    pub(crate) total: u64,
    /// Pages whose program could not be read.
    pub(crate) unread: u64,
}

thread_local! {
    // The library takes a bare function as its filter, so the count lives beside it.
    static OBJECTS: Cell<u32> = const { Cell::new(0) };
}

/// Keeps an object unless there are too many, and drops the pixels of pictures.
fn keep(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let seen = OBJECTS.get().saturating_add(1);
    OBJECTS.set(seen);
    if seen > OBJECTS_MAX {
        return None;
    }
    if let Object::Stream(stream) = object
        && stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|n| n == b"Image")
    {
        stream.content = Vec::new();
    }
    Some((id, object.clone()))
}

/// Reads the pages of `file` into `sink` until it is full.
pub(crate) fn read(file: &mut File, size: u64, mut sink: Sink) -> Result<Pages, Failure> {
    if size > FILE_MAX {
        return Err(Failure::new(ErrorClass::TooLarge, format!("a PDF of {size} bytes is not read")));
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))
        .and_then(|_| file.by_ref().take(FILE_MAX).read_to_end(&mut bytes))
        .map_err(|e| Failure::io("the PDF", &e))?;
    OBJECTS.set(0);
    let options =
        LoadOptions { filter: Some(keep), max_decompressed_size: Some(STREAM_MAX), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(&bytes, options).map_err(unreadable)?;
    drop(bytes);
    if OBJECTS.get() > OBJECTS_MAX {
        return Err(Failure::new(ErrorClass::TooLarge, "a PDF of more than a million objects is not read"));
    }
    if document.is_encrypted() {
        return Err(Failure::new(ErrorClass::UnsupportedFormat, "the PDF is protected by a password"));
    }
    let (mut total, mut unread) = (0u64, 0u64);
    for page in document.page_iter() {
        total = total.saturating_add(1);
        if sink.is_full() || total > PAGES_MAX as u64 {
            continue;
        }
        if total > 1 {
            sink.push("\u{c}");
        }
        match page_text(&document, page) {
            Ok(text) => sink.push(&text),
            Err(_) => unread = unread.saturating_add(1),
        }
    }
    if total == 0 {
        return Err(Failure::new(ErrorClass::UnsupportedFormat, "the PDF has no pages that can be read"));
    }
    if unread == total {
        return Err(Failure::new(ErrorClass::UnsupportedFormat, "no page of the PDF can be read"));
    }
    Ok(Pages { sink, total, unread })
}

fn unreadable(error: lopdf::Error) -> Failure {
    let message = match error {
        lopdf::Error::Decryption(_) | lopdf::Error::InvalidPassword => {
            "the PDF is protected by a password".into()
        }
        e => format!("the PDF cannot be read: {e}"),
    };
    Failure::new(ErrorClass::UnsupportedFormat, message)
}

fn page_text(document: &Document, page: ObjectId) -> lopdf::Result<String> {
    let fonts = document.get_page_fonts(page)?;
    let encodings: BTreeMap<Vec<u8>, Encoding<'_>> = fonts
        .into_iter()
        .filter_map(|(name, font): (Vec<u8>, &Dictionary)| {
            font.get_font_encoding_with_limit(document, PAGE_MAX).ok().map(|e| (name, e))
        })
        .collect();
    let program = document.get_page_content_with_limit(page, PAGE_MAX)?;
    let program = Content::decode(&program)?;
    let mut pen = Pen::default();
    let mut font: Option<&Encoding<'_>> = None;
    for step in &program.operations {
        let operands = step.operands.as_slice();
        match step.operator.as_str() {
            "Tf" => {
                font = operands.first().and_then(|o| o.as_name().ok()).and_then(|n| encodings.get(n));
                pen.size = number(operands.get(1)).abs();
            }
            "BT" => pen.place(1.0, 0.0, 0.0),
            "Tm" => pen.place(number(operands.get(3)), number(operands.get(4)), number(operands.get(5))),
            "Td" | "TD" => pen.shift(number(operands.first()), number(operands.get(1))),
            "T*" => pen.broken = true,
            "Tj" | "TJ" => pen.show(font, operands),
            "'" => {
                pen.broken = true;
                pen.show(font, operands);
            }
            "\"" => {
                pen.broken = true;
                pen.show(font, operands.get(2..).unwrap_or_default());
            }
            _ => {}
        }
    }
    pen.text.truncate(pen.text.trim_end().len());
    pen.text.push('\n');
    Ok(pen.text)
}

fn number(operand: Option<&Object>) -> f32 {
    operand.and_then(|o| o.as_float().ok()).filter(|n| n.is_finite()).unwrap_or(0.0)
}

/// Where text is being put, and what was put so far.
#[derive(Default)]
struct Pen {
    text: String,
    size: f32,
    scale: f32,
    x: f32,
    y: f32,
    /// Where the last text began, and about how wide it was.
    shown: Option<(f32, f32, f32)>,
    broken: bool,
}

impl Pen {
    fn place(&mut self, scale: f32, x: f32, y: f32) {
        (self.scale, self.x, self.y) = (if scale == 0.0 { 1.0 } else { scale.abs() }, x, y);
    }

    fn shift(&mut self, dx: f32, dy: f32) {
        self.x += dx * self.scale;
        self.y += dy * self.scale;
    }

    fn show(&mut self, font: Option<&Encoding<'_>>, operands: &[Object]) {
        let mut piece = String::new();
        for operand in operands {
            match operand {
                Object::Array(parts) => parts.iter().for_each(|part| decode(font, part, &mut piece)),
                other => decode(font, other, &mut piece),
            }
        }
        if piece.is_empty() {
            return;
        }
        // Half an em is the usual width of a letter: enough to tell a gap from the next letter.
        let em = (self.size * self.scale).max(1.0);
        let (mut x, width) = (self.x, piece.chars().count() as f32 * em * 0.5);
        if let Some((last_x, last_y, last_width)) = self.shown {
            let same_place = self.x == last_x && self.y == last_y;
            if self.broken || (self.y - last_y).abs() > em * 0.4 {
                self.text.push('\n');
            } else if same_place {
                // No move between two strings: the second continues the first.
                x = last_x;
            } else if self.x - (last_x + last_width) > em * 0.15 && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
            if same_place && !self.broken {
                self.shown = Some((x, self.y, last_width + width));
                self.text.push_str(&piece);
                return;
            }
        }
        self.broken = false;
        self.shown = Some((x, self.y, width));
        self.text.push_str(&piece);
    }
}

/// Adds one operand of a show instruction: a string, or a move wide enough to be a space.
fn decode(font: Option<&Encoding<'_>>, operand: &Object, out: &mut String) {
    match (operand, font) {
        (Object::String(bytes, _), Some(font)) => {
            // A string the font cannot decode is left out rather than shown as noise.
            let _ = font.write_to_string(bytes, out);
        }
        (Object::Integer(_) | Object::Real(_), _)
            if number(Some(operand)) < -180.0 && !out.is_empty() && !out.ends_with(' ') =>
        {
            out.push(' ');
        }
        _ => {}
    }
}
