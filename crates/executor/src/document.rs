//! A TOML file read with positions, so that every error can say where.

use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong with a manifest or a birth test file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// The file, as it was named to the parser.
    pub file: Box<str>,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The section, such as `contract` or `description.en`; empty at the top.
    pub section: Box<str>,
    /// The key in it; empty when the section itself is meant.
    pub key: Box<str>,
    /// What is wrong.
    pub problem: Problem,
}

/// The kinds of mistakes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Not TOML, or not text.
    Syntax(String),
    /// A key nobody knows.
    Unknown {
        /// The closest key that is known here.
        nearest: Option<String>,
    },
    /// A key that must be there.
    Missing,
    /// A value of the wrong kind or out of range.
    Wrong {
        /// What stands there.
        found: String,
        /// What should.
        expected: String,
    },
    /// Two parts that contradict each other.
    Incoherent(String),
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        if !self.section.is_empty() {
            write!(f, "[{}] ", self.section)?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        match &self.problem {
            Problem::Syntax(message) | Problem::Incoherent(message) => f.write_str(message),
            Problem::Unknown { nearest: None } => f.write_str("unknown key"),
            Problem::Unknown { nearest: Some(near) } => write!(f, "unknown key; nearest: {near:?}"),
            Problem::Missing => f.write_str("is required"),
            Problem::Wrong { found, expected } => write!(f, "expected {expected}, found {found}"),
        }
    }
}

impl std::error::Error for ManifestError {}

/// The text and its name.
#[derive(Clone, Copy)]
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    pub(crate) file: &'t str,
}

impl<'t> Source<'t> {
    /// Bytes that must be text and not longer than `max`.
    pub(crate) fn new(bytes: &'t [u8], file: &'t str, max: usize) -> Result<Self, ManifestError> {
        let whole = |line, column, message: String| ManifestError {
            file: file.into(),
            line,
            column,
            section: "".into(),
            key: "".into(),
            problem: Problem::Syntax(message),
        };
        if bytes.len() > max {
            let message = format!("{} bytes long, the maximum is {max}", bytes.len());
            return Err(whole(1, 1, message));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self { text, file }),
            Err(error) => {
                let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let (line, column) = position(&good, good.len());
                Err(whole(line, column, "not UTF-8 text".to_owned()))
            }
        }
    }

    pub(crate) fn parse(self) -> Result<Spanned<DeTable<'t>>, ManifestError> {
        DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.error(at, "", "", Problem::Syntax(error.message().to_owned()))
        })
    }

    pub(crate) fn error(self, at: usize, section: &str, key: &str, problem: Problem) -> ManifestError {
        let (line, column) = position(self.text, at);
        let (file, section, key) = (self.file.into(), section.into(), key.into());
        ManifestError { file, line, column, section, key, problem }
    }
}

fn position(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// A table and the section it is.
pub(crate) struct Table<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) section: String,
    at: usize,
    map: &'a DeTable<'a>,
}

/// A value and the key it has.
#[derive(Clone)]
pub(crate) struct Field<'a> {
    source: Source<'a>,
    section: String,
    key: String,
    span: Range<usize>,
    value: &'a DeValue<'a>,
}

type Read<T> = Result<T, ManifestError>;

impl<'a> Table<'a> {
    pub(crate) fn root(source: Source<'a>, tree: &'a Spanned<DeTable<'a>>) -> Self {
        Self { source, section: String::new(), at: 0, map: tree.get_ref() }
    }

    pub(crate) fn error(&self, key: &str, problem: Problem) -> ManifestError {
        let at = self.get(key).map_or(self.at, |field| field.span.start);
        self.source.error(at, &self.section, key, problem)
    }

    /// Refuses keys outside `known`.
    pub(crate) fn only(&self, known: &[&str]) -> Read<()> {
        match self.map.iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
            None => Ok(()),
            Some((key, _)) => {
                let nearest = metnos_vocab::nearest(key.get_ref(), known.iter().copied()).map(str::to_owned);
                let shown: String = key.get_ref().chars().take(80).collect();
                let problem = Problem::Unknown { nearest };
                Err(self.source.error(key.span().start, &self.section, &shown, problem))
            }
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Field<'a>> {
        let (_, value) = self.map.iter().find(|(name, _)| name.get_ref() == key)?;
        Some(Field {
            source: self.source,
            section: self.section.clone(),
            key: key.to_owned(),
            span: value.span(),
            value: value.get_ref(),
        })
    }

