//! Where a thing goes that is moved or copied: into a folder, under a name made from a template such as
//! `{year}-{stem}.{ext}`, with a number where the name is taken. Works on bytes, because names do. What a card
//! says before and what the executor does after are the same code.

use crate::{Failure, kinds};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// What a template may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Name,
    Stem,
    Ext,
    Kind,
    Year,
    Month,
    Day,
    TakenAt,
    Counter,
}

const FIELDS: [(&str, Field); 9] = [
    ("name", Field::Name),
    ("stem", Field::Stem),
    ("ext", Field::Ext),
    ("kind", Field::Kind),
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
pub struct Template {
    parts: Vec<Part>,
}

/// What one file gives a template.
pub struct Facts<'f> {
    /// The file's name.
    pub name: &'f [u8],
    /// When it was changed, in the person's zone.
    pub modified: jiff::civil::DateTime,
    /// When the picture was taken, else when the file was changed.
    pub taken: jiff::civil::DateTime,
    /// The running number.
    pub counter: u64,
}

impl Template {
    /// Parses `text`. `{{` is a brace; a word in braces that is not a field is a mistake.
    pub fn parse(text: &[u8]) -> Result<Self, Failure> {
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
    pub fn literal(text: &[u8]) -> Self {
        Self { parts: vec![Part::Literal(text.to_vec())] }
    }

    /// True when the running number is part of it.
    pub fn counts(&self) -> bool {
        self.has(Field::Counter)
    }

    fn has(&self, field: Field) -> bool {
        self.parts.contains(&Part::Field(field))
    }

    /// True when something in it is filled in.
    pub fn has_fields(&self) -> bool {
        !self.is_literal()
    }

    /// True when every thing gets the same.
    fn is_literal(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Literal(_)))
    }

    /// The text for one file.
    pub fn render(&self, facts: &Facts<'_>) -> Vec<u8> {
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
                Part::Field(Field::Kind) => {
                    let kind = kinds::of_ext(ext).map_or("other", kinds::Kind::as_str);
                    out.extend_from_slice(kind.as_bytes());
                }
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
pub fn moment(text: &str, zone: &jiff::tz::TimeZone) -> Option<jiff::civil::DateTime> {
    let text = text.trim();
    if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
        return Some(stamp.to_zoned(zone.clone()).datetime());
    }
    if let Ok(civil) = text.parse::<jiff::civil::DateTime>() {
        return Some(civil);
    }
    jiff::civil::DateTime::strptime("%Y:%m:%d %H:%M:%S", text).ok()
}

/// Where things go, and under which names.
#[derive(Debug)]
pub struct Naming {
    /// The folder; without one, things stay where they are.
    dir: Option<Template>,
    /// The name; without one, each keeps its own.
    name: Option<Template>,
}

impl Naming {
    /// Reads both arguments. A folder that really has such a name is not a template.
    pub fn parse(dst_dir: Option<&Path>, name: Option<&str>) -> Result<Self, Failure> {
        let template = |dir: &Path| match dir.is_dir() {
            true => Ok(Template::literal(dir.as_os_str().as_bytes())),
            false => Template::parse(dir.as_os_str().as_bytes()),
        };
        let dir = dst_dir.map(template).transpose()?;
        let name = name.map(|name| Template::parse(name.as_bytes())).transpose()?;
        Ok(Self { dir, name })
    }

    /// True when something is filled in for each thing.
    pub fn has_fields(&self) -> bool {
        self.templates().any(Template::has_fields)
    }

    fn templates(&self) -> impl Iterator<Item = &Template> {
        self.dir.iter().chain(&self.name)
    }

    /// True when the running number is part of it.
    pub fn counts(&self) -> bool {
        self.templates().any(Template::counts)
    }

    /// True when a look at the disk tells where each thing goes.
    pub fn is_told_by_the_disk(&self) -> bool {
        !self.counts() && !self.templates().any(|template| template.has(Field::TakenAt))
    }

    /// True when a name that is taken gets a number, and both are kept. Who said one name outright meant that one.
    pub fn gives_numbers(&self) -> bool {
        !self.counts() && self.name.as_ref().is_none_or(|name| !name.is_literal())
    }

