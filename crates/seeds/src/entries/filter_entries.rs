//! `filter_entries`: the entries that satisfy every condition, untouched.

use super::exact::Number;
use super::field::{self, Cell, FieldName, fold};
use super::lines::{Lines, reject};
use super::moment::{Clock, Moment};
use super::pattern::{self, Signs};
use crate::call::Call;
use metnos_executor::Failure;
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;

/// Fields whose values are a fixed set of words: there `*` and `?` are letters like any other.
const CLOSED: [&str; 4] = ["kind", "type", "status", "label"];

#[derive(Deserialize)]
struct Args {
    where_field: Option<String>,
    where_value: Option<Value>,
    where_in: Option<Vec<Value>>,
    where_contains: Option<String>,
    where_starts_with: Option<String>,
    where_glob: Option<String>,
    where_regex: Option<String>,
    where_min: Option<Value>,
    where_max: Option<Value>,
    where_after: Option<Value>,
    where_before: Option<Value>,
    #[serde(default)]
    negate: bool,
}

/// Passes on the entries that match.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let filter = Filter::new(&args, Clock::of(&call.now))?;
    let mut lines = Lines::entries(call);
    while let Some((index, line)) = lines.advance(call)? {
        match filter.keeps(line) {
            Ok(true) => {
                call.pass(line)?;
                call.outcome.ok_count += 1;
            }
            Ok(false) => {}
            Err(error) => reject(call, index, error.to_string()),
        }
    }
    Ok(())
}

/// One condition on one value.
enum Test {
    Among(Members),
    Contains(String),
    StartsWith(String),
    Matches(Regex),
    Min(Number),
    Max(Number),
    After(Moment),
    Before(Moment),
}

struct Filter {
    field: Option<[FieldName; 1]>,
    tests: Vec<Test>,
    negate: bool,
    clock: Clock,
}

impl Filter {
    fn new(args: &Args, clock: Clock) -> Result<Self, Failure> {
        let open = !args.where_field.as_deref().is_some_and(|field| CLOSED.contains(&field));
        let mut tests = Vec::new();
        if let Some(value) = &args.where_value {
            tests.push(Test::Among(Members::new("where_value", std::slice::from_ref(value), open)?));
        }
        if let Some(values) = &args.where_in {
            tests.push(Test::Among(Members::new("where_in", values, open)?));
        }
        if let Some(text) = &args.where_contains {
            tests.push(Test::Contains(fold(text)));
        }
        if let Some(text) = &args.where_starts_with {
            tests.push(Test::StartsWith(fold(text)));
        }
        if let Some(glob) = &args.where_glob {
            tests.push(Test::Matches(pattern::glob("where_glob", glob, Signs::Full)?));
        }
        if let Some(regex) = &args.where_regex {
            tests.push(Test::Matches(pattern::regex("where_regex", regex)?));
        }
        let mut measured = false;
        for (name, value, make) in [
            ("where_min", &args.where_min, Test::Min as fn(Number) -> Test),
            ("where_max", &args.where_max, Test::Max),
        ] {
            if let Some(value) = value {
                tests.push(make(bound(name, value)?));
                measured = true;
            }
        }
        for (name, value, make) in [
            ("where_after", &args.where_after, Test::After as fn(Moment) -> Test),
            ("where_before", &args.where_before, Test::Before),
        ] {
            if let Some(value) = value {
                tests.push(make(date(name, value, &clock)?));
                measured = true;
            }
        }
        if tests.is_empty() {
            return Err(Failure::wrong_args("no condition: give where_value, where_contains, where_min, …"));
        }
        if measured && args.where_field.is_none() {
            return Err(Failure::wrong_args(
                "where_min, where_max, where_after and where_before need where_field",
            ));
        }
        let field = args.where_field.as_deref().map(|name| [FieldName::new(name)]);
        Ok(Self { field, tests, negate: args.negate, clock })
    }

    fn keeps(&self, line: &[u8]) -> Result<bool, serde_json::Error> {
        let cells: Vec<Cell<'_>> = match &self.field {
            Some(field) => {
                let raw = field::pick(line, field)?.pop().flatten();
                Cell::of(raw).members()
            }
            // Without a field: every text of the entry, also those in its arrays.
            None => field::all(line)?
                .into_iter()
                .filter(|(name, _)| !field::is_internal(name))
                .flat_map(|(_, raw)| Cell::of(Some(raw)).members())
                .filter(|cell| matches!(cell, Cell::Text(_)))
                .collect(),
        };
        let holds = |test: &Test| cells.iter().any(|cell| test.holds(cell, &self.clock));
        Ok(self.tests.iter().all(holds) != self.negate)
    }
}