    pub(crate) fn need(&self, key: &str) -> Read<Field<'a>> {
        self.get(key).ok_or_else(|| self.error(key, Problem::Missing))
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = Field<'a>> + '_ {
        self.map.iter().filter_map(|(key, _)| self.get(key.get_ref()))
    }
}

impl<'a> Field<'a> {
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Where the value stands in the text.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    pub(crate) fn wrong(&self, expected: impl Into<String>) -> ManifestError {
        let found = match self.value {
            DeValue::String(text) => format!("{:?}", text.chars().take(80).collect::<String>()),
            DeValue::Integer(n) => n.as_str().to_owned(),
            DeValue::Float(n) => n.as_str().to_owned(),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(moment) => moment.to_string(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        self.error(Problem::Wrong { found, expected: expected.into() })
    }

    pub(crate) fn error(&self, problem: Problem) -> ManifestError {
        self.source.error(self.span.start, &self.section, &self.key, problem)
    }

    pub(crate) fn text(&self) -> Read<&'a str> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    /// A string that means something to `T`.
    pub(crate) fn parsed<T: std::str::FromStr<Err: fmt::Display>>(&self) -> Read<T> {
        self.text()?.parse().map_err(|error: T::Err| {
            let message = error.to_string();
            match message.strip_prefix("expected ") {
                Some(expected) => self.wrong(expected),
                None => self.error(Problem::Incoherent(message)),
            }
        })
    }

    pub(crate) fn flag(&self) -> Read<bool> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    pub(crate) fn whole(&self) -> Read<u64> {
        let number = self.value.as_integer();
        let number = number.and_then(|n| u64::from_str_radix(&n.as_str().replace('_', ""), n.radix()).ok());
        number.ok_or_else(|| self.wrong("a whole number"))
    }

    pub(crate) fn moment(&self) -> Read<jiff::Timestamp> {
        let moment = self.value.as_datetime().and_then(|moment| moment.to_string().parse().ok());
        moment.ok_or_else(|| self.wrong("a date and time with offset, such as 2026-11-15T08:00:00Z"))
    }

    pub(crate) fn list(&self) -> Read<Vec<Field<'a>>> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        let item = |(i, item): (usize, &'a Spanned<DeValue<'a>>)| Field {
            source: self.source,
            section: self.section.clone(),
            key: format!("{}[{i}]", self.key),
            span: item.span(),
            value: item.get_ref(),
        };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub(crate) fn texts(&self) -> Read<Vec<String>> {
        self.list()?.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    pub(crate) fn table(&self) -> Read<Table<'a>> {
        let map = self.value.as_table().ok_or_else(|| self.wrong("a table"))?;
        let dot = if self.section.is_empty() { "" } else { "." };
        let section = format!("{}{dot}{}", self.section, self.key);
        Ok(Table { source: self.source, section, at: self.span.start, map })
    }

    /// The value as JSON: moments become text.
    pub(crate) fn json(&self) -> Read<serde_json::Value> {
        use serde_json::Value;
        Ok(match self.value {
            DeValue::String(text) => Value::from(text.as_ref()),
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Datetime(moment) => Value::from(moment.to_string()),
            DeValue::Integer(n) => {
                let number = i64::from_str_radix(&n.as_str().replace('_', ""), n.radix());
                Value::from(number.map_err(|_| self.wrong("a number of 64 bits"))?)
            }
            DeValue::Float(n) => {
                let number = n.as_str().replace('_', "").parse::<f64>().ok().filter(|n| n.is_finite());
                Value::from(number.ok_or_else(|| self.wrong("a finite number"))?)
            }
            DeValue::Array(_) => Value::Array(self.list()?.iter().map(Field::json).collect::<Read<_>>()?),
            DeValue::Table(_) => {
                let table = self.table()?;
                let pairs = table.fields().map(|field| Ok((field.key().to_owned(), field.json()?)));
                Value::Object(pairs.collect::<Read<_>>()?)
            }
        })
    }
}
