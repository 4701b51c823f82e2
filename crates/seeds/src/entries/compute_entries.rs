//! `compute_entries`: one value out of a list.
//!
//! Sums and means are exact up to 38 digits; beyond, the value is a float and `metadata.exact` is
//! false. A value with more digits than a 64-bit reader keeps is answered as text.

use super::exact::{Number, Sum};
use super::field::{self, Cell, FieldName, ORIGIN};
use super::identity::{self, Digest};
use super::lines::{Lines, reject};
use super::moment::Clock;
use super::tally::{self, Measure, Tally};
use crate::call::Call;
use metnos_executor::{Failure, Origin};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashSet;

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Op {
    Sum,
    Avg,
    Min,
    Max,
    Median,
    Count,
    CountDistinct,
}

#[derive(Deserialize)]
struct Args {
    op: Op,
    field: Option<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    op: Op,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    value: Value,
    count: u64,
}

/// What is being computed.
enum Work {
    Tally(Tally),
    Median(Vec<Number>),
    Distinct(HashSet<Digest>),
}

/// Answers `value`, and a list with one entry that holds it.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let counting = matches!(args.op, Op::Count | Op::CountDistinct);
    if args.field.is_none() && !counting {
        return Err(Failure::wrong_args("field: which number of each entry?"));
    }
    let mut work = match args.op {
        Op::Sum => Work::Tally(Tally::new(Measure::Sum)),
        Op::Avg => Work::Tally(Tally::new(Measure::Avg)),
        Op::Min => Work::Tally(Tally::new(Measure::Min)),
        Op::Max => Work::Tally(Tally::new(Measure::Max)),
        Op::Count => Work::Tally(Tally::new(Measure::Count)),
        Op::Median => Work::Median(Vec::new()),
        Op::CountDistinct => Work::Distinct(HashSet::new()),
    };
    let clock = Clock::of(&call.now);
    let wanted = [FieldName::new(ORIGIN), FieldName::new(args.field.as_deref().unwrap_or(""))];
    let mut origin: Option<Origin> = None;
    let mut lines = Lines::entries(call);
    while let Some((index, line)) = lines.advance(call)? {
        let done = match field::pick(line, &wanted) {
            Err(error) => Err(error.to_string()),
            Ok(found) => {
                // Also an entry that cannot be used bears on the answer: it is not in it.
                let own = field::origin(found[0]);
                origin = Some(origin.map_or(own, |joined| joined.join(own)));
                let cell = Cell::of(found[1]);
                if counting && args.field.is_some() && cell == Cell::Missing {
                    continue;
                }
                work.add(&cell, args.field.is_some(), line, &clock)
            }
        };
        match done {
            Ok(()) => call.outcome.ok_count += 1,
            Err(why) => reject(call, index, why),
        }
    }
    let exact = !matches!(&work, Work::Tally(tally) if !tally.is_exact());
    let value = work.value();
    let answer = Answer {
        op: args.op,
        field: args.field.as_deref(),
        value: value.clone(),
        count: call.outcome.ok_count,
    };
    call.set("value", value);
    call.set("metadata", json!({ "count": answer.count, "exact": exact }));
    call.emit(&answer, origin.unwrap_or(Origin::Local))
}

impl Work {
    fn add(&mut self, cell: &Cell<'_>, by_field: bool, line: &[u8], clock: &Clock) -> Result<(), String> {
        match self {
            Self::Tally(tally) => tally.add(cell, clock)?,
            Self::Median(numbers) => numbers.push(tally::number(cell)?),
            Self::Distinct(seen) => {
                let digest = if by_field {
                    identity::of_cell(cell)
                } else {
                    identity::whole(line).map_err(|e| e.to_string())?
                };
                seen.insert(digest);
            }
        }
        Ok(())
    }

    fn value(self) -> Value {
        match self {
            Self::Tally(tally) => tally.value(),
            Self::Median(numbers) => median(numbers),
            Self::Distinct(seen) => (seen.len() as u64).into(),
        }
    }
}

/// The middle number, or the mean of the two in the middle.
fn median(mut numbers: Vec<Number>) -> Value {
    let middle = numbers.len() / 2;
    if numbers.is_empty() {
        return Value::Null;
    }
    let even = numbers.len().is_multiple_of(2);
    let (below, upper, _) = numbers.select_nth_unstable(middle);
    let mut sum = Sum::default();
    sum.add(*upper);
    if even && let Some(lower) = below.iter().max() {
        sum.add(*lower);
    }
    sum.mean()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::testing::run;
    use serde_json::{Value, json};

    fn value(op: &str, values: Value) -> Value {
        let entries: Vec<Value> = values.as_array().unwrap().iter().map(|v| json!({"v": v})).collect();
        let ran = run("compute_entries", json!({"op": op, "field": "v", "entries": entries}));
        assert!(ran.outcome.ok, "{:?}", ran.outcome);
        assert_eq!(ran.items.len(), 1);
        assert_eq!(ran.items[0]["value"], ran.outcome.fields["value"]);
        ran.items[0]["value"].clone()
    }

    #[test]
    fn each_operation() {
        assert_eq!(value("sum", json!([0.1, "0.2", 3])), json!(3.3));
        assert_eq!(value("avg", json!([1, 2])), json!(1.5));
        assert_eq!(value("min", json!([3, "-1", 2])), json!(-1));
        assert_eq!(value("max", json!([3, 1e3])), json!(1000));
        assert_eq!(value("max", json!(["2026-01-01", "2026-02-01"])), json!("2026-02-01"));
        assert_eq!(value("median", json!([9, 1, 5])), json!(5));
        assert_eq!(value("median", json!([4, 1, 2, 9])), json!(3));
        assert_eq!(value("count", json!([1, null, "x"])), json!(2));
        assert_eq!(value("count_distinct", json!(["a", "A", 1, "1", 1.0, null])), json!(2));
    }

    #[test]
    fn of_nothing() {
        for (op, expected) in [("sum", json!(0)), ("count", json!(0)), ("count_distinct", json!(0))] {
            assert_eq!(value(op, json!([])), expected);
        }
        for op in ["avg", "min", "max", "median"] {
            assert_eq!(value(op, json!([])), Value::Null);
        }
        assert!(run("compute_entries", json!({"op": "sum", "entries": []})).outcome.error.is_some());
    }

    #[test]
    fn without_a_field_entries_are_counted_whole() {
        let entries = json!([{"a": 1, "b": 2, "_origin": "web"}, {"b": 2, "a": 1.0}, {"a": 1}]);
        let ran = run("compute_entries", json!({"op": "count_distinct", "entries": entries}));
        assert_eq!(ran.outcome.fields["value"], 2);
        let ran = run("compute_entries", json!({"op": "count", "entries": entries}));
        assert_eq!(ran.outcome.fields["value"], 3);
    }

    #[test]
    fn what_is_no_number_fails_and_the_rest_counts() {
        let entries = json!([{"v": 1}, {"v": "12 MB"}, {"w": 1}, {"v": [1]}, {"v": 4}, null]);
        let ran = run("compute_entries", json!({"op": "sum", "field": "v", "entries": entries}));
        assert_eq!(ran.outcome.fields["value"], 5);
        assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count, ran.outcome.partial), (2, 4, true));
    }

    #[test]
    fn one_tainted_entry_taints_the_value() {
        let entries = json!([{"v": 1, "_origin": "local"}, {"v": "x", "_origin": "mail"}, {"v": 2, "_origin": "content"}]);
        let ran = run("compute_entries", json!({"op": "sum", "field": "v", "entries": entries}));
        assert_eq!(ran.items[0]["_origin"], "mail");
    }
}
