//! Fields out of the text of an entry, without building the entry.
//!
//! A line is scanned once; only the wanted fields are looked at, the rest is skipped as text.
//! A name such as `exif.taken_at` means the key spelled so, or else the field inside the field.

use metnos_executor::Origin;
use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The most fields of one entry, as many as a sheet has columns: looking one up is linear.
const FIELDS_MAX: usize = 16_384;

/// The field that carries the taint.
pub(super) const ORIGIN: &str = "_origin";

/// True for the fields that are about the entry and not of it: they are not shown or compared.
pub(super) fn is_internal(name: &str) -> bool {
    name == ORIGIN || name.ends_with("_b64")
}

/// A string that borrows from the line when it holds no escape.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The name of a field, perhaps of a field inside a field.
#[derive(Clone, Debug)]
pub(super) struct FieldName {
    full: String,
    steps: Vec<String>,
}

impl FieldName {
    /// The field called `name`.
    pub(super) fn new(name: &str) -> Self {
        Self { full: name.to_owned(), steps: name.split('.').map(str::to_owned).collect() }
    }

    /// The name as written.
    pub(super) fn as_str(&self) -> &str {
        &self.full
    }

    fn is_nested(&self) -> bool {
        self.steps.len() > 1
    }

    /// The value below `outer`, which is the value of the first step.
    fn descend<'a>(&self, outer: &'a RawValue) -> Option<&'a RawValue> {
        let mut value = outer;
        for step in self.steps.iter().skip(1) {
            if !value.get().starts_with('{') {
                return None;
            }
            let only = [FieldName { full: step.clone(), steps: vec![step.clone()] }];
            value = pick(value.get().as_bytes(), &only).ok()?.pop()??;
        }
        Some(value)
    }
}

struct Pick<'p>(&'p [FieldName]);

impl<'de> Visitor<'de> for Pick<'_> {
    type Value = Vec<Option<&'de RawValue>>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut found: Self::Value = vec![None; self.0.len()];
        let mut literal = vec![false; self.0.len()];
        while let Some(Text(key)) = map.next_key()? {
            let wanted = |f: &FieldName| f.full == key || (f.is_nested() && f.steps[0] == key);
            if !self.0.iter().any(wanted) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let raw: &'de RawValue = map.next_value()?;
            for ((field, slot), literal) in self.0.iter().zip(&mut found).zip(&mut literal) {
                if field.full == key {
                    (*slot, *literal) = (Some(raw), true);
                } else if !*literal && field.is_nested() && field.steps[0] == key {
                    *slot = field.descend(raw);
                }
            }
        }
        Ok(found)
    }
}

/// The wanted fields of a line, in the order asked for. Fails when the line is not an object.
pub(super) fn pick<'a>(
    line: &'a [u8],
    wanted: &[FieldName],
) -> Result<Vec<Option<&'a RawValue>>, serde_json::Error> {
    let mut source = serde_json::Deserializer::from_slice(line);
    let found = source.deserialize_map(Pick(wanted))?;
    source.end()?;
    Ok(found)
}

struct All;

impl<'de> Visitor<'de> for All {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut fields: Self::Value = Vec::new();
        while let Some(Text(key)) = map.next_key()? {
            let raw: &'de RawValue = map.next_value()?;
            // A key written twice means its last value, as everywhere else.
            match fields.iter().position(|(known, _)| *known == key) {
                Some(at) => fields[at].1 = raw,
                None if fields.len() >= FIELDS_MAX => {
                    return Err(M::Error::custom(format!("an entry of more than {FIELDS_MAX} fields")));
                }
                None => fields.push((key, raw)),
            }
        }
        Ok(fields)
    }
}

/// The fields of an entry as text, in the order written.
pub(super) type Fields<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// Every field of a line, in order, each value still as text.
pub(super) fn all(line: &[u8]) -> Result<Fields<'_>, serde_json::Error> {
    let mut source = serde_json::Deserializer::from_slice(line);
    let fields = source.deserialize_map(All)?;
    source.end()?;
    Ok(fields)
}

/// The origin that the raw value of `_origin` declares; see [`Origin::of`].
pub(super) fn origin(raw: Option<&RawValue>) -> Origin {
    match raw {
        None => Origin::User,
        Some(raw) => serde_json::from_str(raw.get()).unwrap_or(Origin::Web),
    }
}

