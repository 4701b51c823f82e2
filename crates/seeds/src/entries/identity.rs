//! When two entries are the same thing: by a key field, or as whole records.

use super::exact::Number;
use super::field::{self, Cell, FieldName, ORIGIN, fold};
use serde_json::Value;
use serde_json::value::RawValue;

/// Sixteen bytes that stand for a value; two values share them only if they are equal.
pub(super) type Digest = u128;

/// Key fields tried in this order when nobody names one.
const KEYS: [&str; 9] = ["path", "id", "url", "hash", "email", "name", "key", "title", "subject"];
/// Keys in which case matters: they name things to a machine.
const EXACT: [&str; 4] = ["path", "id", "url", "hash"];

/// How entries are told apart.
#[derive(Clone, Debug)]
pub(super) enum Identity {
    /// By the value of a field.
    Field {
        /// The field, and its exact bytes (`…_b64`) when the text is lossy.
        names: [FieldName; 2],
        /// True when case matters.
        exact: bool,
    },
    /// By everything in them except their origin.
    Whole,
}

impl Identity {
    /// By the field `name`.
    pub(super) fn by(name: &str) -> Self {
        let names = [FieldName::new(name), FieldName::new(&format!("{name}_b64"))];
        Self::Field { names, exact: EXACT.contains(&name) }
    }

    /// By the first usual key that both lines have, else by the whole record.
    pub(super) fn common(a: &[u8], b: &[u8]) -> Self {
        let usual: Vec<FieldName> = KEYS.iter().map(|key| FieldName::new(key)).collect();
        let present = |line| -> Vec<bool> {
            field::pick(line, &usual)
                .unwrap_or_default()
                .into_iter()
                .map(|raw| Cell::of(raw) != Cell::Missing)
                .collect()
        };
        let (a, b) = (present(a), present(b));
        let both = a.iter().zip(&b).position(|(a, b)| *a && *b);
        both.and_then(|at| KEYS.get(at)).map_or(Self::Whole, |key| Self::by(key))
    }

    /// The name of the key field; `None` for whole records.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Field { names, .. } => Some(names[0].as_str()),
            Self::Whole => None,
        }
    }

    /// What the entry on `line` is called, or why it cannot be told.
    pub(super) fn of(&self, line: &[u8]) -> Result<Digest, String> {
        match self {
            Self::Whole => whole(line).map_err(|e| e.to_string()),
            Self::Field { names, exact } => {
                let found = field::pick(line, names).map_err(|e| e.to_string())?;
                let cell = |at: usize| Cell::of(found.get(at).copied().flatten());
                match (cell(1), cell(0)) {
                    (Cell::Text(bytes), _) => Ok(digest(b'b', bytes.as_bytes())),
                    (_, Cell::Missing) => Err(format!("the entry has no `{}`", names[0].as_str())),
                    (_, Cell::Text(text)) if *exact => Ok(digest(b't', text.as_bytes())),
                    (_, cell) => Ok(of_cell(&cell)),
                }
            }
        }
    }
}

/// Equal for values that are equal when case is ignored; a number equals the text that spells it.
pub(super) fn of_cell(cell: &Cell<'_>) -> Digest {
    match cell {
        Cell::Missing => digest(b'-', b""),
        Cell::Number(raw) => match Number::parse(raw) {
            Some(number) => digest(b't', number.canonical().as_bytes()),
            None => digest(b't', raw.as_bytes()),
        },
        Cell::Nested(raw) => digest(b'n', canonical(raw).as_bytes()),
        Cell::Bool(_) | Cell::Text(_) => digest(b't', fold(&cell.text()).as_bytes()),
    }
}

/// Of every field but the origin, whatever their order.
pub(super) fn whole(line: &[u8]) -> Result<Digest, serde_json::Error> {
    let mut fields = field::all(line)?;
    fields.retain(|(name, _)| name != ORIGIN);
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    let mut hasher = blake3::Hasher::new();
    for (name, raw) in fields {
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update(&of_exact(raw).to_le_bytes());
    }
    Ok(short(&hasher.finalize()))
}

/// Equal only for equal values: case and kind matter, the way a number is written does not.
pub(super) fn of_exact(raw: &RawValue) -> Digest {
    match Cell::of(Some(raw)) {
        Cell::Missing => digest(b'-', b""),
        Cell::Bool(yes) => digest(b'?', &[u8::from(yes)]),
        Cell::Number(text) => {
            digest(b'#', Number::parse(text).map_or(text.to_owned(), Number::canonical).as_bytes())
        }
        Cell::Text(text) => digest(b't', text.as_bytes()),
        Cell::Nested(text) => digest(b'n', canonical(text).as_bytes()),
    }
}

/// The same text for the same structure, whatever the order of keys. Nested deeper than a parser
/// accepts, a value stands for itself as written.
fn canonical(raw: &str) -> String {
    match serde_json::from_str::<Value>(raw) {
        Ok(mut value) => {
            value.sort_all_objects();
            value.to_string()
        }
        Err(_) => raw.to_owned(),
    }
}

fn digest(kind: u8, bytes: &[u8]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[kind]);
    hasher.update(bytes);
    short(&hasher.finalize())
}

fn short(hash: &blake3::Hash) -> Digest {
    let mut half = [0; 16];
    half.copy_from_slice(&hash.as_bytes()[..16]);
    u128::from_le_bytes(half)
}
