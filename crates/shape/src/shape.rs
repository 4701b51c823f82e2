//! What an answer may look like. One description with three uses: the grammar, the schema, and the
//! check of what came back, so that they cannot drift apart.

use serde::{Serialize, Serializer};
use serde_json::Value;

/// The shape of a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Text of at most so many letters.
    Text(usize),
    /// A date, or a date and time with its offset.
    Moment,
    /// One of these words.
    Choice(Vec<String>),
    /// A whole number within bounds.
    Integer(i64, i64),
    /// Any number.
    Number,
    /// Yes or no.
    Bool,
    /// A list of one shape, with its least and greatest length.
    List(Box<Shape>, usize, usize),
    /// A record. Its fields come in this order.
    Record(Vec<Field>),
    /// One of several. Records are told apart by their first field.
    OneOf(Vec<Shape>),
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
}

/// Where a value is not what it may be, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {why}")]
pub struct Misfit {
    /// The place, as in `plans[0].steps[1].args.kind`.
    pub at: String,
    /// What is wrong there.
    pub why: String,
}

impl Shape {
    /// Whether `value` has this shape.
    pub fn check(&self, value: &Value) -> Result<(), Misfit> {
        self.check_at(value, "answer")
    }

    fn check_at(&self, value: &Value, at: &str) -> Result<(), Misfit> {
        let wrong = |why: String| Err(Misfit { at: at.to_owned(), why });
        match (self, value) {
            (Self::Text(most), Value::String(text)) => match text.chars().count() <= *most {
                true => Ok(()),
                false => wrong(format!("longer than {most}")),
            },
            (Self::Moment, Value::String(text)) if is_moment(text) => Ok(()),
            (Self::Moment, _) => wrong("not a date".to_owned()),
            (Self::Choice(words), Value::String(text)) => match words.contains(text) {
                true => Ok(()),
                false => wrong(format!("{} is none of {}", short(text), words.join(", "))),
            },
            (Self::Integer(least, most), Value::Number(number)) => match number.as_i64() {
                Some(n) if (*least..=*most).contains(&n) => Ok(()),
                _ => wrong(format!("{number} is no whole number from {least} to {most}")),
            },
            (Self::Number, Value::Number(_)) | (Self::Bool, Value::Bool(_)) => Ok(()),
            (Self::List(shape, least, most), Value::Array(items)) => {
                if items.len() < *least || items.len() > *most {
                    return wrong(format!("{} items, from {least} to {most} may be there", items.len()));
                }
                items.iter().enumerate().try_for_each(|(n, item)| shape.check_at(item, &format!("{at}[{n}]")))
            }
            (Self::Record(fields), Value::Object(map)) => {
                if let Some(strange) = map.keys().find(|key| !fields.iter().any(|field| field.name == **key))
                {
                    return wrong(format!("there is no {}", short(strange)));
                }
                fields.iter().try_for_each(|field| match map.get(&field.name) {
                    Some(value) => field.shape.check_at(value, &format!("{at}.{}", field.name)),
                    None if field.required => wrong(format!("{} is missing", field.name)),
                    None => Ok(()),
                })
            }
            (Self::OneOf(shapes), value) => one_of(shapes, value, at),
            _ => wrong("of another type".to_owned()),
        }
    }

    /// The one word that tells this record from its neighbours, with its field.
    fn mark(&self) -> Option<(&str, &str)> {
        let Self::Record(fields) = self else { return None };
        let first = fields.first()?;
        match &first.shape {
            Self::Choice(words) if words.len() == 1 => Some((&first.name, words.first()?)),
            _ => None,
        }
    }
}

/// The record that bears the value's mark decides; without marks, any that fits.
fn one_of(shapes: &[Shape], value: &Value, at: &str) -> Result<(), Misfit> {
    for shape in shapes {
        if shape.mark().is_some_and(|(field, word)| value.get(field).and_then(Value::as_str) == Some(word)) {
            return shape.check_at(value, at);
        }
    }
    if shapes.iter().any(|shape| shape.check_at(value, at).is_ok()) {
        return Ok(());
    }
    let named = shapes.iter().find_map(|shape| {
        let (field, _) = shape.mark()?;
        Some(format!("{field} {} is none that may be used", short(value.get(field)?.as_str()?)))
    });
    Err(Misfit { at: at.to_owned(), why: named.unwrap_or_else(|| "none of what may be here".to_owned()) })
}