impl Test {
    fn holds(&self, cell: &Cell<'_>, clock: &Clock) -> bool {
        if matches!(cell, Cell::Missing) {
            return false;
        }
        match self {
            Self::Among(members) => members.has(cell),
            Self::Contains(part) => fold(&cell.text()).contains(part.as_str()),
            Self::StartsWith(start) => fold(&cell.text()).starts_with(start.as_str()),
            Self::Matches(regex) => regex.is_match(&cell.text()),
            Self::Min(least) => super::tally::number(cell).is_ok_and(|n| n >= *least),
            Self::Max(most) => super::tally::number(cell).is_ok_and(|n| n <= *most),
            Self::After(moment) => clock.read(cell).is_some_and(|m| m >= *moment),
            Self::Before(moment) => clock.read(cell).is_some_and(|m| m < *moment),
        }
    }
}

/// The values a field may have: words, numbers, and globs where the field is open.
#[derive(Default)]
struct Members {
    words: HashSet<String>,
    numbers: HashSet<String>,
    globs: Vec<Regex>,
}

impl Members {
    fn new(argument: &str, values: &[Value], open: bool) -> Result<Self, Failure> {
        let mut members = Self::default();
        for value in values {
            match value {
                Value::String(text) if open && pattern::is_wild(text) => {
                    members.globs.push(pattern::glob(argument, text, Signs::Wild)?);
                }
                Value::String(text) => {
                    members.words.insert(fold(text));
                    members.numbers.extend(Number::parse(text).map(Number::canonical));
                }
                Value::Number(number) => {
                    let spelled = number.to_string();
                    let spelled = Number::parse(&spelled).map_or(spelled, Number::canonical);
                    members.words.insert(spelled.clone());
                    members.numbers.insert(spelled);
                }
                Value::Bool(yes) => {
                    members.words.insert(yes.to_string());
                }
                _ => {
                    return Err(Failure::wrong_args(format!(
                        "{argument}: only texts, numbers, true and false"
                    )));
                }
            }
        }
        Ok(members)
    }

    fn has(&self, cell: &Cell<'_>) -> bool {
        let known = match cell {
            Cell::Number(raw) => Number::parse(raw).is_some_and(|n| self.numbers.contains(&n.canonical())),
            cell => self.words.contains(&fold(&cell.text())),
        };
        known || self.globs.iter().any(|glob| glob.is_match(&cell.text()))
    }
}

fn bound(name: &str, value: &Value) -> Result<Number, Failure> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Number::parse(&text).ok_or_else(|| {
        Failure::wrong_args(format!("{name}: {text:?} is not a number"))
            .with_hint("for dates use where_after and where_before")
    })
}

