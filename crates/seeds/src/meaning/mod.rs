//! Seeds on what entries mean: classify, extract, describe, one file each.
//!
//! These are the deterministic halves: rules and patterns kept in data files. What needs a model
//! is refused here with `dependency_missing`.

use crate::call::{Call, next_line};
use crate::registry::Seed;
use metnos_executor::{ErrorClass, Failure, Origin};
use serde_json::{Map, Value};

pub mod classify_entries;
pub mod describe_entries;
pub mod extract_entries;

mod amounts;
mod contacts;
mod dates;
mod digest;
mod gist;
mod language;
mod rules;
pub(crate) mod text;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[
    ("classify_entries", classify_entries::run),
    ("describe_entries", describe_entries::run),
    ("extract_entries", extract_entries::run),
];

/// Entries between two reports.
const REPORT: u64 = 256;

/// Hands every entry of the input list to `handle`, with its position and without its `_origin`,
/// which comes apart. Lines that are no entries fail alone.
fn each_entry<'a>(
    call: &mut Call<'a>,
    mut handle: impl FnMut(&mut Call<'a>, u64, Map<String, Value>, Origin) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(mut source) = call.take_entries() else {
        return Err(Failure::wrong_args("there is no list of entries to work on"));
    };
    let (mut buffer, mut index) = (Vec::new(), 0u64);
    while let Some(line) = next_line(&mut *source, &mut buffer)? {
        match serde_json::from_slice::<Value>(line) {
            Ok(value) => {
                let origin = Origin::of(&value);
                if let Value::Object(mut entry) = value {
                    entry.shift_remove("_origin");
                    handle(call, index, entry, origin)?;
                } else {
                    call.outcome.fail(
                        index,
                        format!("entry {index}"),
                        ErrorClass::WrongArgs,
                        "not an object",
                    );
                }
            }
            Err(e) => {
                call.outcome.fail(index, format!("entry {index}"), ErrorClass::WrongArgs, e.to_string())
            }
        }
        index += 1;
        if index % REPORT == 0 {
            call.progress(index, None, "entries")?;
        }
    }
    Ok(())
}

/// The refusal of what only a model can do.
fn needs_model(message: String) -> Failure {
    Failure::new(ErrorClass::DependencyMissing, message)
        .with_hint("a model is needed for this: connect one, or ask for what the built-in rules know")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::testing::run;
    use serde_json::Value;

    /// Is everything `expected` names there, and equal?
    fn holds(expected: &Value, found: &Value) -> bool {
        match (expected, found) {
            (Value::Object(e), Value::Object(f)) => {
                e.iter().all(|(key, value)| f.get(key).is_some_and(|found| holds(value, found)))
            }
            (e, f) => e == f,
        }
    }

    #[test]
    fn birth_cases_hold_without_a_cell_too() {
        for (name, _) in super::SEEDS.iter().chain(crate::numbers::SEEDS) {
            let folder = format!("{}/../../executors/seed/{name}", env!("CARGO_MANIFEST_DIR"));
            let births: Value =
                toml::from_str(&std::fs::read_to_string(format!("{folder}/tests/birth.toml")).unwrap())
                    .unwrap();
            for case in births["case"].as_array().unwrap() {
                let ran = run(name, case["input"].clone());
                let outcome = serde_json::to_value(&ran.outcome).unwrap();
                assert!(holds(&case["expect"], &outcome), "{name}: {}: {outcome:#}", case["name"]);
                if let Some(items) = case.get("items").and_then(Value::as_array) {
                    assert_eq!(items.len(), ran.items.len(), "{name}: {}", case["name"]);
                    for (expected, found) in items.iter().zip(&ran.items) {
                        assert!(holds(expected, found), "{name}: {}: {found:#}", case["name"]);
                    }
                }
            }
        }
    }
}