/// `2026-11-15` or `2026-11-15T10:00:00+01:00`; `Z` is an offset too.
fn is_moment(text: &str) -> bool {
    let (date, rest) = text.split_at_checked(10).unwrap_or((text, "?"));
    let fits = |text: &str, pattern: &str| {
        text.len() == pattern.len()
            && text
                .bytes()
                .zip(pattern.bytes())
                .all(|(c, p)| if p == b'0' { c.is_ascii_digit() } else { c == p })
    };
    let within = |from: usize, least: u8, most: u8| {
        date.get(from..from + 2)
            .and_then(|part| part.parse::<u8>().ok())
            .is_some_and(|n| (least..=most).contains(&n))
    };
    let time = match rest.strip_prefix('T') {
        None => rest.is_empty(),
        Some(time) => ["00:00:00Z", "00:00:00+00:00", "00:00:00-00:00"].iter().any(|p| fits(time, p)),
    };
    fits(date, "0000-00-00") && within(5, 1, 12) && within(8, 1, 31) && time
}

fn short(text: &str) -> String {
    let cut: String = text.chars().take(60).collect();
    format!("{cut:?}")
}

/// A shape, made ready to be sent and to be checked against.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    shape: Shape,
    /// For servers that take a grammar.
    pub gbnf: String,
    /// For servers that take a schema.
    pub schema: Value,
}

impl Constraint {
    /// The constraint of a shape.
    pub fn new(shape: Shape) -> Self {
        Self { gbnf: crate::gbnf::grammar(&shape), schema: crate::schema::schema(&shape), shape }
    }

    /// The value in an answer, if it fits. What stands around the record is not looked at: a server
    /// without a grammar lets its model talk.
    pub fn read(&self, text: &str) -> Result<Value, Misfit> {
        let garbled = |why: &str| Misfit { at: "answer".to_owned(), why: why.to_owned() };
        let inner = match (text.find('{'), text.rfind('}')) {
            (Some(from), Some(to)) if from < to => &text[from..=to],
            _ => return Err(garbled("not a record")),
        };
        let value: Value = serde_json::from_str(inner).map_err(|e| garbled(&e.to_string()))?;
        self.shape.check(&value)?;
        Ok(value)
    }
}

/// A log holds the digest: the same digest, the same grammar.
impl Serialize for Constraint {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.gbnf.as_bytes());
        hasher.update(self.schema.to_string().as_bytes());
        to.serialize_str(&hasher.finalize().to_hex()[..32])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(tool: &str, fields: Vec<Field>) -> Shape {
        Shape::Record(vec![
            Field { name: "tool".into(), shape: Shape::Choice(vec![tool.into()]), required: true },
            Field { name: "args".into(), shape: Shape::Record(fields), required: true },
        ])
    }

    fn shape() -> Shape {
        let field = |name: &str, shape, required| Field { name: name.into(), shape, required };
        Shape::OneOf(vec![
            step("a", vec![field("when", Shape::Moment, false), field("n", Shape::Integer(0, 9), true)]),
            step("b", vec![field("list", Shape::List(Box::new(Shape::Text(3)), 1, 2), false)]),
        ])
    }

    #[test]
    fn only_what_has_the_shape_passes_and_the_rest_is_named() {
        for right in [
            json!({"tool":"a","args":{"n":3}}),
            json!({"tool":"a","args":{"when":"2026-11-15T10:00:00+01:00","n":0}}),
            json!({"tool":"b","args":{"list":["abc"]}}),
        ] {
            assert_eq!(shape().check(&right), Ok(()), "{right}");
        }
        for (wrong, why) in [
            (json!({"tool":"c","args":{}}), "tool \"c\""),
            (json!({"tool":"a","args":{}}), "n is missing"),
            (json!({"tool":"a","args":{"n":10}}), "10"),
            (json!({"tool":"a","args":{"n":1.5}}), "1.5"),
            (json!({"tool":"a","args":{"n":1,"m":2}}), "no \"m\""),
            (json!({"tool":"a","args":{"n":1,"when":"tomorrow"}}), "date"),
            (json!({"tool":"a","args":{"n":1,"when":"2026-13-01"}}), "date"),
            (json!({"tool":"b","args":{"list":["abcd"]}}), "longer"),
            (json!({"tool":"b","args":{"list":[]}}), "items"),
            (json!({"tool":"b"}), "args is missing"),
            (json!([]), "none of"),
        ] {
            let misfit = shape().check(&wrong).unwrap_err();
            assert!(misfit.to_string().contains(why), "{wrong}: {misfit}");
        }
    }

    #[test]
    fn talk_around_an_answer_is_not_looked_at_and_talk_alone_is_no_answer() {
        let constraint = Constraint::new(shape());
        assert!(constraint.read("Sure!\n```json\n{\"tool\":\"a\",\"args\":{\"n\":3}}\n```").is_ok());
        for wrong in ["", "I cannot", "{", "}{", "{\"tool\":\"a\"", "[1]", "{\"tool\":\"a\"}"] {
            assert!(constraint.read(wrong).is_err(), "{wrong}");
        }
    }
}
