//! `sort_entries`: the same entries in another order, or the first few of it.
//!
//! Numbers come before texts, entries without the field last in either order, equal ones as they
//! came. When every value is a number (or a text that spells one) they compare as numbers; when
//! every text is a date, as dates; otherwise texts compare without case. A small `limit` keeps
//! only that many lines; without one all lines are held in one block.

use super::exact::Number;
use super::field::{self, Cell, FieldName, fold};
use super::lines::{Arena, Lines, reject};
use super::moment::{Clock, Moment};
use super::seen::Seen;
use super::tally;
use crate::call::Call;
use metnos_executor::Failure;
use serde::Deserialize;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Up to this many, the first ones are kept in a heap instead of sorting everything.
const HEAP_MAX: u64 = 10_000;

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    #[default]
    Asc,
    Desc,
}

#[derive(Deserialize)]
struct Args {
    by: String,
    #[serde(default)]
    order: Direction,
    #[serde(default)]
    limit: u64,
}

/// Answers the entries in order.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let clock = Clock::of(&call.now);
    let field = [FieldName::new(&args.by)];
    if (1..=HEAP_MAX).contains(&args.limit) {
        first_few(call, &args, &field, &clock)
    } else {
        everything(call, &args, &field, &clock)
    }
}

/// How the values of a field are read; only one that fits all of them is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Numbers,
    Dates,
    Mixed,
}

/// In order of preference.
const READINGS: [Reading; 3] = [Reading::Numbers, Reading::Dates, Reading::Mixed];

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(Number),
    Moment(Moment),
    Text(Box<str>),
    Missing,
}

impl Reading {
    /// The key of a value, or `None` when the value does not fit this reading.
    fn key(self, cell: &Cell<'_>, clock: &Clock) -> Option<Key> {
        match (self, cell) {
            (_, Cell::Missing) => Some(Key::Missing),
            (Self::Numbers, cell) => tally::number(cell).ok().map(Key::Number),
            (Self::Dates, cell) => clock.read(cell).map(Key::Moment),
            (Self::Mixed, Cell::Number(raw)) => Some(match Number::parse(raw) {
                Some(number) => Key::Number(number),
                None => Key::Text((*raw).into()),
            }),
            (Self::Mixed, cell) => Some(Key::Text(fold(&cell.text()).into())),
        }
    }
}

fn compare(a: &Key, b: &Key, direction: Direction) -> Ordering {
    match (a, b, direction) {
        (Key::Missing, _, _) | (_, Key::Missing, _) | (_, _, Direction::Asc) => a.cmp(b),
        (_, _, Direction::Desc) => b.cmp(a),
    }
}

/// A candidate for the first few; the greatest of a heap is the next to go.
struct Held {
    key: Key,
    number: u64,
    direction: Direction,
    line: Box<[u8]>,
}

impl Ord for Held {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.key, &other.key, self.direction).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Held {}

fn first_few(call: &mut Call<'_>, args: &Args, field: &[FieldName; 1], clock: &Clock) -> Result<(), Failure> {
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    // Which reading fits is known only at the end, so each that may still fit keeps its own few.
    let mut heaps: Vec<(Reading, BinaryHeap<Held>)> =
        READINGS.into_iter().map(|reading| (reading, BinaryHeap::new())).collect();
    let mut seen = Seen::default();
    let mut lines = Lines::entries(call);
    while let Some((index, line)) = lines.advance(call)? {
        let cell = match field::pick(line, field) {
            Ok(mut found) => Cell::of(found.pop().flatten()),
            Err(error) => {
                reject(call, index, error.to_string());
                continue;
            }
        };
        seen.note(&cell, line);
        heaps.retain_mut(|(reading, heap)| {
            let Some(key) = reading.key(&cell, clock) else { return false };
            let room = heap.len() < limit;
            if room || heap.peek().is_some_and(|worst| compare(&key, &worst.key, args.order).is_lt()) {
                if !room {
                    heap.pop();
                }
                heap.push(Held { key, number: index, direction: args.order, line: line.into() });
            }
            true
        });
    }
    seen.refuse_unknown("by", &args.by)?;
    if let Some((_, heap)) = heaps.into_iter().next() {
        for held in heap.into_sorted_vec() {
            call.pass(&held.line)?;
            call.outcome.ok_count += 1;
        }
    }
    declare(call, args, seen.entries());
    Ok(())
}

