//! Between JSON and the values of the interpreter.

use metnos_executor::{ErrorClass, Failure};
use monty_types::MontyObject;
use serde_json::{Map, Number, Value};

/// The deepest nesting that crosses, below what every JSON reader accepts.
const DEPTH_MAX: usize = 100;

/// A JSON value as Python sees it.
pub(super) fn from_json(value: &Value) -> Result<MontyObject, Failure> {
    entering(value, DEPTH_MAX)
}

fn entering(value: &Value, left: usize) -> Result<MontyObject, Failure> {
    let left = left.checked_sub(1).ok_or_else(|| {
        Failure::new(ErrorClass::WrongArgs, format!("the arguments are nested deeper than {DEPTH_MAX}"))
    })?;
    Ok(match value {
        Value::Null => MontyObject::None,
        Value::Bool(b) => MontyObject::Bool(*b),
        Value::Number(n) => number(n),
        Value::String(s) => MontyObject::String(s.clone()),
        Value::Array(items) => {
            MontyObject::List(items.iter().map(|item| entering(item, left)).collect::<Result<_, _>>()?)
        }
        Value::Object(map) => MontyObject::dict(
            map.iter()
                .map(|(key, value)| Ok((MontyObject::String(key.clone()), entering(value, left)?)))
                .collect::<Result<Vec<_>, Failure>>()?,
        ),
    })
}

fn number(n: &Number) -> MontyObject {
    match (n.as_i64(), n.as_u64()) {
        (Some(i), _) => MontyObject::Int(i),
        (None, Some(u)) => MontyObject::BigInt(u.into()),
        _ => MontyObject::Float(n.as_f64().unwrap_or(f64::NAN)),
    }
}

/// A value of Python as JSON. `what` begins the path that an error names.
pub(super) fn to_json(value: MontyObject, what: &str) -> Result<Value, Failure> {
    Leaving { place: what.to_owned() }.value(value, DEPTH_MAX)
}

struct Leaving {
    place: String,
}

impl Leaving {
    fn value(&mut self, value: MontyObject, left: usize) -> Result<Value, Failure> {
        let left = left
            .checked_sub(1)
            .ok_or_else(|| Failure::internal(format!("the value is nested deeper than {DEPTH_MAX}")))?;
        Ok(match value {
            MontyObject::None => Value::Null,
            MontyObject::Bool(b) => Value::Bool(b),
            MontyObject::Int(i) => Value::from(i),
            MontyObject::BigInt(big) => match u64::try_from(&big) {
                Ok(u) => Value::from(u),
                Err(_) => return Err(self.wrong("an int that does not fit in 64 bits")),
            },
            MontyObject::Float(f) => match Number::from_f64(f) {
                Some(n) => Value::Number(n),
                None => return Err(self.wrong("a float that is not finite")),
            },
            MontyObject::String(s) | MontyObject::Path(s) => Value::String(s),
            MontyObject::List(items) | MontyObject::Tuple(items) => self.items(items, left)?,
            MontyObject::NamedTuple { values, .. } => self.items(values, left)?,
            MontyObject::Dict(pairs) => {
                let mut map = Map::new();
                for (key, value) in pairs {
                    let MontyObject::String(key) = key else {
                        return Err(self.wrong(&format!("a dict with a key that is {}", article(&key))));
                    };
                    let value = self.within(&format!(".{key}"), |this| this.value(value, left))?;
                    map.insert(key, value);
                }
                Value::Object(map)
            }
            MontyObject::Cycle(..) => return Err(self.wrong("a value that contains itself")),
            MontyObject::Repr(text) if text == "<deeply nested>" => {
                return Err(self.wrong("nested too deeply"));
            }
            other => return Err(self.wrong(&format!("{}, which JSON cannot carry", article(&other)))),
        })
    }

    fn items(&mut self, items: Vec<MontyObject>, left: usize) -> Result<Value, Failure> {
        let mut list = Vec::with_capacity(items.len());
        for (i, item) in items.into_iter().enumerate() {
            list.push(match item {
                // The common leaves, without spelling out a place nobody will read.
                MontyObject::String(s) => Value::String(s),
                MontyObject::Int(i) => Value::from(i),
                item => self.within(&format!("[{i}]"), |this| this.value(item, left))?,
            });
        }
        Ok(Value::Array(list))
    }

    fn within<T>(&mut self, step: &str, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.place.len();
        self.place.push_str(step);
        let result = f(self);
        self.place.truncate(before);
        result
    }

    fn wrong(&self, what: &str) -> Failure {
        let place: String = self.place.chars().take(200).collect();
        Failure::internal(format!("{place} is {what}"))
    }
}

fn article(value: &MontyObject) -> String {
    format!("of type {}", value.type_name())
}
