//! `filter_lists`: two lists as sets. Entries pass through untouched, so each keeps its origin; one
//! that was chosen because `with` holds its like is as trusted as the less trusted of the two.
//!
//! `intersect` and `difference` choose among `entries`; `symdiff` adds what only `with` has;
//! `union` is both, each key once; `overlap` keeps the entries whose time meets one of `with`.

use super::field::{self, ORIGIN, Record};
use super::identity::Identity;
use super::lines::{Arena, Lines, reject};
use super::moment::Clock;
use super::overlap::{Timeline, Times};
use crate::call::Call;
use metnos_executor::{Failure, Origin};
use serde::Deserialize;
use serde_json::json;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Op {
    Intersect,
    Union,
    Difference,
    Symdiff,
    Overlap,
}

#[derive(Deserialize)]
struct Args {
    op: Op,
    key: Option<String>,
}

/// Answers the chosen entries and, in `metadata`, how many there were.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let (a, b) = (Lines::entries(call), Lines::with(call));
    if !b.given() {
        return Err(Failure::wrong_args("with: a second list is needed"));
    }
    let (count_a, count_b, key) = match args.op {
        Op::Overlap => overlap(call, a, b, args.key.as_deref())?,
        op => combine(call, a, b, op, args.key.as_deref())?,
    };
    let count_out = call.items();
    call.outcome.ok_count = count_out;
    call.set("metadata", json!({"count_a": count_a, "count_b": count_b, "count_out": count_out, "key": key}));
    Ok(())
}

type Counts = (u64, u64, Option<String>);

fn overlap(
    call: &mut Call<'_>,
    mut a: Lines<'_>,
    mut b: Lines<'_>,
    key: Option<&str>,
) -> Result<Counts, Failure> {
    let (times, clock) = (Times::new(key), Clock::of(&call.now));
    let mut stretches = Vec::new();
    let mut chooser = Origin::User;
    while let Some((index, line)) = b.advance(call)? {
        match times.of(line, &clock) {
            Ok(stretch) => {
                chooser = chooser.join(origin(line));
                stretches.push(stretch);
            }
            Err(why) => reject(call, index, format!("in `with`: {why}")),
        }
    }
    let timeline = Timeline::new(stretches);
    while let Some((index, line)) = a.advance(call)? {
        match times.of(line, &clock) {
            Ok(stretch) if timeline.meets(stretch) => chosen(call, line, chooser)?,
            Ok(_) => {}
            Err(why) => reject(call, index, why),
        }
    }
    Ok((a.count(), b.count(), key.map(str::to_owned)))
}

fn combine(
    call: &mut Call<'_>,
    mut a: Lines<'_>,
    mut b: Lines<'_>,
    op: Op,
    key: Option<&str>,
) -> Result<Counts, Failure> {
    // The first entry of each list decides the key, so both are read before either is used.
    let first_a = a.advance(call)?.map(|(_, line)| line.to_vec());
    let first_b = b.advance(call)?.map(|(_, line)| line.to_vec());
    let identity = match (key, &first_a, &first_b) {
        (Some(key), _, _) => Identity::by(key),
        (None, Some(a), Some(b)) => Identity::common(a, b),
        // With one list empty nothing is compared but a list with itself.
        (None, Some(only), None) | (None, None, Some(only)) => Identity::common(only, only),
        (None, None, None) => Identity::Whole,
    };
    let (mut a, mut b) = (Ahead { first: first_a, rest: a }, Ahead { first: first_b, rest: b });
    if op == Op::Union {
        let mut keys = HashSet::new();
        for list in [&mut a, &mut b] {
            while let Some((index, line)) = list.advance(call)? {
                match identity.of(&line) {
                    Ok(key) if keys.insert(key) => call.pass(&line)?,
                    Ok(_) => {}
                    Err(why) => reject(call, index, why),
                }
            }
        }
    } else {
        let mut theirs: HashMap<_, Origin> = HashMap::new();
        let mut kept = Arena::default();
        let mut kept_keys = Vec::new();
        while let Some((index, line)) = b.advance(call)? {
            match identity.of(&line) {
                Ok(key) => {
                    let origin = origin(&line);
                    theirs.entry(key).and_modify(|o| *o = o.join(origin)).or_insert(origin);
                    if op == Op::Symdiff {
                        kept.push(&line);
                        kept_keys.push(key);
                    }
                }
                Err(why) => reject(call, index, format!("in `with`: {why}")),
            }
        }
        let mut ours = HashSet::new();
        while let Some((index, line)) = a.advance(call)? {
            match identity.of(&line) {
                Ok(key) => {
                    match theirs.get(&key) {
                        Some(chooser) if op == Op::Intersect => chosen(call, &line, *chooser)?,
                        None if op != Op::Intersect => call.pass(&line)?,
                        _ => {}
                    }
                    if op == Op::Symdiff {
                        ours.insert(key);
                    }
                }
                Err(why) => reject(call, index, why),
            }
        }
        for (number, key) in kept_keys.iter().enumerate() {
            if !ours.contains(key) {
                call.pass(kept.get(number))?;
            }
        }
    }
    Ok((a.rest.count(), b.rest.count(), identity.name().map(str::to_owned)))
}

fn origin(line: &[u8]) -> Origin {
    let found = field::pick(line, &[field::FieldName::new(ORIGIN)]).unwrap_or_default();
    field::origin(found.first().copied().flatten())
}