/// The value of a field, as far as a list operation needs to know it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// The entry has no such field, or it is `null`.
    Missing,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written: nothing is lost before someone computes with it.
    Number(&'a str),
    /// A text.
    Text(Cow<'a, str>),
    /// An array or an object, as written.
    Nested(&'a str),
}

impl<'a> Cell<'a> {
    /// What `raw` is.
    pub(super) fn of(raw: Option<&'a RawValue>) -> Self {
        raw.map_or(Self::Missing, |raw| Self::parse(raw.get()))
    }

    /// What the JSON text `raw` is.
    pub(super) fn parse(raw: &'a str) -> Self {
        match raw.as_bytes().first() {
            None | Some(b'n') => Self::Missing,
            Some(b't') => Self::Bool(true),
            Some(b'f') => Self::Bool(false),
            Some(b'"') => Self::Text(match serde_json::from_str(raw) {
                Ok(Text(text)) => text,
                // Half a surrogate pair cannot become text: keep it as it is spelled.
                Err(_) => Cow::Borrowed(raw.trim_matches('"')),
            }),
            Some(b'{' | b'[') => Self::Nested(raw),
            Some(_) => Self::Number(raw),
        }
    }

    /// The value as a person would write it; empty when missing.
    pub(super) fn text(&self) -> Cow<'a, str> {
        match self {
            Self::Missing => Cow::Borrowed(""),
            Self::Bool(true) => Cow::Borrowed("true"),
            Self::Bool(false) => Cow::Borrowed("false"),
            Self::Number(raw) | Self::Nested(raw) => Cow::Borrowed(raw),
            Self::Text(text) => text.clone(),
        }
    }

    /// The members when this is an array, else the value itself.
    pub(super) fn members(self) -> Vec<Cell<'a>> {
        match self {
            Self::Nested(raw) if raw.starts_with('[') => match serde_json::from_str::<Vec<&RawValue>>(raw) {
                Ok(items) => items.into_iter().map(|item| Cell::parse(item.get())).collect(),
                Err(_) => vec![self],
            },
            _ => vec![self],
        }
    }
}

/// A record made from an entry's own fields, in their order.
pub(super) struct Record<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl Serialize for Record<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key.as_ref(), value)))
    }
}

/// The text in lower case, for every comparison that ignores case.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() }
}

/// The names of a line's fields, for a hint to someone who asked for another.
pub(super) fn names(line: &[u8]) -> String {
    let fields = all(line).unwrap_or_default();
    let known: Vec<&str> =
        fields.iter().map(|(name, _)| name.as_ref()).filter(|name| !is_internal(name)).take(30).collect();
    format!("the entries have: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn one(line: &str, name: &str) -> String {
        let found = pick(line.as_bytes(), &[FieldName::new(name)]).unwrap();
        Cell::of(found[0]).text().into_owned()
    }

    #[test]
    fn a_dotted_name_is_the_key_spelled_so_or_the_field_inside() {
        assert_eq!(one(r#"{"exif":{"taken_at":"x","gps":{"lat":1.50}}}"#, "exif.taken_at"), "x");
        assert_eq!(one(r#"{"exif":{"gps":{"lat":1.50}}}"#, "exif.gps.lat"), "1.50");
        assert_eq!(one(r#"{"a.b":1,"a":{"b":2}}"#, "a.b"), "1");
        assert_eq!(one(r#"{"a":3}"#, "a.b"), "");
    }

    #[test]
    fn escaped_keys_deep_values_and_half_surrogates_do_no_harm() {
        assert_eq!(one(r#"{"n\u0061me":"v"}"#, "name"), "v");
        let deep = format!(r#"{{"x":{}{},"name":"v"}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(one(&deep, "name"), "v");
        assert_eq!(one(r#"{"name":"\ud800"}"#, "name"), r"\ud800");
        assert!(pick(b"[1]", &[]).is_err());
        assert!(pick(br#"{"a":1} x"#, &[]).is_err());
    }

    #[test]
    fn an_unknown_origin_is_the_least_trusted() {
        let of = |line: &str| origin(pick(line.as_bytes(), &[FieldName::new(ORIGIN)]).unwrap()[0]);
        assert_eq!(of("{}"), Origin::User);
        assert_eq!(of(r#"{"_origin":"mail"}"#), Origin::Mail);
        assert_eq!(of(r#"{"_origin":7}"#), Origin::Web);
    }
}
