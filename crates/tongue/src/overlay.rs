//! A table of one language laid over the English one, line by line.

use std::collections::BTreeSet;
use toml::{Table, Value};

/// Sections whose lists are as long as the English ones: one and many, the days, the months.
const AS_LONG: [&str; 4] = ["things", "object", "weekdays", "months"];

/// Why a value may not stand where the English one stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It is of another kind: a list for a text.
    Kind,
    /// It has other slots.
    Slots,
    /// It is a list of another length.
    Length,
}

/// `own` over `base`. What the base does not have, and what does not fit, is left out.
pub(crate) fn lay(mut base: Table, own: Table) -> Table {
    over(&mut base, own, "");
    base
}

fn over(base: &mut Table, own: Table, section: &str) {
    for (key, value) in own {
        let Some(english) = base.get_mut(&key) else { continue };
        match (english, value) {
            (Value::Table(english), Value::Table(value)) => over(english, value, &key),
            (english, value) if fits(english, &value, section, &key).is_ok() => *english = value,
            _ => {}
        }
    }
}

/// Whether a value may stand where the English one does.
pub(crate) fn fits(english: &Value, own: &Value, section: &str, key: &str) -> Result<(), Unfit> {
    match (english, own) {
        (Value::String(english), Value::String(own)) => {
            if slots(english) == slots(own) {
                Ok(())
            } else {
                Err(Unfit::Slots)
            }
        }
        (Value::Array(english), Value::Array(own)) => {
            if (AS_LONG.contains(&section) || AS_LONG.contains(&key)) && english.len() != own.len() {
                return Err(Unfit::Length);
            }
            items(english, own)
        }
        (english, own) if std::mem::discriminant(english) == std::mem::discriminant(own) => Ok(()),
        _ => Err(Unfit::Kind),
    }
}

/// Whether each item is such as the English list has: pairs with a first part and slots that it knows, tables with
/// its keys, or texts.
fn items(english: &[Value], own: &[Value]) -> Result<(), Unfit> {
    own.iter().try_for_each(|item| match item {
        Value::String(_) if english.iter().all(Value::is_str) => Ok(()),
        Value::Array(pair) => {
            let mut same = english.iter().filter_map(Value::as_array).filter(|e| e.first() == pair.first());
            let Some(known) = same.next().filter(|known| known.len() == pair.len()) else {
                return Err(Unfit::Kind);
            };
            known.iter().zip(pair).try_for_each(|(known, own)| fits(known, own, "", ""))
        }
        Value::Table(own) => {
            let keys = |key: &String| english.iter().filter_map(Value::as_table).any(|e| e.contains_key(key));
            let needed = english.first().and_then(Value::as_table);
            let all =
                needed.is_none_or(|first| first.keys().all(|key| own.contains_key(key) || key == "args"));
            if own.keys().all(keys) && all { Ok(()) } else { Err(Unfit::Kind) }
        }
        _ => Err(Unfit::Kind),
    })
}

/// The slots of a text: `{name}`, and `{}` as often as it stands there.
pub fn slots(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut bare = 0;
    for part in text.split('{').skip(1) {
        let Some((name, _)) = part.split_once('}') else { continue };
        if name.is_empty() {
            bare += 1;
            found.insert(format!("{bare}"));
        } else if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        {
            found.insert(name.to_owned());
        }
    }
    found
}
