//! `group_entries`: how many entries share a value, and what another field of theirs amounts to.

use super::derive::Derived;
use super::field::{self, Cell, FieldName, ORIGIN};
use super::identity::{self, Digest};
use super::lines::{Lines, reject};
use super::moment::Clock;
use super::seen::Seen;
use super::tally::{Measure, Tally};
use crate::call::Call;
use metnos_executor::{Failure, Origin};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;

#[derive(Deserialize)]
struct Args {
    by: String,
    aggregate: Option<Measure>,
    field: Option<String>,
}

/// The name of a group, small: a list may have as many groups as entries.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Number(super::exact::Number),
    Text(Box<str>),
    Bool(bool),
    Missing,
}

struct Group {
    name: Name,
    count: u64,
    origin: Origin,
    tally: Tally,
}

#[derive(Serialize)]
struct Answer {
    key: Value,
    count: u64,
    value: Value,
}

/// Answers one entry per group, the largest group first.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let measure = args.aggregate.unwrap_or(Measure::Count);
    if measure != Measure::Count && args.field.is_none() {
        return Err(Failure::wrong_args("aggregate: a sum, mean, least or greatest needs `field`"));
    }
    let clock = Clock::of(&call.now);
    let derived = Derived::named(&args.by);
    let mut wanted = vec![
        FieldName::new(ORIGIN),
        FieldName::new(&args.by),
        FieldName::new(args.field.as_deref().unwrap_or("")),
    ];
    wanted.extend(derived.map(Derived::sources).unwrap_or_default());

    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<Digest, usize> = HashMap::new();
    let mut seen = Seen::default();
    let mut lines = Lines::entries(call);
    while let Some((index, line)) = lines.advance(call)? {
        let found = match field::pick(line, &wanted) {
            Ok(found) => found,
            Err(error) => {
                reject(call, index, error.to_string());
                continue;
            }
        };
        let (origin, own, value) = (field::origin(found[0]), Cell::of(found[1]), Cell::of(found[2]));
        let key = match (own, derived) {
            (Cell::Missing, Some(derived)) => {
                derived.of(&found[3..], &clock).map_or(Cell::Missing, |text| Cell::Text(text.into()))
            }
            (own, _) => own,
        };
        seen.note(&key, line);
        let digest = identity::of_cell(&key);
        let at = known.get(&digest).copied();
        // A value that cannot be measured must not leave an empty group behind.
        let mut fresh = None;
        let tally = match at {
            Some(at) => &mut groups[at].tally,
            None => fresh.insert(Tally::new(measure)),
        };
        if let Err(why) = tally.add(&value, &clock) {
            reject(call, index, why);
            continue;
        }
        match (at, fresh) {
            (Some(at), _) => {
                groups[at].count += 1;
                groups[at].origin = groups[at].origin.join(origin);
            }
            (None, Some(tally)) => {
                known.insert(digest, groups.len());
                groups.push(Group { name: name(&key), count: 1, origin, tally });
            }
            (None, None) => {}
        }
        call.outcome.ok_count += 1;
    }
    drop(known);
    seen.refuse_unknown("by", &args.by)?;
    groups.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    let exact = groups.iter().all(|group| group.tally.is_exact());
    for group in groups {
        let answer = Answer { key: group.name.into(), count: group.count, value: group.tally.value() };
        call.emit(&answer, group.origin)?;
    }
    call.set("metadata", serde_json::json!({ "groups": call.items(), "exact": exact }));
    Ok(())
}

fn name(cell: &Cell<'_>) -> Name {
    match cell {
        Cell::Missing => Name::Missing,
        Cell::Bool(yes) => Name::Bool(*yes),
        Cell::Number(raw) => super::exact::Number::parse(raw).map_or(Name::Text((*raw).into()), Name::Number),
        cell => Name::Text(cell.text().as_ref().into()),
    }
}