fn everything(
    call: &mut Call<'_>,
    args: &Args,
    field: &[FieldName; 1],
    clock: &Clock,
) -> Result<(), Failure> {
    let mut arena = Arena::default();
    // Where in its line each value is, so that no line is scanned twice.
    let mut values: Vec<(u32, u32)> = Vec::new();
    let mut readings = READINGS.to_vec();
    let mut seen = Seen::default();
    let mut lines = Lines::entries(call);
    while let Some((index, line)) = lines.advance(call)? {
        let raw = match field::pick(line, field) {
            Ok(mut found) => found.pop().flatten(),
            Err(error) => {
                reject(call, index, error.to_string());
                continue;
            }
        };
        let cell = Cell::of(raw);
        seen.note(&cell, line);
        readings.retain(|reading| *reading == Reading::Mixed || reading.key(&cell, clock).is_some());
        let place = raw.map(|raw| {
            let start = (raw.get().as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
            (u32::try_from(start), u32::try_from(raw.get().len()))
        });
        values.push(match place {
            None => (0, 0),
            Some((Ok(start), Ok(len))) => (start, len),
            Some(_) => {
                return Err(Failure::new(
                    metnos_executor::ErrorClass::TooLarge,
                    format!("entry {index} is over 4 GB"),
                ));
            }
        });
        arena.push(line);
    }
    seen.refuse_unknown("by", &args.by)?;
    let reading = readings.first().copied().unwrap_or(Reading::Mixed);
    let mut order: Vec<(Key, usize)> = Vec::with_capacity(values.len());
    for (number, (start, len)) in values.iter().enumerate() {
        let (start, len) = (*start as usize, *len as usize);
        let raw = arena.get(number).get(start..start.saturating_add(len)).unwrap_or(&[]);
        let cell = Cell::parse(std::str::from_utf8(raw).unwrap_or(""));
        order.push((reading.key(&cell, clock).unwrap_or(Key::Missing), number));
    }
    drop(values);
    order.sort_unstable_by(|a, b| compare(&a.0, &b.0, args.order).then(a.1.cmp(&b.1)));
    let limit = if args.limit == 0 { usize::MAX } else { usize::try_from(args.limit).unwrap_or(usize::MAX) };
    for (_, number) in order.iter().take(limit) {
        call.pass(arena.get(*number))?;
        call.outcome.ok_count += 1;
    }
    declare(call, args, seen.entries());
    Ok(())
}

fn declare(call: &mut Call<'_>, args: &Args, total: u64) {
    if args.limit > 0 && total > args.limit {
        call.truncated("entries", args.limit, Some(total), "limit", args.limit);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::testing::run;
    use serde_json::{Value, json};

    /// The field `n` of the entries sorted by `v`.
    fn sorted(values: Value, extra: Value) -> Vec<u64> {
        let entries: Vec<Value> = values
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .map(|(n, v)| if v.is_null() { json!({"n": n}) } else { json!({"n": n, "v": v}) })
            .collect();
        let mut args = json!({"by": "v", "entries": entries});
        args.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let ran = run("sort_entries", args);
        assert!(ran.outcome.ok, "{:?}", ran.outcome);
        ran.items.iter().map(|e| e["n"].as_u64().unwrap()).collect()
    }

    #[test]
    fn kinds_of_values_have_one_order() {
        for limit in [0, 9] {
            let by = |values: Value, order: &str| sorted(values, json!({"order": order, "limit": limit}));
            assert_eq!(by(json!(["b", 2, null, "A", 1]), "asc"), [4, 1, 3, 0, 2]);
            assert_eq!(by(json!(["b", 2, null, "A", 1]), "desc"), [0, 3, 1, 4, 2]);
            assert_eq!(by(json!(["10", "9", 1.5]), "asc"), [2, 1, 0]);
            assert_eq!(by(json!(["10", "9", "x"]), "asc"), [0, 1, 2]);
            let dates = json!(["2026-01-02T00:00:00+05:00", "2026-01-01T20:00:00Z", "2025-12-31"]);
            assert_eq!(by(dates, "asc"), [2, 0, 1]);
            assert_eq!(by(json!(["x", "X", "x"]), "desc"), [0, 1, 2]);
            assert_eq!(
                by(json!([1e300, 79228162514264337593543950335i128 as f64, 1e-40, 0]), "asc"),
                [3, 2, 1, 0]
            );
        }
    }

    #[test]
    fn a_limit_keeps_the_first_and_says_what_it_cut() {
        let entries: Vec<Value> =
            (0..1000).map(|n| json!({"size": (n * 7919) % 1000, "_origin": "web"})).collect();
        let ran = run("sort_entries", json!({"by": "size", "order": "desc", "limit": 3, "entries": entries}));
        let sizes: Vec<u64> = ran.items.iter().map(|e| e["size"].as_u64().unwrap()).collect();
        assert_eq!(sizes, [999, 998, 997]);
        assert_eq!(ran.items[0]["_origin"], "web");
        let cut = ran.outcome.truncation.unwrap();
        assert_eq!((cut.used, cut.available_total, cut.cap_field.as_str()), (3, Some(1000), "limit"));
    }

    #[test]
    fn a_few_and_everything_agree() {
        let values: Vec<Value> = (0..500)
            .map(|n| match n % 5 {
                0 => json!(n * 31 % 17),
                1 => json!(format!("T{}", n * 13 % 11)),
                2 => Value::Null,
                3 => json!({"k": n % 3}),
                _ => json!(format!("{}", n * 7 % 23)),
            })
            .collect();
        for order in ["asc", "desc"] {
            let all = sorted(json!(values), json!({"order": order}));
            let few = sorted(json!(values), json!({"order": order, "limit": 400}));
            assert_eq!(few, all[..400]);
        }
    }

    #[test]
    fn nothing_to_sort_by_is_a_mistake_but_nothing_to_sort_is_not() {
        assert!(run("sort_entries", json!({"by": "x", "entries": []})).outcome.ok);
        let error = run("sort_entries", json!({"by": "x", "entries": [{"size": 1}]})).outcome.error.unwrap();
        assert!(error.hint.unwrap().contains("size"));
    }

    #[test]
    fn a_bad_line_is_counted_and_the_rest_sorted() {
        let ran = run("sort_entries", json!({"by": "a", "entries": [{"a": 2}, "x", {"a": 1}]}));
        assert_eq!((ran.items.len(), ran.outcome.fail_count, ran.outcome.partial), (2, 1, true));
    }
}
