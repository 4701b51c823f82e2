//! `compare_entries`: what is new, gone, changed or the same, against an earlier list (`with`) or
//! against one record (`reference`) that every entry should look like.

use super::field::{self, Fields, ORIGIN, Record};
use super::identity::{self, Digest, Identity};
use super::lines::{Arena, Lines, reject};
use crate::call::Call;
use metnos_executor::{Failure, Origin};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

#[derive(Deserialize)]
struct Args {
    reference: Option<Map<String, Value>>,
    key: Option<String>,
}

#[derive(Clone, Copy, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Status {
    Added,
    Removed,
    Changed,
    Equal,
}

/// A field that differs.
#[derive(Serialize)]
struct Change<'a> {
    field: &'a str,
    before: Option<&'a RawValue>,
    after: Option<&'a RawValue>,
}

/// The record itself with what happened to it, so that a pipe can go on with it.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    record: Record<'a>,
    status: Status,
    changed: &'a [Change<'a>],
}

#[derive(Default)]
struct Counts {
    added: u64,
    removed: u64,
    changed: u64,
    equal: u64,
}

/// Answers every record of both lists, once, with its `status`.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let (entries, with) = (Lines::entries(call), Lines::with(call));
    let mut counts = Counts::default();
    match (args.reference, with.given()) {
        (Some(_), true) => return Err(Failure::wrong_args("with or reference, not both")),
        (None, false) => return Err(Failure::wrong_args("compare with what? Give with or reference")),
        (Some(reference), false) => against_one(call, entries, &reference, &mut counts)?,
        (None, true) => against_list(call, entries, with, args.key.as_deref(), &mut counts)?,
    }
    call.outcome.ok_count = call.items();
    call.set(
        "metadata",
        json!({"added": counts.added, "removed": counts.removed, "changed": counts.changed, "equal": counts.equal}),
    );
    Ok(())
}

fn against_one(
    call: &mut Call<'_>,
    mut entries: Lines<'_>,
    reference: &Map<String, Value>,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let text = serde_json::to_vec(reference).map_err(|e| Failure::internal(e.to_string()))?;
    let wanted = own(field::all(&text).map_err(|e| Failure::internal(e.to_string()))?);
    while let Some((index, line)) = entries.advance(call)? {
        match field::all(line) {
            Err(error) => reject(call, index, error.to_string()),
            Ok(fields) => {
                let origin = origin(&fields);
                let after = own(fields);
                // Only what the reference names matters.
                let changed: Vec<Change<'_>> = changes(&wanted, &after)
                    .into_iter()
                    .filter(|c| get(&wanted, c.field).is_some())
                    .collect();
                let status = if changed.is_empty() { Status::Equal } else { Status::Changed };
                answer(call, &after, status, &changed, origin, counts)?;
            }
        }
    }
    Ok(())
}

fn against_list(
    call: &mut Call<'_>,
    mut entries: Lines<'_>,
    mut with: Lines<'_>,
    key: Option<&str>,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let mut earlier = Arena::default();
    while let Some((_, line)) = with.advance(call)? {
        earlier.push(line);
    }
    let mut identity = key.map(Identity::by);
    let mut waiting: HashMap<Digest, VecDeque<u32>> = HashMap::new();
    let mut gone = vec![true; earlier.len()];
    let mut prepared = false;
    loop {
        let next = entries.advance(call)?;
        if !prepared {
            // The key is decided by the first entry of each list.
            let by = identity.get_or_insert_with(|| match next {
                Some((_, line)) if earlier.len() > 0 => Identity::common(line, earlier.get(0)),
                _ => Identity::Whole,
            });
            for (number, gone) in gone.iter_mut().enumerate() {
                match (by.of(earlier.get(number)), u32::try_from(number)) {
                    (Ok(digest), Ok(number)) => waiting.entry(digest).or_default().push_back(number),
                    (found, _) => {
                        *gone = false;
                        let why = found.err().unwrap_or_else(|| "too many entries".to_owned());
                        reject(call, number as u64, format!("in `with`: {why}"));
                    }
                }
            }
            prepared = true;
        }
        let (Some((index, line)), Some(by)) = (next, identity.as_ref()) else { break };
        let (digest, fields) = match (by.of(line), field::all(line)) {
            (Ok(digest), Ok(fields)) => (digest, fields),
            (Err(why), _) => {
                reject(call, index, why);
                continue;
            }
            (_, Err(error)) => {
                reject(call, index, error.to_string());
                continue;
            }
        };
        let now = origin(&fields);
        let after = own(fields);
        // Entries that share a key are paired in the order they came.
        match waiting.get_mut(&digest).and_then(VecDeque::pop_front) {
            None => answer(call, &after, Status::Added, &[], now, counts)?,
            Some(number) => {
                let number = number as usize;
                if let Some(gone) = gone.get_mut(number) {
                    *gone = false;
                }
                let fields = field::all(earlier.get(number)).unwrap_or_default();
                let joined = now.join(origin(&fields));
                let before = own(fields);
                let changed = changes(&before, &after);
                let status = if changed.is_empty() { Status::Equal } else { Status::Changed };
                answer(call, &after, status, &changed, joined, counts)?;
            }
        }
    }
    for (number, _) in gone.iter().enumerate().filter(|(_, gone)| **gone) {
        let fields = field::all(earlier.get(number)).unwrap_or_default();
        let origin = origin(&fields);
        answer(call, &own(fields), Status::Removed, &[], origin, counts)?;
    }
    Ok(())
}

