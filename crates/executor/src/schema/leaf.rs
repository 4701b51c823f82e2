//! The rules for values that hold no others, shared by both checkers.

use super::{Schema, shown};
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// A set of JSON types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const NUMBER: Self = Self(8 | 4);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ANY: Self = Self(127);

    pub(super) const NAMES: [(&'static str, Self); 7] = [
        ("null", Self::NULL),
        ("boolean", Self::BOOLEAN),
        ("integer", Self::INTEGER),
        ("number", Self::NUMBER),
        ("string", Self::STRING),
        ("array", Self::ARRAY),
        ("object", Self::OBJECT),
    ];

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, one: Self) -> bool {
        self.0 & one.0 == one.0
    }

    fn words(self) -> String {
        let number = self.has(Self::NUMBER);
        let names: Vec<&str> = Self::NAMES
            .iter()
            .filter(|(name, one)| self.has(*one) && !(number && *name == "integer"))
            .map(|(name, _)| *name)
            .collect();
        names.join(" or ")
    }
}

/// A number compared exactly when both sides are whole.
#[derive(Clone, Copy, Debug)]
pub(super) enum Num {
    Int(i128),
    Float(f64),
}

impl Num {
    pub(super) fn of(number: &Number) -> Self {
        let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        whole.map_or_else(|| Self::Float(number.as_f64().unwrap_or(f64::NAN)), Self::Int)
    }

    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(&b)),
            (a, b) => a.float().partial_cmp(&b.float()),
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Int(n) => n as f64,
            Self::Float(n) => n,
        }
    }
}

impl std::fmt::Display for Num {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(n) => write!(f, "{n}"),
            Self::Float(n) => write!(f, "{n}"),
        }
    }
}

/// The answer of a rule: nothing, or the sentence that says what is wrong.
pub(super) type Verdict = Result<(), String>;

impl Schema {
    pub(super) fn expect(&self, one: Types, found: &str) -> Verdict {
        if self.types.has(one) {
            return Ok(());
        }
        Err(format!("expected {}, found {found}", self.types.words()))
    }

    pub(super) fn null(&self) -> Verdict {
        self.expect(Types::NULL, "null")?;
        self.chosen("null", Value::is_null)
    }

    pub(super) fn boolean(&self, flag: bool) -> Verdict {
        self.expect(Types::BOOLEAN, "boolean")?;
        self.chosen(if flag { "true" } else { "false" }, |v| v.as_bool() == Some(flag))
    }

    pub(super) fn number(&self, number: Num) -> Verdict {
        match number {
            Num::Int(_) => self.expect(Types::INTEGER, "number")?,
            // Where whole numbers are welcome, only the fraction is wrong.
            Num::Float(_) if self.types.has(Types::INTEGER) => {
                self.expect(Types::NUMBER, "a number that is not whole")?;
            }
            Num::Float(_) => self.expect(Types::NUMBER, "number")?,
        }
        if let Some(least) = self.minimum
            && number.compare(least).is_none_or(Ordering::is_lt)
        {
            return Err(format!("{number} is below the minimum of {least}"));
        }
        if let Some(most) = self.maximum
            && number.compare(most).is_none_or(Ordering::is_gt)
        {
            return Err(format!("{number} is above the maximum of {most}"));
        }
        if self.choices.is_none() {
            return Ok(());
        }
        self.chosen(&number.to_string(), |v| match v {
            Value::Number(n) => number.compare(Num::of(n)) == Some(Ordering::Equal),
            _ => false,
        })
    }

    pub(super) fn string(&self, text: &str) -> Verdict {
        self.expect(Types::STRING, "string")?;
        if self.path && text.contains('\0') {
            return Err("a path cannot hold a NUL byte".to_owned());
        }
        if self.min_length > 0 || self.max_length < u64::MAX {
            // Bytes bound characters from above and by four from below: most texts need no count.
            let bytes = text.len() as u64;
            let sure = bytes / 4 >= self.min_length && bytes <= self.max_length;
            if !sure {
                self.length(text.chars().count() as u64, "characters")?;
            }
        }
        if self.choices.is_none() {
            return Ok(());
        }
        self.chosen(&format!("{:?}", shown(text)), |v| v.as_str() == Some(text))
    }

    pub(super) fn length(&self, length: u64, unit: &str) -> Verdict {
        if length < self.min_length {
            return Err(format!("has {length} {unit}, the minimum is {}", self.min_length));
        }
        if length > self.max_length {
            return Err(format!("has {length} {unit}, the maximum is {}", self.max_length));
        }
        Ok(())
    }

    /// The base64 form of a path whose name is not UTF-8.
    pub(super) fn path_b64(&self, text: &str) -> Verdict {
        use std::os::unix::ffi::OsStrExt;
        let Some(path) = crate::path::decode(text) else {
            return Err("path_b64 is not base64".to_owned());
        };
        let bytes = path.as_os_str().as_bytes();
        if bytes.is_empty() || bytes.contains(&0) {
            return Err("a path cannot be empty or hold a NUL byte".to_owned());
        }
        self.length(bytes.len() as u64, "bytes")?;
        // Choices are spelled as text; a name that is not text is none of them.
        if self.choices.is_some() {
            return self.chosen("path_b64", |_| false);
        }
        Ok(())
    }

    pub(super) fn count(&self, items: u64) -> Verdict {
        if items < self.min_items {
            return Err(format!("has {items} items, the minimum is {}", self.min_items));
        }
        if items > self.max_items {
            return Err(format!("has more items than the maximum of {}", self.max_items));
        }
        Ok(())
    }

    pub(super) fn chosen(&self, found: &str, is: impl Fn(&Value) -> bool) -> Verdict {
        match &self.choices {
            Some(choices) if !choices.iter().any(is) => {
                let mut words: Vec<String> = choices.iter().take(20).map(|v| shown(&v.to_string())).collect();
                if choices.len() > words.len() {
                    words.push("…".to_owned());
                }
                Err(format!("{found} is not one of {}", words.join(", ")))
            }
            _ => Ok(()),
        }
    }
}

/// The JSON type of a value, in the words of the messages.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Equality of JSON where 1 and 1.0 are the same number.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Num::of(a).compare(Num::of(b)) == Some(Ordering::Equal),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}