/// Passes on an entry that something of origin `chooser` picked out.
fn chosen(call: &mut Call<'_>, line: &[u8], chooser: Origin) -> Result<(), Failure> {
    let own = origin(line);
    if chooser <= own {
        return call.pass(line);
    }
    let mut fields = field::all(line).map_err(|e| Failure::wrong_args(e.to_string()))?;
    fields.retain(|(name, _)| name != ORIGIN);
    call.emit(&Record(fields), chooser)
}

type Line<'a> = std::borrow::Cow<'a, [u8]>;

/// A list whose first line was already read.
struct Ahead<'a> {
    first: Option<Vec<u8>>,
    rest: Lines<'a>,
}

impl Ahead<'_> {
    fn advance(&mut self, call: &mut Call<'_>) -> Result<Option<(u64, Line<'_>)>, Failure> {
        if let Some(first) = self.first.take() {
            return Ok(Some((0, first.into())));
        }
        Ok(self.rest.advance(call)?.map(|(index, line)| (index, line.into())))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::testing::{Ran, run};
    use serde_json::{Value, json};

    fn lists(op: &str, a: Value, b: Value) -> Ran {
        run("filter_lists", json!({"op": op, "entries": a, "with": b}))
    }

    fn ids(ran: &Ran) -> Vec<&Value> {
        ran.items.iter().map(|e| &e["id"]).collect()
    }

    #[test]
    fn the_four_set_operations() {
        let a = json!([{"id": 1, "_origin": "local"}, {"id": "2"}, {"id": 3}, {"id": 3}]);
        let b = json!([{"id": 2, "_origin": "web"}, {"id": 4, "_origin": "web"}]);
        let of = |op: &str| lists(op, a.clone(), b.clone());
        assert_eq!(ids(&of("intersect")), [&json!("2")]);
        assert_eq!(ids(&of("difference")), [&json!(1), &json!(3), &json!(3)]);
        assert_eq!(ids(&of("union")), [&json!(1), &json!("2"), &json!(3), &json!(4)]);
        let symdiff = of("symdiff");
        assert_eq!(ids(&symdiff), [&json!(1), &json!(3), &json!(3), &json!(4)]);
        assert_eq!(symdiff.items[0]["_origin"], "local");
        assert_eq!(of("intersect").items[0]["_origin"], "web", "the page chose it");
        assert_eq!(symdiff.items[3]["_origin"], "web");
        let counts = json!({"count_a": 4, "count_b": 2, "count_out": 4, "key": "id"});
        assert_eq!(symdiff.outcome.fields["metadata"], counts);
    }

    #[test]
    fn paths_keep_case_and_bytes_names_do_not() {
        let same = |a: Value, b: Value| lists("intersect", json!([a]), json!([b])).items.len() == 1;
        assert!(!same(json!({"path": "/A"}), json!({"path": "/a"})));
        assert!(same(json!({"name": "Anna"}), json!({"name": "anna"})));
        let lossy = |b64: &str| json!({"path": "/\u{fffd}", "path_b64": b64});
        assert!(!same(lossy("L/8="), lossy("L/4=")) && same(lossy("L/8="), lossy("L/8=")));
    }

    #[test]
    fn without_a_common_key_whole_records_are_compared() {
        let ran = lists(
            "intersect",
            json!([{"x": 1, "y": [1], "_origin": "web"}, {"x": 2}]),
            json!([{"y": [1], "x": 1.0, "_origin": "local"}]),
        );
        assert_eq!(ran.items.len(), 1);
        assert_eq!(ran.items[0]["_origin"], "web");
    }

    #[test]
    fn empty_lists_and_missing_ones() {
        let a = json!([{"id": 1}]);
        let count = |op: &str, a: &Value, b: &Value| lists(op, a.clone(), b.clone()).items.len();
        assert_eq!(count("intersect", &a, &json!([])), 0);
        assert_eq!(count("difference", &a, &json!([])), 1);
        assert_eq!(count("union", &json!([]), &a), 1);
        assert_eq!(count("symdiff", &json!([]), &json!([])), 0);
        assert!(run("filter_lists", json!({"op": "union", "entries": []})).outcome.error.is_some());
    }

    #[test]
    fn entries_without_the_key_are_failed_items() {
        let ran = run(
            "filter_lists",
            json!({"op": "difference", "key": "email", "entries": [{"email": "a"}, {"x": 1}, 3], "with": [{"email": "b"}]}),
        );
        assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count), (1, 2));
    }

    #[test]
    fn overlap_is_about_time() {
        let meets = |a: Value, b: Value| lists("overlap", json!([a]), json!([b])).items.len() == 1;
        let ten_to_eleven = json!({"start": "2026-01-10T10:00:00+01:00", "end": "2026-01-10T11:00:00+01:00"});
        assert!(meets(
            json!({"start": "2026-01-10 10:59", "end": "2026-01-10 12:00"}),
            ten_to_eleven.clone()
        ));
        assert!(!meets(
            json!({"start": "2026-01-10 11:00", "end": "2026-01-10 12:00"}),
            ten_to_eleven.clone()
        ));
        assert!(meets(json!({"date": "2026-01-10"}), ten_to_eleven.clone()));
        assert!(meets(json!({"mtime": "2026-01-10T09:30:00Z"}), ten_to_eleven.clone()));
        assert!(!meets(json!({"date": "2026-01-09"}), ten_to_eleven));
        assert_eq!(lists("overlap", json!([{"start": "soon"}]), json!([])).outcome.fail_count, 1);
    }
}
