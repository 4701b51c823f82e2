//! The things a changer is asked to work on, and the records it answers with.

use crate::call::{Call, next_line, parse};
use metnos_executor::{BytePath, ErrorClass, Failure, Origin, path};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How many items pass between two reports of progress.
pub(super) const STRIDE: u64 = 256;

/// One thing to work on.
pub(super) struct Item<T> {
    /// Its place in the input.
    pub(super) index: u64,
    /// Its path, byte for byte.
    pub(super) path: PathBuf,
    /// Where the path came from.
    pub(super) origin: Origin,
    /// What the caller wanted from its entry.
    pub(super) extra: T,
}

/// The argument `paths`, then the `path` of every entry; each path once. `extra` looks at the
/// entry, if there is one. A call without either list makes no sense.
pub(super) fn items<T>(
    call: &mut Call<'_>,
    extra: impl Fn(Option<&Value>) -> T,
) -> Result<Vec<Item<T>>, Failure> {
    let given: Option<Vec<BytePath>> = match call.args.get("paths") {
        None | Some(Value::Null) => None,
        Some(list) => Some(
            serde_json::from_value(list.clone()).map_err(|e| Failure::wrong_args(format!("paths: {e}")))?,
        ),
    };
    let source = call.take_entries();
    if given.is_none() && source.is_none() {
        return Err(Failure::wrong_args("nothing to work on: give paths or a list of files"));
    }
    let (mut items, mut seen, mut index) = (Vec::new(), HashSet::new(), 0u64);
    for BytePath(path) in given.unwrap_or_default() {
        if seen.insert(path.clone()) {
            items.push(Item { index, path, origin: Origin::User, extra: extra(None) });
        }
        index = index.saturating_add(1);
    }
    if let Some(mut source) = source {
        let mut line = Vec::new();
        while let Some(text) = next_line(&mut source, &mut line)? {
            let entry = parse(text, index)?;
            match path::of_entry(&entry, "path") {
                Some(path) if seen.insert(path.clone()) => {
                    items.push(Item { index, path, origin: Origin::of(&entry), extra: extra(Some(&entry)) });
                }
                Some(_) => {}
                None => call.outcome.fail(
                    index,
                    format!("entry {index}"),
                    ErrorClass::WrongArgs,
                    "the entry has no `path`",
                ),
            }
            index = index.saturating_add(1);
        }
    }
    Ok(items)
}

/// A result that starts with `field` naming `path`.
pub(super) fn result(field: &str, path: &Path) -> Map<String, Value> {
    let mut record = Map::new();
    name(&mut record, field, path);
    record
}

/// Names `path` in `field`, with its bytes beside it when they are not UTF-8.
pub(super) fn name(record: &mut Map<String, Value>, field: &str, path: &Path) {
    record.insert(field.into(), path.to_string_lossy().into_owned().into());
    if path.to_str().is_none() {
        record.insert(format!("{field}_b64"), path::encode(path).into());
    }
}

/// Notes that the thing at `index` failed.
pub(super) fn failed(call: &mut Call<'_>, index: u64, path: &Path, failure: &Failure) {
    let message = match &failure.hint {
        Some(hint) => format!("{}; {hint}", failure.message),
        None => failure.message.clone(),
    };
    call.outcome.fail(index, path.to_string_lossy(), failure.class, message);
}

/// Answers one result that really happened.
pub(super) fn done(
    call: &mut Call<'_>,
    mut record: Map<String, Value>,
    origin: Origin,
) -> Result<(), Failure> {
    record.insert("ok".into(), true.into());
    call.outcome.ok_count = call.outcome.ok_count.saturating_add(1);
    call.emit(&record, origin)
}

/// Reports progress every [`STRIDE`] steps.
pub(super) fn tick(call: &mut Call<'_>, done: u64, total: u64, unit: &str) -> Result<(), Failure> {
    if done.is_multiple_of(STRIDE) { call.progress(done, Some(total), unit) } else { Ok(()) }
}