    /// Where `src` goes. A name may hold folders, but never a way out of them.
    pub fn place(&self, src: &Path, facts: &Facts<'_>) -> Result<PathBuf, Failure> {
        let dir = match &self.dir {
            Some(template) => PathBuf::from(OsString::from_vec(template.render(facts))),
            None => src.parent().unwrap_or(src).to_path_buf(),
        };
        let name = self.name.as_ref().map_or_else(|| facts.name.to_vec(), |name| name.render(facts));
        let relative = Path::new(OsStr::from_bytes(&name));
        let plain = |path: &Path| path.components().all(|c| matches!(c, Component::Normal(_)));
        let leaves = dir.components().any(|c| c == Component::ParentDir);
        if name.is_empty() || name.contains(&0) || name.ends_with(b"/") || !plain(relative) || leaves {
            let shown = String::from_utf8_lossy(&name);
            return Err(Failure::wrong_args(format!("{shown:?} cannot be a name")));
        }
        Ok(dir.join(relative))
    }
}

/// The most numbers tried for one name, so that a full folder ends in a message.
const NUMBER_MAX: u64 = 100_000;

/// The most bytes of a name.
const NAME_MAX: usize = 255;

/// `dst`, or the first of `name (2).ext`, `name (3).ext` … that is not taken. A folder has no extension.
pub fn free_name(dst: &Path, is_dir: bool, taken: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    if !taken(dst) {
        return Some(dst.to_path_buf());
    }
    let name = dst.file_name()?.as_bytes();
    let (stem, ext) = if is_dir { (name, [].as_slice()) } else { split(name) };
    let numbered = |n: u64| {
        let number = format!(" ({n})");
        // A name holds so many bytes and no more; it is cut between letters.
        let room = NAME_MAX.saturating_sub(number.len() + ext.len() + 1);
        let whole = |cut: &usize| stem.get(*cut).is_none_or(|byte| byte & 0xc0 != 0x80);
        let cut = (0..=stem.len().min(room)).rev().find(whole).unwrap_or(0);
        let mut name = stem.get(..cut).unwrap_or_default().to_vec();
        name.extend_from_slice(number.as_bytes());
        if !ext.is_empty() {
            name.push(b'.');
            name.extend_from_slice(ext);
        }
        dst.with_file_name(OsStr::from_bytes(&name))
    };
    (2..NUMBER_MAX).map(numbered).find(|path| !taken(path))
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
    fn the_kind_is_that_of_the_extension() {
        assert_eq!(rendered("{kind}", b"a.JPG"), "image");
        assert_eq!(rendered("{kind}", b"noext"), "other");
    }

    #[test]
    fn a_name_that_is_taken_gets_the_next_number() {
        let taken = |path: &Path| {
            ["/a/x.tar.gz", "/a/x.tar (2).gz", "/a/d", "/a/.rc"].iter().any(|t| path == Path::new(t))
        };
        let free = |path: &str, is_dir| free_name(Path::new(path), is_dir, taken).unwrap();
        assert_eq!(free("/a/x.tar.gz", false), Path::new("/a/x.tar (3).gz"));
        assert_eq!(free("/a/d", true), Path::new("/a/d (2)"));
        assert_eq!(free("/a/.rc", false), Path::new("/a/.rc (2)"));
        assert_eq!(free("/a/y", false), Path::new("/a/y"));
        let long = format!("/a/{}é.pdf", "t".repeat(248));
        let short = free_name(Path::new(&long), false, |path| path == Path::new(&long)).unwrap();
        assert_eq!(short, PathBuf::from(format!("/a/{} (2).pdf", "t".repeat(247))));
    }

    #[test]
    fn one_name_said_outright_gets_no_number() {
        let numbers =
            |dir: Option<&str>, name| Naming::parse(dir.map(Path::new), name).unwrap().gives_numbers();
        assert!(numbers(Some("/nowhere"), None));
        assert!(numbers(Some("/nowhere/{kind}"), Some("{year} {name}")));
        assert!(!numbers(None, Some("b.txt")));
        assert!(!numbers(None, Some("{stem}_{counter}.{ext}")));
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
