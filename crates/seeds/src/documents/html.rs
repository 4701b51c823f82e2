//! Readable text out of HTML: a small tokenizer, fed with chunks, that drops tags, scripts and
//! styles, decodes entities and starts a line at every block. It never builds a tree, so nesting
//! costs nothing.

use super::sink::Sink;
use encoding_rs::WINDOWS_1252;

/// Tags whose content is not for readers.
const DROPPED: &[&str] = &["script", "style", "template", "svg"];
/// Tags that begin and end a line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "select",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "title",
    "tr",
    "ul",
];
/// Text that waits for its end before it is decoded; an entity is never longer.
const RUN_MAX: usize = 1 << 20;
/// How much of a tag is kept: its name is at the front.
const TAG_KEPT: usize = 64;

enum State {
    Text,
    Open,
    Tag { quote: Option<u8>, last: u8 },
    Markup,
    Comment { dashes: u8 },
    Dropped { name: &'static str, matched: usize },
}

/// The tokenizer. Feed it UTF-8 in any pieces, then finish.
pub(crate) struct Html {
    state: State,
    run: Vec<u8>,
    tag: Vec<u8>,
    sink: Sink,
    space: bool,
    verbatim: u32,
}

impl Html {
    /// Collects into `sink`.
    pub(crate) fn new(sink: Sink) -> Self {
        Self { state: State::Text, run: Vec::new(), tag: Vec::new(), sink, space: false, verbatim: 0 }
    }

    /// True when more input cannot change the answer.
    pub(crate) fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    /// Takes the next piece.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.byte(*b);
        }
    }

    /// The end of the input.
    pub(crate) fn finish(mut self) -> Sink {
        if matches!(self.state, State::Open) {
            self.run.push(b'<');
        }
        self.flush();
        self.sink
    }

    fn byte(&mut self, b: u8) {
        match &mut self.state {
            State::Text if b == b'<' => self.state = State::Open,
            State::Text => self.text(b),
            State::Open => match b {
                b'/' | b'a'..=b'z' | b'A'..=b'Z' => {
                    self.flush();
                    self.tag.clear();
                    self.tag.push(b);
                    self.state = State::Tag { quote: None, last: b };
                }
                b'!' | b'?' => {
                    self.flush();
                    self.tag.clear();
                    self.state = State::Markup;
                }
                // A lone `<` is text, and the next one may open a tag.
                b'<' => self.text(b'<'),
                _ => {
                    self.state = State::Text;
                    self.text(b'<');
                    self.text(b);
                }
            },
            State::Tag { quote, last } => {
                match *quote {
                    Some(q) if q == b => *quote = None,
                    Some(_) => {}
                    None if b == b'>' => {
                        self.state = State::Text;
                        self.end_of_tag();
                        return;
                    }
                    None if (b == b'"' || b == b'\'') && *last == b'=' => *quote = Some(b),
                    None => {}
                }
                if !b.is_ascii_whitespace() {
                    *last = b;
                }
                if self.tag.len() < TAG_KEPT {
                    self.tag.push(b);
                }
            }
            State::Markup => {
                if b == b'>' {
                    self.state = State::Text;
                } else if self.tag.len() < 2 {
                    self.tag.push(b);
                    if self.tag == b"--" {
                        self.state = State::Comment { dashes: 0 };
                    }
                }
            }
            State::Comment { dashes } => match b {
                b'-' => *dashes = dashes.saturating_add(1).min(2),
                b'>' if *dashes == 2 => self.state = State::Text,
                _ => *dashes = 0,
            },
            State::Dropped { name, matched } => {
                // Looks for `</name`; what follows is read as an ordinary closing tag.
                let wanted = match *matched {
                    0 => Some(b'<'),
                    1 => Some(b'/'),
                    n => name.as_bytes().get(n - 2).copied(),
                };
                if wanted == Some(b.to_ascii_lowercase()) {
                    *matched += 1;
                    if *matched == name.len() + 2 {
                        self.tag.clear();
                        self.tag.push(b'/');
                        self.state = State::Tag { quote: None, last: b'/' };
                    }
                } else {
                    *matched = usize::from(b == b'<');
                }
            }
        }
    }

    fn text(&mut self, b: u8) {
        // Cut a long run between characters, at a blank when there is one.
        let boundary = (b & 0xc0) != 0x80;
        if self.run.len() > RUN_MAX && boundary || self.run.len() > RUN_MAX / 16 && b.is_ascii_whitespace() {
            self.flush();
        }
        self.run.push(b);
    }

    fn end_of_tag(&mut self) {
        let closing = self.tag.first() == Some(&b'/');
        let from = usize::from(closing);
        let name: String = self
            .tag
            .iter()
            .skip(from)
            .take_while(|b| b.is_ascii_alphanumeric())
            .map(|b| b.to_ascii_lowercase() as char)
            .collect();
        let empty = self.tag.last() == Some(&b'/');
        if !closing
            && !empty
            && let Some(name) = DROPPED.iter().find(|d| **d == name)
        {
            self.state = State::Dropped { name, matched: 0 };
            return;
        }
        if name == "pre" {
            self.verbatim =
                if closing { self.verbatim.saturating_sub(1) } else { self.verbatim.saturating_add(1) };
        }
        if BLOCKS.binary_search(&name.as_str()).is_ok() {
            self.line();
            if name == "li" && !closing {
                self.sink.push("- ");
            }
        } else if matches!(name.as_str(), "td" | "th") && closing {
            self.space = false;
            self.sink.push("\t");
        }
    }

    fn line(&mut self) {
        self.space = false;
        if self.sink.last().is_some_and(|c| c != '\n') {
            self.sink.push("\n");
        }
    }

    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        let decoded = entities(&String::from_utf8_lossy(&run));
        if self.verbatim > 0 {
            self.sink.push(&decoded);
            return;
        }
        for (i, word) in decoded.split(|c: char| c.is_ascii_whitespace()).enumerate() {
            self.space |= i > 0;
            if word.is_empty() {
                continue;
            }
            if self.space && self.sink.last().is_some_and(|c| !c.is_whitespace()) {
                self.sink.push(" ");
            }
            self.space = false;
            self.sink.push(word);
        }
    }
}

