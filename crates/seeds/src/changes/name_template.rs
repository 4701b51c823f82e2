//! Names made from a template: `{year}-{stem}.{ext}`. Works on bytes, because names do.

use metnos_executor::Failure;

/// What a template may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Name,
    Stem,
    Ext,
    Year,
    Month,
    Day,
    TakenAt,
    Counter,
}

const FIELDS: [(&str, Field); 8] = [
    ("name", Field::Name),
    ("stem", Field::Stem),
    ("ext", Field::Ext),
    ("year", Field::Year),
    ("month", Field::Month),
    ("day", Field::Day),
    ("taken_at", Field::TakenAt),
    ("counter", Field::Counter),
];

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Literal(Vec<u8>),
    Field(Field),
}

/// A parsed template.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Template {
    parts: Vec<Part>,
}

/// What one file gives a template.
pub(super) struct Facts<'f> {
    /// The file's name.
    pub(super) name: &'f [u8],
    /// When it was changed, in the person's zone.
    pub(super) modified: jiff::civil::DateTime,
    /// When the picture was taken, else when the file was changed.
    pub(super) taken: jiff::civil::DateTime,
    /// The running number.
    pub(super) counter: u64,
}

impl Template {
    /// Parses `text`. `{{` is a brace; a word in braces that is not a field is a mistake.
    pub(super) fn parse(text: &[u8]) -> Result<Self, Failure> {
        let (mut parts, mut literal, mut rest) = (Vec::new(), Vec::new(), text);
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'{' | b'}' if after.first() == Some(&byte) => {
                    literal.push(byte);
                    rest = after.get(1..).unwrap_or_default();
                }
                b'{' => {
                    let end = after.iter().position(|b| *b == b'}').ok_or_else(|| unknown(after))?;
                    let (word, tail) = after.split_at(end);
                    let field = FIELDS.iter().find(|(name, _)| name.as_bytes() == word);
                    let (_, field) = field.ok_or_else(|| unknown(word))?;
                    if !literal.is_empty() {
                        parts.push(Part::Literal(std::mem::take(&mut literal)));
                    }
                    parts.push(Part::Field(*field));
                    rest = tail.get(1..).unwrap_or_default();
                }
                _ => literal.push(byte),
            }
        }
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        Ok(Self { parts })
    }

    /// A template that is exactly `text`.
    pub(super) fn literal(text: &[u8]) -> Self {
        Self { parts: vec![Part::Literal(text.to_vec())] }
    }

    /// True when the running number is part of it.
    pub(super) fn counts(&self) -> bool {
        self.parts.contains(&Part::Field(Field::Counter))
    }

    /// The text for one file.
    pub(super) fn render(&self, facts: &Facts<'_>) -> Vec<u8> {
        let (stem, ext) = split(facts.name);
        let mut out = Vec::new();
        for part in &self.parts {
            match part {
                Part::Literal(bytes) => out.extend_from_slice(bytes),
                Part::Field(Field::Name) => out.extend_from_slice(facts.name),
                Part::Field(Field::Stem) => out.extend_from_slice(stem),
                // `{stem}.{ext}` of a file without extension must not end in a dot.
                Part::Field(Field::Ext) if ext.is_empty() => {
                    if out.last() == Some(&b'.') {
                        out.pop();
                    }
                }
                Part::Field(Field::Ext) => out.extend_from_slice(ext),
                Part::Field(Field::Year) => push(&mut out, format!("{:04}", facts.modified.year())),
                Part::Field(Field::Month) => push(&mut out, format!("{:02}", facts.modified.month())),
                Part::Field(Field::Day) => push(&mut out, format!("{:02}", facts.modified.day())),
                Part::Field(Field::TakenAt) => {
                    push(&mut out, facts.taken.strftime("%Y-%m-%d_%H-%M-%S").to_string());
                }
                Part::Field(Field::Counter) => push(&mut out, format!("{:03}", facts.counter)),
            }
        }
        out
    }
}

fn push(out: &mut Vec<u8>, text: String) {
    out.extend_from_slice(text.as_bytes());
}

/// Stem and extension; a leading dot belongs to the stem.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().rposition(|b| *b == b'.') {
        Some(dot) if dot > 0 => {
            let (stem, ext) = name.split_at(dot);
            (stem, ext.get(1..).unwrap_or_default())
        }
        _ => (name, &[]),
    }
}

fn unknown(word: &[u8]) -> Failure {
    let known: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
    Failure::wrong_args(format!(
        "{{{}}} is not something a name can hold; these are: {}",
        String::from_utf8_lossy(word),
        known.join(", ")
    ))
}

/// Reads a moment as cameras and entries write it, in the zone of the person.
pub(super) fn moment(text: &str, zone: &jiff::tz::TimeZone) -> Option<jiff::civil::DateTime> {
    let text = text.trim();
    if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
        return Some(stamp.to_zoned(zone.clone()).datetime());
    }
    if let Ok(civil) = text.parse::<jiff::civil::DateTime>() {
        return Some(civil);
    }
    jiff::civil::DateTime::strptime("%Y:%m:%d %H:%M:%S", text).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn rendered(template: &str, name: &[u8]) -> String {
        let facts = Facts {
            name,
            modified: jiff::civil::date(2023, 4, 5).at(6, 7, 8, 0),
            taken: jiff::civil::date(2020, 1, 2).at(3, 4, 5, 0),
            counter: 7,
        };
        String::from_utf8_lossy(&Template::parse(template.as_bytes()).unwrap().render(&facts)).into_owned()
    }

    #[test]
    fn every_field_has_its_meaning() {
        assert_eq!(rendered("{year}-{month}-{day} {name}", b"a.tar.gz"), "2023-04-05 a.tar.gz");
        assert_eq!(rendered("{stem}_{counter}.{ext}", b"a.tar.gz"), "a.tar_007.gz");
        assert_eq!(rendered("{taken_at}.{ext}", b"x.JPG"), "2020-01-02_03-04-05.JPG");
        assert_eq!(rendered("{stem}.{ext}", b"noext"), "noext");
        assert_eq!(rendered("{stem}.{ext}", b".hidden"), ".hidden");
        assert_eq!(rendered("{{x}} {name}", b"a"), "{x} a");
        assert_eq!(rendered("", b"a"), "");
    }

    #[test]
    fn an_unknown_field_is_named() {
        for bad in ["{yer}", "{", "{name", "{}"] {
            assert!(Template::parse(bad.as_bytes()).unwrap_err().message.contains("taken_at"), "{bad}");
        }
    }

    #[test]
    fn moments_come_in_several_writings() {
        let zone = jiff::tz::TimeZone::UTC;
        let expected = jiff::civil::date(2024, 5, 1).at(10, 0, 0, 0);
        for text in [
            "2024-05-01T10:00:00Z",
            "2024-05-01T12:00:00+02:00",
            "2024-05-01T10:00:00",
            "2024:05:01 10:00:00",
        ] {
            assert_eq!(moment(text, &zone), Some(expected), "{text}");
        }
        assert_eq!(moment("../../etc", &zone), None);
    }
}