fn date(name: &str, value: &Value, clock: &Clock) -> Result<Moment, Failure> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let cell = if value.is_string() { Cell::Text(text.as_str().into()) } else { Cell::Number(&text) };
    clock.read(&cell).ok_or_else(|| {
        Failure::wrong_args(format!("{name}: {text:?} is not a date"))
            .with_hint("write 2026-11-15 or 2026-11-15T10:00:00+01:00")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::testing::run;
    use serde_json::{Value, json};

    fn names(mut args: Value) -> Vec<String> {
        args["entries"] = json!([
            {"name": "Rossi.PDF", "size": 10, "mtime": "2026-01-10T09:00:00Z", "kind": "document", "_origin": "local"},
            {"name": "verdi.jpg", "size": "2000", "mtime": 1_767_900_000, "tags": ["Mare", "estate"], "_origin": "mail"},
            {"name": "Città*.txt", "size": 10.0, "exif": {"taken_at": "2025-06-01 10:00:00"}, "kind": "text"},
            {"name": "bianchi", "size": null, "unread": true},
        ]);
        let ran = run("filter_entries", args);
        assert!(ran.outcome.ok, "{:?}", ran.outcome);
        assert_eq!(ran.outcome.ok_count, ran.items.len() as u64);
        ran.items.iter().map(|e| e["name"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn each_condition_does_what_it_says() {
        let by = |field: &str, key: &str, value: Value| names(json!({"where_field": field, key: value}));
        assert_eq!(by("name", "where_value", json!("ROSSI.pdf")), ["Rossi.PDF"]);
        assert_eq!(by("name", "where_value", json!("*.jpg")), ["verdi.jpg"]);
        assert_eq!(by("name", "where_value", json!("città?.*")), ["Città*.txt"]);
        assert_eq!(by("kind", "where_value", json!("*")), [""; 0]);
        assert_eq!(by("size", "where_value", json!(10)), ["Rossi.PDF", "Città*.txt"]);
        assert_eq!(by("size", "where_value", json!("10.0")), ["Rossi.PDF", "Città*.txt"]);
        assert_eq!(by("size", "where_value", json!(2000)), ["verdi.jpg"]);
        assert_eq!(by("unread", "where_value", json!(true)), ["bianchi"]);
        assert_eq!(by("tags", "where_value", json!("mare")), ["verdi.jpg"]);
        assert_eq!(by("name", "where_in", json!(["bianchi", "*.pdf"])), ["Rossi.PDF", "bianchi"]);
        assert_eq!(by("name", "where_in", json!([])), [""; 0]);
        assert_eq!(by("name", "where_contains", json!("TTÀ")), ["Città*.txt"]);
        assert_eq!(by("name", "where_starts_with", json!("V")), ["verdi.jpg"]);
        assert_eq!(by("name", "where_glob", json!("*.{pdf,jpg}")), ["Rossi.PDF", "verdi.jpg"]);
        assert_eq!(by("name", "where_regex", json!("^[a-b]|DI")), ["verdi.jpg", "bianchi"]);
        assert_eq!(by("size", "where_min", json!("11")), ["verdi.jpg"]);
        assert_eq!(by("size", "where_max", json!(10)), ["Rossi.PDF", "Città*.txt"]);
        assert_eq!(by("mtime", "where_after", json!("2026-01-10")), ["Rossi.PDF"]);
        assert_eq!(by("mtime", "where_before", json!("2026-01-10T09:00:00Z")), ["verdi.jpg"]);
        assert_eq!(by("exif.taken_at", "where_before", json!("2025-06-02")), ["Città*.txt"]);
    }

    #[test]
    fn conditions_add_up_and_negate_turns_them_all() {
        let args = json!({"where_field": "size", "where_min": 5, "where_max": 100});
        assert_eq!(names(args), ["Rossi.PDF", "Città*.txt"]);
        let args = json!({"where_field": "size", "where_min": 5, "where_max": 100, "negate": true});
        assert_eq!(names(args), ["verdi.jpg", "bianchi"]);
    }

    #[test]
    fn without_a_field_every_text_is_searched_but_not_the_origin() {
        assert_eq!(names(json!({"where_contains": "estate"})), ["verdi.jpg"]);
        assert_eq!(names(json!({"where_contains": "local"})), [""; 0]);
    }

    #[test]
    fn bytes_and_taint_survive() {
        let ran = run(
            "filter_entries",
            json!({"where_field": "a", "where_value": "x", "entries": [
                {"a": "x", "path_b64": "/w==", "n": 1.50, "_origin": "web"}, {"a": "X"}]}),
        );
        assert_eq!(ran.items[0]["_origin"], "web");
        assert_eq!(ran.items[0]["path_b64"], "/w==");
        assert_eq!(ran.items.len(), 2);
    }

    #[test]
    fn senseless_conditions_are_refused_before_any_entry() {
        for args in [
            json!({}),
            json!({"where_field": "a"}),
            json!({"where_min": 1}),
            json!({"where_field": "a", "where_min": "ten"}),
            json!({"where_field": "a", "where_after": "soon"}),
            json!({"where_field": "a", "where_regex": "("}),
            json!({"where_field": "a", "where_regex": "(a{1000}){1000}"}),
            json!({"where_field": "a", "where_value": {}}),
        ] {
            let ran = run("filter_entries", args.clone());
            assert_eq!(ran.outcome.error.unwrap().class, metnos_executor::ErrorClass::WrongArgs, "{args}");
        }
    }

    #[test]
    fn an_empty_list_stays_empty_and_a_bad_line_is_counted() {
        assert!(run("filter_entries", json!({"entries": [], "where_contains": "x"})).items.is_empty());
        let ran = run(
            "filter_entries",
            json!({"entries": [7, {"a": "x"}], "where_field": "a", "where_value": "x"}),
        );
        assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count, ran.outcome.partial), (1, 1, true));
    }
}