/// The text with its entities replaced by what they stand for; unknown ones stay as written.
pub(crate) fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        // The longest name in the table has six letters, the longest number eight signs.
        let end = after.bytes().take(12).position(|b| b == b';');
        match end.and_then(|end| Some((entity(after.get(..end)?)?, after.get(end + 1..)?))) {
            Some((c, after)) => {
                out.push(c);
                rest = after;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return Some(match u8::try_from(code) {
            // Authors mean the Windows characters when they write these numbers.
            Ok(byte @ 0x80..=0x9f) => WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next()?,
            _ => char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{fffd}'),
        });
    }
    NAMED.iter().find(|(n, _)| *n == name).map(|(_, c)| *c)
}

#[rustfmt::skip]
const NAMED: &[(&str, char)] = &[
    ("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("nbsp", '\u{a0}'),
    ("agrave", 'à'), ("egrave", 'è'), ("eacute", 'é'), ("igrave", 'ì'), ("ograve", 'ò'), ("ugrave", 'ù'),
    ("Agrave", 'À'), ("Egrave", 'È'), ("Eacute", 'É'), ("Igrave", 'Ì'), ("Ograve", 'Ò'), ("Ugrave", 'Ù'),
    ("aacute", 'á'), ("iacute", 'í'), ("oacute", 'ó'), ("uacute", 'ú'), ("acirc", 'â'), ("ecirc", 'ê'),
    ("icirc", 'î'), ("ocirc", 'ô'), ("ucirc", 'û'), ("auml", 'ä'), ("euml", 'ë'), ("iuml", 'ï'), ("ouml", 'ö'),
    ("uuml", 'ü'), ("Auml", 'Ä'), ("Ouml", 'Ö'), ("Uuml", 'Ü'), ("szlig", 'ß'), ("ccedil", 'ç'), ("Ccedil", 'Ç'),
    ("ntilde", 'ñ'), ("Ntilde", 'Ñ'), ("aring", 'å'), ("oslash", 'ø'), ("aelig", 'æ'), ("euro", '€'),
    ("pound", '£'), ("yen", '¥'), ("cent", '¢'), ("copy", '©'), ("reg", '®'), ("trade", '™'), ("deg", '°'),
    ("sect", '§'), ("para", '¶'), ("micro", 'µ'), ("middot", '·'), ("bull", '•'), ("hellip", '…'),
    ("ndash", '–'), ("mdash", '—'), ("lsquo", '‘'), ("rsquo", '’'), ("ldquo", '“'), ("rdquo", '”'),
    ("sbquo", '‚'), ("bdquo", '„'), ("laquo", '«'), ("raquo", '»'), ("lsaquo", '‹'), ("rsaquo", '›'),
    ("times", '×'), ("divide", '÷'), ("plusmn", '±'), ("frac12", '½'), ("frac14", '¼'), ("sup2", '²'),
    ("sup3", '³'), ("ordm", 'º'), ("ordf", 'ª'), ("larr", '←'), ("rarr", '→'), ("iexcl", '¡'), ("iquest", '¿'),
    ("shy", '\u{ad}'), ("ensp", '\u{2002}'), ("emsp", '\u{2003}'), ("thinsp", '\u{2009}'),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    fn read(html: &str) -> String {
        let mut reader = Html::new(Sink::new(1 << 20));
        reader.feed(html.as_bytes());
        reader.finish().into_text()
    }

    #[test]
    fn tags_go_blocks_make_lines_entities_are_decoded() {
        let page = "<!DOCTYPE html><html><head><title>Menù &amp; prezzi</title><style>p{}</style></head>\
                    <body><!-- a > b --><h1>Oggi</h1><p>Caff&egrave; <b>nero</b>\n  1&nbsp;&euro;</p>\
                    <script>if (a<b) { x(\"</p>\") }</script><ul><li>uno<li>due</ul>\
                    <table><tr><td>a</td><td>b</td></tr></table></body></html>";
        assert_eq!(read(page), "Menù & prezzi\nOggi\nCaffè nero 1\u{a0}€\n- uno\n- due\na\tb\t\n");
    }

    #[test]
    fn broken_markup_is_read_as_far_as_it_goes() {
        assert_eq!(read("1 < 2 <<b>x</b> &nope; &#x110000; &#150; &"), "1 < 2 <x &nope; \u{fffd} – &");
        assert_eq!(read("a<b title=\"x>y\">c"), "ac");
        assert_eq!(read("text <scr"), "text");
        assert_eq!(read("<script>never closed"), "");
        assert_eq!(read("<pre>a\n  b</pre>c"), "a\n  b\nc");
        assert_eq!(read("a <"), "a <");
    }

    #[test]
    fn blocks_are_sorted_for_the_search() {
        assert!(BLOCKS.is_sorted());
    }

    proptest! {
        #[test]
        fn any_text_is_survived_in_any_pieces(s in ".{0,400}", cut in 0usize..400) {
            let (a, b) = s.as_bytes().split_at(cut.min(s.len()));
            let mut reader = Html::new(Sink::new(100));
            reader.feed(a);
            reader.feed(b);
            prop_assert!(reader.finish().into_text().len() <= 100);
        }
    }
}