impl From<Name> for Value {
    fn from(name: Name) -> Self {
        match name {
            Name::Number(number) => number.to_json(),
            Name::Text(text) => Value::from(text.as_ref()),
            Name::Bool(yes) => Value::from(yes),
            Name::Missing => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::testing::run;
    use serde_json::{Value, json};

    fn groups(args: Value) -> Vec<Value> {
        let ran = run("group_entries", args);
        assert!(ran.outcome.ok, "{:?}", ran.outcome);
        ran.items.iter().map(|g| json!([g["key"], g["count"], g["value"]])).collect()
    }

    #[test]
    fn the_largest_group_comes_first_and_case_does_not_split() {
        let entries = json!([{"ext": "PDF", "size": 1}, {"ext": "jpg", "size": 5}, {"ext": "pdf", "size": 0.5},
            {"size": 2}, {"ext": "txt", "size": 1}]);
        assert_eq!(
            groups(json!({"by": "ext", "entries": entries})),
            [json!(["PDF", 2, 2]), json!(["jpg", 1, 1]), json!(["txt", 1, 1]), json!([null, 1, 1])]
        );
        assert_eq!(
            groups(json!({"by": "ext", "aggregate": "sum", "field": "size", "entries": entries}))[0],
            json!(["PDF", 2, 1.5])
        );
        assert_eq!(
            groups(json!({"by": "ext", "aggregate": "avg", "field": "size", "entries": entries}))[0],
            json!(["PDF", 2, 0.75])
        );
    }

    #[test]
    fn derived_groups_come_from_the_fields_at_hand() {
        let by = |by: &str, entry: Value| groups(json!({"by": by, "entries": [entry]}))[0][0].clone();
        assert_eq!(by("ext", json!({"path": "/x/A.JPG"})), "jpg");
        assert_eq!(by("kind", json!({"name": "a.mp3"})), "audio");
        assert_eq!(by("day", json!({"mtime": "2026-01-01T23:30:00Z"})), "2026-01-02");
        assert_eq!(by("month", json!({"exif": {"taken_at": "2025:06:01 10:00:00"}})), "2025-06");
        assert_eq!(by("year", json!({"mtime": 1_700_000_000})), "2023");
        assert_eq!(by("domain", json!({"url": "https://www.example.org/x"})), "example.org");
        assert_eq!(by("sender", json!({"from": "Anna <A@b.it>"})), "a@b.it");
        assert_eq!(by("month", json!({"month": "maggio", "date": "2026-01-01"})), "maggio");
    }

    #[test]
    fn a_group_is_as_tainted_as_its_worst_member_and_no_other_is() {
        let ran = run(
            "group_entries",
            json!({"by": "k", "entries": [
                {"k": 1, "_origin": "local"}, {"k": 1, "_origin": "web"}, {"k": 2, "_origin": "local"}]}),
        );
        assert_eq!(ran.items[0]["_origin"], "web");
        assert_eq!(ran.items[1]["_origin"], "local");
    }

    #[test]
    fn values_that_are_no_numbers_are_failed_items() {
        let ran = run(
            "group_entries",
            json!({"by": "k", "aggregate": "sum", "field": "v", "entries": [
                {"k": "a", "v": 1}, {"k": "a", "v": "x"}, {"k": "b"}, 5]}),
        );
        assert_eq!(ran.items.len(), 1);
        assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count), (1, 3));
    }

    #[test]
    fn empty_and_senseless() {
        assert!(groups(json!({"by": "x", "entries": []})).is_empty());
        assert!(run("group_entries", json!({"by": "x", "entries": [{"y": 1}]})).outcome.error.is_some());
        assert!(
            run("group_entries", json!({"by": "x", "aggregate": "sum", "entries": []}))
                .outcome
                .error
                .is_some()
        );
    }

    #[test]
    fn the_latest_date_of_a_group_is_its_own_text() {
        let entries = json!([{"k": 1, "d": "2026-01-01"}, {"k": 1, "d": "2026-03-01T10:00:00Z"}]);
        let args = json!({"by": "k", "aggregate": "max", "field": "d", "entries": entries});
        assert_eq!(groups(args), [json!([1, 2, "2026-03-01T10:00:00Z"])]);
    }
}