fn origin(fields: &Fields<'_>) -> Origin {
    field::origin(get(fields, ORIGIN))
}

fn own(mut fields: Fields<'_>) -> Fields<'_> {
    fields.retain(|(name, _)| name != ORIGIN);
    fields
}

fn get<'a>(fields: &Fields<'a>, name: &str) -> Option<&'a RawValue> {
    fields.iter().find(|(known, _)| known == name).map(|(_, raw)| *raw)
}

/// The fields that are not the same, in the order of the later record.
fn changes<'a>(before: &'a Fields<'a>, after: &'a Fields<'a>) -> Vec<Change<'a>> {
    let same = |a: Option<&RawValue>, b: Option<&RawValue>| match (a, b) {
        (Some(a), Some(b)) => a.get() == b.get() || identity::of_exact(a) == identity::of_exact(b),
        (a, b) => a.is_none() && b.is_none(),
    };
    let removed = before.iter().filter(|(name, _)| get(after, name).is_none());
    after
        .iter()
        .chain(removed)
        .map(|(name, _)| Change { field: name, before: get(before, name), after: get(after, name) })
        .filter(|change| !same(change.before, change.after))
        .collect()
}

fn answer(
    call: &mut Call<'_>,
    record: &Fields<'_>,
    status: Status,
    changed: &[Change<'_>],
    origin: Origin,
    counts: &mut Counts,
) -> Result<(), Failure> {
    match status {
        Status::Added => counts.added += 1,
        Status::Removed => counts.removed += 1,
        Status::Changed => counts.changed += 1,
        Status::Equal => counts.equal += 1,
    }
    // A record may have a status of its own: it keeps it under another name.
    let record = record
        .iter()
        .map(|(name, raw)| match name.as_ref() {
            "status" | "changed" => (Cow::Owned(format!("entry_{name}")), *raw),
            name => (Cow::Borrowed(name), *raw),
        })
        .collect();
    call.emit(&Answer { record: Record(record), status, changed }, origin)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::testing::run;
    use serde_json::{Value, json};

    fn statuses(items: &[Value]) -> Vec<(String, String)> {
        items.iter().map(|e| (e["id"].to_string(), e["status"].as_str().unwrap().to_owned())).collect()
    }

    #[test]
    fn every_record_has_one_status() {
        let ran = run(
            "compare_entries",
            json!({
                "entries": [{"id": 1, "v": 1.0}, {"id": 2, "v": "b", "w": 1}, {"id": 4}],
                "with": [{"id": 3}, {"id": 2, "v": "a", "old": true}, {"id": 1, "v": 1}],
            }),
        );
        let expected = [("1", "equal"), ("2", "changed"), ("4", "added"), ("3", "removed")];
        assert_eq!(statuses(&ran.items), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(
            ran.items[1]["changed"],
            json!([{"field": "v", "before": "a", "after": "b"}, {"field": "w", "before": null, "after": 1},
                   {"field": "old", "before": true, "after": null}])
        );
        assert_eq!(
            ran.outcome.fields["metadata"],
            json!({"added": 1, "removed": 1, "changed": 1, "equal": 1})
        );
    }

    #[test]
    fn a_reference_names_what_matters() {
        let ran = run(
            "compare_entries",
            json!({"reference": {"lang": "it"}, "entries": [{"id": 1, "lang": "it"}, {"id": 2}, {"id": 3, "lang": "en"}]}),
        );
        let expected = [("1", "equal"), ("2", "changed"), ("3", "changed")];
        assert_eq!(statuses(&ran.items), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn taint_joins_both_sides_and_own_fields_survive() {
        let ran = run(
            "compare_entries",
            json!({"entries": [{"id": 1, "status": "open", "_origin": "local"}, {"id": 2, "_origin": "local"}],
                   "with": [{"id": 1, "status": "open", "_origin": "web"}, {"id": 9, "_origin": "mail"}]}),
        );
        let origins: Vec<&Value> = ran.items.iter().map(|e| &e["_origin"]).collect();
        assert_eq!(origins, ["web", "local", "mail"]);
        assert_eq!(ran.items[0]["entry_status"], "open");
        assert_eq!(ran.items[0]["status"], "equal");
    }

    #[test]
    fn empty_sides_duplicates_and_bad_lines() {
        let ran = run("compare_entries", json!({"entries": [], "with": [{"id": 1}]}));
        assert_eq!(ran.items[0]["status"], "removed");
        let ran = run("compare_entries", json!({"entries": [{"id": 1}], "with": []}));
        assert_eq!(ran.items[0]["status"], "added");
        let ran = run(
            "compare_entries",
            json!({"entries": [{"id": 1}, {"id": 1}, 5], "with": [{"id": 1}, {"x": 2}]}),
        );
        assert_eq!(
            ran.items.iter().map(|e| e["status"].as_str().unwrap()).collect::<Vec<_>>(),
            ["equal", "added"]
        );
        assert_eq!(ran.outcome.fail_count, 2);
    }

    #[test]
    fn something_to_compare_with_is_needed() {
        assert!(run("compare_entries", json!({"entries": []})).outcome.error.is_some());
        assert!(
            run("compare_entries", json!({"entries": [], "with": [], "reference": {}}))
                .outcome
                .error
                .is_some()
        );
    }
}
