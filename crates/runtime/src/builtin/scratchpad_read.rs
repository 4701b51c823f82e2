//! `scratchpad_read`: a part of the list that a step of an earlier turn left, for whoever asked for it.
//!
//! The rows go through as they are, with the taint they have; nothing in them is looked at.

use super::{Builtin, Plan, Report, Wish};
use crate::call::turn_of;
use crate::guards::Principal;
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure, ListName, Outcome, Truncation};
use metnos_sandbox::cell::Items;
use serde_json::json;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

/// Bytes of rows in one answer.
const BYTES: usize = 4 << 20;

pub(super) const BUILTIN: Builtin = Builtin {
    name: "scratchpad_read",
    schema: include_str!("scratchpad_read.json"),
    pattern: "scratchpad_read(key=\"<turn>-1\", part=\"tail\", count=10)",
    out: "entries as the step left them, metadata={total,first}",
    changes: false,
    needs: None,
    list: false,
    plan,
};

/// Which rows.
#[derive(Clone, Copy)]
enum Part {
    Range { start: u64, count: usize },
    Tail { count: usize },
}

fn plan(runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let path = file(runtime, wish.text("key"), wish.caller)?;
    let count = usize::try_from(wish.number("count")).unwrap_or(usize::MAX);
    let part = match wish.text("part") {
        "tail" => Part::Tail { count },
        "range" => Part::Range { start: wish.number("start"), count },
        _ => Part::Range { start: 1, count },
    };
    let discretion = std::sync::Arc::clone(runtime.discretion());
    Ok(Plan::look("metnos:read", move |_| {
        let file = std::fs::File::open(&path).map_err(|e| Failure::io("a list", &e))?;
        read(discretion.read_lines(file), part)
    }))
}

/// The list of a step, if the turn is the caller's own. Somebody else's is as if it were not there.
fn file(runtime: &Runtime, key: &str, caller: &str) -> Result<PathBuf, Failure> {
    let gone = || {
        Failure::new(ErrorClass::NotFound, format!("there is no list {key} of yours"))
            .with_hint("metnos turns shows what was asked; steps count from 1")
    };
    let (Some(turn), Some((_, step))) = (turn_of(key), key.split_once('-')) else { return Err(gone()) };
    let known = runtime.db().turn(turn).map_err(|e| Failure::internal(e.to_string()))?.ok_or_else(gone)?;
    if Principal::parse(&known.caller).user != Principal::parse(caller).user {
        return Err(gone());
    }
    let path = runtime.home.state_dir().join("turns").join(turn).join(format!("{step}.jsonl"));
    if path.is_file() { Ok(path) } else { Err(gone()) }
}

fn read(list: impl std::io::Read, part: Part) -> Result<Report, Failure> {
    let io = |e: std::io::Error| Failure::io("a list", &e);
    let mut rows: VecDeque<Vec<u8>> = VecDeque::new();
    let (mut total, mut first) = (0u64, 0u64);
    for line in BufReader::new(list).split(b'\n') {
        let line = line.map_err(io)?;
        total += 1;
        match part {
            Part::Range { start, count } if total < start || rows.len() >= count => {}
            Part::Range { .. } => rows.push_back(line),
            Part::Tail { count } => {
                rows.push_back(line);
                if rows.len() > count {
                    rows.pop_front();
                }
            }
        }
        if first == 0 && !rows.is_empty() {
            first = total;
        }
    }
    if let Part::Tail { .. } = part {
        first = total.saturating_sub(rows.len() as u64) + 1;
    }
    let wanted = rows.len() as u64;
    let mut text = Vec::new();
    let mut outcome = Outcome::default();
    for row in rows {
        if text.len() + row.len() > BYTES {
            break;
        }
        text.extend_from_slice(&row);
        text.push(b'\n');
        outcome.ok_count += 1;
    }
    if outcome.ok_count < wanted {
        outcome.truncation = Some(Truncation {
            truncated: true,
            truncated_what: "entries".into(),
            used: outcome.ok_count,
            available_total: Some(wanted),
            cap_field: "bytes".into(),
            cap_value: BYTES as u64,
        });
    }
    outcome.fields.insert("metadata".into(), json!({ "total": total, "first": first }));
    Ok(Report { outcome, list: ListName::Entries, items: Items::Inline(text) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::Value;

    fn part(part: Part) -> (String, Value) {
        let rows: String = (1..=5).map(|n| format!("{{\"n\":{n}}}\n")).collect();
        let report = read(rows.as_bytes(), part).unwrap();
        let Items::Inline(text) = report.items else { return (String::new(), Value::Null) };
        (String::from_utf8(text).unwrap().replace('\n', " "), report.outcome.fields["metadata"].clone())
    }

    #[test]
    fn head_tail_and_range() {
        let (rows, told) = part(Part::Range { start: 1, count: 2 });
        assert_eq!((rows.as_str(), &told), ("{\"n\":1} {\"n\":2} ", &json!({"total": 5, "first": 1})));
        let (rows, told) = part(Part::Tail { count: 2 });
        assert_eq!((rows.as_str(), &told), ("{\"n\":4} {\"n\":5} ", &json!({"total": 5, "first": 4})));
        let (rows, told) = part(Part::Range { start: 3, count: 1 });
        assert_eq!((rows.as_str(), &told), ("{\"n\":3} ", &json!({"total": 5, "first": 3})));
        assert_eq!(part(Part::Range { start: 9, count: 1 }).0, "");
        assert_eq!(part(Part::Tail { count: 9 }).1, json!({"total": 5, "first": 1}));
    }
}
